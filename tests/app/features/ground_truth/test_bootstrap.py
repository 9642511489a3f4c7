"""Bootstrap: resampled models against independent refits, the disagreement against all pairs, lines by contour."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import svm as libsvm

from app.core.points import Points
from app.engine.fitting import fitted
from app.engine.pacing import OvertakenError, Pace
from app.features.ground_truth import bootstrap
from app.features.ground_truth.bootstrap import Bootstrap, ResampleVotes, StabilityQuery, resampled
from app.features.ground_truth.text import haze_remarks
from app.state.document import GeneratorSettings, KnnSettings, Lane, PerceptronSettings, SvmSettings
from solver import Grid, KNeighborsClassifier
from solver.kernels.lines import level_lines

GRID = Grid(-1.5, 2.5, -1.2, 1.8, 40, 30)
LOCATIONS = np.column_stack([each.ravel() for each in np.meshgrid(GRID.xs, GRID.ys)])
SVM = Lane("svm", svm=SvmSettings(gamma=2.0, C=5.0, tol=1e-6))
KNN = Lane("knn", knn=KnnSettings(3))


def points_of(settings: GeneratorSettings | None = None) -> Points:
    return (settings or GeneratorSettings("moons", 25, 0.3, 2)).points()


def ask(query: StabilityQuery, overtaken: Any = lambda: False) -> list[Bootstrap]:
    posted: list[Bootstrap] = []
    with suppress(OvertakenError):
        list(query.answer(posted.append, overtaken))
    return posted


def pairs(classes: np.ndarray) -> float:
    """Return the share of locations on which two models differ, averaged over all pairs by a loop."""
    return float(np.mean([(a != b).mean() for a, b in itertools.combinations(classes, 2)]))


# -- the number --------------------------------------------------------------------------------------------------------


@given(st.integers(2, 9), st.integers(1, 12), st.integers(1, 8), st.integers(0, 2**31))
def test_disagreement_is_that_of_all_pairs(models: int, locations: int, classes: int, seed: int) -> None:
    shown = np.random.default_rng(seed).integers(0, classes, (models, locations))
    votes = ResampleVotes(locations)
    for each in shown:
        votes.add(each.astype(np.int8))
    assert votes.disagreement == pytest.approx(pairs(shown), abs=1e-12)


def test_disagreement_of_too_few() -> None:
    votes = ResampleVotes(3)
    assert math.isnan(votes.disagreement)
    votes.add(np.array([0, 1, 2]))
    assert math.isnan(votes.disagreement) and math.isnan(ResampleVotes(0).disagreement)
    votes.add(np.array([1, 2, 0]))
    assert votes.disagreement == 1.0


def test_a_resample_draws_with_replacement() -> None:
    points = points_of()
    index = {position: number for number, position in enumerate(map(tuple, points.xy.tolist()))}
    counts = np.zeros((200, len(points)), dtype=int)
    for number in range(200):
        drawn = resampled(points, number)
        where = [index[position] for position in map(tuple, drawn.xy.tolist())]
        assert len(drawn) == len(points) and where == sorted(where)
        assert (drawn.labels == points.labels[where]).all()
        counts[number] = np.bincount(where, minlength=len(points))
    assert abs((counts == 0).mean() - (1 - 1 / len(points)) ** len(points)) < 0.01  # about 1 / e
    assert abs(counts.var() - (1 - 1 / len(points))) < 0.05 and counts.max() >= 4
    assert (resampled(points, 7).xy == resampled(points, 7).xy).all()


# -- independent references --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_svm_against_libsvm(n_classes: int) -> None:
    """LIBSVM, fitted to the same resamples, predicts the same classes, within the tolerance."""
    points = points_of(GeneratorSettings("blobs", 20, 0.6, 1, n_classes=n_classes))
    last = ask(StabilityQuery(SVM, points, 8, GRID))[-1]
    surface, at_points = [], []
    for number in range(8):
        drawn = resampled(points, number)
        theirs = libsvm.SVC(C=5.0, gamma=2.0, tol=1e-6).fit(drawn.xy, drawn.labels)
        surface.append(theirs.predict(LOCATIONS))
        at_points.append(theirs.predict(points.xy))
    assert (last.done, last.of, last.lost, last.unfinished) == (8, 8, 0, 0)
    assert last.area == pytest.approx(pairs(np.array(surface)), abs=2e-3)
    assert last.at_points == pytest.approx(pairs(np.array(at_points)), abs=2e-3)
    assert 0.01 < last.area < 0.6


def test_neighbours_against_a_search_of_all(seed: int = 0) -> None:
    """A point drawn twice votes twice; ties follow the classifier's own rule, at each location."""
    points = points_of()
    last = ask(StabilityQuery(KNN, points, 6, GRID))[-1]
    shown = [
        KNeighborsClassifier(3).fit(drawn.xy, drawn.labels).predict(LOCATIONS)
        for drawn in (resampled(points, number) for number in range(6))
    ]
    assert last.area == pytest.approx(pairs(np.array(shown)), abs=1e-12)
    first = resampled(points, 0)
    distance = ((LOCATIONS[:, None] - first.xy[None]) ** 2).sum(axis=2)
    order = np.argsort(distance, axis=1, kind="stable")[:, :4]
    near = np.take_along_axis(distance, order, axis=1)
    clear = near[:, 3] - near[:, 2] > 1e-12  # no tie at the edge of the neighbourhood
    votes = first.labels[order[:, :3]].sum(axis=1)
    assert clear.sum() > 500 and (shown[0][clear] == (votes >= 2)[clear]).all()


def test_lines_are_the_contours_of_the_refitted_models() -> None:
    points = points_of()
    last = ask(StabilityQuery(SVM, points, 5, GRID))[-1]
    assert last.lines.style == "haze" and last.drawn == 5
    parts = []
    for number in range(5):
        f = _finish(fitted(SVM, resampled(points, number), Pace())).model.decision_function(LOCATIONS)
        parts += [level_lines(GRID, f.reshape(30, 40), (0.0,)), np.full((1, 2), np.nan)]
    ours, theirs = last.lines.xy, np.concatenate(parts[:-1])
    assert ours.shape == theirs.shape and np.nanmax(np.abs(ours - theirs)) < 1e-9
    # By LIBSVM, too: its f is about 0 along the line of the first model.
    drawn = resampled(points, 0)
    theirs = libsvm.SVC(C=5.0, gamma=2.0, tol=1e-6).fit(drawn.xy, drawn.labels)
    line = parts[0][~np.isnan(parts[0]).any(axis=1)]
    assert np.abs(theirs.decision_function(line)).max() < 0.2 and np.ptp(theirs.decision_function(LOCATIONS)) > 1.5


def _finish(steps: Generator[Any, None, Any]) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


# -- failures ----------------------------------------------------------------------------------------------------------


def test_resamples_that_lost_a_class() -> None:
    rng = np.random.default_rng(0)
    xy = np.vstack([rng.normal(0, 0.3, (12, 2)), [(1.5, 1.0), (1.6, 1.0)]])
    points = Points.of(xy, [0] * 12 + [1, 1])
    lost = [number for number in range(30) if len(resampled(points, number).classes) < 2]
    assert 2 <= len(lost) <= 8
    for lane in (SVM, KNN):
        last = ask(StabilityQuery(lane, points, 30, GRID))[-1]
        assert last.lost == len(lost) and last.done == 30
    known = bootstrap._kept(points, SVM)
    assert all((known[number].model is None) == (number in lost) for number in range(30))
    assert all((known[number].labels == 0).all() for number in lost)
    three = Points.of(np.vstack([xy, [(-1.4, 1.5)]]), [0] * 12 + [1, 1, 2])
    last = ask(StabilityQuery(SVM, three, 20, GRID))[-1]
    assert last.lost == sum(len(resampled(three, number).classes) < 3 for number in range(20)) > 3


def test_one_class_never_disagrees_where_it_can_be_learnt_at_all() -> None:
    points = Points.of([(0, 0), (1, 1), (0, 1)], [4, 4, 4])
    last = ask(StabilityQuery(KNN, points, 5, GRID))[-1]
    assert (last.area, last.at_points, len(last.lines.xy)) == (0.0, 0.0, 0)
    with pytest.raises(ValueError, match="points of two classes"):
        ask(StabilityQuery(SVM, points, 5, GRID))
    with pytest.raises(ValueError, match="at least two points"):
        ask(StabilityQuery(KNN, points.remove([0, 1]), 5, GRID))


def test_unfinished_training_is_reported() -> None:
    lane = Lane("perceptron", perceptron=PerceptronSettings(max_iter=2))
    last = ask(StabilityQuery(lane, points_of(), 5, GRID))[-1]
    assert last.unfinished == 5  # no line separates the moons
    assert "5 of them" in haze_remarks(last)


def test_another_view_and_more_resamples_learn_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    points = points_of(GeneratorSettings("moons", 20, 0.3, 9))
    fits: list[int] = []

    def counted(*arguments: Any, **named: Any) -> Any:
        fits.append(1)
        return fitted(*arguments, **named)

    monkeypatch.setattr(bootstrap, "fitted", counted)
    first = ask(StabilityQuery(SVM, points, 6, GRID))[-1]
    assert len(fits) == 6
    other = Grid(-1.0, 1.0, -1.0, 1.0, 30, 30)
    elsewhere = ask(StabilityQuery(SVM, points, 6, other))[-1]
    assert len(fits) == 6 and elsewhere.area != first.area and elsewhere.at_points == first.at_points
    ask(StabilityQuery(SVM, points, 9, GRID))
    assert len(fits) == 9
    ask(StabilityQuery(Lane("svm"), points, 5, GRID))
    assert len(fits) == 14  # other settings make other models
    ask(StabilityQuery(SVM, points_of(GeneratorSettings("moons", 20, 0.3, 8)), 5, GRID))
    assert len(fits) == 19


def test_lines_that_would_hide_everything_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    points = points_of()
    whole = ask(StabilityQuery(KNN, points, 6, GRID))[-1]
    monkeypatch.setattr(bootstrap, "MOST_VERTICES", len(whole.lines.xy) // 2)
    last = ask(StabilityQuery(KNN, points, 6, GRID))[-1]
    assert 0 < last.drawn < 6 and len(last.lines.xy) <= len(whole.lines.xy) // 2 and last.area == whole.area
    assert np.array_equal(last.lines.xy, whole.lines.xy[: len(last.lines.xy)], equal_nan=True)


def test_it_appears_bit_by_bit_and_stops_when_overtaken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "INTERVAL", 0.0)
    points = points_of(GeneratorSettings("moons", 20, 0.3, 5))
    posted = ask(StabilityQuery(KNN, points, 7, GRID))
    assert [each.done for each in posted] == list(range(1, 8)) and math.isnan(posted[0].area)
    assert [each.drawn for each in posted] == list(range(1, 8))
    looks = itertools.count()
    assert len(ask(StabilityQuery(SVM, points, 50, GRID), lambda: next(looks) > 12)) < 12
