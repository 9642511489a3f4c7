"""Making: turn a document into a challenge, the Markdown of a lesson with one step.

The step has the document as the picture to be found, and begins with the same document without the values of some
settings, without the classes of some points, or with very few points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from app.core.number_format import short
from app.core.plain_text import listed, plain, plain_line
from app.core.points import MAX_CLASSES, Ids, Points
from app.exchange import lesson_text, share_text
from app.features.lessons.matching import HINT_AFTER, Hidden, Regions, RegionsQuery, square
from app.features.lessons.parts import LONGEST_SENTENCE, LONGEST_TITLE
from app.features.what_if.scene import StateSide
from app.files.documents import FileError
from app.learners.fields import Field
from app.state.document import ClassStyle, Document, Lane
from app.state.split import NO_SPLIT

Kind = Literal["settings", "labels", "few"]
#: Default share of the view that must agree (per cent), by the kind of challenge.
SHARES: dict[Kind, int] = {"settings": 99, "labels": 98, "few": 95}
#: Style of the points without a class: they form a class of their own.
UNKNOWN = ClassStyle("?", "#808080")
#: Start values of a hidden setting if its default is the value to be found.
BEGIN = (1, 10, 0.1, 100, 25)
#: Largest number of starts that are tried until one is not solved already.
MOST_WAYS = 5
TEXT = {
    "settings": "Set {names} so that the boundary of your classifier runs along the blue dashed line.",
    "labels": "The grey points are of a class that you are to find. Give each its class, with the Relabel tool, so that"
    " the boundary runs along the blue dashed line. No point is added or removed.",
    "few": "Set as few points as you can, so that the boundary runs along the blue dashed line. One point of each class"
    " is there already.",
}
HINTS = {
    "labels": "The grey points: {}.",
    "few": "Points near the blue dashed line decide, and two of different classes pull the boundary to their middle.",
}


class Challenge(Struct, frozen=True, eq=False):
    """What is to be found in the picture of one classifier.

    Attributes
    ----------
    kind : str
    lane : int
        Index of the classifier.
    hidden : tuple of str
        Names of the hidden settings; for the kind "settings".
    points : ndarray of int64
        Ids of the points whose classes are hidden; for the kind "labels"; empty: all points.
    most : int
        Largest number of points in a solution; for the kind "few".
    share : int
        Share of the view that must agree (per cent).
    title, hint : str
        Written automatically if empty.
    """

    kind: Kind
    lane: int = 0
    hidden: tuple[str, ...] = ()
    points: Ids = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    most: int = 10
    share: int = 95
    title: str = ""
    hint: str = ""


def hideable(document: Document, lane: int) -> list[Field]:
    """Return the settings of classifier `lane` that a challenge can hide."""
    shown = document.lanes[lane]
    return [
        each
        for each in shown.family.fields
        if each.simple
        and each.kind in ("choice", "slider", "integer")
        and each.shown(shown.settings, document.training_points.classes)
    ]


def markdown(document: Document, challenge: Challenge, pause: Callable[[], object] = lambda: None) -> str:
    """Return the lesson; raise FileError with one sentence if the document cannot become this challenge.

    Both classifiers are trained, to refuse a challenge that is solved from the start; ``pause()`` is called meanwhile.
    """
    if not len(document.training_points):
        raise FileError("There are no points, so there is no picture to find.")
    if document.lanes[challenge.lane].is_difference:
        raise FileError("A difference has no picture of its own to find.")
    whole = _alone(document, challenge.lane)
    starts = (each for each in _starts(whole, challenge) if 100 * _agreeing(each, whole, pause) < challenge.share)
    begun = next(starts, None)
    if begun is None:
        raise FileError("This is solved before anything is done: hide more, or have more of the view agree.")
    title = plain_line(challenge.title)[:LONGEST_TITLE].strip("# ") or "Find the classifier"
    names = listed([each.called for each in hideable(whole, 0) if each.name in challenge.hidden])
    text = TEXT[challenge.kind].format(names=names)
    fields = [
        f"start: {share_text.encode(begun)}",
        f"match: {share_text.encode(whole)}",
        f"show: {', '.join(challenge.hidden) if challenge.kind == 'settings' else 'tools, classes'}",
        f"hint: {plain_line(challenge.hint)[:LONGEST_SENTENCE] or hint_of(document, challenge)}",
        f"goal: agreement at least {challenge.share} %{_number(begun, challenge)}",
    ]
    after = f"A hint can be unfolded after {HINT_AFTER} changes."
    return "\n".join(
        ["---", f"title: {title}", "minutes: 5", "---", "", f"# {title}", *fields, "", f"{text}  {after}", ""]
    )


def _agreeing(begun: Document, whole: Document, pause: Callable[[], object]) -> float:
    """Return the share of the view on which the two pictures agree; 0 if the first has none."""
    found: list[Regions] = []
    for document in (whole, begun):
        side = StateSide(document.training_points, document.lanes[0], None)
        try:
            for _ in RegionsQuery(Hidden(side, square(whole.view))).answer(found.append, lambda: False):
                pause()
        except ValueError as error:
            if document is whole:
                raise FileError(f"There is no picture to find: {error}") from None
            return 0.0
    return float((found[0].classes == found[1].classes).mean())


def encode(document: Document, challenge: Challenge, pause: Callable[[], object] = lambda: None) -> str:
    """Return the challenge as a text; parameters and errors as for `markdown`."""
    return lesson_text.encode(markdown(document, challenge, pause))


def hint_of(document: Document, challenge: Challenge) -> str:
    """Return the automatic hint."""
    if challenge.kind == "settings":
        lane = document.lanes[challenge.lane]
        chosen = [each for each in hideable(document, challenge.lane) if each.name in challenge.hidden]
        return f"{'; '.join(_near(each, lane) for each in chosen)}."
    if challenge.kind == "few":
        return HINTS["few"]
    labels = document.points.labels[_chosen(document, challenge)]
    counts = [f"{np.count_nonzero(labels == c)} of {plain(document.class_name(int(c)))}" for c in np.unique(labels)]
    return HINTS["labels"].format(listed(counts))


def _near(field: Field, lane: Lane) -> str:
    """Return a rough description of the value of a setting."""
    value = field.value(lane.settings)
    if field.choices:
        texts = {entry: text for text, entry, _ in field.choices}
        others = [text for entry, text in texts.items() if entry != value]
        return f"{field.called}: {' or '.join(sorted((texts[value], others[0])))}"
    if math.isinf(value):
        return f"{field.called} is larger than 10"
    low, high = (max(1, value // 2), 2 * value) if field.is_whole else (value / 3, value * 3)
    return f"{field.called} lies between {short(low)} and {short(high)}"


# -- the start of a challenge ------------------------------------------------------------------------------------------


def _alone(document: Document, lane: int) -> Document:
    """Return the document with this classifier only."""
    return replace(document, lanes=(document.lanes[lane],), shown=1, compared=(0, 0), notes="", attached=())


def _starts(document: Document, challenge: Challenge) -> Iterator[Document]:
    """Yield possible starts of the challenge, the best first."""
    if challenge.kind == "few":
        yield _with_few(document, challenge)
    elif challenge.kind == "labels":
        yield _without_labels(document, challenge)
    else:
        chosen = [each for each in hideable(document, 0) if each.name in challenge.hidden]
        if not chosen:
            raise FileError("Choose at least one setting to be found.")
        ways = [_beginnings(each, document.lanes[0]) for each in chosen]
        for way in range(MOST_WAYS):
            lane = document.lanes[0]
            for hidden, values in zip(chosen, ways, strict=True):
                value = values[way % len(values)]
                lane = lane.with_part(lane.classifier, msgspec.structs.replace(lane.settings, **hidden.values(value)))
            yield replace(document, lanes=(lane,))


def _beginnings(hidden: Field, lane: Lane) -> list[Any]:
    """Return possible start values of a hidden setting, without the value to be found."""
    default, sought = hidden.value(type(lane.settings)()), hidden.value(lane.settings)
    if hidden.limits is None:
        values = [default, *(entry for _, entry, _ in hidden.choices)]
    else:
        low, high = hidden.limits.least, hidden.limits.most
        able = [each for each in BEGIN if low <= each <= high and not (hidden.is_whole and each % 1)]
        values = [default, *(int(each) if hidden.is_whole else float(each) for each in able)]
    return [each for each in values if each != sought]


def _chosen(document: Document, challenge: Challenge) -> Sequence[int]:
    """Return the indices of the points whose classes are hidden."""
    index = document.points.indices_of(challenge.points)
    return index.tolist() if len(index) else range(len(document.points))


def _without_labels(document: Document, challenge: Challenge) -> Document:
    points = document.points
    unknown = max(points.classes) + 1
    if unknown >= MAX_CLASSES:
        raise FileError(f"There may be at most {MAX_CLASSES - 1} classes: grey points are one more.")
    labels = points.labels.copy()
    labels[_chosen(document, challenge)] = unknown
    styles = list(document.styles)
    styles[unknown] = UNKNOWN
    changed = Points.of(points.xy, labels, points.ids)
    return replace(document, points=changed, styles=tuple(styles), origin=None)


def _with_few(document: Document, challenge: Challenge) -> Document:
    labels = document.training_points.labels
    first = [int(np.argmax(labels == c)) for c in np.unique(labels)]
    if challenge.most < len(first):
        raise FileError(f"There is one point of each class already, so allow at least {len(first)}.")
    few = document.training_points
    return replace(document, points=Points.of(few.xy[first], few.labels[first]), origin=None, split=NO_SPLIT)


def _number(begun: Document, challenge: Challenge) -> str:
    """Return the condition of the goal on the number of points."""
    if challenge.kind == "labels":
        return f" and exactly {len(begun.points)} points"
    return f" and at most {challenge.most} points" if challenge.kind == "few" else ""
