"""The table of remarks, and where they are read: the status line, its tip and the settings; no Qt.

Each row has a condition, which is computed from the model and the data, a few words with their sign, and a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from app.core.number_format import count, grouped, percent, short
from app.engine.frames import Frame, Phase
from app.engine.query import Answer, LaneQuestion, Query
from app.scene import text
from app.scene.model import Context, is_present
from app.scene.status_badge import StatusPart, Try, change_of
from solver.core import fast_loops
from solver.core.certificate import Status

from .diagnosis import BOUNDED, Diagnosis, Facts

#: Share of tied training points from which they are worth a remark.
TIED = 0.1


class Row(Struct, frozen=True):
    """One remark, by functions of a lane's newest frame and of the facts about it, which are missing until its end.

    Attributes
    ----------
    words : str
        A few words, after the sign "!" for something to change, or "i" for something to know.
    applies, sentence : callable
        The condition, and the sentence if it holds.
    tries : callable
        Values to try, beside those that the diagnosis has tried.
    """

    words: str
    applies: Callable[[Frame, Facts], bool]
    sentence: Callable[[Frame, Facts], str]
    tries: Callable[[Frame, Facts], tuple[Try, ...]] = lambda frame, facts: ()


def _found(name: str) -> Callable[[Frame, Facts], bool]:
    return lambda frame, facts: name in facts.get("tried", {})


def _scored(facts: Facts, name: str) -> str:
    """Return the accuracies of what was tried for a row, as a sentence; "" if nothing did better."""
    values, now, then = facts.get("tried", {}).get(name, ((), 0.0, 0.0))
    after = "".join(f"“{change_of(each)}”" for each in values[:1])
    return f"  Balanced accuracy on points left out: {percent(now)}; {percent(then)} after {after}." if after else ""


def _even_k(frame: Frame) -> int:
    """Return k of a lane that is plain kNN, if it is even; else 0."""
    k = frame.lane.knn.n_neighbors if frame.lane.classifier == "knn" else 1
    return k if k % 2 == 0 else 0


def _away(frame: Frame, length: float) -> str:
    return f"{short(length)} away" + " (standardised)" * frame.lane.standardises


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
            frame.lane.classifier == "knn"
            and len(frame.points.classes) > 1
            and frame.lane.knn.n_neighbors >= len(frame.points)
        ),
        lambda frame, facts: (
            f"k = {grouped(frame.lane.knn.n_neighbors)} of {count(len(frame.points), 'point')}: all of them vote"
            " everywhere."
        ),
        lambda frame, facts: ({"part": "knn", "n_neighbors": 1 + 2 * (int(len(frame.points) ** 0.5) // 2)},),
    ),
    "constant": Row(
        "! C too small",
        _found("constant"),
        lambda frame, facts: (
            "C is so small that all points of the smaller class are at their bound and f is nearly constant: the larger"
            " class wins everywhere.  Weights 'balanced' or a larger C give a boundary."
        ),
    ),
    "outvoted": Row(
        "! outvoted",
        lambda frame, facts: "outvoted" in facts.get("tried", ()) and "constant" not in facts["tried"],
        lambda frame, facts: (
            "All points of the smaller class are at their bound, and the larger class wins everywhere, with a larger C,"
            " too.  Weights 'balanced' give a boundary."
        ),
    ),
    "straight": Row(
        "! not by a line",
        _found("straight"),
        lambda frame, facts: (
            "A line separates these classes badly: the RBF kernel can bend." + _scored(facts, "straight")
        ),
    ),
    "axes": Row(
        "! unequal axes",
        _found("axes"),
        lambda frame, facts: (
            f"Along {'x' if facts['ratio'] > 1.0 else 'y'} the points spread"
            f" {short(max(facts['ratio'], 1.0 / facts['ratio']), 2)} times as far as along the other axis, which hardly"
            f" counts in distances.{_scored(facts, 'axes')}"
        ),
    ),
    "large gamma": Row(
        "! γ too large",
        _found("large gamma"),
        lambda frame, facts: (
            f"γ = {short(frame.lane.svm.gamma)} is too large for these points: the nearest neighbour of a typical one"
            f" is {_away(frame, facts['near'])}, where K is only {percent(facts['alike near'])}: each is an island."
            f"{_scored(facts, 'large gamma')}"
        ),
    ),
    "small gamma": Row(
        "! γ too small",
        _found("small gamma"),
        lambda frame, facts: (
            f"γ = {short(frame.lane.svm.gamma)} is too small for these points: a typical other one is"
            f" {_away(frame, facts['far'])}, where K is still {percent(facts['alike far'])}, and f hardly bends."
            f"{_scored(facts, 'small gamma')}"
        ),
    ),
    "bounded": Row(
        "i nearly all at C",
        lambda frame, facts: facts.get("bounded", 0.0) >= BOUNDED and not {"constant", "outvoted"} & {*facts["tried"]},
        lambda frame, facts: (
            f"{percent(facts['bounded'])} of the points are at their bound C: inside the margin or on the wrong side."
            f"{_scored(facts, 'bounded')}"
        ),
    ),
    "tied": Row(
        "i many ties",
        lambda frame, facts: len(frame.marks.tied) > TIED * len(frame.points) and not text.is_all_tied(frame),
        lambda frame, facts: (
            f"{percent(len(frame.marks.tied) / len(frame.points))} of the training points tie."
            + "  With an odd k two classes tie less often." * (_even_k(frame) > 0)
        ),
        lambda frame, facts: ({"part": "knn", "n_neighbors": _even_k(frame) - 1},) * (_even_k(frame) > 0),
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
            f"Copies of support vectors with α = C: {grouped(facts['pulling'])}.  Each pulls with its own C, and"
            " without it f moves."
        ),
    ),
    "on margin": Row(
        "i on the margin, α = 0",
        lambda frame, facts: facts.get("on margin", 0) > 0,
        lambda frame, facts: (
            f"{count(facts['on margin'], 'point')} on the margin with α = 0: leave any out, and nothing moves, as What"
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
            frame.lane.classifier == "pegasos"
            and frame.phase is Phase.DONE
            and any(each.status is not Status.OPTIMAL for each in frame.certificates)
        ),
        lambda frame, facts: f"{frame.lane.family.verdict(frame.certificates, frame.lane.settings).text}.",
        lambda frame, facts: ({"part": "pegasos", "n_iter": min(10 * frame.lane.pegasos.n_iter, 10_000_000)},),
    ),
    "hatched": Row(
        "i hatched",
        lambda frame, facts: frame.provisional,
        lambda frame, facts: "Hatched: the training has not ended, and nothing is certified yet.",
    ),
}


def _present(context: Context, index: int) -> tuple[Frame | None, Answer | None]:
    """Return the frame of a lane, and the diagnosis, if they are of the present points and settings."""
    document, slot = context.document, context.document.slots[index]
    frame, answer = context.results.frame(slot), context.results.answer(f"diagnosis{slot}")
    query: Any = None if answer is None else answer.query
    known = query is not None and query.test is document.test_points and is_present(document, index, query.frame)
    return frame if is_present(document, index, frame) else None, answer if known else None


def queries(context: Context) -> dict[str, Query]:
    """Return the diagnosis of each finished training, while nothing is dragged; another view needs no other one."""
    document, asked = context.document, dict[str, Query]()
    for index, slot in enumerate(document.slots[: document.shown]):
        frame, answer = _present(context, index)
        if frame is None or not fast_loops.ready() or context.session.drawing or not frame.ended:
            continue
        if frame.run_state is None or frame.run_state.at_end:
            query = Diagnosis(frame, document.test_points)
            asked[LaneQuestion("diagnosis", slot)] = answer.query if answer is not None and answer.done else query
    return asked


def status(context: Context, index: int) -> tuple[StatusPart, ...]:
    """Return the remarks on the lane at `index`, in the order of the table; the first one has words in the line."""
    frame, answer = _present(context, index)
    if frame is None or frame.cover:
        return ()
    facts: Facts = answer.value if answer is not None and answer.value else {}
    parts: list[StatusPart] = []
    for name, row in ROWS.items():
        if row.applies(frame, facts):
            tries = row.tries(frame, facts) or facts.get("tried", {}).get(name, ((),))[0]
            parts.append(StatusPart("" if parts else row.words, row.sentence(frame, facts), aside=True, tries=tries))
    return tuple(parts)
