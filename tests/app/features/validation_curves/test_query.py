"""Curves over the range of a control: equal to refits one by one, growing, honest about what is not finished."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sklearn import svm as reference
from sklearn.neighbors import KNeighborsClassifier as NeighboursReference

from app.core.points import Points
from app.engine.pacing import OvertakenError
from app.engine.query import Answer
from app.engine.results import Results
from app.features.validation_curves import scene as curves
from app.features.validation_curves import view_curve
from app.features.validation_curves.scene import (
    FOLDS,
    SEED,
    Curve,
    CurveQuery,
    ValidationCurve,
    ValidationCurvesSession,
    asked_lane,
    name_of,
    order_of,
    queries,
    question_of,
)
from app.features.validation_curves.scene import lane as strips_of
from app.learners.base import FieldSearch
from app.learners.fields import Field
from app.learners.scales import RankScale
from app.scene.model import Context
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, SvmSettings
from app.state.session import Session
from app.state.split import folds_of
from solver import SVC, KNeighborsClassifier

C_SCALE, GAMMA_SCALE = (Lane("svm").family.field(name).scale(0) for name in ("C", "gamma"))

POINTS = GeneratorSettings(count=20, noise=0.35).points()
TEST = GeneratorSettings(count=30, noise=0.35, seed=5).points()
THREE = GeneratorSettings(name="blobs", count=12, n_classes=3, noise=0.6).points()


def run(query: CurveQuery, overtaken: Callable[[], bool] = lambda: False) -> list[Curve]:
    got: list[Curve] = []
    for _ in query.answer(got.append, overtaken):
        pass
    return got


def controls_of(lane: Lane) -> list[str]:
    return [field.name for field in lane.family.curves(lane.settings)]


def curve_of(points: Points, lane: Lane, control: str, test: Points | None = None) -> Curve:
    return run(CurveQuery(points, asked_lane(lane, control), control, test))[-1]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use scales with few positions: each of them takes six trainings."""
    sizes = {"C": 12, "gamma": 10}
    whole = Field.scale
    monkeypatch.setattr(
        Field, "scale", lambda field, n: Coarse(sizes[field.name]) if field.name in sizes else whole(field, n)
    )


class Coarse:
    """A scale with a position for each factor of ten."""

    def __init__(self, count: int) -> None:
        self.low, self.high = -4, count - 5

    def value_at(self, location: int) -> float:
        return 10.0 ** (0.5 * location)

    def position_of(self, value: float) -> int:
        return round(2 * math.log10(value))


# -- kNN ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", ["uniform", "distance", "distance-squared"])
@pytest.mark.parametrize("points", [POINTS, THREE], ids=["two", "three"])
def test_the_curve_of_k_is_that_of_refits(points: Points, weights: str) -> None:
    lane = Lane("knn", knn=KnnSettings(3, weights))  # type: ignore[arg-type]
    curve = curve_of(points, lane, "k", TEST)
    assert curve.complete and curve.counted == curve.total == len(points)
    n = len(points)
    for index in range(curve.scale.high + 1):
        k = int(curve.scale.value_at(index))
        model = KNeighborsClassifier(k, weights).fit(points.xy, points.labels)
        assert curve.train[index] == pytest.approx(right_of(model, points.xy, points.labels))
        assert curve.test[index] == pytest.approx(right_of(model, TEST.xy, TEST.labels))
        right = 0.0
        for i in range(n):
            rest = np.delete(np.arange(n), i)
            one = KNeighborsClassifier(k, weights).fit(points.xy[rest], points.labels[rest])
            right += right_of(one, points.xy[i : i + 1], points.labels[i : i + 1])
        assert curve.validated[index] == pytest.approx(right / n), k


def right_of(model: KNeighborsClassifier, xy: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of right answers; a tie of m classes counts 1/m."""
    votes = model.predict_proba(xy)
    ahead = votes == votes.max(axis=1, keepdims=True)
    return float(((ahead & (model.classes_ == labels[:, None])).sum(axis=1) / ahead.sum(axis=1)).mean())


def test_the_curve_of_k_is_scikit_learns_where_nothing_ties() -> None:
    curve = curve_of(POINTS, Lane("knn"), "k", TEST)
    for k in (1, 3, 5, 9, 15):
        theirs = NeighboursReference(k).fit(POINTS.xy, POINTS.labels)
        assert curve.test[curve.scale.position_of(k)] == pytest.approx(theirs.score(TEST.xy, TEST.labels))


def test_failures_of_other_settings_are_not_reported_for_these() -> None:
    document = Document(POINTS, (Lane("knn"), Lane("svm")))
    asked, session = (
        question_of(document, document.lanes[0], "k"),
        Session().having(ValidationCurvesSession(strips=True)),
    )
    other, curve = replace(asked, points=THREE), curve_of(POINTS, Lane("knn"), "k")
    for of, value, report in ((asked, curve, "wrong"), (other, curve, ""), (other, None, "wrong")):
        results = Results()
        results.accept(Answer(name_of(0, "k"), 1, of, value, True, "wrong"))
        (strip,) = strips_of(Context(document, session, results), 0).curves
        assert (strip.message, strip.curve, strip.stale) == (report, value, of is other)


def test_a_curve_of_a_sample_of_the_points_reports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "BLOCK", 200)
    monkeypatch.setattr(curves, "INTERVAL", 0.0)
    got = run(CurveQuery(POINTS, asked_lane(Lane("knn"), "k"), "k"))
    assert len(got) > 5 and [each.counted for each in got] == sorted(each.counted for each in got)
    assert not any(each.complete for each in got[:-1]) and got[-1].complete
    assert all(each.counted < each.total for each in got[:-2])
    monkeypatch.setattr(curves, "MOST_COUNTED", 10)
    assert run(CurveQuery(POINTS, asked_lane(Lane("knn"), "k"), "k"))[-1].sampled == 10


# -- SVM ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("control", ["C", "gamma"])
@pytest.mark.parametrize("points", [POINTS, THREE], ids=["two", "three"])
def test_the_curve_of_an_svm_is_that_of_scikit_learns_refits(few: None, points: Points, control: str) -> None:
    lane = Lane("svm", svm=SvmSettings(C=2.0, gamma=0.7))
    curve = curve_of(points, lane, control, TEST)
    fold = folds_of(points, FOLDS, SEED)
    assert curve.complete and len(curve.known) == curve.scale.high - curve.scale.low + 1
    for position in range(len(curve.train)):
        value = curve.scale.value_at(curve.scale.low + position)
        parameters = {"C": 2.0, "gamma": 0.7} | {control: value}

        def theirs(index: np.ndarray, parameters: dict[str, float] = parameters) -> reference.SVC:
            return reference.SVC(**parameters, tol=1e-5).fit(points.xy[index], points.labels[index])

        every = np.arange(len(points))
        model = theirs(every)
        validated = np.mean(
            [theirs(every[fold != f]).score(points.xy[fold == f], points.labels[fold == f]) for f in range(FOLDS)]
        )
        # A point within tol of a boundary may fall on either side of it.
        one = 1.01 / len(points)
        assert curve.train[position] == pytest.approx(model.score(points.xy, points.labels), abs=one)
        assert curve.test[position] == pytest.approx(model.score(TEST.xy, TEST.labels), abs=1.01 / len(TEST))
        assert curve.validated[position] == pytest.approx(validated, abs=one)


def test_the_values_are_those_of_our_own_refits(few: None) -> None:
    lane = Lane("svm", svm=SvmSettings("poly", gamma=0.5, class_weight="balanced"))
    curve = curve_of(POINTS, lane, "C")
    for position in (0, 5, 9):
        C = curve.scale.value_at(curve.scale.low + position)
        model = SVC(C, "poly", 3, 0.5, 1.0, class_weight="balanced").fit(POINTS.xy, POINTS.labels)
        assert curve.train[position] == pytest.approx((model.predict(POINTS.xy) == POINTS.labels).mean(), abs=0.026)
    assert np.isnan(curve.test).all()


def test_coarse_positions_come_first_and_each_once(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "INTERVAL", 0.0)
    got = run(CurveQuery(POINTS, asked_lane(Lane("svm"), "C"), "C"))
    assert [len(each.known) for each in got] == list(range(1, 13))
    assert got[3].known.tolist() == [0, 4, 8, 11]
    assert [each.complete for each in got] == [False] * 11 + [True]
    for array in (got[3].train, got[3].validated):
        with pytest.raises(ValueError):
            array[0] = 0.0


@given(st.integers(1, 300))
def test_the_order_of_the_positions(count: int) -> None:
    order = order_of(count)
    assert sorted(order) == list(range(count))
    first = (count + 3) // 4 + ((count - 1) % 4 > 0)
    assert all(location % 4 == 0 or location == count - 1 for location in order[:first])


def test_a_stopped_curve_is_not_finished(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    count = len(curve_of(POINTS, Lane("svm"), "gamma").known)
    monkeypatch.setattr(curves, "MOST_UPDATES", 3)
    curve = curve_of(POINTS, Lane("svm"), "gamma")
    assert not curve.finished.any() and len(curve.known) == count
    assert not curve_of(POINTS, Lane("svm"), "C").finished[0], "no update is needed where a path goes on"


@pytest.mark.parametrize("points", [POINTS, THREE], ids=["two", "three"])
def test_a_curve_over_C_is_that_of_trainings_from_zero(
    few: None, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a small tolerance no point is within it of a boundary, so each accuracy is the same."""
    lane = Lane("svm", svm=SvmSettings(gamma=2.0, tol=1e-7))
    found = curve_of(points, lane, "C", TEST)
    monkeypatch.setattr(curves.PathOfC, "suits", lambda *of: False)
    anew = curve_of(points, lane, "C", TEST)
    for name in ("train", "validated", "test"):
        assert np.array_equal(getattr(found, name), getattr(anew, name))
    assert found.finished.all() and anew.finished.all()


@pytest.mark.parametrize("settings", [SvmSettings(hard_margin=True), SvmSettings("sigmoid")], ids=["hard", "sigmoid"])
def test_a_curve_over_C_without_a_path_is_trained_anew(few: None, settings: SvmSettings) -> None:
    curve = curve_of(POINTS, Lane("svm", svm=settings), "C", TEST)
    assert curve.complete and len(curve.known) == 12


def test_a_margin_that_does_not_exist_is_not_finished(few: None) -> None:
    """A small gamma separates nothing here; a large one everything."""
    curve = curve_of(POINTS, Lane("svm", svm=SvmSettings(hard_margin=True)), "gamma")
    assert not curve.finished[0] and curve.finished[-1]


@pytest.mark.slow
def test_trainers_with_the_same_optimum_share_a_curve_and_others_do_not(few: None) -> None:
    def asked(**svm: object) -> Lane:
        return asked_lane(Lane("svm", svm=SvmSettings(**svm)), "C")  # type: ignore[arg-type]

    smo = asked()
    for same in (asked(trainer="lasvm"), asked(trainer="dual-ascent"), asked(selection="random"), asked(C=7.0)):
        assert same == smo
    for other in (
        asked(trainer="lasvm", finish=False),
        asked(trainer="dual-ascent", fit_intercept=False),
        asked(gamma=2.0),
        asked(kernel="linear"),
        asked(class_weight="balanced"),
        asked(tol=0.1),
    ):
        assert other != smo
    curve = curve_of(POINTS, Lane("svm", svm=SvmSettings(trainer="dual-ascent", fit_intercept=False)), "C")
    plain = curve_of(POINTS, Lane("svm"), "C")
    assert not np.array_equal(curve.train, plain.train)


def test_what_a_question_depends_on() -> None:
    lane = Lane("svm")
    query = CurveQuery(POINTS, asked_lane(lane, "gamma"), "gamma")
    moved = msgspec.structs.replace(lane, svm=msgspec.structs.replace(lane.svm, gamma=3.0), pair=(0, 2))
    assert CurveQuery(POINTS, asked_lane(moved, "gamma"), "gamma") == query
    dearer = msgspec.structs.replace(lane, svm=msgspec.structs.replace(lane.svm, C=3.0))
    assert CurveQuery(POINTS, asked_lane(dearer, "gamma"), "gamma") != query
    assert CurveQuery(POINTS.move([0], [[0.0, 0.0]]), asked_lane(lane, "gamma"), "gamma") != query
    assert replace(query, test=TEST) != query
    k = Lane("knn", knn=KnnSettings(9))
    assert asked_lane(k, "k") == asked_lane(Lane("knn"), "k")
    assert asked_lane(Lane("knn", knn=KnnSettings(9, "distance")), "k") != asked_lane(k, "k")


def test_it_ends_soon_when_it_is_obsolete(few: None) -> None:
    for control, lane in (("C", Lane("svm")), ("k", Lane("knn"))):
        got: list[Curve] = []
        calls = 0

        def overtaken() -> bool:
            nonlocal calls
            calls += 1
            return calls > 1

        with pytest.raises(OvertakenError):
            list(CurveQuery(POINTS, asked_lane(lane, control), control).answer(got.append, overtaken))
        assert calls == 2 and not any(each.complete for each in got)


@pytest.mark.parametrize("control", ["k", "C", "gamma"])
def test_too_few_points_are_a_sentence(control: str) -> None:
    lane = Lane("knn" if control == "k" else "svm")
    for points in (Points(), Points.of([[0.0, 0.0]], [0])):
        with pytest.raises(ValueError, match=r"^The curve needs .*\.$"):
            run(CurveQuery(points, asked_lane(lane, control), control))
    one = Points.of([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], [3, 3, 3])
    if control == "k":
        assert curve_of(one, lane, control).validated.tolist() == [1.0, 1.0]
    else:
        with pytest.raises(ValueError, match="two classes"):
            run(CurveQuery(one, asked_lane(lane, control), control))


def test_a_class_of_one_point_can_be_left_out(few: None) -> None:
    points = Points.of([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0]], [0, 0, 0, 1])
    curve = curve_of(points, Lane("svm", svm=SvmSettings(C=100.0)), "gamma")
    assert (curve.validated <= 0.75).all() and curve.train[-1] == 1.0
    assert (curve.folds, curve.fewest, curve.method) == (4, 1, "4 folds"), "four points make four folds"


# -- scales ------------------------------------------------------------------------------------------------------------


@given(st.integers(1, 20_000))
def test_every_position_has_a_value_of_its_own(n: int) -> None:
    scale = Lane("knn").family.field("k").scale(n)
    assert isinstance(scale, RankScale)
    values = [scale.value_at(index) for index in range(scale.low, scale.high + 1)]
    assert values[0] == 1 and values[-1] == min(max(n - 1, 1), 9999)
    assert values == sorted(set(values)) and values[:17] == list(range(1, len(values[:17]) + 1))
    assert [scale.position_of(value) for value in values] == list(range(len(values)))
    assert scale.position_of(10**9) == scale.high


@pytest.mark.parametrize("scale", [C_SCALE, GAMMA_SCALE])
def test_positions_and_values_of_numbers_of_any_size(scale: object) -> None:
    assert isinstance(scale, type(C_SCALE))
    for index in range(scale.low, scale.high + 1):
        assert scale.position_of(scale.value_at(index)) == index
    assert scale.position_of(1e9) == scale.high and scale.value_at(20) == 10.0


def test_the_sliders_of_a_lane() -> None:
    assert controls_of(Lane("knn")) == ["k"] and controls_of(Lane("perceptron")) == []
    assert controls_of(Lane("svm")) == ["C", "gamma"]
    assert controls_of(Lane("svm", svm=SvmSettings("linear"))) == ["C"]
    assert controls_of(Lane("svm", svm=SvmSettings(hard_margin=True))) == ["gamma"]


@pytest.mark.parametrize("shown", range(1, 5))
def test_curves_are_of_the_lanes_on_screen(shown: int) -> None:
    document, session = Document(POINTS, (Lane("knn"),) * 4, shown), Session()
    context = Context(document, session.having(ValidationCurvesSession(True)), Results())
    assert set(queries(context)) == {f"curve{document.slots[index]}.k" for index in range(shown)}
    assert queries(Context(document, session, Results())) == {}


def test_the_work_of_a_curve_is_bounded_by_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    n, m = 100_000, 30_000
    rng = np.random.default_rng(0)
    points, test = (Points.of(rng.normal(size=(size, 2)), rng.integers(0, 2, size)) for size in (n, m))

    def ahead(xy: np.ndarray, values: np.ndarray, left_out: np.ndarray | None) -> np.ndarray:
        asked.append(len(xy))
        return np.ones((len(xy), 2, len(values)), dtype=bool)

    monkeypatch.setattr(type(Lane("knn").family), "searched", FieldSearch("k", lambda *of: ahead))
    curve = curve_of(points, Lane("knn"), "k", test)
    assert n * sum(asked) < 200_000_000, "distances sorted"
    assert curve.sampled == curves.LEAST_COUNTED == curve.tested and curve.n_points == n
    assert view_curve.remark(curve) == "of a sample of 500 points"
    strip = ValidationCurve(curve.field, curve.scale, 5.0, True, curve)
    assert "test: the test points, of which 500 are counted" in view_curve.notes(strip)
