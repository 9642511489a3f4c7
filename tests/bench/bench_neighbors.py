"""Speed of nearest neighbours, picture and scattered queries: ``python -m tests.bench.bench_neighbors``.

Against scikit-learn and scipy.  Every line is measured at once, the three programs running in turn, so that a busy
machine disturbs all of them alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import KNeighborsClassifier as Reference

from solver.knn.neighbors import KNeighborsClassifier

WIDTH, HEIGHT, BLOCK, REPEATS = 640, 480, 32, 3


def medians(programs: list[Callable[[], Any]]) -> list[float]:
    """Return the median seconds of each program, running in turn."""
    seconds = np.empty((REPEATS, len(programs)))
    for turn in seconds:
        for i, program in enumerate(programs):
            start = time.perf_counter()
            program()
            turn[i] = time.perf_counter() - start
    return [float(value) for value in np.median(seconds, axis=0)]


def classes_in_blocks(model: KNeighborsClassifier, xs: np.ndarray, ys: np.ndarray) -> list[Any]:
    """Compute the compact picture as the window requests it: some rows at a time."""
    rows = model.surface_classes_on(xs)
    return [rows(ys[j : j + BLOCK]) for j in range(0, len(ys), BLOCK)]


def run() -> None:
    """Measure the picture, a million points, scattered queries, and many features."""
    pictures()
    million()
    scattered()
    features()


def pictures() -> None:
    """Print seconds and ratios for n in {200, 2000, 20000} and k in {1, 5, 15, 51}.

    The labels are those of two regions; the last column repeats the picture with random labels, the worst case.
    """
    rng = np.random.default_rng(0)
    xs, ys = np.linspace(-1, 1, WIDTH), np.linspace(-1, 1, HEIGHT)
    queries = np.column_stack([np.tile(xs, HEIGHT), np.repeat(ys, WIDTH)])
    ratios = []
    print(f"{WIDTH} x {HEIGHT} pixels, uniform votes, medians of {REPEATS}: seconds, and how many times faster")
    print("    n   k  picture  16 rows  classes  scikit-learn     ratio   cKDTree(2)     ratio  equal   random")
    for n in (200, 2000, 20000):
        X = rng.uniform(-1, 1, (n, 2))
        y = (X[:, 1] > X[:, 0]).astype(int)
        tree = cKDTree(X)
        for k in (1, 5, 15, 51):
            own, other = KNeighborsClassifier(k).fit(X, y), Reference(k).fit(X, y)
            equal = np.array_equal(own.surface(xs, ys).reshape(-1, 2), other.predict_proba(queries))
            rows = own.surface_on(xs)
            mixed = KNeighborsClassifier(k).fit(X, rng.integers(0, 2, n))
            picture, block, classes, random, sklearn, scipy = medians(
                [
                    partial(own.surface, xs, ys),
                    partial(rows, ys[:16]),
                    partial(classes_in_blocks, own, xs, ys),
                    partial(mixed.surface, xs, ys),
                    partial(other.predict_proba, queries),
                    partial(tree.query, queries, k=k, workers=2),
                ]
            )
            ratios.append((sklearn / picture, scipy / picture))
            print(
                f"{n:5d} {k:3d} {picture:8.4f} {block:8.4f} {classes:8.4f} {sklearn:13.3f} {ratios[-1][0]:9.1f} "
                f"{scipy:12.3f} {ratios[-1][1]:9.1f}  {'yes' if equal else 'NO':5s} {random:8.4f}"
            )
    means = np.exp(np.log(ratios).mean(axis=0))
    print(f"geometric means: {means[0]:.1f} times scikit-learn, {means[1]:.1f} times cKDTree with two workers")


def million() -> None:
    """Print seconds from a million points to their picture, its rows in two threads."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10**6, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=len(X)) > 0).astype(int)
    xs, ys = np.linspace(-3, 3, WIDTH), np.linspace(-2.5, 2.5, HEIGHT)

    def show(k: int) -> None:
        rows = KNeighborsClassifier(k).fit(X, y).surface_classes_on(xs)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(rows, np.split(ys, HEIGHT // BLOCK)))

    show(1)
    for k in (1, 5, 50):
        start = time.process_time()
        seconds = medians([partial(show, k)])[0]
        busy = (time.process_time() - start) / REPEATS
        print(f"10^6 points, k = {k}: fit and {WIDTH} x {HEIGHT} picture in {seconds:.2f} s, {busy:.2f} s of processor")


def scattered() -> None:
    """Print times of scattered queries for n from 10^3 to 10^6, against scikit-learn's tree and cKDTree in one thread.

    Times are those of the thread, so that other processes disturb less; the last column is of two threads.
    """
    rng = np.random.default_rng(0)
    print("scattered queries: microseconds each, times scikit-learn and cKDTree (lowest to highest of the turns)")
    print(
        "      n   k     proba  scikit-learn        neighbors  scikit-learn         cKDTree    left out   two threads"
    )
    for n in (10**3, 10**4, 10**5, 10**6):
        X = rng.normal(size=(n, 2))
        y = (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)
        queries = rng.normal(size=(min(n, 50_000), 2))
        rows = np.arange(len(queries))
        tree = cKDTree(X)
        for k in (1, 5, 50):
            own, other = KNeighborsClassifier(k).fit(X, y), Reference(k).fit(X, y)
            pair = Reference(k, n_jobs=2).fit(X, y)
            programs: list[Callable[[], Any]] = [
                partial(own.predict_proba, queries),
                partial(other.predict_proba, queries),
                partial(own.kneighbors, queries),
                partial(other.kneighbors, queries),
                partial(tree.query, queries, k=k),
                partial(own.leave_one_out, rows),
            ]
            programs[0](), programs[2]()
            turns = np.array([[_cpu(program) for program in programs] for _ in range(REPEATS)]) / len(queries) * 1e6
            proba, _, near, _, _, left = np.median(turns, axis=0)
            versus = [turns[:, 1] / turns[:, 0], turns[:, 3] / turns[:, 2], turns[:, 4] / turns[:, 2]]
            proba_ratio, near_ratio, tree_ratio = (f"{np.median(v):5.1f} ({v.min():.1f}-{v.max():.1f})" for v in versus)
            halves, both = medians([partial(_in_two, own, queries), partial(pair.predict_proba, queries)])
            print(
                f"{n:7d} {k:3d} {proba:9.2f} {proba_ratio:>16s} {near:9.2f} {near_ratio:>16s} {tree_ratio:>16s} "
                f"{left:8.2f} {both / halves:8.1f}",
                flush=True,
            )


def features() -> None:
    """Print how many times faster than scikit-learn `fit` and 1, 64 and 500 queries are, in 2 to 50 dimensions.

    Times are those of the process, as scikit-learn has two threads here.
    """
    rng = np.random.default_rng(0)
    print("processor time of scikit-learn / ours, best of 3\n      n   d    fit    one query   64 queries  500 queries")
    for n, d in product((10**3, 10**4, 10**5), (2, 5, 10, 20, 50)):
        X = rng.normal(size=(n, d))
        y = (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)
        queries = rng.normal(size=(500, d))
        own, other = KNeighborsClassifier().fit(X, y), Reference().fit(X, y)
        assert np.array_equal(own.predict(queries), other.predict(queries))
        ratios = [_ratio(partial(Reference().fit, X, y), partial(KNeighborsClassifier().fit, X, y))]
        ratios += [_ratio(partial(other.predict, queries[:m]), partial(own.predict, queries[:m])) for m in (1, 64, 500)]
        print(f"{n:7d} {d:3d} {ratios[0]:6.2f} {ratios[1]:12.2f} {ratios[2]:12.2f} {ratios[3]:12.2f}", flush=True)


def _ratio(theirs: Callable[[], Any], ours: Callable[[], Any]) -> float:
    """Return the quotient of the processor seconds of the process, the best of 3 turns each."""
    best = [np.inf, np.inf]
    for _ in range(REPEATS):
        for i, program in enumerate((theirs, ours)):
            start = time.process_time()
            program()
            best[i] = min(best[i], time.process_time() - start)
    return best[0] / best[1]


def _cpu(program: Callable[[], Any]) -> float:
    """Return the processor seconds of this thread."""
    start = time.thread_time()
    program()
    return time.thread_time() - start


def _in_two(model: KNeighborsClassifier, queries: np.ndarray) -> None:
    """Run half of the queries in each of two threads."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(model.predict_proba, np.array_split(queries, 2)))


if __name__ == "__main__":
    run()
