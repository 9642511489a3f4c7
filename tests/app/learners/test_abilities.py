"""No code outside learners and solver depends on the class of a model or on the name of a classifier."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.learners.table import LEARNERS, TRAINERS

ROOT = Path(__file__).parents[3]
#: Endings of the class names of models, estimators, solvers and certificates.
KINDS = ("Classifier", "SVC", "Solver", "Certificate", "Perceptron", "SharesModel", "Expansion")
NAMES = {*LEARNERS, *TRAINERS} - {"difference"}
#: Files that name a classifier because a user chose it: documents and lessons that are made there, and studies.
CHOSEN = {
    "app/state/document.py": "the lanes of a new document",
    "app/files/examples.py": "the name of an example",
    "app/features/lessons/shipped.py": "the name of a lesson",
    "app/features/race/race_run.py": "a race is between rules of SMO, so of SVMs",
    "app/features/study/model.py": "the classifiers of the preset studies",
}


def names_in(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def faults(source: str) -> Iterator[str]:
    """Return the expressions in a file that depend on a class or a name, with their lines."""
    for node in ast.walk(ast.parse(source)):
        by_name = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        call = by_name and node.func.id in ("isinstance", "issubclass")
        if call and any(name.endswith(KINDS) for name in names_in(node.args[1])):
            yield f"{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Constant) and node.value in NAMES:
            yield f"{node.lineno}: {node.value!r}"
        if isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield f"{node.lineno}: {ast.unparse(node)}"


FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "app").rglob("*.py"))
ASKING = [name for name in FILES if not name.startswith("app/learners/") and name not in CHOSEN]


@pytest.mark.parametrize("name", CHOSEN)
def test_where_a_classifier_is_chosen_it_is_named(name: str) -> None:
    assert all("isinstance" not in fault for fault in faults((ROOT / name).read_text()))
    assert list(faults((ROOT / name).read_text())), "an entry that is not needed"


@pytest.mark.slow
def test_nothing_asks_for_a_class_or_a_name() -> None:
    found = {name: list(faults((ROOT / name).read_text(encoding="utf-8"))) for name in ASKING}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(model, PairClassifier)",
        "isinstance(model, solver.SVC | None)",
        "isinstance(run.solver, (SmoSolver, LasvmSolver))",
        "lane.classifier == 'svm'",
        "lane.learner in ('smo',)",
        "lane.knn.n_neighbors",
    ],
)
def test_such_a_question_is_found(source: str) -> None:
    assert list(faults(source))
