"""Write the texts for screen readers: ``python -m tests.make_accessible`` writes accessible.txt.

The file has the window with two classifiers, each panel and dialog, and the order of the Tab key.  A test compares it
with the program; read the differences before committing them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QWidget

from app.features.table import FEATURES
from app.main import create_window
from app.views.application import make_application
from app.window.dock_manager import docks
from app.window.main_window import MainWindow
from tests.app.views.accessible_tree import Node, nodes

FILE = Path(__file__).parent / "app" / "views" / "accessible.txt"
COMMAND = "python -m tests.make_accessible"
SIZE = (1280, 800)
#: Actions that open a dialog or window of the program; file dialogs are Qt's, and list files.
DIALOGS = (
    "examples",
    "import_clipboard",
    "picture",
    "film",
    "copy_text",
    "classes",
    "help",
    "log",
    "about",
    "lesson_add",
)
TABLE = "x,y,class\n0,0,a\n1,1,b\n2,0,a\n"


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Name `what` in an error raised within, also in one that Qt or the program reports and goes on after."""
    reported: list[BaseException] = []
    before = sys.excepthook

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        reported.append(error)
        before(kind, error, trace)

    sys.excepthook = report
    try:
        yield
    except Exception as error:
        reported.append(error)
    finally:
        sys.excepthook = before
    if reported:
        raise AssertionError(f"{what} fails: {type(reported[0]).__name__}: {reported[0]}") from reported[0]


def finish(window: MainWindow) -> None:
    """Wait until all computations and layouts are done."""
    deadline = time.monotonic() + 60
    for _ in range(4):
        while not window.idle() and time.monotonic() < deadline:
            QApplication.processEvents()
            time.sleep(0.001)
        if not window.idle():
            raise AssertionError("computations do not end within a minute")
        QApplication.processEvents()


def panels(window: MainWindow) -> Iterator[tuple[str, QDockWidget]]:
    """Open each panel alone, and yield it with its name."""
    for spec in docks(FEATURES):
        with naming(f"panel {spec.name}"):
            window.named_actions[spec.name].trigger()
            finish(window)
            shown = [each for each in window.findChildren(QDockWidget) if each.isVisible()]
            if [each.objectName() for each in shown] != [f"dock.{spec.name}"]:
                raise AssertionError(f"it is not the one visible panel: {[each.objectName() for each in shown]}")
        yield spec.name, shown[0]
        window.dock_manager.hide([spec.name])
        finish(window)


def dialogs(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    """Open each dialog alone, and yield it with its name."""
    QApplication.clipboard().setText(TABLE)
    for name in DIALOGS:
        before = set(QApplication.topLevelWidgets())
        with naming(f"dialog {name}"):
            window.named_actions[name].trigger()
            finish(window)
            opened = [each for each in QApplication.topLevelWidgets() if each.isVisible() and each not in before]
            if not opened:
                raise AssertionError("nothing opens")
            summary = opened[0].findChild(QLabel, "import.summary")
            while summary is not None and summary.text() == "Reading…":  # on a thread of its own
                QApplication.processEvents()
                time.sleep(0.001)
            finish(window)
        yield name, opened[0]
        for each in opened:
            each.close()
            QApplication.sendPostedEvents(each, QEvent.Type.DeferredDelete)
        finish(window)


def tab_stops(top: QWidget, begin: QWidget) -> list[QWidget]:
    """Return the widgets that Tab visits, from `begin` until it returns there or leaves `top`."""
    top.window().activateWindow()
    begin.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    stops = [QApplication.focusWidget() or begin]  # `begin` may have passed the focus on
    for _ in range(400):
        focused = stops[-1]
        control = Qt.KeyboardModifier.ControlModifier if _holds_tab(focused) else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(focused, Qt.Key.Key_Tab, control)
        now = QApplication.focusWidget()
        if now is None or now in stops or not top.isAncestorOf(now):
            return stops
        stops.append(now)
    raise AssertionError(f"Tab goes round without end: {[each.objectName() for each in stops[-8:]]}")


def _holds_tab(widget: QWidget) -> bool:
    """Return whether Tab inserts a character in `widget`."""
    return hasattr(widget, "tabChangesFocus") and not widget.tabChangesFocus() and not widget.isReadOnly()


def collect(window: MainWindow, check: Callable[[str, QWidget, list[Node]], object] = lambda *about: None) -> str:
    """Return all sections; call ``check(name, widget, nodes)`` for each."""
    QAccessible.setActive(True)
    finish(window)
    parts: list[str] = []

    def add(title: str, widget: QWidget) -> None:
        with naming(title):
            found = nodes(widget)
        parts.append(f"# {title}\n\n" + "".join(f"{node.line}\n" for node in found))
        check(title, widget, found)

    add("window", window)
    stops = tab_stops(window, window.canvases[0])
    parts.append("# Tab, from the first picture\n\n" + "".join(f"{each.objectName()}\n" for each in stops))
    for name, dock in panels(window):
        add(f"panel {name}", dock)
    for name, dialog in dialogs(window):
        add(f"dialog {name}", dialog)
    return "\n".join(parts)


def main() -> None:
    """Write the file."""
    make_application()
    with tempfile.TemporaryDirectory() as folder:
        window = create_window(None, Path(folder))
        window.controller.prefer_simple(False)
        window.resize(*SIZE)
        window.show()
        text = collect(window)
        window.asks_to_save = False
        window.close()
    FILE.write_text(text, encoding="utf-8")
    sys.stdout.write(f"Wrote {FILE}\n")


if __name__ == "__main__":
    main()
