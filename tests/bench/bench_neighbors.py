"""Speed of the nearest-neighbour picture: ``python -m tests.bench.bench_neighbors``.

Against scikit-learn and scipy.  Every line is measured in one go, the three programs taking turns, so that a
busy machine disturbs all of them alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import KNeighborsClassifier as Reference

from solver.neighbors import KNeighborsClassifier

WIDTH, HEIGHT, REPEATS = 640, 480, 3


def medians(programs: list[Callable[[], Any]]) -> list[float]:
    """Median seconds of each program, taking turns."""
    seconds = np.empty((REPEATS, len(programs)))
    for turn in seconds:
        for i, program in enumerate(programs):
            start = time.perf_counter()
            program()
            turn[i] = time.perf_counter() - start
    return [float(value) for value in np.median(seconds, axis=0)]


def run() -> None:
    """Print seconds and ratios for n in {200, 2000, 20000} and k in {1, 5, 15, 51}."""
    rng = np.random.default_rng(0)
    xs, ys = np.linspace(-1, 1, WIDTH), np.linspace(-1, 1, HEIGHT)
    queries = np.column_stack([np.tile(xs, HEIGHT), np.repeat(ys, WIDTH)])
    ratios = []
    print(f"{WIDTH} x {HEIGHT} pixels, uniform votes, medians of {REPEATS}: seconds, and how many times faster")
    print("    n   k  picture  16 rows  scikit-learn     ratio   cKDTree(2)     ratio  equal")
    for n in (200, 2000, 20000):
        X = rng.uniform(-1, 1, (n, 2))
        y = (X[:, 1] > X[:, 0]).astype(int)
        tree = cKDTree(X)
        for k in (1, 5, 15, 51):
            own, other = KNeighborsClassifier(k).fit(X, y), Reference(k).fit(X, y)
            equal = np.array_equal(own.surface(xs, ys).reshape(-1, 2), other.predict_proba(queries))
            rows = own.surface_on(xs)
            picture, block, sklearn, scipy = medians([
                partial(own.surface, xs, ys),
                partial(rows, ys[:16]),
                partial(other.predict_proba, queries),
                partial(tree.query, queries, k=k, workers=2),
            ])  # fmt: skip
            ratios.append((sklearn / picture, scipy / picture))
            print(f"{n:5d} {k:3d} {picture:8.4f} {block:8.4f} {sklearn:13.3f} {ratios[-1][0]:9.1f} "
                  f"{scipy:12.3f} {ratios[-1][1]:9.1f}  {'yes' if equal else 'NO'}")  # fmt: skip
    means = np.exp(np.log(ratios).mean(axis=0))
    print(f"geometric means: {means[0]:.1f} times scikit-learn, {means[1]:.1f} times cKDTree with two workers")


if __name__ == "__main__":
    run()
