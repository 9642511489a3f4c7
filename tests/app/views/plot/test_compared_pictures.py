"""Two compared lanes under the wipe and in exported pictures, and the case without a picture."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.difference.scene import compared
from app.features.table import FEATURES
from app.state.document import Document, Lane, View
from app.views.export.layout import PictureSpec, Sheet, shoot
from tests.app.views.lane.test_lanes import document
from tests.windows import Make, settle


def sheet_of(window) -> Sheet:
    scene = window.scene
    shot = shoot(FEATURES, scene, [window.result(at) for at in range(scene.shown)], "window")
    return Sheet(shot, PictureSpec("window", 1600, 1400, 1.75))


def test_an_exported_difference_has_its_surface(make: Make) -> None:
    window = make(document("knn", "perceptron", "difference"), size=(1500, 900))
    sheet = sheet_of(window)
    try:
        assert sheet.plots[2].model_frame is not None
    finally:
        sheet.close()


def test_an_exported_picture_has_nothing_of_the_wipe(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm"))
    window.named_actions["wipe"].trigger()
    settle(qtbot, window)
    sheet = sheet_of(window)
    try:
        assert not sheet.plots[0].canvas.covers
    finally:
        sheet.close()


def test_hatching_of_an_exported_picture_covers_it(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "perceptron"), size=(1300, 800))
    window.named_actions["differing"].trigger()
    settle(qtbot, window)
    sheet = sheet_of(window)
    try:
        for plot in sheet.plots:
            for hatch in plot.lane.sheets:
                assert hatch.grid.bottom <= plot.grid.bottom and hatch.grid.top >= plot.grid.top
    finally:
        sheet.close()


def test_a_wipe_to_a_lane_without_a_picture_shows_none(make: Make, qtbot: QtBot) -> None:
    points = Points.of(np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.0]]), np.zeros(3, dtype=np.int64))
    window = make(Document(points, (Lane("knn"), Lane("svm")), shown=2, view=View(0.5, 0.5, 3.0)))
    window.named_actions["wipe"].trigger()
    settle(qtbot, window)
    area = window.canvases[0].plot_area()
    x, y = int(area.left() + 0.8 * area.width()), int(area.top() + 0.2 * area.height())
    first, second = (window.canvases[at].grab().toImage().pixel(x, y) for at in (0, 1))
    assert first == second


def test_the_wiped_part_marks_kkt_cases(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm"), size=(1500, 800))
    window.named_actions["kkt"].trigger()
    window.named_actions["wipe"].trigger()
    settle(qtbot, window)
    images = [window.canvases[at].grab().toImage() for at in (0, 1)]
    area = window.canvases[0].plot_area()
    xs = range(int(area.left() + 0.55 * area.width()), int(area.right()) - 3, 3)
    ys = range(int(area.top()) + 40, int(area.bottom()) - 50, 3)
    assert all(images[0].pixel(x, y) == images[1].pixel(x, y) for x in xs for y in ys)


def test_a_lane_is_not_compared_with_itself() -> None:
    assert compared(replace(document("knn", "svm"), compared=(1, 1))) == (1, 0)


@pytest.mark.slow
def test_a_new_lane_does_not_inherit_pause_and_speed_of_one_that_left(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm"))
    controller = window.controller
    controller.playback.set_speed(1, 0)
    controller.playback.seek(1, 3)
    settle(qtbot, window)
    controller.lanes.remove(1)
    settle(qtbot, window)
    for at in range(3):
        controller.lanes.add(at)
    settle(qtbot, window)
    assert controller.session.playing == (True,) * 4 and len(set(controller.session.speeds)) == 1
