"""Runs for tests: recordings of small problems, artificial traces with known notes, and run states of them."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import create_autospec

import numpy as np
from numpy.typing import NDArray

from app.controllers.playback import PlaybackController
from app.core.points import Points
from app.engine.run_state import RunState
from app.learners.table import TRAINERS
from solver import Certificate, Kernel, SmoSolver, Status
from solver.core.trace import LIMIT, Trace
from solver.data import datasets
from solver.recording import Recording

Array = NDArray[np.float64]
SMO = ("dual", "violation", "free", "bounded")


@dataclass(frozen=True, eq=False)
class Made:
    """A trace, with its `notes` of shape (length + 1, n_names), step 0 first."""

    trace: Trace
    notes: Array
    changes: NDArray[np.int64]

    def values(self, name: str) -> Array:
        return self.notes[:, self.trace.names.index(name)]


def made(length: int, names: tuple[str, ...] = SMO, seed: int = 0, share: float = 0.1, limit: int = LIMIT) -> Made:
    """Return a random run: values between 0 and 100, whole ones for counts; changes at a `share` of the steps."""
    rng = np.random.default_rng(seed)
    notes = rng.uniform(0.1, 100.0, (length + 1, len(names)))
    for column, name in enumerate(names):
        if name in ("free", "bounded", "wrong"):
            notes[:, column] = np.floor(notes[:, column])
    changes = (rng.random(length) < share).astype(np.int64)
    trace = Trace(names, notes[0], limit)
    for start in range(0, length, 70_000):
        trace.append(notes[1 + start : 1 + start + 70_000], changes[start : start + 70_000])
    return Made(trace, notes, changes)


def smo(n: int = 40, seed: int = 3) -> Made:
    """Return a complete recording of SMO, with notes from certificates after each step of a second solver."""
    X, labels = datasets.generate("moons", n, noise=0.3, seed=seed)
    y = np.where(labels == 0, -1.0, 1.0)
    run = Recording(SmoSolver(X, y, Kernel("rbf", 2.0), C=10.0))
    run.advance(10_000)
    assert run.at_end
    other = SmoSolver(X, y, Kernel("rbf", 2.0), C=10.0)
    rows, changes, old = [], [], other.alpha > 0
    while True:
        certificate = other.certificate(thorough=True)
        present = (certificate.dual, certificate.kkt_violation, certificate.n_free, certificate.n_bounded)
        rows.append(present)
        if other.n_iter % 7 == 0:
            run.trace.mark(other.n_iter, certificate.dual, certificate.primal, certificate.gap)
        if other.status is not Status.RUNNING:
            break
        other.step(1)
        changes.append(int(((other.alpha > 0) != old).sum()))
        old = (other.alpha > 0).copy()
    return Made(run.trace, np.array(rows), np.array(changes, dtype=np.int64))


def run_state_of(
    run: Trace, step: int | None = None, *, ended: bool = True, recording: int = 1, **changes: Any
) -> RunState:
    """Return a run state of which only the run matters."""
    view, none = run.view(), np.empty(0)
    values: dict[str, Any] = dict(
        recording=recording,
        trainer=TRAINERS["smo"],
        rule="second-order",
        name="",
        step=view.length if step is None else step,
        length=view.length,
        ended=ended,
        points=Points(),
        index=np.empty(0, dtype=np.intp),
        y=none,
        f=none,
        alpha=none,
        C=none,
        v=none,
        kkt=None,
        intercept=0.0,
        tol=1e-3,
        trace=view,
        certificate=Certificate(Status.RUNNING, 1.0, 1.0, 1.0, 0.0, 1, 1, view.length, np.nan),
    )
    return RunState(**(values | changes))


def hands() -> Any:
    """Return a controller whose playback only records its calls."""
    return SimpleNamespace(playback=create_autospec(PlaybackController, instance=True))


def scene_of(run_state: RunState | None, lane: int = 0) -> Any:
    return SimpleNamespace(run_state=run_state, run_lane=lane, no_run="")


def lane_of(run_state: RunState | None, playing: bool = False) -> Any:
    return SimpleNamespace(run_state=run_state, playing=playing, no_steps="", replay_factor=1.0)
