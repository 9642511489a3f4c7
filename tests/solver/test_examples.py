"""Every public name has an Examples section, and its examples print what they claim."""

from __future__ import annotations

import ast
import doctest
import inspect
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest

import solver
import solver.kernels

NAMES = [f"solver.{name}" for name in solver.__all__] + [
    f"solver.kernels.{name}" for name in solver.kernels.__all__ if name not in solver.__all__
]


def docstring_of_constant(name: str) -> str:
    """Return the string below the assignment of the public constant `name`, where Sphinx looks for it, too."""
    source = inspect.getsource(import_module(f"solver.{solver._HOME[name]}"))
    body = ast.parse(source).body
    for statement, following in pairwise(body):
        if isinstance(statement, ast.AnnAssign | ast.Assign) and isinstance(following, ast.Expr):
            target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
            if ast.unparse(target) == name:
                return str(ast.literal_eval(following.value))
    return ""


def docstrings_of(name: str) -> dict[str, str]:
    """Return the docstring of the public name, then those of the methods that its class defines."""
    package, _, short = name.rpartition(".")
    thing: Any = getattr(import_module(package), short)
    if not inspect.isclass(thing) and not inspect.isfunction(thing):
        return {name: docstring_of_constant(short)}
    members = vars(thing) if inspect.isclass(thing) else {}
    found = {name: thing.__doc__} | {f"{name}.{member}": value.__doc__ for member, value in members.items()}
    return {each: inspect.cleandoc(text) for each, text in found.items() if isinstance(text, str)}


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_public_name_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Before each docstring, doctest's debugger looks whether any source file that was ever quoted has changed.
    monkeypatch.setattr("linecache.checkcache", lambda filename=None: None)
    docstrings = docstrings_of(name)
    _, _, examples = docstrings.get(name, "").partition("\nExamples\n--------\n")
    assert ">>> " in examples, f"{name} has no examples"
    runner = doctest.DocTestRunner(verbose=False)
    for location, text in docstrings.items():
        test = doctest.DocTestParser().get_doctest(text, {}, location, None, None)
        report: list[str] = []
        runner.run(test, out=report.append)
        assert not runner.failures, "".join(report)
