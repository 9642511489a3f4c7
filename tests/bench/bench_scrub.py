"""Going to and fro in a long training: the cost of a jump to any step, and of a new training up to there.

The peer is scikit-learn, fitted again with `max_iter` = the step: without checkpoints that is the only way.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from statistics import median

import numpy as np
from numpy.typing import NDArray
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from solver.kernels.table import Kernel
from solver.recording import Recording
from solver.svm.smo import SmoSolver

N, GAMMA, C = 500, 10.0, 1e4
JUMPS, REFITS = 100, 20


def problem() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a 4x4 chessboard with one point in twenty on the wrong side: some 100 000 updates of the
    first-order rule.
    """
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 4.0, (N, 2))
    return X, np.where((np.floor(X).sum(axis=1) % 2 == 0) ^ (rng.random(N) < 0.05), 1.0, -1.0)


def make() -> SmoSolver:
    """Return the solver of that problem, as a lane makes it."""
    return SmoSolver(*problem(), Kernel("rbf", gamma=GAMMA), C=C, selection="first-order", shrinking=False)


def milliseconds(work: Callable[[], object]) -> float:
    """Return the duration (ms)."""
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)


def _line(name: str, times: list[float]) -> None:
    print(f"{name:<58}{median(times):9.2f}{max(times):9.2f}{len(times):7d}")


def run() -> None:
    make().step(10)  # compiled or loaded
    plain, recorded = [], []
    for _ in range(5):
        solver, recording = make(), Recording(make())
        plain.append(milliseconds(solver.run))
        recorded.append(milliseconds(lambda r=recording: r.go_to(10**9)))
    length = recording.length
    view = recording.trace.view()
    print(f"{N} points, C = {C:g}, rbf, first-order rule, no shrinking: {length} steps, {recording.solver.status}")
    print(f"trained in {median(plain):.0f} ms; noted and recorded in {median(recorded):.0f} ms (medians of 5)")
    checkpoints = sum(each.nbytes for each in recording._checkpoints)
    print(
        f"memory: {checkpoints / 2**20:.1f} MB for states, {recording.trace.nbytes / 2**20:.1f} MB for"
        f" {len(view.names)} curves of {length} steps"
    )
    rng = np.random.default_rng(1)
    goals = rng.integers(0, length + 1, JUMPS)
    print(f"\n{'':<58}{'median':>9}{'worst':>9}{'times':>7}\n{'':<58}{'ms':>9}{'ms':>9}")
    _line("a jump to a random step", [milliseconds(lambda g=g: recording.go_to(int(g))) for g in goals])
    _line("one step back", [milliseconds(lambda: recording.go_to(recording.position - 1)) for _ in range(JUMPS)])
    _line(
        "to the next change of the support vectors, from anywhere",
        [milliseconds(lambda g=g: recording.to_next_change(int(g))) for g in goals],
    )
    edges = np.linspace(0, length, 801).astype(np.int64)
    _line("a curve of all steps for 800 pixels", [milliseconds(lambda: view.extremes("dual", edges)) for _ in goals])
    own, theirs = [], []
    X, y = problem()
    for goal in goals[:REFITS]:
        fresh = make()
        own.append(milliseconds(lambda s=fresh, g=goal: s.step(int(g))))
        recording.go_to(int(goal))
        if not (np.array_equal(fresh.beta, recording.solver.beta) and np.array_equal(fresh.v, recording.solver.v)):
            raise AssertionError(f"step {goal} was not restored")
        model = svm.SVC(C=C, gamma=GAMMA, cache_size=500, max_iter=max(1, int(goal)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            theirs.append(milliseconds(lambda m=model: m.fit(X, y)))
    _line("our solver again from the start, without notes", own)
    _line("scikit-learn again with max_iter = the step (its own rule)", theirs)
    print("states equal to those of a run from the start, bit for bit")


if __name__ == "__main__":
    run()
