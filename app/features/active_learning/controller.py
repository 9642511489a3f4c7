"""ActiveLearningController: the displayed run, the queries it needs, and their answers; no Qt."""

from __future__ import annotations

from msgspec.structs import replace

from app.engine.frames import Picture
from app.engine.query import Query
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from solver import Grid

from .query import Comparison, Curves, LearningQuery
from .state import ActiveLearningRun

#: Names of the two queries: the present step of the run, and the comparison with random choice.
STEP, CURVES = "asking.step", "asking.curves"


class ActiveLearningController:
    """Keep the displayed run, and request the trainings, the picture and the comparison that it lacks.

    Parameters
    ----------
    scheduler : Scheduler
        Runs the queries.

    Attributes
    ----------
    asking : ActiveLearningRun or None
    picture : Picture or None
        The newest one; while the next is painted, that of the answers before.
    failure : str
        Sentence why the run cannot continue; empty if it can.
    learning : bool
        The present step is still being trained or painted.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.start(None)

    @property
    def curves(self) -> Curves | None:
        """The comparison as far as it is computed."""
        answer, known = self._scheduler.results.answer(CURVES), self._comparison
        if known is None or answer is None or not answer.message:
            return None if known is None else known.curves
        return replace(known.curves, failure=answer.message)

    def start(self, asking: ActiveLearningRun | None) -> None:
        """Begin another run, or none, and discard the last one."""
        self._request({})
        self.asking = asking
        self.picture: Picture | None = None
        self.failure, self.learning = "", False
        self._comparison = Comparison(asking) if asking is not None else None

    def go_on(self, asking: ActiveLearningRun) -> None:
        """Replace the run by a later state of it: one more answer, one less, or another choice."""
        self.asking, self.failure = asking, ""

    def request_picture(self, grid: Grid, shades: Shades) -> None:
        """Request what the present step lacks: its training, and a picture on `grid`."""
        if self.asking is None:
            return
        query = LearningQuery(self.asking.pool, self.asking.answers, grid, shades, self.asking)
        if query != self._wanted.get(STEP):
            self.learning = True
            self._request(self._wanted | {STEP: query})

    def compare(self) -> None:
        """Continue the comparison."""
        if self._comparison is not None:
            self._request(self._wanted | {CURVES: self._comparison})

    def pause_comparison(self) -> None:
        """Interrupt the comparison."""
        self._request({name: query for name, query in self._wanted.items() if name != CURVES})

    def _request(self, wanted: dict[str, Query]) -> None:
        self._wanted = wanted
        self._scheduler.request_answers(wanted, "active learning")

    def collect(self) -> None:
        """Take the newest answer of the background."""
        step = self._scheduler.results.answer(STEP)
        if step is None or self.asking is None:
            return
        query, reply = step.query, step.value
        assert isinstance(query, LearningQuery)
        if reply is not None:
            self.asking = self.asking.learnt(query.answers, reply.steps)
        if query == self._wanted.get(STEP):
            self.failure, self.learning = step.message, not step.done
            if reply is not None:
                self.picture = reply.picture or self.picture
