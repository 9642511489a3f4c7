"""ProbeController: what the hand does with the probe becomes a session; and which ground belongs to which problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.controllers.controller import Controller
from app.core.points import LIMIT, Points
from app.engine.query import Answer
from app.engine.results import Results
from app.features.probe.controller import ProbeController, _as_displayed
from app.features.probe.scene import BoundaryQuery, Probe, ProbeSession, queries
from app.features.table import FEATURES
from app.scene.compose import compose
from app.scene.model import Context
from app.state.document import Document
from app.state.session import Session
from app.state.store import Store
from app.tools import PointerPosition
from solver import Grid
from tests.app.features.probe.probes import facts_about, frame_of, knn, points_of, scene_with, svm

#: The panel is open: only then is anything put into words.
PROBE = frozenset({"probe"})


def controller(shown: int = 2) -> tuple[Controller, list[str]]:
    report: list[str] = []
    return Controller(Store(Document(shown=shown)), Session(), lambda: None, report.append), report


def test_the_pointer_is_passed_on_if_a_panel_follows_it() -> None:
    setup, _ = controller()
    setup.feature(ProbeController).aim(PointerPosition(0.5, 0.25, 0.01))
    assert setup.pointer == (0.5, 0.25)
    setup.feature(ProbeController).aim(None)
    assert setup.pointer is None
    alone, _ = controller(shown=1)
    alone.feature(ProbeController).aim(PointerPosition(0.5, 0.25, 0.01))
    assert alone.pointer is None
    alone.set_panel_open("probe", True)
    alone.feature(ProbeController).aim(PointerPosition(0.5, 0.25, 0.01))
    alone.feature(ProbeController).aim(None)
    assert alone.pointer == (0.5, 0.25)  # on its way to the panel


def test_pin_and_let_go() -> None:
    setup, report = controller()
    setup.feature(ProbeController).toggle()
    assert setup.session.of(ProbeSession).probe is None and "Put the pointer over a picture" in report[-1]
    setup.feature(ProbeController).aim(PointerPosition(0.5, 0.25, 0.01))
    setup.feature(ProbeController).toggle()
    assert setup.session.of(ProbeSession).probe == (0.5, 0.25) and "Ctrl+8" in report[-1]
    setup.feature(ProbeController).aim(PointerPosition(0.1, 0.1, 0.01))
    assert setup.session.of(ProbeSession).probe == (0.5, 0.25) and setup.pointer == (0.1, 0.1)
    setup.feature(ProbeController).toggle()
    assert setup.session.of(ProbeSession).probe is None
    setup.set_session(cursor=(3.0, 4.0))
    setup.feature(ProbeController).toggle()
    assert setup.session.of(ProbeSession).probe == (3.0, 4.0)
    setup.feature(ProbeController).pin(1e300, -1e300)
    assert setup.session.of(ProbeSession).probe == (LIMIT, -LIMIT)
    setup.new()
    assert setup.session.of(ProbeSession).probe is None  # another document, another plane


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1e3))
def test_a_coordinate_loses_no_more_than_a_tenth_of_a_pixel(value: float, unit: float) -> None:
    assert abs(_as_displayed(value, unit) - value) <= 0.1 * unit * (1 + 1e-9) + 1e-9
    assert len(repr(_as_displayed(0.123456789, 0.01))) <= 6


def test_a_choice_of_the_problem_is_an_edit() -> None:
    setup, _ = controller()
    setup.feature(ProbeController).choose(1, (2, 2))
    assert setup.document.lanes[1].pair == (2, 2) and setup.store.position == 1
    setup.feature(ProbeController).choose(1, (2, 2))
    assert setup.store.position == 1


def context(
    frames: list[Any], session: Session, results: Results, pointer: tuple[float, float] | None = None
) -> Context:
    document = Document(frames[0].points, tuple(frame.lane for frame in frames), shown=len(frames))
    grid = Grid(-2, 2, -1, 1, 40, 20)
    return Context(document, session, results, (grid,) * len(frames), pointer)


def test_the_background_is_queried_while_the_panel_is_open() -> None:
    points = points_of(60, 2)
    frames = [frame_of(*knn(points, 5), points), frame_of(*svm(points), points, 1)]
    linear = frame_of(*svm(points, kernel="linear"), points, 2)
    results = Results()
    for frame in (*frames, linear):
        results.accept(frame)
    assert queries(context([*frames, linear], Session(), results, (0.0, 0.0))) == {}
    asked = queries(context([*frames, linear], Session().having(ProbeSession(probe=(0.0, 0.0))), results))
    assert asked == {"boundary facts1": BoundaryQuery(frames[1].model, 0, (-2, 2, -1, 1))}  # type: ignore[arg-type]


@pytest.mark.parametrize("fits", [True, False])
def test_facts_about_the_boundary_are_those_of_the_shown_problem(fits: bool) -> None:
    """The norm of one duel says nothing of another."""
    points = points_of(80, 4)
    model, lane = svm(points)
    frame = frame_of(model, lane, points)
    results = Results()
    results.accept(frame)
    problem = 0 if fits else 3
    query = BoundaryQuery(model, problem, (-3.0, 3.0, -2.0, 2.0))  # type: ignore[arg-type]
    results.accept(Answer("boundary facts0", 1, query, facts_about(model), True))
    document = Document(points, (lane,), shown=1)
    scene = compose(document, Session(open_panels=PROBE).having(ProbeSession(probe=(0.2, 0.1))), results, FEATURES)
    assert any("feature space" in line for line in scene.feature(Probe).lanes[0].lines) == fits
    other, _ = svm(points, C=2.0)
    results.accept(Answer("boundary facts0", 2, BoundaryQuery(other, 0, (-3.0, 3.0, -2.0, 2.0)), facts_about(other)))  # type: ignore[arg-type]
    scene = compose(document, Session(open_panels=PROBE).having(ProbeSession(probe=(0.2, 0.1))), results, FEATURES)
    assert not any("feature space" in line for line in scene.feature(Probe).lanes[0].lines)


def test_an_aim_alone_is_no_probe() -> None:
    points = points_of(60, 2)
    probe = scene_with(Session(), frame_of(*knn(points, 5), points), pointer=(0.1, 0.2)).feature(Probe)
    assert probe.location is None and probe.aim == (0.1, 0.2) and not probe.lanes
    assert np.isfinite(probe.aim).all()


def test_a_boundary_of_a_cell_names_the_point_that_entered_and_the_one_that_left() -> None:
    points = Points.of([[-1.0, 0.0], [1.0, 0.0], [0.0, 9.0]], [0, 1, 0])
    setup, _ = controller(shown=1)
    frame = frame_of(*knn(points, k=1), points)
    setup.results.accept(frame)
    setup.set_panel_open("probe", True)
    probe = setup.feature(ProbeController)

    def lines(x: float, y: float = 0.0) -> str:
        probe.aim(PointerPosition(x, y, 0.01))
        found = scene_with(setup.session, frame, pointer=setup.pointer, came_from=setup.came_from).feature(Probe)
        assert found is not None
        return " ".join(found.lanes[0].lines)

    assert "boundary of a cell" not in lines(-0.5) + lines(-0.1)
    assert "Last boundary of a cell: point 2 came, point 1 left." in lines(0.1)
    assert "point 2 came, point 1 left" in lines(0.6), "it stays until the next boundary"
    assert "point 3 came, point 2 left" in lines(0.6, 8.0)
    moved = Points.of([[-1.0, 0.0], [1.0, 0.0], [9.0, 9.0]], [0, 1, 0])
    other = frame_of(*knn(moved, k=1), moved)
    found = scene_with(setup.session, other, pointer=setup.pointer, came_from=setup.came_from).feature(Probe)
    assert found is not None and found.lanes[0].headline and not found.lanes[0].lines, "a boundary of other cells"
    probe.toggle()
    assert "point 3 came, point 2 left" in lines(-0.5), "pinned: the pointer is not followed"
    probe.toggle()
    setup.set_panel_open("probe", False)
    probe.aim(None)
    setup.set_panel_open("probe", True)
    assert "boundary of a cell" not in lines(-0.5), "it came from nowhere"
