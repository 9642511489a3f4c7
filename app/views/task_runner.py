"""Task runner: run background tasks on threads, one after the other, and show long ones, with a Cancel button.

The window has one for files and the clipboard.  Whatever makes pictures, films or previews has one of its own, whose
tasks are not shown.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field
from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from app.files.background_task import Progress, Task, start
from app.files.documents import FileError
from app.views.widgets.inputs import describe, named

#: Delay before a task is shown, and interval between two updates (ms).
SHOWN_AFTER, POLL = 600, 100
#: Distance of the progress panel from the window's edges (pixels), and its longest title (characters).
GAP, LONGEST = 10, 60
#: Lines of tasks; those of one do not wait for the other.
LINES = ("files", "clipboard")

_Then = Callable[[], object]


def _ignore(*_: object) -> None:
    """Do nothing."""


def _never() -> bool:
    return False


class _Run(Struct, eq=False):
    task: Task[Any]
    done: Callable[[Any], object]
    failed: Callable[[FileError], object]
    line: str
    progress: Progress = field(default_factory=Progress)
    begun: float = 0.0
    thread: threading.Thread | None = None


class _ResultGate:
    """Deliver results to the window until it closes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open = True

    def close(self) -> None:
        with self.lock:
            self.open = False


class TaskRunner(QObject):
    """Run two lines of tasks; their results are handled in the window's thread.

    Parameters
    ----------
    parent : QObject
        The runner ends with it; results that come later are discarded.
    waits : callable, optional
        True while no result may be used: a gesture is going on.
    say, alert : callable, optional
        ``say(sentence)`` reports what was cancelled, ``alert(sentence)`` what failed and has no handler of its own.
    report : callable, optional
        ``report(share)`` shows how much of the oldest task is done, ten times a second.
    """

    _finished = Signal(object, object)  # from a task's thread: the task and its outcome

    def __init__(
        self,
        parent: QObject,
        waits: Callable[[], bool] = _never,
        say: Callable[[str], None] = _ignore,
        alert: Callable[[str], None] = _ignore,
        report: Callable[[float], None] = _ignore,
    ) -> None:
        super().__init__(parent)
        self._waits, self._say, self._alert, self._report = waits, say, alert, report
        self._queues: dict[str, deque[_Run]] = {line: deque() for line in LINES}
        self._running: dict[str, _Run] = {}
        self._afterwards: _Then | None = None  # the last request counts
        self._status: QStatusBar | None = None
        self._progress: _ProgressPanel | None = None
        self._finished.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._door = _ResultGate()
        # Also if the parent is deleted without being closed: no result may reach a deleted object.
        self.destroyed.connect(self._door.close)
        self._clock = QTimer(self, interval=POLL)
        self._clock.timeout.connect(self._update)

    def show_above(self, status: QStatusBar) -> None:
        """Show long tasks above `status`."""
        self._status = status

    def run(
        self,
        task: Task[Any],
        done: Callable[[Any], object],
        failed: Callable[[FileError], object] | None = None,
        line: str = "files",
    ) -> None:
        """Run `task` after those before it in its line; then call ``done(result)`` or ``failed(error)``."""
        self._queues[line].append(_Run(task, done, failed or (lambda error: self._alert(str(error))), line))
        self._begin(line)

    def run_newest(self, task: Task[Any], done: Callable[[Any], object], failed: Callable[[FileError], object]) -> None:
        """Run `task` in place of all before it, whose results are discarded; a running one ends first."""
        self._queues["files"].clear()
        for run in self._running.values():
            run.progress.cancel()
            run.done = run.failed = _ignore
        self.run(task, done, failed)

    def in_turn(self, act: _Then, line: str) -> None:
        """Call a short function after the tasks that are now in the line, at once if there are none."""
        if line in self._running:
            self.run(Task("Waiting", lambda progress: None, "Nothing was done", kept=False), lambda _: act(), line=line)
        else:
            act()

    @property
    def busy(self) -> bool:
        """Whether any task waits or runs."""
        return bool(self._running) or any(self._queues.values())

    def hold(self, then: _Then) -> bool:
        """Run `then` after all tasks that must be finished, if they succeed; return False if there are none.

        Tasks that need not be finished are cancelled.
        """
        for run in self._all():
            if not run.task.kept:
                self._cancel(run)
        if not self.busy:
            return False
        self._afterwards = then
        self._show()
        return True

    def after_saving(self, then: _Then) -> bool:
        """Run `then` after all files are written, if that succeeds; return False if none is being written."""
        if not any(run.task.kept for run in self._all() if run.line == "files"):
            return False
        self._afterwards = then
        return True

    def cancel_reading(self) -> None:
        """Cancel tasks that only read files, because another file is to be read."""
        for run in self._all():
            if run.line == "files" and not run.task.kept:
                self._cancel(run)

    def cancel_all(self) -> bool:
        """Cancel all tasks; return False if it is too late for one."""
        # The running ones last, so that no other begins.
        return all([self._cancel(run) for run in reversed(self._all())])

    def cancel(self) -> None:
        """Cancel the task that is shown."""
        shown = self._oldest()
        if shown is not None and self._cancel(shown):
            self._say(f"{shown.task.title} was cancelled.")

    def close(self, patience: float = 0.0) -> None:
        """Cancel all tasks, because the window closes; wait at most `patience` seconds for each thread."""
        self._door.close()
        self._afterwards = None
        runs = self._all()
        self.cancel_all()
        self._clock.stop()
        for run in runs:
            if run.thread is not None and patience:
                run.thread.join(patience)

    # -- one after the other ---------------------------------------------------------------------------------------

    def _all(self) -> list[_Run]:
        return [*self._running.values(), *(run for queue in self._queues.values() for run in queue)]

    def _begin(self, line: str) -> None:
        if line in self._running or not self._queues[line]:
            return
        run = self._running[line] = self._queues[line].popleft()
        run.begun = time.monotonic()
        finished, door = self._finished, self._door

        def ended(outcome: Any) -> None:
            with door.lock:
                if door.open:
                    finished.emit(run, outcome)

        run.thread = start(run.task, run.progress, ended)
        self._clock.start()

    @Slot(object, object)
    def _take(self, run: _Run, outcome: Any) -> None:
        if self._running.get(run.line) is not run:  # cancelled
            return
        if self._waits():
            QTimer.singleShot(POLL, self, lambda: self._take(run, outcome))
            return
        del self._running[run.line]
        try:
            if isinstance(outcome, FileError):
                if run.task.kept:
                    self._afterwards = None
                run.failed(outcome)
            else:
                run.done(outcome)
        finally:
            self._go_on(run.line)

    def _cancel(self, run: _Run) -> bool:
        if run in self._queues[run.line]:
            self._queues[run.line].remove(run)
            return True
        if not run.progress.cancel():  # it will finish soon
            return False
        self._running.pop(run.line, None)
        self._afterwards = None
        self._go_on(run.line)
        return True

    def _go_on(self, line: str) -> None:
        self._begin(line)
        self._update()
        if not self.busy:
            self._clock.stop()
            then, self._afterwards = self._afterwards, None
            if then is not None:
                then()

    # -- what takes long -------------------------------------------------------------------------------------------

    def _oldest(self) -> _Run | None:
        return min(self._running.values(), key=lambda run: run.begun, default=None)

    @Slot()
    def _update(self) -> None:
        run = self._oldest()
        if run is not None:
            self._report(run.progress.share)
        if run is not None and (time.monotonic() - run.begun) * 1000 > SHOWN_AFTER:
            self._show()
        elif self._progress is not None:
            self._progress.setVisible(False)

    def _show(self) -> None:
        run = self._oldest()
        if run is None or self._status is None:
            return
        if self._progress is None:
            self._progress = _ProgressPanel(self._status.window(), self.cancel)
        self._progress.show_share(run.task.title, run.progress.share)
        self._progress.stand_above(self._status)


class _ProgressPanel(QFrame):
    """The title and progress of a task, with a Cancel button, over the window's lower right corner.

    In a layout it would move everything: the pictures would be of another size, and computed anew.
    """

    def __init__(self, window: QWidget, cancel: _Then) -> None:
        super().__init__(window, frameShape=QFrame.Shape.StyledPanel)
        self.setObjectName("task")
        self.setAutoFillBackground(True)
        layout = QHBoxLayout(self)
        self._title = named(QLabel(textFormat=Qt.TextFormat.PlainText), "task.title")  # it contains a file name
        self._bar, button = QProgressBar(textVisible=False), QPushButton("Cancel")
        describe(self._bar, "task.progress", "Progress", "How much of it is done.")
        describe(button, "task.cancel", "Cancel", "Cancel it; nothing is changed.")
        self._bar.setFixedWidth(120)
        button.clicked.connect(cancel)
        for widget in (self._title, self._bar, button):
            layout.addWidget(widget)

    def show_share(self, title: str, share: float) -> None:
        """Show the progress; for 0 and 1 without a share, which is unknown, or all is written and the disk is busy."""
        self._title.setText(f"{title}…" if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…")
        self._bar.setAccessibleName(title)
        known = 0.0 < share < 1.0
        self._bar.setRange(0, 100 if known else 0)
        self._bar.setValue(round(100 * share) if known else -1)

    def stand_above(self, status: QStatusBar) -> None:
        """Move into the corner above the status bar."""
        self.resize(self.sizeHint())
        corner = status.geometry().topRight() - QPoint(self.width() + GAP, self.height() + GAP)
        self.move(corner)
        self.raise_()
        self.setVisible(True)
