"""Truth: origins of points, fresh points, the ideal boundary, and the order of queries; against brute force."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.controllers.controller import Controller
from app.engine.frames import Frame, Phase, Picture
from app.engine.overlays import Lines, Specks
from app.engine.pacing import OvertakenError
from app.engine.query import Answer, Query, work_out
from app.engine.results import Results
from app.engine.shading import Shades
from app.features.ground_truth import scene as truths
from app.features.ground_truth import text as truth_words
from app.features.ground_truth.controller import GroundTruthController
from app.features.ground_truth.fresh_points import (
    FEW,
    MOST_SHOWN,
    BayesError,
    BayesErrorQuery,
    EditedQuery,
    FreshDraw,
    FreshQuery,
    SquareQuery,
)
from app.features.ground_truth.model import GroundTruthSession
from app.features.ground_truth.scene import IdealBoundaryQuery
from app.features.study.model import PRESETS
from app.files import documents
from app.scene.model import Context
from app.state.commands import AddPoints, Clear, Generate, ImportPoints, MovePoints, RelabelPoints, RemovePoints, Revert
from app.state.document import Document, GeneratorSettings, Lane, View, default_document
from app.state.session import Session
from app.state.store import Store
from solver import SVC, Grid, KNeighborsClassifier
from solver.data.distribution import Law, cover_hart, wilson
from tests import playground_files

MOONS = GeneratorSettings("moons", 40, 0.2, 3)
CIRCLE = GeneratorSettings("circle", 40, 0.1, 1, -0.1)
SHADES = Shades((255, 255, 255), ((0, 0, 0),) * 8, (9, 9, 9))
GRID = Grid(-1.5, 2.5, -1.5, 2.0, 200, 175)


def never() -> bool:
    return False


def ask(query: Query, overtaken: Any = never) -> list[Any]:
    """Return all posted values."""
    posted: list[Any] = []
    with suppress(OvertakenError):
        list(query.answer(posted.append, overtaken))
    return posted


def controller(document: Document | None = None) -> Controller:
    return Controller(Store(document or default_document()), Session(), lambda: None, lambda _: None)


def generated(settings: GeneratorSettings = MOONS) -> Document:
    return Generate(settings=settings).apply(Document())


# -- origin ------------------------------------------------------------------------------------------------------------


def test_generating_sets_the_origin_and_editing_keeps_it() -> None:
    document = generated()
    assert document.origin == MOONS and default_document().origin == GeneratorSettings()
    ids = document.points.ids[:2]
    for command in (
        AddPoints(xy=[(0.0, 0.0)], labels=1),
        MovePoints(ids=ids, xy=[(1, 1), (2, 2)]),
        RelabelPoints(ids=ids, label=3),
        RemovePoints(ids=ids),
        Generate(settings=CIRCLE, add=True),
        ImportPoints(xy=[(1.0, 2.0)], labels=[0], add=True),
    ):
        after = command.apply(document)
        assert after.points is not document.points and after.origin == MOONS
    for command in (Clear(), ImportPoints(xy=[(1.0, 2.0)], labels=[0])):
        assert command.apply(document).origin is None
    assert Generate(settings=CIRCLE).apply(document).origin == CIRCLE
    assert Generate(settings=CIRCLE, add=True).apply(Document()).origin == CIRCLE
    imported = ImportPoints(xy=document.points.xy, labels=document.points.labels).apply(document)
    again = Generate(settings=MOONS).apply(imported)
    assert again.points is imported.points and again.origin == MOONS


def test_undo_brings_the_origin_back() -> None:
    setup = controller()
    setup.choose_generator("circle")  # generates the points at once
    origin = setup.document.origin
    assert origin is not None and origin.name == "circle"
    setup.clear()
    assert setup.document.origin is None
    setup.undo()
    assert setup.document.origin is origin
    setup.undo()
    assert setup.document.origin == GeneratorSettings()
    setup.redo()
    assert setup.document.origin is origin
    setup.new()
    assert setup.document.origin is None
    assert Revert(document=generated()).apply(setup.document).origin == MOONS


@given(
    st.none()
    | st.builds(
        GeneratorSettings,
        st.sampled_from(["line", "circle", "blobs"]),
        st.integers(1, 50_000),
        st.floats(0, 10),
        st.integers(0, 2**31 - 1),
        st.floats(-1, 1),
        st.integers(2, 8),
    )
)
def test_the_origin_is_saved(origin: GeneratorSettings | None) -> None:
    document = replace(default_document(), origin=origin)
    data = documents.encode(document)
    assert documents.decode(data).origin == origin and (b'"origin"' in data) == (origin is not None)


def test_files_without_origin_open() -> None:
    assert playground_files.read(Path(__file__).parents[2] / "files/fixtures/version3.playground").origin is None
    data = json.loads(documents.encode(generated()))
    data["origin"]["noise"] = -1
    with pytest.raises(documents.FileError, match="origin"):
        documents.decode(json.dumps(data).encode())


def test_laws_of_origins() -> None:
    assert truths.law_of(None) is None
    assert truths.law_of(MOONS) == Law("moons", 0.2)
    assert truths.law_of(msgspec.structs.replace(MOONS, shift=0.5, n_classes=4)) == Law("moons", 0.2)
    assert truths.law_of(GeneratorSettings("blobs", n_classes=4, noise=0.5)) == Law("blobs", 0.5, 0.0, 4)
    assert truths.law_of(msgspec.structs.replace(CIRCLE, shift=0.7)) is None


def test_edited_since() -> None:
    setup = controller(generated())
    assert ask(EditedQuery(MOONS, setup.document.points)) == [False]
    setup.dispatch(MovePoints(ids=[5], xy=[(0.0, 0.0)]))
    assert ask(EditedQuery(MOONS, setup.document.points)) == [True]
    setup.undo()
    assert ask(EditedQuery(MOONS, setup.document.points)) == [False]
    setup.dispatch(RelabelPoints(ids=[5], label=1))
    assert ask(EditedQuery(MOONS, setup.document.points)) == [True]
    reopened = documents.decode(documents.encode(generated()))
    assert ask(EditedQuery(MOONS, reopened.points)) == [False]
    assert ask(EditedQuery(MOONS, reopened.points), lambda: True) == []


# -- fresh points ------------------------------------------------------------------------------------------------------


def model_of(document: Document) -> SVC:
    return SVC(gamma=2.0).fit(document.points.xy, document.points.labels)


@pytest.mark.parametrize(("count", "batches"), [(100, 1), (100, 3), (1000, 2), (50, 9)])
def test_a_count_agrees_with_the_predictions(count: int, batches: int) -> None:
    model, law, fresh_draw = model_of(generated()), Law("moons", 0.2), FreshDraw(count, 4, batches)
    tally = ask(FreshQuery(law, fresh_draw, model))[-1]
    pairs = [law.draw(count, (71, 4 + batch)) for batch in range(batches)]
    X, y = np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])
    wrong = model.predict(X) != y
    assert (tally.failures, tally.thrown, tally.fresh_draw) == (wrong.sum(), count * batches, fresh_draw)
    assert tally.marked == wrong.sum() < MOST_SHOWN
    assert (tally.xy[: tally.marked] == X[wrong]).all() and (tally.labels[: tally.marked] == y[wrong]).all()
    rest = tally.xy[tally.marked :]
    assert (rest == X[~wrong]).all() if len(X) <= FEW else not len(rest)
    by_hand = ask(FreshQuery(law, fresh_draw, None))[-1]
    assert by_hand.failures == (law.bayes(X) != y).sum() and by_hand.model is None


def test_counts_go_on_where_they_were() -> None:
    model, law = model_of(generated()), Law("moons", 0.2)
    first = ask(FreshQuery(law, FreshDraw(200, 1, 2), model))[-1]
    drawn: list[int] = []
    query = FreshQuery(law, FreshDraw(200, 1, 5), model, before=first)
    law_points = FreshDraw.points
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FreshDraw, "points", lambda self, law, batch: drawn.append(batch) or law_points(self, law, batch))
        posted = ask(query)
    whole = ask(FreshQuery(law, FreshDraw(200, 1, 5), model))[-1]
    assert posted[0] is first and drawn == [2, 3, 4]
    assert posted[-1].failures == whole.failures and (posted[-1].xy == whole.xy).all()
    other = model_of(generated(CIRCLE))
    anew = ask(FreshQuery(law, FreshDraw(200, 1, 5), other))[-1]
    after_another = ask(FreshQuery(law, FreshDraw(200, 1, 5), other, before=first))[-1]
    assert after_another.failures == anew.failures != whole.failures
    assert ask(FreshQuery(law, FreshDraw(200, 9, 2), model, before=first))[-1].fresh_draw.first == 9


def test_an_overtaken_count_ends() -> None:
    looks = itertools.count()
    posted = ask(FreshQuery(Law("moons", 0.2), FreshDraw(5000, 1, 3), model_of(generated())), lambda: next(looks) > 1)
    assert len(posted) == 1 and posted[0].thrown == 0


def test_many_failures_are_counted_but_not_all_marked() -> None:
    document = generated()
    upside = KNeighborsClassifier(1).fit(document.points.xy, 1 - document.points.labels.astype(int))
    tally = ask(FreshQuery(Law("moons", 0.2), FreshDraw(4000, 1, 1), upside))[-1]
    assert tally.failures > 3000 and tally.marked == len(tally.xy) == MOST_SHOWN
    assert "of many, the first 1\u202f000 failures" in truth_words.SYMBOLS


def test_error_of_the_ideal_classifier() -> None:
    law = Law("blobs", 0.7)
    known: list[BayesError] = ask(BayesErrorQuery(law))
    assert [each.n_locations for each in known] == list(range(10_000, 100_001, 10_000))
    last = known[-1]
    X = np.concatenate([law.draw(10_000, (72, portion))[0] for portion in range(10)])
    risk = law.risk(X)
    assert last.value == pytest.approx(risk.mean()) and last.standard_error == pytest.approx(risk.std() / 100_000**0.5)
    assert abs(last.value - 0.07656372550983476) < 4 * last.standard_error  # Phi(-1 / 0.7)
    assert ask(BayesErrorQuery(Law("moons"))) == [BayesError(0.0, 0.0, 0)]


def test_share_of_the_square() -> None:
    document = generated(CIRCLE)
    model = model_of(document)
    area = ask(SquareQuery(Law("circle"), model))[-1]
    locations = [(x, y) for y in np.arange(-0.995, 1, 0.01) for x in np.arange(-0.995, 1, 0.01)]
    truth = np.array([0 if x * x + y * y < 0.5 else 1 for x, y in locations])
    assert area.share == pytest.approx((model.predict(np.array(locations)) != truth).mean(), abs=1e-4)
    assert area.model is model and ask(SquareQuery(Law("circle"), model, before=area))[0] is area


# -- the ideal boundary ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [Law("moons", 0.2), Law("blobs", 0.4, n_classes=5), Law("spirals", 0.06, n_classes=3)])
def test_the_ideal_boundary_is_where_the_ideal_class_changes(law: Law) -> None:
    posted: list[Lines] = ask(IdealBoundaryQuery(law, GRID))
    assert len(posted) == 1 or len(posted) == 2
    lines = posted[-1].xy
    a, b = lines[:-1], lines[1:]
    whole = ~np.isnan(a + b).any(axis=1)
    a, b = a[whole], b[whole]
    pixel = 4.0 / 200
    long = np.hypot(*(b - a).T) > 0.3 * pixel
    across = (b - a)[long][:, ::-1] * (1, -1)
    across *= 0.5 * pixel / np.hypot(*across.T)[:, None]
    middle = 0.5 * (a + b)[long]
    changes = law.bayes(middle + across) != law.bayes(middle - across)
    assert changes.mean() > 0.99
    # Conversely: along a straight walk, the line is near every change of class, and exactly once.
    walk = np.column_stack([np.linspace(-1.4, 2.4, 4001), np.full(4001, 0.137)])
    turns = walk[np.flatnonzero(np.diff(law.bayes(walk)))]
    assert len(turns) >= 2
    for turn in turns:
        along = b - a
        t = np.clip(((turn - a) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300), 0, 1)
        assert np.hypot(*(a + t[:, None] * along - turn).T).min() < 0.5 * pixel
    crossed = ((a[:, 1] - 0.137) * (b[:, 1] - 0.137) < 0) & (a[:, 0] > -1.4) & (a[:, 0] < 2.4)
    assert crossed.sum() == len(turns)  # no boundary is drawn twice


def test_an_overtaken_boundary_ends() -> None:
    assert ask(IdealBoundaryQuery(Law("moons", 0.2), GRID), lambda: True) == []


# -- requests and display
# -----------------------------------------------------------------------------------------------


def frame_of(document: Document, slot: int, model: Any) -> Frame:
    picture = Picture(np.zeros((2, 2), dtype=np.uint32), GRID, np.empty((0, 2)), np.empty((0, 2)))
    lane = document.lanes[document.slots.index(slot)]
    return Frame(1, slot, document.training_points, lane, Phase.DONE, model=model, picture=picture)


class GroundTruthHost:
    """A document with models, and immediate answers in place of the background."""

    def __init__(self, settings: GeneratorSettings = MOONS, **session: Any) -> None:
        self.document = replace(generated(settings), lanes=(Lane("knn"), Lane("svm")))
        open_panels = session.pop("open_panels", frozenset({"truth"}))
        self.session = Session(open_panels=open_panels).having(GroundTruthSession(**session))
        self.results = Results()
        self.numbers: Iterator[int] = itertools.count(1)
        self.known: set[str] = set()
        self.learn(model_of(self.document), KNeighborsClassifier(5).fit(*self.arrays))

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return self.document.points.xy, self.document.points.labels

    def learn(self, *models: Any) -> None:
        for slot, model in enumerate(models):
            self.results.accept(frame_of(self.document, slot, model))

    def asked(self) -> dict[str, Query]:
        grids = (GRID,) * self.document.shown
        return truths.queries(Context(self.document, self.session, self.results, grids))

    def answer(self, done: bool = True) -> None:
        asked = self.asked()
        for name in self.known - set(asked):
            self.results.forget(name)
        self.known = set(asked)
        for name, query in asked.items():
            posted = ask(query) if done else [getattr(query, "before", None)]
            value = posted[-1] if posted else None
            self.results.accept(Answer(name, next(self.numbers), query, value, done))

    def context(self) -> Context:
        return Context(self.document, self.session, self.results)

    def scene(self) -> truths.GroundTruthScene:
        return truths.scene(self.context(), ())[0]

    def sheets(self, index: int = 0) -> tuple[Any, ...]:
        return truths.sheets(self.context(), index)


def test_nothing_is_requested_that_is_not_displayed() -> None:
    assert GroundTruthHost(open_panels=frozenset()).asked() == {}
    assert set(GroundTruthHost().asked()) == {"edited", "ideal"}
    assert set(GroundTruthHost(CIRCLE).asked()) == {"edited", "ideal", "square0", "square1"}
    assert set(GroundTruthHost(fresh_draw=FreshDraw(100, 1, 1)).asked()) == {
        "edited",
        "ideal",
        "fresh",
        "fresh0",
        "fresh1",
    }
    assert set(GroundTruthHost(open_panels=frozenset(), ideal=True).asked()) == {
        "boundary0"
    }  # both lanes have the same size
    assert GroundTruthHost(CIRCLE, open_panels=frozenset(), ideal=True).asked() == {}  # it is known exactly
    assert GroundTruthHost(GeneratorSettings("moons", 40, 0.0), open_panels=frozenset(), ideal=True).asked() == {}
    setup = GroundTruthHost(fresh_draw=FreshDraw(100, 1, 1), ideal=True)
    setup.document = replace(setup.document, origin=None)
    assert setup.asked() == {} and setup.sheets() == ()


def test_lanes_are_counted_on_the_same_points() -> None:
    setup = GroundTruthHost(fresh_draw=FreshDraw(500, 3, 1))
    setup.answer()
    scene = setup.scene()
    X, y = Law("moons", 0.2).draw(500, (71, 3))
    for slot, row in enumerate(scene.rows):
        model = setup.results.frame(slot).model  # type: ignore[union-attr]
        assert row.tally is not None and not row.counting
        assert row.tally.failures == (model.predict(X) != y).sum()  # type: ignore[union-attr]
        low, high = wilson(row.tally.failures, 500)
        assert truth_words.error_words(row.tally)[2] == f"{100 * low:.1f}\u00a0–\u2060\u00a0{100 * high:.1f}\u00a0%"
    assert scene.ideal_tally is not None and scene.edited is False and scene.bayes is not None
    assert scene.ideal_tally.failures == (Law("moons", 0.2).bayes(X) != y).sum()
    excess = (scene.rows[0].tally.failures - scene.ideal_tally.failures) / 5  # type: ignore[union-attr]
    report = truth_words.excess_words(scene.rows[0].tally, scene.ideal_tally)  # type: ignore[arg-type]
    assert report == f"{excess:+.2f}\u00a0points".replace("-", "−")


@pytest.mark.slow
def test_a_new_model_is_counted_on_the_same_points_and_only_when_the_last_count_is_done() -> None:
    setup = GroundTruthHost(fresh_draw=FreshDraw(500, 3, 1))
    setup.answer(done=False)
    running = setup.asked()["fresh0"]
    other = SVC(gamma=50.0).fit(*setup.arrays)
    setup.learn(other)
    assert setup.asked()["fresh0"] is running  # a running count continues
    assert setup.scene().rows[0].counting
    setup.answer()
    assert setup.scene().rows[0].counting  # finished, but for the previous model
    query = setup.asked()["fresh0"]
    assert isinstance(query, FreshQuery) and query.model is other and query.before is not None
    setup.answer()
    row = setup.scene().rows[0]
    X, y = Law("moons", 0.2).draw(500, (71, 3))
    assert row.tally is not None and not row.counting and row.tally.failures == (other.predict(X) != y).sum()
    assert setup.asked()["fresh0"] == query
    setup.session = setup.session.having(GroundTruthSession(fresh_draw=FreshDraw(500, 4, 1)))
    assert setup.scene().rows[0].tally is None and setup.sheets() == ()  # for other points


@pytest.mark.slow
def test_counts_of_other_settings_or_points_are_marked() -> None:
    setup = GroundTruthHost(CIRCLE, fresh_draw=FreshDraw(200, 1, 1))
    setup.answer()
    row = setup.scene().rows[1]
    assert not row.counting and not row.measuring
    before = setup.document
    setup.document = replace(before, lanes=(Lane("knn"), Lane("perceptron")))
    row = setup.scene().rows[1]
    assert row.counting and row.measuring and row.tally is not None and not setup.scene().rows[0].counting
    setup.document = AddPoints(xy=[(0.0, 0.0)], labels=1).apply(before)
    assert all(row.counting and row.measuring for row in setup.scene().rows)


def test_counts_of_unfinished_trainings_are_marked() -> None:
    setup = GroundTruthHost(fresh_draw=FreshDraw(200, 1, 1))
    setup.answer()
    assert [row.state for row in setup.scene().rows] == ["", ""]
    for phase, state in ((Phase.TRAINING, "training"), (Phase.PAUSED, "paused")):
        frame = setup.results.frame(1)
        assert frame is not None and setup.results.accept(replace(frame, phase=phase))
        assert [row.state for row in setup.scene().rows] == ["", state]


def test_another_law_forgets_the_counts() -> None:
    setup = GroundTruthHost(fresh_draw=FreshDraw(200, 1, 1))
    setup.answer()
    assert setup.scene().rows[0].tally is not None and setup.scene().bayes is not None
    setup.document = replace(setup.document, origin=msgspec.structs.replace(MOONS, noise=0.5))
    scene = setup.scene()
    assert scene.rows[0].tally is None and scene.bayes is None and scene.edited is None and scene.ideal_tally is None


@pytest.mark.slow
def test_sheets() -> None:
    setup = GroundTruthHost(CIRCLE, fresh_draw=FreshDraw(500, 1, 1), ideal=True)
    setup.answer()
    specks, lines = setup.sheets()
    assert isinstance(specks, Specks) and isinstance(lines, Lines) and lines.style == "ideal"
    assert setup.sheets() == (specks, lines)  # the same object
    tally = setup.scene().rows[0].tally
    assert tally is not None and len(specks.xy) == 2 * tally.failures
    crossed = specks.kind == specks.kinds.index("wrong")
    assert crossed.sum() == tally.failures and (specks.xy[crossed] == tally.xy[: tally.marked]).all()
    classes = np.array([int(specks.kinds[kind]) for kind in specks.kind[~crossed]])
    assert (classes == tally.labels).all()
    radius = np.hypot(*lines.xy[~np.isnan(lines.xy).any(axis=1)].T)
    assert np.abs(radius - 0.5**0.5).max() < 1e-12 and lines is setup.sheets(1)[1]
    setup.session = replace(setup.session, open_panels=frozenset())
    assert setup.sheets() == (lines,)
    moons = GroundTruthHost(open_panels=frozenset(), ideal=True)
    assert moons.sheets() == ()
    moons.answer()
    assert moons.sheets(0) == moons.sheets(1) and moons.sheets()[0].style == "ideal"
    moons.document = replace(moons.document, origin=msgspec.structs.replace(MOONS, noise=0.3))
    assert moons.sheets() == ()  # it would be another line


def test_a_haze_is_of_these_points_and_settings() -> None:
    setup = GroundTruthHost(open_panels=frozenset(), bootstrap=True, resamples=5)
    assert set(setup.asked()) == {"haze0", "haze1"} and setup.scene().rows[0].resampling
    setup.answer()
    (lines,) = setup.sheets(1)
    assert lines.style == "haze" and lines is setup.sheets(1)[0]
    before = setup.document
    setup.document = AddPoints(xy=[(0.0, 0.0)], labels=1).apply(before)
    assert setup.sheets(1) == () and setup.scene().rows[1].bootstrap is None and setup.scene().rows[1].resampling
    setup.document = replace(before, lanes=(Lane("knn"), Lane("perceptron")))
    assert setup.sheets(1) == () and len(setup.sheets(0)) == 1
    setup.document, setup.session = before, replace(setup.session, drawing=True)
    assert setup.asked() == {}  # during a gesture
    setup.session = replace(setup.session, drawing=False).having(GroundTruthSession(bootstrap=True, resamples=6))
    assert setup.scene().rows[1].resampling and len(setup.sheets(1)) == 1


def test_why_there_is_no_haze() -> None:
    setup = GroundTruthHost(bootstrap=True, resamples=5)
    one = AddPoints(xy=[(0.1 * i, 0.0) for i in range(9)], labels=0).apply(
        replace(Document(), lanes=setup.document.lanes)
    )
    setup.document = one
    for name, query in setup.asked().items():
        for _ in work_out(Answer(name, 1, query), setup.results.accept, never):
            pass
    rows = setup.scene().rows
    assert rows[0].bootstrap is not None and rows[0].bootstrap.area == 0.0
    assert rows[1].bootstrap is None and "two classes" in rows[1].message
    setup.document = replace(one, points=Clear().apply(one).points)
    for row in setup.scene().rows:
        assert not row.resampling and row.message == truths.NO_POINTS


def test_true_lines_follow_the_view() -> None:
    setup = GroundTruthHost(GeneratorSettings("line", 20, 0.1), open_panels=frozenset(), ideal=True)
    setup.document = replace(setup.document, view=View(0.5, 0.5, 1e-6))
    (lines,) = setup.sheets()
    assert np.ptp(lines.xy) < 1e-5 and (lines.xy[:, 0] == lines.xy[:, 1]).all()


# -- words and actions
# --------------------------------------------------------------------------------------------------


def test_names_of_boundaries() -> None:
    name = truth_words.boundary_name
    assert name(Law("line", 0.1, 0.3)) == name(Law("wrong")) == "True boundary: y = x"
    assert name(Law("moons", 0.1)) == "Ideal (Bayes) boundary: no classifier does better on average"
    assert "without noise" in name(Law("blobs", n_classes=3)) and name(None).startswith("No ")


@pytest.mark.parametrize("name", ["chessboard", "wrong", "line", "circle", "xor"])
def test_without_noise_classes_do_not_overlap(name: str) -> None:
    report = truth_words.bayes_words(Law(name), BayesError(1e-5, 1e-6, 100_000))  # with rounded points
    assert report == "Bayes error: 0. The classes do not overlap."
    assert "classes overlap" in truth_words.bayes_words(Law(name, 0.0, -0.2), BayesError(0.1, 1e-3, 100_000))


def test_an_error_that_is_too_small_to_show() -> None:
    report = truth_words.bayes_words(Law("blobs", 0.1), BayesError(0.0, 0.0, 100_000))
    assert "below 0.001 %" in report and "0.0 %" not in report


@given(st.floats(-1, 1))
def test_points_of_percent(difference: float) -> None:
    text = truth_words.points_of_percent(difference)
    value = float(text.replace("−", "-"))
    assert abs(value - 100 * difference) <= 0.0501 and "-" not in text
    assert text == "0" or text[0] in "+−"


def test_another_document_has_no_fresh_points() -> None:
    setup = controller()
    setup.feature(GroundTruthController).draw_fresh(), setup.feature(GroundTruthController).keep_drawing_fresh(True)
    setup.new()
    assert (
        setup.session.of(GroundTruthSession).fresh_draw == FreshDraw()
        and not setup.session.of(GroundTruthSession).fresh_going
    )


def test_verbs() -> None:
    setup = controller()
    report: list[str] = []
    setup.say = report.append  # type: ignore[method-assign]
    truth = setup.feature(GroundTruthController)
    truth.toggle_ideal()
    assert setup.session.of(GroundTruthSession).ideal and report == [
        "Ideal (Bayes) boundary: no classifier does better on average."
    ]
    setup.clear()
    truth.toggle_ideal(), truth.toggle_ideal()
    assert "no generator" in report[-1]
    truth.draw_fresh()
    assert setup.session.of(GroundTruthSession).fresh_draw == FreshDraw(1000, 1, 1)
    truth.draw_more_fresh(), truth.draw_more_fresh()
    assert setup.session.of(GroundTruthSession).fresh_draw == FreshDraw(1000, 1, 3)
    truth.draw_fresh()
    assert setup.session.of(GroundTruthSession).fresh_draw == FreshDraw(1000, 4, 1)  # no seed is used twice
    truth.set_count(2_000_000)
    assert setup.session.of(GroundTruthSession).fresh_count == 100_000
    truth.draw_more_fresh()
    assert setup.session.of(GroundTruthSession).fresh_draw == FreshDraw(100_000, 5, 1)
    truth.keep_drawing_fresh(True)
    for _ in range(20):
        truth.draw_more_fresh()
    assert (
        setup.session.of(GroundTruthSession).fresh_draw.total == 1_000_000
        and not setup.session.of(GroundTruthSession).fresh_going
    )
    truth.pick_up()
    assert setup.session.of(GroundTruthSession).fresh_draw.batches == 0
    truth.draw_fresh()
    assert setup.session.of(GroundTruthSession).fresh_draw.first == 15
    setup.toggle("bootstrap", GroundTruthSession), truth.set_resamples(1000)
    assert setup.session.of(GroundTruthSession).bootstrap and setup.session.of(GroundTruthSession).resamples == 200


def test_the_limit_of_1nn_is_shown_beside_the_bayes_error_for_neighbours_only() -> None:
    law, bayes = Law("moons", 0.3), BayesError(0.085, 0.0003, 100_000, 0.125)
    assert truth_words.nearest_words(law, bayes) == (
        "1-NN with ever more points: 12.5 %. Cover and Hart: never more than R (2 − 2R) = 15.6 %, where R is the Bayes"
        " error."
    )
    three = truth_words.nearest_words(Law("blobs", 0.5, n_classes=3), bayes)
    assert "R (2 − 3/2 R) = 15.9 %" in three
    assert truth_words.nearest_words(Law("moons"), BayesError(0.0, 0.0, 0)) == "1-NN with ever more points: 0, too."


@pytest.mark.parametrize("classifier", ["knn", "svm"])
def test_only_a_lane_with_neighbours_has_the_limit_of_1nn(classifier: str) -> None:
    document = Document(MOONS.points(), (Lane(classifier),), origin=MOONS, shown=1)
    points, model = document.training_points, KNeighborsClassifier(1) if classifier == "knn" else SVC()
    model.fit(points.xy, points.labels)
    results = Results()
    picture = Picture(np.zeros((2, 2), dtype=np.uint32), GRID, np.empty((0, 2)), np.empty((0, 2)))
    results.accept(Frame(1, 0, points, document.lanes[0], Phase.DONE, model=model, picture=picture))
    (scene,) = truths.scene(Context(document, Session(), results), ())
    assert scene.has_neighbours is (classifier == "knn")


def test_the_study_preset_names_the_limits_of_its_generator() -> None:
    study, sentence = PRESETS["knn-limit"]
    settings = study.generator
    assert settings is not None
    bayes = ask(BayesErrorQuery(Law(settings.name, settings.noise)))[-1]
    report = [1.0 - bayes.nearest, 1.0 - cover_hart(bayes.value, 2), 1.0 - bayes.value]
    assert [f"{100 * each:.1f} %" in sentence for each in report] == [True] * 3
