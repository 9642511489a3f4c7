"""Speed of SVC training and of its pictures against scikit-learn: ``python -m tests.bench.bench_svc``.

Every ratio is of medians of one run, the two programs taking turns, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import svm
from sklearn.metrics.pairwise import laplacian_kernel
from threadpoolctl import threadpool_limits

from solver.kernels import Kernel
from solver.surface import Grid
from solver.svc import SVC

Array = NDArray[np.float64]
REPEATS = 5


def medians(programs: list[Callable[[], Any]], repeats: int = REPEATS) -> list[float]:
    """Median seconds of each program, taking turns, after one run of each that does not count."""
    seconds = np.empty((repeats + 1, len(programs)))
    for turn in seconds:
        for i, program in enumerate(programs):
            start = time.perf_counter()
            program()
            turn[i] = time.perf_counter() - start
    return [float(value) for value in np.median(seconds[1:], axis=0)]


def training_set(shape: str, n: int) -> tuple[Array, Array]:
    """Noisy crescents, or a noisy chessboard of 16 fields, in about [-1, 1]^2."""
    rng = np.random.default_rng(n)
    if shape == "chessboard":
        X = rng.uniform(-1.0, 1.0, (n, 2))
        y = np.where(np.floor(2 * X).sum(axis=1) % 2 == 0, 1.0, -1.0)
        return X, np.where(rng.uniform(size=n) < 0.05, -y, y)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    angle = rng.uniform(0.0, np.pi, n)
    X = np.column_stack([np.cos(angle) - 0.5 * (y < 0), y * np.sin(angle) - 0.25 * y])
    return 0.6 * (X + rng.normal(0.0, 0.25, (n, 2))), y


def dual(X: Array, y: Array, kernel: Kernel, coef: Array, support: NDArray[np.int32]) -> float:
    """The dual objective of a fitted model."""
    return float(np.abs(coef).sum() - 0.5 * coef @ kernel.gram(X[support], X[support]) @ coef)


def training() -> None:
    """Fit both on the same problems; the dual objectives show that neither stops early."""
    print(f"training, tol 1e-3, scikit-learn with a cache of 500 MB, medians of {REPEATS}")
    print("data        kernel         C      n   seconds  scikit-learn  times faster  updates  (their D - ours)/D")
    ratios = []
    for shape, name, gamma, C in (
        ("crescents", "rbf", 2.0, 1.0), ("crescents", "rbf", 2.0, 1000.0), ("chessboard", "rbf", 20.0, 10.0),
        ("chessboard", "rbf", 20.0, 1000.0), ("crescents", "poly", 1.0, 1.0), ("crescents", "linear", 1.0, 1.0),
    ):  # fmt: skip
        for n in (200, 1000, 5000):
            X, y = training_set(shape, n)
            ours = SVC(C, name, gamma=gamma, coef0=1.0)
            theirs = svm.SVC(C=C, kernel=name, gamma=gamma, coef0=1.0, cache_size=500)
            mine, his = medians(
                [lambda m=ours, X=X, y=y: m.fit(X, y), lambda m=theirs, X=X, y=y: m.fit(X, y)],
                REPEATS if n < 5000 else 3,
            )
            kernel = Kernel(name, gamma, 1.0)
            D = dual(X, y, kernel, ours.dual_coef_[0], ours.support_)
            other = dual(X, y, kernel, theirs.dual_coef_[0], theirs.support_)
            ratios.append(his / mine)
            print(
                f"{shape:11s} {name:8s} {C:7g} {n:6d} {mine:9.4f} {his:13.4f} {his / mine:13.2f} {ours.n_iter_[0]:8d}"
                f"  {(other - D) / D:+.1e}",
                flush=True,
            )
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")


def pictures() -> None:
    """The decision function on 640 x 480 pixels; scikit-learn on the same 307200 points.

    Both on one thread: scikit-learn has no more here, and with two threads of BLAS on two cores any other busy process
    makes every matrix product wait for a turn of the scheduler.
    """
    grid = Grid(-1.6, 1.6, -1.2, 1.2, 640, 480)
    xs, ys = grid.xs, grid.ys
    points = np.column_stack([np.tile(xs, grid.height), np.repeat(ys, grid.width)])
    print("\npicture of 640 x 480 pixels, one thread, medians")
    print("kernel       support vectors        ms  scikit-learn ms  times faster  largest difference")
    for name, n, C, degree in (
        ("rbf", 365, 1.0, 3), ("laplacian", 365, 1.0, 3), ("poly", 365, 1.0, 3), ("poly", 365, 1.0, 9),
        ("linear", 365, 1.0, 3),
    ):  # fmt: skip
        X, y = training_set("crescents", n)
        shape = {"gamma": 1.0, "coef0": 1.0, "degree": degree}
        model = SVC(C, name, tol=1e-6, **shape).fit(X, y)
        if name == "laplacian":  # scikit-learn's SVC has no Laplacian: its callable kernel is the nearest equivalent
            theirs = svm.SVC(C=C, kernel=lambda A, B: laplacian_kernel(A, B, gamma=1.0), tol=1e-6).fit(X, y)
        else:
            theirs = svm.SVC(C=C, kernel=name, tol=1e-6, **shape).fit(X, y)
        answer: dict[str, Array] = {}

        def draw(model: SVC = model, answer: dict[str, Array] = answer) -> None:
            answer["ours"] = model.surface(xs, ys)

        def evaluate(model: svm.SVC = theirs, answer: dict[str, Array] = answer) -> None:
            answer["theirs"] = model.decision_function(points)

        with threadpool_limits(1):
            (his,) = medians([evaluate], 2)
            (mine,) = medians([draw], 15)
        difference = np.abs(answer["ours"].ravel() - answer["theirs"]).max()
        title = f"{name} {degree}" if name == "poly" else name
        print(
            f"{title:12s} {len(model.support_):15d} {1e3 * mine:9.2f} {1e3 * his:16.1f} {his / mine:13.0f}"
            f"  {difference:.1e}",
            flush=True,
        )


def run() -> None:
    """Print all measurements."""
    training()
    pictures()


if __name__ == "__main__":
    run()
