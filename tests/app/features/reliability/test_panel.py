"""The panel: a curve for each classifier, its numbers beside the ideal ones, and the sentence without them."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.features.reliability.panel import ErrorMapChart, ReliabilityChart
from app.features.reliability.scene import ReliabilityScene
from app.features.reliability.text import NO_MAPS
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, default_document
from app.views.chart.marks import ColourBar, Line, Strokes, SurfaceMark
from tests.windows import Make, settle

MOONS = GeneratorSettings("moons", count=40, noise=0.3)
KNN, SVM = Lane("knn", knn=KnnSettings(n_neighbors=15)), Lane("svm", shading="probability")


def document(*lanes: Lane, generated: bool = True) -> Document:
    origin = MOONS if generated else None
    return replace(default_document(), points=MOONS.points(), origin=origin, lanes=lanes, shown=len(lanes))


def test_each_classifier_has_a_curve_and_its_losses(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM, KNN, Lane("difference")))
    window.named_actions["reliability"].trigger()
    settle(qtbot, window)
    scene = window.scene.feature(ReliabilityScene)
    assert [lane.name for lane in scene.lanes] == ["1 SVM", "2 kNN"]
    assert all(lane.value is not None and not lane.stale and not lane.message for lane in scene.lanes)
    chart = window.findChild(ReliabilityChart)
    lines = {mark.name: mark for mark in chart.marks if isinstance(mark, Line) and mark.name}
    for lane in scene.lanes:
        assert np.array_equal(lines[lane.name].y, lane.value.curve.observed)
    assert sum(isinstance(mark, Strokes) for mark in chart.marks) == 2
    assert chart.x.title == "predicted for class 2 →"
    table = window.findChild(QLabel, "reliability.table").accessibleDescription()
    for lane in scene.lanes:
        assert f"{lane.value.log_loss:.3f}" in table and f"{lane.value.brier_score:.3f}" in table
    assert "true probabilities" in table and f"{scene.lanes[0].value.ideal[0]:.3f}" in table
    chart.read_by_keys((0, 3))
    report = chart.accessibleDescription()
    assert "predicted" in report and "observed" in report and "true" in report and " %" in report
    about, maps = window.findChild(QLabel, "reliability.maps"), window.findChildren(ErrorMapChart)
    assert "true probability of class 2" in about.text() and len(maps) == 4
    assert [chart.isVisibleTo(window) for chart in maps] == [True, True, False, False]
    for lane, map_of in zip(scene.lanes, maps, strict=False):
        assert lane.errors is not None and not lane.errors_stale and lane.errors.label == 1
        picture = next(mark.picture for mark in map_of.marks if isinstance(mark, SurfaceMark))
        warmth = (picture.argb >> 16 & 255).astype(int) - (picture.argb & 255).astype(int)
        error = lane.errors.error[::-1]
        assert (error[warmth > 60] > 0).all() and (error[warmth < -60] < 0).all() and np.ptp(warmth) > 120
        (bar,) = [mark for mark in map_of.over if isinstance(mark, ColourBar)]
        assert bar.high == -bar.low >= np.nanmax(np.abs(lane.errors.error))
        assert " %" in map_of.accessibleDescription()
    before = scene.lanes[0].value
    window.controller.set_lane(1, "knn", n_neighbors=1)
    settle(qtbot, window)
    after = window.scene.feature(ReliabilityScene)
    assert after.lanes[0].value is before, "only the classifier that has changed is asked anew"
    assert after.lanes[1].value.log_loss > scene.lanes[1].value.log_loss


def test_missing_test_points_are_reported(make: Make, qtbot: QtBot) -> None:
    window = make(document(KNN, generated=False))
    window.named_actions["reliability"].trigger()
    settle(qtbot, window)
    assert "no test points" in window.findChild(QLabel, "reliability.measured").text()
    window.controller.splitting.choose("ratio")
    settle(qtbot, window)
    (lane,) = window.scene.feature(ReliabilityScene).lanes
    assert lane.value.n_points == 24 and lane.value.ideal is None
    assert window.findChild(QLabel, "reliability.measured").text() == "On 24 test points"
    assert window.findChild(QLabel, "reliability.maps").text() == NO_MAPS
    assert not any(chart.isVisibleTo(window) for chart in window.findChildren(ErrorMapChart))
