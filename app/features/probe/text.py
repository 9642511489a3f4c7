"""Wording of the probe: the sentences of the panel "Why this class": the winner, by how much, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.number_format import count, grouped, percent
from app.core.plain_text import listed
from app.state.document import Lane
from solver import REST
from solver.core.arrays import Array
from solver.core.multiclass import Pair
from solver.inspection.boundary_distance import Nearest
from solver.inspection.decision_terms import Terms
from solver.knn.vote import Vote

from .tables import INVERSE, figure

#: Largest number of points that are named one by one.
MOST_NAMED = 3

NOWHERE = "Point at a picture, type a location, or press Q to pin one: this panel explains why it gets its class."

OF_TWO = "This classifier shows where two others differ: each of them explains itself."


# -- kNN ---------------------------------------------------------------------------------------------------------------


def vote_headline(vote: Vote, names: Sequence[str], weights: str) -> str:
    """Return the winner and its votes: "class 2: 3 of 5 votes"; `names` are those of the model's classes."""
    won, winner = float(vote.votes[vote.winner]), names[vote.winner]
    if len(vote.leaders) > 1:
        winner = f"Tie of {listed([names[c] for c in vote.leaders.tolist()])}, each"
    if vote.at_zero:
        return f"{winner}: {figure(won)} of {count(vote.at_zero, 'point')} at distance 0"
    if weights == "uniform":
        return f"{winner}: {figure(won)} of {count(vote.k, 'vote')}"
    return f"{winner}: {percent(float(vote.shares[vote.winner]))} of the votes"


def vote_lines(vote: Vote, names: Sequence[str], weights: str) -> tuple[str, ...]:
    """Return sentences about rules that decided, if any did."""
    lines = []
    if vote.at_zero:
        subject = (
            "1 point lies exactly here" if vote.at_zero == 1 else f"{grouped(vote.at_zero)} points lie exactly here"
        )
        alone = "it alone decides" if vote.at_zero == 1 else "they alone decide, by count"
        lines.append(f"{subject}, d = 0: with the weight {INVERSE[weights]} {alone}.")
    elif vote.is_shared:
        left = "the 1 vote that is left" if vote.room == 1 else f"the {grouped(vote.room)} votes that are left"
        lines.append(
            f"{grouped(vote.n_tied)} points lie at exactly the k-th distance, d = {figure(vote.radius)}: they share "
            f"{left}, {figure(vote.room / vote.n_tied)} each."
        )
    leaders = vote.leaders
    if len(leaders) > 1:
        lines.append(
            f"{_upper(listed([names[c] for c in leaders.tolist()]))} have equal votes: no class is ahead. A prediction"
            f" that must name one takes the lowest, {names[vote.winner]}."
        )
    return tuple(lines)


def crossing_lines(came: Sequence[str], left: Sequence[str]) -> tuple[str, ...]:
    """Return which points began and stopped voting at the last edge that was crossed; () if none was."""
    parts = [f"{_points(names)} {what}" for names, what in ((came, "came"), (left, "left")) if names]
    return (f"Last boundary of a cell: {', '.join(parts)}.",) if parts else ()


def _points(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return count(len(names), "point")
    return f"point{'s' * (len(names) > 1)} {listed(names)}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


# -- f -----------------------------------------------------------------------------------------------------------------


def f_headline(f: Array, winner: int, names: Sequence[str], pairs: Sequence[Pair], noise: float, lane: Lane) -> str:
    """Return the winner and by how much: "f(x) = −0.73: class 1, between the margins"."""
    if len(pairs) == 1:
        value = float(f[0])
        if abs(value) <= noise:
            return f"f(x) = {figure(value)}: a tie, on the boundary; {names[winner]} by the rule f ≤ 0"
        margins = lane.trainer is not None and lane.trainer.has_margins
        where = "" if not margins else ", between the margins" if abs(value) < 1.0 else ", outside the margins"
        return f"f(x) = {figure(value)}: {names[winner]}{where}"
    if pairs[0].negative == REST:
        equal = int((f == f[winner]).sum()) > 1
        rule = "; a tie: of equal f the lowest class is named" if equal else ""
        return f"{names[winner]}: the largest f(x), {figure(float(f[winner]))}{rule}"
    won = sum(
        (value > 0 and pair.positive == winner) or (value <= 0 and pair.negative == winner)
        for pair, value in zip(pairs, f.tolist(), strict=True)
    )
    return f"{names[winner]}: {won} of {len(pairs)} duels won"


def duel_lines(won: Array, names: Sequence[str], winner: int) -> list[str]:
    """Return the tie rule of the duels if it decided."""
    leaders = np.flatnonzero(won == won.max()).tolist()
    if len(leaders) < 2:
        return []
    subject, duels = _upper(listed([names[c] for c in leaders])), count(int(won[winner]), "duel")
    return [
        f"{subject} have won {duels} each: a tie. A prediction that must name one takes the lowest, {names[winner]}."
    ]


def side_line(pair: Pair, classes: list[int], names: Sequence[str]) -> str:
    """Return which class a positive f is for."""
    against = "the rest" if pair.negative == REST else names[classes[pair.negative]]
    return f"f > 0 is for {names[classes[pair.positive]]}, f ≤ 0 for {against}."


def sum_line(terms: Terms, name: str) -> str:
    """Return that the bars sum to f."""
    of = f" of {name}" if name else ""
    if terms.agrees:
        return f"All terms{of} and b add up to f(x) = {figure(terms.f)}."
    return f"The terms{of} add up to {figure(terms.total)}, but f(x) = {figure(terms.f)}: the rest is rounding error."


def margin_line(f: float) -> str:
    """Return the position of f relative to the margins f = −1 and f = 1."""
    if abs(abs(f) - 1.0) < 1e-9:
        return f"|f(x)| = 1: on the margin of {'+1' if f > 0 else '−1'}."
    if abs(f) < 1.0:
        return f"|f(x)| = {figure(abs(f))} < 1: between the margins f = −1 and f = 1."
    return f"|f(x)| = {figure(abs(f))} > 1: outside the margins, on the side of f {'> 1' if f > 0 else '< −1'}."


def distance_line(f: float, norm: float, linear: bool, standardises: bool = False) -> str:
    """Return the distance to f = 0: to the line in the plane, or in feature space for other kernels, with its unit."""
    space = "f = 0 in feature space" + " of standardised x and y" * standardises
    goal = "the line f = 0, in units of x and y" if linear else space
    return f"Distance to {goal}: |f(x)| / ‖w‖ = {figure(abs(f))} / {figure(norm)} = {figure(abs(f) / norm)}."


def nearest_line(found: Nearest) -> str:
    """Return the distance of the boundary in the plane, and how it was found."""
    most, refined = ("", ", refined") if found.refined else ("at most ", "")
    return f"Nearest location with f = 0: {most}{figure(found.distance)} away (found on a grid{refined})."
