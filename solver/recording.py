"""Recording: a learner's run that can be gone through like a film, any state of it exactly restored.

The state after step s is that of the nearest checkpoint at or before s, and the steps from there made again: a solver
is deterministic, so it is the same to the last bit.  Checkpoints lie at even distances; when they take too much memory
every second one goes, and the distance doubles.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from solver.core.arrays import Integers
from solver.core.certificate import Status
from solver.core.stepping import Checkpoint, SteppedSolver, Stop, never
from solver.core.trace import LIMIT, Trace

#: How many checkpoints there are at most.
MOST_CHECKPOINTS = 512
#: Steps made between two looks at what they changed, at most, when a change is looked for: 1, 2, 4, ..
MOST_LOOKED = 64
#: Entries of a coarse trace whose changes are remembered step by step.
MOST_SEEN = 16


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

    Raises
    ------
    ValueError
        The solver has been stepped, or cannot note its steps.
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
        self._newest: Checkpoint | None = None  # the state at `length`, while the solver stands elsewhere
        #: Steps with changes among those above the first and up to the second number, where it has been looked up.
        self._seen: dict[tuple[int, int], Integers] = {}
        self.ended = solver.status is not Status.RUNNING

    @property
    def position(self) -> int:
        """Steps from the start to the solver's present state."""
        return self.solver.n_iter

    @property
    def at_end(self) -> bool:
        """Whether the solver stands where the run has ended."""
        return self.ended and self.position == self.length

    def advance(self, n: int, stop: Stop = never) -> int:
        """At most `n` steps forward, old ones again or new ones; returns how many, fewer at the end or when stopped."""
        start = self.position
        while not self.at_end and (self.solver.pending or self.position < start + n):
            self._stride(start + n, stop)
            if stop():
                break
        return self.position - start

    def go_to(self, step: int, stop: Stop = never) -> bool:
        """To the state after `step` steps, or to the end if that comes before; False when stopped on the way.

        Called again after a stop, it goes on from there.
        """
        step = max(0, step)
        if (step < self.position or self._jump_helps(step)) and not self._jump(step, stop):
            return False
        self.advance(step - self.position, stop)
        return (self.position == step and not self.solver.pending) or self.at_end

    def to_next_change(self, after: int, stop: Stop = never) -> bool:
        """To the first step above `after` in which a point entered or left the support vectors, or to the end.

        False when stopped on the way; called again, it goes on.
        """
        look = 1
        while True:
            known = self.trace.view().next_change(after)
            if known is not None:
                found = self._found(*known, stop=stop, place=0)
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
            look = min(2 * look, MOST_LOOKED)
            if stop():
                return False

    def to_previous_change(self, before: int, stop: Stop = never) -> bool:
        """To the last step below `before` in which a point entered or left the support vectors, or to the start."""
        while (known := self.trace.view().previous_change(before)) is not None:
            found = self._found(*known, stop=stop, place=-1)
            if found is not None:
                return found
            before = known[0]
        return self.go_to(0, stop)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _stride(self, goal: int, stop: Stop) -> Integers:
        """What is pending, or some steps towards `goal`; returns the changes of the steps made."""
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

    def _found(self, first: int, last: int, *, stop: Stop, place: int) -> bool | None:
        """To the first (`place` 0) or the last (-1) change among some steps, as `go_to`; None if there is none."""
        steps = self._changes_about(first, stop)
        if steps is None:
            return False
        steps = steps[(first <= steps) & (steps <= last)]
        return self.go_to(int(steps[place]), stop) if len(steps) else None

    def _changes_about(self, step: int, stop: Stop) -> Integers | None:
        """The steps with changes for which the same entry of the trace stands as for `step`; None when stopped.

        They are made again to see which they are: so few that there is no look at `stop` meanwhile.
        """
        bucket = self.trace.bucket
        if bucket == 1:
            return np.array([step])
        begin = (step - 1) // bucket * bucket
        end = min(begin + bucket, self.length)
        if (begin, end) not in self._seen:
            if not self.go_to(begin, stop):
                return None
            changes = []
            while self.position < end:
                changes.append(self._stride(end, never))
            if len(self._seen) >= MOST_SEEN:
                self._seen.clear()
            self._seen[begin, end] = begin + 1 + np.flatnonzero(np.concatenate(changes))
        return self._seen[begin, end]

    def _keep(self) -> None:
        """Keep a checkpoint of the present state if it is time for one."""
        at = self.position
        if at % self._interval or at <= self._steps[-1] or self.solver.pending or self.ended:
            return
        self._steps.append(at)
        self._checkpoints.append(self.solver.checkpoint())
        self._used += self._checkpoints[-1].nbytes
        while len(self._steps) > 2 and (len(self._steps) > MOST_CHECKPOINTS or self._used > self._budget):
            self._interval *= 2
            kept = [place for place, step in enumerate(self._steps) if step % self._interval == 0]
            self._steps = [self._steps[place] for place in kept]
            self._checkpoints = [self._checkpoints[place] for place in kept]
            self._used = sum(each.nbytes for each in self._checkpoints)

    def _jump_helps(self, step: int) -> bool:
        """Whether some state that is kept lies between the present one and `step`."""
        if self._newest is not None and step >= self.length:
            return True
        return self._steps[bisect_right(self._steps, step) - 1] > self.position

    def _jump(self, step: int, stop: Stop) -> bool:
        """To the nearest kept state at or before `step`; False when stopped before the present one could be kept."""
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
        """To the state at `length`: how the run stands there is known only there."""
        if self._newest is not None:
            self.solver.restore(self._newest)
            self._newest = None
