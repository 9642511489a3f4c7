"""Probability in the background: for which models and when it is fitted, and its picture."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import numpy as np
import pytest

from app.core.points import Points
from app.engine import probability
from app.engine.export_surface import picture_of
from app.engine.fitting import fitted
from app.engine.frames import Frame, Phase
from app.engine.pacing import Pace
from app.engine.probability import LEVELS, N_FOLDS, TOO_FEW
from app.engine.shading import colour
from app.learners.knn import neighbors_of
from app.scene import status_badge
from app.state.document import GeneratorSettings, KnnSettings, Lane, PegasosSettings, PerceptronSettings, SvmSettings
from app.state.session import Seek
from app.state.split import folds_of
from solver import SVC, CalibratedSVC, Grid
from solver.core.arrays import Array
from solver.svm.calibration import fit_sigmoids
from tests.app.engine.test_lane_job import LIGHT, SMALL, Background, four_blobs, spec, two_moons

SHADED = Lane("svm", svm=SvmSettings(tol=1e-7, gamma=2.0), shading="probability")
POINTS = two_moons(60, 0.4)


def finished(lane: Lane = SHADED, points: Points = POINTS, **changes: Any) -> tuple[Frame, list[Frame]]:
    background = Background()
    last = background.finish(spec(points, lane, **changes))
    return last, background.frames


def three_blobs(count: int = 40, noise: float = 1.2) -> Points:
    return GeneratorSettings(name="blobs", count=count, noise=noise, n_classes=3).points()


def locations_of(grid: Grid) -> Array:
    xs, ys = np.meshgrid(grid.xs, grid.ys)
    return np.column_stack((xs.ravel(), ys.ravel()))


def of_the_library(points: Points, multiclass: str = "one-vs-one") -> CalibratedSVC:
    """Return the library's classifier with the same folds."""
    fold = folds_of(points, N_FOLDS, 0)
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(N_FOLDS)]
    return CalibratedSVC(SVC(gamma=2.0, tol=1e-7, multiclass=multiclass), cv=folds).fit(points.xy, points.labels)


@pytest.mark.parametrize(
    ("points", "multiclass"), [(POINTS, "one-vs-one"), (three_blobs(), "one-vs-one"), (three_blobs(), "one-vs-rest")]
)
def test_class_and_shade_are_those_of_the_library(points: Points, multiclass: str) -> None:
    """Compare the 1200 pixels of a picture with `predict_proba`: the class, and its probability's excess over even."""
    lane = Lane("svm", svm=msgspec.structs.replace(SHADED.svm, multiclass=multiclass), shading="probability")
    last, frames = finished(lane, points)
    assert last.probability is not None and last.model is not None and last.picture is not None and last.full
    theirs = of_the_library(points, multiclass)
    locations = locations_of(SMALL)
    p, n_classes = theirs.predict_proba(locations), len(points.classes)
    assert last.probability.of(last.model.pair_decision_function(locations)) == pytest.approx(p, abs=1e-5)
    sureness = (p.max(axis=1) - 1.0 / n_classes) / (1.0 - 1.0 / n_classes)
    # A picture has 64 shades: the next shade is right, too, if a probability differs in its last digits.
    shades = [colour(LIGHT, p.argmax(axis=1), np.clip(sureness + d, 0, 1), p[:, 0] == 2.0) for d in (-1e-5, 0, 1e-5)]
    drawn = last.picture.argb[::-1].ravel()
    assert len(drawn) >= 1000 and (drawn == np.array(shades)).any(axis=0).all()
    assert len(np.unique(p.argmax(axis=1))) == n_classes and len(np.unique(drawn)) > 50
    contradicted = int((theirs.predict(points.xy) != last.model.predict(points.xy)).sum())
    assert last.probability.contradicted == contradicted
    assert frames[0].probability is None and frames[0].picture is not None  # f until its folds are trained
    plain, _ = finished(Lane("svm", svm=lane.svm), points)
    assert plain.picture is not None and plain.probability is None
    # Equal except for rounding: f is summed in another order if a busy machine cuts the training into more pieces.
    assert last.picture.boundary == pytest.approx(plain.picture.boundary, abs=1e-6, nan_ok=True)
    assert (plain.picture.argb == last.picture.argb).mean() < 0.5


def test_lines_of_several_classes_are_those_of_the_most_probable_one() -> None:
    grid = Grid(-4.0, 4.0, -3.0, 3.0, 160, 120)
    lane = Lane("svm", svm=SvmSettings(gamma=0.3), shading="probability")
    last, _ = finished(lane, three_blobs(noise=0.5), grid=grid)
    assert last.picture is not None and last.probability is not None and last.model is not None
    lines = last.picture.margins[np.isfinite(last.picture.margins).all(axis=1)]
    p = last.probability.of(last.model.pair_decision_function(lines)).max(axis=1)
    assert len(p) > 100 and np.abs(p[:, None] - [0.5, 0.9]).min(axis=1).max() < 0.02
    assert {0.5, 0.9} == {round(each, 1) for each in p}
    exported = next_value(picture_of(last, grid, LIGHT, Pace()))
    assert (exported.argb == last.picture.argb).all() and len(exported.margins) > 100


def test_lines_are_those_of_the_probability() -> None:
    last, _ = finished()
    plain, _ = finished(Lane("svm", svm=SHADED.svm))
    assert last.picture is not None and plain.picture is not None and last.probability is not None
    assert last.model is not None and plain.probability is None
    assert np.array_equal(last.picture.boundary, plain.picture.boundary, equal_nan=True)
    on_lines = last.picture.margins[np.isfinite(last.picture.margins).all(axis=1)]
    p = last.probability.of(last.model.pair_decision_function(on_lines))[:, 1]
    nearest = np.abs(p[:, None] - np.array(LEVELS)).argmin(axis=1)
    assert set(nearest) == {0, 1, 2} and np.abs(p - np.array(LEVELS)[nearest]).max() < 0.05
    exported = next_value(picture_of(last, SMALL, LIGHT, Pace()))
    assert (exported.argb == last.picture.argb).all()


def next_value(steps: Any) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def test_it_is_fitted_once_for_a_model_and_anew_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = itertools.count()

    def counted(*arguments: Any) -> Any:
        next(fits)
        return fit_sigmoids(*arguments)

    monkeypatch.setattr(probability, "fit_sigmoids", counted)
    background = Background()
    first = background.finish(spec(POINTS, SHADED))
    panned = background.finish(spec(POINTS, SHADED, grid=SMALL.coarse(share=0.5)))
    assert all(frame.probability is first.probability for frame in background.frames), "no picture of f in between"
    assert panned.probability is first.probability
    other = background.finish(spec(POINTS, Lane("svm", svm=SvmSettings(tol=1e-7, gamma=0.5), shading="probability")))
    assert background.frames[0].probability is None and other.probability is not first.probability
    moved = background.finish(spec(Points.of(POINTS.xy + 0.1, POINTS.labels), SHADED))
    assert background.frames[0].probability is None and moved.probability is not None
    assert next(fits) == 3


def test_a_training_on_its_way_shows_f() -> None:
    background = Background()
    paused = background.finish(spec(POINTS, SHADED, paused=True, seek=Seek(3, 1)))
    assert paused.phase is Phase.PAUSED and paused.probability is None
    (shown,) = status_badge.probability(paused)
    assert shown.text == "colours show f"


def test_until_the_loops_are_compiled_the_picture_shows_f() -> None:
    last, _ = finished(compiled=False)
    assert last.phase is Phase.DONE and last.full and last.probability is None
    assert status_badge.probability(last)[0].text == "probability follows"


def fold_of(known: Points) -> int:
    """Return the fold that is missing from the points that a fold's training was given."""
    left_out = {tuple(location) for location in POINTS.xy.tolist()} - {
        tuple(location) for location in known.xy.tolist()
    }
    (fold,) = {int(folds_of(POINTS, N_FOLDS, 0)[POINTS.xy.tolist().index(list(location))]) for location in left_out}
    return fold


def test_overtaken_it_stops_and_goes_on_with_the_fold_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    background, begun = Background(), list[int]()

    def counted(lane: Lane, known: Points, pace: Pace) -> Any:
        begun.append(fold_of(known))
        return (yield from fitted(lane, known, pace))

    monkeypatch.setattr(probability, "fitted", counted)
    for _ in background.start(spec(POINTS, SHADED), lambda: len(begun) >= 2):
        pass
    assert begun == [0, 1] and all(frame.probability is None for frame in background.frames)
    (shown,) = status_badge.probability(background.frames[-1])
    assert shown.text == "probability follows"
    last = background.finish(spec(POINTS, SHADED, grid=SMALL.coarse(share=0.5)))
    # Whether the second fold was finished is a matter of milliseconds; the first one was.
    assert sorted(set(begun)) == [0, 1, 2, 3, 4] and begun.count(0) == 1 and len(begun) <= 6
    assert last.probability is not None
    whole, _ = finished()
    assert whole.probability is not None
    assert (last.probability.A == whole.probability.A).all() and (last.probability.B == whole.probability.B).all()


def test_while_points_are_dragged_no_picture_has_the_probability_of_others() -> None:
    background, moved = Background(), POINTS
    for step in range(6):
        moved = moved.move([0], moved.xy[:1] + 0.05)
        begun = itertools.count()
        for _ in background.start(spec(moved, SHADED), lambda begun=begun, step=step: next(begun) > 3 * step):
            pass
        for frame in background.frames:
            assert frame.points is moved
            assert frame.probability is None or frame.probability is background.work._calibration.found
    last = background.finish(spec(moved, SHADED))
    alone, _ = finished(points=moved)
    assert last.probability is not None and alone.probability is not None
    np.testing.assert_allclose(last.probability.A, alone.probability.A, rtol=1e-4)


def test_it_is_chosen_and_left_while_the_model_trains() -> None:
    """Switch to f and back during the folds, and during the training itself."""
    plain, background = Lane("svm", svm=SHADED.svm), Background()
    for lane, pieces in ((SHADED, 1), (plain, 2), (SHADED, 5), (plain, 1), (SHADED, 9)):
        begun = itertools.count()
        for _ in background.start(spec(POINTS, lane), lambda begun=begun, pieces=pieces: next(begun) > pieces):
            pass
    last, (expected, _) = background.finish(spec(POINTS, SHADED)), finished()
    assert last.probability is not None and expected.probability is not None
    np.testing.assert_allclose(last.probability.A, expected.probability.A, rtol=1e-4)
    assert background.finish(spec(POINTS, plain)).probability is None
    again = background.finish(spec(POINTS, SHADED))
    assert again.probability is last.probability and all(frame.probability is not None for frame in background.frames)


def test_a_missing_probability_has_a_sentence() -> None:
    """Also for three points of a class: the sigmoid that five folds would fit may fall where f rises."""
    for fewest in (1, 3):
        some = np.random.default_rng(fewest).normal(size=(20, 2))
        last, _ = finished(points=Points.of(some, (np.arange(20) < fewest).astype(int)))
        sentence = TOO_FEW.format(fewest)
        assert sentence.endswith(f"the smallest has {fewest}.") and last.shaded_probability is None
        assert last.probability is not None and last.probability.refused == sentence
        assert status_badge.probability(last)[0].tip == sentence and not last.shows_probability
    alone, _ = finished(points=Points.of(POINTS.xy, np.zeros(len(POINTS), int)))
    assert alone.phase is Phase.EMPTY and alone.probability is None and status_badge.probability(alone) == ()


@pytest.mark.parametrize(
    ("lane", "points"),
    [
        (SHADED, four_blobs()),
        (Lane("perceptron", perceptron=PerceptronSettings(max_iter=5), shading="probability"), POINTS),
        (Lane("pegasos", pegasos=PegasosSettings(n_iter=500), shading="probability"), three_blobs()),
    ],
)
def test_every_learner_with_an_f_has_one(lane: Lane, points: Points) -> None:
    last, _ = finished(lane, points)
    assert last.probability is not None and not last.probability.refused and last.shows_probability
    assert last.model is not None
    p = last.probability.of(last.model.pair_decision_function(points.xy))
    assert (p.argmax(axis=1) == points.labels).mean() > 0.6


@pytest.mark.parametrize("points", [POINTS, three_blobs()], ids=["two", "three"])
def test_the_votes_of_neighbours_get_lines_and_no_other_colours(points: Points) -> None:
    grid = Grid(-2.0, 2.0, -1.5, 1.5, 200, 150)
    plain, lined = (
        finished(Lane("knn", knn=KnnSettings(n_neighbors=15, weights="distance"), **shading), points, grid=grid)[0]
        for shading in ({}, {"shading": "probability"})
    )
    assert plain.picture is not None and lined.picture is not None and lined.probability is None
    assert (plain.picture.argb == lined.picture.argb).all()
    assert np.array_equal(plain.picture.boundary, lined.picture.boundary, equal_nan=True)
    assert not len(plain.picture.margins) and not plain.shows_probability and lined.shows_probability
    lines = lined.picture.margins[np.isfinite(lined.picture.margins).all(axis=1)]
    share = neighbors_of(lined.lane.knn, 15).fit(points.xy, points.labels).predict_proba(lines).max(axis=1)
    levels = [0.9] if len(points.classes) == 2 else [0.5, 0.9]
    assert len(lines) > 100 and np.median(np.abs(share[:, None] - levels).min(axis=1)) < 0.05
    exported = next_value(picture_of(lined, grid, LIGHT, Pace()))
    assert len(exported.margins) > 100
    assert status_badge.probability(lined) == ()


def test_f_is_shaded_where_nothing_else_is_chosen() -> None:
    last, _ = finished(Lane("svm", svm=SHADED.svm))
    assert last.probability is None and not last.shows_probability and status_badge.probability(last) == ()


def test_contradictions_are_reported() -> None:
    rng = np.random.default_rng(2)
    X = np.r_[rng.normal(0, 1, (90, 2)), rng.normal(1, 1, (12, 2))]
    points = Points.of(X, np.r_[np.zeros(90, int), np.ones(12, int)])
    last, _ = finished(Lane("svm", svm=SvmSettings(class_weight="balanced"), shading="probability"), points)
    found = last.probability
    assert found is not None and found.contradicted > 5
    (shown,) = status_badge.probability(last)
    assert shown.text.startswith("50 % at f = ") and f"at {found.contradicted} training points" in shown.tip


def test_a_decreasing_sigmoid_is_reported() -> None:
    """Each point lies beside one of the other class and far from all others: without it, f there is the other's."""
    corners = np.repeat(np.array([(3.0 * i, 3.0 * j) for i in range(4) for j in range(4)]), 2, axis=0)
    points = Points.of(corners + np.tile([[0.0, 0.0], [0.1, 0.0]], (16, 1)), np.arange(32) % 2)
    last, _ = finished(Lane("svm", svm=SvmSettings(gamma=1.0), shading="probability"), points)
    assert last.probability is not None and last.probability.A[0] > 0 and last.probability.falls
    assert status_badge.probability(last)[0].text == "probability contradicts f"


def test_contradictions_of_several_classes_are_reported() -> None:
    points = three_blobs(60)
    own = Points.of(points.xy, points.labels).chosen(np.arange(len(points)) % 8 % (1 + 3 * points.labels) == 0)
    last, _ = finished(Lane("svm", svm=SvmSettings(class_weight="balanced"), shading="probability"), own)
    assert last.probability is not None and last.probability.contradicted > 0
    (shown,) = status_badge.probability(last)
    assert shown.text.startswith("other class at ") and str(last.probability.contradicted) in shown.text
