"""Standardised points: the axes report it, the file keeps it, and exports have the original units."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from app.core.points import Points
from app.exchange.columns import Choice, Imported, convert
from app.exchange.importing import decode, read
from app.files import documents
from app.state.commands import Clear, Generate, ImportPoints
from app.state.document import Document, View, default_document
from app.window.main_window import MainWindow
from tests.windows import Make, finish_tasks, settle

PEOPLE = "height,weight,class\n" + "".join(f"{160.2 + 3 * k:.1f},{55 + 4.5 * k:.1f},{k % 2 + 1}\n" for k in range(12))


def imported(text: str = PEOPLE, standardise: bool = True) -> Imported:
    return convert(decode(text.encode(), "people.csv", ".csv"), Choice(0, 1, 2, standardise))


def command(found: Imported, add: bool = False) -> ImportPoints:
    return ImportPoints(xy=found.xy, labels=found.labels, axes=found.axes, scaling=found.scaling, add=add)


def test_the_axes_report_it_and_the_units_are_restored() -> None:
    document = command(imported()).apply(default_document())
    assert document.axes == ("height (standardised)", "weight (standardised)")
    assert np.allclose(document.points.xy.mean(axis=0), 0) and np.allclose(document.points.xy.std(axis=0), 1)
    xy, axes = document.measured
    assert axes == ("height", "weight")
    assert np.array_equal(xy, imported(standardise=False).xy)  # to the last digit
    plain = command(imported(standardise=False)).apply(document)
    assert plain.axes == ("height", "weight") and plain.scaling is None


def test_more_of_them_are_standardised_like_those_that_are_there() -> None:
    document = command(imported()).apply(default_document())
    others = imported(PEOPLE.replace("160.2", "150.0"))
    both = command(others, add=True).apply(document)
    assert both.scaling == document.scaling and both.axes == document.axes
    raw = imported(PEOPLE.replace("160.2", "150.0"), standardise=False).xy
    assert np.allclose(both.measured[0][12:], raw)


def test_other_points_are_in_no_units() -> None:
    document = command(imported()).apply(default_document())
    made = Generate(settings=document.generator).apply(document)
    assert made.scaling is None and made.axes == ("height", "weight")
    assert Clear().apply(document).scaling == document.scaling  # points drawn by hand are in the units of the axes


def test_files_keep_it_and_others_stay_as_they_were() -> None:
    document = command(imported()).apply(default_document())
    data = documents.encode(document)
    assert documents.decode(data, "people").scaling == document.scaling
    plain = documents.encode(default_document())
    assert b"scaling" not in plain and documents.decode(plain, "moons").scaling is None


def test_the_export_is_what_was_imported(make: Make, qtbot: object, tmp_path: Path) -> None:
    window: MainWindow = make(Document())
    window.controller.import_points(imported(), False)
    path = tmp_path / "people.csv"
    window.import_export.export(path)
    finish_tasks(window)
    assert path.read_text() == PEOPLE.replace(".0,", ".0,")
    assert np.array_equal(convert(read(path), Choice(0, 1, 2)).xy, imported(standardise=False).xy)
    window.controller.undo()
    assert window.document.scaling is None and not len(window.document.points)
    settle(qtbot, window)  # type: ignore[arg-type]


@pytest.mark.parametrize("far", [True, False])
def test_a_picture_of_one_grey_tie_explains_it(make: Make, qtbot: object, far: bool) -> None:
    xy = np.array([[0.0, 0], [1000, 0], [0, 1000], [1000, 1000]]) * (1 if far else 1e-3)
    points = Points.of(xy, np.array([0, 1, 1, 0]))
    window = make(replace(default_document(), points=points, view=View.fitting(points), origin=None))
    window.refresh()
    assert window.scene is not None
    svm = window.scene.lanes[1]
    assert ("γ = 1" in svm.message) == far
    assert "\n" not in svm.message and svm.picture is not None
