"""Goals: read a goal from a few words, and check whether the results reach it."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, reduce
from typing import Literal, NamedTuple

import numpy as np
from msgspec import Struct

from app.core.number_format import full, grouped, share_text, short
from app.engine.cover import Cover
from app.engine.frames import Frame, Phase
from app.engine.surface_values import shown_pair
from app.features.evaluation.scene import PANEL, EvaluationSession, validation_of
from app.features.scores.scene import measured_on, score
from app.scene.model import Context, is_present
from app.state.document import Document

from . import matching
from .model import ENGLISH
from .phrases import numeral, say, share_in

Unit = Literal["share", "count", "size"]


class Quantity(Struct, frozen=True):
    """A number that a goal may ask for.

    Attributes
    ----------
    noun : str
        The noun of a sentence, "no classifier has (noun)".
    unit : {"share", "count", "size"}
        A share is given in %, a count is a whole number.
    value : callable
        ``value(context, index, frame)`` returns it after a training; None while it is unknown, NaN if there is none.
    reveals : Cover
        What a goal with it reveals while it is checked.
    other_words : tuple of str
        Words for it other than its name.
    applies : callable
        ``applies(document, index)``: whether the classifier at `index`, which is no difference of two, has it.
    """

    noun: str
    unit: Unit
    value: Callable[[Context, int, Frame], float | None]
    reveals: Cover = Cover.TRAINING
    other_words: tuple[str, ...] = ()
    applies: Callable[[Document, int], bool] = lambda document, index: True


def _training_accuracy(context: Context, index: int, frame: Frame) -> float | None:
    return frame.accuracy if frame.accuracy >= 0 else None


def _accuracy(context: Context, index: int, frame: Frame) -> float | None:
    """Return the test accuracy, or the training accuracy where no point is kept back for testing."""
    tested = measured_on(context.document) is not None
    return score(context, index) if tested else _training_accuracy(context, index, frame)


def _validation_accuracy(context: Context, index: int, frame: Frame) -> float | None:
    """Return the mean accuracy of the cross-validation in the panel Evaluation; None while it is incomplete."""
    asked = validation_of(context.document, context.session, index)
    answer = context.results.answer(f"validated{context.document.slots[index]}")
    if asked is None or answer is None or answer.query != asked or not answer.done or answer.value is None:
        return None
    return float(answer.value.mean)


def _steps(context: Context, index: int, frame: Frame) -> float:
    """Return the number of steps; NaN if the training started from the multipliers of another one."""
    run = frame.run_state
    goes_on = run is not None and "dual" in run.trace.names and abs(run.trace.at("dual", 0)[0]) > 1e-9
    return math.nan if goes_on else float(sum(each.n_iter for each in frame.certificates))


def _has_multipliers(document: Document, index: int) -> bool:
    trainer = document.lanes[index].trainer
    return trainer is not None and trainer.has_multipliers


#: Quantities by their names; longer names first, since the first match counts.
QUANTITIES = {
    "test accuracy": Quantity(
        "a test accuracy", "share", _accuracy, Cover.TEST, (), lambda document, _: measured_on(document) is not None
    ),
    "training accuracy": Quantity("a training accuracy", "share", _training_accuracy),
    "validation accuracy": Quantity("a validation accuracy", "share", _validation_accuracy),
    "accuracy": Quantity("an accuracy", "share", _accuracy, Cover.NUMBERS),
    "margin": Quantity(
        "a margin",
        "size",
        lambda context, index, frame: margin_of(frame) if frame.ended else math.nan,
        applies=lambda document, index: document.lanes[index].trainer is not None,
    ),
    "support vectors": Quantity(
        "support vectors",
        "count",
        lambda context, index, frame: (
            sum(each.n_free + each.n_bounded for each in frame.certificates) if frame.ended else math.nan
        ),
        other_words=("support vector",),
        applies=_has_multipliers,
    ),
    "steps": Quantity(
        "steps",
        "count",
        _steps,
        other_words=("step",),
        applies=lambda document, index: document.lanes[index].trainer is not None,
    ),
    "wrong points": Quantity(
        "wrong points",
        "count",
        lambda context, index, frame: len(frame.marks.wrong) if frame.accuracy >= 0 else None,
        other_words=("wrong point", "points wrong", "point wrong", "wrong"),
    ),
    "points": Quantity("points", "count", lambda *_: None, Cover.NOTHING, ("point",)),
    # Agreement is that of the first picture.
    "agreement": Quantity(
        "a picture to be compared",
        "share",
        lambda context, index, frame: matching.share(context),
        applies=lambda document, index: not index,
    ),
}
_NAMES = {word: name for name, quantity in QUANTITIES.items() for word in (name, *quantity.other_words)}
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "above": operator.gt,
    "over": operator.gt,
    "more than": operator.gt,
    ">": operator.gt,
    "at least": operator.ge,
    "≥": operator.ge,
    ">=": operator.ge,
    "below": operator.lt,
    "under": operator.lt,
    "fewer than": operator.lt,
    "less than": operator.lt,
    "<": operator.lt,
    "at most": operator.le,
    "≤": operator.le,
    "<=": operator.le,
    "exactly": operator.eq,
}
#: Both, all, or the number of a classifier, from 1.
_WHO = r"(?P<who>both|all|(?:classifier )?[1-9])"
_WHAT = f"(?P<what>{'|'.join(_NAMES)})"
_HOW = f"(?P<how>{'|'.join(sorted(map(re.escape, COMPARISONS), key=len, reverse=True))})"
_NUMBER = r"(?P<number>\d{1,12}(?:\.\d{1,12})?) ?(?P<percent>%?)"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"{_WHAT}(?: of {_WHO})? ?{_HOW} ?{_NUMBER}",  # test accuracy of both above 90 %
        rf"{_WHO} ?{_HOW} ?{_NUMBER}",  # both above 95 %
        rf"{_HOW} ?{_NUMBER} {_WHAT}(?: (?:of|in|for) {_WHO})?",  # at most 5 support vectors
    )
)
_UNKNOWN = (
    "the goal “{}” is not understood; write it as “both above 95 %”, “margin above 0.5” or “at most 5 support vectors”."
)


class Clause(Struct, frozen=True):
    """One condition of a goal.

    Attributes
    ----------
    what : str
        Key of `QUANTITIES`.
    lanes : tuple of int or None
        Indices of the classifiers; None: all that have the quantity.
    how : str
        Key of `COMPARISONS`.
    number : float
        The limit; for accuracies a share.
    """

    what: str
    lanes: tuple[int, ...] | None
    how: str
    number: float

    @property
    def quantity(self) -> Quantity:
        """What is measured."""
        return QUANTITIES[self.what]

    def holds(self, value: float) -> bool:
        """Whether a value fulfils the condition."""
        return COMPARISONS[self.how](value, self.number)


class Reached(NamedTuple):
    """Whether a goal is reached (None while that is unknown), and a sentence about it."""

    reached: bool | None
    text: str


@lru_cache(maxsize=256)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the conditions of a goal; raise ValueError with a sentence if it is not understood."""
    words = " ".join(text.lower().replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ").split())
    parts = re.split(r"(?:,| and |;)\s*", words.rstrip("."))
    return tuple(_clause(part.strip(), text) for part in parts)


def _clause(part: str, text: str) -> Clause:
    found = next((match for form in _FORMS if (match := form.fullmatch(part))), None)
    if found is None:
        raise ValueError(_UNKNOWN.format(text))
    texts = found.groupdict()
    what, number = _NAMES[texts.get("what") or "accuracy"], float(texts["number"])
    unit = QUANTITIES[what].unit
    if (unit == "share") != bool(texts["percent"]):
        wanted = "is a share, such as 95 %" if unit == "share" else "is no share: leave the % out"
        raise ValueError(f"the goal “{text}”: {what} {wanted}.")
    if unit == "count" and not number.is_integer():
        raise ValueError(f"the goal “{text}”: the number of {what} is a whole number.")
    most = 1e12
    if unit == "share":
        number, most = round(number / 100, 12), 1.0
    clause = Clause(what, _lane_indices(texts.get("who")), texts["how"], number)
    if not any(
        clause.holds(value) for value in (0.0, number, number - 1e-6, number + 1e-6, most) if 0 <= value <= most
    ):
        raise ValueError(f"the goal “{text}” can never be reached.")
    return clause


def _lane_indices(lanes: str | None) -> tuple[int, ...] | None:
    if lanes is None or lanes == "all":
        return None
    return (0, 1) if lanes == "both" else (int(lanes[-1]) - 1,)


def fault(goal: str, document: Document | None, can_change: bool) -> str:
    """Return why a goal is not understood, or cannot be checked on the classifiers of `document`; "" if it can.

    `can_change` tells whether the student may choose other classifiers.
    """
    try:
        asked = clauses(goal)
    except ValueError as error:
        return str(error)
    if document is None:
        return ""
    for clause in asked:
        indices = clause.lanes or tuple(range(document.shown))
        if max(indices) >= document.shown:
            return f"the goal “{goal}” asks for classifier {max(indices) + 1}, but there are {document.shown} here."
        if len(indices) == 2 and clause.lanes and document.shown > 2:
            return f"the goal “{goal}”: there are {document.shown} classifiers, so say “all”, or which."
        able = [_applies(clause, document, index) for index in indices]
        if not can_change and not (all(able) if clause.lanes else any(able)):
            return f"the goal “{goal}”: no classifier that is meant has {clause.quantity.noun}."
    return ""


def _applies(clause: Clause, document: Document, index: int) -> bool:
    """Return whether the classifier at `index` has the number that is asked for."""
    if clause.what == "points":
        return True
    return not document.lanes[index].is_difference and clause.quantity.applies(document, index)


def _readable(text: str) -> tuple[Clause, ...]:
    """Return the conditions of a goal; none if it cannot be read."""
    with suppress(ValueError):
        return clauses(text)
    return ()


def compares(text: str) -> bool:
    """Whether a goal asks for agreement with the hidden classifier of its step."""
    return any(clause.what == "agreement" for clause in _readable(text))


def reveals(text: str) -> Cover:
    """Return what a goal reveals while it is checked; nothing for a goal that cannot be read."""
    return reduce(operator.or_, (clause.quantity.reveals for clause in _readable(text)), Cover.NOTHING)


def sentence(goal: str, language: str) -> str:
    """Return a goal in the language of its lesson."""
    return ", ".join(_condition_text(clause, clause.what, clause.lanes or (), language) for clause in clauses(goal))


def _condition_text(clause: Clause, what: str, indices: Sequence[int], language: str) -> str:
    """Return a condition on the classifiers with these `indices`; none: they are not named."""
    counts, how, limit = clause.quantity.unit == "count", COMPARISONS[clause.how].__name__, round(clause.number)
    if len(indices) == 1:
        whose = say(language, "for_one", number=indices[0] + 1)
    else:
        whose = say(language, "for_both" if len(indices) == 2 else "for_all") if indices else ""
    number = grouped(limit) if counts else share_text(clause.number) if what != "margin" else full(clause.number)
    return say(
        language,
        "goal_count" if counts else "goal_size",
        what=say(language, f"{what.replace(' ', '_')}{'_1' if counts and limit == 1 else ''}"),
        whose=whose,
        how=say(language, f"count_{how}" if counts and how in ("gt", "lt") else how),
        number=numeral(language, number),
    )


def check(goal: str, context: Context, language: str = ENGLISH) -> Reached:
    """Return whether the results reach the goal."""
    document = context.document
    asked = [(clause, _values(clause, context)) for clause in clauses(goal)]
    if not all(values for _, values in asked):
        return Reached(False, say(language, "goal_none", goal=sentence(goal, language)))
    if all(value is not None for _, values in asked for value in values.values()):
        reached = all(clause.holds(value) for clause, values in asked for value in values.values() if value is not None)
        return Reached(reached, ", ".join(_now(clause, values, document, language) for clause, values in asked))
    frames = [context.results.frame(document.slots[index]) for index in range(document.shown)]
    waits = any(frame is not None and frame.phase is Phase.PAUSED for frame in frames)
    why = "goal_paused" if waits else "goal_training"
    if any(clause.what == "validation accuracy" for clause, _ in asked) and _is_off(context):
        why = "goal_validation"
    return Reached(None, say(language, why, goal=sentence(goal, language)))


def _values(clause: Clause, context: Context) -> dict[int, float | None]:
    """Return the number asked for of each classifier that is meant; {} if one of them has none."""
    document = context.document
    meant = (0,) if clause.what == "points" else clause.lanes or range(document.shown)
    able = [index for index in meant if index < document.shown and _applies(clause, document, index)]
    lacking = clause.lanes is not None and len(able) < len(meant)
    return {} if lacking else {index: _value(clause, context, index) for index in able}


def _value(clause: Clause, context: Context, index: int) -> float | None:
    """Return the number of the classifier at `index`; None while it is unknown, NaN if its training has none."""
    document = context.document
    if clause.what == "points":
        return len(document.points)
    frame = context.results.frame(document.slots[index])
    if frame is None or context.session.drawing or not is_present(document, index, frame):
        return None
    if frame.phase in (Phase.EMPTY, Phase.FAILED):
        return math.nan
    if frame.phase is not Phase.DONE or frame.model is None:
        return None
    return clause.quantity.value(context, index, frame)


def _now(clause: Clause, values: dict[int, float | None], document: Document, language: str) -> str:
    """Return a condition, with the numbers now."""
    what = clause.what
    if what == "accuracy":
        what = "test accuracy" if measured_on(document) is not None else "training accuracy"
    named = list(values) if clause.lanes or len(values) > 1 else ()
    words = (_value_text(clause, value, language) for value in values.values() if value is not None)
    goal = _condition_text(clause, what, named, language)
    return say(language, "goal_now", goal=goal, now=say(language, "and").join(words))


def _value_text(clause: Clause, value: float, language: str) -> str:
    if math.isnan(value):
        return say(language, "restart" if clause.what == "steps" else "none")
    if clause.quantity.unit == "share":
        return share_in(language, value)
    return numeral(language, short(value)) if clause.what == "margin" else grouped(int(value))


def _is_off(context: Context) -> bool:
    """Whether nothing is cross-validated."""
    off = context.session.of(EvaluationSession).validation.kind == "none"
    return off or PANEL not in context.session.open_panels


def margin_of(frame: Frame) -> float:
    """Return the distance between the margins of the displayed problem: 2/||w||, for a kernel in its feature space.

    A perceptron has no margins: its value is twice the distance of the nearest point from its line, 0 if the line does
    not separate the classes.
    """
    run, model = frame.run_state, frame.model
    if run is None or model is None or model.kind != "f":
        return math.nan
    if run.alpha is not None:
        squared = float((run.alpha * run.y) @ (run.f - run.intercept))
    else:
        w = model.plane_weights[shown_pair(model, frame.lane)]
        squared = float(w @ w)
    if not squared > 0:
        return math.nan
    if run.trainer.has_margins:
        return 2.0 / math.sqrt(squared)
    return max(0.0, 2.0 * float(np.min(run.y * run.f)) / math.sqrt(squared))
