"""Rules: read without being executed, evaluated as Python's own numbers say, drawn and measured as they promise."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import Grid
from solver.data.datasets import dataset_of, generate
from solver.data.distribution import Law
from solver.data.rules import OwnRule
from tests.examples import examples

# -- grammar -----------------------------------------------------------------------------------------------------------


def _numbers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", " / ", "^", " ^ ", "**"]), inner).map("".join),
        st.tuples(st.sampled_from(["-", "+", ""]), inner).map(lambda each: f"{each[0]}({each[1]})"),
        st.tuples(st.sampled_from(["sin", "cos", "exp", "log", "sqrt", "abs"]), inner).map(lambda e: f"{e[0]}({e[1]})"),
        st.tuples(st.sampled_from(["min", "max"]), st.lists(inner, min_size=2, max_size=3)).map(
            lambda each: f"{each[0]}({', '.join(each[1])})"
        ),
    )


NUMBERS = st.recursive(st.sampled_from(["x", "y", "x", "y", "pi", "e", "0", "2", "3", "0.5", ".25", "1e3"]), _numbers)
SIGNS = st.sampled_from([" < ", ">", "<=", " >= "])
COMPARISONS = st.one_of(
    st.tuples(NUMBERS, SIGNS, NUMBERS).map("".join), st.tuples(NUMBERS, SIGNS, NUMBERS, SIGNS, NUMBERS).map("".join)
)
RULES = st.recursive(
    COMPARISONS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" and ", " or "]), inner).map("".join),
        inner.map(lambda each: f"not ({each})"),
        inner.map(lambda each: f"({each})"),
    ),
    max_leaves=4,
).filter(lambda text: len(text) <= 300)


FUNCTIONS = ("sin", "cos", "exp", "log", "sqrt", "abs", "min", "max")


class _UnknownError(Exception):
    """What a side is depends on how numbers are rounded, or overflow."""


class _Number:
    """A number with the operations of Python's floats; NaN where these would be complex."""

    def __init__(self, value: float) -> None:
        self.value = float(value)

    def __add__(self, other: _Number) -> _Number:
        return _Number(self.value + other.value)

    def __sub__(self, other: _Number) -> _Number:
        return _Number(self.value - other.value)

    def __mul__(self, other: _Number) -> _Number:
        return _Number(self.value * other.value)

    def __truediv__(self, other: _Number) -> _Number:
        if other.value == 0:
            raise _UnknownError  # of which sign is 0?
        return _Number(self.value / other.value)

    def __pow__(self, other: _Number) -> _Number:
        try:
            return _Number(math.pow(self.value, other.value))
        except ValueError:
            if self.value == 0:
                raise _UnknownError from None
            return _Number(math.nan)

    def __neg__(self) -> _Number:
        return _Number(-self.value)

    def __pos__(self) -> _Number:
        return self

    def _compared(self, other: _Number, holds: bool) -> bool:
        a, b = self.value, other.value
        if math.isinf(a) or math.isinf(b) or abs(a - b) <= 1e-6 * max(1.0, abs(a), abs(b)):
            raise _UnknownError
        return holds

    def __lt__(self, other: _Number) -> bool:
        return self._compared(other, self.value < other.value)

    def __le__(self, other: _Number) -> bool:
        return self._compared(other, self.value <= other.value)

    def __gt__(self, other: _Number) -> bool:
        return self._compared(other, self.value > other.value)

    def __ge__(self, other: _Number) -> bool:
        return self._compared(other, self.value >= other.value)


def _function(name: str) -> Any:
    def of(*numbers: _Number) -> _Number:
        values = [each.value for each in numbers]
        if any(map(math.isnan, values)):
            return _Number(math.nan)
        if name in ("min", "max"):
            return _Number(min(values) if name == "min" else max(values))
        if abs(values[0]) > 1e6 or (name == "log" and values[0] == 0):
            raise _UnknownError
        try:
            return _Number(abs(values[0]) if name == "abs" else getattr(math, name)(values[0]))
        except ValueError:
            return _Number(math.nan)

    return of


def _scalar(text: str, x: float, y: float) -> bool | None:
    """Return the truth of a rule by Python's own evaluation of it; None where that depends on rounding."""
    names: dict[str, Any] = {name: _function(name) for name in FUNCTIONS}
    names |= {name: _Number(value) for name, value in (("pi", math.pi), ("e", math.e), ("x", x), ("y", y))}
    python = re.sub(r"(?<![\w.])(\d*\.?\d+(?:e\d+)?)", r"number(\1)", text.replace("^", "**"))
    try:
        return bool(eval(python, {"__builtins__": {}, "number": _Number}, names))
    except (_UnknownError, OverflowError):
        return None


X = np.array([(0.3, -0.7), (-0.4, 0.2), (0.9, 0.8), (-0.6, -0.95), (0.0, 0.5), (1.7, -2.3)])


@examples(300)
@given(RULES)
def test_a_rule_is_evaluated_as_python_evaluates_it(text: str) -> None:
    """Independent: Python's own evaluation of the text, number by number.  The expression for numpy says the same."""
    try:
        rule = OwnRule(text)
    except ValueError as error:
        assert "operations" in str(error) or "characters" in str(error)
        return
    held = rule.holds(X).tolist()
    with np.errstate(all="ignore"):
        numpy = eval(rule.expression, {"np": np, "x": X[:, 0], "y": X[:, 1]})
    assert np.broadcast_to(numpy, len(X)).tolist() == held
    for at, (x, y) in enumerate(X.tolist()):
        assert _scalar(text, x, y) in (held[at], None)


def test_the_other_road_knows_most_answers() -> None:
    assert _scalar("x^2 + y^2 < 1 and not max(x, y) > 0.5", 0.4, -0.4) is True
    assert _scalar("-x^2 > -0.1", 0.4, 0.0) is False and _scalar("log(x) < 9 or y > 1", -1.0, 0.0) is False
    assert _scalar("x >= y", 0.4, 0.4) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x^2 + y^2 < 1", lambda x, y: x * x + y * y < 1),
        ("-x^2 < y", lambda x, y: -(x * x) < y),
        ("2^x^2 > 1.1", lambda x, y: 2 ** (x**2) > 1.1),
        ("0 < x < y", lambda x, y: (x > 0) & (x < y)),
        ("x < 0 or y > 0 and x > 0.5", lambda x, y: (x < 0) | ((y > 0) & (x > 0.5))),
        ("not x < 0 and y > 0", lambda x, y: (x >= 0) & (y > 0)),
        ("max(x, y, 0) > 0.5", lambda x, y: np.maximum(np.maximum(x, y), 0) > 0.5),
        ("min(x, y) > -0.5", lambda x, y: np.minimum(x, y) > -0.5),
        ("y > sin(pi*x)", lambda x, y: y > np.sin(np.pi * x)),
        ("x > 9^9^9^9", lambda x, y: x > np.inf),
        ("y / 0 > 1", lambda x, y: y > 0),
        ("y > log(x)", lambda x, y: (x > 0) & (y > np.log(np.abs(x)))),
        ("not y > log(x)", lambda x, y: ~((x > 0) & (y > np.log(np.abs(x))))),
    ],
)
def test_what_a_rule_means(text: str, expected) -> None:  # type: ignore[no-untyped-def]
    xy = np.random.default_rng(1).uniform(-2, 2, (500, 2))
    assert np.array_equal(OwnRule(text).holds(xy), expected(*xy.T))


# -- refused -----------------------------------------------------------------------------------------------------------

REFUSED = {
    "sinn(x) > y": "“sinn” at character 1 is not known: sin?",
    "x^2 + yy^2 < 1": "“yy” at character 7 is not known: y?",
    "X > y": "“X” at character 1 is not known: x?",
    "y > x^2 + foo": "“foo” at character 11 is not known. There are x, y, pi, e,",
    "__class__ > y": "“__class__” at character 1 is not known.",
    "__import__(x) > y": "“__import__” at character 1 is not known.",
    "().__class__ > x": "“().__class__” at character 1 is no part of a rule.",
    "x.real > y": "“x.real” at character 1 is no part of a rule.",
    "x[0] > y": "“[” at character 2 is not known.",
    "lambda: x > 0": "“:” at character 7 is not known.",
    "'a' > x": "“'” at character 1 is not known.",
    "y > x²": "“²” at character 6 is not known.",
    "x if x > 0 else y": "is no part of a rule.",
    "1j*x > y": "“1j” at character 1 is no part of a rule.",
    "sin(x, y) > 0": "“sin(x, y)” at character 1 is no part of a rule.",
    "sin() > 0": "“sin()” at character 1 is no part of a rule.",
    "min(x) > 0": "“min(x)” at character 1 is no part of a rule.",
    "sin(*x) > 0": "“*x” at character 5 is no part of a rule.",
    "sin > x": "“sin” at character 1 is no part of a rule.",
    "x(y) > 0": "“x(y)” at character 1 is no part of a rule.",
    "x == y": "“x == y” at character 1 is no part of a rule.",
    "0 < x == y": "“0 < x == y” at character 1 is no part of a rule.",
    "sin(x, out=y) > 0": "“sin(x, out=y)” at character 1 is no part of a rule.",
    "x // y > 0": "“x // y” at character 1 is no part of a rule.",
    "True and x > y": "“True” at character 1 is no part of a rule.",
    "x > y and y": "“x > y and y” at character 1 mixes up numbers and comparisons.",
    "x > (y > 0)": "“x > (y > 0)” at character 1 mixes up numbers and comparisons.",
    "x + y": "“x + y” is compared with nothing; a rule is such as y > sin(3*x).",
    "3x > y": "“3x > y” at character 1 cannot be read; a rule is such as y > sin(3*x).",
    "y = x": "“= x” at character 3 cannot be read;",
    "x^2 > 0)": "“)” at character 8 cannot be read;",
    "": "Its end cannot be read;",
    "not " * 70 + "x>y": "is within more than 60 operations.",
    "-" * 290 + "x > y": "is within more than 60 operations.",
    "(" * 250 + "x > y": "cannot be read;",
    "sin(" * 60 + "x" + ")" * 60: "The rule has 301 characters; 300 are the most.",
    "x" * 1_000_000: "The rule has 1000000 characters; 300 are the most.",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20])
def test_what_is_no_rule_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(REFUSED[text])), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python's parser, "invalid decimal literal"
        OwnRule(text)


@examples(300)
@given(st.text(alphabet="xy019.+-*/^()<>=, _andortsi[]'\"\\{}:;@é\n", max_size=320))
def test_any_text_is_a_rule_or_a_sentence(text: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rule = OwnRule(text)
    except ValueError as error:
        assert str(error).endswith((".", "?")) and len(str(error)) < 200
    else:
        assert rule.holds(X).shape == (len(X),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x > 2", "The rule holds nearly nowhere on the square from −1 to 1"),
        ("x < 2", "The rule holds nearly everywhere on the square from −1 to 1."),
        ("1 < 2", "nearly everywhere"),
        ("1/0 > x", "nearly everywhere"),
        ("y > sqrt(-1)", "Where a number is missing, as in sqrt(−1), no comparison holds."),
        ("y > (-1)^0.5", "no comparison holds"),
        ("abs(x) <= 0", "nearly nowhere"),
    ],
)
def test_a_rule_with_one_class_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    for count in (1, 50):  # below a fiftieth of the square is too little
        with pytest.raises(ValueError, match=re.escape(sentence)):
            generate("rule", count, 0.0, 1, rule=text)


def test_a_class_with_less_than_a_fiftieth_of_the_square_is_too_small() -> None:
    assert len(generate("rule", 50, 0.0, 0, rule="x > 0.94")[0]) == 100
    with pytest.raises(ValueError, match="nearly nowhere"):
        generate("rule", 500, 0.0, 0, rule="x > 0.98")


def test_a_gap_without_room_is_named() -> None:
    with pytest.raises(ValueError, match="with this gap"):
        generate("rule", 50, 0.0, 0, shift=0.9, rule="sin(9*x) > y")


@pytest.mark.parametrize("square", [(1.0, -1.0), (0.0, 0.0), (0.0, math.nan), (-math.inf, 1.0), (0.0, 1e9)])
def test_no_such_square(square: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="The square goes from"):
        generate("rule", 50, 0.0, 0, square=square)


# -- points ------------------------------------------------------------------------------------------------------------


def test_points_are_on_the_square_and_have_their_classes() -> None:
    rule = "x^2 + y^2 < 4 and x > 0"
    X, y = generate("rule", 300, 0.0, 5, rule=rule, square=(-2.0, 3.0))
    assert len(X) == 600 and X.min() >= -2 and X.max() <= 3 and X.max() > 2.9
    assert np.array_equal(np.where((X**2).sum(axis=1) < 4, X[:, 0] > 0, False), y == 0)


def test_points_are_even() -> None:
    X, y = generate("rule", 20_000, 0.0, 5, rule="x > y")
    first = X[y == 0]
    # A quarter of the triangle below the diagonal is the square of its right angle, and two triangles beside it.
    assert ((first[:, 0] > 0) & (first[:, 1] < 0)).mean() == pytest.approx(0.5, abs=0.02)
    assert first.mean(axis=0) == pytest.approx([1 / 3, -1 / 3], abs=0.02)


def _distance(X: np.ndarray) -> np.ndarray:
    return np.abs(np.hypot(*X.T) - 0.6)


@pytest.mark.parametrize("shift", [0.05, 0.2])
def test_a_gap_and_an_overlap_are_distances(shift: float) -> None:
    """Measured in 16 directions: too far by 2 % at most, from a round boundary."""
    rule = "x^2 + y^2 < 0.36"
    X, y = generate("rule", 2000, 0.0, 5, shift=shift, rule=rule)
    assert _distance(X).min() >= 0.97 * shift and _distance(X).min() <= 1.03 * shift
    X, y = generate("rule", 4000, 0.0, 5, shift=-shift, rule=rule)
    crossed = (np.hypot(*X.T) < 0.6) != (y == 0)
    assert crossed.mean() > 0.01 and _distance(X[crossed]).max() == pytest.approx(shift, rel=0.05)


def test_noise_and_flips_are_those_of_the_other_sets() -> None:
    X, y = generate("rule", 200, 0.0, 3)
    noisy, labels = generate("rule", 200, 0.1, 3, flipped=0.1)
    assert (noisy - X).std() == pytest.approx(0.1, abs=0.01) and (labels != y).sum() == 40


# -- truth -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "away", "bound"),
    [
        ("y > sin(3*x)", lambda x, y: y - np.sin(3 * x), 1e-4),
        ("x^2 + y^2 < 0.5", lambda x, y: np.hypot(x, y) - math.sqrt(0.5), 1e-5),
        ("x^2 + y^2 < 0.5 and x > -0.2", lambda x, y: np.minimum(abs(np.hypot(x, y) - 0.5**0.5), abs(x + 0.2)), 1e-5),
        ("not (abs(x) > 0.31 or y >= 0.77)", lambda x, y: np.minimum(abs(abs(x) - 0.31), abs(y - 0.77)), 1e-5),
        ("1/x > y", lambda x, y: np.minimum(abs(x), abs(x * y - 1)), 1e-4),
        ("y < sqrt(x)", lambda x, y: np.minimum(abs(x), abs(y - np.sqrt(np.maximum(x, 0)))), 2e-4),
    ],
)
def test_the_boundary_is_that_of_the_rule(text: str, away, bound: float) -> None:  # type: ignore[no-untyped-def]
    """Its vertices are on the boundary, and none of it is missing: both classes are on its two sides."""
    rule, grid = OwnRule(text), Grid(-1.013, 1.0, -1.0, 1.007, 150, 160)
    lines = rule.boundary(grid)
    vertices = lines[~np.isnan(lines).any(axis=1)]
    assert np.abs(away(*vertices.T)).max() < bound
    x, y = np.meshgrid(grid.xs, grid.ys)
    held = rule.holds(np.column_stack((x.ravel(), y.ravel()))).reshape(x.shape)
    changes = np.argwhere(held[:, 1:] != held[:, :-1])
    for row, column in changes[:: max(1, len(changes) // 25)]:
        middle = 0.5 * (grid.xs[column] + grid.xs[column + 1]), grid.ys[row]
        assert np.hypot(*(vertices - middle).T).min() <= grid.pixel[0]


@pytest.mark.parametrize(("text", "twin"), [("y > x", "line"), ("x*y > 0", "xor")])
@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_densities_are_those_of_the_sets_that_are_rules(text: str, twin: str, noise: float) -> None:
    """The law of such a rule is known by another road."""
    X = np.random.default_rng(2).uniform(-1.2, 1.2, (400, 2))
    ours, theirs = Law("rule", noise, rule=text), Law(twin, noise)
    assert np.exp(ours.log_density(X)) == pytest.approx(np.exp(theirs.log_density(X)), abs=4e-3)
    assert ours.risk(X).mean() == pytest.approx(theirs.risk(X).mean(), abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 0.1, -0.1])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_densities_are_those_of_the_points(noise: float, shift: float) -> None:
    law = Law("rule", noise, shift, rule="x^2 + y^2 < 1 and x > 0", square=(-2.0, 2.0))
    X, y = law.draw(40_000, 1)
    edges = np.linspace(-2, 2, 9)
    for c in range(2):
        counts, _, _ = np.histogram2d(*X[y == c].T, bins=(edges, edges))
        fine = np.linspace(-2, 2, 161)[:-1] + 0.0125
        x2, y2 = np.meshgrid(fine, fine, indexing="ij")
        density = np.exp(law.log_density(np.column_stack((x2.ravel(), y2.ravel()))))[:, c].reshape(8, 20, 8, 20)
        expected = density.mean(axis=(1, 3)) * 0.25 * (y == c).sum()
        assert np.abs(counts - expected).max() < 5 * np.sqrt(expected.max()) + 5


def test_the_truth_of_a_rule_is_class_1_where_it_holds() -> None:
    truth = dataset_of("rule", "x > 0.5").truth
    assert truth is not None and truth.classes(np.array([[0.6, 0.0], [0.4, 0.0]])).tolist() == [0, 1]
    assert truth.equation == "where the rule x > 0.5 begins to hold"
