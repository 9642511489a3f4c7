"""Small studies shared by the tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from app.core.points import Points
from app.features.study import engines, results
from app.features.study.cells import paths
from app.features.study.computing import Given, Record
from app.features.study.model import Study, StudyAxis
from app.features.study.results import StudyResults
from app.learners.svm import SvmSettings
from app.state.document import Document, GeneratorSettings, Lane

GRID = Study(
    "grid",
    (StudyAxis("C", (0.1, 1.0, 10.0)), StudyAxis("gamma", (0.3, 3.0))),
    ("accuracy", "support_vectors", "dual"),
    Lane("svm"),
    GeneratorSettings("circle", 30, 0.2),
    folds=3,
    repetitions=2,
)
KNN = Study(
    "efficiency",
    (
        StudyAxis("n", (5, 10, 20)),
        StudyAxis("k", (1, 5, 10, 20)),
        StudyAxis("weights", ("uniform", "distance-squared")),
    ),
    ("accuracy",),
    Lane("knn"),
    GeneratorSettings("line", 5, 0.0),
    repetitions=2,
    draws=3,
    test=40,
    test_on="square",
    k_up_to_n=True,
)

#: With one point per class, each fold has one class only: these cells fail.
FAILING = msgspec.structs.replace(
    GRID, axes=(StudyAxis("n", (1, 10)), StudyAxis("gamma", (0.3, 3.0))), values=("accuracy",)
)


def with_tol(study: Study, tol: float) -> Study:
    """Return `study` of SVMs, trained to this tolerance."""
    return msgspec.structs.replace(study, lane=Lane("svm", svm=SvmSettings(tol=tol)))


def computed(study: Study, given: Given | None = None, **options: Any) -> list[Record]:
    """Return all results, by default computed in this process."""
    return [record for records, _ in engines.run(study, given, paths(study), None, **options) for record in records]


def results_of(study: Study, records: Iterable[Record]) -> StudyResults:
    """Return these records as the results of the window and the command line."""
    found = StudyResults(study)
    for record in records:
        found.add(record)
    return found


def plain(study: Study, records: Iterable[Record]) -> list[str]:
    """Return the lines of the export without their seconds."""
    lines = results_of(study, records).table().decode().splitlines()
    return [line.rpartition(",")[0] for line in lines]


def exported(folder: Path) -> list[str]:
    """Return the export of `folder`, without the seconds."""
    found = results.read(folder)
    return plain(found.study, found.records())


def no_document(path: Path | None) -> Document:
    raise AssertionError(path)


def document_of(n: int = 20) -> Document:
    """Return a document with some points."""
    points = GeneratorSettings("moons", n, 0.2).points()
    return Document(points=points, lanes=(Lane("svm"),), shown=1)


def given_of(points: Points) -> Given:
    return Given(points, Points())
