"""Fields: how a parameter of a learner is displayed and changed, and its limits; forms are built from these values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from app.core.number_format import grouped, short

from .scales import Parameter, RankScale, Scale, parameter

#: Groups of the settings panel, in order.
Group = Literal["Model", "Training", "Data", "Picture"]
Kind = Literal["choice", "slider", "number", "integer", "large integer", "check", "numbers of classes", "text"]


#: Numbers of editors, by everything visible of a field.
_EDITORS: dict[tuple[object, ...], int] = {}


class Field(Struct, frozen=True, eq=False, dict=True):
    """One parameter on screen; its limits, scale and default are those of its learner's settings.

    Fields of two learners that are equal in all but the predicates, limits included, share one editor, so that a lane's
    form has each name once.

    Attributes
    ----------
    name : str
        Its object name after the lane: `lane0.name`.
    kind : str
        Kind of editor; "text" only displays the result of `formula`.  A "slider" is for a number with `decades` or
        `steps` in the Meta of its type, or for a whole number from 1 on.
    label : str
        Text before the editor, or "".
    tip : str
        Sentence of its tool tip; "" for the note of the present choice.
    title : str
        Name for screen readers; "" for the label.
    parameter : str
        Name of the parameter in the settings; "" for `name`.
    choices : tuple of (str, str, str)
        Text, value and note of each choice.
    shown : callable
        ``shown(settings, classes)``: whether it applies.
    formula : callable or None
        For a "text": ``formula(settings)``, the displayed text.
    primary : bool
        One of the few above the picture; the others are in the settings panel.
    group : {"Model", "Training", "Data", "Picture"}
        Its group there.
    simple : bool
        Simple shows it; always so for a primary one.
    presented : bool
        Presenter mode shows it above the picture, too.
    end : str
        For a slider: the parameter that is on at its end, one position beyond the largest value.
    has_curve : bool
        It has a validation curve below its slider.
    tried : tuple or None
        First values of a study, if not those of its slider: from, to, their number, and whether their ratios are equal.
    change, off : str
        Texts in the undo menu for a change, with `{value}` and the choice's `{text}`, and for switching off; "" for
        "Set (parameter) to (value)".
    settings : type of msgspec.Struct or None
        Type of its learner's settings, set by the learner.
    """

    name: str
    kind: Kind
    label: str
    tip: str
    title: str = ""
    parameter: str = ""
    choices: tuple[tuple[str, str, str], ...] = ()
    shown: Callable[[Any, Sequence[int]], bool] = lambda settings, classes: True
    formula: Callable[[Any], str] | None = None
    primary: bool = False
    group: Group = "Model"
    simple: bool = False
    presented: bool = False
    end: str = ""
    has_curve: bool = False
    tried: tuple[float, float, int, bool] | None = None
    change: str = ""
    off: str = ""
    settings: Any = None

    def __post_init__(self) -> None:
        force_setattr(self, "title", self.title or self.label)
        force_setattr(self, "parameter", self.parameter or self.name)
        force_setattr(self, "simple", self.simple or self.primary)

    @property
    def called(self) -> str:
        """Name within texts on screen: the symbol of its label, such as c₀, or its title."""
        return self.label if 0 < len(self.label) < 3 else self.title

    @cached_property
    def editor(self) -> int:
        """Number of its editor; fields that look the same have the same one."""
        alike = (self.name, self.kind, self.label, self.tip, self.title, self.parameter, self.choices, self.limits)
        return _EDITORS.setdefault(alike, len(_EDITORS))

    @cached_property
    def limits(self) -> Parameter | None:
        """Smallest and largest value, and the scale of a slider; None for a field without numbers."""
        if self.choices or self.kind in ("check", "text"):
            return None
        return parameter(self.settings, self.parameter)

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers."""
        return self.limits is not None and isinstance(self.limits.least, int)

    def scale(self, n_points: int) -> Scale:
        """Return the scale of a slider for `n_points` training points, which limit a number of neighbours."""
        assert self.limits is not None
        return self.limits.scale or RankScale(min(max(n_points - 1, 1), self.limits.most))

    def number(self, value: float) -> str:
        """Return the text of a value on screen."""
        return grouped(int(value)) if self.is_whole else short(value)

    def value(self, settings: Any) -> Any:
        """Return its value in `settings`; infinity at its end."""
        return math.inf if self.end and getattr(settings, self.end) else getattr(settings, self.parameter)

    def values(self, value: Any) -> dict[str, Any]:
        """Return the parameters for `value`."""
        if not self.end:
            return {self.parameter: value}
        return {self.end: True} if math.isinf(value) else {self.parameter: value, self.end: False}

    def word(self, settings: Any, default: Any) -> str:
        """Return words for a value that is not the default, such as "random rule"; "" for the default."""
        value = getattr(settings, self.parameter)
        if value == getattr(default, self.parameter) or self.kind == "text":
            return ""
        if self.kind == "check":
            return self.title.lower() if value else f"no {self.title.lower()}"
        if self.kind == "numbers of classes":
            return ""
        title = self.called if len(self.called) < 3 else self.title[0].lower() + self.title[1:]
        if self.choices:
            text = next(text for text, entry, _ in self.choices if entry == value)
            return f"{text} {title}"
        return f"{title} {value:g}"

    def parts(self, classes: Sequence[int]) -> set[str]:
        """Return its name, and those of its numbers for each class."""
        return {self.name} | ({f"weight{c + 1}" for c in classes} if self.kind == "numbers of classes" else set())


#: Fields shared by learners: of random order, and with an optional b.
SEED = Field(
    "seed",
    "integer",
    "Seed",
    "Of the random order. The same seed: the same result.",
    parameter="random_state",
    group="Training",
    tried=(0, 9, 10, False),
    change="Set the seed to {value}",
)
SHUFFLE = Field(
    "shuffle",
    "check",
    "Shuffle",
    "A new random order for each pass over the points; else that of the points.",
    group="Training",
    change="Shuffle the points",
    off="Keep the order of the points",
)
INTERCEPT = Field(
    "intercept",
    "check",
    "Intercept",
    "Whether f has a constant b; without it f(0) = 0.",
    parameter="fit_intercept",
    change="Set an intercept",
    off="Set no intercept",
)


def change_text(fields: Sequence[Field], values: dict[str, Any]) -> str:
    """Return the text in the undo menu for a change of the first of `values`; "" if it has no field."""
    name, value = next(iter(values.items()))
    field = next((each for each in fields if each.parameter == name), None)
    if field is None:
        return ""
    if field.off and not value:
        return field.off
    text = next((shown for shown, entry, _ in field.choices if entry == value), f"{field.title} to {value}")
    number = f"{value:g}" if isinstance(value, float) else value
    return (field.change or f"Set {name} to {{value}}").format(value=number, text=text.lower())
