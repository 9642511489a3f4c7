"""Working-set rules: the choice of the two multipliers that SMO moves next, and the reasons for it.

A *violator* is i in I_up with v_i > M + tol, or i in I_low with v_i < m - tol; a pair *moves* when it is (up, low) with
v_i - v_j > tol.  Every rule stops at m - M <= tol and reaches the same optimum; the rules differ in the number of steps
and in the cost of a step.

A rule is one row of `RULES` and one branch of the compiled `_smo_loops.select`, by which the solver trains.  Here the
same choice is repeated in plain numpy, with all candidates and with the reasons in words; random rules repeat the same
draws.  Legend as in `_smo_loops`.

"cyclic" goes through the violators in turn, but begins each search for a partner at the first point.  If an early point
moves with nearly every other one, late points are hardly ever chosen: for one point with two labels, whose multipliers
reach C in one step of their own pair, it may take ten thousand times as many updates as the other rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from solver.core.arrays import Indices

from . import _smo_loops as loops
from .working_set_candidates import (
    CLIPPED_GAIN,
    DIFFERENCE,
    ERROR_DIFFERENCE,
    GAIN,
    V_ABOVE,
    V_BELOW,
    VIOLATION,
    Pair,
    Ranking,
    RuleState,
)

#: The pair (in I_up, in I_low), the ranking of either point, and one sentence about both.
Choice = tuple[Pair, Ranking, Ranking, str]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A working-set rule: how SMO chooses the two multipliers to move next.

    Attributes
    ----------
    code : int
        Code of the rule in `_smo_loops.select`.
    title, note : str
        Name and one sentence for the screen.
    choose : callable
        ``choose(state)`` returns the chosen pair and the reasons for it.
    looks_at_v : bool, default=False
        Whether the rule chooses among extremes of v only, so that settled points may be left out for a while.
    """

    code: int
    title: str
    note: str
    choose: Callable[[RuleState], Choice]
    looks_at_v: bool = False


def counted(number: int, noun: str, also: str = "") -> str:
    """Return a count as "the only free point" or "the 12 free points"."""
    return f"the only {noun}{also}" if number == 1 else f"the {number} {noun}s{also}"


def _sharing(ranking: Ranking, among: str) -> str:
    """Return the number of tied candidates as "All 12 points" or "Of the 12 points, 3"."""
    return f"All {among.removeprefix('the ')}" if ranking.tied == ranking.total else f"Of {among}, {ranking.tied}"


# -- rules that look for extremes --------------------------------------------------------------------------------------


def _best(ranking: Ranking, among: str, alone: str, together: str) -> Ranking:
    """Return `ranking` with its sentence, which ends with `alone` for one best candidate, `together` for several."""
    member = ranking.member
    if ranking.tied > 1:
        sentence_part = f"{_sharing(ranking, among)} {together}; {member} is the first of these."
    else:
        sentence_part = f"{member} {alone} of {among}." if ranking.total > 1 else f"{member} is {among}."
    return replace(ranking, sentence=sentence_part)


def _above(state: RuleState) -> tuple[Ranking, str]:
    candidates = np.flatnonzero(state.up)
    ranking = state.ranking(candidates, state.v[candidates], state.worst[0], measure=V_ABOVE, member="i")
    among = counted(ranking.total, "point", " whose y·α can still increase")
    words = f"i is the first of {ranking.tied} that violate their conditions most"
    if ranking.tied == 1:
        words = "i violates its condition most"
    return _best(ranking, among, "has the largest v", "share the largest v"), words


def _below(state: RuleState) -> tuple[Ranking, str]:
    candidates = np.flatnonzero(state.low)
    ranking = state.ranking(candidates, state.v[candidates], state.worst[1], measure=V_BELOW, member="j")
    among = counted(ranking.total, "point", " whose y·α can still decrease")
    words = f"j {'most' if ranking.tied == 1 else f'the first of {ranking.tied}'} in the other direction"
    return _best(ranking, among, "has the smallest v", "share the smallest v"), words


def _first_order(state: RuleState) -> Choice:
    first, above = _above(state)
    second, below = _below(state)
    return state.worst, first, second, f"{above}, {below}."


def _second_order(state: RuleState) -> Choice:
    i, worst = state.worst
    first, above = _above(state)
    rise = np.maximum(state.v[i] - np.where(state.low, state.v, np.inf), 0.0)
    with np.errstate(over="ignore"):
        gains = rise * rise / state.curvatures(i)
    if not gains.max() > 0.0:  # v is so small that its square is 0
        second, below = _below(state)
        return (i, worst), first, second, f"{above}, {below}: the gains are too small for double precision to tell."
    j = int(gains.argmax())
    candidates = np.flatnonzero(rise > 0.0)
    second = state.ranking(candidates, 0.5 * gains[candidates], j, measure=GAIN, member="j")
    among = counted(second.total, "point", " with a smaller v than i whose y·α can still decrease")
    words = f"j is the first of {second.tied} that promise the largest gain"
    if second.tied == 1:
        words = "j promises the largest gain"
    second = _best(second, among, "promises the largest gain", "promise the same largest gain")
    return (i, j), first, second, f"{above}, {words}."


def _maximum_gain(state: RuleState) -> Choice:
    last = int(state.ints[loops.LAST_I]), int(state.ints[loops.LAST_J])
    if last[0] < 0:
        return _instead(state, "The last pair is left out for now" if state.left_out else "There is no last pair yet")
    if state.is_near_bound(last[0]) and state.is_near_bound(last[1]):
        return _instead(state, "Both points of the last pair are at a bound")
    gains = [state.clipped_gains(point) for point in last]
    best = np.array([max(0.0, float(gain.max())) for gain in gains])
    turn = 1 if best[1] > best[0] else 0
    if not best[turn] > 0.0:
        return _instead(state, "Neither point of the last pair moves with any other")
    kept, gain = last[turn], gains[turn]
    partner = int(gain.argmax())
    mine, other = state.placed(kept, partner)
    why = "both best steps bring the same, and it is the first" if best[0] == best[1] else "its best step brings more"
    first = state.ranking(
        np.array(last),
        best,
        kept,
        measure=CLIPPED_GAIN,
        member=mine,
        sentence=f"Of the last pair, {mine} stays: {why}.",
    )
    candidates = np.flatnonzero(gain > 0.0)
    second = state.ranking(candidates, gain[candidates], partner, measure=CLIPPED_GAIN, member=other)
    among = counted(second.total, "point", f" that move{'s' if second.total == 1 else ''} with {mine}")
    second = _best(second, among, "brings the largest clipped gain", "bring the same largest gain")
    pair = (kept, partner) if mine == "i" else (partner, kept)
    words = f"{mine} stays from the last pair, {other} brings the largest gain with it that the box allows."
    return pair, first, second, words


def _instead(state: RuleState, why: str) -> Choice:
    pair, first, second, words = _second_order(state)
    return pair, first, second, f"{why}, so as second-order: {words}"


# -- rules that take points in turn or draw ----------------------------------------------------------------------------


class _Draws:
    """The random numbers of `_smo_loops.below`, beginning at the same state."""

    def __init__(self, state: int) -> None:
        self._state = state

    def below(self, n: int) -> int:
        x = self._state
        x ^= x >> 12
        x ^= (x << 25) % 2**64
        x ^= x >> 27
        self._state = x
        return ((x * 2685821657736338717) % 2**64 >> 33) % n


_TOO_LARGE = "v is too large here for double precision to tell who violates by tol"


def _worst_pair(state: RuleState) -> Choice:
    pair, first, second, words = _first_order(state)
    return pair, first, second, f"{_TOO_LARGE}, so as first-order: {words}"


def _joined(state: RuleState, first: int, second: int, rankings: tuple[Ranking, Ranking], words: str) -> Choice:
    pair = (first, second) if state.placed(first, second)[0] == "i" else (second, first)
    return pair, *rankings, words


def _violator(state: RuleState, candidates: Indices, chosen: int, how: str, member: str, sentence: str) -> Ranking:
    return state.ranking(
        candidates, state.violations[candidates], chosen, measure=VIOLATION, member=member, sentence=sentence, how=how
    )


def _partner(
    state: RuleState, candidates: Indices, with_: int, chosen: int, how: str, member: str, sentence: str
) -> Ranking:
    return state.ranking(
        candidates,
        np.abs(state.v[candidates] - state.v[with_]),
        chosen,
        measure=DIFFERENCE,
        member=member,
        sentence=sentence,
        how=how,
    )


def _cyclic(state: RuleState) -> Choice:
    violators, cursor = state.violators, int(state.ints[loops.CURSOR])
    found = len(violators) > 0
    if found:
        violators = np.roll(violators, -int(np.searchsorted(violators, cursor)))
    else:  # as in the loop, which ends with the last point
        violators = np.array([(cursor - 1) % len(state.v)])
    first = int(violators[0])
    partners = state.partners(first)
    if not len(partners):
        return _worst_pair(state)
    second = int(partners[0])
    p, q = state.placed(first, second)
    sentence_part = f"{p} is the next of {counted(len(violators), 'violator')}, in order of their numbers."
    violator = _violator(state, violators, first, "next", p, sentence_part if found else _TOO_LARGE + ".")
    sentence_part = _taken(q, "is the first", len(partners), p, ", in order of their numbers")
    partner = _partner(state, partners, first, second, "first", q, sentence_part)
    words = f"{p} is the next violator in order, {q} the first partner in order that moves with it."
    if not found:
        words = f"{_TOO_LARGE}; {p} is the last point in order, {q} the first partner that moves with it."
    return _joined(state, first, second, (violator, partner), words)


def _taken(member: str, how: str, number: int, other: str, rest: str = "", noun: str = "point") -> str:
    """Return "j was drawn from the 5 points that move with i." or "j is the only point that moves with i."."""
    if number == 1:
        return f"{member} is the only {noun} that moves with {other}."
    link = "from" if how == "was drawn" else "of"
    return f"{member} {how} {link} the {number} {noun}s that move with {other}{rest}."


def _random(state: RuleState) -> Choice:
    draws, violators = _Draws(state.random), state.violators
    if not len(violators):
        return _worst_pair(state)
    first = int(violators[draws.below(len(violators))])
    partners = state.partners(first)
    if not len(partners):
        return _worst_pair(state)
    second = int(partners[draws.below(len(partners))])
    p, q = state.placed(first, second)
    sentence_part = f"{p} was drawn from {counted(len(violators), 'violator')}"
    violator = _violator(state, violators, first, "drawn", p, f"{sentence_part}.")
    partner = _partner(state, partners, first, second, "drawn", q, _taken(q, "was drawn", len(partners), p))
    if len(partners) > 1:
        words = f"{sentence_part}, {q} from the {len(partners)} points that move with it."
    else:
        words = f"{sentence_part}; {q} is the only point that moves with it."
    return _joined(state, first, second, (violator, partner), words)


def _platt(state: RuleState) -> Choice:
    draws = _Draws(state.random)
    everyone = state.violators
    free = everyone[state.free[everyone]]
    of_free = state.ints[loops.FREE_TURN] == 1
    drawn_from = free if of_free and len(free) else everyone
    if not len(everyone):
        return _worst_pair(state)
    first = int(drawn_from[draws.below(len(drawn_from))])
    if of_free:
        turn = "Turn of the free points" if len(free) else "No free point violates, so all points have the turn"
    else:
        turn = "Turn of all points"
    noun = "free violator" if of_free and len(free) else "violator"
    drawn = f"was drawn from the {len(drawn_from)} {noun}s" if len(drawn_from) > 1 else f"is the only {noun}"
    errors = np.abs(state.v[first] - state.v)
    far = int(errors.argmax())
    partners = state.partners(first)
    if not len(partners):
        return _worst_pair(state)
    if far in partners:
        second = far
        p, q = state.placed(first, second)
        others = np.delete(np.arange(len(errors)), first)
        partner = state.ranking(others, errors[others], far, measure=ERROR_DIFFERENCE, member=q)
        ties = f"; {partner.tied} share it, and {q} is the first of these" if partner.tied > 1 else ""
        sentence_part = f"{q} has the largest |Eᵢ − Eⱼ| of the {partner.total} other points{ties}."
        partner = replace(partner, sentence=sentence_part if partner.total > 1 else f"{q} is the only other point.")
        why = f"{q} has the largest |Eᵢ − Eⱼ|"
    else:
        starts = [draws.below(len(errors))]
        movers = partners[state.free[partners]]
        if not len(movers):
            starts.append(draws.below(len(errors)))
            movers = partners
        movers = np.roll(movers, -int(np.searchsorted(movers, starts[-1])))
        second = int(movers[0])
        p, q = state.placed(first, second)
        which = "free point" if len(starts) == 1 else "point"
        sentence_part = _taken(q, "is the first", len(movers), p, ", searched from a random start", which)
        partner = _partner(state, movers, first, second, "first", q, sentence_part)
        nor = ", nor does any free point" if len(starts) == 2 else ""
        why = f"the point with the largest |Eᵢ − Eⱼ| does not move with it{nor}; {q} is the first {which} that does"
    violator = _violator(state, drawn_from, first, "drawn", p, f"{turn}: {p} {drawn}.")
    return _joined(state, first, second, (violator, partner), f"{turn}: {p} {drawn}; {why}.")


RULES: dict[str, Rule] = {
    "cyclic": Rule(
        code=loops.CYCLIC,
        title="Cyclic",
        note=(
            "The next violator in order, with the first partner that moves; partners late in the order may wait very"
            " long."
        ),
        choose=_cyclic,
    ),
    "random": Rule(
        code=loops.RANDOM,
        title="Random",
        note="A random violator, with a random partner that moves (seeded).",
        choose=_random,
    ),
    "platt": Rule(
        code=loops.PLATT,
        title="Platt",
        note="A random violator, by turns among all points and free ones; its partner has the largest |Eᵢ − Eⱼ|.",
        choose=_platt,
    ),
    "first-order": Rule(
        code=loops.FIRST_ORDER,
        title="First order",
        note="The two that violate their conditions most: largest vᵢ − vⱼ.",
        choose=_first_order,
        looks_at_v=True,
    ),
    "second-order": Rule(
        code=loops.SECOND_ORDER,
        title="Second order",
        note="The point that violates its condition most, and the partner that promises the largest gain (LIBSVM).",
        choose=_second_order,
        looks_at_v=True,
    ),
    "maximum-gain": Rule(
        code=loops.MAXIMUM_GAIN,
        title="Maximum gain",
        note="One point of the last pair stays; its new partner brings the largest clipped gain.",
        choose=_maximum_gain,
        looks_at_v=True,
    ),
}
"""The working-set rules of SMO by their names, the values of the parameter `selection`.

References
----------
"platt": Platt, "Fast training of support vector machines using sequential minimal optimization", 1998.  "first-order":
Keerthi, Shevade, Bhattacharyya, Murthy, Neural Computation 13, 2001.  "second-order": Fan, Chen, Lin, JMLR 6, 2005.
"maximum-gain": Glasmachers, Igel, "Maximum-gain working set selection for SVMs", JMLR 7, 2006.

Examples
--------
All rules reach the same optimum:

>>> from solver import RULES, Kernel, SmoSolver
>>> X, y = [[0, 0], [1, 2], [2, 1], [3, 3], [1, 0]], [-1, 1, -1, 1, 1]
>>> solvers = [SmoSolver(X, y, Kernel("rbf"), C=2, tol=1e-6, selection=rule) for rule in RULES]
>>> {str(smo.run()) for smo in solvers}, len({round(smo.dual, 4) for smo in solvers})
({'optimal'}, 1)
"""
