"""ActiveLearningController: the run that is shown, what is asked of the background for it, and what has come; no Qt."""

from __future__ import annotations

from msgspec.structs import replace

from app.engine.query import Query
from app.engine.requests import Picture
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from solver import Grid

from .query import Comparison, Curves, LearningQuery
from .state import ActiveLearningRun

#: Names of the two queries.
STEP, CURVES = "asking.step", "asking.curves"


class ActiveLearningController:
    """Keeps what is known of a run, and has what is missing learnt, painted and compared.

    Parameters
    ----------
    scheduler : Scheduler
        Answers the queries.

    Attributes
    ----------
    asking : ActiveLearningRun or None
    picture : Picture or None
        The newest one; while the next is painted, of the answers before.
    failure : str
        Why nothing more is learnt, in a sentence.
    learning : bool
        Something of the present moment is still being learnt or painted.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.start(None)

    @property
    def curves(self) -> Curves | None:
        """The comparison as far as it has come."""
        answer, known = self._scheduler.results.answer(CURVES), self._comparison
        if known is None or answer is None or not answer.message:
            return None if known is None else known.curves
        return replace(known.curves, failure=answer.message)

    def start(self, asking: ActiveLearningRun | None) -> None:
        """Another run, or none; of the last one nothing is kept."""
        self._ask({})
        self.asking = asking
        self.picture: Picture | None = None
        self.failure, self.learning = "", False
        self._comparison = Comparison(asking) if asking is not None else None

    def go_on(self, asking: ActiveLearningRun) -> None:
        """The same run, with another answer, one less, or another choice."""
        self.asking, self.failure = asking, ""

    def want(self, grid: Grid, shades: Shades) -> None:
        """Have learnt what the present moment lacks, and a picture of it."""
        if self.asking is None:
            return
        query = LearningQuery(self.asking.pool, self.asking.answers, grid, shades, self.asking)
        if query != self._wanted.get(STEP):
            self.learning = True
            self._ask(self._wanted | {STEP: query})

    def compare(self) -> None:
        """Go on comparing."""
        if self._comparison is not None:
            self._ask(self._wanted | {CURVES: self._comparison})

    def rest(self) -> None:
        """Stop comparing, for now."""
        self._ask({name: query for name, query in self._wanted.items() if name != CURVES})

    def _ask(self, wanted: dict[str, Query]) -> None:
        self._wanted = wanted
        self._scheduler.ask(wanted, "active learning")

    def collect(self) -> None:
        """Take what has come."""
        step = self._scheduler.results.answer(STEP)
        if step is None or self.asking is None:
            return
        query, reply = step.query, step.value
        assert isinstance(query, LearningQuery)
        if reply is not None:
            self.asking = self.asking.learnt(query.answers, reply.looks)
        if query == self._wanted.get(STEP):
            self.failure, self.learning = step.message, not step.done
            if reply is not None:
                self.picture = reply.picture or self.picture
