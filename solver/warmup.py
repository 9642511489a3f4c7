"""Compile everything once, or load it from the cache: ``python -m solver.warmup`` or `compile_all`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np


def steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """The things to compile, each with its name and a call that does it."""
    from .kernels import Kernel
    from .lasvm import LasvmSolver
    from .neighbors import KNeighborsClassifier
    from .pegasos import PegasosSolver
    from .perceptron import PerceptronSolver
    from .smo import SmoSolver

    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    y = np.array([-1.0, 1.0, 1.0, -1.0])
    yield "SVM", lambda: SmoSolver(X, y, Kernel("rbf", 1.0)).step(3)
    yield "Laplacian picture", lambda: Kernel("laplacian").expansion_on(X, y[:, None], X[:, 0])(X[:, 1])
    yield "online SVM", lambda: LasvmSolver(X, y, Kernel("rbf", 1.0)).run()
    yield "perceptron", lambda: PerceptronSolver(X, y).step(3)
    yield "Pegasos", lambda: PegasosSolver(X, y).step(3)
    model = KNeighborsClassifier(n_neighbors=2).fit(X, y)
    yield "kNN points", lambda: model.predict_proba(X)
    yield "kNN surface", lambda: model.surface(X[:2, 1], X[:2, 1])
    yield "kNN classes", lambda: model.surface_classes_on(X[:2, 1])(X[:2, 1])


def compile_all(report: Callable[[int, int, str], None] = lambda done, total, name: None) -> None:
    """Run all `steps`; `report(done, total, name)` is called before each and once at the end."""
    todo = list(steps())
    for done, (name, work) in enumerate(todo):
        report(done, len(todo), name)
        work()
    report(len(todo), len(todo), "ready")


def main() -> None:
    """Compile with a progress line on the terminal."""

    def show(done: int, total: int, name: str) -> None:
        line = f"Compiling the numeric kernels [{'#' * done}{'.' * (total - done)}] {name:<12}"
        print(line, end="\r" if sys.stdout.isatty() and done < total else "\n", flush=True)

    compile_all(show)


if __name__ == "__main__":
    main()
