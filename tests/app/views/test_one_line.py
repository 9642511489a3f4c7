"""Panels are beside the pictures, below the bar: bar and rows stay one line where they fit, and no control vanishes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QSlider, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.features.table import FEATURES
from app.views.widgets.inputs import ShortCombo
from app.views.widgets.scale_slider import LEAST
from app.window.dock_manager import docks
from app.window.main_window import MainWindow
from solver.kernels import KERNELS
from tests.windows import Make, finish_layout, settle


def heads(window: MainWindow) -> list[object]:
    """Return the upper edges of the bar, the rows and the pictures, and the heights of bar and rows."""
    shown = range(window.document.shown)
    tops = [window.canvases[at].mapTo(window, QPoint(0, 0)).y() for at in shown]
    return [window.bar.height(), *(window.lanes_view.rows[at].height() for at in shown), *tops]


def sliders(window: MainWindow, lane: int) -> list[str]:
    """Return the visible sliders of a row."""
    return [each.objectName() for each in window.lanes_view.rows[lane].findChildren(QSlider) if each.isVisible()]


@pytest.mark.slow
def test_no_panel_makes_the_bar_or_a_row_wrap(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    before, shown = heads(window), [sliders(window, lane) for lane in (0, 1)]
    assert shown == [["lane0.k.slider"], ["lane1.C.slider", "lane1.gamma.slider"]]
    for spec in docks(FEATURES):
        window.named_actions[spec.name].trigger()
        finish_layout()
        dock = window.dock_manager.docks([spec.name])[0]
        assert heads(window) == before, spec.name
        assert [sliders(window, lane) for lane in (0, 1)] == shown, spec.name
        location = QRect(dock.mapTo(window, QPoint(0, 0)), dock.size())
        assert location.top() >= window.bar.mapTo(window, QPoint(0, window.bar.height())).y() - 1, spec.name
        window.dock_manager.hide([spec.name])
        finish_layout()
    settle(qtbot, window)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1024, 1100, 1180, 1280])
def test_a_row_beside_a_panel_keeps_its_sliders(make: Make, qtbot: QtBot, width: int) -> None:
    """A row that is too short for its sliders wraps; no line has nothing but buttons."""
    window = make(size=(width, 768))
    window.named_actions["alphas"].trigger()
    window.controller.set_lane(0, "knn", metric="cosine")
    for kernel in ("rbf", "poly", "sigmoid"):
        window.controller.set_lane(1, "svm", kernel=kernel)
        settle(qtbot, window)
        finish_layout()
        wanted = [f"lane1.{name}.slider" for name in ("C", "gamma")]
        assert sliders(window, 0) == ["lane0.k.slider"] and set(sliders(window, 1)) >= set(wanted), kernel
        for row in window.lanes_view.rows[:2]:
            assert row.height() < 80, "two lines at most"
            inside = [each for each in row.findChildren(QWidget) if each.isVisible() and each.parentWidget() is row]
            assert all(row.rect().contains(each.geometry()) for each in inside)
            slider = row.findChildren(QSlider)[0]
            assert slider.width() >= LEAST and slider.visibleRegion().boundingRect() == slider.rect()
            lowest = max(each.y() for each in inside)
            last = [each for each in inside if each.y() > lowest - 12]
            assert len(last) > 1, "the buttons are not alone in their line"
    words = window.findChild(QToolButton, "lane0.settings")
    assert words.text() and words.width() > 26


@pytest.mark.slow
@pytest.mark.parametrize("width", [1024, 1280])
@pytest.mark.parametrize("simple", [True, False])
def test_a_row_writes_its_choices_in_full_and_keeps_its_layout(
    make: Make, qtbot: QtBot, width: int, simple: bool
) -> None:
    window = make(size=(width, 800), simple=simple)
    parts = [f"lane0.{name}" for name in ("k.slider", "k", "weights", "settings", "menu")]

    def layout() -> list[QRect]:
        settle(qtbot, window)
        finish_layout()
        return [window.findChild(QWidget, name).geometry() for name in parts]

    before = layout()
    for change in ({"n_neighbors": 51}, {"weights": "distance"}, {"weights": "distance-squared", "n_neighbors": 1}):
        window.controller.set_lane(0, "knn", **change)
        assert layout() == before, change
    kernel = window.findChild(ShortCombo, "lane1.kernel")
    for name in KERNELS:
        window.controller.set_lane(1, "svm", kernel=name)
        layout()
        assert kernel.isVisible() and kernel.is_whole(), name


def test_a_row_too_narrow_for_the_hidden_settings_says_how_many_they_are(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1120, 768))
    window.controller.set_lane(1, "svm", kernel="poly", degree=5, coef0=2.0)
    settle(qtbot, window)
    finish_layout()
    more = window.findChild(QToolButton, "lane1.settings")
    said = window.scene.lanes[1].not_default
    assert more.text() == f"+{len(said)}" != "+0"
    assert all(words in more.toolTip() and words in more.accessibleDescription() for words in said)
    shown = more.fontMetrics().horizontalAdvance(more.text()) + 20
    assert more.width() >= shown and more.visibleRegion().boundingRect().width() == more.width()
    window.resize(1920, 800)
    finish_layout()
    assert more.text() == ", ".join(said), "written out where there is room"
