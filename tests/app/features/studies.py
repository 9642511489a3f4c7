"""Run states for the tests of the panels, and the same problem solved by LIBSVM and by plain numpy."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import svm

from app.core.points import Points
from app.engine.run_state import RunState, Slacks
from app.learners.table import TRAINERS
from solver import Kernel, SmoSolver
from solver.core.trace import TraceView
from solver.inspection.metrics import kkt_case

TRACE = TraceView((), 0, np.empty(0), (), np.empty((0, 4)))
GAMMA = 1.0
#: Ids differ from indices: every third number from here on.
FIRST_ID, ID_STEP = 50, 3


def problem(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return points and signs of two overlapping classes, in alternating order."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    X = rng.normal(scale=0.9, size=(n, 2)) + np.where(labels[:, None] == 1, (0.8, 0.5), (-0.8, -0.5))
    return X, np.where(labels == 1, 1.0, -1.0)


def run_state_of(
    n: int = 40, C: ArrayLike = 1.0, steps: int | None = None, seed: int = 0, tol: float = 1e-3, **more: Any
) -> RunState:
    """Return the state of an SMO run on `problem`, at its end or after some `steps`."""
    X, y = problem(n, seed)
    solver = SmoSolver(X, y, Kernel("rbf", gamma=GAMMA), C=C, tol=tol)
    if steps is None:
        solver.run()
    else:
        solver.step(steps)
    now = solver.snapshot()
    f = y - now.v + now.intercept
    prices = np.array(np.broadcast_to(np.asarray(C, dtype=float), n))
    points = Points.of(X, (y > 0).astype(int), FIRST_ID + ID_STEP * np.arange(n))
    parts: dict[str, Any] = {
        "recording": 1,
        "trainer": TRAINERS["smo"],
        "rule": "second-order",
        "name": "",
        "step": solver.n_iter,
        "length": solver.n_iter,
        "ended": steps is None,
        "points": points,
        "index": np.arange(n),
        "y": y,
        "f": f,
        "alpha": now.alpha,
        "C": prices,
        "v": now.v,
        "kkt": kkt_case(now.alpha, prices, y, f, tol=tol),
        "intercept": now.intercept,
        "tol": tol,
        "certificate": now.certificate,
        "trace": TRACE,
        "pair": solver.working_set,
    }
    return RunState(**(parts | more))


def libsvm(n: int, C: ArrayLike = 1.0, seed: int = 0, tol: float = 1e-3) -> tuple[np.ndarray, np.ndarray]:
    """Return alpha and y f of the same problem, by LIBSVM."""
    X, y = problem(n, seed)
    weights = np.array(np.broadcast_to(np.asarray(C, dtype=float), n))
    model = svm.SVC(kernel="rbf", gamma=GAMMA, C=1.0, tol=tol).fit(X, y, sample_weight=weights)
    alpha = np.zeros(n)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha, y * model.decision_function(X)


def dense_margins(run_state: RunState) -> np.ndarray:
    """Return y f from the multipliers alone, with the whole kernel matrix."""
    assert run_state.alpha is not None
    X, y = run_state.points.xy[run_state.index], run_state.y
    K = np.exp(-GAMMA * ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))
    margins: np.ndarray = y * (K @ (run_state.alpha * y) + run_state.intercept)
    return margins


def some_slacks(run_state: RunState, seed: int = 1) -> Slacks:
    """Return slacks with random ends near the points, every fourth one capped."""
    rng = np.random.default_rng(seed)
    index = np.flatnonzero(run_state.y * run_state.f < 1 - 1e-6)
    end = run_state.points.xy[run_state.index[index]] + rng.normal(scale=0.4, size=(len(index), 2))
    return Slacks(index, end, np.arange(len(index)) % 4 == 0)


def id_of(run_state: RunState, index: int) -> int:
    """Return the lifelong id of a point."""
    return int(run_state.points.ids[run_state.index[index]])


def scene_of(run_state: RunState | None, hovered: int | None = None) -> Any:
    """Return the part of a scene that a panel reads."""
    session = SimpleNamespace(hovered=hovered)
    return SimpleNamespace(run_state=run_state, no_run="", run_lane=0, session=session)


class PlaybackController:
    """Record the points that are hovered."""

    def __init__(self) -> None:
        self.heard: list[int | None] = []

    def hover(self, point: int | None) -> None:
        self.heard.append(point)


def controller() -> Any:
    """Return a controller with such a playback."""
    return SimpleNamespace(playback=PlaybackController())
