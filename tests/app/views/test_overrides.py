"""Methods that Qt calls: whatever they raise is reported once, and the program goes on."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPoint,
    QPointF,
    QSize,
    Qt,
    QTimerEvent,
)
from PySide6.QtGui import (
    QCloseEvent,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QEnterEvent,
    QFocusEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QDialog,
    QGraphicsItem,
    QGraphicsView,
    QLabel,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QStyledItemDelegate,
    QTableView,
    QTextEdit,
    QWidget,
    QWidgetItem,
)
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken, isValid

import app
from app.core import log
from app.features.table import FEATURES
from app.views import overrides
from app.window.dock_manager import docks
from app.window.main_window import MainWindow
from tests.make_accessible import DIALOGS, TABLE, finish
from tests.windows import Make, settle

NO, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


def fail(*given: object, **named: object) -> Any:
    """Raise an error in C."""
    return np.interp(0.5, [0.0, 1.0], [0.0])


def kinds() -> list[type]:
    """Return all classes of the program that derive from one of Qt's."""
    for info in pkgutil.walk_packages(app.__path__, "app."):
        if "__main__" not in info.name:
            importlib.import_module(info.name)
    found = dict.fromkeys(overrides._subclasses(Shiboken.Object))
    return [kind for kind in found if kind.__module__.startswith("app.") and kind.__module__ in sys.modules]


def own(kind: type) -> list[str]:
    """Return the names of the methods of Qt's that `kind` overrides itself."""
    return [name for name in vars(kind) if overrides.is_override(kind, name)]


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """Return the errors that reach `sys.excepthook`, which fails a test otherwise."""
    errors: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, traceback: errors.append(error))
    return errors


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the sentences that are painted in place of a picture."""
    sentences: list[str] = []
    real = overrides.announce

    def announce(painter: QPainter, area: Any, error: Exception) -> None:
        sentences.append(str(error))
        real(painter, area, error)

    monkeypatch.setattr(overrides, "announce", announce)
    return sentences


# -- which methods are guarded --------------------------------------------------------------------------------------


def test_every_override_is_guarded(qapp: QApplication) -> None:
    found = kinds()
    assert len(found) > 150 and sum(len(own(kind)) for kind in found) > 250
    for kind in found:
        # Of mixins, too: whatever is found first in place of a method of Qt's.
        names = {name for each in kind.__mro__ if each.__module__.startswith("PySide6.") for name in vars(each)}
        for name in names:
            owner = next(each for each in kind.__mro__ if name in vars(each))
            if owner.__module__.startswith("app.") and callable(method := vars(owner)[name]) and name[:2] != "__":
                assert overrides.is_guarded(method), f"{owner.__module__}.{owner.__name__}.{name}"


def test_the_methods_of_pyqtgraph_that_qt_calls_are_guarded(qapp: QApplication) -> None:
    import pyqtgraph as pg

    for kind, name in (
        (pg.AxisItem, "paint"),
        (pg.AxisItem, "boundingRect"),
        (pg.ViewBox, "wheelEvent"),
        (pg.GraphicsScene, "mouseMoveEvent"),
        (pg.GraphicsView, "paintEvent"),
        (pg.GraphicsObject, "itemChange"),
    ):
        assert overrides.is_guarded(vars(kind)[name]), name
    assert not overrides.is_guarded(pg.PlotCurveItem.setData), "programs call it, and receive its errors"


def test_a_class_that_is_defined_later_is_guarded_and_the_classes_of_others_are_not(qapp: QApplication) -> None:
    class Foreign(QWidget):
        def sizeHint(self) -> QSize:
            return fail()

    class Later(QWidget):
        __module__ = "app.later"
        sizeHint = fail

        def fresh(self) -> None:
            """Not a method of Qt's."""

    class Counted:
        count = 0

        def __init_subclass__(cls) -> None:
            Counted.count += 1

    class Mixed(QWidget, Counted):
        pass

    assert overrides.is_guarded(Later.sizeHint) and not overrides.is_guarded(Later.fresh)
    assert not overrides.is_guarded(Foreign.sizeHint)
    assert Counted.count == 1 and issubclass(Mixed, Counted), "the hooks of other classes are called as before"


def test_painters_are_opened_in_one_file() -> None:
    """A painter left open by an exception ends the process: `painter_on` closes it."""
    folder = Path(app.__file__).parent
    opening = [path.name for path in folder.rglob("*.py") if re.search(r"\bQPainter\(", path.read_text())]
    assert opening == ["painting.py"]


# -- what is returned and painted instead ---------------------------------------------------------------------------


def test_qt_answers_instead_and_the_error_is_reported_once(qtbot: QtBot, reported: list[BaseException]) -> None:
    class Hinted(QLabel):
        __module__ = "app.hinted"

        def sizeHint(self) -> QSize:
            return fail()

        def minimumSizeHint(self) -> QSize:
            return fail()

    class Rows(QAbstractItemModel):
        __module__ = "app.rows"
        rowCount = columnCount = data = parent = index = fail

    holder = QWidget()
    qtbot.addWidget(holder)
    label, other, plain = Hinted("a text", holder), Hinted("a text", holder), QLabel("a text", holder)
    for _ in range(3):
        assert QWidgetItem(label).sizeHint() == QWidgetItem(plain).sizeHint()
        assert QWidgetItem(label).minimumSize() == QWidgetItem(plain).minimumSize()
    ways = len(reported)
    assert QWidgetItem(label).sizeHint() == QWidgetItem(plain).sizeHint() and 2 <= len(reported) == ways
    assert QWidgetItem(other).sizeHint() == QWidgetItem(plain).sizeHint() and len(reported) > ways, "another object"
    rows = Rows()
    view = QTableView()
    qtbot.addWidget(view)
    view.setModel(rows)
    view.grab()
    assert (rows.rowCount(QModelIndex()), rows.data(QModelIndex())) == (0, None)
    assert all(isinstance(error, ValueError) and "not of the same length" in str(error) for error in reported)


def test_the_log_has_the_error_of_a_thousand_frames_once(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(QWidget):
        __module__ = "app.broken"

        def paintEvent(self, event: QPaintEvent) -> None:
            fail()

    monkeypatch.setattr(sys, "excepthook", lambda *about: None)
    log.start(tmp_path)
    log.take_uncaught()
    widget = Broken()
    qtbot.addWidget(widget)
    widget.resize(300, 60)
    for _ in range(1000):
        picture = widget.grab()
    assert log.text().count("ValueError: fp and xp") == 1
    empty = QImage(picture.size(), QImage.Format.Format_RGB32)
    empty.fill(widget.palette().window().color())
    assert picture.toImage().convertToFormat(empty.format()) != empty, "the sentence"


def test_an_error_that_is_no_fault_goes_on(qtbot: QtBot) -> None:
    """Ctrl+C in a terminal ends the program."""

    class Interrupted(QWidget):
        __module__ = "app.interrupted"

        def sizeHint(self) -> QSize:
            raise KeyboardInterrupt

    holder = QWidget()
    qtbot.addWidget(holder)
    widget = Interrupted(holder)
    with pytest.raises(KeyboardInterrupt):
        QWidgetItem(widget).sizeHint()


# -- faults in each class in turn -----------------------------------------------------------------------------------


def mouse(kind: QEvent.Type, button: Qt.MouseButton = LEFT) -> QMouseEvent:
    return QMouseEvent(kind, QPointF(3, 3), QPointF(3, 3), button, button, NO)


def dropped() -> QMimeData:
    data = QMimeData()
    data.setText(TABLE)
    return data


DATA = QMimeData()
#: An event that leads to each method.
EVENTS: dict[str, Callable[[], QEvent]] = {
    "event": lambda: QEvent(QEvent.Type.LayoutRequest),
    "viewportEvent": lambda: QEvent(QEvent.Type.HoverLeave),
    "changeEvent": lambda: QEvent(QEvent.Type.FontChange),
    "leaveEvent": lambda: QEvent(QEvent.Type.Leave),
    "enterEvent": lambda: QEnterEvent(QPointF(3, 3), QPointF(3, 3), QPointF(3, 3)),
    "showEvent": QShowEvent,
    "hideEvent": QHideEvent,
    "closeEvent": QCloseEvent,
    "resizeEvent": lambda: QResizeEvent(QSize(90, 50), QSize(91, 50)),
    "focusInEvent": lambda: QFocusEvent(QEvent.Type.FocusIn),
    "focusOutEvent": lambda: QFocusEvent(QEvent.Type.FocusOut),
    "keyPressEvent": lambda: QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_F20, NO),
    "keyReleaseEvent": lambda: QKeyEvent(QEvent.Type.KeyRelease, Qt.Key.Key_F20, NO),
    "focusNextPrevChild": lambda: QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, NO),
    "mousePressEvent": lambda: mouse(QEvent.Type.MouseButtonPress),
    "mouseMoveEvent": lambda: mouse(QEvent.Type.MouseMove),
    "mouseReleaseEvent": lambda: mouse(QEvent.Type.MouseButtonRelease),
    "mouseDoubleClickEvent": lambda: mouse(QEvent.Type.MouseButtonDblClick),
    "contextMenuEvent": lambda: QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(3, 3), QPoint(3, 3)),
    "wheelEvent": lambda: QWheelEvent(
        QPointF(3, 3),
        QPointF(3, 3),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        NO,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    ),
    "timerEvent": lambda: QTimerEvent(0),
    "dragEnterEvent": lambda: QDragEnterEvent(QPoint(3, 3), Qt.DropAction.CopyAction, DATA, LEFT, NO),
    "dragLeaveEvent": QDragLeaveEvent,
    "dropEvent": lambda: QDropEvent(QPointF(3, 3), Qt.DropAction.CopyAction, DATA, LEFT, NO),
}
#: Events that a scroll area receives through its viewport.
THROUGH_VIEWPORT = ("viewportEvent", "resize", "mouse", "wheel", "contextMenu", "drag", "drop")


@contextmanager
def failing(kind: type, name: str, reached: set[str]) -> Iterator[None]:
    """Let a guarded method fail, and note its name in `reached` when it is called.

    The method stays in its class: PySide keeps it for each object, even if the class has got another one.
    """

    def broken(*given: object, **named: object) -> Any:
        reached.add(name)
        return fail()

    broken.__code__ = broken.__code__.replace(co_name=f"{kind.__name__}.{name}")  # each is reported by itself
    cell = dict(zip(vars(kind)[name].__code__.co_freevars, vars(kind)[name].__closure__, strict=True))["method"]
    method, cell.cell_contents = cell.cell_contents, broken
    try:
        yield
    finally:
        cell.cell_contents = method


def things(window: MainWindow) -> Iterator[Any]:
    """Yield all widgets, layouts, graphics items and other objects of the program."""
    for top in QApplication.topLevelWidgets():
        for each in [top, *top.findChildren(QObject)]:
            yield each
            if isinstance(each, QGraphicsView) and each.scene() is not None:
                yield from each.scene().items()
            if isinstance(each, QAbstractItemView):
                yield from (each.model(), each.itemDelegate(), each.selectionModel())
    yield from QApplication.instance().findChildren(QObject)


def send(target: QObject, name: str) -> None:
    if isinstance(target, QAbstractScrollArea) and name.startswith(THROUGH_VIEWPORT):
        target = target.viewport()
    QApplication.sendEvent(target, EVENTS[name]())


def use(thing: Any, names: list[str]) -> None:
    """Let Qt call all that these methods are for."""
    for name in names:
        if name in EVENTS and isValid(thing):
            send(thing, name)
    if isinstance(thing, QObject):
        watched = QObject()
        watched.installEventFilter(thing)
        QApplication.sendEvent(watched, QEvent(QEvent.Type.User))
        watched.removeEventFilter(thing)
    if isinstance(thing, QWidget):
        item = QWidgetItem(thing)
        item.sizeHint(), item.minimumSize(), item.hasHeightForWidth(), item.heightForWidth(200)
        thing.resize(thing.size().expandedTo(QSize(200, 60)))
        thing.grab()
    if isinstance(thing, QGraphicsItem):
        thing.scene().items(QPointF(0.5, 0.5))
        thing.scene().views()[0].grab()
    if isinstance(thing, QLayout):
        held = thing.parentWidget()
        held.sizeHint(), held.minimumSizeHint(), held.heightForWidth(200)
        thing.invalidate()
        thing.activate()
    if isinstance(thing, QAbstractItemModel):
        view = QTableView()
        view.setModel(thing)
        view.grab()
        QStyledItemDelegate().setModelData(QLineEdit("1"), thing, thing.index(0, 0))
    if isinstance(thing, QAbstractItemDelegate):
        for view in QApplication.allWidgets():
            if isinstance(view, QAbstractItemView) and view.itemDelegate() is thing:
                view.grab()
                view.openPersistentEditor(view.model().index(0, 1))
                view.closePersistentEditor(view.model().index(0, 1))
    if isinstance(thing, QItemSelectionModel):
        thing.setCurrentIndex(thing.model().index(1, 0), QItemSelectionModel.SelectionFlag.SelectCurrent)
    if isinstance(thing, QSpinBox):
        thing.lineEdit().insert("1")
        thing.interpretText()
        thing.setValue(thing.value() + 1)
    if isinstance(thing, QDialog):
        QTest.keyClick(thing, Qt.Key.Key_Escape)
    if isinstance(thing, QPlainTextEdit):
        QApplication.clipboard().setText("a")
        thing.paste()
    if isinstance(thing, QTextEdit):
        thing.document().resource(QTextDocument.ResourceType.ImageResource, "none.png")
    if isinstance(thing, QComboBox):
        QTest.keyClick(thing, Qt.Key.Key_F4)
        thing.hidePopup()


def open_all(window: MainWindow) -> None:
    """Open all panels and dialogs."""
    window.named_actions["strips"].trigger()
    for spec in docks(FEATURES):
        if not window.findChild(QWidget, f"dock.{spec.name}").isVisible():
            window.named_actions[spec.name].trigger()
    QTest.mouseMove(window.canvases[0].viewport(), window.to_widget(0, 0.4, 0.4))  # asks for the neighbours there
    finish(window)
    QApplication.clipboard().setText(TABLE)
    for name in ("wipe", "audience", "presenter", *DIALOGS):
        window.named_actions[name].trigger()
        finish(window)


#: Classes of which the opened window has no object: only others derive from it, or it lives as long as a click.
RARE = {"RowsModel", "_Answers", "ClassField"}
#: Classes whose object is empty in that window, so that Qt has nothing to call.
EMPTY = {"TextView", "_Cells"}


@pytest.mark.slow
def test_a_fault_in_any_class_leaves_the_program_alive(
    make: Make, qtbot: QtBot, reported: list[BaseException], announced: list[str]
) -> None:
    window = make(size=(1500, 1000))
    open_all(window)
    assert not reported
    missed, silent, calls = set(), set(), 0
    for kind in kinds():
        if not (names := own(kind)):
            continue
        found = [each for each in things(window) if isinstance(each, kind) and isValid(each)]
        found.sort(key=lambda each: (type(each) is not kind, not (isinstance(each, QWidget) and each.isVisible())))
        if not found:
            missed.add(kind.__name__)
            continue
        reached = set[str]()
        with ExitStack() as planted:
            for name in names:
                planted.enter_context(failing(kind, name, reached))
            use(found[0], names)
        calls += len(reached)
        assert announced or not reached & {"paintEvent", *overrides.PAINTING}, kind
        assert all(isinstance(error, ValueError) for error in reported) and bool(reported) == bool(reached), kind
        assert len(reported) <= len(names) * len(found), "once for each method and object, not with each frame"
        announced.clear()
        reported.clear()
        if not reached:
            silent.add(kind.__name__)
    assert missed <= RARE
    assert silent <= EMPTY
    assert calls > 250
    # The program goes on: a click is drawn, and nothing else is reported.
    for dialog in QApplication.topLevelWidgets():
        if isValid(dialog) and dialog is not window:  # closing one may delete another
            dialog.close()
    finish(window)
    QTest.mouseClick(window.canvases[0].viewport(), LEFT, NO, window.to_widget(0, 0.4, 0.4))
    settle(qtbot, window)
    window.grab()
    assert window.isVisible() and not reported and not announced
