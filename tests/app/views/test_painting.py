"""A failure of painting: a sentence in place of the part, the rest of the window works, and the process goes on."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPaintDevice, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget
from pytestqt.qtbot import QtBot

import app
from app.features.table import FEATURES
from app.state.document import Document, GeneratorSettings
from app.views import overrides
from app.views.plot.layers import Layers
from app.views.plot.pointer_marks import Overlay
from app.views.widgets import painting
from app.views.widgets.painting import painter_on
from app.window.dock_manager import docks
from app.window.main_window import MainWindow
from tests.windows import Make, settle

SMALL = Document(points=GeneratorSettings("moons", 20).points())


class BrokenError(Exception):
    """The error raised by these tests."""


class BrokenPainter:
    def __getattr__(self, name: str) -> Any:
        raise BrokenError("a planted fault")


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """Return the errors that reach `sys.excepthook`, which fails a test otherwise."""
    errors: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, traceback: errors.append(error))
    return errors


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> list[tuple[QPaintDevice, QRectF]]:
    """Return on what, and where, sentences were painted in place of a part."""
    locations: list[tuple[QPaintDevice, QRectF]] = []
    real = overrides.announce

    def announce(painter: QPainter, area: QRectF, error: Exception) -> None:
        locations.append((painter.device(), QRectF(area)))
        real(painter, area, error)

    monkeypatch.setattr(overrides, "announce", announce)
    return locations


def painting_modules() -> list[Any]:
    names = [info.name for info in pkgutil.walk_packages(app.__path__, "app.") if "__main__" not in info.name]
    return [module for module in map(importlib.import_module, names) if hasattr(module, "painter_on")]


def dock_of(window: MainWindow, name: str) -> QDockWidget:
    dock = window.findChild(QDockWidget, f"dock.{name}")
    assert isinstance(dock, QDockWidget), name
    return dock


def repaint_all(window: MainWindow) -> None:
    for widget in window.findChildren(QWidget):
        if widget.isVisible():
            widget.update()
    window.grab()


def test_a_lack_of_memory_is_painted_in_plain_words(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    monkeypatch.setattr(painting.QPainter, "drawText", lambda *given: texts.append(given[-1]))
    with painter_on(painting.blank(400, 100, 1.0)) as painter:
        painting.announce(painter, QRectF(0, 0, 400, 100), MemoryError("Unable to allocate 64 MiB for an array"))
    assert texts == ["This cannot be drawn: there is not enough memory."]


def test_a_failed_attempt_leaves_no_function_behind(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the next garbage collection, PySide would confuse new objects of Qt with those used for painting."""

    class Local:
        pass

    locals_alive: list[weakref.ref[Local]] = []

    class Broken(QWidget):
        __module__ = "app.broken"

        def paintEvent(self, event: QPaintEvent) -> None:
            local = Local()
            locals_alive.append(weakref.ref(local))
            with painter_on(self):
                raise BrokenError("a planted fault")

    monkeypatch.setattr(sys, "excepthook", lambda kind, error, traceback: None)
    widget = Broken()
    qtbot.addWidget(widget)
    widget.grab()
    assert locals_alive and not any(local() for local in locals_alive)


@pytest.mark.slow
def test_no_widget_that_cannot_be_painted_takes_the_window_down(
    make: Make,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    reported: list[BaseException],
    reports: list[tuple[QPaintDevice, QRectF]],
) -> None:
    window = make(SMALL, size=(1400, 1000))
    for spec in sorted(docks(FEATURES), key=lambda each: each.name == "asking"):
        if spec.name == "asking":
            settle(qtbot, window)  # an error would appear only after a long wait
        if not dock_of(window, spec.name).isVisible():
            dock_of(window, spec.name).toggleViewAction().trigger()
        QApplication.processEvents()
    dock_of(window, "race").raise_()
    settle(qtbot, window)  # its pictures are painted once there is something to show

    @contextmanager
    def failing(device: QPaintDevice, **how: bool) -> Iterator[Any]:
        with painter_on(device, **how) as painter:
            yield BrokenPainter() if isinstance(device, QWidget) else painter

    modules = painting_modules()
    with monkeypatch.context() as planted:
        for module in modules:
            if module not in (painting, overrides):
                planted.setattr(module, "painter_on", failing)
        for spec in docks(FEATURES):  # docks of a group are one behind the other
            dock_of(window, spec.name).raise_()
            QApplication.processEvents()
            dock_of(window, spec.name).grab()
        repaint_all(window)
    kinds = {type(widget).__name__ for widget, _ in reports}
    assert len(kinds) >= 8, kinds
    assert reported and all(isinstance(error, BrokenError) for error in reported)
    assert len(reported) < len(reports), "the same fault is not reported with every frame"
    before = len(reports)
    repaint_all(window)
    settle(qtbot, window)
    assert len(reports) == before and window.isVisible()


def discard_axes(window: MainWindow) -> None:
    for canvas in window.canvases:
        for axis in canvas.plot.axes.values():
            axis.setGrid(False)


def test_a_part_of_a_picture_that_cannot_be_painted_leaves_the_others(
    make: Make,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    reported: list[BaseException],
    reports: list[tuple[QPaintDevice, QRectF]],
) -> None:
    window = make()
    before = window.grab().toImage()
    targets = {
        "layers": (Layers, "_paint_symbols"),
        "overlay": (Overlay, "paint"),
        "axis": (pg.AxisItem, "generateDrawSpecs"),
    }

    def broken(*arguments: object, **options: object) -> None:
        raise BrokenError("a planted fault")

    for part, target in targets.items():
        reported.clear()
        reports.clear()
        with monkeypatch.context() as planted:
            planted.setattr(*target, broken)
            discard_axes(window)
            repaint_all(window)
            spoilt = window.grab().toImage()
            # Work can continue: one more point, one more picture.
            window.controller.generate()
            settle(qtbot, window)
        shown = [canvas for canvas in window.canvases if canvas.isVisible()]
        # The pixels of axes are kept in pictures of their own, which hold the sentences.
        kept = [area for device, area in reports if isinstance(device, QPixmap)]
        assert len(kept) >= 2 * len(shown) if part == "axis" else not kept
        for canvas in shown if part != "axis" else ():
            own = [area for device, area in reports if device in (canvas, canvas.viewport())]
            assert own and all(area.intersects(canvas.plot_area()) and area.width() > 50 for area in own)
        assert spoilt != before and reported, part
        assert len({id(error) for error in reported}) == len(reported) <= 2 * len(shown)
        window.controller.undo()
        settle(qtbot, window)
        discard_axes(window)
        repaint_all(window)
        assert window.grab().toImage() == before, part


def test_on_an_image_the_fault_goes_on_to_the_caller(qapp: QApplication, reported: list[BaseException]) -> None:
    for device in (QImage(20, 20, QImage.Format.Format_RGB32), QPixmap(20, 20)):
        with pytest.raises(BrokenError), painter_on(device) as painter:
            assert painter.isActive()
            raise BrokenError("no")
        assert not painter.isActive() and not device.paintingActive()
    assert not reported


def test_a_borrowed_painter_is_restored(qapp: QApplication, reported: list[BaseException]) -> None:
    class Broken(pg.GraphicsObject):
        __module__ = "app.broken"

        def boundingRect(self) -> QRectF:
            return QRectF(0, 0, 100, 50)

        def paint(self, painter: QPainter, *about: object) -> None:
            painter.scale(3, 3)
            painter.setOpacity(0.2)
            raise BrokenError("no")

    image = QImage(200, 100, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.translate(10, 20)
    before = painter.worldTransform(), painter.opacity(), painter.font()
    Broken().paint(painter, None, None)
    assert (painter.worldTransform(), painter.opacity(), painter.font()) == before
    painter.end()
    assert [str(error) for error in reported] == ["no"]


def test_the_maker_of_a_picture_file_receives_the_fault(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make()

    def broken(*arguments: object) -> None:
        raise BrokenError("no")

    monkeypatch.setattr(Layers, "_paint_symbols", broken)
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    with pytest.raises(BrokenError), painter_on(image) as painter:
        window.canvases[0].render(painter)
    monkeypatch.undo()
