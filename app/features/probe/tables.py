"""Probe tables: what the panel "Why this class" shows in rows: neighbours, votes, terms of f, binary problems; no Qt.

A cell's text is made when it is asked for: of thousands of rows, a few are in sight.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.number_format import count, grouped, signed
from app.core.points import Points
from app.engine.surface_values import problem_of
from app.state.document import problem
from solver.core.arrays import Array
from solver.core.multiclass import REST, Pair
from solver.inspection.decision_terms import Terms
from solver.knn.vote import Vote

#: Rows that are told one by one.
MOST_ROWS = 200
#: Rows in sight at a time.
MOST_SEEN = 9
#: Weights of neighbours that are not all the same, as formulas.
INVERSE = {"distance": "1/d", "distance-squared": "1/d²"}


def figure(value: float, digits: int = 4) -> str:
    """A number in a few digits, with a true minus sign: "−0.7312", "1.2e−5"."""
    return signed(f"{0.0 if value == 0 else value:.{digits}g}").replace("inf", "∞")


def compact(value: float, digits: int = 3) -> str:
    """A number in the little room of a column: very small and very large ones as "1.2e−4"."""
    if value == 0.0 or 1e-2 <= abs(value) < 10**digits or not np.isfinite(value):
        return figure(value, digits)
    mantissa, exponent = f"{value:.1e}".split("e")
    return signed(f"{mantissa.removesuffix('.0')}e{int(exponent)}")


class Table:
    """Rows of text, with a class or a bar where there is one.

    Attributes
    ----------
    title : str
    header : tuple of str
        The column of the bars is the last.
    rows : int
    values : ndarray of shape (rows,)
        What the bars show, with its sign.
    colours : ndarray of shape (rows,)
        The class whose colour a bar has; -1 for none.
    symbols : ndarray of shape (rows,)
        The class whose symbol stands at the beginning of a row; -1 for none.
    names : tuple of str
        What the classes are called, where a row that is read out begins with the name of its class.
    chosen : int
        The row that is looked into, -1 for none.
    picks : tuple of (int, int)
        What a click on a row chooses: the pair of a lane; () for nothing.
    more : str
        What is not told, in a sentence, or "".
    symbol_column : int
        Where the symbols stand.
    spare : tuple of int
        Columns that are left out first where there is no room for all.
    """

    title = ""
    header: tuple[str, ...] = ()
    rows = 0
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
        """Rows for which there should be room: of long tables some."""
        return min(self.rows, MOST_SEEN)

    def cell(self, row: int, column: int) -> str:
        """The text of a cell."""
        raise NotImplementedError

    def told(self, row: int) -> str:
        """A row in one sentence, for who cannot see it."""
        label = int(self.symbols[row])
        cells = ((name, self.cell(row, column)) for column, name in enumerate(self.header))
        told = [f"{name} {text}".strip() for name, text in cells if text]
        return ", ".join([self.names[label], *told] if self.names and label >= 0 else told)


class Who(Struct, frozen=True):
    """Names of the points of a model: the row in the table of all points, and what the classes are called."""

    trained: Points  #: what the model was trained on
    points: Points  #: what there is now
    names: tuple[str, ...]  #: of all eight classes

    def labels(self, index: NDArray[np.integer]) -> NDArray[np.intp]:
        """Classes of training points."""
        labels: NDArray[np.intp] = self.trained.labels[index].astype(np.intp)
        return labels

    def name(self, point: int) -> str:
        """ "12", the row of a training point in the table of points; "gone" when it is no more there."""
        (row,) = self.points.rows_of([int(self.trained.ids[point])])
        return grouped(row) if row else "gone"


class Neighbours(Table):
    """The k nearest, one a row, with what each has to say."""

    title = "Neighbours"
    symbol_column = 1

    def __init__(self, vote: Vote, weights: str, who: Who) -> None:
        self._vote, self._who, self._weighted, self.names = vote, who, weights != "uniform", who.names
        # With one vote each, what a neighbour counts is its share of a vote.
        columns = (INVERSE[weights], "share") if self._weighted else ()
        self.header = ("#", "point", "d", *columns, "vote")
        self.spare = (3, 4) if self._weighted else (0,)
        self.rows = min(len(vote.index), MOST_ROWS)
        self.symbols = self.colours = who.labels(vote.index[: self.rows])
        self.values = (vote.share * vote.weight)[: self.rows]
        left = len(vote.index) - self.rows
        self.more = f"… and {count(left, 'neighbour')} more, farther away" if left else ""

    @property
    def room(self) -> int:
        """As many as k asks for: how many share the k-th distance changes from place to place."""
        return min(self._vote.k, MOST_SEEN)

    def cell(self, row: int, column: int) -> str:
        vote = self._vote
        if column == 0:
            return grouped(row + 1)
        if column == 1:
            return self._who.name(int(vote.index[row]))
        if column == 2:
            return compact(float(vote.distance[row]), 4)
        if self._weighted and column == 3:
            return "∞" if row < vote.at_zero else "–" if vote.at_zero else compact(float(vote.weight[row]))
        return compact(float(vote.share[row] if column < len(self.header) - 1 else self.values[row]))


class Votes(Table):
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
        return f"{100 * self._shares[row]:.3g} %" if column == 1 else figure(float(self.values[row]))


class Probabilities(Votes):
    """The probability of each class."""

    header = ("class", "probability")


class Summands(Table):
    """The terms of f, the largest first; then the sum of those that are not told, then b."""

    title = "Terms of f(x)"

    def __init__(self, terms: Terms, pair: Pair, classes: Sequence[int], who: Who) -> None:
        self._terms, self._who, self.names = terms, who, who.names
        self.header = ("point", "α y", "K", "α y K") if terms.of_points else ("term", "w", "x", "w x")
        self.values = np.append(terms.value, [terms.rest, terms.offset] if terms.n_rest else [terms.offset])
        self.rows = len(self.values)
        self.symbols = np.full(self.rows, -1, dtype=np.intp)
        if terms.of_points:
            self.symbols[: len(terms.index)] = who.labels(terms.index)
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
        return self._who.name(at) if terms.of_points else ("w₁ x₁", "w₂ x₂")[at]


class Problems(Table):
    """f of each binary problem, and who wins it; a click on one has it drawn and told."""

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
        # The class that wins each: of all against the rest, only the largest f does.
        self.symbols = np.where((not rest) | (np.arange(len(pairs)) == f.argmax()), self.colours, -1)
        self.picks = tuple(problem_of(pair, classes) for pair in pairs)

    def cell(self, row: int, column: int) -> str:
        if column == 0:
            return problem(*self.picks[row], self._names)
        if column == 1:
            return self._names[self.symbols[row]] if self.symbols[row] >= 0 else ""
        return figure(float(self.values[row]))
