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
from app.state.scaling import Scaling, named
from app.window.main_window import MainWindow
from tests.windows import Make, finish_tasks, settle

PEOPLE = "height,weight,class\n" + "".join(f"{160.2 + 3 * k:.1f},{55 + 4.5 * k:.1f},{k % 2 + 1}\n" for k in range(12))


def imported() -> Imported:
    return convert(decode(PEOPLE.encode(), "people.csv", ".csv"), Choice(0, 1, 2))


def standardised() -> Document:
    """Return the people standardised as a whole, as files of earlier versions and lessons have them."""
    found = imported()
    mean_x, mean_y = found.xy.mean(axis=0).tolist()
    deviation_x, deviation_y = found.xy.std(axis=0).tolist()
    scaling = Scaling((mean_x, mean_y), (deviation_x, deviation_y))
    points = Points.of(scaling.apply(found.xy), found.labels)
    return replace(default_document(), points=points, origin=None, scaling=scaling, axes=named(found.axes))


def test_the_axes_report_it_and_the_units_are_restored() -> None:
    document = standardised()
    assert document.axes == ("height (standardised)", "weight (standardised)")
    xy, axes = document.measured
    assert axes == ("height", "weight")
    assert np.array_equal(xy, imported().xy)  # to the last digit
    found = imported()
    plain = ImportPoints(xy=found.xy, labels=found.labels, axes=found.axes).apply(document)
    assert plain.axes == ("height", "weight") and plain.scaling is None


def test_other_points_are_in_no_units() -> None:
    document = standardised()
    made = Generate(settings=document.generator).apply(document)
    assert made.scaling is None and made.axes == ("height", "weight")
    assert Clear().apply(document).scaling == document.scaling  # points drawn by hand are in the units of the axes


def test_files_keep_it_and_others_stay_as_they_were() -> None:
    document = standardised()
    data = documents.encode(document)
    assert documents.decode(data, "people").scaling == document.scaling
    plain = documents.encode(default_document())
    assert b"scaling" not in plain and documents.decode(plain, "moons").scaling is None


def test_a_table_is_added_in_the_scaling_of_the_points_there(make: Make, qtbot: object, tmp_path: Path) -> None:
    window: MainWindow = make(standardised())
    window.controller.import_points(imported(), True)
    assert np.allclose(window.document.measured[0][12:], imported().xy)
    assert np.allclose(window.document.points.xy[12:], window.document.points.xy[:12])
    path = tmp_path / "people.csv"
    window.import_export.export(path)
    finish_tasks(window)
    assert np.array_equal(convert(read(path), Choice(0, 1, 2)).xy[:12], imported().xy)
    settle(qtbot, window)  # type: ignore[arg-type]


def test_the_classifiers_standardise_an_imported_table(make: Make, qtbot: object) -> None:
    window: MainWindow = make(Document())
    window.controller.import_points(replace(imported(), standardise=True), False)
    assert all(lane.standardises for lane in window.document.lanes)
    assert np.array_equal(window.document.points.xy, imported().xy) and window.document.axes == ("height", "weight")
    window.controller.import_points(imported(), True)  # added ones change no classifier
    assert all(lane.standardises for lane in window.document.lanes)
    window.controller.import_points(imported(), False)
    assert not any(lane.standardises for lane in window.document.lanes)
    window.controller.undo()
    assert all(lane.standardises for lane in window.document.lanes) and len(window.document.points) == 24
    window.controller.new()
    assert window.document.view == View() and window.document.axes == ("", "")
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
