"""The package itself: its public names, what importing it costs, and that every public thing is documented."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import solver

TREE = ast.parse(Path(solver.__file__).read_text())


def test_the_three_lists_of_names_agree() -> None:
    typed = {
        alias.name: node.module
        for node in ast.walk(TREE)
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
    }
    assert typed == solver._HOME
    assert sorted(typed) == sorted(solver.__all__) == sorted(dir(solver))
    for name in solver.__all__:
        assert getattr(solver, name) is getattr(import_module(f"solver.{solver._HOME[name]}"), name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        solver.nonsense  # noqa: B018


def test_importing_the_package_costs_next_to_nothing() -> None:
    code = (
        "import sys; import solver; assert not {'numba', 'numpy'} & set(sys.modules);"
        "from solver import SVC; assert 'numba' in sys.modules and 'solver.neighbors' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(solver.__file__).parents[1])


def public_things() -> list[tuple[str, object]]:
    """Every public module, class, function, method and property of the package."""
    found: list[tuple[str, object]] = []
    for info in pkgutil.iter_modules(solver.__path__):
        if info.name.startswith("__main"):
            continue
        module = import_module(f"solver.{info.name}")
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
