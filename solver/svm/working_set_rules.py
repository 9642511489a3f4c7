"""Working-set rules: which two multipliers SMO moves next.

A *violator* is i in I_up with v_i > M + tol, or i in I_low with v_i < m - tol; a pair *moves* when it is (up, low) with
v_i - v_j > tol.  Every rule stops at m - M <= tol and reaches the same optimum; they differ in the number of steps
and in the price of a step.  The rules themselves are compiled in `_smo_loops.select`, one branch each; here they
are data: name, number, title and what to say about them.

"cyclic" goes round the violators, but begins its search for a partner at the first point every time.  Where an early
point moves with nearly everyone, a late one hardly ever gets its turn: one point with two labels, whose multipliers
only their own pair brings to C in one step, may take ten thousand times as many updates as with the other rules.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """One working-set rule: its number in the compiled loop, and its words on screen."""

    code: int
    title: str
    note: str
    #: Whether it only ever chooses among extremes of v, so that settled points may be left out for a while.
    looks_at_v: bool = False


RULES: dict[str, Rule] = {
    "cyclic": Rule(
        0,
        "Cyclic",
        "The next violator in order, with the first partner that moves; partners late in the order may wait very long.",
    ),
    "random": Rule(1, "Random", "A random violator, with a random partner that moves (seeded)."),
    "platt": Rule(
        2, "Platt", "A random violator, by turns among all points and free ones; its partner has the largest |Eᵢ − Eⱼ|."
    ),
    "first-order": Rule(3, "First order", "The worst violator above with the worst below: largest vᵢ − vⱼ.", True),
    "second-order": Rule(
        4, "Second order", "The worst violator above, and the partner that promises the largest gain (LIBSVM).", True
    ),
    "maximum-gain": Rule(
        5, "Maximum gain", "One point of the last pair stays; its new partner brings the largest clipped gain.", True
    ),
}
