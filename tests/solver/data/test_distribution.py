"""Distributions of the generators: against histograms of a million points, adaptive quadrature and brute force."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import binomtest, chi2

from solver import SVC, Grid, KNeighborsClassifier, Perceptron
from solver.data.datasets import DATASETS, generate
from solver.data.densities import normal_cdf
from solver.data.distribution import Law, cover_hart, wilson
from tests.examples import examples

LAWS = [
    Law("line", 0.15, 0.3),
    Law("line", 0.1, -0.5),
    Law("wrong", 0.12, 0.25),
    Law("wrong", 0.1, -0.4),
    Law("circle", 0.15, 0.2),
    Law("circle", 0.1, -0.3),
    Law("moons", 0.15),
    Law("blobs", 0.35, n_classes=5),
    Law("xor", 0.15, -0.5),
    Law("spirals", 0.08, n_classes=3),
    Law("chessboard", 0.08, 0.1),
    Law("chessboard", 0.1, -0.3),
]
SHARP = [
    Law("line"),
    Law("line", shift=0.3),
    Law("line", shift=-0.4),
    Law("wrong", shift=0.5),
    Law("wrong", shift=-0.7),
    Law("circle", shift=0.1),
    Law("circle", shift=-0.2),
    Law("circle", shift=-0.5),
    Law("xor", shift=0.4),
    Law("chessboard", shift=0.2),
    Law("chessboard", shift=-0.3),
]
HALF, BINS = 3.0, 60


def name_of(law: Law) -> str:
    return f"{law.name} noise {law.noise:g} shift {law.shift:g} of {law.n_classes}"


by_name = pytest.mark.parametrize("law", LAWS, ids=name_of)


@cache
def masses(law: Law) -> np.ndarray:
    """Return the share of each class in each bin of 0.1, shape (BINS, BINS, n_classes), by 3 x 3 Gauss-Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(3)
    width = 2 * HALF / BINS
    centres = -HALF + (np.arange(BINS) + 0.5) * width
    x = (centres[:, None] + 0.5 * width * nodes).ravel()
    locations = np.column_stack([each.ravel() for each in np.meshgrid(x, x, indexing="ij")])
    density = np.exp(law.log_density(locations)).reshape(BINS, 3, BINS, 3, law.n_classes)
    return np.einsum("aibjc,i,j->abc", density, weights, weights) * (0.5 * width) ** 2


def histogram(X: np.ndarray) -> np.ndarray:
    bins = np.floor((X + HALF) * (BINS / (2 * HALF))).astype(int)
    bins = bins[((bins >= 0) & (bins < BINS)).all(axis=1)]
    return np.bincount(bins[:, 0] * BINS + bins[:, 1], minlength=BINS * BINS).reshape(BINS, BINS).astype(float)


@cache
def counted(law: Law) -> np.ndarray:
    """Return the number of half a million generated points of each class in each bin, as in `masses`."""
    X, y = generate(law.name, 500_000, law.noise, 7, law.shift, law.n_classes)
    return np.stack([histogram(X[y == c]) for c in range(law.n_classes)], axis=-1)


def chance(counts: np.ndarray, shares: np.ndarray) -> float:
    """Return the probability of a chi-square at least as large; rare bins are merged into one."""
    expected = shares * counts.sum()
    often = expected >= 10
    shown = np.append(counts[often], counts[~often].sum())
    wanted = np.append(expected[often], max(expected[~often].sum(), 1e-9))
    if wanted[-1] < 10:
        shown, wanted = shown[:-1], wanted[:-1]
    return float(chi2.sf(((shown - wanted) ** 2 / wanted).sum(), len(shown) - 1))


@by_name
def test_densities_integrate_to_one(law: Law) -> None:
    assert masses(law).sum(axis=(0, 1)) == pytest.approx(np.ones(law.n_classes), abs=1e-6)


@by_name
def test_a_million_generated_points_follow_the_density(law: Law) -> None:
    for c in range(law.n_classes):
        assert chance(counted(law)[..., c], masses(law)[..., c]) > 1e-5


@by_name
def test_fresh_points_follow_the_density(law: Law) -> None:
    X, y = law.draw(200_000, 3)
    assert len(X) == len(y) == 200_000
    counts = np.bincount(y, minlength=law.n_classes)
    assert chance(counts.astype(float), np.full(law.n_classes, 1 / law.n_classes)) > 1e-5
    for c in range(law.n_classes):
        assert chance(histogram(X[y == c]), masses(law)[..., c]) > 1e-5


@by_name
def test_ideal_class_is_what_most_points_around_are(law: Law) -> None:
    """Counted, without any density: in bins where one class is far ahead and the ideal class is one."""
    counts = counted(law)
    ranked = np.sort(counts, axis=-1)
    clear = ranked[..., -1] - ranked[..., -2] > 6 * np.sqrt(ranked[..., -1] + 1)
    width = 2 * HALF / BINS
    locations = -HALF + (np.argwhere(clear)[:, None] + np.linspace(0.02, 0.98, 5)[:, None].repeat(2, 1)) * width
    more = locations.copy()
    more[..., 1] = more[:, ::-1, 1]
    inside = np.concatenate([locations, more], axis=1)
    ideal = law.bayes(inside.reshape(-1, 2)).reshape(inside.shape[:2])
    one = (ideal == ideal[:, :1]).all(axis=1)
    assert one.sum() > 60
    assert (ideal[one, 0] == counts[clear].argmax(axis=1)[one]).all()


@pytest.mark.parametrize("law", SHARP, ids=name_of)
def test_sharp_shapes_have_their_area(law: Law) -> None:
    """Without noise: the mean of 1 / p(x | c) over points of the class is the area where the class has points."""
    s = max(law.shift, 0.0)
    area = {
        "line": 0.5 * (2 - law.shift) ** 2 if law.shift >= 0 else 4 - 0.5 * (2 + law.shift) ** 2,
        "circle": math.pi * (0.5 - law.shift),
        "xor": 2 * (1 - law.shift) ** 2,
        "chessboard": 8 * (0.5 - s) ** 2 if law.shift >= 0 else math.nan,
    }
    area["wrong"] = area["line"]
    X, y = generate(law.name, 200_000, 0.0, 5, law.shift)
    density = np.exp(law.log_density(X))[np.arange(len(y)), y]
    assert (density > 0).all()
    for c in range(2):
        # Where the boxes of one class overlap, the area counts once.
        wanted = area[law.name] if law.name != "xor" or law.shift >= 0 else math.nan
        if not math.isnan(wanted):
            assert (1 / density[y == c]).mean() == pytest.approx(wanted, rel=0.01)
    unlike = law.bayes(X) != y
    assert not unlike.any() or law.shift < 0 or unlike.mean() < 1e-4


def test_chessboard_fields_that_overlap() -> None:
    """Neighbouring fields share a strip of 0.3; a location 0.05 from the edge of an inner field is in both."""
    law = Law("chessboard", shift=-0.3)
    density = np.exp(law.log_density(np.array([[-0.05, -0.25], [0.25, 0.25], [-0.9, -0.75]])))
    inner, corner, edge = 1 / 0.8**2, 1 / 0.65**2, 1 / (0.8 * 0.65)
    assert density[:2] == pytest.approx(np.array([[inner, inner], [inner, 0]]) / 8)
    assert density[2] == pytest.approx([corner / 8, 0]) and edge > 0


def test_gaps_have_no_class() -> None:
    law = Law("line", shift=0.4)
    locations = np.array([[0.0, 0.1], [0.0, 0.5], [0.0, -0.5], [0.9, -1.4], [0.0, 0.39], [0.0, 0.41]])
    assert law.bayes(locations).tolist() == [-1, 0, 1, -1, -1, 0]
    assert np.isnan(law.posterior(locations)[0]).all() and (law.risk(locations) == 0).all()
    assert law.truth.classes(locations).tolist() == [0, 0, 1, 1, 0, 0]  # the truth has no gap
    assert not Law("moons").has_density and (Law("moons").bayes(locations) == -1).all()
    blobs = Law("blobs", n_classes=3)
    assert not blobs.has_density and blobs.log_density(locations).shape == (6, 3)


def test_normal_cdf() -> None:
    z = np.append(np.random.default_rng(0).uniform(-12, 12, 20_000), [-np.inf, np.inf, 0.0])
    assert np.abs(normal_cdf(z) - ndtr(z)).max() < 1e-12


# -- against adaptive quadrature ---------------------------------------------------------------------------------------


def _moon(x: float, y: float, s: float, c: int) -> float:
    def log_term(t: float) -> float:
        location = (math.cos(t), math.sin(t)) if c == 0 else (1 - math.cos(t), 0.5 - math.sin(t))
        return -((x - location[0]) ** 2 + (y - location[1]) ** 2) / (2 * s * s)

    return _log_integral(log_term, math.pi, 1 / math.pi, s)


def _arm(x: float, y: float, s: float, c: int, n_classes: int) -> float:
    def log_term(t: float) -> float:
        radius, angle = 0.1 + 0.9 * t, 3 * math.pi * t + 2 * math.pi * c / n_classes
        location = (radius * math.cos(angle), radius * math.sin(angle))
        return math.log(2 * t + 1e-300) - ((x - location[0]) ** 2 + (y - location[1]) ** 2) / (2 * s * s)

    return _log_integral(log_term, 1.0, 1.0, s)


def _log_integral(log_term, last: float, share: float, s: float) -> float:  # type: ignore[no-untyped-def]
    t = np.linspace(0, last, 4001)
    terms = [log_term(each) for each in t]
    largest = max(terms)
    peaks = [float(t[k]) for k in range(1, 4000) if terms[k] > max(terms[k - 1], terms[k + 1])]
    cuts = sorted(
        {0.0, last, *(min(max(p + d, 0.0), last) for p in [0.0, *peaks, last] for d in (-s, -s / 9, s / 9, s))}
    )
    total = sum(
        quad(lambda t: math.exp(log_term(t) - largest), a, b, epsabs=0, epsrel=1e-10, limit=400)[0]
        for a, b in itertools.pairwise(cuts)
    )
    return math.log(total * share / (2 * math.pi * s * s)) + largest


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.6])
def test_curves_agree_with_adaptive_quadrature(noise: float) -> None:
    """Near them and as far as 20 s away, where only the logarithm is left."""
    random = np.random.default_rng(1)
    X = np.concatenate([random.uniform(-1.2, 2.2, (12, 2)), [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.2], [-1.0, -18 * noise]]])
    ours = Law("moons", noise).log_density(X)
    arms = Law("spirals", noise, n_classes=3).log_density(X)
    for index, (x, y) in enumerate(X.tolist()):
        for c in range(2):
            wanted = _moon(x, y, noise, c)
            if wanted > -0.5 * 20**2:
                assert ours[index, c] == pytest.approx(wanted, abs=1e-6)
            wanted = _arm(x, y, noise, c, 3)
            if wanted > -0.5 * 20**2:
                assert arms[index, c] == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("shift", [0.0, 0.3, -0.4])
@pytest.mark.parametrize("noise", [0.02, 0.15, 0.8])
def test_strips_agree_with_adaptive_quadrature(noise: float, shift: float) -> None:
    """line and wrong along x, the disc along its radius with a Bessel function: other integrals than the program's."""
    from scipy.special import ive

    random = np.random.default_rng(2)
    X = random.uniform(-1.3, 1.3, (14, 2))
    last = 1 - max(shift, 0.0)
    for name in ("line", "wrong"):
        ours = np.exp(Law(name, noise, shift).log_density(X))
        for (x, y), value in zip(X.tolist(), ours.tolist(), strict=True):
            for sign, got in zip((1, -1), value, strict=True):

                def term(t: float, x: float = sign * x, y: float = sign * y) -> float:
                    share = 0.5 * (1 - t) / (1 - max(0.5 * shift, 0) ** 2) if name == "line" else 1 / (last + 1)  # noqa: B023
                    low = max(t + shift, -1.0)
                    along = (ndtr((1 - y) / noise) - ndtr((low - y) / noise)) / (1 - low)
                    return share * along * math.exp(-0.5 * ((x - t) / noise) ** 2) / (noise * math.sqrt(2 * math.pi))

                points = sorted(
                    {min(max(p, -1.0), last) for p in (sign * x - noise, sign * x, sign * x + noise, -1 - shift)}
                )
                wanted = quad(term, -1, last, points=points, limit=400, epsabs=1e-12)[0]
                assert got == pytest.approx(wanted, abs=1e-8)
    ours = np.exp(Law("circle", noise, min(shift, 0.2)).log_density(X))
    for r, value in zip(np.hypot(*X.T).tolist(), ours.tolist(), strict=True):
        squares = ((0.0, 0.5 - min(shift, 0.2)), (0.5 + min(shift, 0.2), 1.0))
        for (low, high), got in zip(squares, value, strict=True):

            def around(q: float, r: float = r) -> float:
                return q / noise**2 * math.exp(-((r - q) ** 2) / (2 * noise**2)) * ive(0, r * q / noise**2)

            a, b = math.sqrt(low), math.sqrt(high)
            wanted = quad(around, a, b, points=[min(max(r, a), b)], limit=400, epsabs=1e-12)[0]
            assert got == pytest.approx(wanted / (math.pi * (high - low)), abs=1e-8)


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_error_of_two_clouds_in_closed_form() -> None:
    """Two Gaussians at distance 2: Phi(-1 / s)."""
    law = Law("blobs", 0.7)
    X, y = law.draw(200_000, 1)
    risk, wanted = law.risk(X), float(ndtr(-1 / 0.7))
    assert abs(risk.mean() - wanted) < 4 * risk.std() / math.sqrt(len(risk))
    assert abs((law.bayes(X) != y).mean() - wanted) < 4 * math.sqrt(wanted / len(X))


@pytest.mark.parametrize("law", [LAWS[1], LAWS[4], LAWS[7], LAWS[9]], ids=name_of)
def test_no_model_is_better_than_the_ideal(law: Law) -> None:
    X, y = generate(law.name, 150, law.noise, 3, law.shift, law.n_classes)
    fresh, truth = law.draw(20_000, 9)
    risk = law.risk(fresh)
    ideal = (law.bayes(fresh) != truth).mean()
    assert abs(ideal - risk.mean()) < 4 * math.sqrt(max(ideal, 1e-4) / len(truth))
    for model in (KNeighborsClassifier(15), KNeighborsClassifier(1), SVC(C=1.0, gamma=4.0), Perceptron()):
        error = (model.fit(X, y).predict(fresh) != truth).mean()
        assert error >= risk.mean() - 3 * risk.std() / math.sqrt(len(truth))
        assert error >= ideal  # on the very same points, and by far more than random variation for models of 150 points


@given(st.integers(1, 10**6), st.data())
def test_wilson(thrown: int, data: st.DataObject) -> None:
    failures = data.draw(st.integers(0, thrown))
    wanted = binomtest(failures, thrown).proportion_ci(0.95, method="wilson")
    assert wilson(failures, thrown) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


# -- truth and draws ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, kind in DATASETS.items() if kind.truth is not None])
def test_true_classes_and_lines(name: str) -> None:
    X, y = generate(name, 4000, 0.0, 2)
    law = Law(name)
    clear = np.ones(len(X), dtype=bool)
    if name == "xor":
        clear = (np.abs(X) > 1e-6).all(axis=1)
    assert (law.truth.classes(X[clear]) == y[clear]).mean() > 0.9995
    assert (law.bayes(X[clear]) == y[clear]).mean() > 0.9995
    on_grid = law.truth.lines_on
    lines = on_grid(Grid(-2, 2, -1.5, 1.7, 4000, 3200)) if on_grid else law.truth.lines(-2.0, 2.0, -1.5, 1.7)
    assert np.nanmax(np.abs(lines)) <= 2.0
    before, after = lines[:-1], lines[1:]
    whole = ~np.isnan(before + after).any(axis=1)
    before, after = before[whole], after[whole]
    for share in np.linspace(0.03, 0.97, 13):
        across = (after - before)[:, ::-1] * (1, -1)
        aside = 1e-5 * across / np.hypot(*across.T)[:, None]
        middle = before + share * (after - before)
        keep = np.abs(np.abs(middle).min(axis=1)) > 1e-3  # no class changes across a crossing of two lines
        assert (law.truth.classes(middle + aside) != law.truth.classes(middle - aside))[keep].all()


@pytest.mark.parametrize("name", ["line", "circle", "xor", "chessboard"])
@examples(40)
@given(st.floats(-1.2, 1.2), st.floats(-1.2, 1.2), st.integers(-6, 1))
def test_true_lines_of_any_view(name: str, x: float, y: float, power: int) -> None:
    """Where the true class changes along the edge of a view, the line crosses it; it is no longer than necessary."""
    half = 10.0**power
    law, (left, right, bottom, top) = Law(name), (x - half, x + half, y - half, y + half)
    lines = law.truth.lines(left, right, bottom, top)
    share = np.linspace(0, 1, 1001)[:, None]
    corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top], [left, bottom]])
    for start, end in itertools.pairwise(corners):
        edge = start + share * (end - start)
        if name == "chessboard":
            edge = edge[(np.abs(edge) < 1).all(axis=1)]
        turns = np.flatnonzero(np.diff(law.truth.classes(edge))) if len(edge) else ()
        for turn in turns:
            middle = 0.5 * (edge[turn] + edge[turn + 1])
            assert _distance(lines, middle) <= 0.004 * half
    if len(lines):
        assert np.nanmax(np.abs(lines - (x, y))) <= 1.02 * half + (0.01 if name == "circle" else 0)


def _distance(lines: np.ndarray, location: np.ndarray) -> float:
    """Return the distance from a location to polylines."""
    a, b = lines[:-1], lines[1:]
    whole = ~np.isnan(a + b).any(axis=1)
    a, b = a[whole], b[whole]
    along = b - a
    t = np.clip(((location - a) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300), 0, 1)
    return float(np.hypot(*(a + t[:, None] * along - location).T).min(initial=np.inf))


def test_sets_without_a_truth() -> None:
    for name in ("moons", "blobs", "spirals"):
        law = Law(name, 0.1, n_classes=2)
        assert not law.has_truth
        with pytest.raises(ValueError, match="no true boundary"):
            law.truth.classes(np.zeros((1, 2)))


def test_draws_are_seeded() -> None:
    for law in (Law("moons", 0.1), Law("chessboard"), Law("blobs", 0.0, n_classes=3)):
        X, y = law.draw(100, (1, 2))
        again, labels = law.draw(100, (1, 2))
        other, _ = law.draw(100, (1, 3))
        assert (again == X).all() and (y == labels).all()
        assert (law.noise == 0.0 and law.name == "blobs") or not np.isin(other, X).all()
    assert [len(each) for each in Law("line", 0.1).draw(0, 1)] == [0, 0]


@pytest.mark.slow
def test_classes_that_are_out_of_the_question_may_be_left_out() -> None:
    """The ideal class and the risk use nearby arms only; the result equals that of all."""
    law = Law("spirals", 0.02, n_classes=6)
    X = np.random.default_rng(4).uniform(-1.3, 1.3, (3000, 2))
    logs = law.log_density(X)
    assert np.isfinite(logs).all() and (law.bayes(X) == logs.argmax(axis=1)).all()
    likely = np.exp(logs - logs.max(axis=1, keepdims=True))
    assert np.abs(law.posterior(X) - likely / likely.sum(axis=1, keepdims=True)).max() < 1e-12


FLIPPED = [
    Law("blobs", 0.5, n_classes=2, flipped=0.2),
    Law("blobs", 0.4, n_classes=4, flipped=0.5),
    Law("moons", 0.2, flipped=0.1),
    Law("line", 0.1, -0.3, flipped=0.3),
    Law("circle", flipped=0.15),
]


@pytest.mark.parametrize("law", FLIPPED, ids=name_of)
def test_flipped_labels_mix_the_classes(law: Law) -> None:
    X, y = law.draw(200_000, 5)
    plain, true = law.unflipped.draw(200_000, 5)
    assert np.array_equal(X, plain)
    share = float((y != true).mean())
    assert abs(share - law.flipped) < 5 * np.sqrt(law.flipped * (1 - law.flipped) / len(y))
    some = X[::97]
    other = law.flipped / (law.n_classes - 1)
    clean = np.exp(law.unflipped.log_density(some))
    mixed = (1 - law.flipped) * clean + other * (clean.sum(axis=1, keepdims=True) - clean)
    assert np.allclose(np.exp(law.log_density(some)), mixed, rtol=1e-12)
    assert np.allclose(law.posterior(some).sum(axis=1), 1)
    assert np.array_equal(law.bayes(some), law.unflipped.bayes(some))


@pytest.mark.parametrize("law", FLIPPED, ids=name_of)
def test_error_with_flipped_labels(law: Law) -> None:
    """In two ways: the ideal classifier counted on labelled points, and the mean risk; and as the formula says."""
    X, y = law.draw(20_000, 8)
    counted = float((law.bayes(X) != y).mean())
    risk, clean = float(law.risk(X).mean()), float(law.unflipped.risk(X).mean())
    assert abs(counted - risk) < 5 * np.sqrt(risk * (1 - risk) / len(y))
    k, e = law.n_classes, law.flipped
    assert risk == pytest.approx(e + (1 - e - e / (k - 1)) * clean, abs=1e-9)
    assert risk >= e


def test_where_no_class_has_points_flips_put_none() -> None:
    law = Law("line", shift=0.5, flipped=0.2)
    nowhere = np.array([[0.0, 0.0], [5.0, 5.0]])
    assert (law.log_density(nowhere) == -np.inf).all() and (law.bayes(nowhere) == -1).all()
    assert (law.risk(nowhere) == 0).all()


def test_a_law_with_too_many_flips_is_none() -> None:
    with pytest.raises(ValueError, match="flipped"):
        Law("moons", 0.1, flipped=0.6)


@by_name
def test_1nn_with_ever_more_points_lies_between_the_bayes_error_and_cover_and_harts_bound(law: Law) -> None:
    X, _ = law.draw(4000, 5)
    ideal, nearest = law.risks(X)
    bounds = np.array([cover_hart(risk, law.n_classes) for risk in ideal.tolist()])
    assert (ideal <= nearest + 1e-12).all() and (nearest <= bounds + 1e-12).all()  # at each point, and so on average
    assert nearest.mean() <= cover_hart(float(ideal.mean()), law.n_classes)


def test_cover_and_harts_bound_is_reached_where_posteriors_are_the_same_everywhere() -> None:
    law = Law("blobs", 0.02, n_classes=5, flipped=0.2)  # five distant classes: only the flips are wrong
    ideal, nearest = law.risks(law.draw(500, 1)[0])
    assert np.allclose(ideal, 0.2) and np.allclose(nearest, 1.0 - 0.8**2 - 4 * 0.05**2)
    assert cover_hart(0.2, 5) == pytest.approx(1.0 - 0.8**2 - 4 * 0.05**2)
    assert cover_hart(0.0, 3) == 0.0 and cover_hart(2 / 3, 3) == pytest.approx(2 / 3)  # nothing can be learnt


def test_1nn_approaches_its_limit_and_a_larger_k_the_bayes_error() -> None:
    law = Law("moons", 0.3)
    X, y = law.draw(8000, 1)
    tests, wanted = law.draw(20_000, 2)
    ideal, nearest = (float(each.mean()) for each in law.risks(tests))
    error = {k: float((KNeighborsClassifier(k).fit(X, y).predict(tests) != wanted).mean()) for k in (1, 99)}
    assert abs(error[1] - nearest) < 0.01 and abs(error[99] - ideal) < 0.006
    assert ideal + 0.02 < nearest < cover_hart(ideal, 2) - 0.02
