"""The package itself: its public names, the cost of importing it, and the documentation of everything public."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solver

TREE = ast.parse(Path(solver.__file__).read_text())


def test_the_three_lists_of_names_agree() -> None:
    typed = {
        alias.name: node.module
        for node in ast.walk(TREE)
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module != "version"
        for alias in node.names
    }
    home = solver._HOME
    assert typed == home
    rooms = [room.name for room in pkgutil.iter_modules(solver.__path__) if room.ispkg]
    assert sorted(typed) == sorted(solver.__all__)
    assert dir(solver) == sorted([*solver.__all__, *rooms, "__version__"])
    for name in solver.__all__:
        assert getattr(solver, name) is getattr(import_module(f"solver.{home[name]}"), name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        solver.nonsense  # noqa: B018


@pytest.mark.smoke
def test_importing_the_package_costs_next_to_nothing() -> None:
    code = (
        "import sys; import solver; assert not {'numba', 'numpy'} & set(sys.modules);"
        "assert solver.__version__; assert solver.kernels.Kernel and 'numba' not in sys.modules;"
        "from solver import SVC; assert 'numpy' in sys.modules and 'solver.knn.neighbors' not in sys.modules;"
        "from solver import KNeighborsClassifier, Kernel, SmoSolver; from solver.core import fast_loops;"
        "fast_loops.everywhere = False;"
        "X, y = [[0.0, 0.0], [1.0, 0.5], [2.0, 0.0]], [-1, 1, 1];"
        "SmoSolver(X, y, Kernel('rbf')).run();"
        "model = KNeighborsClassifier(1).fit(X, y);"
        "model.surface_classes_on([0.0, 1.0])([0.0]);"
        "assert 'numba' not in sys.modules, 'what is shown first needs no compiled loops';"
        "fast_loops.everywhere = True;"
        "model.surface_classes_on([0.0, 1.0])([0.0]); assert 'numba' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(solver.__file__).parents[1])


def public_things() -> list[tuple[str, object]]:
    """Yield every public module, class, function, method and property of the package."""
    found: list[tuple[str, object]] = []
    for info in pkgutil.walk_packages(solver.__path__, "solver."):
        module = import_module(info.name)
        found.append((module.__name__, module))
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
                continue
            if inspect.isfunction(thing) or inspect.isclass(thing):
                found.append((f"{module.__name__}.{name}", thing))
            if inspect.isclass(thing):
                found += [
                    (f"{module.__name__}.{name}.{part}", member)
                    for part, member in vars(thing).items()
                    if not part.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
                ]
    return found


def test_everything_public_is_documented() -> None:
    things = [(name, thing.fget if isinstance(thing, property) else thing) for name, thing in public_things()]
    assert len(things) > 250
    assert [name for name, thing in things if not (inspect.getdoc(thing) or "").strip()] == []


@pytest.mark.parametrize("name", [n for n in solver.__all__ if inspect.isclass(getattr(solver, n))])
def test_parameters_of_public_classes_are_documented(name: str) -> None:
    """numpydoc: each parameter of the constructor is named in the class docstring."""
    kind = getattr(solver, name)
    text = inspect.getdoc(kind) or ""
    if issubclass(kind, (str, int)) or not text or "Parameters" not in text:
        return
    for parameter in inspect.signature(kind).parameters:
        assert parameter in text, f"{name} does not tell what {parameter} is"


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("kind", "bad"),
    [
        (solver.Perceptron, {"max_iter": -1}),
        (solver.PegasosClassifier, {"alpha": -1}),
        (solver.DualAscentSVC, {"C": -1}),
        (solver.OnlineSVC, {"C": -1}),
        (solver.SVC, {"C": -1}),
        (solver.KNeighborsClassifier, {"metric": "none"}),
        (solver.Perceptron, {"fit_intercept": "no"}),
        (solver.OnlineSVC, {"finish": None}),
    ],
)
def test_a_failed_fit_changes_nothing(kind: type[Any], bad: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    model = kind().fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match=next(iter(bad))):
        model.set_params(**bad).fit(X, np.arange(30) % 3 + 10)
    assert (model.predict(X) == before).all() and model.classes_.tolist() == [0, 1]


def test_a_batch_that_overflows_is_not_half_learned() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    model = solver.OnlineSVC(kernel="poly", gamma=1.0, degree=6).partial_fit(X, y)
    far = X[:3].copy()
    far[2] = 1e40
    with pytest.raises(ValueError, match="overflows"):
        model.partial_fit(far, [0, 1, 2])
    assert model.partial_fit(X[:3], [0, 1, 2]).n_samples_seen_ == 63


def test_slack_for_some_points_is_slack() -> None:
    """Some C infinite: a failure of the other points is no proof that the problem has no solution."""
    rng = np.random.default_rng(0)
    X = np.vstack([[[1.0, 0.0], [-1.0, 0.0]], rng.normal(size=(200, 2)) * 0.3])
    y = np.r_[1.0, -1.0, np.where(rng.random(200) < 0.5, 1.0, -1.0)]
    machine = solver.SmoSolver(X, y, solver.Kernel("linear"), C=np.r_[np.inf, np.inf, np.full(200, 1e3)])
    assert machine.run() is solver.Status.OPTIMAL and np.isnan(machine.certificate().margin_bound)


def test_arguments_that_make_no_sense_are_refused() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    model = solver.SVC(decision_function_shape="ovo").fit(X, y)
    with pytest.raises(ValueError, match="decision_function_shape is 'ovo'"):
        solver.most_informative(model, X)
    for weights in (np.zeros(60), -np.ones(60), [1.0], np.full(60, np.nan)):
        with pytest.raises(ValueError, match="sample_weight must hold one number"):
            model.score(X, y, weights)
    signs = np.where(y > 0, 1.0, -1.0)
    rbf = solver.Kernel("rbf")
    for stepped in (
        solver.SmoSolver(X, signs, rbf),
        solver.LasvmSolver(X, signs, rbf),
        solver.PerceptronSolver(X, signs),
        solver.PegasosSolver(X, signs),
        solver.DualAscentSolver(X, signs, rbf),
    ):
        for n in (2.5, -5, True):
            with pytest.raises(ValueError, match=r"n is .*; it must be a whole number of at least 0"):
                stepped.step(n)
    with pytest.raises(solver.NotFittedError):
        solver.SVC().pair_surface_on(np.zeros(3))


def test_a_bound_before_the_first_recomputation_is_a_bound() -> None:
    rng = np.random.default_rng(31)
    X = rng.normal(size=(10, 3)) * 0.1 + 1e6
    y = np.where(rng.random(10) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    machine = solver.SmoSolver(X, y, solver.Kernel("poly", 100.0, 0.0, 1), C=1e7, max_iter=20_000)
    machine.run()
    beta = (y * machine.alpha).astype(np.longdouble)
    K = 100 * (X.astype(np.longdouble) @ X.astype(np.longdouble).T)
    assert machine.certificate().primal >= float(np.abs(beta).sum() - beta @ K @ beta / 2)


def test_a_copy_in_the_middle_of_a_recomputation_goes_its_own_way() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.where(rng.random(300) < 0.5, 1.0, -1.0)
    first = solver.SmoSolver(X, y, solver.Kernel("rbf", 1.0), C=1e3, cache_size=0)
    while not first.pending and first.status is solver.Status.RUNNING:
        first.step(100, lambda: True)
    second, third = copy.deepcopy(first), pickle.loads(pickle.dumps(first))
    second.run()
    third.run()
    assert first.pending and first.status is solver.Status.RUNNING
    first.run()
    assert (first.alpha == second.alpha).all() and (first.alpha == third.alpha).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "n"),
    [
        (solver.Perceptron, 20_000),
        (solver.PegasosClassifier, 20_000),
        (solver.SVC, 20_000),
        (solver.OnlineSVC, 20_000),
        (solver.DualAscentSVC, 600),  # its steps take time quadratic in n
    ],
)
def test_the_pickle_of_a_model_has_the_size_of_what_it_predicts_with(kind: type[Any], n: int) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = np.array([[-3.0, 0.0], [3.0, 0.0], [0.0, 3.0]])[y] + rng.uniform(-1.0, 1.0, (n, 2))
    few, many = kind().fit(X[:200], y[:200]), kind().fit(X, y)
    n_more = len(getattr(many, "support_", ())) - len(getattr(few, "support_", ()))
    assert abs(n_more) < 20  # of `n` points, which would be 12 kB and more
    # Two coordinates, a number, and three coefficients in two arrays; whole numbers take some bytes more or less.
    assert abs(len(pickle.dumps(many)) - len(pickle.dumps(few))) < 100 + 80 * abs(n_more)


def test_the_pickle_of_a_model_that_learns_on_has_the_size_of_the_points_it_keeps() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 2
    X = np.array([[-3.0, 0.0], [3.0, 0.0]])[y] + rng.uniform(-1.0, 1.0, (3000, 2))
    model = solver.OnlineSVC()
    for first in range(0, 2000, 500):
        model.partial_fit(X[first : first + 500], y[first : first + 500])
    data = pickle.dumps(model)
    kept = model._online[0].size
    assert kept < 1000 and len(data) < 6000 + 100 * kept  # its kernel rows, in memory, take 8 bytes a pair
    again = pickle.loads(data)
    for each in (model, again):
        each.partial_fit(X[2000:], y[2000:])
    assert (again.support_ == model.support_).all() and (again.dual_coef_ == model.dual_coef_).all()
