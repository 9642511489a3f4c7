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

from solver.knn.neighbors import KNeighborsClassifier

WIDTH, HEIGHT, BLOCK, REPEATS = 640, 480, 32, 3


def medians(programs: list[Callable[[], Any]]) -> list[float]:
    """Median seconds of each program, taking turns."""
    seconds = np.empty((REPEATS, len(programs)))
    for turn in seconds:
        for i, program in enumerate(programs):
            start = time.perf_counter()
            program()
            turn[i] = time.perf_counter() - start
    return [float(value) for value in np.median(seconds, axis=0)]


def classes_in_blocks(model: KNeighborsClassifier, xs: np.ndarray, ys: np.ndarray) -> list[Any]:
    """The compact picture as the window asks for it: some rows at a time."""
    rows = model.surface_classes_on(xs)
    return [rows(ys[j : j + BLOCK]) for j in range(0, len(ys), BLOCK)]


def run() -> None:
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


if __name__ == "__main__":
    run()
