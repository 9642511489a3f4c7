"""Cells, kept and idle points in the window: switches, lines, marks and words, also for odd documents."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.engine.overlays import Lines
from app.engine.pacing import OvertakenError, never
from app.engine.scheduler import Scheduler
from app.features.cells.scene import CELL, CellsQuery, KnnCells, _cells_words
from app.state.commands import AddPoints, Clear, RemovePoints
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, View
from app.window.main_window import MainWindow
from solver import Grid, KNeighborsClassifier
from solver.core.arrays import Indices
from tests.windows import Make, settle

KEY, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier
KNN = Lane("knn", KnnSettings(n_neighbors=3))


def document(*lanes: Lane, n: int = 30) -> Document:
    points = GeneratorSettings(count=n, noise=0.25).points()
    lanes = lanes or (KNN, Lane("svm"))
    return Document(points, lanes, len(lanes), view=View.fitting(points))


def cells(window: MainWindow, lane: int) -> list[Lines]:
    window.refreshing.flush()
    assert window.scene is not None
    return [each for each in window.scene.lanes[lane].sheets if isinstance(each, Lines) and each.style == CELL]


def kept(window: MainWindow, lane: int) -> Indices:
    window.refreshing.flush()
    assert window.scene is not None
    return window.scene.lanes[lane].marks.kept


def words(window: MainWindow, lane: int) -> str:
    assert window.scene is not None
    return "; ".join(f"{each.text}: {each.tip}" for each in window.scene.lanes[lane].scores)


def test_the_key_draws_the_cells_of_knn_alone(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    QTest.keyClick(window.canvases[0], KEY.Key_V, SHIFT)
    settle(qtbot, window)
    (lines,) = cells(window, 0)
    assert len(lines.xy) > 10 and not cells(window, 1)
    assert window.scene is not None and CELL in window.scene.legend_kinds
    model, grid = window.result(0).model, window.result(0).picture.grid  # type: ignore[union-attr]
    assert isinstance(model, KNeighborsClassifier)
    number = len(np.unique(model.cells_on(grid.xs)(grid.ys)))
    assert f"{number} cells: Everywhere in a cell the same points vote." in words(window, 0)
    assert "cell" not in words(window, 1)
    window.controller.dispatch(AddPoints(xy=[[0.1, 0.2]]))
    settle(qtbot, window)
    assert cells(window, 0)[0] is not lines
    QTest.keyClick(window.canvases[0], KEY.Key_V, SHIFT)
    settle(qtbot, window)
    assert not cells(window, 0) and "cell" not in words(window, 0)


def test_cells_of_removed_points_are_not_drawn(make: Make, qtbot: QtBot) -> None:
    window = make(document(KNN))
    window.named_actions["cells"].trigger()
    settle(qtbot, window)
    answer = window.scheduler.results.answer("cells0")
    window.controller.dispatch(Clear())
    settle(qtbot, window)
    assert answer is not None
    # As when the empty picture arrives between a request and its drawing.
    window.scheduler.results.accept(answer)
    window.refresh()
    assert not cells(window, 0) and "cell" not in words(window, 0)


def test_cells_that_are_too_small_are_counted_and_not_drawn(make: Make, qtbot: QtBot) -> None:
    window = make(document(Lane("knn", KnnSettings(n_neighbors=50)), n=1500))
    window.named_actions["cells"].trigger()
    settle(qtbot, window)
    assert not cells(window, 0)
    assert "cells too small to draw: " in words(window, 0) and "pixels on average. Zoom in" in words(window, 0)


def test_the_key_outlines_the_points_that_the_picture_needs(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    QTest.keyClick(window.canvases[0], KEY.Key_I, SHIFT)
    settle(qtbot, window)
    model, grid, points = window.result(0).model, window.result(0).picture.grid, window.document.points  # type: ignore[union-attr]
    assert isinstance(model, KNeighborsClassifier)
    marked = kept(window, 0)
    assert 0 < len(marked) < len(points) and not len(kept(window, 1))
    before = model.surface_classes_on(grid.xs)(grid.ys)
    for row in range(len(points)):
        rest = np.arange(len(points)) != row
        after = KNeighborsClassifier(3).fit(points.xy[rest], points.labels[rest]).surface_classes_on(grid.xs)(grid.ys)
        same = np.array_equal(after.top, before.top) and np.array_equal(after.tie, before.tie)
        assert same != (row in marked)
    assert f"{len(points) - len(marked)} of {len(points)} points idle" in words(window, 0)
    assert window.scene is not None and "kept" in window.scene.legend_kinds
    (idle,) = np.setdiff1d(np.arange(len(points)), marked)[:1]
    window.controller.dispatch(RemovePoints(ids=points.ids[[idle]]))
    window.refresh()
    assert not len(kept(window, 0)), "marks of other points than are drawn"
    assert "counting idle points…: Which points a picture needs takes longer" in words(window, 0)
    assert "idle" not in words(window, 1)
    settle(qtbot, window)
    assert len(kept(window, 0)) and f"of {len(points) - 1} points idle" in words(window, 0)
    QTest.keyClick(window.canvases[0], KEY.Key_M)
    settle(qtbot, window)
    assert not len(kept(window, 0))


def test_test_points_are_not_counted_among_the_marks(make: Make, qtbot: QtBot) -> None:
    window = make(document(KNN))
    window.controller.splitting.choose("ratio")
    window.named_actions["kept"].trigger()
    settle(qtbot, window)
    assert len(kept(window, 0)) and not np.isin(kept(window, 0), window.document.parts.held_out).any()


def test_odd_documents(make: Make, qtbot: QtBot) -> None:
    window = make(Document(Points(), (KNN,), 1))
    for name in ("cells", "kept"):
        window.named_actions[name].trigger()
    for xy, labels, expected in (
        ([], [], 0),
        ([[0.0, 0.0]], [0], 1),  # the only point is needed
        ([[0.0, 0.0]] * 9, [0, 1] * 4 + [0], 5),  # five against four
        ([[0.0, 0.0], [1.0, 0.0]] * 4, [0] * 8, 0),
    ):
        window.controller.dispatch(AddPoints(xy=np.array(xy).reshape(-1, 2), labels=np.array(labels, int)))
        settle(qtbot, window)
        assert len(kept(window, 0)) == expected, xy
        assert ("cell" in words(window, 0)) == (len(xy) > 0), xy
        window.controller.dispatch(Clear())
        settle(qtbot, window)
        assert not cells(window, 0) and not len(kept(window, 0)) and "cell" not in words(window, 0), xy


def test_a_drag_is_always_shown_coarsely_and_the_remainder_is_discarded() -> None:
    points, posted = GeneratorSettings(count=300).points(), list[KnnCells]()
    model = KNeighborsClassifier(25).fit(points.xy, points.labels)  # the coarse cells take several pieces, too
    query = CellsQuery(model, Grid(0.4, 0.6, 0.1, 0.3, 1600, 1600))
    with suppress(OvertakenError):
        list(query.answer(posted.append, lambda: True))
    assert len(posted) == 1 and len(posted[0].lines[0].xy) > 0
    list(query.answer(posted.append, never))
    assert len(posted) == 3 and posted[2].count >= posted[1].count
    assert [each.coarse for each in posted] == [True, True, False]
    assert _cells_words(posted[1])[0] == f"at least {posted[1].count} cells"


def test_cells_follow_a_drag_while_the_background_pauses(qtbot: QtBot) -> None:
    scheduler, grid = Scheduler(1, lambda: None), Grid(-1.5, 2.5, -1.0, 1.5, 640, 400)
    try:
        for seed in range(3):
            points = GeneratorSettings(count=30, seed=seed).points()
            query = CellsQuery(KNeighborsClassifier(3).fit(points.xy, points.labels), grid)
            scheduler._pool.pause(600.0)  # as after each action of the user
            scheduler.request_answers({"cells0": query})

            def answered(query: CellsQuery = query) -> bool:
                scheduler.collect()
                answer = scheduler.results.answer("cells0")
                return answer is not None and answer.query == query and answer.value is not None

            qtbot.waitUntil(answered, timeout=60_000)
    finally:
        assert scheduler.close()


def test_a_training_that_keeps_some_points_only_gets_no_query_for_idle_ones(make: Make, qtbot: QtBot) -> None:
    window = make(document(Lane("condensed_knn")))
    for name in ("cells", "kept"):
        window.named_actions[name].trigger()
    settle(qtbot, window)
    assert cells(window, 0) and not len(kept(window, 0)) and "idle" not in words(window, 0)


def test_a_lane_that_standardises_says_why_it_has_no_idle_points(make: Make, qtbot: QtBot) -> None:
    window = make(document(Lane("knn", standardise=True), Lane("knn")))
    window.named_actions["kept"].trigger()
    settle(qtbot, window)
    assert "; no idle points: it standardises: " in words(window, 0) and "points idle" in words(window, 1)
    assert not len(kept(window, 0)) and len(kept(window, 1))
