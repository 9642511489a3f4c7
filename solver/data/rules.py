"""Rules: a sentence such as ``x^2 + y^2 < 1 and x > 0`` as the true classes of a data set.

A rule is no program.  It has up to 300 characters; Python's parser makes a tree of it, whose nodes must be in
`OPERATIONS`: comparisons of sums, products and powers of x, y, numbers and eight functions, joined by and, or, not.
The tree becomes functions of numpy and, for an exported program, a text with the same meaning.  Nothing that was typed
is ever executed.

All numbers are float64: 9^9^9^9 is infinite, and the root of -1 is NaN, with which no comparison holds.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache, partial, reduce
from typing import Any, NamedTuple

import numpy as np

from solver.core.arrays import Array, Mask
from solver.kernels.lines import level_lines
from solver.kernels.surface import Grid

from .densities import Density, strips

#: Largest number of characters, and of operations within each other.
LONGEST, DEEPEST = 300, 60
_FOREIGN = re.compile(r"[^\w .+\-*/^()<>=,]", re.ASCII)


_FUNCTIONS = ("sin", "cos", "exp", "log", "sqrt", "abs")
#: A function of numpy, its text, whether it takes truths, and whether it returns them; else numbers.
_Operation = tuple[Callable[..., Any], str, bool, bool]
#: Operations by the name of their node in Python's tree, and functions by their own.
OPERATIONS: dict[str, _Operation] = {
    "Add": (operator.add, "({} + {})", False, False),
    "Sub": (operator.sub, "({} - {})", False, False),
    "Mult": (operator.mul, "({} * {})", False, False),
    "Div": (operator.truediv, "({} / {})", False, False),
    "Pow": (operator.pow, "({} ** {})", False, False),
    "USub": (operator.neg, "(-{})", False, False),
    "UAdd": (operator.pos, "(+{})", False, False),
    "Lt": (operator.lt, "({} < {})", False, True),
    "LtE": (operator.le, "({} <= {})", False, True),
    "Gt": (operator.gt, "({} > {})", False, True),
    "GtE": (operator.ge, "({} >= {})", False, True),
    "And": (operator.and_, "({} & {})", True, True),
    "Or": (operator.or_, "({} | {})", True, True),
    "Not": (operator.invert, "(~{})", True, True),
    "min": (np.minimum, "np.minimum({}, {})", False, False),
    "max": (np.maximum, "np.maximum({}, {})", False, False),
    **{name: (getattr(np, name), f"np.{name}({{}})", False, False) for name in _FUNCTIONS},
}
#: Largest coordinate of the square, and its smallest side.
FARTHEST, NARROWEST = 1e6, 0.01
#: Steps to a location itself and in 16 directions, in which a gap or an overlap is measured.
_TURNS = np.arange(16) * (math.pi / 8.0)
_STEPS = np.concatenate((np.zeros((1, 2)), np.column_stack((np.cos(_TURNS), np.sin(_TURNS)))))
#: Smallest share of the square that a class must have, and number of locations after which it counts.
SCARCE, ENOUGH = 0.02, 5000
#: Number of cells of the square along y for densities; along x at least, so that no diagonal is in phase, and at most.
CELLS, COLUMNS, MOST_COLUMNS = 256, 500, 16_384
#: Number of times that the stretch between two samples in which the boundary lies is halved.
HALVINGS = 10


class _RulePart(NamedTuple):
    """A part of a rule.

    Attributes
    ----------
    values : callable
        Returns its values at x and y.
    text : str
        Its expression for numpy.
    holds : bool
        Whether its values are truths, not numbers.
    varies : bool
        Whether x or y occurs in it.
    """

    values: Callable[[Any, Any], Any]
    text: str
    holds: bool = False
    varies: bool = True


def _constant(value: Any, holds: bool = False) -> _RulePart:
    if holds:
        return _RulePart(lambda x, y: value, f"np.{value}_", holds, varies=False)
    value = np.float64(value) + 0.0  # -0.0 becomes 0.0
    text = repr(abs(float(value))).removesuffix(".0") if np.isfinite(value) else f"np.{abs(value)}"
    return _RulePart(lambda x, y: value, f"(-{text})" if value < 0 else text, varies=False)


def _joined(operation: _Operation, *parts: _RulePart) -> _RulePart:
    """Return the part that an operation makes of others; a constant of constants."""
    function, text, _, holds = operation
    text = text.format(*(part.text for part in parts))
    made = _RulePart(lambda x, y: function(*(part.values(x, y) for part in parts)), text, holds)
    return made if any(part.varies for part in parts) else _constant(made.values(None, None), holds)


_NAMES = {
    "x": _RulePart(lambda x, y: x, "x"),
    "y": _RulePart(lambda x, y: y, "y"),
    "pi": _constant(math.pi)._replace(text="np.pi"),
    "e": _constant(math.e)._replace(text="np.e"),
}
_KNOWN = (*_NAMES, *(name for name in OPERATIONS if name.islower()))


class _RuleReader:
    """Read one rule; a ValueError has a sentence on what cannot be read, and where."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Where each character that Python's parser gets stands in the rule.
        self._places = [at for at, character in enumerate(text) for _ in range(1 + (character == "^"))]
        self._places.append(len(text))

    def read(self) -> _RulePart:
        """Return the whole rule."""
        if len(self._text) > LONGEST:
            raise ValueError(f"The rule has {len(self._text)} characters; {LONGEST} are the most.")
        if foreign := _FOREIGN.search(self._text):
            raise self._fault(*foreign.span(), "is not known.")
        try:  # in Python, ^ is weaker than +
            tree = ast.parse(self._text.replace("^", "**"), mode="eval").body
        except (SyntaxError, MemoryError, RecursionError) as error:
            at = (getattr(error, "offset", 0) or LONGEST * 2 + 1) - 1
            start = self._places[min(at, len(self._places) - 1)]
            raise self._fault(start, LONGEST, "cannot be read; a rule is such as y > sin(3*x).") from None
        with np.errstate(all="ignore"):
            whole = self._part(tree)
        return whole

    def _fault(self, start: int, end: int, why: str) -> ValueError:
        part = self._text[start:end]
        what = f"“{part if len(part) < 20 else f'{part[:19]}…'}” at character {start + 1}" if part else "Its end"
        return ValueError(f"{what} {why}")

    def _part(self, node: Any, depth: int = 0) -> _RulePart:
        """Return the part of a node."""
        start, end = self._places[node.col_offset], self._places[node.end_col_offset]
        fault, name = partial(self._fault, start, end), getattr(getattr(node, "func", node), "id", "")
        if depth > DEEPEST:
            raise fault(f"is within more than {DEEPEST} operations.")
        if name and name not in _KNOWN:
            near = get_close_matches(name.lower(), _KNOWN, 1)
            why = f"is not known: {near[0]}?" if near else f"is not known. There are {', '.join(_KNOWN)}."
            raise self._fault(start, start + len(name), why)
        if isinstance(node, ast.Name) and name in _NAMES:
            return _NAMES[name]
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return _constant(node.value)
        # Only operations, and calls of functions by their name, have a key that is known, and none that is not.
        inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
        keys = [type(each).__name__ for each in ast.iter_child_nodes(node) if each not in inner]
        if isinstance(node, ast.Call):
            keys, inner = [name, *keys], inner[1:]
        row = [OPERATIONS[key] for key in keys if key in OPERATIONS]
        if not keys or len(row) < len(keys) or row[0][1].count("{}") != min(len(inner), 2):
            raise fault("is no part of a rule.")
        parts = [self._part(each, depth + 1) for each in inner]
        if any(part.holds != row[0][2] for part in parts):
            raise fault("mixes up numbers and comparisons.")
        if isinstance(node, ast.Compare):
            return reduce(partial(_joined, OPERATIONS["And"]), map(_joined, row, parts, parts[1:]))
        return reduce(partial(_joined, row[0]), parts) if parts[1:] else _joined(row[0], *parts)


@lru_cache(maxsize=64)
def _read(text: str) -> tuple[_RulePart, str]:
    """Return a rule, and its expression for numpy; a ValueError has a sentence on what cannot be read, and where."""
    whole = _RuleReader(text).read()
    if not whole.holds:
        raise ValueError(f"“{text}” is compared with nothing; a rule is such as y > sin(3*x).")
    return whole, ast.unparse(ast.parse(whole.text, mode="eval"))


class OwnRule:
    """True classes by a rule, on the square from `low` to `high` along both axes.

    Parameters
    ----------
    text : str
        As it was typed.
    low, high : float
        Ends of the square.

    Raises
    ------
    ValueError
        One sentence that names what cannot be read, and where; or if there is no such square.

    Examples
    --------
    >>> import numpy as np
    >>> rule = OwnRule("x^2 + y^2 < 1 and not x < 0")
    >>> rule.holds(np.array([[0.5, 0.5], [-0.5, 0.5], [1.0, 1.0]])).tolist()
    [True, False, False]
    >>> rule.expression
    '(x ** 2 + y ** 2 < 1) & ~(x < 0)'
    """

    def __init__(self, text: str, low: float = -1.0, high: float = 1.0) -> None:
        self.text, self.low, self.high = text, low, high
        self._whole, self.expression = _read(text)
        if not (abs(low) <= FARTHEST and low + NARROWEST <= high <= FARTHEST):
            raise ValueError(f"The square goes from {low:g} to {high:g}; it must be {NARROWEST} or more.")

    def holds(self, X: Array) -> Mask:
        """Return whether the rule holds at the points `X` (n, 2), shape (n,)."""
        with np.errstate(all="ignore"):
            held: Mask = self._whole.values(X[:, 0], X[:, 1]) | np.zeros(len(X), dtype=bool)
        return held

    def reach(self, X: Array, shift: float) -> tuple[Mask, Mask]:
        """Return which of the points `X` (n, 2) each class may have.

        With a `shift` above 0, those from which no step of this length, in 16 directions, leads to the other class;
        below 0, also those of the other class from which one leads to this class.
        """
        held = np.array([self.holds(X + shift * step) for step in (_STEPS if shift else _STEPS[:1])])
        within = np.any if shift < 0 else np.all
        return within(held, axis=0), within(~held, axis=0)

    def draw(self, random: np.random.Generator, count: int, shift: float, n_classes: int = 2) -> list[Array]:
        """Return `count` points of each class, evenly from its part of the square.

        Raises
        ------
        ValueError
            If a class has less than a fiftieth of the square.
        """
        parts, drawn = [np.empty((0, 2)), np.empty((0, 2))], 0
        while len(parts[few := int(len(parts[0]) > len(parts[1]))]) < count:
            if len(parts[few]) < SCARCE * (drawn - ENOUGH):
                why = f" on the square from {self.low:g} to {self.high:g}" + ", with this gap" * (shift > 0)
                why += ".  (Where a number is missing, as in sqrt(-1), no comparison holds.)" if not few else "."
                raise ValueError(f"The rule holds nearly {('nowhere', 'everywhere')[few]}{why}".replace("-", "−"))
            X = random.uniform(self.low, self.high, (count + 1000, 2))
            parts = [np.concatenate((part, X[own])) for part, own in zip(parts, self.reach(X, shift), strict=True)]
            drawn += len(X)
        return [part[:count] for part in parts]

    def densities(self, noise: float, shift: float, n_classes: int = 2) -> tuple[Density, ...]:
        """Return the density of each class, from cells of the square."""
        low, side = self.low, self.high - self.low
        n = min(max(COLUMNS, math.ceil(2.0 * side / noise)), MOST_COLUMNS) if noise else COLUMNS
        x, y = (low + side * (np.arange(k) + 0.5) / k for k in (n, CELLS))
        X = np.column_stack((np.repeat(x, CELLS), np.tile(y, n)))

        def density(c: int, own: Mask) -> Density:
            area = max(float(own.mean()), 1e-9) * side * side

            def sharp(X: Array) -> Array:
                inside = (np.abs(X - 0.5 * (low + self.high)) <= 0.5 * side + 1e-6).all(axis=1)
                return np.where(inside & self.reach(X, shift)[c], 1.0 / area, 0.0)

            change = np.diff(own.reshape(n, CELLS).astype(np.int8), axis=1, prepend=0, append=0)
            (column, first), (_, last) = np.nonzero(change > 0), np.nonzero(change < 0)
            bottom, top = (low + side / CELLS * np.asarray(end, dtype=np.float64) for end in (first, last))
            return strips(x[column], np.full(len(column), side / n / area), bottom, top, noise) if noise else sharp

        return tuple(density(c, own) for c, own in enumerate(self.reach(X, shift)))

    def boundary(self, grid: Grid) -> Array:
        """Return the lines at which the rule begins or ends to hold, shape (m, 2), with NaN rows between them.

        They run between the samples of `grid`; each vertex is on the boundary, up to a thousandth of a pixel.
        """
        x, y = np.meshgrid(grid.xs, grid.ys)
        held = self.holds(np.column_stack((x.ravel(), y.ravel()))).reshape(x.shape)
        lines, pixel = level_lines(grid, np.where(held, 1.0, -1.0), (0.0,), thin=0.0), np.array(grid.pixel)
        # Each vertex is in the middle between two samples along one axis, at one of which the rule holds.
        steps = (lines - (grid.xs[0], grid.ys[0])) / pixel
        half = 0.5 * pixel * (np.abs(steps - np.round(steps)) > 0.25)
        low, high = lines - half, lines + half
        at_low = self.holds(low)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            same = (self.holds(middle) == at_low)[:, None]
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return np.asarray(0.5 * (low + high))
