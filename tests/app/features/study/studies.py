"""Small studies that the tests share."""

from __future__ import annotations

from pathlib import Path

import msgspec

from app.core.points import Points
from app.features.study import engines, exporting, results
from app.features.study.cells import paths
from app.features.study.computing import Given, Record
from app.features.study.model import Axis, Study
from app.learners.svm import SvmSettings
from app.state.document import Document, GeneratorSettings, Lane

GRID = Study(
    "grid",
    (Axis("C", (0.1, 1.0, 10.0)), Axis("gamma", (0.3, 3.0))),
    ("accuracy", "support_vectors", "dual"),
    Lane("svm"),
    GeneratorSettings("circle", 30, 0.2),
    folds=3,
    repetitions=2,
)
KNN = Study(
    "efficiency",
    (Axis("n", (5, 10, 20)), Axis("k", (1, 5, 10, 20)), Axis("weights", ("uniform", "distance-squared"))),
    ("accuracy",),
    Lane("knn"),
    GeneratorSettings("line", 5, 0.0),
    repetitions=2,
    draws=3,
    test=40,
    test_on="square",
    k_up_to_n=True,
)


def with_tol(study: Study, tol: float) -> Study:
    """`study` of SVMs that are trained to this tolerance."""
    return msgspec.structs.replace(study, lane=Lane("svm", svm=SvmSettings(tol=tol)))


def computed(study: Study, given: Given | None = None) -> list[Record]:
    """All results, in this process."""
    return [record for records in engines.run(study, given, paths(study), None) for record in records]


def plain(study: Study, records: list[Record]) -> list[str]:
    """The lines of the export without their seconds."""
    lines = exporting.table(study, records).decode().splitlines()
    return [line.rpartition(",")[0] for line in lines]


def exported(folder: Path) -> list[str]:
    """What is in `folder`, without the seconds."""
    found = results.read(folder)
    assert found.study is not None
    return plain(found.study, list(found.records.values()))


def no_document(path: Path | None) -> Document:
    raise AssertionError(path)


def document_of(n: int = 20) -> Document:
    """A document with some points."""
    points = GeneratorSettings("moons", n, 0.2).points()
    return Document(points=points, lanes=(Lane("svm"),), shown=1)


def given_of(points: Points) -> Given:
    return Given.of(points, Points())
