"""Compile all loops, or load them from the cache: ``python -m solver.warmup`` or `compile_all`.

The compiler uses one core.  So if the cache is empty, a second process compiles a part of the loops at the same time.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from solver.core._compile import cache_directory
from solver.core.own_process import command
from solver.core.stepping import SteppedSolver

#: Name of the file in the cache that marks it as complete.
COMPLETE = "complete"
#: The second process while it runs; else empty.
_others: list[subprocess.Popen[bytes]] = []
#: First word of the steps that the second process compiles.
SECOND = "kNN"


@dataclass(frozen=True)
class CompileStep:
    """One part to compile: `work` is a call that compiles it; `in_window` is True if the window needs it."""

    name: str
    work: Callable[[], object]
    in_window: bool = True


def steps() -> list[CompileStep]:
    """Return the parts to compile."""
    import solver  # it imports a name when the name is first used: the window imports no more than it needs
    from solver.kernels import lines
    from solver.svm.auto import AutoSolver

    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    y = np.array([-1.0, 1.0, 1.0, -1.0])
    rbf, laplacian = solver.Kernel("rbf"), solver.Kernel("laplacian")
    model, grid = solver.KNeighborsClassifier(n_neighbors=2).fit(X, y), solver.Grid(0.0, 1.0, 0.0, 1.0, 2, 2)
    # As many features as points: a tree would leave no point out, so the search is by products of matrices.
    corners = np.eye(256)
    return [
        CompileStep("SVM", lambda: solver.SmoSolver(X, y, rbf).step(3)),
        CompileStep("SVM points", lambda: rbf.gram_by_row(X, X)),
        CompileStep("lines", lambda: lines.level_lines(grid, X[:2], (0.5,))),
        CompileStep("pixels", _pixels),
        CompileStep("SVM picture", lambda: laplacian.expansion_on(X, y[:, None], X[:, 0])(X[:, 1])),
        CompileStep("kNN picture", lambda: model.surface(X[:2, 1], X[:2, 1])),
        CompileStep("kNN classes", lambda: model.surface_classes_on(X[:2, 1])(X[:2, 1])),
        CompileStep("kNN points", lambda: model.predict_proba(X)),
        CompileStep("probabilities", _probabilities, in_window=False),
        CompileStep("kNN neighbors", lambda: model.kneighbors(X), in_window=False),
        CompileStep(
            "kNN in many dimensions",
            lambda: solver.KNeighborsClassifier(2).fit(corners, corners[0]).kneighbors(),
            in_window=False,
        ),
        CompileStep(
            "kNN cells", lambda: lines.cell_boundaries(grid, model.cells_on(grid.xs)(grid.ys)), in_window=False
        ),
        CompileStep("kNN points needed", lambda: model.kept_on(grid.xs)(grid.ys), in_window=False),
        CompileStep("SVM at once", lambda: AutoSolver(X, y, rbf, alpha=[0.5, 0.0, 0.5, 0.0]).run(), in_window=False),
        CompileStep("online SVM", lambda: _noted(solver.LasvmSolver(X, y, rbf)).run(), in_window=False),
        CompileStep("perceptron", lambda: _noted(solver.PerceptronSolver(X, y)).step(3), in_window=False),
        CompileStep("Pegasos", lambda: solver.PegasosSolver(X, y).step(3), in_window=False),
    ]


def _pixels() -> None:
    """Compile the loops that turn values into colours, for each kind of model."""
    from solver.core.multiclass import one_vs_one
    from solver.kernels import pixels

    f, names, ramp = np.zeros((3, 1, 1)), np.arange(3, dtype=np.int8), pixels.Ramp(1.0)
    pixels.of_two_classes(f[0], 0.0, ramp, names)
    pixels.of_one_vs_rest(f, 0.0, ramp, names)
    found = pixels.of_one_vs_one(f, one_vs_one(np.arange(3), 3), 0.0, ramp, names)
    pixels.of_shares(found.classes.view(np.uint8), f[0], found.tie, names)
    pixels.colour(found, np.zeros(3 * pixels.LEVELS + 1, dtype=np.uint32), np.empty((1, 1), dtype=np.uint32))


def _probabilities() -> None:
    """Compile the loops of probabilities of several classes."""
    from solver.core.multiclass import one_vs_one
    from solver.kernels import pixels
    from solver.svm.calibration import class_probabilities

    f, pairs = np.zeros((1, 1, 3)), one_vs_one(np.arange(3), 3)
    shares = np.moveaxis(class_probabilities(f, f[0, 0], f[0, 0], pairs, 3), 2, 0)
    pixels.of_probabilities(shares, np.arange(3, dtype=np.int8))


def _noted(stepped: SteppedSolver) -> SteppedSolver:
    """Return the solver after it has started to take notes, so that these loops are compiled as well."""
    stepped.start_notes()
    return stepped


def compile_all(
    report: Callable[[int, int, str], None] = lambda done, total, name: None, *, in_window: bool = False
) -> None:
    """Compile all parts, or those that the window needs.

    Parameters
    ----------
    report : callable, optional
        ``report(done, total, name)`` is called before each part and once at the end.
    in_window : bool, default=False
        Whether to compile only the parts that the window needs.
    """
    todo = [step for step in steps() if step.in_window or not in_window]
    everything, enough = cache_directory() / COMPLETE, cache_directory() / f"{COMPLETE}-window"
    other = None if complete(in_window=in_window) else _second_process(in_window)
    # The parts of the other process come last here, when they only need to be loaded, or compiled if it failed.
    todo.sort(key=lambda step: step.name.startswith(SECOND))
    for done, step in enumerate(todo):
        report(done, len(todo), step.name)
        if other is not None and step.name.startswith(SECOND):
            other.wait()
            _others.clear()
            other = None
        step.work()
    report(len(todo), len(todo), "ready")
    with suppress(OSError):  # a full or read-only disk
        (enough if in_window else everything).touch()


def complete(*, in_window: bool = False) -> bool:
    """Return whether all parts, or those that the window needs, are in the cache."""
    names = (COMPLETE, f"{COMPLETE}-window") if in_window else (COMPLETE,)
    # os.path.exists returns False for files that cannot be accessed; Path.exists raises.
    return any(os.path.exists(cache_directory() / name) for name in names)


def _second_process(in_window: bool) -> subprocess.Popen[bytes] | None:
    """Start a process that compiles the parts named `SECOND`, or those of them that the window needs.

    It ends with this one.  Returns None if that is impossible.
    """
    if not sys.executable or (os.cpu_count() or 1) < 2:
        return None
    quiet, flags = subprocess.DEVNULL, getattr(subprocess, "CREATE_NO_WINDOW", 0)  # of Windows
    try:
        other = subprocess.Popen(
            command("solver.warmup", SECOND, *["window"] * in_window),
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            creationflags=flags,
        )
    except OSError:
        return None
    _others.append(other)
    return other


@atexit.register
def abandon() -> None:
    """Kill the second process, if there is one; for programs that exit without Python's own shutdown."""
    while _others:
        _others.pop().kill()


def compile_first(file: TextIO | None, *, in_window: bool = False) -> None:
    """Compile what is not in the cache, with a progress line on `file`; `in_window` as in `compile_all`."""

    def show(done: int, total: int, name: str) -> None:
        line = f"Compiling the numeric kernels [{'#' * done}{'.' * (total - done)}] {name:<12}"
        print(line, end="\r" if file and file.isatty() and done < total else "\n", file=file, flush=True)

    if not complete(in_window=in_window):
        compile_all(show, in_window=in_window)


def main() -> None:
    """Compile with a progress line on the terminal, if needed.

    With an argument, only the parts with this name; with another one, those of them that the window needs.
    """
    if len(sys.argv) == 1:
        compile_first(sys.stdout)
    for step in steps() if len(sys.argv) > 1 else ():
        if step.name.startswith(sys.argv[1]) and (step.in_window or len(sys.argv) == 2):
            step.work()


if __name__ == "__main__":
    main()
