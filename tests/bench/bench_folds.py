"""Ten folds times twenty values of C against `GridSearchCV`, on the same folds: processor time of one thread.

The programs run in turn, the best of three runs of each counts; from 5000 points on, one run.  The points of the plane
are trained and tested as a study does it.  The digits have 64 features, which a study has not: their folds are trained
by `PathSolver` alone.  All 200 trainings must end optimal; accuracies that differ are counted, in points.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn import datasets, svm
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits

from app.core.points import Points
from app.features.study.cells import paths
from app.features.study.computing import Given, compute, dealt
from app.features.study.model import Study, StudyAxis, log_steps
from app.state.document import GeneratorSettings, Lane
from solver.core.arrays import Array
from solver.svm.svc import SVC

FOLDS, CS, GAMMAS = 10, log_steps(0.01, 1000.0, 20), (0.1, 1.0, 10.0)
NOISE = {"moons": 0.3, "blobs": 0.6, "circle": 0.1}
Scores = tuple[Array, set[str]]


def studied(study: Study, given: Given) -> Scores:
    """Return the accuracies, shape (n_folds, n_C), and statuses of a study."""
    scores, statuses = np.full((FOLDS, len(CS)), np.nan), set()
    for path in paths(study):
        for record in compute(study, path, given):
            scores[record.fold, record.cell[1]] = record.values["accuracy"]
            statuses.add(record.status)
    return scores, statuses


def on_paths(X: Array, y: Array, splits: list[Any], gamma: float) -> Scores:
    """Return the same of a loop over folds with `PathSolver`."""
    scores, statuses = np.full((FOLDS, len(CS)), np.nan), set()
    for fold, (inside, outside) in enumerate(splits):
        (solver,) = SVC(CS[0], gamma=gamma, solver="path").prepare(X[inside], y[inside]).solvers
        rows = solver.kernel.gram(X[outside] - solver.centre, solver.points.T)
        for index, C in enumerate(CS):
            if index:
                solver.restart(C)
            solver.run()
            scores[fold, index] = ((rows @ solver.beta + solver.intercept > 0) == (y[outside] == y.max())).mean()
            statuses.add(str(solver.status))
    return scores, statuses


def problems(n: int) -> Iterator[tuple[str, float, Callable[[], Scores], Any, Any, list[Any]]]:
    """Yield title, gamma, our program, points, labels, and the splits."""
    for gamma in GAMMAS:
        for name, noise in NOISE.items() if n < 5000 else [("moons", NOISE["moons"])]:
            points = GeneratorSettings(name, n // 2, noise).points()
            axes = StudyAxis("gamma", (gamma,)), StudyAxis("C", CS)
            study = Study("grid", axes, ("accuracy",), Lane("svm"), digest="bench", folds=FOLDS)
            given = Given(points, Points())
            _, fold = dealt(study, (0, 0), given, 0, 0)
            splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(FOLDS)]
            yield (
                f"{name:10s}",
                gamma,
                lambda study=study, given=given: studied(study, given),
                points.xy,
                points.labels,
                splits,
            )


def digits() -> Iterator[tuple[str, float, Callable[[], Scores], Any, Any, list[Any]]]:
    """Yield the same of three pairs of digits."""
    X, y = datasets.load_digits(return_X_y=True)
    for a, b in ((1, 7), (3, 8), (4, 9)):
        own = np.isin(y, (a, b))
        A, labels = X[own] / 16.0, y[own]
        fold = np.random.default_rng(0).permutation(len(A)) % FOLDS
        splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(FOLDS)]
        for gamma in (0.01, 0.1):
            yield (
                f"digits {a}, {b}",
                gamma,
                lambda A=A, labels=labels, splits=splits, gamma=gamma: on_paths(A, labels, splits, gamma),
                A,
                labels,
                splits,
            )


def compare(
    title: str, gamma: float, ours: Callable[[], Scores], X: Any, y: Any, splits: list[Any], runs: int
) -> float:
    """Print a row, and return the ratio."""

    def theirs() -> Any:
        search = GridSearchCV(svm.SVC(gamma=gamma, cache_size=500), {"C": list(CS)}, cv=splits, n_jobs=1, refit=False)
        return search.fit(X, y).cv_results_

    seconds = np.empty((runs, 2))
    for run in range(runs):
        begun = time.process_time()
        scores, statuses = ours()
        middle = time.process_time()
        peer = theirs()
        seconds[run] = middle - begun, time.process_time() - middle
    apart = [np.abs(scores[f] - peer[f"split{f}_test_score"]) * len(outside) for f, (_, outside) in enumerate(splits)]
    mine, his = seconds.min(axis=0)
    print(
        f"{len(y):5d}  {title}  {gamma:5g} {mine:9.3f} {his:9.3f} {his / mine:7.1f}   {'/'.join(statuses)},"
        f" {np.sum(apart):.0f} of {len(y) * len(CS)} predictions differ",
        flush=True,
    )
    return float(his / mine)


def run() -> None:
    print("    n  data        gamma    ours s  theirs s  ratio")
    with threadpool_limits(1):
        next(problems(60))[2]()  # compiled
        for n in (500, 1500, 5000):
            ratios = [compare(*row, 3 if n < 5000 else 1) for row in problems(n)]
            print(f"{n:5d}  geometric mean {np.exp(np.mean(np.log(ratios))):.1f}, least {min(ratios):.1f}", flush=True)
        for row in digits():
            compare(*row, 3)
