"""Goals: read a goal from a few words, and check whether the results reach it."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
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

Quantity = Literal[
    "accuracy",
    "test accuracy",
    "training accuracy",
    "validation accuracy",
    "margin",
    "support vectors",
    "steps",
    "wrong points",
    "points",
    "agreement",
]
#: Quantities by their names; longer names first, since the first match counts.
QUANTITIES: dict[str, Quantity] = {
    "test accuracy": "test accuracy",
    "training accuracy": "training accuracy",
    "validation accuracy": "validation accuracy",
    "accuracy": "accuracy",
    "margin": "margin",
    "support vectors": "support vectors",
    "support vector": "support vectors",
    "steps": "steps",
    "step": "steps",
    "wrong points": "wrong points",
    "wrong point": "wrong points",
    "points wrong": "wrong points",
    "point wrong": "wrong points",
    "wrong": "wrong points",
    "points": "points",
    "point": "points",
    "agreement": "agreement",
}
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
ACCURACIES = ("accuracy", "test accuracy", "training accuracy", "validation accuracy")
#: Quantities given as percentages.
SHARES = (*ACCURACIES, "agreement")
#: Quantities that are whole numbers.
COUNTS = ("support vectors", "steps", "wrong points", "points")
#: Both, all, or the number of a classifier, from 1.
_WHO = r"(?P<who>both|all|(?:classifier )?[1-9])"
_WHAT = f"(?P<what>{'|'.join(QUANTITIES)})"
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
    lanes : tuple of int or None
        Indices of the classifiers; None: all that have the quantity.
    how : str
        Key of `COMPARISONS`.
    number : float
        The limit; for accuracies a share.
    """

    what: Quantity
    lanes: tuple[int, ...] | None
    how: str
    number: float

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
    what = QUANTITIES[texts.get("what") or "accuracy"]
    number = float(texts["number"])
    if (what in SHARES) != bool(texts["percent"]):
        unit = "is a share, such as 95 %" if what in SHARES else "is no share: leave the % out"
        raise ValueError(f"the goal “{text}”: {what} {unit}.")
    if what in SHARES:
        number = round(number / 100, 12)
    elif what in COUNTS and not number.is_integer():
        raise ValueError(f"the goal “{text}”: the number of {what} is a whole number.")
    clause = Clause(what, _lane_indices(texts.get("who")), texts["how"], number)
    most = 1.0 if what in SHARES else 1e12
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
        able = [_applies(clause.what, document, index) for index in indices]
        if not can_change and not (all(able) if clause.lanes else any(able)):
            return f"the goal “{goal}”: no classifier that is meant has {_NOUNS[clause.what]}."
    return ""


_NOUNS: dict[Quantity, str] = {
    "accuracy": "an accuracy",
    "test accuracy": "a test accuracy",
    "training accuracy": "a training accuracy",
    "validation accuracy": "a validation accuracy",
    "margin": "a margin",
    "support vectors": "support vectors",
    "steps": "steps",
    "wrong points": "wrong points",
    "points": "points",
    "agreement": "a picture to be compared",
}


def _applies(what: Quantity, document: Document, index: int) -> bool:
    """Return whether the classifier at `index` has such a number."""
    lane = document.lanes[index]
    if what == "points":
        return True
    if what == "agreement" and index:  # agreement is that of the first picture
        return False
    if lane.is_difference:
        return False
    if what == "test accuracy":
        return measured_on(document) is not None
    if what == "support vectors":
        return lane.trainer is not None and lane.trainer.has_multipliers
    return what not in ("margin", "steps") or lane.trainer is not None


def compares(text: str) -> bool:
    """Whether a goal asks for agreement with the hidden classifier of its step."""
    try:
        return any(clause.what == "agreement" for clause in clauses(text))
    except ValueError:
        return False


def reveals(text: str) -> Cover:
    """Return what a goal reveals while it is checked; nothing for a goal that cannot be read."""
    try:
        asked = {clause.what for clause in clauses(text)}
    except ValueError:
        return Cover.NOTHING
    test = Cover.TEST if asked & {"accuracy", "test accuracy"} else Cover.NOTHING
    return test | (Cover.TRAINING if asked - {"points", "test accuracy"} else Cover.NOTHING)


def sentence(goal: str, language: str) -> str:
    """Return a goal in the language of its lesson."""
    return ", ".join(_condition_text(clause, clause.what, clause.lanes or (), language) for clause in clauses(goal))


def _condition_text(clause: Clause, what: str, indices: Sequence[int], language: str) -> str:
    """Return a condition on the classifiers with these `indices`; none: they are not named."""
    counts, how, limit = clause.what in COUNTS, COMPARISONS[clause.how].__name__, round(clause.number)
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
    texts, known, reached = [], True, True
    for clause in clauses(goal):
        wanted = (0,) if clause.what == "points" else clause.lanes or range(document.shown)
        indices = [index for index in wanted if index < document.shown and _applies(clause.what, document, index)]
        if len(indices) < (1 if clause.lanes is None else len(wanted)):
            return Reached(False, say(language, "goal_none", goal=sentence(goal, language)))
        numbers = [_number(clause.what, context, index) for index in indices]
        values = [number for number in numbers if number is not None]
        known &= len(values) == len(numbers)
        reached &= all(clause.holds(value) for value in values)
        what: str = clause.what
        if what == "accuracy":
            what = "test accuracy" if measured_on(document) is not None else "training accuracy"
        named = indices if clause.lanes or len(indices) > 1 else ()
        now = say(language, "and").join(_value(clause.what, value, language) for value in values)
        texts.append(say(language, "goal_now", goal=_condition_text(clause, what, named, language), now=now))
    if known:
        return Reached(reached, ", ".join(texts))
    frames = [context.results.frame(document.slots[index]) for index in range(document.shown)]
    waits = any(frame is not None and frame.phase is Phase.PAUSED for frame in frames)
    why = "goal_paused" if waits else "goal_training"
    if any(clause.what == "validation accuracy" for clause in clauses(goal)) and _is_off(context):
        why = "goal_validation"
    return Reached(None, say(language, why, goal=sentence(goal, language)))


def _value(what: Quantity, value: float, language: str) -> str:
    if math.isnan(value):
        return say(language, "restart" if what == "steps" else "none")
    if what in SHARES:
        return share_in(language, value)
    return numeral(language, short(value)) if what == "margin" else grouped(int(value))


def _number(what: Quantity, context: Context, index: int) -> float | None:
    """Return this quantity of the classifier at `index`; None while it is unknown, NaN if its training has none."""
    document = context.document
    if what == "points":
        return len(document.points)
    frame = context.results.frame(document.slots[index])
    if frame is None or context.session.drawing or not is_present(document, index, frame):
        return None
    if frame.phase in (Phase.EMPTY, Phase.FAILED):
        return math.nan
    if frame.phase is not Phase.DONE or frame.model is None:
        return None
    if what == "agreement":
        return matching.share(context)
    if what == "test accuracy" or (what == "accuracy" and measured_on(document) is not None):
        return score(context, index)
    if what == "validation accuracy":
        return _validated(context, index)
    if what in ("accuracy", "training accuracy", "wrong points"):
        if not frame.accuracy >= 0:
            return None
        return frame.accuracy if what != "wrong points" else len(frame.marks.wrong)
    if what == "steps":
        return math.nan if _goes_on(frame) else float(sum(each.n_iter for each in frame.certificates))
    if not frame.ended:
        return math.nan
    if what == "support vectors":
        return float(sum(each.n_free + each.n_bounded for each in frame.certificates))
    return margin_of(frame)


def _validated(context: Context, index: int) -> float | None:
    """Return the mean accuracy of the cross-validation in the panel Evaluation; None while it is incomplete."""
    asked = validation_of(context.document, context.session, index)
    answer = context.results.answer(f"validated{context.document.slots[index]}")
    if asked is None or answer is None or answer.query != asked or not answer.done or answer.value is None:
        return None
    return float(answer.value.mean)


def _is_off(context: Context) -> bool:
    """Whether nothing is cross-validated."""
    off = context.session.of(EvaluationSession).validation.kind == "none"
    return off or PANEL not in context.session.open_panels


def _goes_on(frame: Frame) -> bool:
    """Whether the training started from the multipliers of another one: the number of its steps is then meaningless."""
    run = frame.run_state
    return run is not None and "dual" in run.trace.names and abs(run.trace.at("dual", 0)[0]) > 1e-9


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
