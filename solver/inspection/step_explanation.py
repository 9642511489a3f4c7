"""Explanation: why a working-set rule chooses a pair, and what the step does with it, computed from the state alone.

Notation as in `smo`.  `working_set_rules` defines the rules and computes the candidates they chose from;
`_smo_loops.select` is the compiled version.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from solver.core.arrays import Array
from solver.core.certificate import Status
from solver.core.stepping import SteppedSolver
from solver.svm import _smo_loops as loops
from solver.svm.shrinking import KernelSum, Subproblem
from solver.svm.smo import SmoSolver
from solver.svm.working_set_candidates import Ranking, RuleState
from solver.svm.working_set_rules import RULES


@dataclass(frozen=True, eq=False)
class Explanation:
    """One step: a pair (i in I_up, j in I_low), its segment in the box, and how the pair was chosen.

    Attributes
    ----------
    i, j : int
        Points of the binary problem.
    y_i, y_j, C_i, C_j, alpha_i, alpha_j, v_i, v_j : float
        Before the step.
    k_ii, k_jj, k_ij : float
        Kernel values.
    curvature : float
        K_ii + K_jj - 2 K_ij, the negative second derivative of D along the segment.  It is at most 0 for two points
        that are equal to the kernel, and for some pairs of a kernel that is not positive semidefinite.
    eta : float
        Curvature that the step is computed with: a small positive number if `curvature` is not positive.
    unclipped, step : float
        lambda* = (v_i - v_j) / eta, and its part within the box: alpha_i += y_i step, alpha_j -= y_j step.
    longest : float
        Step at which the segment leaves the box in this direction; inf if it never does.
    low, high : float
        L and H, the smallest and largest alpha_j on the segment within the box; H may be inf.
    after : tuple of float
        (alpha_i, alpha_j) of the solver after the step: exactly at a bound that is reached.
    gain_unclipped, gain : float
        Increase of D at lambda*, and at the step made: step (v_i - v_j) - curvature step^2 / 2.  The first is inf if D
        has no maximum along the segment.
    first, second : Ranking
        Ranking that led to the first point of the pair, and that for its partner; for `maximum-gain`, `first` holds the
        last pair.
    sentence : str
        Both rankings in words: "i violates its condition most, j promises the largest gain."
    effect : str
        Effect of the step in words: "The top of the parabola lies outside the box: the step ends where αⱼ = C."
    left_out : int
        Number of settled points that the solver leaves out for now (see `shrinking`).
    newest : bool
        Whether the run is over and this is its last step; else it is the next step.
    """

    i: int
    j: int
    y_i: float
    y_j: float
    C_i: float
    C_j: float
    alpha_i: float
    alpha_j: float
    v_i: float
    v_j: float
    k_ii: float
    k_jj: float
    k_ij: float
    curvature: float
    eta: float
    unclipped: float
    step: float
    longest: float
    low: float
    high: float
    after: tuple[float, float]
    gain_unclipped: float
    gain: float
    first: Ranking
    second: Ranking
    sentence: str
    effect: str
    left_out: int
    newest: bool

    @property
    def curved(self) -> bool:
        """Whether D has a maximum along the segment."""
        return self.eta == self.curvature

    @property
    def clipped(self) -> bool:
        """Whether the box ends the step before lambda*."""
        return self.step < self.unclipped

    @property
    def lost(self) -> float:
        """Gain lost by clipping: `gain_unclipped` - `gain`."""
        return 0.5 * self.curvature * (self.unclipped - self.step) ** 2 if self.curved else self.gain_unclipped

    @property
    def optimum(self) -> tuple[float, float]:
        """(alpha_i, alpha_j) at lambda*, inside the box or not."""
        return self.alpha_i + self.y_i * self.unclipped, self.alpha_j - self.y_j * self.unclipped

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds that alpha_i and alpha_j move towards: 0 or C."""
        return self.C_i if self.y_i > 0 else 0.0, 0.0 if self.y_j > 0 else self.C_j

    @property
    def reached(self) -> tuple[bool, bool]:
        """Whether alpha_i and alpha_j reach these bounds."""
        return self.after[0] == self.ends[0], self.after[1] == self.ends[1]

    @property
    def back(self) -> float:
        """Length of the segment within the box in the opposite direction, as a step; inf if unbounded."""
        return min(
            self.alpha_i if self.y_i > 0 else self.C_i - self.alpha_i,
            self.C_j - self.alpha_j if self.y_j > 0 else self.alpha_j,
        )

    @property
    def where(self) -> str:
        """The bounds that are reached, in words: "αᵢ = 0 and αⱼ = C"; empty if none is."""
        return " and ".join(name for name, reached in zip(self.names, self.reached, strict=True) if reached)

    @property
    def names(self) -> tuple[str, str]:
        """The bounds that alpha_i and alpha_j move towards, in words: "αᵢ = 0", "αⱼ = C", or "αⱼ = Cⱼ" if C differs."""
        same = self.C_i == self.C_j
        at_i, at_j = self.ends
        return (
            f"αᵢ = {'0' if at_i == 0.0 else 'C' if same else 'Cᵢ'}",
            f"αⱼ = {'0' if at_j == 0.0 else 'C' if same else 'Cⱼ'}",
        )


def explain(solver: SteppedSolver, *, newest: bool = False) -> Explanation | None:
    """Return the explanation of the next step, found by making it; the solver is then restored.

    Parameters
    ----------
    solver : SteppedSolver
        Solver between two steps.  Pending work is done; notes that have not been taken are discarded.
    newest : bool, default=False
        Value of `Explanation.newest`: True if the solver is one step before the end of its run.

    Returns
    -------
    Explanation or None
        None if there is no next step: the run is over, or its next check of optimality ends it.  None also for a solver
        other than `SmoSolver`.
    """
    while solver.pending:
        solver.step(0)
    if not isinstance(solver, SmoSolver) or solver.status is not Status.RUNNING:
        return None
    checkpoint = solver.checkpoint()
    try:
        found = _next(solver)
        return None if found is None else _explanation(solver, *found, newest)
    finally:
        solver.restore(checkpoint)


def _next(solver: SmoSolver) -> tuple[Subproblem, RuleState] | None:
    """Make the next step, and return the state that the rule chose the pair from; None if there is no next step."""
    start = solver.n_iter
    while solver.status is Status.RUNNING:
        # The solver may recompute v, or leave out other points, before a step: only the state just before it counts.
        part = solver._active.part
        state = _state(solver, part)
        solver.step(1, stop=lambda: True)
        if solver.n_iter > start:
            return part, state
    return None


def _state(solver: SmoSolver, part: Subproblem) -> RuleState:
    """Return a copy of what a working-set rule reads of the solver."""
    ints = solver._ints.copy()
    pair = ints[[loops.LAST_I, loops.LAST_J]]
    index = np.minimum(np.searchsorted(part.index, pair), len(part.index) - 1)
    ints[[loops.LAST_I, loops.LAST_J]] = index if (part.index[index] == pair).all() else -1
    beta, v = part.beta.copy(), part.v.copy()
    if solver.compiled:
        up, low = part.up == 0.0, part.low == 0.0
    else:
        up, low = beta < part.hi, beta > part.lo

    def row(i: int) -> Array:
        matrix = solver._active._matrix
        if matrix is not None:
            return np.array(matrix[i])
        alone = np.zeros(len(part.index))
        alone[i] = 1.0
        sums = KernelSum(part, alone)
        sums.work()
        return sums.total

    return RuleState(
        part.index,
        part.lo,
        part.hi,
        beta,
        v,
        part.diagonal,
        up,
        low,
        max(solver.tol, solver._reachable),
        ints,
        int(solver._rng[0]),
        row,
        len(solver.y) - len(part.index),
    )


def _explanation(solver: SmoSolver, part: Subproblem, state: RuleState, newest: bool) -> Explanation:
    """Return the explanation of the step that was just made from `state`."""
    i, j = solver.working_set
    a, b = (int(index) for index in np.searchsorted(part.index, (i, j)))
    _, first, second, sentence = RULES[solver.selection if solver.compiled else "second-order"].choose(state)
    if state.left_out:
        sentence += f" ({state.left_out} settled points are left out for now.)"
    y_i, y_j, C_i, C_j = (float(x) for x in (solver.y[i], solver.y[j], solver.C[i], solver.C[j]))
    alpha_i, alpha_j = abs(float(state.beta[a])), abs(float(state.beta[b]))
    v_i, v_j = float(state.v[a]), float(state.v[b])
    row_i, row_j = state.row(a), state.row(b)
    k_ii, k_jj, k_ij = float(state.diagonal[a]), float(state.diagonal[b]), float(row_i[b])
    curvature = k_ii + k_jj - 2.0 * k_ij
    eta = max(curvature, 1e-12 * (abs(k_ii) + abs(k_jj)), 1e-150)
    twins = k_ii == k_jj == k_ij and bool((row_i == row_j).all())
    unclipped = (v_i - v_j) / eta
    longest = min(float(state.hi[a] - state.beta[a]), float(state.beta[b] - state.lo[b]))
    step = longest if twins and longest < np.inf else min(unclipped, longest)
    if y_i == y_j:
        low, high = max(0.0, alpha_i + alpha_j - C_i), min(C_j, alpha_i + alpha_j)
    else:
        low, high = max(0.0, alpha_j - alpha_i), min(C_j, C_i + alpha_j - alpha_i)
    after = float(solver.alpha[i]), float(solver.alpha[j])
    rise = v_i - v_j
    explanation = Explanation(
        i,
        j,
        y_i,
        y_j,
        C_i,
        C_j,
        alpha_i,
        alpha_j,
        v_i,
        v_j,
        k_ii,
        k_jj,
        k_ij,
        curvature,
        eta,
        unclipped,
        step,
        longest,
        low,
        high,
        after,
        gain_unclipped=0.5 * rise * unclipped if curvature == eta else np.inf,
        gain=step * (rise - 0.5 * curvature * step),
        first=first,
        second=second,
        sentence=sentence,
        effect="",
        left_out=state.left_out,
        newest=newest,
    )
    return replace(explanation, effect=_effect(explanation, twins))


def _effect(step: Explanation, twins: bool) -> str:
    """Return the effect of the step in words."""
    where = step.where
    if twins and step.longest == np.inf:
        return "i and j are one point with two labels and no upper bound: D rises without end, nothing separates them."
    if step.curved:
        if step.clipped:
            return f"The top of the parabola lies outside the box: the step ends where {where}."
        edge = f"on the edge of the box, at {where}" if where else "inside the box"
        return f"The top of the parabola lies {edge}: the full step is taken."
    if twins:
        why = "i and j are one point with two labels: no curvature"
    elif step.curvature < 0.0:
        why = "D bends upwards here, which only a kernel that is not positive semidefinite allows: no top"
    else:
        why = "The kernel hardly tells i and j apart: no curvature"
    if where:
        return f"{why}, so the step goes on until {where}."
    return f"{why}, so a small positive number stands in for the curvature."
