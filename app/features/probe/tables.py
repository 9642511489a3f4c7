"""Probe tables: the rows of the panel "Why this class": neighbours, votes, terms of f, binary problems; no Qt.

The text of a cell is made on demand: of thousands of rows, only some are visible.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.number_format import count, grouped, percent, short, signed
from app.core.points import Points
from app.engine.surface_values import problem_of
from app.scene.text_rows import TextRows
from app.state.document import problem
from solver.core.arrays import Array
from solver.core.multiclass import REST, Pair
from solver.inspection.decision_terms import Terms
from solver.knn.vote import Vote

#: Largest number of neighbours with a row of their own.
MOST_ROWS = 200
#: Number of rows visible at a time.
MOST_DISPLAYED = 9
#: Formulas of the weights of neighbours that are not uniform.
INVERSE = {"distance": "1/d", "distance-squared": "1/d²"}


def figure(value: float, digits: int = 4) -> str:
    """Return a number in a few digits, with a true minus sign: "−0.7312", "1.2e−5"."""
    return short(value, digits) if abs(value) >= 1.0 else signed(f"{value + 0.0:.{digits}g}")


def compact(value: float, digits: int = 3) -> str:
    """Return a number for a narrow column: very small and very large ones as "1.2e−4"."""
    if value == 0.0 or 1e-2 <= abs(value) < 10**digits or not np.isfinite(value):
        return figure(value, digits)
    mantissa, exponent = f"{value:.1e}".split("e")
    return signed(f"{mantissa.removesuffix('.0')}e{int(exponent)}")


class TableRows(TextRows):
    """Rows of text, some with a class or a bar.

    Attributes
    ----------
    title : str
    values : ndarray of shape (rows,)
        Values of the bars, which are in the last column, with their signs.
    colours : ndarray of shape (rows,)
        Classes that give the bars their colour; -1 for none.
    symbols : ndarray of shape (rows,)
        Classes whose symbols are in the rows; -1 for none.
    names : tuple of str
        Names of the classes if a screen reader is to begin each row with the name of its class.
    chosen : int
        Index of the highlighted row, -1 for none.
    picks : tuple of (int, int)
        The pair of a lane that a click on a row chooses; () for none.
    more : str
        Sentence about rows that are left out, or "".
    symbol_column : int
        Column of the symbols.
    spare : tuple of int
        Columns that are hidden first if there is no room for all.
    """

    title = ""
    values: Array
    colours: NDArray[np.intp]
    symbols: NDArray[np.intp]
    names: tuple[str, ...] = ()
    chosen = -1
    picks: tuple[tuple[int, int], ...] = ()
    more = ""
    symbol_column = 0
    spare: tuple[int, ...] = ()

    @property
    def room(self) -> int:
        """Number of rows to reserve room for, of long tables only some."""
        return min(self.rows, MOST_DISPLAYED)

    def spoken(self, row: int) -> str:
        label = int(self.symbols[row])
        return f"{self.names[label]}, {super().spoken(row)}" if self.names and label >= 0 else super().spoken(row)


class NamedPoints(Struct, frozen=True):
    """Names of the training points, by their row in the table of all points, and of the classes."""

    trained: Points  #: what the model was trained on
    points: Points  #: what there is now
    names: tuple[str, ...]  #: of all eight classes

    def labels(self, index: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the classes of training points."""
        labels: NDArray[np.intp] = self.trained.labels[index].astype(np.intp)
        return labels

    def name(self, point: int) -> str:
        """Return the row of a training point in the table of points: "12"; "gone" if it was removed."""
        (row,) = self.points.rows_of([int(self.trained.ids[point])])
        return grouped(row) if row else "gone"


class NeighbourRows(TableRows):
    """The k nearest neighbours, one in each row, with their votes."""

    title = "Neighbours"
    symbol_column = 1

    def __init__(self, vote: Vote, weights: str, named: NamedPoints) -> None:
        self._vote, self._named, self._weighted, self.names = vote, named, weights != "uniform", named.names
        # With uniform weights, a neighbour counts as its share of a vote.
        columns = (INVERSE[weights], "share") if self._weighted else ()
        self.header = ("#", "point", "d", *columns, "vote")
        self.spare = (3, 4) if self._weighted else (0,)
        self.rows = min(len(vote.index), MOST_ROWS)
        self.symbols = self.colours = named.labels(vote.index[: self.rows])
        self.values = (vote.share * vote.weight)[: self.rows]
        left = len(vote.index) - self.rows
        self.more = f"… and {count(left, 'neighbour')} more, farther away" if left else ""

    @property
    def room(self) -> int:
        """As many as k: the number of points at the k-th distance varies with the location."""
        return min(self._vote.k, MOST_DISPLAYED)

    def cell(self, row: int, column: int) -> str:
        vote = self._vote
        if column == 0:
            return grouped(row + 1)
        if column == 1:
            return self._named.name(int(vote.index[row]))
        if column == 2:
            return compact(float(vote.distance[row]), 4)
        if self._weighted and column == 3:
            return "∞" if row < vote.at_zero else "–" if vote.at_zero else compact(float(vote.weight[row]))
        return compact(float(vote.share[row] if column < len(self.header) - 1 else self.values[row]))


class VoteRows(TableRows):
    """The votes of each class."""

    header: tuple[str, ...] = ("class", "share", "votes")

    def __init__(
        self,
        votes: Array,
        shares: Array,
        labels: Sequence[int],
        names: tuple[str, ...],
        winner: int,
        title: str = "Votes",
    ) -> None:
        self._shares, self._names, self.title = shares, names, title
        self.rows, self.values, self.chosen = len(labels), votes.astype(np.float64), winner
        self.colours = self.symbols = np.array(labels, dtype=np.intp)

    def cell(self, row: int, column: int) -> str:
        if column == 0:
            return self._names[int(self.symbols[row])]
        return percent(float(self._shares[row])) if column == 1 else figure(float(self.values[row]))


class ProbabilityRows(VoteRows):
    """The probability of each class."""

    header = ("class", "probability")


class TermRows(TableRows):
    """The terms of f, the largest first; then the sum of those without a row, then b."""

    title = "Terms of f(x)"

    def __init__(self, terms: Terms, pair: Pair, classes: Sequence[int], named: NamedPoints) -> None:
        self._terms, self._named, self.names = terms, named, named.names
        self.header = ("point", "α y", "K", "α y K") if terms.of_points else ("term", "w", "x", "w x")
        self.values = np.append(terms.value, [terms.rest, terms.offset] if terms.n_rest else [terms.offset])
        self.rows = len(self.values)
        self.symbols = np.full(self.rows, -1, dtype=np.intp)
        if terms.of_points:
            self.symbols[: len(terms.index)] = named.labels(terms.index)
        positive = classes[pair.positive]
        negative = classes[pair.negative] if pair.negative != REST else -1
        self.colours = np.where(self.values > 0, positive, negative).astype(np.intp)

    def cell(self, row: int, column: int) -> str:
        terms = self._terms
        if column == len(self.header) - 1:
            return compact(float(self.values[row]))
        if row == self.rows - 1:
            return "b" if column == 0 else ""
        if row >= len(terms.value):
            return f"the other {grouped(terms.n_rest)}" if column == 0 else ""
        if column:
            return compact(float((terms.coef if column == 1 else terms.kernel)[row]))
        at = int(terms.index[row])
        return self._named.name(at) if terms.of_points else ("w₁ x₁", "w₂ x₂")[at]


class ProblemRows(TableRows):
    """f of each binary problem, and its winner; a click on a row chooses the problem."""

    header = ("problem", "wins", "f(x)")
    symbol_column = 1

    def __init__(self, f: Array, pairs: Sequence[Pair], classes: list[int], names: tuple[str, ...], shown: int) -> None:
        rest = pairs[0].negative == REST
        self._names = names
        self.title = "Each class against the rest" if rest else "Duels"
        self.rows, self.values, self.chosen = len(pairs), f, shown
        self.colours = np.array(
            [classes[p.positive if rest or v > 0 else p.negative] for p, v in zip(pairs, f, strict=True)]
        )
        # The winner of each problem: with one against the rest, only the largest f wins.
        self.symbols = np.where((not rest) | (np.arange(len(pairs)) == f.argmax()), self.colours, -1)
        self.picks = tuple(problem_of(pair, classes) for pair in pairs)

    def cell(self, row: int, column: int) -> str:
        if column == 0:
            return problem(*self.picks[row], self._names)
        if column == 1:
            return self._names[self.symbols[row]] if self.symbols[row] >= 0 else ""
        return figure(float(self.values[row]))
