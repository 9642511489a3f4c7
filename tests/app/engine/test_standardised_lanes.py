"""Lanes that standardise: pictures, folds and answers against scikit-learn's pipelines with the same parameters."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest
import sklearn.neighbors
import sklearn.svm
from msgspec.structs import replace
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from app.core.points import Points
from app.engine.cross_validation import Validated, cross_validated, folds_of
from app.engine.fitting import fitted
from app.engine.frames import LaneSpec, Phase
from app.engine.pacing import Pace, never
from app.engine.surface_values import source_of, surface
from app.features.active_learning.query import training
from app.features.study.planning import plan_of, planned
from app.features.validation_curves import scene as curves
from app.state.document import Document, GeneratorSettings, Lane
from solver import Grid

from .test_lane_job import LIGHT, Background

#: Scale and shift of x, for other units, far from the origin.
SCALE, SHIFT = (250.0, 0.5), (4000.0, -7.0)


def in_units(points: Points) -> Points:
    return Points.of(points.xy * SCALE + SHIFT, points.labels, points.ids)


PLAIN = GeneratorSettings(count=60, noise=0.3).points()
TWO = in_units(PLAIN)
THREE = in_units(GeneratorSettings("blobs", 40, 0.9, n_classes=3, seed=2).points())


def standardised(classifier: str, **settings: Any) -> Lane:
    lane = Lane(classifier, standardise=True)
    return lane.with_part(classifier, msgspec.structs.replace(lane.settings, **settings))


def grid_of(points: Points, width: int = 125, height: int = 80) -> Grid:
    """Return a grid of 10 000 locations around the points."""
    low, high = points.xy.min(axis=0), points.xy.max(axis=0)
    (left, bottom), (right, top) = low - 0.3 * (high - low), high + 0.3 * (high - low)
    return Grid(float(left), float(right), float(bottom), float(top), width, height)


def locations_on(grid: Grid) -> np.ndarray:
    x, y = np.meshgrid(grid.xs, grid.ys)
    return np.column_stack((x.ravel(), y.ravel()))


def svm(gamma: float = 1.0, **others: Any) -> Any:
    return make_pipeline(StandardScaler(), sklearn.svm.SVC(gamma=gamma, tol=1e-7, break_ties=False, **others))


def knn(k: int, **others: Any) -> Any:
    return make_pipeline(StandardScaler(), sklearn.neighbors.KNeighborsClassifier(k, **others))


def ended(work: Any) -> Any:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


CASES = [
    ("knn", {"n_neighbors": 7}, TWO, knn(7)),
    ("knn", {"n_neighbors": 4, "weights": "distance", "metric": "manhattan"}, THREE, knn(4, weights="distance", p=1)),
    ("svm", {"tol": 1e-7}, TWO, svm()),
    ("svm", {"tol": 1e-7, "kernel": "linear"}, TWO, svm(kernel="linear")),
    ("svm", {"tol": 1e-7, "trainer": "dual-ascent"}, TWO, svm()),
]


@pytest.mark.parametrize(("classifier", "settings", "points", "pipeline"), CASES)
def test_the_picture_of_a_lane_is_that_of_the_pipeline(
    classifier: str, settings: dict[str, Any], points: Points, pipeline: Any
) -> None:
    lane, grid = standardised(classifier, **settings), grid_of(points)
    wanted = LaneSpec(points, lane, grid, LIGHT, False, math.inf, 0, True)
    frame = Background().finish(wanted)
    assert frame.phase is Phase.DONE and frame.model is not None and frame.picture is not None
    pipeline.fit(points.xy, points.labels)
    shown = ended(surface(source_of(frame.model, lane), grid, Pace(never)))
    locations = locations_on(grid)
    expected = pipeline.predict(locations).reshape(shown.classes.shape)
    ties = shown.tie if classifier == "knn" else np.zeros_like(shown.tie)
    np.testing.assert_array_equal(shown.classes[~ties], expected[~ties])
    assert ties.mean() < 0.2
    # These classes are painted in the colours of the classes, or paler.
    alone = np.unique(frame.picture.argb[::-1][shown.classes == 0])
    assert not np.isin(alone, frame.picture.argb[::-1][(shown.classes == 1) & ~shown.tie]).all()
    assert frame.accuracy == pytest.approx(pipeline.score(points.xy, points.labels), abs=0.02)
    if frame.model.kind == "f":
        f, g = frame.model.decision_function(locations), pipeline.decision_function(locations)
        assert np.abs(f - g).max() <= 1e-3 * np.abs(g).max()
        np.testing.assert_allclose(shown.f.ravel(), f, atol=1e-9 * np.abs(f).max())


@pytest.mark.parametrize("classifier", ["knn", "svm", "perceptron", "pegasos", "condensed_knn", "edited_knn"])
def test_a_standardised_lane_does_not_depend_on_the_units(classifier: str) -> None:
    lane, frames = standardised(classifier), []
    for points in (PLAIN, TWO):
        wanted = LaneSpec(points, lane, grid_of(points), LIGHT, False, math.inf, 0, True)
        frames.append(Background().finish(wanted))
    assert (frames[0].picture.argb != frames[1].picture.argb).mean() < 0.002
    assert frames[0].accuracy == frames[1].accuracy
    bare = replace(wanted, lane=msgspec.structs.replace(lane, standardise=False), points=TWO)
    assert (Background().finish(bare).picture.argb != frames[1].picture.argb).mean() > 0.01


def test_a_training_goes_on_while_the_points_are_dragged() -> None:
    lane, work = standardised("svm", tol=1e-7), Background()
    wanted = LaneSpec(TWO, lane, grid_of(TWO), LIGHT, False, math.inf, 0, True)
    first = work.finish(wanted)
    moved = TWO.move([0], [TWO.xy[0] + 300.0])
    second = work.finish(replace(wanted, points=moved))
    fresh = Background().finish(replace(wanted, points=moved))
    locations = locations_on(wanted.grid)
    f, g = (each.model.decision_function(locations) for each in (second, fresh))
    assert np.abs(f - g).max() < 1e-4
    assert np.abs(f - first.model.decision_function(locations)).max() > 1e-3
    third = work.finish(replace(wanted, lane=msgspec.structs.replace(lane, standardise=False)))
    assert third.model.scaler is None and third.ended


@pytest.mark.slow
def test_an_estimator_of_scikit_learn_is_a_pipeline_in_its_process() -> None:
    lane = standardised("mlp", hidden=6)
    work = Background()
    frame = work.finish(LaneSpec(TWO, lane, grid_of(TWO, 40, 30), LIGHT, False, math.inf, 0, True))
    work.work.close()
    assert frame.phase is Phase.DONE and frame.model is not None, frame.message
    assert frame.accuracy > 0.85  # without standardising, its sums are saturated
    plain = Background()
    bare = plain.finish(
        LaneSpec(
            TWO, msgspec.structs.replace(lane, standardise=False), grid_of(TWO, 40, 30), LIGHT, False, 1.0, 0, True
        )
    )
    plain.work.close()
    assert bare.accuracy != frame.accuracy


@pytest.mark.parametrize(
    ("lane", "pipeline"),
    [(standardised("knn", n_neighbors=3), knn(3)), (standardised("svm", tol=1e-7, gamma=4.0), svm(4.0))],
)
@pytest.mark.parametrize("k", [4, 0])
def test_each_fold_has_a_scaler_of_its_own(lane: Lane, pipeline: Any, k: int) -> None:
    # Distant outliers: a scaler fitted on all points would differ in most folds.
    random = np.random.default_rng(4)
    few = in_units(GeneratorSettings(count=20, noise=0.4).points())
    points = few.move([0, 21], few.xy[[0, 21]] + random.normal(size=(2, 2)) * SCALE * np.array([30.0, 30.0]))
    posted: list[Validated] = []
    ended(cross_validated(lane, points, k, 7, Pace(never), posted.append))
    fold = folds_of(points, k or len(points), 7)
    right = 0
    for number in range(k or len(points)):
        out = fold == number
        pipeline.fit(points.xy[~out], points.labels[~out])
        right += int((pipeline.predict(points.xy[out]) == points.labels[out]).sum())
    assert posted[-1].mean == pytest.approx(right / len(points))


def test_a_curve_of_k_standardises_without_each_fold() -> None:
    lane = standardised("knn")
    found: list[curves.Curve] = []
    query = curves.CurveQuery(TWO.sample(40), curves.asked_lane(lane, "k"), "k")
    assert query.lane.standardises
    for _ in query.answer(found.append, lambda: False):
        pass
    curve = found[-1]
    index = curve.scale.position_of(5)
    expected: list[Validated] = []
    ended(
        cross_validated(
            standardised("knn", n_neighbors=5), TWO.sample(40), curves.FOLDS, curves.SEED, Pace(never), expected.append
        )
    )
    assert curve.complete and curve.validated[index] == pytest.approx(expected[-1].mean)


def test_labels_are_learned_standardised() -> None:
    for lane in (standardised("knn", n_neighbors=1), standardised("svm", tol=1e-7)):
        made, _ = ended(training(Points.of(TWO.xy[::3], TWO.labels[::3]), lane, None, Pace(never)))
        whole = ended(fitted(lane, Points.of(TWO.xy[::3], TWO.labels[::3]), Pace(never)))
        locations = locations_on(grid_of(TWO))
        assert (made.model.predict(locations) == whole.model.predict(locations)).mean() > 0.9999
        assert made.model.scaler is not None


def test_a_study_of_one_keeps_it() -> None:
    lane = standardised("svm")
    document = Document(TWO, (lane,), 1)
    plan = plan_of("grid", lane, document)
    assert planned(plan, lane, document).study.lane.standardises
    assert not planned(plan, Lane("svm"), document).study.lane.standardises


def test_settings_of_lanes_are_distinguished_by_it() -> None:
    lane = standardised("knn")
    assert lane.training_key != Lane("knn").training_key and lane != Lane("knn")
    assert lane.title == f"{Lane('knn').title}, standardised"
    assert msgspec.structs.replace(lane, standardise=False) == Lane("knn")
    assert Lane("knn", standardise=False) == Lane("knn")
    assert b"standardise" not in msgspec.json.encode(Lane("knn"))
