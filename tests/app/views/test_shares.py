"""The share of the window that the pictures have: the rectangles inside the axes, without covered parts."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.views.plot.unit_handle import UnitHandle
from app.window.main_window import MainWindow
from tests.covering import first_rows
from tests.windows import Make, settle

#: Size, classifiers, text above the default (points), panels, least share of the window.
SHARES = [
    ((1024, 768), 2, 0, (), 0.55),
    ((1024, 768), 1, 0, ("evaluation", "curves"), 0.40),
    ((1280, 800), 4, 0, (), 0.55),
    ((1024, 768), 2, 4, (), 0.45),
    ((1280, 800), 2, 0, (), 0.60),
    ((1920, 1080), 2, 0, (), 0.68),
]


def show(window: MainWindow, qtbot: QtBot, lanes: int, larger: int, panels: tuple[str, ...]) -> None:
    """Show a window with this number of classifiers, larger text, and these panels."""
    for _ in range(lanes - window.document.shown):
        window.controller.lanes.add(window.document.shown - 1)
    for _ in range(window.document.shown - lanes):
        window.controller.lanes.remove(window.document.shown - 1)
    window.appearance.set_text_size(QApplication.font().pointSize() + larger)
    for name in panels:
        window.named_actions[name].trigger()
    settle(qtbot, window)
    for _ in range(3):
        QApplication.processEvents()


def found(window: MainWindow) -> float:
    """Return the share of the window that is picture; parts covered by other widgets do not count."""
    total = 0
    for canvas in window.canvases[: window.document.shown]:
        area = canvas.plot_area().toAlignedRect()
        region = QRegion(area.translated(canvas.mapTo(window, area.topLeft() - area.topLeft())))
        for other in [window.lanes_view.offer, *canvas.findChildren(QWidget)]:
            if other.isVisible() and other is not canvas.viewport():
                region -= QRegion(QRect(other.mapTo(window, other.rect().topLeft()), other.size()))
        total += sum(each.width() * each.height() for each in region)  # type: ignore[attr-defined]
    return total / (window.width() * window.height())


@pytest.mark.parametrize(("size", "lanes", "larger", "panels", "least"), first_rows(SHARES, 3))
def test_pictures_have_their_share(
    make: Make, qtbot: QtBot, size: tuple[int, int], lanes: int, larger: int, panels: tuple[str, ...], least: float
) -> None:
    window = make(size=size, simple=True)
    show(window, qtbot, lanes, larger, panels)
    assert window.size().toTuple() == size
    assert found(window) >= least


def test_nothing_covers_the_square_about_the_middle(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1024, 768))
    settle(qtbot, window)
    for canvas in window.canvases[:2]:
        others = [each for each in canvas.findChildren(QWidget) if each is not canvas.viewport() and each.isVisible()]
        middle = canvas.viewport().rect().center()
        assert {type(each) for each in others} <= {UnitHandle}, "at the ends of the axes"
        assert all(not each.geometry().intersects(QRect(middle - QPoint(150, 150), QSize(300, 300))) for each in others)
    assert not window.lanes_view.settings.isVisible()
