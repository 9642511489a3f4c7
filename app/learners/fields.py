"""Fields: how a parameter of a learner is shown and changed, and its limits; a form is built of these values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from app.core.number_format import grouped, short

from .scales import Parameter, RankScale, Scale, parameter

Kind = Literal["choice", "slider", "number", "integer", "large integer", "check", "numbers of classes", "text"]


#: Numbers of editors, by all that can be seen of a field.
_EDITORS: dict[tuple[object, ...], int] = {}


class Field(Struct, frozen=True, eq=False, dict=True):
    """One parameter as people see it; its limits, scale and default are those of its learner's settings.

    Fields of two learners that are alike in all but the predicates, limits included, share one editor, so that a lane's
    form has each name once.

    Attributes
    ----------
    name : str
        What programs call it: `lane0.name`.
    kind : str
        What edits it; "text" only says something, by `formula`.  A "slider" is of a number with `decades` or `steps`
        in the Meta of its type, or of a whole number from 1 on.
    label : str
        Before it; "" where it has none: in the flow of the form, or, for a choice, beside the choice of the problem
        that is drawn.
    tip : str
        Its teaching sentence; "" for the note of what is chosen.
    title : str
        What it is called where it is read out; "" for the label.
    parameter : str
        Its name in the settings; "" for `name`.
    choices : tuple of (str, str, str)
        Text, value, and note of each.
    shown : callable
        Whether it applies to settings and classes of the points.
    formula : callable or None
        Of a "text": what it says of the settings.
    primary : bool
        One of the few that one plays with: they stand above the picture, the others unfold.
    simple : bool
        It is among the few settings that Simple shows; a primary one is.
    presented : bool
        In presenter mode it stands above the picture, too.
    end : str
        Of a slider: the parameter that is on at its end, one position beyond the greatest value.
    beside : bool
        It shares a place with the field before it.
    has_curve : bool
        Its whole range can be tried, for the accuracy under its slider.
    tried : tuple or None
        From, to, number of values, and whether they are in equal ratios: what a study tries at first, where that is not
        its slider.
    change, off : str
        What the undo menu calls a change, with `{value}` and the choice's `{text}`, and switching off; "" for
        "Set (its parameter) to (the value)".
    settings : type of msgspec.Struct or None
        Those of its learner, which sets it.
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
    simple: bool = False
    presented: bool = False
    end: str = ""
    beside: bool = False
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
        """Its name in texts on screen: the symbol of its label, such as c₀, or its title."""
        return self.label if 0 < len(self.label) < 3 else self.title

    @cached_property
    def editor(self) -> int:
        """Number of its editor: fields that look alike have the same one."""
        alike = (self.name, self.kind, self.label, self.tip, self.title, self.parameter, self.choices, self.limits)
        return _EDITORS.setdefault(alike, len(_EDITORS))

    @cached_property
    def limits(self) -> Parameter | None:
        """Least and largest value, and the scale of a slider; None of what has no numbers."""
        if self.choices or self.kind in ("check", "text"):
            return None
        return parameter(self.settings, self.parameter)

    @property
    def is_whole(self) -> bool:
        """Its values are whole numbers."""
        return self.limits is not None and isinstance(self.limits.least, int)

    def scale(self, n_points: int) -> Scale:
        """The scale of a slider for so many training points: a number of neighbours goes up to all others of one."""
        assert self.limits is not None
        return self.limits.scale or RankScale(min(max(n_points - 1, 1), self.limits.most))

    def number(self, value: float) -> str:
        """A value as it stands on screen."""
        return grouped(int(value)) if self.is_whole else short(value)

    def value(self, settings: Any) -> Any:
        """What it shows of `settings`; infinity at its end."""
        return math.inf if self.end and getattr(settings, self.end) else getattr(settings, self.parameter)

    def values(self, value: Any) -> dict[str, Any]:
        """The parameters that `value` stands for."""
        if not self.end:
            return {self.parameter: value}
        return {self.end: True} if math.isinf(value) else {self.parameter: value, self.end: False}

    def word(self, settings: Any, default: Any) -> str:
        """What is said of a value that is not the default, such as "random rule"; "" of the default."""
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
            return f"{text if text[1:2].isupper() else text[0].lower() + text[1:]} {title}"
        return f"{title} {value:g}"

    def parts(self, classes: Sequence[int]) -> set[str]:
        """Its name, with those of the numbers that it has for each class."""
        return {self.name} | ({f"weight{c + 1}" for c in classes} if self.kind == "numbers of classes" else set())


#: Shared by those that draw, and by those that may do without b.
SEED = Field(
    "seed",
    "integer",
    "Seed",
    "Of the random order. The same seed: the same result.",
    parameter="random_state",
    tried=(0, 9, 10, False),
    change="Set the seed to {value}",
)
SHUFFLE = Field(
    "shuffle",
    "check",
    "Shuffle",
    "A new random order for each pass over the points; else that of the points.",
    change="Shuffle the points",
    off="Keep the order of the points",
)
INTERCEPT = Field(
    "intercept",
    "check",
    "Intercept",
    "Whether f has a constant b; without it f(0) = 0.",
    parameter="fit_intercept",
    beside=True,
    change="Set an intercept",
    off="Set no intercept",
)


def change_text(fields: Sequence[Field], values: dict[str, Any]) -> str:
    """What the undo menu calls a change of the first of `values`; "" where no field has it."""
    name, value = next(iter(values.items()))
    field = next((each for each in fields if each.parameter == name), None)
    if field is None:
        return ""
    if field.off and not value:
        return field.off
    text = next((shown for shown, entry, _ in field.choices if entry == value), f"{field.title} to {value}")
    said = f"{value:g}" if isinstance(value, float) else value
    return (field.change or f"Set {name} to {{value}}").format(value=said, text=text.lower())
