"""Explanation: why a working-set rule takes this pair, and what the step does with it; computed from the state alone.

Legend as in `smo`.  The rules are stated in `selection` and compiled in `_smo_loops.select`; here the numbers they
compare are computed once more, for all candidates, in plain numpy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ranking:
    """The candidates for one place of the pair, the best first, and the number that was compared.

    Attributes
    ----------
    candidates : ndarray of shape (m,)
        Points, at most `MOST` of them, the chosen one always among them.
    values : ndarray of shape (m,)
        The number the rule compared, or for rules that draw or take the next one, the KKT violation.
    chosen : int
        The place in `candidates` of the one the rule took; -1 when there is none.
    total : int
        How many candidates there were.
    measure : str
        What `values` are: "violation", "v", "abs_error_difference", "gain", "clipped_gain".
    compared : bool
        False where the rule took the next or a random one: then the numbers decided nothing.
    sentence : str
        In plain words, for example "i is the worst violator above: the largest v among the points that may grow."
    """

    candidates: NDArray[np.intp]
    values: Array
    chosen: int
    total: int
    measure: str
    compared: bool
    sentence: str


@dataclass(frozen=True, eq=False)
class Explanation:
    """One step: a pair (i in I_up, j in I_low), its segment in the box, and how the pair was chosen.

    Attributes
    ----------
    i, j : int
        Points of the binary problem.
    y_i, y_j, C_i, C_j, alpha_i, alpha_j, v_i, v_j : float
        Before the step.
    k_ii, k_jj, k_ij, eta : float
        Kernel values, and the curvature K_ii + K_jj - 2 K_ij the step was made with (a small positive number where
        there is none).
    unclipped, step : float
        lambda* = (v_i - v_j) / eta, and what the box leaves of it: alpha_i += y_i step, alpha_j -= y_j step.
    longest : float
        The step at which the segment leaves the box, going this way; inf when it does not.
    low, high : float
        L and H, the least and largest alpha_j on the segment within the box; H may be inf.
    gain_unclipped, gain : float
        By how much D would rise, and does rise: step (v_i - v_j) - eta step^2 / 2.
    first, second : Ranking
        How i was found, and how j; for `maximum-gain` `first` holds the points of the last pair.
    sentence : str
        Both in words: "i is the worst violator above, j promises the largest gain."
    newest : bool
        True when the run is over and this is the step that was made last; else it is the step that comes next.
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
    eta: float
    unclipped: float
    step: float
    longest: float
    low: float
    high: float
    gain_unclipped: float
    gain: float
    first: Ranking
    second: Ranking
    sentence: str
    newest: bool

    @property
    def after(self) -> tuple[float, float]:
        """(alpha_i, alpha_j) after the step."""
        return self.alpha_i + self.y_i * self.step, self.alpha_j - self.y_j * self.step

    @property
    def optimum(self) -> tuple[float, float]:
        """(alpha_i, alpha_j) at the top of the parabola, inside the box or not."""
        return self.alpha_i + self.y_i * self.unclipped, self.alpha_j - self.y_j * self.unclipped
