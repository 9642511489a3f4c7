"""Task runner: does background tasks on threads, one after the other, and shows those that take long, with Cancel.

Background: work that would hold the window up, on a thread of its own; of several requests the newest counts.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from app.core import log
from app.files.background_task import Progress, Task
from app.files.documents import FileError
from app.views.widgets.form_fields import describe

#: Milliseconds after which a task is shown, and between two looks at it.
SHOWN_AFTER, LOOK = 600, 100
#: Pixels between it and the window's edges, and characters of the longest title.
GAP, LONGEST = 10, 60
#: Files, and the clipboard: what is done for one does not wait for the other.
LINES = ("files", "clipboard")

_Then = Callable[[], object]


@dataclass(eq=False)
class _Run:
    task: Task[Any]
    done: Callable[[Any], object]
    failed: Callable[[FileError], object]
    line: str
    progress: Progress = field(default_factory=Progress)
    begun: float = 0.0


class _Door:
    """Through it results come, as long as somebody is there to take them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open = True

    def close(self) -> None:
        with self.lock:
            self.open = False


class TaskRunner(QObject):
    """Two lines of tasks; what is to be done with their results is done in the window's thread.

    Parameters
    ----------
    parent : QObject
    waits : callable
        True while no result may be used: a gesture is going on.
    say, alert : callable
        ``say(sentence)`` tells something, ``alert(sentence)`` what must not be overlooked.
    """

    _finished = Signal(object, object)  # from a task's thread: which, and what came of it

    def __init__(
        self, parent: QObject, waits: Callable[[], bool], say: Callable[[str], None], alert: Callable[[str], None]
    ) -> None:
        super().__init__(parent)
        self._waits, self._say, self._alert = waits, say, alert
        self._queues: dict[str, deque[_Run]] = {line: deque() for line in LINES}
        self._running: dict[str, _Run] = {}
        self._afterwards: _Then | None = None  # the last wish counts
        self._status: QStatusBar | None = None
        self._progress: _ProgressPanel | None = None
        self._finished.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._door = _Door()
        # Also when the parent is taken down without being closed: no result may reach an object that is gone.
        self.destroyed.connect(self._door.close)
        self._clock = QTimer(self, interval=LOOK)
        self._clock.timeout.connect(self._look)

    def show_above(self, status: QStatusBar) -> None:
        """Show what takes long above this status bar."""
        self._status = status

    def run(
        self,
        task: Task[Any],
        done: Callable[[Any], object],
        failed: Callable[[FileError], object] | None = None,
        line: str = "files",
    ) -> None:
        """Do `task` after those before it in its line; then ``done(result)``, or ``failed(error)``."""
        self._queues[line].append(_Run(task, done, failed or (lambda error: self._alert(str(error))), line))
        self._begin(line)

    def in_turn(self, act: _Then, line: str) -> None:
        """Do something short once nothing is left of what is in the line now; at once when that is nothing."""
        if line in self._running:
            self.run(Task("Waiting", lambda progress: None, "Nothing was done", kept=False), lambda _: act(), line=line)
        else:
            act()

    @property
    def busy(self) -> bool:
        """True while anything is to be done."""
        return bool(self._running) or any(self._queues.values())

    def hold(self, then: _Then) -> bool:
        """Run `then` once all that must be finished is, if all goes well; False when nothing must be.

        What need not be finished is given up.
        """
        for run in self._all():
            if not run.task.kept:
                self._give_up(run)
        if not self.busy:
            return False
        self._afterwards = then
        self._show()
        return True

    def after_saving(self, then: _Then) -> bool:
        """Run `then` once all files are written, if all goes well; False when none is being written."""
        if not any(run.task.kept for run in self._all() if run.line == "files"):
            return False
        self._afterwards = then
        return True

    def give_up_reading(self) -> None:
        """Give up what only reads files: something else is to be read now."""
        for run in self._all():
            if run.line == "files" and not run.task.kept:
                self._give_up(run)

    def cancel(self) -> None:
        """Give up what is shown."""
        shown = self._oldest()
        if shown is not None and self._give_up(shown):
            self._say(f"{shown.task.title} was cancelled.")

    def close(self) -> None:
        """Give everything up: the window goes."""
        self._door.close()
        self._afterwards = None
        for run in reversed(self._all()):  # the running ones last, or the next would begin
            self._give_up(run)
        self._clock.stop()

    # -- one after the other ---------------------------------------------------------------------------------------

    def _all(self) -> list[_Run]:
        return [*self._running.values(), *(run for queue in self._queues.values() for run in queue)]

    def _begin(self, line: str) -> None:
        if line in self._running or not self._queues[line]:
            return
        run = self._running[line] = self._queues[line].popleft()
        run.begun = time.monotonic()
        finished, door = self._finished, self._door

        def work() -> None:
            outcome = run.task.outcome(run.progress)
            with door.lock:
                if door.open:
                    finished.emit(run, outcome)

        try:
            threading.Thread(target=work, name="task", daemon=True).start()
        except RuntimeError:  # else it would be waited for for ever
            finished.emit(run, FileError(f"{run.task.failure}: the system starts no more threads."))
        self._clock.start()

    @Slot(object, object)
    def _take(self, run: _Run, outcome: Any) -> None:
        if self._running.get(run.line) is not run:  # given up
            return
        if self._waits():
            QTimer.singleShot(LOOK, self, lambda: self._take(run, outcome))
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

    def _give_up(self, run: _Run) -> bool:
        if run in self._queues[run.line]:
            self._queues[run.line].remove(run)
            return True
        if not run.progress.cancel():  # it takes no more than a moment
            return False
        self._running.pop(run.line, None)
        self._afterwards = None
        self._go_on(run.line)
        return True

    def _go_on(self, line: str) -> None:
        self._begin(line)
        self._look()
        if not self.busy:
            self._clock.stop()
            then, self._afterwards = self._afterwards, None
            if then is not None:
                then()

    # -- what takes long -------------------------------------------------------------------------------------------

    def _oldest(self) -> _Run | None:
        return min(self._running.values(), key=lambda run: run.begun, default=None)

    @Slot()
    def _look(self) -> None:
        run = self._oldest()
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
    """What is going on, how far it is, and a button that ends it, over the window's lower right corner.

    In a layout it would move everything: the pictures would be of another size, and computed anew.
    """

    def __init__(self, window: QWidget, cancel: _Then) -> None:
        super().__init__(window)
        self.setObjectName("task")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        layout = QHBoxLayout(self)
        self._title, self._bar, button = QLabel(), QProgressBar(), QPushButton("Cancel")
        self._title.setObjectName("task.title")
        self._title.setTextFormat(Qt.TextFormat.PlainText)  # it names a file
        describe(self._bar, "task.progress", "Progress", "How much of it is done.")
        describe(button, "task.cancel", "Cancel", "Give it up; nothing is changed.")
        self._bar.setFixedWidth(120)
        self._bar.setTextVisible(False)
        button.clicked.connect(cancel)
        for widget in (self._title, self._bar, button):
            layout.addWidget(widget)

    def show_share(self, title: str, share: float) -> None:
        """A share of 0 or 1 says nothing: it is not known, or the disk has all of it and has to be waited for."""
        self._title.setText(f"{title}…" if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…")
        self._bar.setAccessibleName(title)
        known = 0.0 < share < 1.0
        self._bar.setRange(0, 100 if known else 0)
        self._bar.setValue(round(100 * share) if known else -1)

    def stand_above(self, status: QStatusBar) -> None:
        """Stand in the corner above the status bar, which may have moved."""
        self.resize(self.sizeHint())
        corner = status.geometry().topRight() - QPoint(self.width() + GAP, self.height() + GAP)
        self.move(corner)
        self.raise_()
        self.setVisible(True)


Work = Callable[[], Any]


class _Desk:
    """What the two threads share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.request: tuple[int, Work] | None = None
        self.working = False
        self.closed = False

    def close(self) -> None:
        with self.lock:
            self.closed = True
            self.request = None


class Background(QObject):
    """Runs requests one after another; answers arrive in the thread of this object.

    Parameters
    ----------
    answered : callable
        Given what the newest request returned, or the FileError it raised.
    parent : QObject
        With it, this ends; an answer that comes later is forgotten.
    """

    _finished = Signal(int, object)

    def __init__(self, answered: Callable[[Any], None], parent: QObject) -> None:
        super().__init__(parent)
        self._answered = answered
        self._number = 0
        self._desk = desk = _Desk()
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        # Also when the parent is taken down without being closed: no answer may reach an object that is gone.
        self.destroyed.connect(desk.close)

    def ask(self, work: Work) -> None:
        """Run `work` soon, in place of any request that has not begun."""
        self._number += 1
        with self._desk.lock:
            self._desk.request = self._number, work
            if self._desk.working:
                return
            self._desk.working = True
        threading.Thread(target=self._run, name="background", daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        self._desk.close()

    def _run(self) -> None:
        desk, finished = self._desk, self._finished
        while True:
            with desk.lock:
                request, desk.request = desk.request, None
                if request is None or desk.closed:
                    desk.working = False
                    return
            number, work = request
            try:
                answer = work()
            except FileError as error:
                answer = error
            except MemoryError:
                answer = FileError("There is not enough memory for this file.")
            except Exception as error:  # a fault of the program: without an answer it would be waited for for ever
                log.caught("A file could not be read.")
                answer = FileError(f"This file could not be read ({type(error).__name__}: {error}).")
            with desk.lock:
                if not desk.closed:
                    finished.emit(number, answer)
            del request, work, answer  # they may be large, and the next request may be long in coming

    @Slot(int, object)
    def _deliver(self, number: int, answer: Any) -> None:
        if number == self._number and not self._desk.closed:
            self._answered(answer)
