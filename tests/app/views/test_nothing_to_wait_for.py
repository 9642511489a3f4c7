"""No sentence promises a result ("Comparing…") that never comes: without points, with one point, with one class."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.table import FEATURES
from app.main import render
from app.state.commands import AddLane, Clear, ImportPoints
from app.state.document import Document, Lane, default_document
from app.window.main_window import MainWindow
from tests.windows import Make, settle

#: Numbers of points, and of their classes.
FEW = {"no points": 0, "one point": 1, "one class": 5}
PANELS = [each.dock.name for each in FEATURES if each.dock is not None]


def few(name: str) -> Document:
    """Return a document with so few points that no SVM can be trained, and a lane for the difference."""
    xy = [(float(x), 0.5 * x) for x in range(FEW[name])]
    document = replace(default_document(), points=Points.of(xy, [0] * len(xy)), origin=None)
    return AddLane(index=2, lane=Lane("difference")).apply(document)


def promises(window: MainWindow) -> Iterator[str]:
    """Yield the visible sentences that end in "…", as those do that wait for something."""
    assert window.scene is not None
    for lane in window.scene.lanes:
        yield from (text for text in (lane.headline, lane.message) if text.endswith("…"))
    for label in window.findChildren(QLabel):
        if label.isVisible() and label.text().removesuffix("</b></span>").endswith("…"):
            yield f"{label.objectName()}: {label.text()}"


@pytest.mark.parametrize("name", FEW)
def test_a_lane_for_the_difference_waits_for_what_the_others_wait_for(make: Make, name: str) -> None:
    window = make(few(name))
    assert window.scene is not None
    svm, difference = window.scene.lanes[1:]
    assert difference.headline == svm.headline and svm.headline.startswith("Waiting for ")
    if name == "no points":
        assert difference.message == svm.message
    assert not list(promises(window))


def test_a_lane_for_the_difference_without_a_second_classifier_does_not_compare(make: Make) -> None:
    window = make(replace(few("no points"), shown=1, lanes=(Lane("difference"), Lane(), Lane())))
    window.controller.dispatch(ImportPoints(xy=((0.0, 0.0), (1.0, 1.0)), labels=(0, 1)))
    window.refresh()
    assert window.scene is not None and window.scene.lanes[0].headline == "Nothing to compare"


@pytest.mark.slow
@pytest.mark.parametrize("panel", PANELS)
def test_no_panel_waits_for_a_result_that_never_comes(make: Make, qtbot: QtBot, panel: str) -> None:
    """The points become few while the panel is open."""
    window = make(AddLane(index=2, lane=Lane("difference")).apply(default_document()))
    window.named_actions[panel].trigger()
    settle(qtbot, window)
    for name in FEW:
        points = few(name).points
        window.controller.dispatch(ImportPoints(xy=points.xy, labels=points.labels) if len(points) else Clear())
        settle(qtbot, window)
        qtbot.waitUntil(lambda: not list(promises(window)))


@pytest.mark.parametrize("name", FEW)
def test_the_summary_of_a_picture_waits_for_the_same(name: str, make: Make, tmp_path: Path) -> None:
    summary = render(few(name), tmp_path / "picture.png", (980, 560), "light")
    assert "…" not in summary and summary.count("Waiting for ") == (3 if name == "no points" else 2)
