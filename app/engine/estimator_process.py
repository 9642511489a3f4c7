"""EstimatorProcess: a process that trains classifiers of other libraries, so that none of them can block the window."""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from app.core.points import Points
from app.learners.model import RemoteModel
from app.state.document import Lane
from solver.core.arrays import Array, Indices, Mask

from .worker_process import PendingAnswer, WorkerProcess

#: Number of surface parts that a model caches until they are painted.
KEPT = 4
_numbers = itertools.count(1)


class EstimatorProcess(WorkerProcess):
    """A process for the classifiers of a lane, of all queries, or of a study."""

    longest = 30.0

    def __init__(self) -> None:
        super().__init__("app.engine.estimator_worker")
        #: Models to forget with the next request; the garbage collector appends them.
        self.dropped: deque[int] = deque()

    def fit(self, lane: Lane, points: Points) -> tuple[EstimatorModel, PendingAnswer]:
        """Start training the classifier of `lane`; the model can predict once the answer is `done`."""
        model = EstimatorModel(self, lane.family.title, np.unique(points.labels))
        maker = lane.family.maker(lane.settings)
        return model, model.ask("fit", maker, lane.standardises, points.xy, points.labels)

    def message(self, request: tuple[Any, ...]) -> Any:
        return [self.dropped.popleft() for _ in range(len(self.dropped))], request


class EstimatorModel(RemoteModel):
    """A model in another process.

    Parameters
    ----------
    process : EstimatorProcess
    title : str
        Name of the classifier in sentences.
    classes : ndarray of shape (n_classes,)
    """

    def __init__(self, process: EstimatorProcess, title: str, classes: Any) -> None:
        self._process, self.title, self.classes_ = process, title, classes
        self.number = next(_numbers)
        #: The surfaces requested last, with their columns and rows.
        self._surfaces: deque[tuple[Array, Array, PendingAnswer]] = deque(maxlen=KEPT)
        weakref.finalize(self, process.dropped.append, self.number).atexit = False

    def ask(self, kind: str, *rest: Any) -> PendingAnswer:
        """Queue a request for this model."""
        return self._process.send(f"{self.title} could not be trained", kind, self.number, *rest)

    def begin_surface(self, xs: ArrayLike, ys: ArrayLike) -> PendingAnswer:
        columns, rows = np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
        pending = self.ask("surface", columns, rows)
        self._surfaces.append((columns, rows, pending))
        return pending

    def begin_shares(self, X: ArrayLike) -> PendingAnswer:
        return self.ask("shares", np.asarray(X, dtype=np.float64))

    def predict_proba(self, X: ArrayLike) -> Array:
        shares: Array = self.begin_shares(X).result()
        return shares

    def surface_classes_on(self, xs: ArrayLike) -> Callable[[ArrayLike], tuple[Indices, Array, Mask]]:
        def winners(ys: ArrayLike) -> tuple[Indices, Array, Mask]:
            known = (
                each
                for columns, rows, each in self._surfaces
                if np.array_equal(rows, ys) and np.array_equal(columns, xs)
            )
            winner, share, tie = (next(known, None) or self.begin_surface(xs, ys)).result()
            return winner.astype(np.intp), share.astype(np.float64), tie

        return winners
