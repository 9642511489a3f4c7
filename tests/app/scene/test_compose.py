"""The scene as a function of document, session and results; and the texts for every state."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from app.core.number_format import even, share_of, share_text, short
from app.core.points import Points
from app.engine.frames import NO_MARKS, Frame, LaneRequest, LaneSpec, Marks, Phase, Picture
from app.engine.lane_job import LaneJob
from app.engine.results import Results
from app.engine.shading import Shades
from app.engine.surface_values import shown_pair
from app.features.table import FEATURES
from app.learners.knn import METRICS, WEIGHTS
from app.learners.svm import CLASS_WEIGHTS, class_weight_formula
from app.scene import text as words
from app.scene.compose import compose, fields_of
from app.scene.model import Scene, grid_of
from app.scene.status_badge import badge
from app.state.commands import AddPoints, MovePoints
from app.state.document import (
    ClassStyle,
    Document,
    GeneratorSettings,
    KnnSettings,
    Lane,
    SvmSettings,
    View,
    default_document,
    problem,
)
from app.state.session import SPEEDS, Selection, Session
from app.state.split import Split
from solver import KERNELS, RULES, Certificate, Grid, KNeighborsClassifier, Status
from solver.data.datasets import DATASETS
from tests.copies import replace
from tests.without_compiler import machine_code

GRID = Grid(-2, 2, -2, 2, 20, 20)
SHADES = Shades((255, 255, 255), ((0, 0, 0),) * 8, (9, 9, 9))
PICTURE = Picture(np.zeros((20, 20), dtype=np.uint32), GRID, np.empty((0, 2)), np.empty((0, 2)))
MOONS = default_document()
FOUR = Document(GeneratorSettings(name="blobs", count=5, n_classes=4).points())


def scene(document: Document, *frames: Frame, session: Session = Session()) -> Scene:  # noqa: B008
    results = Results()
    for frame in frames:
        results.accept(frame)
    return compose(
        document, session, results, FEATURES, title="t", modified=False, history=("Add 1 point",), position=1
    )


def learnt(document: Document, index: int) -> Frame:
    """Return the last frame of a lane's training."""
    frames: list[Frame] = []
    spec = LaneSpec(document.points, document.lanes[index], GRID, SHADES, False, math.inf, 0, True)
    list(LaneJob(frames.append)(LaneRequest(1, index, spec), lambda: False))
    return frames[-1]


def rest_of() -> SvmSettings:
    return SvmSettings(multiclass="one-vs-rest")


def certificate(status: Status, **changes: Any) -> Certificate:
    return replace(Certificate(status, 5e-4, 1.0, 1.1, 0.09, 3, 4, 12_345, 1e-7), **changes)


def svm_frame(phase: Phase, *certificates: Certificate) -> Frame:
    """Return a frame of an SVM with a real model, but other certificates."""
    frame = learnt(MOONS, 1)
    return replace(frame, phase=phase, certificates=certificates or (certificate(Status.RUNNING),))


# -- compose -------------------------------------------------------------------------------------------------------


def test_a_scene_without_results() -> None:
    made = scene(MOONS)
    assert made.document is MOONS and made.points is MOONS.points and made.shown == len(made.lanes) == 2
    assert (made.title, made.undo, made.redo, "margin" in made.legend_kinds) == ("t", "Add 1 point", None, False)
    for lane in made.lanes:
        assert lane.picture is None and lane.message == "" and lane.headline == "Starting…" and lane.job == 0
    assert scene(replace(MOONS, shown=1)).legend_kinds == frozenset(), "nothing is drawn that has to be explained"


def test_a_scene_shows_the_frames() -> None:
    frames = [learnt(MOONS, index) for index in (0, 1)]
    made = scene(MOONS, *frames)
    for lane, frame in zip(made.lanes, frames, strict=True):
        assert lane.picture is frame.picture and lane.marks is frame.marks and lane.job == 1
        assert lane.message == "" and lane.pairs == ()


def test_test_points_do_not_count_among_those_a_sample_is_of() -> None:
    document = replace(MOONS, split=Split("ratio", ratio=0.5), training_limit=60)
    frame = replace(learnt(MOONS, 0), points=document.training_points, marks=NO_MARKS)
    assert scene(document, frame).lanes[0].headline.endswith("learnt from a sample: 60 of 100 points")
    every = replace(document, training_limit=100)
    frame = replace(frame, points=every.training_points)
    assert "sample" not in scene(every, frame).lanes[0].headline, "of 200 points, 100 are test points"


def test_marks_vanish_while_the_frame_is_of_other_points() -> None:
    frames = [learnt(MOONS, index) for index in (0, 1)]
    for edit in (AddPoints(xy=((0.0, 0.0),)), MovePoints(ids=[0], xy=(0.0, 0.0))):
        made = scene(edit.apply(MOONS), *frames)
        for lane, frame in zip(made.lanes, frames, strict=True):
            assert lane.picture is frame.picture, "the old picture stays until the new one is there"
            assert [len(a) for a in (lane.marks.free, lane.marks.bounded, lane.marks.wrong)] == [0, 0, 0]
    renamed = replace(MOONS, view=View(9.0))
    assert len(scene(renamed, *frames).lanes[1].marks.free) > 0


def test_the_pair_of_margins() -> None:
    document = replace(FOUR, lanes=(Lane("svm", pair=(3, 1)), Lane("svm", pair=(6, 7))))
    made = scene(document, learnt(document, 0), learnt(document, 1))
    pairs = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    assert all(lane.pairs == pairs and "pair" in lane.fields for lane in made.lanes)
    assert made.lanes[0].pair == 4 and made.lanes[1].pair == 0, "the first when the chosen one does not occur"
    rest = replace(FOUR, lanes=(Lane("svm", svm=rest_of(), pair=(2, 2)), Lane("svm", svm=rest_of(), pair=(7, 1))))
    made = scene(rest)
    assert all(lane.pairs == ((0, 0), (1, 1), (2, 2), (3, 3)) for lane in made.lanes), "known before the first frame"
    assert [lane.pair for lane in made.lanes] == [2, 0]
    assert Lane("svm", pair=(3, 1)).drawn(made.lanes[0].pairs) == 3, "of a pair its first class, against the rest"
    assert shown_pair(learnt(rest, 0).model, rest.lanes[0]) == 2 and shown_pair(learnt(FOUR, 1).model, Lane()) == 0
    two = replace(MOONS, lanes=rest.lanes)
    assert all(lane.pairs == () and not {"pair", "multiclass"} & lane.fields for lane in scene(two).lanes)
    as_knn = replace(document, lanes=(Lane("knn"), Lane("knn")))
    assert scene(as_knn, learnt(document, 0)).lanes[0].pairs == ()


EMPTY = "Click to add points"
ONE_CLASS = Document(Points.of([(0.0, 0.0), (1.0, 1.0)], [2, 2]))


@pytest.mark.parametrize("phase", Phase)
def test_what_stands_across_the_canvas(phase: Phase) -> None:
    def message(document: Document, points: Points) -> tuple[str, str]:
        frames = [Frame(1, i, points, document.lanes[i], phase, picture=PICTURE, message="It failed.") for i in (0, 1)]
        made = scene(document, *frames)
        for lane in made.lanes:
            assert not (lane.message and lane.picture), "one or the other"
        return made.lanes[0].message, made.lanes[1].message

    knn, svm = message(Document(), MOONS.points)
    assert knn.startswith(EMPTY) and svm.startswith(EMPTY)
    knn, svm = message(ONE_CLASS, ONE_CLASS.points)
    assert svm == "An SVM needs two classes.\nAll points are of class 3: press another number and click."
    assert knn == ("It failed." if phase is Phase.FAILED else "")
    knn, svm = message(MOONS, MOONS.points)
    assert knn == svm == ("It failed." if phase is Phase.FAILED else "")
    with machine_code(False):
        _, svm = message(MOONS, MOONS.points)
    assert bool(svm) == (phase in (Phase.EMPTY, Phase.FAILED))


def test_the_session_is_in_the_scene() -> None:
    session = Session(active_class=5, playing=(False, False), speeds=(0, 5), legend=False, theme="dark", dark=True)
    made = scene(MOONS, session=session)
    assert made.session is session
    assert [lane.speed for lane in made.lanes] == [0, 5]
    assert [lane.speed_text for lane in made.lanes] == ["1 step in 2 s", "30 steps a second"]


@pytest.mark.parametrize("name", KERNELS)
def test_fields_of_each_kernel(name: str) -> None:
    parameters = set(KERNELS[name].parameters)
    lane = Lane("svm", svm=SvmSettings(kernel=name))  # type: ignore[arg-type]
    always = {"kernel", "C", "hard_margin", "tol", "trainer", "rule", "speed", "class_weight"}
    always |= {"shading", "standardise"}
    assert fields_of(lane, [0, 1]) == always | parameters
    assert fields_of(lane, [0, 1, 4]) == always | parameters | {"multiclass", "pair"}
    assert lane.family.formula(lane.settings) == KERNELS[name].formula and lane.family.remark(lane.settings)
    assert KERNELS[name].title in lane.title


@pytest.mark.parametrize("metric", METRICS)
def test_fields_of_each_metric(metric: str) -> None:
    lane = Lane("knn", knn=KnnSettings(metric=metric))  # type: ignore[arg-type]
    always = {"k", "weights", "metric", "shading", "standardise"}
    assert fields_of(lane, [0, 1, 2]) == always | ({"p"} if metric == "minkowski" else set())
    assert METRICS[metric][0] in lane.title
    for weights in WEIGHTS:
        weighted = replace_knn(lane, weights=weights)
        formula = weighted.family.formula(weighted.settings)
        assert METRICS[metric][1] in formula and WEIGHTS[weights][1] in formula


def replace_knn(lane: Lane, **changes: Any) -> Lane:
    return Lane("knn", knn=KnnSettings(**{"metric": lane.knn.metric, **changes}))


@pytest.mark.parametrize("name", DATASETS)
def test_fields_of_each_generator(name: str) -> None:
    made = scene(replace(MOONS, generator=GeneratorSettings(name=name)))  # type: ignore[arg-type]
    kind = DATASETS[name]
    always = {"count", "noise", "seed", "flipped"}
    assert always <= made.generator_fields <= always | {"shift", "n_classes", "rule", "low", "high"}
    assert ("rule" in made.generator_fields) == (name == "rule")
    assert ("shift" in made.generator_fields) == kind.has_shift
    assert ("n_classes" in made.generator_fields) == (kind.n_classes[1] > 2)
    assert made.generator_note == kind.sentence


@pytest.mark.parametrize(("width", "height"), [(400, 300), (300, 400), (500, 500), (1, 1), (3, 1000)])
@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
def test_both_axes_have_one_scale(width: int, height: int, scale: float) -> None:
    view = View(3.0, -2.0, 2.4)
    grid = grid_of(view, width, height, scale)
    assert (grid.right - grid.left) / width == pytest.approx((grid.top - grid.bottom) / height)
    assert min(grid.right - grid.left, grid.top - grid.bottom) == pytest.approx(view.span)
    assert (grid.left + grid.right) / 2 == pytest.approx(3.0) and (grid.bottom + grid.top) / 2 == pytest.approx(-2.0)
    assert (grid.width, grid.height) == (max(1, round(width * scale)), max(1, round(height * scale)))


def test_pixel_centres_lie_where_the_canvas_has_its_pixels() -> None:
    for width, height, scale in ((400, 300, 1.0), (301, 401, 2.0), (1, 7, 1.0)):
        view = View(3.0, -2.0, 2.4)
        grid = grid_of(view, width, height, scale)
        pixel = view.span / min(width, height) / scale
        wide, high = round(width * scale), round(height * scale)
        assert np.allclose(grid.xs, view.x + (np.arange(wide) + 0.5 - wide / 2) * pixel, rtol=0, atol=1e-9)
        assert np.allclose(grid.ys, view.y + (np.arange(high) + 0.5 - high / 2) * pixel, rtol=0, atol=1e-9)


# -- words ---------------------------------------------------------------------------------------------------------


def test_every_phase_has_its_words() -> None:
    lane = MOONS.lanes[1]
    report = {phase: words.headline(svm_frame(phase, certificate(Status.OPTIMAL)), lane) for phase in Phase}
    assert report == {
        Phase.TRAINING: "Training…",
        Phase.PAUSED: "Paused, not shown optimal yet",
        Phase.DONE: "Optimal to 1e-3",
        Phase.EMPTY: "Starting…",  # it could not be trained before the compiler was ready, and now it can
        Phase.FAILED: "No picture",
    }
    for points, waiting in ((Points(), "Waiting for points"), (ONE_CLASS.points, "Waiting for a second class")):
        assert words.headline(Frame(1, 1, points, lane, Phase.EMPTY), lane) == waiting
    assert words.headline(None, lane) == "Starting…"
    for phase, frame in itertools.product(Phase, (None, svm_frame(Phase.DONE, certificate(Status.OPTIMAL)))):
        with machine_code(False):
            text = words.headline(frame and replace(frame, phase=phase), lane)
        assert text.startswith("Preparing the fast solver…") or phase is Phase.FAILED


def test_every_status_has_its_words() -> None:
    lane = MOONS.lanes[1]
    report = {s: words.headline(svm_frame(Phase.DONE, certificate(s, gap=1e-4)), lane) for s in Status}
    del report[Status.RUNNING]  # never of a finished frame
    assert report == {
        Status.OPTIMAL: "Optimal to 1e-3",
        Status.PRECISION: "Optimal to double precision (KKT violation 5e-4)",
        Status.STATIONARY: "Stationary to 1e-3 (kernel not positive semidefinite)",
        Status.STOPPED_EARLY: "Stopped early after 12\u202f345 steps: not shown optimal yet",
        Status.NOT_SEPARABLE: "Not separable with a margin above 1e-7",
    }


def test_a_cyclic_order_that_did_not_arrive_has_its_reason() -> None:
    early = certificate(Status.STOPPED_EARLY)
    text = Lane("svm").family.verdict([early], SvmSettings(selection="cyclic")).text
    assert text == verdict_on(early) + "; in cyclic order late partners may wait very long"


def test_the_limit_of_precision_without_a_violation_reports_none() -> None:
    text = verdict_on(certificate(Status.PRECISION, gap=1.0, kkt_violation=-2.0))
    assert text == "Not shown optimal: double precision ends here (KKT violation 0)"


def test_what_violates_no_condition_is_not_called_not_optimal() -> None:
    # Paused on multipliers of earlier points that are still good, or LASVM before its last pass over all points.
    lane = MOONS.lanes[1]
    for violation, missing in ((0.9e-3, "not shown optimal yet"), (1.1e-3, "not optimal yet")):
        proofs = certificate(Status.OPTIMAL), certificate(Status.RUNNING, kkt_violation=violation)
        assert words.headline(svm_frame(Phase.PAUSED, *proofs), lane) == f"Paused, {missing}"
        assert badge(svm_frame(Phase.PAUSED, *proofs)).text.endswith(f", {missing}")
        early = certificate(Status.STOPPED_EARLY, kkt_violation=violation)
        assert words.headline(svm_frame(Phase.DONE, early), lane).endswith(f" steps: {missing}")


def verdict_on(*certificates: Certificate) -> str:
    """Return the verdict on an SVM."""
    return Lane("svm").family.verdict(certificates, SvmSettings()).text


def test_nothing_is_called_optimal_or_separable_that_was_not_shown_to_be() -> None:
    for gap in (0.5, float("nan")):
        text = verdict_on(certificate(Status.PRECISION, gap=gap))
        assert text == "Not shown optimal: double precision ends here (KKT violation 5e-4)"
        pair = (certificate(Status.PRECISION, gap=1e-4), certificate(Status.PRECISION, gap=gap))
        assert verdict_on(*pair) == verdict_on(*pair[::-1]) == text
    wide, narrow = (certificate(Status.NOT_SEPARABLE, margin_bound=bound) for bound in (1e-5, 1e-8))
    for pairs in ((wide, narrow), (narrow, wide)):
        assert verdict_on(*pairs) == "Not separable with a margin above 1e-8"


def test_the_gravest_pair_speaks_for_all() -> None:
    grave = (Status.NOT_SEPARABLE, Status.STOPPED_EARLY, Status.PRECISION, Status.STATIONARY, Status.OPTIMAL)
    for first, second in itertools.combinations(grave, 2):
        alone = verdict_on(certificate(first))
        assert verdict_on(certificate(second), certificate(first)) == alone
        assert verdict_on(certificate(first), certificate(second)) == alone


def knn_headline(n: int, k: int) -> str:
    lane = Lane("knn", knn=KnnSettings(n_neighbors=k))
    points = Points.of(np.arange(2 * n).reshape(n, 2), 0)
    model = KNeighborsClassifier(min(k, n)).fit(points.xy, points.labels)
    return words.headline(Frame(1, 0, points, lane, Phase.DONE, model=model), lane)


def test_more_neighbours_requested_than_points() -> None:
    assert knn_headline(1, 5) == "All vote: k = 5, but there is only 1 point"
    assert knn_headline(3, 5) == "All vote: k = 5, but there are only 3 points"
    assert knn_headline(5, 5) == "Exact: the 5 nearest of 5 vote"
    document = replace(MOONS, points=Points.of([(0.0, 0.0), (1.0, 0.0)], [0, 1]))
    headline = scene(document, learnt(document, 0)).lanes[0].headline
    assert headline == "All tied, no class is ahead · All vote: k = 5, but there are only 2 points"


def test_details_of_an_svm_and_of_knn() -> None:
    one = svm_frame(Phase.DONE, certificate(Status.OPTIMAL))
    text = words.details(replace(one, accuracy=0.975, seconds=0.0123))
    assert text.split("  ·  ") == [
        "12\u202f345 steps",
        "KKT violation 5e-4",
        "gap 9.0 %",
        "support vectors: 3 free + 4 bounded",
        "training accuracy 97.5 %",
        "12.3 ms",
    ]
    two = svm_frame(Phase.DONE, certificate(Status.OPTIMAL), certificate(Status.OPTIMAL, gap=math.nan, n_iter=1))
    assert "12\u202f346 steps in 2 pairs" in words.details(two) and "gap unknown" in words.details(two)
    assert "6 free + 8 bounded" in words.details(two)
    done = svm_frame(Phase.DONE, certificate(Status.OPTIMAL, kkt_violation=-math.inf))
    assert "KKT violation 0" in words.details(done)
    assert words.details(learnt(MOONS, 0)).startswith("training accuracy ")
    assert words.details(None) == words.details(Frame(1, 0, Points(), Lane(), Phase.EMPTY)) == ""


def test_binary_problems_in_words() -> None:
    assert problem(1, 1) == "class 2 against the rest" and problem(0, 3) == "class 1 against class 4"
    parts = (certificate(Status.OPTIMAL), certificate(Status.OPTIMAL))
    frame = replace(svm_frame(Phase.DONE, *parts), lane=Lane("svm", svm=rest_of()))
    assert "steps in 2 problems" in words.details(frame) and "counted in each problem" in words.details(frame)


def test_class_weights_in_words_and_fields() -> None:
    report = {
        name: class_weight_formula(SvmSettings(class_weight=name))  # type: ignore[arg-type]
        for name in CLASS_WEIGHTS
    }
    assert report == {
        name: f"C of a point: {formula}"
        for name, formula in {"equal": "C", "balanced": "C · n / (k · m)", "own": "C · w of its class"}.items()
    }
    hard = Lane("svm", svm=SvmSettings(class_weight="own", hard_margin=True))
    assert class_weight_formula(hard.svm) == "C = ∞ whatever the weight"
    own = {"weights_of_classes", "weight1", "weight3", "weight8"}
    assert own <= fields_of(hard, [0, 2, 7]) and not {"weight2", "weight4"} & fields_of(hard, [0, 2, 7])
    assert not own & fields_of(Lane("svm", svm=SvmSettings(class_weight="balanced")), [0, 2, 7])


def test_numbers_in_words() -> None:
    values = (0.0, 0.5, 1e-3, 1.5e-9, 12.34, 999.4, 1234.5, 99_999.0, 1e5, -2e7, math.inf, -math.inf)
    assert [short(v) for v in values] == [
        "0",
        "0.5",
        "1e-3",
        "1.5e-9",
        "12.3",
        "999",
        "1234",
        "99999",
        "1e5",
        "−2e7",
        "∞",
        "−∞",
    ]
    assert even(["-1", "0", "0.5", "−0.25"]) == ["−1.00", "0.00", "0.50", "−0.25"] and even(["-0"]) == ["0"]
    assert [share_text(share_of(v)) for v in (7.0, 10.0, 12.5, 0.1)] == ["7 %", "10 %", "12.5 %", "0.1 %"]
    shares = (0.0, 1.0, 0.1234, 0.009, 0.00012, 1e-6)
    assert [words.percent(v) for v in shares] == ["0.0 %", "100.0 %", "12.3 %", "0.9 %", "0.01 %", "below 0.001 %"]
    assert [words.span_of_time(v) for v in (0.0034, 0.5, 12.34, 1234.0)] == ["3.4 ms", "0.5 s", "12.3 s", "1234 s"]
    assert [words.count(n, "point") for n in (0, 1, 2, 1234567)] == [
        "0 points",
        "1 point",
        "2 points",
        "1\u202f234\u202f567 points",
    ]
    assert len({words.speed(speed) for speed in SPEEDS}) == len(SPEEDS)
    assert words.speed(SPEEDS[1]) == "1 step a second" and words.speed(SPEEDS[-1]) == "full speed"


def test_names_of_classifiers() -> None:
    svm = Lane("svm", svm=SvmSettings(kernel="poly", hard_margin=True))
    assert svm.title == "SVM, Polynomial, C = ∞, γ = 1, d = 3, c₀ = 1"
    many = Lane("svm", svm=SvmSettings(multiclass="one-vs-rest", class_weight="balanced"))
    assert many.title == "SVM, RBF, C = 1, γ = 1, one-vs-rest, balanced weights"
    assert Lane("knn").title == "kNN, k = 5, uniform, Euclidean"
    assert all(rule.note for rule in RULES.values())


def test_marks_default_to_none() -> None:
    assert [len(a) for a in (Marks().free, Marks().bounded, Marks().wrong)] == [0, 0, 0]
    assert Frame(1, 0, Points(), Lane(), Phase.EMPTY).certificate is None


def test_a_lane_trained_on_a_sample_reports_it_and_marks_the_right_points() -> None:
    document = replace(MOONS, training_limit=60)
    sample = document.training_points
    assert len(sample) == 60
    learning = replace(document, points=sample)
    frames = [learnt(learning, index) for index in (0, 1)]
    made = scene(document, *frames)
    for frame, lane in zip(frames, made.lanes, strict=True):
        assert lane.headline.endswith("learnt from a sample: 60 of 200 points")
        for name in ("free", "bounded", "wrong"):
            marked, of_sample = getattr(lane.marks, name), getattr(frame.marks, name)
            assert made.points.ids[marked].tolist() == sample.ids[of_sample].tolist()
        assert lane.picture is frame.picture
    assert len(made.lanes[1].marks.free) > 0
    grown = AddPoints(xy=(9.0, 9.0)).apply(replace(learning, training_limit=100))
    assert all("sample" not in lane.headline for lane in scene(grown, *frames).lanes), "only a little behind"
    moved = MovePoints(ids=[0], xy=(9.0, 9.0)).apply(document)
    assert len(scene(moved, *frames).lanes[1].marks.free) == 0, "marks of other points are not shown"


def test_the_scene_has_the_selection_and_the_names() -> None:
    chosen = Selection(np.array([3, 5, 9999]))
    document = replace(MOONS, styles=(ClassStyle("setosa"), *MOONS.styles[1:]), axes=("u", "v"))
    made = scene(document, session=Session(selection=chosen))
    assert made.selected.tolist() == [3, 5] and made.document.class_names[:2] == ("setosa", "class 2")
    assert made.document is document and made.history == ("Add 1 point",) and made.position == 1


@pytest.mark.parametrize(
    ("name", "called"),
    [("", "class 2"), ("setosa", "setosa"), ("0", "class 0"), ("-1", "class -1"), ("1.5", "class 1.5")],
)
def test_a_class_that_is_a_number_is_called_a_class(name: str, called: str) -> None:
    styles = (ClassStyle(), ClassStyle(name), *MOONS.styles[2:])
    assert replace(MOONS, styles=styles).class_name(1) == called
