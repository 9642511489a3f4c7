"""The neighbour search in the window: panel, picture, keys, and the pointer, by real events."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSlider
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.probe.controller import ProbeController
from app.features.search import text as words
from app.features.search.controller import SearchController
from app.features.search.overlay import SearchOverlay, search_overlay
from app.features.search.panel import SearchPanel
from app.features.search.scene import SearchScene
from app.state.commands import AddPoints, Clear
from app.state.document import Document, KnnSettings, Lane, View
from app.window.main_window import MainWindow
from solver import Grid
from tests.app.features.probe.test_window import document, hover
from tests.app.features.search.test_text import search_of
from tests.windows import Make, settle

KEY = Qt.Key


def opened(make: Make, qtbot: QtBot, document: Document) -> MainWindow:
    window = make(document, size=(1280, 800))
    window.named_actions["search"].trigger()
    settle(qtbot, window)
    return window


def panel_of(window: MainWindow) -> SearchPanel:
    panel = window.findChild(SearchPanel)
    assert panel is not None
    return panel


def shown(window: MainWindow) -> SearchScene:
    assert window.scene is not None
    found = window.scene.feature(SearchScene)
    assert found is not None
    return found


def text(window: MainWindow, name: str) -> str:
    label = panel_of(window).findChild(QLabel, name)
    assert label is not None
    return label.text() if label.isVisibleTo(panel_of(window)) else ""


def laid(window: MainWindow, lane: int) -> SearchOverlay | None:
    found: SearchOverlay | None = window.canvases[lane].overlays.layers[2].laid
    return found


def test_the_search_follows_the_pointer_and_finds_what_votes(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    assert text(window, "search.heading") == "Tree: split 15 of 15" and words.POINT in text(window, "search.sentence")
    for lane, at in ((0, (0.9, 0.1)), (1, (-0.8, 0.3))):
        hover(window, lane, *at)
        settle(qtbot, window)
        search = shown(window).search
        assert search is not None and search.walk is not None
        assert np.hypot(*(search.walk.query - at)) < 1.5 * window.canvases[0].unit()
        model = window.result(0).model  # type: ignore[union-attr]
        assert search.walk.neighbors.tolist() == model.vote_at(search.walk.query).index.tolist()  # type: ignore[union-attr]
        overlay = laid(window, 0)
        assert overlay is not None and laid(window, 1) is None
        n_pruned = sum(step.outcome == "prune" for step in search.walk.steps)
        assert len(overlay.splits) == 15 and len(overlay.pruned) == n_pruned
        assert overlay.probe is not None and len(overlay.probe.rings) == 5
        assert (overlay.probe.cross is None) == (lane == 0), "the pointer itself marks the query"
    before = text(window, "search.counts")
    window.canvases[1].leaveEvent(None)  # type: ignore[arg-type]
    settle(qtbot, window)
    assert text(window, "search.counts") == before  # on its way to the panel


def test_step_by_step_by_keys_buttons_and_slider(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    window.controller.feature(ProbeController).pin(0.3, 0.1)
    settle(qtbot, window)
    length, panel = shown(window).step, panel_of(window)
    slider = panel.findChild(QSlider, "search.step")
    assert slider is not None and slider.maximum() == slider.value() == length > 20

    def after(act: object) -> int:
        act()  # type: ignore[operator]
        window.refreshing.flush()
        assert slider.value() == shown(window).step
        return shown(window).step

    def key(which: KEY, widget: object = panel) -> int:
        return after(lambda: QTest.keyClick(widget, which))  # type: ignore[call-overload]

    def press(name: str) -> int:
        button = panel.findChild(QPushButton, f"search.{name}")
        assert button is not None
        return after(lambda: QTest.mouseClick(button, Qt.MouseButton.LeftButton))

    panel.first_stop.setFocus()
    assert key(KEY.Key_Comma, panel.first_stop) == length - 1
    assert key(KEY.Key_Comma) == length - 2 and key(KEY.Key_Period) == length - 1
    assert key(KEY.Key_Home) == 0 and key(KEY.Key_Comma) == 0
    assert key(KEY.Key_End) == length and key(KEY.Key_Period) == length
    canvas = window.canvases[0]
    canvas.setFocus()
    assert key(KEY.Key_Less, canvas) == length - 1 and key(KEY.Key_Greater, canvas) == length
    assert press("start") == 0 and text(window, "search.sentence").startswith("60 points in one box")
    assert press("forward") == 1 and press("search") == 15 and press("back") == 14 and press("end") == length
    assert after(lambda: slider.setFocus() or QTest.keyClick(slider, KEY.Key_Left)) == length - 1
    window.controller.feature(ProbeController).pin(-3.0, 2.0)  # another search, at the same step
    settle(qtbot, window)
    assert shown(window).step == min(length - 1, shown(window).search.length)  # type: ignore[union-attr]


def test_each_step_draws_the_nearest_of_what_it_has_measured(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    window.controller.feature(ProbeController).pin(0.3, 0.1)
    settle(qtbot, window)
    search = shown(window).search
    assert search is not None and search.walk is not None
    measured, k, radii = list[float](), search.model.n_neighbors, set[float]()
    for done, step in enumerate(search.walk.steps, 1):
        if step.outcome == "measure":
            of_leaf = search.kd_tree.points[slice(*search.kd_tree.range_of(step.node))]
            measured += np.hypot(*(of_leaf - search.walk.query).T).tolist()
        window.controller.feature(SearchController).seek(search.n_splits + done)
        window.refreshing.flush()
        sketch = shown(window).sketch.sketch
        drawn = np.hypot(*(sketch.ends - search.walk.query).T)
        assert drawn == pytest.approx(sorted(measured)[:k])
        assert (sketch.ball is None) == (len(measured) < k)
        if sketch.ball is not None:
            assert sketch.ball.radius == pytest.approx(drawn[-1])
            radii.add(sketch.ball.radius)
    assert len(radii) > 1
    window.controller.feature(SearchController).seek(search.n_splits)
    window.refreshing.flush()
    assert not len(shown(window).sketch.sketch.ends)


def test_pin_and_let_go(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    button = panel_of(window).findChild(QPushButton, "search.pin")
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.isChecked()  # no location to pin
    hover(window, 0, 0.9, 0.1)
    settle(qtbot, window)
    window.canvases[0].leaveEvent(None)  # type: ignore[arg-type]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert button.isChecked() and button.text() == "Unpin"
    point_at = shown(window).probe.location
    hover(window, 0, -0.9, 0.1)
    settle(qtbot, window)
    assert shown(window).probe.location == point_at
    assert window.canvases[0].overlays.layers[1].laid.lines.size == 0  # the probe does not reveal a neighbour
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert not button.isChecked() and button.text() == "Pin"


def test_leaf_size_and_lane(make: Make, qtbot: QtBot) -> None:
    two = Lane("knn", knn=KnnSettings(1, metric="manhattan"))
    window = opened(make, qtbot, document(lanes=(Lane("knn"), two)))
    window.controller.feature(ProbeController).pin(0.3, 0.1)
    settle(qtbot, window)
    panel = panel_of(window)
    leaf = panel.findChild(QComboBox, "search.leaf_size")
    assert leaf is not None
    leaf.setCurrentIndex(4)
    leaf.activated.emit(4)
    window.controller.lanes.select(1)
    settle(qtbot, window)
    search = shown(window).search
    assert search is not None and search.kd_tree.leaf_size == 32 and search.n_splits == 1
    assert search.model.metric == "manhattan" and laid(window, 0) is None and laid(window, 1) is not None
    assert text(window, "search.own").startswith("This is the tree that the program itself searches")


@pytest.mark.parametrize(
    ("lane", "points", "report"),
    [
        (Lane("svm"), 6, words.NO_LANE),
        (Lane("knn", knn=KnnSettings(metric="cosine")), 6, words.COSINE),
        (Lane("knn"), 0, words.NO_LANE),
    ],
)
def test_why_there_is_no_search(make: Make, qtbot: QtBot, lane: Lane, points: int, report: str) -> None:
    window = opened(make, qtbot, document(points, lanes=(lane,)))
    assert shown(window).message == report and laid(window, 0) is None
    assert not window.named_actions["search_forward"].isEnabled()


def test_odd_points(make: Make, qtbot: QtBot) -> None:
    same = Document(
        Points.of(np.full((9, 2), 0.5), np.arange(9) % 2), (Lane("knn"),), shown=1, view=View(0.0, 0.0, 4.0)
    )
    window = opened(make, qtbot, same)
    window.controller.feature(ProbeController).pin(0.3, 0.1)
    settle(qtbot, window)
    assert "1 of 1 location (9 points)" in text(window, "search.counts")
    window.controller.dispatch(Clear())
    settle(qtbot, window)
    assert text(window, "search.message") == words.NO_LANE
    window.controller.dispatch(AddPoints(xy=np.zeros((1, 2)), labels=np.zeros(1, dtype=np.int64)))
    settle(qtbot, window)  # k = 5, but there is one point
    assert text(window, "search.sentence") == "Leaf of 1 point: measured. The 1st nearest so far is at 0.316."


def test_lines_and_boxes_are_where_the_tree_is() -> None:
    search = search_of((0.2, 0.1))
    grid, area = Grid(0.0, 8.0, 0.0, 8.0, 80, 80), QRectF(0, 0, 80, 80)
    scene = SearchScene(0, search, search.length)
    overlay = search_overlay(scene, search, grid, area, hovering=False)
    assert overlay.splits.tolist() == [[0.0, 30.0, 60.0, 30.0]]  # y = 5, from x = 0 to 6
    assert overlay.measured == (QRectF(-2, 68, 14, 14),)  # (0, 0) to (1, 1), and a margin
    assert overlay.pruned == (QRectF(48, 8, 14, 24),) and overlay.now == overlay.pruned
    assert overlay.gap.tolist() == [[2.0, 79.0, 50.0, 30.0]] and not len(overlay.split)
    first = search_overlay(SearchScene(0, search, 1), search, grid, area, hovering=False)
    assert first.now == (QRectF(-2, 8, 64, 74),) and first.split.tolist() == overlay.splits.tolist()
    assert not first.measured and not first.pruned and not len(first.gap)
    start = search_overlay(SearchScene(0, search, 0), search, grid, area, hovering=False)
    assert start.now == first.now and not len(start.splits) and not len(start.split)
