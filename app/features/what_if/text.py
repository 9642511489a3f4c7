"""Wording of what-if: what changed in each lane, made from values; no Qt."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct

from app.core.number_format import grouped, percent, short, signed
from app.engine.frames import Frame, Phase
from app.engine.results import Results
from app.scene.model import Context, is_present
from app.state.document import Document, Lane
from app.state.session import Session

from .scene import Change, ChangeQuery, Facts, Removable, WhatIfSession, differs, removable, side_of

DISARMED = "Press W, or tick the box above, to keep the state before each edit; then delete, relabel or drag a point."
ARMED = "Delete, relabel or drag a point, or move a slider: the dashed line is the boundary before it."
SAME = "Not changed by the last edit."
#: Text of a number that is unknown.
NONE = "–"


class LaneWhatIf(Struct, frozen=True):
    """One lane in the panel.

    Attributes
    ----------
    title : str
    verdict : str
        In one sentence.
    rows : tuple of (str, str, str, str)
        Name, old, new, and the difference with its sign.
    provisional : bool
        The numbers belong to a training that is still running.
    removable, support : int
        Numbers of points that are no support vectors, and that are.
    note : str
        What to try, or why there is nothing to remove.
    has_vectors : bool
        Whether the classifier has support vectors, known or not.
    is_knn, has_idle : bool
        Whether the classifier is kNN, and whether some of its points may be idle.
    """

    title: str
    verdict: str
    rows: tuple[tuple[str, str, str, str], ...] = ()
    provisional: bool = False
    removable: int = 0
    support: int = 0
    note: str = ""
    has_vectors: bool = False
    is_knn: bool = False
    has_idle: bool = False


def lane(context: Context, index: int) -> LaneWhatIf | None:
    """Return what is displayed of lane `index`; None while the panel is closed, and for a difference."""
    document, session, results = context.document, context.session, context.results
    if "whatif" not in session.open_panels or document.lanes[index].is_difference:
        return None
    lane, slot = document.lanes[index], document.slots[index]
    frame = results.frame(slot)
    can = removable(document, frame)
    verdict, rows, provisional = _state(document, session, results, slot, frame)
    note = (_missing(document, lane) or can.reason) if can.reason else _note(lane, can, frame)
    has_vectors = lane.trainer is not None and lane.trainer.has_multipliers
    return LaneWhatIf(
        lane.title,
        verdict,
        rows,
        provisional,
        len(can.ids),
        len(can.support),
        note,
        has_vectors,
        is_knn=frame is not None and frame.neighbours is not None and lane.trainer is None,
        has_idle=can.idle,
    )


def _missing(document: Document, lane: Lane) -> str:
    """Return what is missing for a training; "" if nothing is."""
    training = document.training_points
    if not len(training):
        return "There is nothing to learn from: paint some points."
    if len(training.classes) < lane.family.n_classes_needed:
        return "All points are of one class: paint some of a second one."
    return ""


def _note(lane: Lane, can: Removable, frame: Frame | None) -> str:
    if getattr(lane.settings, "class_weight", "") == "balanced":
        return "Balanced weights count the points: with others gone they change, and the boundary may move."
    if can.idle:
        return "An idle point can go, and no pixel in view changes class: the other points carry the picture."
    if not len(can.ids):
        return "Every point left is a support vector: delete one, and the boundary moves."
    certificates = () if frame is None else frame.certificates
    if any(each.n_free == 0 for each in certificates):
        return (
            "w depends on the support vectors alone. But if none of them is free, b is the middle of an interval that"
            " other points bound, too: without them the boundary may shift."
        )
    return "The boundary depends on the support vectors alone: all others can go. Then delete one support vector."


def _state(
    document: Document, session: Session, results: Results, slot: int, frame: Frame | None
) -> tuple[str, tuple[tuple[str, str, str, str], ...], bool]:
    baseline = session.of(WhatIfSession).baseline
    if baseline is None or not differs(baseline.document, document):
        return "", (), False
    old = side_of(baseline, slot)
    if old is None:
        return "There was no model before the last edit.", (), False
    if is_present(document, document.slots.index(slot), old):
        return SAME, (), False
    answer = results.answer(f"whatif{slot}")
    known = answer is not None and isinstance(answer.query, ChangeQuery) and answer.query.old == old
    if answer is None or not known or not isinstance(answer.value, Change):
        message = answer.message if answer is not None and known else ""
        return message or "Comparing…", (), True
    query, change = answer.query, answer.value
    assert isinstance(query, ChangeQuery)
    # Until the newest model has been compared, the numbers belong to an earlier one.
    present = frame is not None and query.new.model is frame.model and frame.ended
    provisional = not (present and query.new.finished)
    stopped = frame is not None and frame.phase is Phase.DONE and query.new.model is frame.model and provisional
    text = verdict(change, provisional, stopped)
    if change.new.n_free >= 0 and len(document.training_points.classes) > 2:
        text += " The numbers of the margin are those of the problem that is drawn."
    return text, rows(change), provisional


def verdict(change: Change, provisional: bool, stopped: bool = False) -> str:
    """Return what moved, in one sentence, with the numbers that show it."""
    grid, moved = f"{change.grid.width} × {change.grid.height} grid", percent(change.moved)
    if math.isnan(change.largest):
        size = f"another class at {moved} of a {grid}"
        text = f"Nothing moved: {size}." if change.nothing else f"Moved: {size}."
    else:
        size = f"largest change of f on a {grid}: {figure(change.largest)}"
        limit = f"below {short(change.tolerance)} is training tolerance"
        if change.nothing:
            text = f"Nothing moved: {size} ({limit})"
            text += f"; another class at {moved}, no more than half a pixel." if change.moved else "."
        elif change.within:
            text = f"f moved within training tolerance ({size}; {limit}), yet {moved} of its places change class."
        else:
            text = f"Moved: {size}; another class at {moved} of it."
    if not change.old.finished:
        text = f"The state before was not certified. {text}"
    if stopped:
        return f"Not certified, the training stopped early. {text}"
    return f"Provisional, the training goes on. {text}" if provisional else text


def rows(change: Change) -> tuple[tuple[str, str, str, str], ...]:
    """Return the numbers: name, old, new, difference."""
    old, new = change.old, change.new
    dual = f"Dual {'optimum' if old.finished and new.finished else 'value'} D(α)"
    points = grouped(old.n_points), grouped(new.n_points), _signed(new.n_points - old.n_points)
    lines = [
        ("Margin width 2/‖w‖", *_numbers(old.width, new.width)),
        (dual, *_numbers(old.dual, new.dual)),
        ("Training accuracy", *_shares(old.accuracy, new.accuracy)),
        ("Test accuracy", *_shares(old.test, new.test)),
        ("Training points", *points),
    ]
    found = [line for line in lines if line[1:3] != (NONE, NONE)]
    if old.n_free >= 0 and new.n_free >= 0:
        difference = new.n_free + new.n_bounded - old.n_free - old.n_bounded
        found.insert(1, ("Support vectors (free + bounded)", _vectors(old), _vectors(new), _signed(difference)))
    return tuple(found)


def _numbers(old: float, new: float) -> tuple[str, str, str]:
    same = abs(new - old) <= 1e-9 * max(abs(old), abs(new))
    return figure(old), figure(new), _signed(0.0 if same else new - old)


def _shares(old: float, new: float) -> tuple[str, str, str]:
    before, now = percent(old), percent(new)
    change = _signed(0.0 if abs(new - old) <= 1e-12 else new - old, percent).removesuffix("%").rstrip()
    return before, now, change if change in (NONE, "±0") else f"{change} points"


def figure(value: float) -> str:
    """Return a number in a few digits, with a true minus sign; "–" for none."""
    return signed(short(value) if value == 0 or not 0.001 <= abs(value) < 1000 else f"{value:.4g}")


def _signed(value: float, text: Callable[[float], str] = figure) -> str:
    if math.isnan(value):
        return NONE
    return f"{'+' if value > 0 else '−'}{text(abs(value))}" if value else "±0"


def _vectors(facts: Facts) -> str:
    return f"{facts.n_free + facts.n_bounded} ({facts.n_free} + {facts.n_bounded})"


def button(number: int) -> str:
    """Return the text of the button that removes this many points."""
    return "Remove all\nnon-support vectors" + (f" ({grouped(number)})" if number else "")
