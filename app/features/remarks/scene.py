"""The table of remarks, and where they are read: the status line, its tip and the settings; no Qt.

Each row has a condition, which is computed from the model and the data, a few words with their sign, and a sentence.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from app.core.number_format import count, grouped, percent, short
from app.engine.frames import Frame, Phase
from app.engine.query import LaneQuestion, Query
from app.scene import text
from app.scene.model import Context, is_present
from app.scene.status_badge import StatusPart, Try
from solver.core import fast_loops
from solver.core.certificate import Status

from .diagnosis import Diagnosis, Facts

#: Shares of tied training points, and of those at their bound C, from which they are worth a remark.
TIED, BOUNDED = 0.1, 0.9


class Row(Struct, frozen=True):
    """One remark, by functions of a lane's newest frame and of the facts about it, which are missing until its end.

    Attributes
    ----------
    words : str
        A few words, after the sign "!" for something to change, or "i" for something to know.
    applies, sentence : callable
        The condition, or None if the diagnosis tries a value and that must do better; and the sentence if it holds.
    tries : callable
        Values to try, beside those that the diagnosis has tried.
    """

    words: str
    applies: Callable[[Frame, Facts], bool] | None
    sentence: Callable[[Frame, Facts], str]
    tries: Callable[[Frame, Facts], tuple[Try, ...]] = lambda frame, facts: ()


def _idle(frame: Frame, facts: Facts) -> int:
    """Return the number of points on the margin with alpha = 0, in the picture and in an exact training."""
    return len(np.setdiff1d(facts["on margin"], np.concatenate((frame.marks.free, frame.marks.bounded))))


#: The remarks by name, those first that are more urgent.
ROWS = {
    "one class": Row(
        "i one class",
        lambda frame, facts: len(frame.points.classes) == 1 and frame.model is not None,
        lambda frame, facts: "All points are of one class: so is the prediction everywhere.",
    ),
    "all tied": Row(
        "! all tied",
        lambda frame, facts: text.is_all_tied(frame),
        lambda frame, facts: frame.lane.family.all_tied(frame.lane.settings),
    ),
    "few points": Row(
        "! all points vote",
        lambda frame, facts: (
            frame.neighbours is not None
            and len(frame.points.classes) > 1
            and getattr(frame.lane.settings, "n_neighbors", 0) >= len(frame.points)
        ),
        lambda frame, facts: (
            f"k = {grouped(frame.lane.settings.n_neighbors)} of {count(len(frame.points), 'point')}: all of them vote"
            " everywhere."
        ),
        lambda frame, facts: (("Set k to 1", frame.lane.with_value(frame.lane.family.field("k"), 1)),),
    ),
    "constant": Row(
        "! C too small",
        None,
        lambda frame, facts: (
            "C is so small that all points of the smaller class are at their bound and f is nearly constant: the larger"
            " class wins everywhere.  Weights 'balanced' or a larger C give a boundary."
        ),
    ),
    "outvoted": Row(
        "! outvoted",
        None,
        lambda frame, facts: (
            "All points of the smaller class are at their bound, and the larger class wins everywhere.  Weights"
            " 'balanced' make errors on the smaller class cost more."
        ),
    ),
    "straight": Row(
        "! not by a line", None, lambda frame, facts: "A line separates these classes badly: the RBF kernel can bend."
    ),
    "axes": Row(
        "! unequal axes",
        None,
        lambda frame, facts: (
            f"Along {'x' if facts['ratio'] > 1.0 else 'y'} the points spread"
            f" {short(max(facts['ratio'], 1.0 / facts['ratio']), 2)} times as far as along the other axis, which hardly"
            f" counts in distances."
        ),
    ),
    "large gamma": Row(
        "! γ too large",
        None,
        lambda frame, facts: (
            f"γ = {short(frame.lane.settings.gamma)} is too large for these points: K is {percent(facts['alike near'])}"
            f" at the nearest neighbour of a typical one, {facts['near']} away, and {percent(facts['alike far'])} at a"
            f" typical other one, {facts['far']} away."
        ),
    ),
    "small gamma": Row(
        "! γ too small",
        None,
        lambda frame, facts: (
            f"γ = {short(frame.lane.settings.gamma)} is too small for these points: a typical other one is"
            f" {facts['far']} away, where K is still {percent(facts['alike far'])}, and f hardly bends."
        ),
    ),
    "bounded": Row(
        "i nearly all at C",
        lambda frame, facts: (
            frame.ended
            and len(frame.marks.bounded) >= BOUNDED * len(frame.points)
            and not {"constant", "outvoted"} & facts["tried"].keys()
        ),
        lambda frame, facts: (
            f"{percent(len(frame.marks.bounded) / len(frame.points))} of the points are at their bound C: inside the"
            " margin or on the wrong side."
        ),
    ),
    "tied": Row(
        "i many ties",
        lambda frame, facts: len(frame.marks.tied) > TIED * len(frame.points) and not text.is_all_tied(frame),
        lambda frame, facts: f"{percent(len(frame.marks.tied) / len(frame.points))} of the training points tie.",
    ),
    "clashing": Row(
        "i equal points",
        lambda frame, facts: facts.get("clashing", 0) > 0,
        lambda frame, facts: (
            f"{grouped(facts['clashing'])} points share a location with a point of another class: no boundary is right"
            " about all of them."
        ),
    ),
    "stationary": Row(
        "i only stationary",
        lambda frame, facts: any(each.status is Status.STATIONARY for each in frame.certificates),
        lambda frame, facts: (
            "This kernel is not positive semidefinite, so the dual can have several stationary points: no small step"
            " improves this one, but another may be better."
        ),
    ),
    "spare copies": Row(
        "i spare copies",
        lambda frame, facts: facts.get("spare", 0) > 0,
        lambda frame, facts: f"Copies of support vectors with α < C: {facts['spare']}.  Without them nothing moves.",
    ),
    "pulling copies": Row(
        "i copies that pull",
        lambda frame, facts: facts.get("pulling", 0) > 0,
        lambda frame, facts: (
            f"Copies of support vectors with α = C: {grouped(facts['pulling'])}.  Together with these they pull with"
            " more than C, and without them f moves."
        ),
    ),
    "other optima": Row(
        "i α not unique",
        lambda frame, facts: frame.run_state is not None and bool(frame.run_state.ranges),
        lambda frame, facts: text.alpha_remark(frame),
    ),
    "on margin": Row(
        "i on the margin, α = 0",
        lambda frame, facts: "on margin" in facts and _idle(frame, facts) > 0,
        lambda frame, facts: (
            f"{count(_idle(frame, facts), 'point')} on the margin with α = 0: leave any out, and nothing moves, as What"
            " if (W) shows."
        ),
    ),
    "test copies": Row(
        "! copies in the test set",
        lambda frame, facts: facts.get("copies", 0) > 0,
        lambda frame, facts: text.copies_words(facts["copies"], facts["n test"]),
    ),
    "more steps": Row(
        "i more steps",
        lambda frame, facts: (
            hasattr(frame.lane.settings, "n_iter")
            and frame.phase is Phase.DONE
            and any(each.status is not Status.OPTIMAL for each in frame.certificates)
        ),
        lambda frame, facts: f"{frame.lane.family.verdict(frame.certificates, frame.lane.settings).text}.",
        lambda frame, facts: (
            ("Set the most steps", frame.lane.with_value(frame.lane.family.field("steps"), 10_000_000)),
        ),
    ),
    "hatched": Row(
        "i hatched",
        lambda frame, facts: frame.provisional,
        lambda frame, facts: "Hatched: the training has not ended, and nothing is certified yet.",
    ),
}


def _diagnosis(context: Context, index: int) -> Diagnosis:
    return Diagnosis(context.document.lanes[index], context.document.training_points, context.document.test_points)


def queries(context: Context) -> dict[str, Query]:
    """Return the diagnosis of each finished training, while nothing is dragged."""
    document, asked = context.document, dict[str, Query]()
    for index, slot in enumerate(document.slots[: document.shown * (not context.session.drawing)]):
        frame = context.results.frame(slot)
        if frame is not None and frame.ended and is_present(document, index, frame) and fast_loops.ready():
            asked[LaneQuestion("diagnosis", slot)] = _diagnosis(context, index)
    return asked


def status(context: Context, index: int) -> tuple[StatusPart, ...]:
    """Return the remarks on the lane at `index`, in the order of the table; the first one has words in the line."""
    slot, parts = context.document.slots[index], list[StatusPart]()
    frame, answer = context.results.frame(slot), context.results.answer(f"diagnosis{slot}")
    if frame is None or frame.cover or not is_present(context.document, index, frame):
        return ()
    facts: Facts = (answer and answer.query == _diagnosis(context, index) and answer.value) or {"tried": {}}
    for name, row in ROWS.items():
        if name in facts["tried"] or (row.applies is not None and row.applies(frame, facts)):
            tries, score = facts["tried"].get(name, (row.tries(frame, facts), ""))
            parts.append(
                StatusPart("" if parts else row.words, row.sentence(frame, facts) + score, aside=True, tries=tries)
            )
    return tuple(parts)
