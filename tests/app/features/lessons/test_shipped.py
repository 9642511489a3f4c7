"""The supplied lessons: valid, and true: their claims are computed anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.spatial import ConvexHull, Delaunay

from app.engine.cross_validation import Validated
from app.engine.frames import Frame
from app.engine.pacing import Pace
from app.engine.probability import Calibration, Probability
from app.engine.query import Answer
from app.features.evaluation.scene import CrossValidation, EvaluationSession, validation_of
from app.features.ground_truth.scene import law_of
from app.features.lessons import shipped, starting
from app.features.lessons.goals import check, margin_of
from app.features.lessons.model import Lesson, LessonSetting, Step
from app.features.reliability.scene import FRESH, Reliability, ReliabilityQuery
from app.features.table import FEATURES
from app.files import assets as asset_files
from app.files import examples
from app.files.assets import assets
from app.files.documents import FileError
from app.scene.model import Context
from app.state.commands import AddPoints, MovePoints, RemovePoints, SetUnits
from app.state.document import Document, GeneratorSettings
from app.state.split import Validation
from app.window.actions import every
from solver import Grid, Kernel, KNeighborsClassifier, SmoSolver
from solver.core.arrays import Mask
from solver.svm.calibration import fit_sigmoids
from tests.app.features.lessons.rehearsal import context_of, frame_of


@cache
def lesson(name: str) -> Lesson:
    return shipped.lesson(FEATURES, name)


@cache
def start(name: str, step: int) -> Document:
    return starting.start_of(lesson(name), step - 1)


@cache
def context(name: str, step: int) -> Context:
    return context_of(start(name, step))


def frame(name: str, step: int, lane: int = 1) -> Frame:
    """Return a frame of classifier `place`, counted from 1 as lessons count."""
    found = context(name, step).results.frame(start(name, step).slots[lane - 1])
    assert found is not None
    return found


def test_score(name: str, step: int, lane: int = 1) -> float:
    answer = context(name, step).results.answer(f"scores{start(name, step).slots[lane - 1]}")
    assert answer is not None
    return float(answer.value.accuracy)


test_score.__test__ = False  # type: ignore[attr-defined]


def with_settings(document: Document, *lines: str) -> Document:
    made = document
    for name, _, value in (line.partition(" = ") for line in lines):
        lane = int(name[0]) - 1 if name[1:2] == "." else None
        made, wrong = starting.changed(made, [LessonSetting(lane, name if lane is None else name[2:], value, 1)])
        assert not wrong
    return made


def without(document: Document, *indices: int) -> Document:
    return RemovePoints(ids=document.points.ids[list(indices)]).apply(document)


def moved(document: Document, index: int, x: float, y: float) -> Document:
    return MovePoints(ids=document.points.ids[[index]], xy=[(x, y)]).apply(document)


# -- all of them -----------------------------------------------------------------------------------------------------


#: Lessons that begin without an example.
WITHOUT = ("whose", "validation", "units", "idle", "promise", "rule")
#: Examples that no lesson begins from: "units" builds its own, one step after the other.
WITHOUT_LESSON = {"scaling"}
#: Lessons that exist in English only.
UNTRANSLATED: tuple[str, ...] = ()


def test_there_are_twenty_and_no_other_file_beside_them() -> None:
    files = {each.name for each in assets("lessons").iterdir()}
    pictures = {f"{name}{which}.png" for name in WITHOUT for which in ("", "-dark")}
    translated = {f"{name}.de.lesson.md" for name in shipped.NAMES if name not in UNTRANSLATED}
    phrases = {f"phrases.{language}.toml" for language in ("en", "de")}
    assert files == {f"{name}.lesson.md" for name in shipped.NAMES} | translated | pictures | phrases
    assert set(shipped.NAMES) - set(WITHOUT) == set(examples.BY_NAME) - WITHOUT_LESSON and len(shipped.NAMES) == 20
    assert all(shipped.picture(name, dark).startswith(b"\x89PNG") for name in shipped.NAMES for dark in (False, True))
    rows = shipped.shipped()
    assert [row.name for row in rows] == list(shipped.NAMES)
    for row in rows:
        whole = lesson(row.name)
        assert (row.title, row.minutes, row.level) == (whole.title, 5, whole.level)
        assert row.level in ("beginner", "intermediate", "advanced")
    assert len({row.title for row in rows}) == 20


@pytest.mark.parametrize("name", shipped.NAMES)
def test_each_is_short_predicts_and_begins_from_its_example(name: str) -> None:
    steps, learnt = lesson(name).steps, lesson(name).learnt
    assert 4 <= len(steps) <= 7 and len(learnt) == 2
    assert any(step.prediction is not None for step in steps) and any(step.goal for step in steps)
    begun = {step.start.source for step in steps if step.start.kind == "example"}
    assert begun <= {"margin", "support-vectors"} if name in WITHOUT else begun == {name}
    assert all(step.start.kind != "document" for step in steps)
    assert steps[0].start.kind == "example" or name in WITHOUT
    for step in steps:
        assert step.text and step.show is not None, step.title
        asked = step.prediction
        told = asked is not None and step.measure != "before"
        assert asked is None or bool(asked.because) == told
        if asked is not None and told and asked.kind == "choice":
            right = [index == asked.right for index in range(len(asked.answers))]
            assert [not reason for reason in asked.reasons] == right, "a reason for each wrong answer, and no other"
        assert not step.goal or step.hint


@pytest.mark.parametrize("name", shipped.NAMES)
def test_what_is_shown_is_there_and_of_use(name: str) -> None:
    actions = {each.name for each in every(FEATURES)}
    for index, step in enumerate(lesson(name).steps, 1):
        document = start(name, index)
        fields = {each.name for lane in document.lanes[: document.shown] for each in lane.family.fields}
        for control in step.show or ():
            assert control in fields | {"tools", "classes", "playback", "speed", "units", "data set"}, (
                step.title,
                control,
            )
        assert not step.panel or step.panel in actions
        for lane in document.lanes[: document.shown]:  # no slider for a lane that is not displayed
            for each in lane.family.fields:
                if each.name in (step.show or ()):
                    assert each.shown(lane.settings, [0, 1]), (step.title, each.name)


#: Lessons that ask a question before and after.
MEASURED = ("neighbours", "support-vectors", "outlier")


@pytest.mark.parametrize("name", shipped.NAMES)
def test_three_ask_their_first_question_again_at_the_end(name: str) -> None:
    original = lesson(name)
    assert original.measured == ({len(original.steps) - 1: 0} if name in MEASURED else {})
    for language in ("en", "de") if name in MEASURED else ():
        found = shipped.lesson(FEATURES, name, language)
        first, again = found.steps[0].prediction, found.steps[-1].prediction
        assert first is not None and again is not None and found.measured == original.measured
        assert set(first.answers) == set(again.answers) and first.right != again.right
        assert again.right == original.steps[-1].prediction.right  # type: ignore[union-attr]


def test_one_draws_a_boundary_and_one_picks_a_pair() -> None:
    kinds = {name: {s.prediction.kind for s in lesson(name).steps if s.prediction} for name in shipped.NAMES}
    assert {name for name in kinds if "boundary" in kinds[name]} == {"margin", "circle"}
    assert {name for name in kinds if "pair" in kinds[name]} == {"step"}


def test_those_that_cannot_be_read_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(asset_files, "assets", lambda name: assets("examples"))
    shipped.shipped.cache_clear()
    try:
        assert shipped.shipped() == ()
        with pytest.raises(FileError, match=r"^margin.lesson.md cannot be read: "):
            shipped.lesson(FEATURES, "margin")
    finally:
        shipped.shipped.cache_clear()


#: Action of the student that reaches each goal.
REACHED: dict[tuple[str, int], Callable[[Document], Document]] = {
    ("neighbours", 5): lambda d: with_settings(d, "k = 15"),
    ("weights", 4): lambda d: with_settings(d, "k = 1"),
    ("cells", 2): lambda d: without(d, 10),
    ("kept", 4): lambda d: without_idle(d, next(grids(d))),
    ("idle", 4): lambda d: without(d, *range(1, 58), 59),
    ("margin", 4): lambda d: moved(d, 10, 0.9, -0.5),
    ("margin", 5): lambda d: moved(d, 10, 0.1, 0.1),
    ("support-vectors", 3): lambda d: without(d, *range(1, 21)),
    ("support-vectors", 5): lambda d: without(d, 0),
    ("whose", 2): lambda d: without(d, 0, 2, 3, 6),
    ("outlier", 4): lambda d: with_settings(d, "C = 1"),
    ("outlier", 6): lambda d: without(d, 14),
    ("circle", 4): lambda d: with_settings(d, "degree = 2"),
    ("circle", 5): lambda d: with_settings(d, "coef0 = 1"),
    ("gamma", 4): lambda d: with_settings(d, "gamma = 3"),
    ("units", 4): lambda d: SetUnits(units=(1.0, 1.0)).apply(d),
    ("step", 4): lambda d: d,  # it waits at first
    ("race", 4): lambda d: with_settings(d, "rule = second-order"),
    ("differ", 4): lambda d: AddPoints(xy=[(-1.0 - 0.1 * i, -1.0) for i in range(5)], labels=0).apply(d),
    ("differ", 5): lambda d: with_settings(d, "k = 9"),
    ("wrong-labels", 3): lambda d: with_settings(d, "k = 5"),
    ("wrong-labels", 5): lambda d: with_settings(d, "C = 1"),
    ("perceptron", 5): lambda d: with_settings(d, "1.seed = 4"),
    ("promise", 6): lambda d: with_settings(d, "k = 9"),
    ("rule", 4): lambda d: with_settings(d, "own rule = sin(20*x) > 0"),
}
#: Goal that is a number of a panel, with a test of its own.
IN_PANEL = ("validation", 3)
GOALS = [(name, number) for name in shipped.NAMES for number, s in enumerate(lesson(name).steps, 1) if s.goal]
GOALS.remove(IN_PANEL)


def test_every_goal_is_tried() -> None:
    assert set(GOALS) == set(REACHED)


@pytest.mark.parametrize(("name", "number"), GOALS, ids=lambda each: str(each))
def test_a_goal_is_reached_by_what_the_step_offers_and_not_before(name: str, number: int) -> None:
    step: Step = lesson(name).steps[number - 1]
    assert step.goal
    before = check(step.goal, context_of(start(name, number), paused=step.paused))
    assert before.reached is (None if step.paused else False), before.text
    after = check(step.goal, context_of(REACHED[name, number](start(name, number))))
    assert after.reached is True, after.text


# -- what they claim -------------------------------------------------------------------------------------------------


def right(name: str, step: int) -> str:
    prediction = lesson(name).steps[step - 1].prediction
    assert prediction is not None and prediction.kind == "choice"
    return prediction.answers[prediction.right]


def because(name: str, step: int) -> str:
    prediction = lesson(name).steps[step - 1].prediction
    assert prediction is not None
    return prediction.because


def report(*shares: float) -> str:
    """Return the percentages in a text, in the lessons' notation."""
    return "|".join(f"{100 * share:.1f}".removesuffix(".0") for share in shares)


def numbers(text: str) -> str:
    return "|".join(re.findall(r"\d+(?:\.\d+)?(?= ?%)", text))


def test_k() -> None:
    assert right("neighbours", 2) == "All of them" and frame("neighbours", 2).accuracy == 1
    assert right("neighbours", 3) == "About 85 in 100"
    assert numbers(because("neighbours", 3)) == report(test_score("neighbours", 3))
    assert right("neighbours", 4) == "k = 51"
    assert numbers(because("neighbours", 4)) == report(test_score("neighbours", 4, 2), test_score("neighbours", 4, 1))
    assert len(frame("neighbours", 4, 2).marks.wrong) == 14 and "14 of its own" in because("neighbours", 4)
    assert start("neighbours", 6).points.counts[:2] == (100, 100)
    picture = frame("neighbours", 6).picture
    assert right("neighbours", 6).startswith("Nothing") and picture is not None and picture.tied == 1
    few = [test_score_of(with_settings(start("neighbours", 5), f"k = {k}")) for k in (1, 3, 15, 71, 151)]
    assert few[2] == max(few) and few[0] < few[1] and few[4] < few[3]
    assert right("neighbours", 7) == "One in between"
    shown = {
        lane.settings.n_neighbors: test_score("neighbours", 7, at)
        for at, lane in enumerate(start("neighbours", 7).lanes, 1)
    }
    assert max(shown, key=shown.__getitem__) == 15 and "With k = 15, classifier 2" in because("neighbours", 7)
    tie = frame("neighbours", 7, 3).picture
    assert tie is not None and tie.tied == 1


def test_score_of(document: Document) -> float:
    known = context_of(document).results._newest.values()
    return float(next(each for each in known if isinstance(each, Answer)).value.accuracy)


test_score_of.__test__ = False  # type: ignore[attr-defined]


def test_weights() -> None:
    assert right("weights", 1) == "In about 64 of 100 cases" and frame("weights", 1).accuracy == 0.64
    assert right("weights", 2).startswith("Classifier 2")
    assert numbers(because("weights", 2)) == report(test_score("weights", 2, 2), test_score("weights", 2, 1))
    assert right("weights", 3) == "All of them" and frame("weights", 3).accuracy == 1
    assert len(start("weights", 3).points) == 100
    for k in (1, 5, 50, 99):  # k hardly matters
        assert test_score_of(with_settings(start("weights", 3), f"k = {k}")) > 0.97


@pytest.mark.smoke
def test_margin() -> None:
    run, points = frame("margin", 1).run_state, start("margin", 1).points
    assert run is not None and run.alpha is not None and len(points) == 12
    held = np.flatnonzero(run.alpha > 0)
    assert right("margin", 2) == "2" and points.xy[held].tolist() == [[-0.3, 0.5], [0.5, -0.2]]
    assert points.labels[held].tolist() == [0, 1]
    between = float(np.hypot(*(points.xy[held[0]] - points.xy[held[1]])))
    assert margin_of(frame("margin", 3)) == pytest.approx(between, rel=1e-3) and f"{between:.2f}" == "1.06"
    assert right("margin", 3).startswith("1.06") and "1.06" in because("margin", 3)
    middle = 0.5 * (points.xy[held[0]] + points.xy[held[1]])
    model = frame("margin", 1).model
    assert abs(float(model.pair_decision_function(middle[None])[0, 0])) < 1e-2  # type: ignore[union-attr]
    farther = moved(start("margin", 4), 0, -1.4, -0.3)  # a point without a ring changes nothing
    assert margin_of(frame_of(farther, 0)) == pytest.approx(between, rel=1e-3)


def grids(document: Document) -> Iterator[Grid]:
    """Return grids of the whole view in several shapes, two of them narrower: a number of the lesson holds in each."""
    view = document.view
    for width, height in ((400, 400), (640, 480), (900, 600), (300, 500) if document.shown == 1 else (280, 600)):
        x, y = (0.5 * view.span / min(width, height) * side for side in (width, height))
        yield Grid(view.x - x, view.x + x, view.y - y, view.y + y, width, height)


def neighbours(document: Document, lane: int = 1) -> KNeighborsClassifier:
    found = frame_of(document, lane - 1).neighbours
    assert found is not None
    return found


def needed(document: Document, grid: Grid | None = None) -> Mask:
    """Return which of the points the picture of the first classifier needs."""
    grid = grid or next(grids(document))
    return neighbours(document).kept_on(grid.xs)(grid.ys)


def changed_share(document: Document, other: Document, grid: Grid, lanes: tuple[int, int] = (1, 1)) -> float:
    """Return the share of the picture of a voting classifier that has another class in one of `other`."""
    one, two = (
        neighbours(d, lane).surface_classes_on(grid.xs)(grid.ys)
        for d, lane in zip((document, other), lanes, strict=True)
    )
    return float(((one.top != two.top) | (one.tie != two.tie)).mean())


def without_idle(document: Document, grid: Grid) -> Document:
    return without(document, *np.flatnonzero(~needed(document, grid)))


def test_cells() -> None:
    document = start("cells", 1)
    triangles = Delaunay(document.points.xy).simplices
    touching = {frozenset(pair) for each in triangles.tolist() for pair in combinations(each, 2)}
    outermost = len(ConvexHull(document.points.xy).vertices)
    assert len(document.points) == 20 and "20 cells" in because("cells", 1) and len(touching) == 50

    def count(k: int) -> set[int]:
        model = neighbours(of_k(document, k))
        return {len(np.unique(model.cells_on(grid.xs)(grid.ys))) for grid in grids(document)}

    assert count(1) == {20} and count(20) == {1}
    assert right("cells", 3) == "Nearly 50" and count(2) <= {47, 48, 49}
    assert min(count(5)) > max(count(2)), "rises with k at first"
    assert count(19) == {outermost} == {7} and right("cells", 4) == "7" and "7 outermost" in because("cells", 4)
    assert start("cells", 3).lanes[0].knn.n_neighbors == 2 and start("cells", 4).lanes[0].knn.n_neighbors == 19
    better = [test_score_of(without(document, index)) for index in range(20)]
    assert np.argmax(better) == 10 and better[10] > 0.8 > sorted(better)[-2] and document.points.labels[10] == 1
    assert better[10] - test_score_of(document) == pytest.approx(0.1, abs=0.01), "a tenth"
    xy, upper = document.points.xy, document.view.y + 0.5 * document.view.span
    beside = np.hypot(*(xy - xy[10]).T).argsort()[1]
    assert document.points.labels[beside] == 0, "beside one of class 1"
    assert np.hypot(*(xy - (1.2, upper)).T).argmin() == 10, "its cell reaches to the upper edge"


def test_kept() -> None:
    document = start("kept", 1)
    assert len(document.points) == 60 and right("kept", 1) == "For more than half of them"
    for grid in grids(document):
        few = without_idle(document, grid)
        assert len(few.points) == 26 and changed_share(document, few, grid) == 0
        assert test_score_of(start("kept", 4)) == test_score_of(few) > 0.97
    assert "34 of 60" in because("kept", 1) and "other 26" in because("kept", 1)
    assert right("kept", 2) == "It stays as it is"
    twins = start("kept", 3)
    assert len(twins.points) == 40 and len(np.unique(twins.points.xy, axis=0)) == 20
    assert right("kept", 3) == "All 40" and not any(needed(twins, grid).any() for grid in grids(twins))
    assert right("kept", 5) == "More"
    assert all(needed(start("kept", 5), grid).sum() in (37, 38) for grid in grids(document))
    assert [lane.classifier for lane in start("kept", 6).lanes] == ["knn", "condensed_knn"]
    condensed = frame("kept", 6, 2)
    assert (condensed.certificates[0].n_kept, condensed.certificates[0].n_wrong) == (9, 0)  # type: ignore[union-attr]
    assert condensed.accuracy == 1 and right("kept", 6) == "No, another one"
    assert "about 5 to 10 %" in because("kept", 6)
    for grid in grids(start("kept", 6)):
        assert 0.05 <= round(changed_share(document, start("kept", 6), grid, (1, 2)), 2) <= 0.1


def test_idle() -> None:
    document = start("idle", 1)
    assert document.points.same_as(start("support-vectors", 2).points) and len(document.points) == 60
    for grid in grids(document):
        assert np.flatnonzero(needed(document, grid)).tolist() == [0, 13, 23, 28, 32, 34, 54, 58]
        assert changed_share(document, without_idle(document, grid), grid) == 0
        assert changed_share(document, start("idle", 2), grid) < 1e-3, "a share text rounds"
        assert changed_share(document, start("idle", 3), grid) > 0.02
    svm = frame("idle", 1, 2)
    assert svm.marks.free.tolist() == [0, 58] and not len(svm.marks.bounded) and right("idle", 1) == "kNN"
    eight, two = start("idle", 2), start("idle", 3)
    for fewer, left in ((eight, needed(document)), (two, np.isin(np.arange(60), (0, 58)))):
        assert np.allclose(fewer.points.xy, document.points.xy[left], atol=1e-3) and fewer.view == document.view
    assert right("idle", 2) == "Neither" and "All 52 points" in lesson("idle").steps[1].prediction.question  # type: ignore[union-attr]
    for step in (2, 3):
        assert len(frame("idle", step, 2).marks.free) == 2
        assert line(frame("idle", step, 2)) == pytest.approx(line(svm), rel=1e-2, abs=1e-2)
    assert right("idle", 3) == "The boundary of kNN"
    exact = without(document, *range(1, 58), 59)
    for grid in grids(document):
        at = np.column_stack([axis.ravel() for axis in np.meshgrid(grid.xs, grid.ys)])
        assert (neighbours(exact).predict(at) == svm.model.predict(at)).mean() > 0.999  # type: ignore[union-attr]
    overlapping = start("idle", 5)
    assert len(overlapping.points) == 60 and overlapping.view != document.view
    assert all(28 <= needed(overlapping, grid).sum() <= 33 for grid in grids(overlapping)), "about half"
    vectors = frame("idle", 5, 2)
    assert len(vectors.marks.free) + len(vectors.marks.bounded) == 27 and right("idle", 5) == "27"


def test_support_vectors() -> None:
    document = start("support-vectors", 2)
    assert document.points.counts[:2] == (30, 30) and right("support-vectors", 2) == "Only 2"
    all_60 = frame("support-vectors", 2)
    assert all_60.marks.free.tolist() == [0, 58] and not len(all_60.marks.bounded)
    width = margin_of(all_60)
    assert f"{width:.2f}" == "0.36" and "0.36" in lesson("support-vectors").steps[2].text
    assert right("support-vectors", 4) == "It stays exactly where it is"
    two = frame("support-vectors", 4)
    assert np.allclose(start("support-vectors", 4).points.xy, document.points.xy[[0, 58]], atol=1e-3)
    assert start("support-vectors", 4).view == document.view
    for one, other in zip(line(all_60), line(two), strict=True):
        assert one == pytest.approx(other, rel=1e-2, abs=1e-2)
    assert right("support-vectors", 6) == "No, never"
    for index in range(0, 60, 6):
        assert margin_of(frame_of(without(document, index), 0)) >= width * (1 - 1e-3)
    assert min(margin_of(frame_of(without(document, index), 0)) for index in (0, 58)) > 0.6
    assert right("support-vectors", 7) == "A point that holds the street"
    assert start("support-vectors", 7).points.same_as(document.points), "the two ringed ones are those at the reveal"
    for index in range(1, 58, 8):
        assert margin_of(frame_of(without(document, index), 0)) == pytest.approx(width, rel=1e-3)


def ranges_of(found: Frame) -> list[tuple[float, float]]:
    ranges = found.run_state.ranges  # type: ignore[union-attr]
    assert ranges is not None and sorted(ranges) == [1, 2, 4, 5]
    return [ranges[at] for at in sorted(ranges)]


def test_whose() -> None:
    document, found = start("whose", 1), frame("whose", 1)
    assert right("whose", 1) == "The support vectors"
    assert document.points.xy[found.marks.free].tolist() == [[2, 2], [4, 3]]
    assert document.points.xy[found.marks.maybe].tolist() == [[4, 4], [2, 1]]
    assert line(found) == pytest.approx((2, -2, -1), rel=1e-3)
    assert ranges_of(found) == [pytest.approx(each) for each in ((1, 4), (0, 3), (0, 3), (1, 4))]
    assert f"{margin_of(found):.2f}" == "0.71" and "0.71" in lesson("whose").steps[1].text
    for gone in (2, 4):  # either may go: the other has a full ring then
        three = frame_of(without(document, 0, 3, 6, gone), 0)
        assert len(three.points) == len(three.marks.free) == 3 and not len(three.marks.maybe)
        assert margin_of(three) == pytest.approx(margin_of(found), rel=1e-3)
    for step, gone, width in ((3, (1,), "1.00"), (4, (2, 4), "1.34")):
        assert np.array_equal(start("whose", step).points.xy, without(document, *gone).points.xy)
        assert right("whose", step) == "It becomes wider"
        assert f"{margin_of(frame('whose', step)):.2f}" == width and f"{width} wide" in because("whose", step)
    bounded = frame("whose", 5)
    assert right("whose", 5) == "All four" and line(bounded) == pytest.approx(line(found), rel=1e-2)
    assert sorted((*bounded.marks.free, *bounded.marks.bounded)) == [1, 2, 4, 5] and not len(bounded.marks.maybe)
    assert ranges_of(bounded) == [pytest.approx(each) for each in ((2, 3), (1, 2), (1, 2), (2, 3))]


def line(found: Frame) -> tuple[float, float, float]:
    model = found.model
    return (*model.coef_[0], model.intercept_[0])  # type: ignore[union-attr]


def test_outlier() -> None:
    document = start("outlier", 2)
    assert len(document.points) == 29 and document.points.xy[14].tolist() == [0.45, -0.15]
    assert right("outlier", 2).startswith("No") and frame("outlier", 2).accuracy == 1
    assert f"{margin_of(frame('outlier', 2)):.2f}" == "0.18" and "0.18" in because("outlier", 2)
    assert right("outlier", 3).startswith("Classifier 2")
    assert f"{margin_of(frame('outlier', 3, 2)):.2f} against {margin_of(frame('outlier', 3)):.2f}." in because(
        "outlier", 3
    )
    assert frame("outlier", 3, 2).marks.wrong.tolist() == [14]
    for C in (1.0, 0.3, 0.1):  # as the hint requests
        found = frame_of(with_settings(start("outlier", 4), f"C = {C}"), 0)
        assert margin_of(found) > 1.3 and found.marks.wrong.tolist() == [14]
    cheap = frame("outlier", 5)
    run = cheap.run_state
    assert run is not None and 29 - len(cheap.marks.wrong) == 15 and f"{margin_of(cheap):.1f}" == "7.9"
    assert int((run.y * run.f < 1).sum()) == 28 and right("outlier", 5) == "About half of them"
    assert 1.7 < margin_of(frame_of(without(document, 14), 0)) / margin_of(frame("outlier", 6)) < 2
    assert right("outlier", 7) == "It makes each error more expensive"
    dear, fair = frame("outlier", 7), frame("outlier", 7, 2)
    assert [lane.settings.C for lane in start("outlier", 7).lanes[:2]] == [1000.0, 0.1]
    assert not len(dear.marks.wrong) and fair.marks.wrong.tolist() == [14] and margin_of(dear) < margin_of(fair)


@pytest.mark.smoke
def test_circle() -> None:
    assert frame("circle", 1).accuracy == pytest.approx(0.56) and right("circle", 1) == "About 56 in 100"
    assert frame("circle", 2, 2).accuracy == 1
    one, degree_1 = line(frame("circle", 1)), frame("circle", 4)
    assert degree_1.accuracy == pytest.approx(0.56) and len(one) == 3
    assert right("circle", 5).startswith("No") and frame("circle", 5).accuracy < 0.8
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, 2))
    larger = [np.array([a * a, b * b, 2**0.5 * a * b, 2**0.5 * a, 2**0.5 * b, 1.0]) for a, b in (x, z)]
    assert (x @ z + 1) ** 2 == pytest.approx(larger[0] @ larger[1]) and right("circle", 3).startswith("(⟨x, z⟩ + 1)²")


def test_gamma() -> None:
    assert len(start("gamma", 1).test_points) == 60 and len(start("gamma", 1).points) == 200
    smooth, rough = frame("gamma", 2), frame("gamma", 2, 2)
    assert right("gamma", 2) == "γ = 100" and report(rough.accuracy, smooth.accuracy) == numbers(because("gamma", 2))
    assert len(rough.marks.free) + len(rough.marks.bounded) > 0.9 * 140
    assert right("gamma", 3) == "γ = 1"
    assert numbers(because("gamma", 3)) == report(test_score("gamma", 3), test_score("gamma", 3, 2))
    low = frame("gamma", 5)
    assert right("gamma", 5) == "Worse than γ = 1"
    assert numbers(because("gamma", 5)) == report(low.accuracy, frame("gamma", 1).accuracy)
    xs, ys = np.linspace(-1.5, 2.5, 41), np.linspace(-2.5, 2.5, 1001)
    grid = np.column_stack([axis.ravel() for axis in np.meshgrid(xs, ys, indexing="ij")])
    f = low.model.pair_decision_function(grid)[:, 0].reshape(41, 1001)  # type: ignore[union-attr]
    crossing = ys[np.abs(f).argmin(axis=1)]
    inside = np.abs(crossing) < 2.4
    fitted = np.polyval(np.polyfit(xs[inside], crossing[inside], 1), xs[inside])
    assert inside.sum() > 20 and np.abs(fitted - crossing[inside]).max() < 0.02  # straight to the eye


def of_k(document: Document, k: int) -> Document:
    return with_settings(document, f"k = {k}")


def test_validation() -> None:
    document = start("validation", 1)
    law = document.origin
    assert law is not None and (len(document.points), len(document.test_points)) == (150, 30)
    xy, labels = law_of(law).draw(50_000, (7, 7))  # type: ignore[union-attr]

    def truly(k: int) -> float:
        model = frame_of(of_k(document, k), 0).model
        return float((model.predict(xy) == labels).mean())  # type: ignore[union-attr]

    def validated(k: int) -> float:
        posted: list[Validated] = []
        made = of_k(document, k)
        for _ in CrossValidation(made.lanes[0], made.training_points, 10, 0).answer(posted.append, lambda: False):
            pass
        assert posted[-1].sizes.tolist() == [12] * 10
        return posted[-1].mean

    on_test = {k: test_score_of(of_k(document, k)) for k in range(1, 52)}
    assert on_test[1] == max(on_test.values()) and report(on_test[1]) == "93.3"
    assert "93.3 %" in lesson("validation").steps[0].prediction.question  # type: ignore[union-attr]
    assert numbers(because("validation", 1)) == report(truly(1)) and right("validation", 1).startswith("About 84")
    assert right("validation", 2) == "None" and "folds of 12" in lesson("validation").steps[1].prediction.question  # type: ignore[union-attr]
    good = {k for k in range(1, 52) if validated(k) > 0.9}
    assert 1 not in good and 23 in good and sum(20 <= k <= 30 for k in good) >= 6, "what the hint says"
    assert start("validation", 4).lanes[0].knn.n_neighbors == 23 and report(validated(23)) == "90.8"
    text = because("validation", 4)
    assert report(on_test[23]) == "86.7" and round(30 * on_test[23]) == 26 and text.startswith("86.7 %, 26 of 30.")
    assert round(100 * (0.9 * 0.1 / 30) ** 0.5, 1) == 5.5
    assert f"k = 23 gets {report(truly(23))} % right, and k = 1 only {report(truly(1))} %" in text
    answers = lesson("validation").steps[3].prediction
    assert answers is not None and report(27 / 30, 28 / 30) == "90|93.3" and "90.0 % or 93.3 %" in answers.reasons[0]
    assert abs(on_test[23] - validated(23)) < 0.055, "near it"


def test_a_goal_of_the_validation_lesson_follows_the_panel() -> None:
    document = start("validation", 3)
    goal = lesson("validation").steps[2].goal
    assert goal
    before = check(goal, context_of(document))
    assert before.reached is None and before.text.endswith("switch the cross-validation on in Evaluation")
    for k, reached in ((1, False), (23, True)):
        made = of_k(document, k)
        context = context_of(made)
        chosen = EvaluationSession(validation=Validation("folds", 10))
        context = replace(
            context, session=replace(context.session, open_panels=frozenset({"evaluation"})).having(chosen)
        )
        query = validation_of(made, context.session, 0)
        assert query is not None and check(goal, context).reached is None
        posted: list[Validated] = []
        for _ in query.answer(posted.append, lambda: False):
            pass
        context.results.accept(Answer(f"validated{made.slots[0]}", 1, query, posted[-1], True))
        assert check(goal, context).reached is reached


def reliability(document: Document) -> Reliability:
    """Return the reliability panel of the first classifier."""
    found = frame_of(document, 0)
    law, posted = law_of(document.origin), list[Reliability]()  # type: ignore[arg-type]
    assert law is not None and found.model is not None
    query = ReliabilityQuery(0, found.model, found.lane, found.points, law, law)
    for _ in query.answer(posted.append, lambda: False):
        pass
    return posted[-1]


def calibrated(document: Document) -> tuple[Probability, Any]:
    """Return the probability of the first classifier, and its model."""
    found = frame_of(document, 0)
    assert found.model is not None and found.model.kind == "f"
    steps = Calibration(found.lane, found.points).run(found.model, Pace())
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, found.model


def test_promise() -> None:
    one, fifteen, many = (start("promise", index) for index in (1, 2, 3))
    assert len(one.points) == 200 and FRESH == 5000
    curve = reliability(one).curve
    assert curve.predicted.tolist() == [0.0, 1.0] and right("promise", 1).startswith("About 83")
    assert because("promise", 1).startswith(f"{round(curve.observed[1] * curve.counts[1])} of {curve.counts[1]}, ")
    assert f"which is {report(curve.observed[1])} %" in because("promise", 1)
    assert (curve.predicted < curve.low).any() and (curve.predicted > curve.high).any(), "neither is on the diagonal"
    honest, timid = reliability(fifteen), reliability(many)
    curve, text = honest.curve, because("promise", 2)
    index = int(np.abs(curve.predicted - 13 / 15).argmin())
    assert curve.predicted[index] == pytest.approx(13 / 15) and right("promise", 2).startswith("About 87")
    assert curve.expected is not None and "191 of 220" in text and curve.counts[index] == 220
    for share in (curve.observed, curve.low, curve.high, curve.expected):
        assert f"{report(share[index])} %" in text
    curve, text = timid.curve, because("promise", 3)
    index = int(np.abs(curve.predicted - 0.85).argmin())
    assert 0.8 < curve.predicted[index] < 0.9 and text.startswith(f"{report(curve.observed[index])} %")
    assert right("promise", 3).startswith("About 96")
    assert f"{report(test_score('promise', 3))} % against {report(test_score('promise', 2))} %" in text
    assert f"{timid.brier_score:.3f} against {honest.brier_score:.3f}" in text
    assert honest.ideal is not None and f"{honest.ideal[1]:.3f}" in text
    found, model = calibrated(start("promise", 4))
    at_one, document = np.array([[1.0]]), start("promise", 4)
    points = document.training_points
    values = model.pair_decision_function(points.xy)
    flattered = fit_sigmoids(model.pairs_, values, points.labels.astype(np.intp), np.ones(len(points)))
    of_own = Probability(model.pairs_, 2, *flattered)
    text, reasons = because("promise", 4), lesson("promise").steps[3].prediction.reasons  # type: ignore[union-attr]
    assert f"gives {report(found.of(at_one)[0, 1])} % at f = 1" in text
    assert report(of_own.of(at_one)[0, 1]) == "98.6" and "98.6 %" in text and "98.6 %" in reasons[1]
    assert f"only {report(test_score('promise', 4))} %" in text and report(frame("promise", 4).accuracy) == "99"
    assert document.lanes[0].shows_probability and right("promise", 4).startswith("To points that the SVM was not")
    found, _ = calibrated(start("promise", 5))
    text = because("promise", 5)
    assert f"f = −{-found.levels[1]:.2f}," in text and f"lie {found.contradicted} training" in " ".join(text.split())
    scores = {k: reliability(of_k(one, k)).brier_score for k in (1, 5, *range(9, 18, 2), 31, 45)}
    least = min(scores.values())
    assert all(scores[k] < least + 0.004 for k in range(9, 18, 2)) and scores[45] > least + 0.01, "what the hint says"
    assert all(test_score_of(of_k(one, k)) > 0.87 for k in range(9, 18, 2))


def test_units() -> None:
    first, wide, fair = (start("units", step) for step in (1, 2, 5))
    assert wide.units == fair.units == (10.0, 1.0) and [lane.standardises for lane in fair.lanes[:2]] == [True, False]
    assert (len(first.points), len(first.test_points)) == (200, 80)
    assert np.allclose(wide.points.xy, first.points.xy * (10, 1)) and wide.origin is None, "no generator makes these"
    assert (wide.test_points.ids == first.test_points.ids).all()
    assert because("units", 1).endswith(f"{report(test_score('units', 1))} %.")
    assert right("units", 2).startswith("About 76") and numbers(because("units", 2)) == report(test_score("units", 2))
    reach = wide.points.xy
    near = np.sqrt(((reach[:, None] - wide.training_points.xy) ** 2).sum(axis=2))
    radius = np.median(np.sort(near, axis=1)[:, 14])
    assert 2 * radius > 0.9 * np.ptp(reach[:, 1]), "nearly the whole range of y"
    assert np.ptp(reach[:, 1]) < 2.0 and 28 < np.ptp(reach[:, 0]) < 36
    hopeless = with_settings(first, "x times = 1000")
    assert max(test_score_of(of_k(hopeless, k)) for k in range(1, 40, 2)) < 0.9, "no k would help"
    in_cm = SetUnits(units=(1.0, 1.0)).apply(fair)
    assert np.allclose(in_cm.points.xy, first.points.xy) and report(test_score("units", 5)) == "97.5"
    assert because("units", 5).startswith("97.5 %") and report(test_score_of(in_cm)) == "97.5"
    svms = [context_of(each).results.answer(f"scores{each.slots[1]}") for each in (in_cm, fair)]
    assert [report(each.value.accuracy) for each in svms if each is not None] == ["100", "88.8"]
    assert "100 % in centimetres, 88.8 % in millimetres" in because("units", 5)
    models = {unit: [frame_of(each, lane).model for lane in (0, 1)] for unit, each in ((10, fair), (1, in_cm))}
    rng = np.random.default_rng(0)
    locations = rng.uniform(first.points.xy.min(axis=0), first.points.xy.max(axis=0), (1000, 2))
    kept, other = (
        (models[1][i].predict(locations) == models[10][i].predict(locations * (10, 1))).mean() for i in (0, 1)
    )
    assert kept == 1.0 and other < 0.98, "kNN stays with its points, the SVM moves"
    one, other = frame("margin", 2), frame("units", 6)
    assert other.accuracy == 1 and not set(one.marks.free) & set(other.marks.free), "others hold the street"
    (x, y, _), (wide_x, wide_y, _) = line(one), line(other)
    assert abs(np.arctan2(10 * wide_x, wide_y) - np.arctan2(x, y)) > 0.5, "another line, in the same units"


def test_step() -> None:
    document = start("step", 1)
    X, y = document.points.xy, np.where(document.points.labels == 0, -1.0, 1.0)
    assert len(X) == 13 and document.lanes[0].svm.C == 2
    waiting = frame_of(start("step", 3), 0, paused=True).run_state
    assert waiting is not None and waiting.explanation is not None and waiting.step == 0
    i, j = waiting.pair
    distance = float(np.hypot(*(X[i] - X[j])))
    assert y[i] != y[j] and distance == pytest.approx(1.3) and right("step", 3).startswith("Yes: λ = 1.18")
    assert waiting.explanation.step == pytest.approx(2 / distance**2) == pytest.approx(1.18, abs=0.005)
    for each in np.flatnonzero(y != y[i]):  # 2λ − λ²d²/2 at the best λ of the box
        d2 = float(((X[i] - X[each]) ** 2).sum())
        best = min(2 / d2, 2.0)
        assert 2 * best - best**2 * d2 / 2 <= waiting.explanation.gain + 1e-12
    solver, visible = SmoSolver(X, y, Kernel("linear"), C=2.0), set()
    while solver.status == "running":
        solver.step(1)
        visible |= set(np.flatnonzero(solver.alpha > 0).tolist())
    assert solver.n_iter == 10
    ended = frame_of(start("step", 4), 0).run_state
    assert ended is not None and ended.alpha is not None
    left = np.flatnonzero(ended.alpha > 0)
    assert len(left) == 4 and right("step", 4) == "4" and len(visible) > 4  # some went back to 0
    margins, bounded = (ended.y * ended.f)[left], ended.alpha[left] == 2
    assert bounded.sum() == 2 and margins[~bounded] == pytest.approx(1, abs=1e-6)
    assert sorted(np.sign(margins[bounded])) == [-1, 1] and margins[bounded].max() < 1


def test_race() -> None:
    def steps(document: Document, lane: int = 0) -> int:
        return int(frame_of(document, lane).certificates[0].n_iter)  # type: ignore[union-attr]

    random, second = (frame("race", 1, lane) for lane in (1, 2))
    assert [int(each.certificates[0].n_iter) for each in (random, second)] == [8066, 503]  # type: ignore[union-attr]
    assert 15.5 < 8066 / 503 < 16.5 and "16" in right("race", 2) and "8066" in because("race", 2)
    at = start("race", 1).points.xy
    f = [each.model.pair_decision_function(at)[:, 0] for each in (random, second)]  # type: ignore[union-attr]
    assert np.abs(f[0] - f[1]).max() < 0.01 and right("race", 1).startswith("They end with the same")
    assert steps(start("race", 4)) == 8066
    assert (steps(start("race", 5), 0), steps(start("race", 5), 1)) == (115, 503) and right("race", 5) == "C = 100"
    low, high = (frame("race", 5, lane).certificates[0] for lane in (1, 2))
    assert low.n_bounded > low.n_free and high.n_free == 3 * high.n_bounded  # type: ignore[union-attr]


def test_differ() -> None:
    assert numbers(because("differ", 1)) == report(test_score("differ", 1), test_score("differ", 1, 2))
    assert right("differ", 1) == "They are about equal"
    document = start("differ", 2)
    axis = np.linspace(-0.5, 0.5, 120) * document.view.span
    at = np.column_stack([each.ravel() for each in np.meshgrid(document.view.x + axis, document.view.y + axis)])
    classes = [np.asarray(frame("differ", 2, index).model.predict(at)) for index in (1, 2)]  # type: ignore[union-attr]
    differing = classes[0] != classes[1]
    away = np.sqrt(((at[:, None] - document.points.xy) ** 2).sum(axis=2)).min(axis=1)
    assert differing[away < 0.5].mean() == pytest.approx(0.04, abs=0.005)
    assert differing[away > 1.5].mean() == pytest.approx(0.5, abs=0.05)
    assert differing[away > 0.5].sum() > 0.8 * differing.sum() and right("differ", 2) == "Far from all points"
    assert set(classes[1][away > 1.5]) == {1} and right("differ", 3).startswith("One and the same class")
    assert frame("differ", 3, 2).model.intercept_[0] > 0  # type: ignore[union-attr]
    assert len(document.points) == 120
    striped = at[differing & (away > 1.0)][::200]
    for index in striped[:4]:  # once points are added, the two agree
        label = int(classes[0][np.flatnonzero((at == index).all(axis=1))[0]])
        near = index + 0.1 * np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)])
        more = AddPoints(xy=near, labels=label).apply(document)
        for lane in (0, 1):
            assert frame_of(more, lane).model.predict(index[None])[0] == label  # type: ignore[union-attr]


def test_wrong_labels() -> None:
    document = start("wrong-labels", 1)
    true = GeneratorSettings("moons", 75, 0.15, 4).points().labels
    flipped = np.flatnonzero(true != document.points.labels)
    assert len(flipped) == 15 and len(document.points) == 150
    assert right("wrong-labels", 1) == "k = 15"
    assert numbers(because("wrong-labels", 1)) == report(
        test_score("wrong-labels", 1, 2), test_score("wrong-labels", 1)
    )
    assert right("wrong-labels", 2).startswith("Those with") and frame("wrong-labels", 2).accuracy == 1
    assert frame("wrong-labels", 2, 2).marks.wrong.tolist() == flipped.tolist()
    three, five = (test_score_of(with_settings(start("wrong-labels", 3), f"k = {k}")) for k in (3, 5))
    assert three <= 0.98 < five
    assert right("wrong-labels", 4).startswith("No")
    assert numbers(because("wrong-labels", 4)) == report(test_score("wrong-labels", 4))
    assert f"{report(test_score('wrong-labels', 5))} %" in lesson("wrong-labels").steps[4].text


def test_rule() -> None:
    document = start("rule", 1)
    assert document.origin is not None and (document.origin.rule, document.origin.noise) == ("y > sin(3*x)", 0.0)
    truth = law_of(document.origin)
    assert truth is not None and document.points.counts[:2] == (50, 50)
    x, y = truth.draw(4000, 1)[0].T
    wrong = frame("rule", 1).model.predict(np.column_stack((x, y))) != np.where(y > np.sin(3 * x), 0, 1)  # type: ignore[union-attr]
    away = np.abs(y - np.sin(3 * x)) / np.hypot(1, 3 * np.cos(3 * x))  # about the distance from the line
    assert right("rule", 1).startswith("Near the curve") and away[wrong].mean() < 0.3 * away[~wrong].mean()
    question = lesson("rule").steps[1].prediction
    assert question is not None and f"{report(test_score('rule', 1))} %" in question.question
    assert right("rule", 2) == "About 98 %" and numbers(because("rule", 2)) == report(test_score("rule", 2))
    more = test_score_of(with_settings(start("rule", 3), "n = 1000"))
    assert right("rule", 3) == "About 62 %"
    assert numbers(because("rule", 3)) == report(test_score("rule", 3), more)
    bends = np.sign(np.diff(np.sin(20 * np.linspace(-1, 1, 4000))))
    assert np.count_nonzero(np.diff(bends)) == 12 and "twelve times" in lesson("rule").steps[2].text
    assert f"{report(test_score('rule', 4))} %" in lesson("rule").steps[3].text


def test_perceptron() -> None:
    (first,) = frame("perceptron", 1).certificates
    assert first.mistakes == 2 and right("perceptron", 1) == "2"  # type: ignore[union-attr]
    assert int(first.mistake_bound) == 7 and "at most 7" in because("perceptron", 1)  # type: ignore[union-attr]
    seeds = {s: margin_of(frame_of(with_settings(start("perceptron", 5), f"1.seed = {s}"), 0)) for s in range(10)}
    assert len({round(width, 6) for width in seeds.values()}) == 10 and right("perceptron", 2) == "No, another line"
    assert line(frame("perceptron", 1)) != line(frame("perceptron", 2)), "and another one is shown"
    assert sum(width > 1.2 for width in seeds.values()) >= 3 and f"{seeds[5]:.2f}" == "0.04"
    orders = frame("perceptron", 3).orders
    assert orders is not None and len(orders.margins) == 20 and (orders.margins > 0).all()
    assert right("perceptron", 3) == "None of them" and len(start("perceptron", 3).points) == 32
    best, svm = float(2 * orders.margins.max()), margin_of(frame("perceptron", 4, 2))
    best = max(best, margin_of(frame("perceptron", 4)))
    text = because("perceptron", 4)
    assert f"{svm:.2f} for the SVM" in text and f"{best:.2f} for these perceptrons" in text
    assert f"narrowest {orders.margins.min():.2f}" in text
    assert (f"{svm / 2:.2f}", f"{best / 2:.2f}") == ("0.73", "0.63") and right("perceptron", 4).startswith("Farther")
