"""Recording: a learner's run that can be played like a film, with each state restored exactly.

To restore the state after step s, the nearest checkpoint at or before s is restored, and the steps from there are
repeated.  A solver is deterministic, so the state is the same to the last bit.  Checkpoints have equal distances; when
they need too much memory, every second one is removed, and the distance doubles.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from solver.core.arrays import Integers
from solver.core.certificate import Status
from solver.core.stepping import Checkpoint, SteppedSolver, Stop, never
from solver.core.trace import LIMIT, Trace

#: Largest number of checkpoints.
MOST_CHECKPOINTS = 512
#: Largest number of new steps made before they are checked for a change: 1, 2, 4, ...
MOST_CHECKED = 64


class Recording:
    """The run of one solver.

    Parameters
    ----------
    solver : SteppedSolver
        A solver before its first step; from now on only the recording may step it.
    megabytes : float, default=64
        Memory limit for checkpoints.
    limit : int, default=trace.LIMIT
        Number of steps up to which the trace keeps each note.

    Attributes
    ----------
    solver : SteppedSolver
        The solver, in the state at `position`.
    length : int
        Number of steps recorded.
    ended : bool
        Whether the run has finished, at `length`.
    trace : Trace
        Notes of all steps.

    Raises
    ------
    ValueError
        If the solver has already made steps, or cannot note its steps.
    """

    def __init__(self, solver: SteppedSolver, megabytes: float = 64.0, limit: int = LIMIT) -> None:
        if solver.n_iter or solver.pending:
            raise ValueError(f"The solver has made {solver.n_iter} steps already; a recording begins before the first.")
        self.solver = solver
        self.length = 0
        self.trace = Trace(solver.NOTES, solver.start_notes(), limit)
        self._interval = solver.KEPT_EVERY
        self._budget = megabytes * 2**20
        self._steps = [0]
        self._checkpoints = [solver.checkpoint()]
        self._used = self._checkpoints[0].nbytes
        self._newest: Checkpoint | None = None  # the state at `length`, while the solver is in another
        #: The steps with changes among the steps from the first to the last that were searched most recently.
        self._searched, self._found_changes = (0, 0), np.empty(0, dtype=np.int64)
        self.ended = solver.status is not Status.RUNNING

    @property
    def position(self) -> int:
        """Number of steps from the start to the solver's present state."""
        return self.solver.n_iter

    @property
    def at_end(self) -> bool:
        """Whether the solver is at the end of a finished run."""
        return self.ended and self.position == self.length

    def advance(self, n: int, stop: Stop = never) -> int:
        """Go forward by `n` recorded or new steps; return their number, which is lower at the end or when stopped."""
        start = self.position
        while not self.at_end and (self.solver.pending or self.position < start + n):
            self._stride(start + n, stop)
            if stop():
                break
        return self.position - start

    def go_to(self, step: int, stop: Stop = never) -> bool:
        """Go to the state after `step` steps, or to the end if that comes first; return False if stopped on the way.

        Called again after a stop, it continues from there.
        """
        step = max(0, step)
        if (step < self.position or self._jump_helps(step)) and not self._jump(step, stop):
            return False
        self.advance(step - self.position, stop)
        return (self.position == step and not self.solver.pending) or self.at_end

    def to_next_change(self, after: int, stop: Stop = never) -> bool:
        """Go to the first step after `after` in which a point entered or left the support vectors, or to the end.

        Returns False if stopped on the way; called again, it continues.
        """
        look = 1
        while True:
            known = self.trace.view().next_change(after)
            if known is not None:
                found = self._found(*known, stop=stop, which=0)
                if found is not None:
                    return found
                after = known[1]
                continue
            if self.ended:
                return self.go_to(self.length, stop)
            after = max(after, self.length)
            if not self.go_to(self.length, stop):
                return False
            self.advance(look, stop)
            look = min(2 * look, MOST_CHECKED)
            if stop():
                return False

    def to_previous_change(self, before: int, stop: Stop = never) -> bool:
        """Go to the last step before `before` in which a point entered or left the support vectors, or to the start."""
        while (known := self.trace.view().previous_change(before)) is not None:
            found = self._found(*known, stop=stop, which=-1)
            if found is not None:
                return found
            before = known[0]
        return self.go_to(0, stop)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _stride(self, goal: int, stop: Stop) -> Integers:
        """Do pending work, or make some steps towards `goal`; return the changes in each step made."""
        at = self.position
        new = at == self.length
        until = min(goal, (at // self._interval + 1) * self._interval) if new else min(goal, self.length)
        self.solver.step(0 if self.solver.pending else until - at, stop)
        notes, changes = self.solver.take_notes()
        if new:
            self.trace.append(notes, changes)
            self.length = self.position
            self.ended = self.solver.status is not Status.RUNNING
            self._keep()
        elif self.position == self.length:
            self._return()
        return changes

    def _found(self, first: int, last: int, *, stop: Stop, which: int) -> bool | None:
        """Go to the first (`which` 0) or last (-1) change among some steps, as `go_to`; None if there is none."""
        if self._searched != (first, last):
            if not self.go_to(first - 1, stop):
                return False
            changes = []
            while self.position < last:  # few steps: `stop` is not called meanwhile
                changes.append(self._stride(last, never))
            self._searched, self._found_changes = (first, last), first + np.flatnonzero(np.concatenate(changes))
        steps = self._found_changes
        return self.go_to(int(steps[which]), stop) if len(steps) else None

    def _keep(self) -> None:
        """Store a checkpoint of the present state if one is due."""
        at = self.position
        if at % self._interval or at <= self._steps[-1] or self.solver.pending or self.ended:
            return
        self._steps.append(at)
        self._checkpoints.append(self.solver.checkpoint())
        self._used += self._checkpoints[-1].nbytes
        while len(self._steps) > 2 and (len(self._steps) > MOST_CHECKPOINTS or self._used > self._budget):
            self._interval *= 2
            kept = [index for index, step in enumerate(self._steps) if step % self._interval == 0]
            self._steps = [self._steps[index] for index in kept]
            self._checkpoints = [self._checkpoints[index] for index in kept]
            self._used = sum(each.nbytes for each in self._checkpoints)

    def _jump_helps(self, step: int) -> bool:
        """Return whether a stored state lies between the present one and `step`."""
        if self._newest is not None and step >= self.length:
            return True
        return self._steps[bisect_right(self._steps, step) - 1] > self.position

    def _jump(self, step: int, stop: Stop) -> bool:
        """Restore the nearest stored state at or before `step`; False if stopped before the newest was stored."""
        if self._newest is None:
            while self.solver.pending:
                self._stride(self.length, stop)
                if stop() and self.solver.pending:
                    return False
            self._newest = self.solver.checkpoint()
        if step >= self.length:
            self._return()
        else:
            self.solver.restore(self._checkpoints[bisect_right(self._steps, step) - 1])
        return True

    def _return(self) -> None:
        """Restore the newest state, from which alone the run can continue."""
        if self._newest is not None:
            self.solver.restore(self._newest)
            self._newest = None
