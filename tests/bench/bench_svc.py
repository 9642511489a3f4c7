"""Speed of SVC training and of its pictures against scikit-learn: ``python -m tests.bench.bench_svc``.

Every ratio is of medians of one run, the two programs running in turn, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets, svm
from sklearn.metrics.pairwise import laplacian_kernel
from threadpoolctl import threadpool_limits

from solver.data.datasets import generate
from solver.kernels.surface import Grid
from solver.kernels.table import Kernel
from solver.svm.auto import AutoSolver
from solver.svm.smo import SmoSolver
from solver.svm.svc import SVC

Array = NDArray[np.float64]
REPEATS = 5


def medians(programs: list[Callable[[], Any]], repeats: int = REPEATS) -> list[float]:
    """Return the median seconds of each program, running in turn, after one run of each that is not counted."""
    seconds = np.empty((repeats + 1, len(programs)))
    for turn in seconds:
        for i, program in enumerate(programs):
            start = time.perf_counter()
            program()
            turn[i] = time.perf_counter() - start
    return [float(value) for value in np.median(seconds[1:], axis=0)]


def training_set(shape: str, n: int) -> tuple[Array, Array]:
    """Return `n` points of the plane: a 4x4 chessboard, noisy crescents ("banana") or two overlapping blobs."""
    rng = np.random.default_rng(n)
    if shape == "chessboard":
        X = rng.uniform(0.0, 4.0, (n, 2))
        return X, np.where(np.floor(X).sum(axis=1) % 2 == 0, 1.0, -1.0)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    if shape == "blobs":
        return rng.normal(0.0, 1.0, (n, 2)) + 0.75 * y[:, None], y
    angle = rng.uniform(0.0, np.pi, n)
    X = np.column_stack([np.cos(angle) - 0.5 * (y < 0), y * np.sin(angle) - 0.25 * y])
    return 1.5 * (X + rng.normal(0.0, 0.25, (n, 2))), y


def dual(X: Array, kernel: Kernel, coef: Array, support: NDArray[np.int32]) -> float:
    """Return the dual objective of a fitted model, in blocks of rows so that memory stays small."""
    value = float(np.abs(coef).sum())
    for s in range(0, len(support), 500):
        value -= 0.5 * float(coef[s : s + 500] @ kernel.gram(X[support[s : s + 500]], X[support]) @ coef)
    return value


PROBLEMS = (
    ("chessboard", 500, "rbf", 1000.0, 0.5),
    ("chessboard", 2000, "rbf", 100.0, 2.0),
    ("chessboard", 5000, "rbf", 1000.0, 0.5),
    ("chessboard", 5000, "rbf", 10.0, 2.0),
    ("chessboard", 20_000, "rbf", 10.0, 2.0),
    ("banana", 500, "rbf", 1.0, 1.0),
    ("banana", 5000, "rbf", 1.0, 1.0),
    ("banana", 5000, "rbf", 100.0, 1.0),
    ("banana", 20_000, "rbf", 1.0, 1.0),
    ("blobs", 2000, "linear", 1.0, 1.0),
    ("blobs", 2000, "poly", 1.0, 1.0),
)


def training() -> None:
    """Measure a cold fit of both on the same problems; the dual objectives show that neither stops early."""
    print(f"cold fit, tol 1e-3, scikit-learn with a cache of 500 MB, ours with 200 MB, medians of {REPEATS}")
    print(
        "data        kernel         C  gamma      n   seconds  scikit-learn  times faster   updates    theirs"
        "  (their D - ours)/D"
    )
    ratios = []
    for shape, n, name, C, gamma in PROBLEMS:
        X, y = training_set(shape, n)
        ours = SVC(C, name, gamma=gamma, coef0=1.0)
        theirs = svm.SVC(C=C, kernel=name, gamma=gamma, coef0=1.0, cache_size=500)
        mine, his = medians(
            [lambda m=ours, X=X, y=y: m.fit(X, y), lambda m=theirs, X=X, y=y: m.fit(X, y)], REPEATS if n < 20_000 else 3
        )
        kernel = Kernel(name, gamma, 1.0)
        D = dual(X, kernel, ours.dual_coef_[0], ours.support_)
        other = dual(X, kernel, theirs.dual_coef_[0], theirs.support_)
        ratios.append(his / mine)
        print(
            f"{shape:11s} {name:8s} {C:7g} {gamma:6g} {n:6d} {mine:9.4f} {his:13.4f} {his / mine:13.2f}"
            f" {ours.n_iter_[0]:9d} {theirs.n_iter_[0]:9d}  {(other - D) / D:+.1e}",
            flush=True,
        )
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")


#: Problems for which plain SMO needs from 10^5 to more than 10^7 updates; (shape, n, kernel, C, gamma).
HARD = (
    ("blobs", 2000, "linear", 1e4, 1.0),
    ("blobs", 5000, "linear", 1e4, 1.0),
    ("blobs", 2000, "poly", 100.0, 1.0),
    ("blobs", 5000, "poly", 1.0, 1.0),
    ("banana", 5000, "rbf", 1e4, 0.1),
    ("banana", 2000, "rbf", 1e4, 3.0),
    ("blobs", 2000, "rbf", 1000.0, 1.0),
    ("chessboard", 20_000, "rbf", 1000.0, 0.5),
    ("banana", 2000, "laplacian", 1e4, 0.1),
)
#: Duration (s) from which the second run of a program is omitted.
PATIENCE = 3.0


def real_data() -> None:
    """Print the speed of fits on scikit-learn's own tables, which have more columns and classes."""
    print("\nreal data, standardised (digits: 0 to 1), default tolerance, medians; predictions agree on 99 % at least")
    print("table          kernel        C      ours ms  scikit-learn ms  times faster")
    ratios = []
    for name in ("iris", "wine", "breast_cancer", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        spread = X.std(axis=0)
        X = X / 16.0 if name == "digits" else (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        for kernel, C in product(("linear", "poly", "rbf"), (1.0, 100.0)):
            ours, theirs = SVC(kernel=kernel, C=C), svm.SVC(kernel=kernel, C=C, cache_size=500)
            seconds, libsvm = medians([partial(ours.fit, X, y), partial(theirs.fit, X, y)], 15)
            agreed = np.mean(ours.predict(X) == theirs.predict(X))
            assert agreed > 0.99, (name, kernel, C, agreed)
            ratios.append(libsvm / seconds)
            print(
                f"{name:14s} {kernel:8s} {C:6g} {1e3 * seconds:12.2f} {1e3 * libsvm:16.2f} {ratios[-1]:13.2f}",
                flush=True,
            )
    print(f"mean {np.mean(ratios):.2f}, geometric mean {np.exp(np.mean(np.log(ratios))):.2f}, least {min(ratios):.2f}")


def auto() -> None:
    """Measure ``solver="auto"`` against "smo" and scikit-learn: hard problems first, then those of `training`."""
    print('\ncold fits, tol 1e-3, medians: "auto", "smo", and scikit-learn (cache of 500 MB), 10^7 updates at most')
    print(
        "data        kernel          C  gamma      n      auto       smo  scikit-learn  x smo  x theirs  updates"
        "       smo    theirs  (smo D - D)/D  (their D - D)/D  auto, smo are"
    )
    for shape, n, name, C, gamma in (*HARD, *PROBLEMS):
        X, y = training_set(shape, n)
        models = [SVC(C, name, gamma=gamma, coef0=1.0, solver=solver) for solver in ("auto", "smo")]
        if name != "laplacian":  # scikit-learn has no such kernel
            models.append(svm.SVC(C=C, kernel=name, gamma=gamma, coef0=1.0, cache_size=500, max_iter=10_000_000))
        seconds: list[list[float]] = [[] for _ in models]
        for _ in range(REPEATS if n < 20_000 else 3):
            for model, taken in zip(models, seconds, strict=True):
                if sum(taken) < PATIENCE:
                    start = time.perf_counter()
                    with warnings.catch_warnings(action="ignore"):
                        model.fit(X, y)
                    taken.append(time.perf_counter() - start)
        median = [float(np.median(taken)) for taken in seconds] + [np.nan] * (3 - len(models))
        D = [dual(X, Kernel(name, gamma, 1.0), model.dual_coef_[0], model.support_) for model in models]
        D += [np.nan] * (3 - len(models))
        updates = [int(model.n_iter_[0]) for model in models] + [0] * (3 - len(models))
        print(
            f"{shape:11s} {name:9s} {C:7g} {gamma:6g} {n:6d} {median[0]:9.4f} {median[1]:9.4f} {median[2]:13.4f}"
            f" {median[1] / median[0]:6.2f} {median[2] / median[0]:9.2f} {updates[0]:8d} {updates[1]:9d}"
            f" {updates[2]:9d}  {(D[1] - D[0]) / D[0]:+13.1e}  {(D[2] - D[0]) / D[0]:+15.1e}"
            f"  {models[0].certificate_.status}, {models[1].certificate_.status}",
            flush=True,
        )


def refits() -> None:
    """Measure refits after one of 500 moons points has moved, with the earlier solver, against a cold fit by LIBSVM.

    The solver moves the point back, untimed, before the next one: each of the 50 refits is that of one point.  Means
    show the points with weight, and the steps for them.
    """
    X, labels = generate("moons", 250, noise=0.2, seed=1)
    y = np.where(labels > 0, 1.0, -1.0)
    print("\nrefit after one of 500 points moved, 50 different points, in time of the processor")
    print(
        "solver      C  gamma  median ms  scikit-learn cold  times faster  mean ms  scikit-learn  times faster"
        "  mean updates  (their D - ours)/D at worst"
    )
    for kind in (SmoSolver, AutoSolver):
        ratios = []
        for C, gamma in ((1.0, 1.0), (10.0, 2.0), (1000.0, 2.0)):
            kernel = Kernel("rbf", gamma)
            solver = kind(X, y, kernel, C=C)
            solver.run()
            seconds, updates, worst = [], [], -np.inf
            rng = np.random.default_rng(0)
            for turn, point in enumerate([0, *rng.choice(len(X), 50, replace=False)]):
                moved = X.copy()
                moved[point] += rng.normal(0.0, 0.2, 2) if turn else 0.1  # the first one loads machine code
                start = time.thread_time()
                solver.move_points(moved)
                solver.run()
                middle = time.thread_time()
                theirs = svm.SVC(C=C, gamma=gamma, cache_size=500).fit(moved, y)
                end = time.thread_time()
                if turn:
                    seconds.append((middle - start, end - middle))
                    updates.append(solver.n_iter)
                    other = dual(moved, kernel, theirs.dual_coef_[0], theirs.support_)
                    worst = max(worst, (other - solver.dual) / solver.dual)
                solver.move_points(X)
                solver.run()
            mine, his = np.median(seconds, axis=0)
            my_mean, his_mean = np.mean(seconds, axis=0)
            ratios.append((his / mine, his_mean / my_mean))
            print(
                f"{kind.__name__:10s} {C:4g} {gamma:6g} {1e3 * mine:10.3f} {1e3 * his:18.3f} {his / mine:13.1f}"
                f" {1e3 * my_mean:8.3f} {1e3 * his_mean:13.3f} {his_mean / my_mean:13.1f} {np.mean(updates):13.0f}"
                f"  {worst:+.1e}"
            )
        of_medians, of_means = np.exp(np.mean(np.log(ratios), axis=0))
        print(f"{kind.__name__}, geometric mean: of medians {of_medians:.1f}, of means {of_means:.1f} times faster")


def stops() -> None:
    """Measure the time from a stop request to the return of `step`: the longest piece of a whole training."""
    print("\nlongest time between two looks at `stop`, over a whole training (RBF, gamma 1)")
    for n, C in ((5000, 100.0), (20_000, 1.0), (20_000, 100.0)):
        X, y = training_set("banana", n)
        solver = SmoSolver(X, y, Kernel("rbf", 1.0), C=C)
        looks = [time.perf_counter()]

        def look(looks: list[float] = looks) -> bool:
            looks.append(time.perf_counter())
            return looks[-1] - looks[0] > 20.0

        solver.step(10**9, stop=look)
        print(
            f"n = {n:6d}, C = {C:5g}: longest {1e3 * np.diff(looks).max():6.2f} ms of {len(looks)} pieces in "
            f"{looks[-1] - looks[0]:.1f} s, {solver.status}"
        )


def memory() -> None:
    """Measure a training of 100 000 points: the row cache stays at its bound, everything else grows with n."""
    code = (
        "from tests.bench.bench_svc import training_set; from solver import SVC;"
        "X, y = training_set('banana', {n}); m = SVC(1.0, gamma=1.0).fit(X, y);"
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1];"
        "print(int(peak) // 1024, m.n_iter_[0], m.certificate_.status)"
    )
    print("\npeak memory, scikit-learn's imports included")
    for n in (1000, 100_000):
        done = subprocess.run([sys.executable, "-c", code.format(n=n)], capture_output=True, text=True)
        print(f"n = {n:6d}: MB, updates, status: {done.stdout.strip() or done.stderr[-200:]}")


def pictures() -> None:
    """Measure the decision function on 640 x 480 pixels; scikit-learn on the same 307200 points.

    Both on one thread: scikit-learn has no more here, and with two threads of BLAS on two cores any other busy process
    delays every matrix product.
    """
    grid = Grid(-4.0, 4.0, -3.0, 3.0, 640, 480)
    xs, ys = grid.xs, grid.ys
    points = np.column_stack([np.tile(xs, grid.height), np.repeat(ys, grid.width)])
    print("\npicture of 640 x 480 pixels, one thread, medians")
    print("kernel       support vectors        ms  scikit-learn ms  times faster  of the bare product  difference")
    for name, n, degree in (
        ("rbf", 500, 3),
        ("laplacian", 500, 3),
        ("poly", 500, 3),
        ("poly", 2000, 3),
        ("poly", 500, 9),
        ("linear", 500, 3),
        ("sigmoid", 500, 3),
    ):
        X, y = training_set("banana", n)
        shape = {"gamma": 0.1 if name in ("poly", "sigmoid") else 1.0, "coef0": 1.0, "degree": degree}
        model = SVC(1.0, name, tol=1e-5, **shape).fit(X, y)
        if name == "laplacian":  # scikit-learn's SVC has no Laplacian: its callable kernel is the nearest equivalent
            theirs = svm.SVC(C=1.0, kernel=lambda A, B: laplacian_kernel(A, B, gamma=1.0), tol=1e-5).fit(X, y)
        else:
            theirs = svm.SVC(C=1.0, kernel=name, tol=1e-5, **shape).fit(X, y)
        answer: dict[str, Array] = {}

        def draw(model: SVC = model, answer: dict[str, Array] = answer) -> None:
            answer["ours"] = model.surface(xs, ys)

        def evaluate(model: svm.SVC = theirs, answer: dict[str, Array] = answer) -> None:
            answer["theirs"] = model.decision_function(points)

        down, across = np.ones((grid.height, len(model.support_))), np.ones((len(model.support_), grid.width))
        with threadpool_limits(1):
            (his,) = medians([evaluate], 2)
            mine, bare = medians([draw, lambda down=down, across=across: down @ across], 31 if name != "sigmoid" else 2)
        difference = np.abs(answer["ours"].ravel() - answer["theirs"]).max()
        title = f"{name} {degree}" if name == "poly" else name
        print(
            f"{title:12s} {len(model.support_):15d} {1e3 * mine:9.2f} {1e3 * his:16.1f} {his / mine:13.0f}"
            f" {mine / bare:20.2f}  {difference:.1e}",
            flush=True,
        )


def predictions() -> None:
    """Measure `decision_function` at 20 000 queries, all on one core, and its memory beside the result."""
    print("decision_function at 20 000 queries, banana, C = 0.001, gamma 1, one core")
    print("kernel      support vectors     ours s  scikit-learn s  times faster  ours MB  largest difference")
    X, y = training_set("banana", 6000)
    queries = training_set("banana", 20_000)[0]
    for name in ("rbf", "poly", "sigmoid", "linear"):
        parameters: dict[str, Any] = {"kernel": name, "C": 0.001, "gamma": 1.0, "degree": 3}
        model, theirs = SVC(**parameters).fit(X, y), svm.SVC(**parameters).fit(X, y)
        with threadpool_limits(1):
            mine, his = medians([partial(each.decision_function, queries) for each in (model, theirs)], 3)
        tracemalloc.start()
        answer = model.decision_function(queries)
        peak = tracemalloc.get_traced_memory()[1] - answer.nbytes
        tracemalloc.stop()
        difference = np.abs(answer - theirs.decision_function(queries)).max()
        print(
            f"{name:11s} {len(model.support_):15d} {mine:10.4f} {his:15.4f} {his / mine:13.1f} {peak / 1e6:8.1f}"
            f"  {difference:.1e}",
            flush=True,
        )


def run() -> None:
    """Print all measurements."""
    training()
    real_data()
    auto()
    refits()
    stops()
    memory()
    pictures()
    predictions()


if __name__ == "__main__":
    run()
