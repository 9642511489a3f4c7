"""Recording: a learner's run that can be gone through like a film, any state of it exactly restored.

The state after step s is that of the nearest checkpoint at or before s, and the steps from there made again: a solver
is deterministic, so it is the same to the last bit.  Checkpoints lie at even distances; when they take too much memory
every second one goes, and the distance doubles.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from .certificate import Status
from .stepping import Checkpoint, SteppedSolver, Stop, never
from .trace import LIMIT, Trace

#: Steps between two checkpoints at first, and how many checkpoints there are at most.
FIRST_INTERVAL, MOST_CHECKPOINTS = 64, 512
#: Steps made between two looks at what they changed, when a change is looked for.
LOOK = 64


class Recording:
    """The run of one solver.

    Parameters
    ----------
    solver : SteppedSolver
        Not stepped yet; from now on stepped through the recording only.
    megabytes : float, default=64
        Bound of the memory for checkpoints.
    limit : int, default=trace.LIMIT
        Steps up to which the trace keeps each note.

    Attributes
    ----------
    solver : SteppedSolver
        In the state of `position`.
    length : int
        Steps that have been made since the start.
    ended : bool
        Whether the run has come to its end, at `length`.
    trace : Trace
    """

    def __init__(self, solver: SteppedSolver, megabytes: float = 64.0, limit: int = LIMIT) -> None:
        self.solver = solver
        self.length = 0
        self.trace = Trace(solver.NOTES, solver.start_notes(), limit)
        self._interval = FIRST_INTERVAL
        self._budget = megabytes * 2**20
        self._steps = [0]
        self._checkpoints = [solver.checkpoint()]
        self._newest: Checkpoint | None = None  # the state at `length`, while the solver stands elsewhere
        self._changes = np.zeros(0, dtype=np.int64)  # of the steps made last
        self.ended = solver.status is not Status.RUNNING

    @property
    def position(self) -> int:
        """Steps from the start to the solver's present state."""
        return self.solver.n_iter

    @property
    def at_end(self) -> bool:
        """Whether the solver stands where the run has ended."""
        return self.ended and self.position == self.length

    @property
    def nbytes(self) -> int:
        """Memory of the checkpoints and of the trace."""
        newest = 0 if self._newest is None else self._newest.nbytes
        return sum(each.nbytes for each in self._checkpoints) + newest + self.trace.nbytes

    def advance(self, n: int, stop: Stop = never) -> int:
        """At most `n` steps forward, old ones again or new ones; returns how many, fewer at the end or when stopped."""
        start = self.position
        goal = start + n
        while not self.at_end:
            at = self.position
            if at >= goal and not self.solver.pending:
                break
            new = at >= self.length
            until = min(goal, self._next_checkpoint(at)) if new else min(goal, self.length)
            self.solver.step(max(0, until - at), stop)
            notes, self._changes = self.solver.take_notes()
            if new:
                self.trace.append(notes, self._changes)
                self.length = self.position
                self.ended = self.solver.status is not Status.RUNNING
                self._keep()
            elif self.position == self.length:
                self._return()
            if stop():
                break
        return self.position - start

    def go_to(self, step: int, stop: Stop = never) -> bool:
        """To the state after `step` steps, or to the end if that comes before; False when stopped on the way.

        Called again after a stop, it goes on from there.
        """
        if step < self.position or (step > self.position and self._jump_helps(step)):
            self._jump(step)
        self.advance(max(0, step - self.position), stop)
        return (self.position == step and not self.solver.pending) or self.at_end

    def to_next_change(self, after: int, stop: Stop = never) -> bool:
        """To the first step above `after` in which a point entered or left the support vectors, or to the end.

        False when stopped on the way; called again, it goes on.
        """
        while (known := self.trace.view().next_change(after)) is None:
            if self.ended:
                return self.go_to(self.length, stop)
            if self.position < self.length and not self.go_to(self.length, stop):
                return False
            self.advance(LOOK, stop)
            if stop():
                return False
        return self._walk(*known, stop=stop, last_one=False)

    def to_previous_change(self, before: int, stop: Stop = never) -> bool:
        """To the last step below `before` in which a point entered or left the support vectors, or to the start."""
        known = self.trace.view().previous_change(before)
        return self.go_to(0, stop) if known is None else self._walk(*known, stop=stop, last_one=True)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _walk(self, first: int, last: int, *, stop: Stop, last_one: bool) -> bool:
        """To the first or the last change among the steps `first` to `last`, where the trace has one at least."""
        if first < last:  # one entry stands for several steps: which of them it was is seen on the way
            if not self.go_to(first - 1, stop):
                return False
            found = last
            for step in range(first, last + 1):
                self.advance(1)
                if self._changes.any():
                    found = step
                    if not last_one:
                        break
            first = found
        return self.go_to(first, stop)

    def _next_checkpoint(self, at: int) -> int:
        return (at // self._interval + 1) * self._interval

    def _keep(self) -> None:
        """Keep a checkpoint of the present state if it is time for one."""
        at = self.position
        if at % self._interval or at <= self._steps[-1] or self.solver.pending or self.ended:
            return
        self._steps.append(at)
        self._checkpoints.append(self.solver.checkpoint())
        size = self._checkpoints[-1].nbytes
        while len(self._steps) > 2 and (len(self._steps) > MOST_CHECKPOINTS or len(self._steps) * size > self._budget):
            self._interval *= 2
            kept = [place for place, step in enumerate(self._steps) if step % self._interval == 0]
            self._steps = [self._steps[place] for place in kept]
            self._checkpoints = [self._checkpoints[place] for place in kept]

    def _jump_helps(self, step: int) -> bool:
        """Whether some state that is kept lies between the present one and `step`."""
        if self._newest is not None and step >= self.length:
            return True
        return self._steps[bisect_right(self._steps, step) - 1] > self.position

    def _jump(self, step: int) -> None:
        """To the nearest kept state at or before `step`."""
        if self._newest is None:
            while self.solver.pending:
                self.solver.step(0)
            self.ended = self.solver.status is not Status.RUNNING
            self._newest = self.solver.checkpoint()
        if step >= self.length:
            self._return()
        else:
            self.solver.restore(self._checkpoints[bisect_right(self._steps, step) - 1])

    def _return(self) -> None:
        """To the state at `length`: how the run stands there is known only there."""
        if self._newest is not None:
            self.solver.restore(self._newest)
            self._newest = None
