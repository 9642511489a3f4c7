"""ActiveLearningController: the run that is shown, what is asked of the background for it, and what has come."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.engine.mailbox import Mailbox
from app.engine.pool import LatestQueue, Priority
from app.engine.requests import Picture
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from solver import Grid

from .query import Comparison, Curves, LearningReply, LearningRequest, look_for
from .state import ActiveLearningRun, Answer, Pool


class ActiveLearningController(QObject):
    """Keeps what is known of a run, and has what is missing learnt, painted and compared.

    Parameters
    ----------
    scheduler : Scheduler
        Of the compute threads.
    changed : callable
        Called in the window's thread when something has come.
    parent : QObject
        With it, this ends; what comes later is forgotten.

    Attributes
    ----------
    asking : ActiveLearningRun or None
    picture : Picture or None
        The newest one; while the next is painted, of the answers before.
    curves : Curves or None
        The comparison as far as it has come.
    failure : str
        Why nothing more is learnt, in a sentence.
    """

    _arrived = Signal()

    def __init__(self, scheduler: Scheduler, changed: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._changed = changed
        self.asking: ActiveLearningRun | None = None
        self.picture: Picture | None = None
        self.curves: Curves | None = None
        self.failure = ""
        self._wanted: tuple[Pool, tuple[Answer, ...], Grid, Shades] | None = None
        self._number = self._answered = 0
        self._comparison: Comparison | None = None
        self._letters: Mailbox[LearningReply | Curves] = Mailbox(self._arrived.emit)
        post = self._letters.post
        self._learner: LatestQueue[LearningRequest] = scheduler.queue(
            lambda request, given_up: look_for(request, post, given_up), Priority.TRAINING
        )
        self._comparer: LatestQueue[Comparison] = scheduler.queue(
            lambda comparison, given_up: comparison.job(post, given_up), Priority.BACKGROUND
        )
        self._arrived.connect(self._collect, Qt.ConnectionType.QueuedConnection)
        # Also when it is taken down without being closed: no letter may reach one that is gone.
        for end in (self._letters.close, self._learner.cancel, self._comparer.cancel):
            self.destroyed.connect(end)

    @property
    def learning(self) -> bool:
        """Something of the present moment is still being learnt or painted."""
        return self._number != self._answered

    @property
    def comparing(self) -> bool:
        """The comparison has not come to its end."""
        return self._comparison is not None and not self._comparison.finished

    def start(self, asking: ActiveLearningRun | None) -> None:
        """Another run, or none; of the last one nothing is kept."""
        self._comparer.cancel()
        self._learner.cancel()
        self.asking = asking
        self.picture = self._wanted = None
        self.failure = ""
        self._number += 1
        self._answered = self._number
        self._comparison = Comparison(asking) if asking is not None else None
        self.curves = self._comparison.curves if self._comparison is not None else None

    def go_on(self, asking: ActiveLearningRun) -> None:
        """The same run, with another answer, one less, or another choice."""
        self.asking = asking
        self.failure = ""

    def want(self, grid: Grid, shades: Shades) -> None:
        """Have learnt what the present moment lacks, and a picture of it."""
        if self.asking is None:
            return
        key = (self.asking.pool, self.asking.answers, grid, shades)
        if key == self._wanted:
            return
        self._wanted = key
        self._number += 1
        self._learner.submit(LearningRequest(self._number, self.asking, grid, shades))

    def compare(self) -> None:
        """Go on comparing."""
        if self._comparison is not None and not self._comparison.finished:
            self._comparer.submit(self._comparison)

    def rest(self) -> None:
        """Stop comparing, for now."""
        self._comparer.cancel()

    @Slot()
    def _collect(self) -> None:
        for letter in self._letters.take():
            if self.asking is None:
                continue
            if isinstance(letter, Curves) and letter.pool is self.asking.pool:
                self.curves = letter
            elif isinstance(letter, LearningReply) and letter.pool is self.asking.pool:
                self._take(letter, self.asking)
        self._changed()

    def _take(self, reply: LearningReply, asking: ActiveLearningRun) -> None:
        self.asking = asking.learnt(reply.answers, reply.looks)
        if reply.number == self._number:
            self.failure = reply.failure
            self.picture = reply.picture or self.picture
            if reply.picture is not None or reply.failure:
                self._answered = reply.number
