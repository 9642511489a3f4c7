"""Difference: the pixels and points on which two models disagree, counted against `predict`, location by location."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from app.core.points import Points
from app.engine.export_surface import enlarge
from app.engine.fitting import fitted
from app.engine.frames import Frame, LaneRequest, LaneSpec, Phase, Side, Sides
from app.engine.lane_job import LaneJob
from app.engine.pacing import OvertakenError, Pace
from app.engine.pool import LatestQueue, Priority
from app.engine.query import Answer, work_out
from app.engine.results import Results
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades, colour
from app.features.difference.scene import (
    DifferenceSession,
    Differing,
    LaneDifference,
    able,
    compared,
    difference_scene,
    sheets,
    sides_of,
)
from app.scene.model import Context
from app.state.commands import AddLane, MoveLane, RemoveLane
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, PegasosSettings, SvmSettings, View
from app.state.session import Session
from solver import Grid
from tests.copies import replace

SHADES = Shades((255, 255, 255), tuple((20 * c, 10, 200) for c in range(8)), (128, 128, 128))
LANES = {
    "knn": Lane("knn"),
    "even kNN": Lane("knn", knn=KnnSettings(4)),
    "weighted": Lane("knn", knn=KnnSettings(7, "distance", "manhattan")),
    "rbf": Lane("svm"),
    "rest": Lane("svm", svm=SvmSettings(multiclass="one-vs-rest", gamma=3.0)),
    "linear": Lane("svm", svm=SvmSettings("linear")),
    "perceptron": Lane("perceptron"),
    "pegasos": Lane("pegasos", pegasos=PegasosSettings(n_iter=2000)),
}
PAIRS = [("knn", "rbf"), ("even kNN", "weighted"), ("rbf", "rest"), ("linear", "perceptron"), ("pegasos", "even kNN")]


def run(job: Any) -> Any:
    """Return the result of a job that runs to its end."""
    while True:
        try:
            next(job)
        except StopIteration as stop:
            return stop.value


def sides(points: Points, *names: str) -> Sides:
    first, second = (Side(run(fitted(LANES[name], points, Pace())).model, LANES[name]) for name in names)
    return first, second


def answered(query: Differing) -> list[LaneDifference]:
    posted: list[LaneDifference] = []
    run(query.answer(posted.append, lambda: False))
    return posted


def predicted_by(model: Any, locations: np.ndarray) -> np.ndarray:
    """Return what `predict` predicts; -1 where several classes have the most votes, or win the most duels."""
    predicted = model.predict(locations).astype(int)
    if hasattr(model, "predict_proba"):
        votes = model.predict_proba(locations)
    elif len(model.classes_) > 2 and model.pairs_[0].negative >= 0:
        votes = np.zeros((len(locations), len(model.classes_)))
        for f, pair in zip(model.pair_decision_function(locations).T, model.pairs_, strict=True):
            votes[np.arange(len(votes)), np.where(f > 0, pair.positive, pair.negative)] += 1
    else:
        return predicted
    best = np.sort(votes, axis=1)
    return np.where(best[:, -1] == best[:, -2], -1, predicted)


def disagreement(both: Sides, grid: Grid) -> np.ndarray:
    """Return where they disagree at each pixel's middle; row 0 is the highest."""
    x, y = np.meshgrid(grid.xs, grid.ys[::-1])
    locations = np.column_stack((x.ravel(), y.ravel()))
    first, second = (predicted_by(side.model, locations) for side in both)
    return (first != second).reshape(x.shape)


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_pixels_and_points_are_those_where_predictions_differ(names: tuple[str, str], n_classes: int) -> None:
    points = GeneratorSettings("blobs", 25, 0.5, 3, n_classes=n_classes).points()
    both = sides(points, *names)
    grid = Grid(-2.3, 2.1, -1.9, 2.0, 97, 61)
    posted = answered(Differing(both, grid, points))
    rough, last = posted[0], posted[-1]
    expected = disagreement(both, grid)
    assert 0.002 < expected.mean() < 0.9
    np.testing.assert_array_equal(last.hatch.mask, expected)
    assert last.full and last.share == expected.mean() and last.hatch.grid == grid
    coarse = grid.coarse()
    np.testing.assert_array_equal(rough.hatch.mask, disagreement(both, coarse))
    assert rough.full == (coarse == grid)
    predicted = np.column_stack([predicted_by(side.model, points.xy) for side in both])
    assert last.involved is not None
    np.testing.assert_array_equal(last.involved.index, np.flatnonzero(predicted[:, 0] != predicted[:, 1]))
    np.testing.assert_array_equal(last.involved.predicted, predicted[last.involved.index])
    labels = points.labels[last.involved.index]
    assert last.involved.right == tuple((last.involved.predicted[:, side] == labels).sum() for side in (0, 1))


def test_the_hatching_lies_over_pictures_of_models_alone() -> None:
    points = GeneratorSettings("moons", 20).points()
    document = Document(points, (LANES["knn"], LANES["linear"], Lane("difference")), 3)
    query = Differing(sides(points, "knn", "linear"), Grid(-2.0, 3.0, -1.5, 2.0, 30, 21), points)
    value, results = answered(query)[-1], Results()
    results.accept(Answer("compare", 1, query, value, True))
    context = Context(document, Session().having(DifferenceSession(differing=True)), results)
    assert [sheets(context, index) for index in range(3)] == [(value.hatch,), (value.hatch,), ()]
    assert not sheets(replace(context, session=Session()), 0)


def test_the_lane_of_a_difference_counts_the_same_pixels_and_stripes_them() -> None:
    points = GeneratorSettings("moons", 60).points()
    both = sides(points, "knn", "linear")
    grid = Grid(-2.0, 3.0, -1.5, 2.0, 300, 210)
    frames: list[Frame] = []
    spec = LaneSpec(points, Lane("difference"), grid, SHADES, False, math.inf, 0, True, sides=both)
    run(LaneJob(frames.append)(LaneRequest(1, 2, spec), lambda: False))
    assert [frame.full for frame in frames] == [False, True] and frames[-1].phase is Phase.DONE
    picture, expected = frames[-1].picture, disagreement(both, grid)
    assert picture is not None and picture.differing == expected.mean()
    assert frames[-1].model is None and frames[-1].sides == both
    colours = {
        label: set(np.unique(picture.argb[(labels == label) & ~expected]))
        for labels in [
            both[0]
            .model.predict(np.column_stack([c.ravel() for c in np.meshgrid(grid.xs, grid.ys[::-1])]))
            .reshape(expected.shape)
        ]
        for label in (0, 1)
    }
    assert all(len(each) == 1 for each in colours.values()) and colours[0] != colours[1]
    x, y = np.meshgrid(grid.xs, grid.ys[::-1])
    predicted = np.stack(
        [side.model.predict(np.column_stack((x.ravel(), y.ravel()))).reshape(x.shape) for side in both]
    )
    sure = np.array(
        [colour(SHADES, np.full((1, 1), c, np.int8), np.ones((1, 1)), np.zeros((1, 1), bool))[0, 0] for c in (0, 1)]
    )
    of_first, of_second = (picture.argb[expected] == sure[shows[expected]] for shows in predicted)
    assert (of_first ^ of_second).all() and 0.4 < of_first.mean() < 0.6, "half of it in either's class"
    lines = [line[np.isfinite(line[:, 0])] for line in (picture.boundary, picture.margins)]
    unit = (grid.right - grid.left) / grid.width
    # On the two sides of its own line, a model predicts different classes.
    for line, side in zip(lines, both, strict=True):
        steps = [side.model.predict(line + shift) for shift in ((unit, 0), (-unit, 0), (0, unit), (0, -unit))]
        assert len(line) and np.mean([len(set(shows)) > 1 for shows in zip(*steps, strict=True)]) > 0.98


def document(*kinds: str, **others: Any) -> Document:
    lanes = tuple(Lane(kind) for kind in kinds)
    return Document(GeneratorSettings("moons", 20).points(), lanes=lanes, shown=len(lanes), **others)


def test_the_two_that_are_compared() -> None:
    assert compared(document("knn")) is None and compared(document("knn", "difference")) is None
    assert compared(document("knn", "svm")) == (0, 1)
    assert compared(document("knn", "svm", compared=(1, 0))) == (1, 0)
    assert compared(document("difference", "knn", "svm")) == (1, 2)
    assert compared(document("knn", "svm", "svm", compared=(0, 2))) == (0, 2)
    assert compared(replace(document("knn", "svm", "svm", compared=(0, 2)), shown=2)) == (0, 1), "one of them is hidden"
    assert able(document("knn", "difference", "svm")) == (0, 2)


def test_those_that_are_compared_stay_so_wherever_they_go() -> None:
    start = document("knn", "svm", "perceptron", compared=(2, 0))
    moved = MoveLane(index=2, to=0).apply(start)
    assert moved.compared == (0, 1) and moved.slots == (2, 0, 1, 3)
    added = AddLane(index=0, lane=Lane("pegasos")).apply(start)
    assert added.compared == (3, 1) and added.slots == (3, 0, 1, 2)
    assert RemoveLane(index=1).apply(start).compared == (1, 0)
    assert RemoveLane(index=2).apply(start).compared == (0, 1), "the one that is gone gives its place to another"
    alone = RemoveLane(index=0).apply(document("knn", "svm"))
    assert alone.lanes == (Lane("svm"),) and alone.slots[0] == 1 and compared(alone) is None
    with pytest.raises(ValueError, match="cannot be removed"):
        RemoveLane(index=0).apply(alone)
    full = document("knn", "svm", "perceptron", "pegasos")
    with pytest.raises(ValueError, match="room for 4"):
        AddLane(index=1).apply(full)
    hidden = AddLane(index=1, lane=Lane("difference")).apply(replace(full, shown=1))
    kinds = [lane.classifier for lane in hidden.lanes]
    assert hidden.shown == 2 and kinds == ["knn", "difference", "svm", "perceptron"]
    same = document("knn", "svm")
    assert MoveLane(index=0, to=2).apply(same) is same and MoveLane(index=0, to=-1).apply(same) is same


def results(doc: Document, both: Sides) -> Results:
    found = Results()
    for index, side in enumerate(both):
        frame = Frame(1, doc.slots[index], doc.points, side.lane, Phase.DONE, model=side.model)
        found.accept(frame)
    return found


def test_sentences() -> None:
    doc = replace(document("knn", "svm"), lanes=(LANES["knn"], LANES["linear"]), view=View(0.5, 0.25, 3.5))
    both = sides(doc.points, "knn", "linear")
    found = results(doc, both)
    assert difference_scene(document("knn"), found).sentences == ("Two classifiers are needed: add one with Ctrl+L.",)
    assert difference_scene(doc, found).sentences == ("Comparing…",)
    known = sides_of(doc, found)
    assert known is not None and known == both
    query = Differing(known, Grid(-2, 3, -1.5, 2, 40, 30), doc.points)
    last = answered(query)[-1]
    found.accept(Answer("compare", 1, query, last, True))
    scene = difference_scene(doc, found)
    area, of_points = scene.sentences
    assert area.startswith("1 and 2 differ on ") and area.endswith(" of the area in view.")
    assert last.involved is not None
    number, (first, second) = len(last.involved.index), last.involved.right
    assert (
        number and of_points == f"They differ on {number} of 40 points; 1 is right on {first} of them, 2 on {second}."
    )
    moved = replace(doc, points=doc.points.append([(0.0, 0.0)], [1]))
    assert "a moment ago" in difference_scene(moved, found).sentences[0]
    elsewhere = replace(doc, view=View(0.6, 0.25, 3.5))
    assert "a moment ago" in difference_scene(elsewhere, found).sentences[0], "the area in view is another"
    others = replace(doc, lanes=(*doc.lanes, Lane("svm")), shown=3, compared=(0, 2))
    assert difference_scene(others, found).difference is None, "that was of other lanes"
    found.accept(Answer("compare", 2, query, None, True, "It failed."))
    assert difference_scene(doc, found).sentences == ("It failed.",)


def test_a_query_reports_its_failure_and_late_answers_are_dropped() -> None:
    class Broken:
        def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Any:
            post("some")
            yield Priority.BACKGROUND
            raise ZeroDivisionError("no")

    answers: list[Answer] = []
    run(work_out(Answer("x", 3, Broken()), answers.append, lambda: False))
    assert [(a.value, a.done) for a in answers] == [("some", False), ("some", True)]
    assert "ZeroDivision" in answers[1].message
    answers.clear()
    run(work_out(Answer("x", 3, Broken()), answers.append, lambda: True))
    assert [(a.value, a.done) for a in answers] == [("some", False)], "what was promised comes, and no more"


def test_a_training_that_moves_is_followed() -> None:
    """With a request for each picture, the difference is still displayed: its first, coarse part always arrives."""
    points = GeneratorSettings("moons", 40).points()
    query = Differing(sides(points, "knn", "rbf"), Grid(-2, 3, -1.5, 2, 400, 300), points)
    posted: list[LaneDifference] = []
    with pytest.raises(OvertakenError):
        run(query.answer(posted.append, lambda: True))
    assert len(posted) == 1 and not posted[0].full and posted[0].involved is not None
    crowd = Points.of(np.random.default_rng(0).normal(size=(20_001, 2)), np.zeros(20_001, dtype=np.int64))
    posted.clear()
    with pytest.raises(OvertakenError):
        run(replace(query, points=crowd).answer(posted.append, lambda: True))
    assert len(posted) == 1 and posted[0].involved is None, "so many points wait until nothing moves"


def test_a_queue_of_background_work_waits_its_turn() -> None:
    class Quiet:
        def __init__(self) -> None:
            self.submitted: list[Priority] = []

        def submit(self, job: Any, priority: Priority) -> None:
            self.submitted.append(priority)
            self.job = job

        def hurry(self, job: Any) -> None:
            raise AssertionError("nobody waits for a picture here")

    pool = Quiet()
    queue: LatestQueue[int] = LatestQueue(pool, lambda number, overtaken: iter(()), Priority.BACKGROUND)  # type: ignore[arg-type]
    queue.submit(1)
    queue.submit(2)
    assert pool.submitted == [Priority.BACKGROUND]
    assert list(pool.job) == [Priority.BACKGROUND], "of two only the newest was done"


def settled(scheduler: Scheduler) -> None:
    for _ in range(2000):
        scheduler.collect()
        if scheduler.idle:
            return
        time.sleep(0.005)
    raise AssertionError("never idle")


def test_what_comes_too_late_of_a_lane_or_a_question_is_not_shown() -> None:
    points = GeneratorSettings("moons", 20).points()
    grid = Grid(-2.0, 3.0, -1.5, 2.0, 60, 40)
    scheduler = Scheduler(2, lambda: None)
    try:
        spec = LaneSpec(points, Lane("knn"), grid, SHADES, False, math.inf, 0, True)
        scheduler.request_picture(1, spec)
        settled(scheduler)
        frame = scheduler.results.frame(1)
        assert frame is not None
        scheduler.forget(1)
        scheduler._mailbox.post(frame)
        scheduler.collect()
        assert scheduler.results.frame(1) is None, "it was on its way when its lane was removed"
        scheduler.request_picture(1, spec)
        settled(scheduler)
        assert scheduler.results.frame(1) is not None
        query = Differing(sides(points, "knn", "linear"), grid, points)
        scheduler.request_answers({"compare": query})
        settled(scheduler)
        answer = scheduler.results.answer("compare")
        assert answer is not None and answer.done and answer.query == query
        scheduler.request_answers({"compare": replace(query)})
        settled(scheduler)
        assert scheduler.results.answer("compare") is answer, "an equal question keeps its answer"
        scheduler.request_answers({"compare": replace(query, grid=replace(grid, width=50))})
        settled(scheduler)
        newer = scheduler.results.answer("compare")
        assert newer is not None and newer.job > answer.job and newer.value.hatch.mask.shape == (40, 50)
        late = scheduler._mailbox.post
        late(answer)
        scheduler.collect()
        assert scheduler.results.answer("compare") is newer
        scheduler.request_answers({})
        late(newer)
        scheduler.collect()
        assert scheduler.results.answer("compare") is None
        scheduler.request_answers({"compare": query})
        late(newer)
        scheduler.collect()
        found = scheduler.results.answer("compare")
        assert found is None or found.number > newer.number, "it was asked before the pause"
    finally:
        assert scheduler.close()


def test_a_difference_is_exported_as_displayed() -> None:
    points = GeneratorSettings("moons", 60).points()
    both = sides(points, "knn", "linear")
    grid = Grid(-2.0, 3.0, -1.5, 2.0, 300, 210)
    frames: list[Frame] = []
    spec = LaneSpec(points, Lane("difference"), grid, SHADES, False, math.inf, 0, True, sides=both)
    run(LaneJob(frames.append)(LaneRequest(1, 2, spec), lambda: False))
    made: list[Any] = []
    run(enlarge(frames[-1], grid, SHADES, made.append, lambda: False))
    visible, picture = frames[-1].picture, made[0]
    assert visible is not None
    np.testing.assert_array_equal(picture.argb, visible.argb)
    for exported, shown in ((picture.boundary, visible.boundary), (picture.margins, visible.margins)):
        ends = {tuple(location) for location in exported[np.isfinite(exported[:, 0])].round(9).tolist()}
        known = {tuple(location) for location in shown[np.isfinite(shown[:, 0])].round(9).tolist()}
        assert len(known) > 20 and len(ends & known) > 0.8 * len(known)
