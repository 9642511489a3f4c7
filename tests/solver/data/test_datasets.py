"""The generators: location and distribution of their points, and the sentences about invalid parameters."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.datasets import make_moons

from app.state.document import GeneratorSettings
from solver import Grid
from solver.data.datasets import DATASETS, generate
from solver.data.distribution import Law

SHIFTS = (-0.3, 0.0, 0.1)


def make(name: str, count: int = 300, seed: int = 1, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    return generate(name, count, options.pop("noise", 0.0), seed, **options)


@pytest.mark.parametrize("name", DATASETS)
def test_shape_labels_and_seed(name: str) -> None:
    dataset = DATASETS[name]
    for n_classes in dataset.n_classes:
        X, y = make(name, 37, noise=0.1, n_classes=n_classes)
        assert X.shape == (37 * n_classes, 2) and X.dtype == np.float64
        assert y.dtype == np.int64 and y.tolist() == [c for c in range(n_classes) for _ in range(37)]
        np.testing.assert_array_equal(X, np.round(X, 6))
        assert not np.signbit(X[X == 0.0]).any()
        again, _ = make(name, 37, noise=0.1, n_classes=n_classes)
        np.testing.assert_array_equal(again, X)
        other, _ = make(name, 37, noise=0.1, n_classes=n_classes, seed=2)
        assert (other != X).mean() > 0.9


@pytest.mark.parametrize("name", DATASETS)
def test_registry_defaults_work(name: str) -> None:
    dataset = DATASETS[name]
    assert dataset.title and dataset.sentence.endswith(".") and dataset.sentence.count(". ") == 0
    X, _ = generate(name, dataset.count, dataset.noise, 0)
    assert X.shape == (2 * dataset.count, 2)
    assert dataset.has_shift == (dataset.shift_range is not None)


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_row_of_the_table_is_complete(name: str, noise: float) -> None:
    """Each class has a density where the generator draws its points, and a truth has an equation and lines."""
    dataset = DATASETS[name]
    for n_classes in dataset.n_classes:
        law = Law(name, noise, n_classes=n_classes)
        X, y = make(name, 50, noise=noise, n_classes=n_classes)
        assert law.has_density == (noise > 0 or not dataset.is_thin)
        if law.has_density:
            assert len(dataset.shapes(noise, 0.0, n_classes)) == n_classes
            assert (np.exp(law.log_density(X))[np.arange(len(y)), y] > 0).all()
        drawn, labels = law.draw(200, 1)
        assert drawn.shape == (200, 2) and set(labels) == set(range(n_classes))
    assert (dataset.paths is not None) <= dataset.is_thin
    if dataset.truth is not None:
        on_grid = dataset.truth.lines_on
        lines = on_grid(Grid(-1, 1, -1, 1, 9, 9)) if on_grid else dataset.truth.lines(-1.0, 1.0, -1.0, 1.0)
        assert dataset.truth.equation and len(lines)
        assert set(dataset.truth.classes(X)) == {0, 1}


def test_an_unknown_set_is_an_error_wherever_one_is_named() -> None:
    for call in (lambda: generate("sun", 3, 0.0, 0), lambda: Law("sun")):
        with pytest.raises(ValueError, match="name is 'sun'; it must be one of 'line'"):
            call()
    with pytest.raises(msgspec.ValidationError, match="sun"):
        msgspec.convert({"name": "sun"}, GeneratorSettings)


def test_registry_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        DATASETS["line"] = DATASETS["xor"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        DATASETS["line"].count = 1  # type: ignore[misc]


def test_fixed_points() -> None:
    """One seed gives one result, on every machine and in every version: here computed from the bare random numbers."""
    u = np.random.Generator(np.random.PCG64(7)).random(4)
    expected = []
    for sign, (first, second) in ((1, u[:2]), (-1, u[2:])):
        x = 1 - 2 * math.sqrt(first)
        expected.append([round(sign * x, 6), round(sign * (x + second * (1 - x)), 6)])
    assert make("line", 1, seed=7)[0].tolist() == expected
    assert expected[0] == [-0.58126, 0.837468]


@pytest.mark.parametrize("name", ["line", "wrong", "circle", "xor", "chessboard"])
@pytest.mark.parametrize("shift", SHIFTS)
def test_points_lie_in_the_square(name: str, shift: float) -> None:
    X, _ = make(name, 3000, shift=shift)
    assert abs(X).max() <= 1.0


@pytest.mark.parametrize("name", ["line", "wrong"])
@pytest.mark.parametrize("shift", SHIFTS)
def test_distance_to_the_line(name: str, shift: float) -> None:
    X, y = make(name, 5000, shift=shift)
    above = np.where(y == 0, X[:, 1] - X[:, 0], X[:, 0] - X[:, 1])
    assert shift - 2e-6 <= above.min() < shift + 0.02
    truth = DATASETS[name].truth
    assert truth is not None
    np.testing.assert_array_equal(truth.classes(X) == y, above > 0)


def test_line_distribution() -> None:
    """Class 0 has x with density (1 - x) / 2, class 1 with (1 + x) / 2, and y is uniform in what remains."""
    X, y = make("line", 20000, seed=3)
    for c, sign in ((0, 1.0), (1, -1.0)):
        x, v = sign * X[y == c].T
        assert kstest(x, lambda t: 1 - (1 - t) ** 2 / 4).pvalue > 0.001
        assert kstest((v - x) / (1 - x), "uniform").pvalue > 0.001


def test_line_distribution_with_a_gap() -> None:
    """With a gap the same density of x, cut off where no space is left above the line."""
    x, v = make("line", 20000, seed=4, shift=0.5)[0][:20000].T
    assert kstest(x, lambda t: (1 - (1 - t) ** 2 / 4) / (1 - 0.25**2)).pvalue > 0.001
    assert kstest((v - x - 0.5) / (0.5 - x), "uniform").pvalue > 0.001


def test_wrong_distribution() -> None:
    X, y = make("wrong", 20000, seed=3)
    for c, sign in ((0, 1.0), (1, -1.0)):
        x, v = sign * X[y == c].T
        assert kstest(x, "uniform", (-1, 2)).pvalue > 0.001
        assert kstest((v - x) / (1 - x), "uniform").pvalue > 0.001


@pytest.mark.parametrize("shift", SHIFTS)
def test_circle_distribution(shift: float) -> None:
    X, y = make("circle", 20000, seed=3, shift=shift)
    for c, low, high in ((0, 0.0, 0.5 - shift), (1, 0.5 + shift, 1.0)):
        squared = (X[y == c] ** 2).sum(axis=1)
        assert kstest(squared, "uniform", (low, high - low)).pvalue > 0.001
        angle = np.arctan2(X[y == c, 1], X[y == c, 0])
        assert kstest(angle, "uniform", (-math.pi, 2 * math.pi)).pvalue > 0.001
    truth = DATASETS["circle"].truth
    assert truth is not None
    np.testing.assert_array_equal(truth.classes(X), ((X**2).sum(axis=1) >= 0.5).astype(int))
    assert (truth.classes(X) == y).all() == (shift >= 0)


def test_moons_are_those_of_scikit_learn() -> None:
    X, y = make("moons", 40)
    expected, labels = make_moons(80, shuffle=False)
    np.testing.assert_allclose(X, expected, atol=5.1e-7)
    np.testing.assert_array_equal(y, labels)


@pytest.mark.parametrize("name", DATASETS)
def test_noise(name: str) -> None:
    still, _ = make(name, 4000, noise=0.0)
    moved, _ = make(name, 4000, noise=0.2)
    assert kstest((moved - still).ravel() / 0.2, "norm").pvalue > 0.001


@pytest.mark.parametrize("n_classes", [2, 5, 8])
def test_blobs_and_spirals(n_classes: int) -> None:
    X, y = make("blobs", 2000, noise=0.3, n_classes=n_classes)
    for c in range(n_classes):
        angle = 2 * math.pi * c / n_classes
        cloud = X[y == c]
        np.testing.assert_allclose(cloud.mean(axis=0), [math.cos(angle), math.sin(angle)], atol=0.03)
        np.testing.assert_allclose(cloud.std(axis=0), 0.3, rtol=0.06)
    X, y = make("spirals", 500, n_classes=n_classes)
    radius = np.hypot(*X.T)
    assert radius.min() >= 0.1 - 1e-6 and radius.max() <= 1.0 + 1e-6
    turned = np.arctan2(X[:, 1], X[:, 0]) - 3 * math.pi * (radius - 0.1) / 0.9 - 2 * math.pi * y / n_classes
    np.testing.assert_allclose(np.cos(turned), 1.0, atol=1e-8)


@pytest.mark.parametrize("shift", SHIFTS)
def test_xor(shift: float) -> None:
    X, y = make("xor", 4000, seed=2, shift=shift)
    if shift >= 0:
        np.testing.assert_array_equal(np.sign(X[:, 0]) == np.sign(X[:, 1]), y == 0)
        assert shift <= abs(X).min() < shift + 0.01
        quadrants = [np.sum((X[:, 0] > 0) == a) for a in (True, False)]
        assert quadrants == [4000, 4000]
    else:
        wrong_side = (np.sign(X[:, 0]) == np.sign(X[:, 1])) != (y == 0)
        assert 0.2 < wrong_side.mean() < 0.5


@pytest.mark.parametrize("shift", SHIFTS)
def test_chessboard(shift: float) -> None:
    X, y = make("chessboard", 8000, seed=2, shift=shift)
    field = np.floor((X + 1.0) * 2.0).astype(int)
    if shift < 0:
        assert abs(X).max() <= 1.0
        assert 0.2 < np.mean(field.sum(axis=1) % 2 != y) < 0.6
        return
    np.testing.assert_array_equal(field.sum(axis=1) % 2, y)
    inside = (X + 1.0) * 2.0 - field
    margin = np.minimum(inside, 1.0 - inside) / 2.0
    assert shift / 2 - 2e-6 <= margin.min() < shift / 2 + 0.005
    fields, count = np.unique(field, axis=0, return_counts=True)
    assert len(fields) == 16 and (count == 1000).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "cat"}, "name is 'cat'; it must be one of 'line', 'circle', 'wrong', 'moons', "),
        ({"count": 0}, "count is 0; it must be a whole number from 1 to 1000000."),
        ({"count": 2.5}, "count is 2.5; it must be a whole number from 1 to 1000000."),
        ({"count": 10**7}, "count is 10000000; it must be a whole number from 1 to 1000000."),
        ({"noise": -0.1}, "noise is -0.1; it must be a number in [0, 1000]."),
        ({"noise": math.nan}, "noise is nan; it must be a number in [0, 1000]."),
        ({"seed": -1}, "seed is -1; it must be a whole number of at least 0."),
        ({"shift": 2.0}, "shift is 2.0; it must be a number in [-2, 2)."),
        ({"shift": -2.5}, "shift is -2.5; it must be a number in [-2, 2)."),
        ({"name": "circle", "shift": 0.5}, "shift is 0.5; it must be a number in [-0.5, 0.5)."),
        ({"name": "xor", "shift": 1}, "shift is 1; it must be a number in [-1, 1)."),
        ({"name": "chessboard", "shift": 0.5}, "shift is 0.5; it must be a number in [-0.5, 0.5)."),
        ({"name": "moons", "shift": 0.1}, "shift is 0.1; the data set 'moons' has no shift, so it must be 0."),
        ({"n_classes": 3}, "n_classes is 3; the data set 'line' has 2 classes."),
        ({"name": "blobs", "n_classes": 9}, "n_classes is 9; it must be a whole number from 2 to 8."),
        ({"name": "spirals", "n_classes": 1}, "n_classes is 1; it must be a whole number from 2 to 8."),
    ],
)
def test_bad_parameters(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        generate(**{"name": "line", "count": 5, "noise": 0.0, "seed": 0, **change})
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).endswith(".")


# How much room a gap leaves to a rule depends on the rule: see `test_rules`.
@pytest.mark.parametrize("name", [name for name, row in DATASETS.items() if row.has_shift and row.rule is None])
def test_extreme_shifts_that_still_leave_room(name: str) -> None:
    low, high = DATASETS[name].shift_range or (0.0, 0.0)
    for shift in (low, np.nextafter(high, low)):
        X, _ = make(name, 50, shift=float(shift))
        assert np.isfinite(X).all() and abs(X).max() <= 1.0


@pytest.mark.parametrize(("name", "n_classes"), [("moons", 2), ("line", 2), ("blobs", 5)])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.37, 0.5])
def test_flipped_labels(name: str, n_classes: int, share: float) -> None:
    count = 600
    X, y = generate(name, count, 0.1, 3, n_classes=n_classes)
    same, flipped = generate(name, count, 0.1, 3, n_classes=n_classes, flipped=share)
    assert np.array_equal(X, same) and flipped.dtype == y.dtype  # the points do not change
    wrong = flipped != y
    assert [int(wrong[y == c].sum()) for c in range(n_classes)] == [round(share * count)] * n_classes
    assert set(flipped.tolist()) == set(range(n_classes))
    again = generate(name, count, 0.1, 3, n_classes=n_classes, flipped=share)[1]
    assert np.array_equal(flipped, again)
    more = generate(name, count, 0.1, 3, n_classes=n_classes, flipped=0.5)[1]
    assert np.array_equal(more[wrong], flipped[wrong])  # a larger share contains the flips of a smaller one
    if share < 0.5:
        assert not np.array_equal(generate(name, count, 0.1, 4, n_classes=n_classes, flipped=share)[1], flipped)


def test_flipped_labels_go_to_each_other_class_alike() -> None:
    _, y = generate("blobs", 40_000, 0.1, 0, n_classes=5)
    _, flipped = generate("blobs", 40_000, 0.1, 0, n_classes=5, flipped=0.5)
    table = np.bincount(5 * y + flipped, minlength=25).reshape(5, 5)
    assert (np.diag(table) == 20_000).all()
    others = table[~np.eye(5, dtype=bool)]
    assert np.abs(others - 5000).max() < 5 * np.sqrt(5000)


@pytest.mark.parametrize("share", [-0.1, 0.51, float("nan")])
def test_a_share_of_flips_that_cannot_be(share: float) -> None:
    with pytest.raises(ValueError, match="flipped"):
        generate("moons", 10, 0.1, 0, flipped=share)
