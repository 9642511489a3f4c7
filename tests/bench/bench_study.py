"""A study against scikit-learn on the same points and folds: a grid of C and gamma, and maps of n and k.

In wall time and in the processor time of all processes: on a busy machine only the second is meaningful.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib.externals.loky import get_reusable_executor
from sklearn import svm
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from app.core.points import Points
from app.features.study import engines
from app.features.study.cells import data_of, paths, seed_of
from app.features.study.computing import Given, Record, compute, dealt
from app.features.study.model import Study, StudyAxis, log_steps
from app.features.study.results import StudyResults
from app.state.document import GeneratorSettings, Lane
from solver.core.multiclass import PairTrainer
from solver.kernels.table import Kernel
from solver.svm.c_path import PathSolver
from solver.svm.svc import SVC

SIDE, FOLDS, JOBS = 20, 5, 2
GRID = Study(
    "grid",
    (StudyAxis("C", log_steps(0.01, 1e4, SIDE)), StudyAxis("gamma", log_steps(0.01, 100.0, SIDE))),
    ("accuracy",),
    Lane("svm"),
    digest="bench",
    folds=FOLDS,
)


def _processor() -> float:
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system


def timed(program: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return the result of a program, its wall time, and its processor time with that of its ended processes."""
    begun, used = time.perf_counter(), _processor()
    made = program()
    return made, time.perf_counter() - begun, _processor() - used


def run_study(study: Study, given: Given | None, jobs: int) -> list[Record]:
    with tempfile.TemporaryDirectory() as folder:
        every = engines.run(study, given, paths(study), Path(folder), jobs)
        return [record for records, _ in every for record in records]


def grid() -> None:
    points = GeneratorSettings("moons", 250, 0.3).points()
    given = Given(points, Points())
    _, fold = dealt(GRID, (0, 0), given, 0, 0)
    splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(FOLDS)]
    parameters = {axis.name: list(axis.values) for axis in GRID.axes}

    def searched(jobs: int) -> Any:
        search = GridSearchCV(svm.SVC(cache_size=500), parameters, cv=splits, n_jobs=jobs, refit=False)
        try:
            return search.fit(points.xy, points.labels).cv_results_
        finally:
            get_reusable_executor().shutdown()  # else the time of its processes is not counted

    list(compute(GRID, paths(GRID)[0], given))  # compiled
    print(f"{SIDE} x {SIDE} values of C and gamma, {FOLDS} folds, {len(points)} points", flush=True)
    found, peer = [], None
    for jobs in (1, JOBS):
        found, clock, used = timed(lambda jobs=jobs: run_study(GRID, given, jobs))
        peer, peer_clock, peer_used = timed(lambda jobs=jobs: searched(jobs))
        print(
            f"  {jobs} process(es): study {clock:6.1f} s ({used:6.1f} s of processors), scikit-learn"
            f" {peer_clock:6.1f} s ({peer_used:6.1f}): {peer_clock / clock:4.1f} and"
            f" {peer_used / used:4.1f} times as fast",
            flush=True,
        )
    results = StudyResults(GRID)
    for record in found:
        results.add(record)
    means = results.means("accuracy").mean
    theirs = {
        (parameters["C"].index(p["C"]), parameters["gamma"].index(p["gamma"])): score
        for p, score in zip(peer["params"], peer["mean_test_score"], strict=True)
    }
    apart = np.array([means[cell] - score for cell, score in theirs.items()])
    print(f"  accuracy: largest difference {np.abs(apart).max():.4f}, mean {apart.mean():+.5f}")
    print(f"  share of processor time outside the solver: {100 * outside(given):.1f} %")


#: The solver's functions that the study calls.
ASKED = ((PairTrainer, "step"), (PathSolver, "restart"), (Kernel, "gram"), (SVC, "prepare"))


def outside(given: Given) -> float:
    """Return the share of the processor time that is spent outside the solver's functions."""
    spent = [0.0]

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            begun = time.process_time()
            try:
                return function(*arguments, **options)
            finally:
                spent[0] += time.process_time() - begun

        return call

    originals = [(owner, name, getattr(owner, name)) for owner, name in ASKED]
    try:
        for owner, name, function in originals:
            setattr(owner, name, counted(function))
        _, _, used = timed(lambda: run_study(GRID, given, 1))
    finally:
        for owner, name, function in originals:
            setattr(owner, name, function)
    return 1.0 - spent[0] / used


def maps(side: int = 50, draws: int = 1000) -> None:
    """Measure a map of (n, k), 10^5 tests in each cell: study and scikit-learn for some of the draws, scaled up."""
    values = tuple(range(2, 2 * side + 1, 2))
    share = 10
    study = Study(
        "efficiency",
        (StudyAxis("n", values), StudyAxis("k", values)),
        ("accuracy",),
        Lane("knn"),
        GeneratorSettings("line", 5, 0.0),
        draws=draws // share // 10,
        test=100,
        test_on="square",
        k_up_to_n=True,
    )
    found, clock, used = timed(lambda: run_study(study, None, 1))
    scale = draws / study.draws
    few, spent = 0, time.process_time()
    for n in values:
        data = data_of(study, (values.index(n), 0))
        X, y = study.generator_at({"n": n}).points().xy, np.repeat([0, 1], n)  # type: ignore[union-attr]
        Q = np.random.default_rng(seed_of(data, 0, 0, "tests")).uniform(-1.0, 1.0, (100, 2))
        for k in values:
            if k <= n:
                KNeighborsClassifier(k).fit(X, y).predict(Q)
                few += 1
    theirs = (time.process_time() - spent) * draws
    print(
        f"map of {side} x {side} (n, k), {few} cells, 10^5 tests each: study {used * scale:7.0f} s of processor"
        f" ({len(found)} results in {clock:.1f} s, scaled), scikit-learn {theirs:7.0f} s:"
        f" {theirs / used / scale:5.1f} times",
        flush=True,
    )


def run() -> None:
    grid()
    maps()
