"""Test points in the pictures: hollow in the colour and shape of their class, marked and selected like the others."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.core.points import MAX_CLASSES, Points
from app.features.table import FEATURES
from app.state.commands import PaintTestPoints
from app.state.document import Document, Lane, View
from app.state.split import IdSet, Split
from app.views.export.layout import PictureSpec, Sheet, shoot
from app.views.plot import symbols
from app.views.plot.symbol_painting import FIRST_TEST, KINDS
from app.views.theme import DARK, LIGHT, Theme
from app.window.main_window import MainWindow
from tests.covering import first_of
from tests.windows import Make, settle

LOCATIONS = np.array([(x, y) for x in (-1.0, -0.5, 0.5, 1.0) for y in (-0.6, 0.0, 0.6)])
CLASSES = (LOCATIONS[:, 0] > 0).astype(int)


def drawn(theme: Theme, kind: str, scale: float = 1.0) -> np.ndarray:
    image = QImage(31, 31, QImage.Format.Format_RGB32)
    image.fill(0xFF808080)
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(15.5, 15.5)
        symbols.draw(painter, theme, kind, scale)
    finally:
        painter.end()
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(31, 31).copy() & 0xFFFFFF


def rgb(colour: tuple[int, int, int]) -> int:
    return colour[0] << 16 | colour[1] << 8 | colour[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("label", range(MAX_CLASSES))
@pytest.mark.parametrize("scale", [1.0, 7 / 11])
def test_a_test_point_is_its_class_with_a_hole(theme: Theme, label: int, scale: float) -> None:
    whole, hollow = drawn(theme, str(label), scale), drawn(theme, f"test{label}", scale)
    assert KINDS[FIRST_TEST + label] == f"test{label}"
    assert whole[15, 15] == rgb(theme.classes[label]) and hollow[15, 15] == rgb(theme.background)
    assert ((whole != 0x808080) == (hollow != 0x808080)).all(), "as large"
    assert (whole != hollow).sum() >= (9 if scale == 1 else 4)


def test_all_kinds_of_test_points_are_distinct() -> None:
    found = [drawn(LIGHT, kind).tobytes() for kind in KINDS]
    assert len(set(found)) == len(found)


def document(test: list[int]) -> Document:
    lanes = (Lane("knn"), Lane("svm"))
    points = Points.of(LOCATIONS, CLASSES)
    return Document(points, lanes, view=View(0.0, 0.0, 2.6), split=Split("painted", painted=IdSet(test)))


def at(window: MainWindow, lane: int, index: int) -> int:
    canvas = window.canvases[lane]
    image = canvas.viewport().grab().toImage()
    ratio = image.devicePixelRatio()
    pixel = window.to_widget(lane, *window.document.points.xy[index])
    return image.pixel(int(pixel.x() * ratio), int(pixel.y() * ratio)) & 0xFFFFFF


@pytest.mark.parametrize("theme", first_of([LIGHT, DARK], 1), ids=["light", "dark"])
def test_the_pictures_draw_them_hollow(make: Make, qtbot: QtBot, theme: Theme) -> None:
    window = make(document([0, 7]))
    window.appearance.choose_theme("dark" if theme.dark else "light")
    settle(qtbot, window)
    for lane in (0, 1):
        for index in range(12):
            expected = theme.background if index in (0, 7) else theme.classes[CLASSES[index]]
            assert at(window, lane, index) == rgb(expected)
    window.controller.splitting.choose("none")
    settle(qtbot, window)
    assert at(window, 0, 0) == rgb(theme.classes[0])
    window.controller.undo()
    settle(qtbot, window)
    assert at(window, 0, 0) == rgb(theme.background)


def test_a_selected_test_point_stays_hollow(make: Make, qtbot: QtBot) -> None:
    window = make(document([0]))
    window.controller.editing.select(window.document.points.ids[:2])
    settle(qtbot, window)
    theme = LIGHT if not window.scene.session.dark else DARK
    assert at(window, 0, 0) == rgb(theme.background) and at(window, 0, 1) == rgb(theme.classes[0])
    canvas = window.canvases[0]
    image = canvas.viewport().grab().toImage()
    pixel = window.to_widget(0, *LOCATIONS[0])
    near = {image.pixel(pixel.x() + d, pixel.y()) & 0xFFFFFF for d in range(-9, 10)}
    assert rgb(symbols.HIGHLIGHT) in near


def test_the_legend_explains_them_while_there_are_any(make: Make, qtbot: QtBot) -> None:
    window = make(document([]))
    window.named_actions["legend"].trigger()
    settle(qtbot, window)

    def report() -> list[str]:
        return [
            label.text() for label in window.findChildren(QLabel) if label.isVisible() and "Test point" in label.text()
        ]

    assert report() == []
    window.controller.splitting.set_ratio(0.3)
    settle(qtbot, window)
    assert report() == ["Test point: nothing is trained on it"]


def test_marks_of_support_vectors_stay_with_their_points(make: Make, qtbot: QtBot) -> None:
    window = make(document([0, 1, 2, 9]))
    scene = window.scene
    marks, frame = scene.lanes[1].marks, window.result(1)
    points = window.document.points
    for shown, own in ((marks.free, frame.marks.free), (marks.bounded, frame.marks.bounded)):
        assert points.ids[shown].tolist() == frame.points.ids[own].tolist()
        assert not set(shown.tolist()) & {0, 1, 2, 9}
    assert len(marks.free) + len(marks.bounded) >= 2


def test_exported_pictures_have_them_hollow_and_explain_them(make: Make) -> None:
    window = make(document([0, 7]))
    frames = [window.result(0), window.result(1)]
    sheet = Sheet(shoot(FEATURES, window.scene, frames, "window"), PictureSpec("window"))
    assert ("test", "Test point: nothing is trained on it") in sheet.entries
    assert sheet.plots[0].scene.parts.held_out.tolist() == [0, 7]


def test_they_are_drawn_anew_where_nothing_learns(make: Make, qtbot: QtBot) -> None:
    """Points of one class: no model, no marks, and yet another picture."""
    lonely = Points.of(LOCATIONS, np.zeros(12))
    window = make(Document(lonely, (Lane("svm"),), 1, view=View(0.0, 0.0, 2.6)))
    theme = LIGHT if not window.scene.session.dark else DARK
    assert at(window, 0, 0) == rgb(theme.classes[0])
    window.controller.dispatch(PaintTestPoints(ids=[0]))
    settle(qtbot, window)
    assert at(window, 0, 0) == rgb(theme.background) and at(window, 0, 1) == rgb(theme.classes[0])
