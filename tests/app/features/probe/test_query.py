"""The probe: its class is the model's own at every place, its sums and sentences are right, and rules are told where
they decide and nowhere else."""

from __future__ import annotations

from itertools import product
from typing import TypeVar

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.number_format import grouped
from app.core.points import Points
from app.engine.pacing import OvertakenError
from app.engine.results import Results
from app.engine.surface_values import problem_of, shown_pair
from app.features.probe.scene import (
    HEAVY,
    MOST_LINES,
    BoundaryFacts,
    BoundaryQuery,
    LaneProbe,
    Probe,
    ProbeQuery,
    ProbeSession,
    heavy,
    location_of,
    probe_lane,
    scene,
)
from app.features.probe.tables import (
    MOST_ROWS,
    NamedPoints,
    NeighbourRows,
    ProblemRows,
    TableRows,
    TermRows,
    VoteRows,
    compact,
    figure,
)
from app.features.probe.text import distance_line
from app.learners.svm import TRAINERS as SVM_TRAINERS
from app.scene.model import Context
from app.state.document import Document, Lane, PegasosSettings, PerceptronSettings, SvmSettings
from app.state.session import Session
from solver import KERNELS, Kernel
from tests.app.features.probe.probes import NAMES, facts_about, fitted, frame_of, knn, points_of, scene_with, svm, who
from tests.examples import examples

METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine")
WEIGHTS = ("uniform", "distance", "distance-squared")
T = TypeVar("T", bound=TableRows)


def table_of(probe: LaneProbe, kind: type[T]) -> T:
    (found,) = [table for table in probe.tables if isinstance(table, kind) and table.title != "Duels won"]
    return found


# -- kNN ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("metric", "weights"), list(product(METRICS, WEIGHTS)))
def test_the_vote_is_the_models(metric: str, weights: str) -> None:
    rng = np.random.default_rng(1)
    for n_classes, lattice in product((1, 2, 4), (False, True)):
        points = points_of(80, n_classes, lattice=lattice)
        model, lane = knn(points, int(rng.integers(1, 25)), metric, weights)
        locations = rng.normal(scale=1.5, size=(60, 2))
        locations = np.concatenate((np.round(2 * locations) / 2 if lattice else locations, points.xy[:6]))
        shares = model.predict_proba(locations)
        for point_at, expected, share in zip(locations, model.predict(locations), shares, strict=True):
            probe = probe_lane(model, lane, who(points), tuple(point_at))
            assert not probe.message and probe.label == expected
            tie = (share == share.max()).sum() > 1
            assert probe.headline.startswith("Tie of class " if tie else f"class {expected + 1}: ")
            vote = model.vote_at(point_at)
            assert np.array_equal(vote.shares, share)
            report = "\n".join(probe.lines)
            assert ("share the" in report) == (vote.is_shared and not vote.at_zero)
            assert ("equal votes" in report) == ((share == share.max()).sum() > 1)
            assert ("exactly here" in report) == (weights != "uniform" and vote.distance[0] == 0)
            votes = table_of(probe, VoteRows)
            assert isinstance(votes, VoteRows) and votes.chosen == share.argmax()
            assert float(votes.values.sum()) == pytest.approx(float((vote.share * vote.weight).sum()))


def test_the_sentences_of_ties() -> None:
    points = Points.of([(1, 0), (-1, 0), (0, 1), (0, -1), (3, 0)], [1, 3, 3, 4, 4])
    model, lane = knn(points, 2)
    probe = probe_lane(model, lane, who(points), (0.0, 0.0))
    assert probe.headline == "class 4: 1 of 2 votes" and probe.label == 3
    (line,) = probe.lines
    assert line == "4 points lie at exactly the k-th distance, d = 1: they share the 2 votes that are left, 0.5 each."
    model, lane = knn(Points.of([(1, 0), (-1, 0)], [3, 1]), 2)
    probe = probe_lane(model, lane, who(Points.of([(1, 0), (-1, 0)], [3, 1])), (0.0, 5.0))
    assert probe.label == 1
    assert probe.lines == (
        "Class 2 and class 4 have equal votes: no class is ahead. A prediction that must name one takes the lowest,"
        " class 2.",
    )
    assert probe.headline == "Tie of class 2 and class 4, each: 1 of 2 votes"
    points = Points.of([(0, 0), (0, 0), (0, 0), (1, 0)], [4, 3, 3, 1])
    model, lane = knn(points, 2, weights="distance")
    probe = probe_lane(model, lane, who(points), (0.0, 0.0))
    assert (
        probe.lines == ("3 points lie exactly here, d = 0: with the weight 1/d they alone decide, by count.",)
        and probe.headline == "class 4: 2 of 3 points at distance 0"
    )
    assert probe_lane(model, lane, who(points), (0.5, 0.7)).lines != ()


@examples(150)
@given(st.data())
def test_ties_on_lattices(data: st.DataObject) -> None:
    location = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
    locations = data.draw(st.lists(location, min_size=1, max_size=12))
    labels = data.draw(st.lists(st.sampled_from([1, 3, 4]), min_size=len(locations), max_size=len(locations)))
    points = Points.of(np.array(locations, dtype=float), labels)
    k = data.draw(st.integers(1, len(locations)))
    metric, weights = data.draw(st.sampled_from(METRICS)), data.draw(st.sampled_from(WEIGHTS))
    model, lane = knn(points, k, metric, weights)
    point_at = tuple(float(v) for v in data.draw(location))
    probe = probe_lane(model, lane, who(points), point_at)
    assert probe.label == model.predict([point_at])[0]
    best = model.predict_proba([point_at])[0]
    assert any("equal votes" in line for line in probe.lines) == (int((best == best.max()).sum()) > 1)


def test_a_long_list_of_neighbours() -> None:
    points = points_of(3000, 3)
    model, lane = knn(points, 2500)
    probe = probe_lane(model, lane, who(points), (0.1, 0.2))
    table = table_of(probe, NeighbourRows)
    assert isinstance(table, NeighbourRows) and table.rows == MOST_ROWS
    assert table.more == "… and 2\u202f300 neighbours more, farther away"
    assert len(probe.sketch.ends) == MOST_LINES and probe.sketch.ball is not None
    away = np.hypot(*(points.xy - (0.1, 0.2)).T)
    nearest = np.argsort(away, kind="stable")
    assert [table.cell(row, 1) for row in range(MOST_ROWS)] == [grouped(at + 1) for at in nearest[:MOST_ROWS].tolist()]
    assert table.cell(3, 1) == f"{nearest[3] + 1:,}".replace(",", "\u202f")
    assert table.cell(0, 2) == compact(away.min(), 4)
    assert probe.sketch.ball.radius == pytest.approx(np.sort(away)[2499])
    fewer = points.remove(nearest[[0]])
    vote = model.vote_at(np.array((0.1, 0.2)))
    assert NeighbourRows(vote, "uniform", who(points, fewer)).cell(0, 1) == "gone"


# -- f -----------------------------------------------------------------------------------------------------------------

LANES = [
    Lane("svm", svm=SvmSettings(kernel=kernel, gamma=0.8, degree=2, coef0=0.5, trainer=trainer, multiclass=multiclass))  # type: ignore[arg-type]
    for kernel, trainer, multiclass in product(KERNELS, SVM_TRAINERS, ("one-vs-one", "one-vs-rest"))
] + [
    Lane("perceptron", perceptron=PerceptronSettings(max_iter=10)),
    Lane("perceptron", perceptron=PerceptronSettings(max_iter=10, fit_intercept=False)),
    Lane("pegasos", pegasos=PegasosSettings(n_iter=300)),
]


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: f"{lane.learner}-{lane.svm.kernel}-{lane.multiclass}")
def test_f_is_the_models(lane: Lane) -> None:
    rng = np.random.default_rng(2)
    for n_classes in (2, 4):
        points = points_of(60, n_classes)
        for pair in ((1, 3), (4, 6), (4, 4)):
            mine = msgspec.structs.replace(lane, pair=pair)
            model = fitted(mine, points)
            locations = rng.normal(scale=1.5, size=(25, 2))
            shown = shown_pair(model, mine)
            for point_at in locations:  # one by one: a product of matrices rounds otherwise than each row alone
                values, expected = model.pair_decision_function([point_at])[0], model.predict([point_at])[0]
                probe = probe_lane(model, mine, who(points), tuple(point_at))
                assert not probe.message and probe.label == expected
                table = table_of(probe, TermRows)
                terms = table._terms
                assert abs(terms.total - values[shown]) <= 1e-9 * terms.size
                assert abs(float(table.values.sum()) - values[shown]) <= 1e-9 * terms.size
                assert f"= {figure(values[shown])}." in probe.lines[1]
                margins = any("margin" in line for line in probe.lines)
                assert margins == (lane.classifier != "perceptron")
                if n_classes == 2:
                    assert f"f(x) = {figure(values[0])}: class {expected + 1}" in probe.headline
                    assert ("between the margins" in probe.headline) == (margins and abs(values[0]) < 1)
                    continue
                problems = table_of(probe, ProblemRows)
                assert isinstance(problems, ProblemRows) and problems.chosen == shown
                assert np.array_equal(problems.values, values)
                labels = model.classes_.tolist()
                assert problems.picks == tuple(problem_of(each, labels) for each in model.pairs_)
                won = [c for c in problems.symbols.tolist() if c >= 0]
                if lane.multiclass == "one-vs-rest":
                    assert won == [expected] and f"largest f(x), {figure(values.max())}" in probe.headline
                else:
                    count = {c: won.count(c) for c in labels}
                    assert count[expected] == max(count.values()) and len(won) == 6
                    assert f"{count[expected]} of 6 duels won" in probe.headline
                    tied = [c for c in labels if count[c] == max(count.values())]
                    assert expected == min(tied)
                    assert any("each: a tie" in line for line in probe.lines) == (len(tied) > 1)
            if n_classes == 2:
                break


def test_the_sum_over_many_support_vectors() -> None:
    points = points_of(900, 2)
    model, lane = svm(points, C=0.02)
    probe = probe_lane(model, lane, who(points), (0.2, -0.1))
    table = table_of(probe, TermRows)
    terms = table._terms
    assert terms.n_rest > 0 and table.rows == MOST_ROWS + 2
    assert "the other" in table.cell(MOST_ROWS, 0) and table.cell(MOST_ROWS + 1, 0) == "b"
    assert float(table.values.sum()) == pytest.approx(terms.f, abs=1e-9 * terms.size)
    assert table.cell(0, 3) == compact(terms.value[0]) and "class" in table.spoken(0)


def test_signs_are_explained_by_classes() -> None:
    points = points_of(60, 2)
    model, lane = svm(points)
    probe = probe_lane(model, lane, who(points), (0.9, 0.0))
    assert probe.lines[0] == "f > 0 is for class 4, f ≤ 0 for class 2."
    table, sketch = table_of(probe, TermRows), probe.sketch
    assert set(table.colours[table.values > 0]) <= {3} and set(table.colours[table.values < 0]) <= {1}
    assert (sketch.classes[sketch.positive] == 3).all() and (sketch.classes[~sketch.positive] == 1).all()
    assert sketch.sizes[0] == 1.0 and (np.diff(sketch.sizes) <= 0).all()
    # What speaks for class 4 (f > 0) are points of class 4.
    for_it = [int(table.cell(row, 0)) - 1 for row in range(5) if table.values[row] > 0]
    assert len(for_it) and (points.labels[for_it] == 3).all()


def test_distances() -> None:
    points = points_of(80, 2)
    linear, lane = svm(points, kernel="linear")
    (w,), b = linear.coef_, linear.intercept_[0]
    point_at = np.array([0.4, 0.7])
    expected = abs(w @ point_at + b) / np.hypot(*w)
    lines = probe_lane(linear, lane, who(points), tuple(point_at)).lines
    start = "Distance to the line f = 0, in units of x and y: "
    assert any(line.startswith(start) and line.endswith(f"= {figure(expected)}.") for line in lines)
    far = points_of(80, 2)
    far = Points.of(far.xy * (1.0, 1000.0), far.labels)  # standardised, the line is in the plane's own units, too
    scaled = Lane(svm=SvmSettings(kernel="linear"), standardise=True)
    made = scaled.estimator().fit(far.xy, far.labels)
    f = made.pair_decision_function(point_at + np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1000.0)]))[:, 0]
    norm = float(np.hypot(*((f[1:] - f[0]) / (1.0, 1000.0))))
    lines = probe_lane(made, scaled, who(far), tuple(point_at)).lines
    assert any(line.startswith(start) and line.endswith(f"= {figure(abs(f[0]) / norm)}.") for line in lines)
    assert "of standardised x and y" in distance_line(1.0, 2.0, linear=False, standardises=True)
    model, lane = svm(points)
    facts = facts_about(model)
    probe = probe_lane(model, lane, who(points), tuple(point_at), facts)
    coef, vectors = model.dual_coef_[0], model.support_vectors_
    norm = np.sqrt(coef @ Kernel("rbf", 0.8).gram(vectors, vectors) @ coef)
    f = model.pair_decision_function([point_at])[0, 0]
    assert any(
        line.startswith("Distance to f = 0 in feature space:") and line.endswith(f"= {figure(abs(f) / norm)}.")
        for line in probe.lines
    )
    found = facts.nearest(point_at)
    assert found is not None and found.refined
    assert any(f"f = 0: {figure(found.distance)} away" in line for line in probe.lines)
    assert not any("away" in line for line in probe_lane(model, lane, who(points), tuple(point_at), facts, False).lines)
    assert not any("istance" in line for line in probe_lane(model, lane, who(points), tuple(point_at)).lines)


def test_an_overtaken_question_ends() -> None:
    model, _ = svm(points_of(60, 2))
    posted: list[BoundaryFacts] = []
    with pytest.raises(OvertakenError):
        list(BoundaryQuery(model, 0, (-3.0, 3.0, -2.0, 2.0)).answer(posted.append, lambda: True))
    assert not posted


def test_no_norm_where_there_is_none() -> None:
    model, lane = svm(points_of(60, 2), kernel="sigmoid")
    facts = facts_about(model)
    assert facts.norm is None
    lines = probe_lane(model, lane, who(points_of(60, 2)), (0.1, 0.1), facts).lines
    assert not any("feature space" in line for line in lines)


def test_overflow_is_a_sentence() -> None:
    points = points_of(40, 2)
    model, lane = svm(points, kernel="poly")
    probe = probe_lane(model, lane, who(points), (1e200, 1e200))
    assert probe.label == -1 and probe.message and not probe.tables


# -- the scene ---------------------------------------------------------------------------------------------------------


def test_what_is_probed() -> None:
    open_panels = frozenset({"probe"})
    assert location_of(Session(), (1, 2)) is None
    assert location_of(Session(open_panels=open_panels), (1, 2)) == (1, 2)
    assert location_of(Session(cursor=(3, 4), open_panels=open_panels), (1, 2)) == (3, 4)
    assert location_of(Session(cursor=(3, 4)).having(ProbeSession(probe=(5, 6))), (1, 2)) == (5, 6)


def test_the_scene_probes_every_lane_and_keeps_what_is_the_same() -> None:
    points = points_of(60, 2)
    frames = [frame_of(*knn(points, 5), points), frame_of(*svm(points), points, 1)]
    session = Session().having(ProbeSession(probe=(0.3, 0.1)))
    first, second = (scene_with(session, *frames).feature(Probe) for _ in range(2))
    assert first.pinned and [lane.label for lane in first.lanes] == [
        frame.model.predict([(0.3, 0.1)])[0] for frame in frames
    ]
    assert all(a is b for a, b in zip(first.lanes, second.lanes, strict=True))
    assert scene_with(Session(), *frames).feature(Probe).location is None


def test_what_is_drawn_needs_no_words() -> None:
    points = points_of(30, 2)
    for model, lane in (knn(points, 5), svm(points)):
        in_words, drawn = (
            probe_lane(model, lane, who(points), (0.3, 0.1), in_words=in_words) for in_words in (True, False)
        )
        assert in_words.label == drawn.label and in_words.headline and not drawn.headline and not drawn.tables
        for name in ("ends", "sizes", "positive", "classes"):
            assert np.array_equal(getattr(in_words.sketch, name), getattr(drawn.sketch, name)) and len(
                in_words.sketch.ends
            )


def test_lanes_without_a_model() -> None:
    empty = Document(lanes=(Lane("knn"), Lane("svm")))
    (probe,) = scene(
        Context(empty, Session().having(ProbeSession(probe=(0.0, 0.0))), Results()),
        scene_with(Session(), document=empty).lanes,
    )
    assert all(lane.label == -1 and "Click to add points" in lane.message for lane in probe.lanes)
    alone = points_of(5, 1)
    document = Document(alone, (Lane("knn"), Lane("svm")))
    probe = scene_with(
        Session(open_panels=frozenset({"probe"})).having(ProbeSession(probe=(0.0, 0.0))),
        frame_of(*knn(alone, 3), alone),
        document=document,
    ).feature(Probe)
    assert probe.lanes[0].headline == "class 2: 3 of 3 votes" and "needs two classes" in probe.lanes[1].message


def test_large_models_are_probed_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    points = points_of(60, 2)
    model, lane = svm(points)
    assert not heavy(model) and len(model.support_) < HEAVY
    monkeypatch.setattr("app.features.probe.scene.HEAVY", 3)
    frame, session = frame_of(model, lane, points), Session().having(ProbeSession(probe=(0.3, 0.1)))
    assert scene_with(session, frame).feature(Probe).lanes[0].message == "Working it out…"
    posted: list[LaneProbe] = []
    query = ProbeQuery(model, lane, NamedPoints(points, points, NAMES), (0.3, 0.1), probe_lane)
    for _ in query.answer(posted.append, lambda: False):
        pass
    assert posted[0].label == model.predict([(0.3, 0.1)])[0]
    assert query == ProbeQuery(model, lane, NamedPoints(points, points, NAMES), (0.3, 0.1), probe_lane)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.25, "−0.25"), (1.23456e-4, "1.2e−4"), (-2e-9, "−2e−9"), (123456.0, "1.2e5"), (np.inf, "∞")],
)
def test_numbers_in_little_room(value: float, text: str) -> None:
    assert compact(value) == text
