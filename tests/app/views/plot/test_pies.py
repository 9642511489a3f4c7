"""Points of several classes at one location: drawn as a pie, named, and selected in turn."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.points import MAX_CLASSES, Points, first_at
from app.scene.marks import MOST_PIES, MOST_WITH_PIES, PointMarks, pies
from app.state.document import CLASS_NAMES, ClassStyle, Document, Lane, View
from app.state.split import IdSet, Split, unsplit
from app.tools.selecting import in_turn
from app.views.export.layout import PictureSpec, Sheet
from app.views.theme import LIGHT
from app.views.widgets.painting import painter_on
from app.window.main_window import MainWindow
from app.window.panels.point_table import PointTable
from tests.app.views.plot.test_test_points import drawn, rgb
from tests.windows import Make, settle

#: Petals: setosa alone, and three at (4.8, 1.8), of which two are virginica.
XY = [(1.4, 0.2), (4.8, 1.8), (4.8, 1.8), (4.8, 1.8), (5.5, 1.0)]
LABELS = [0, 1, 2, 2, 1]
NAMES = ("setosa", "versicolor", "virginica")


def petals(**more: object) -> Document:
    styles = tuple(ClassStyle(name=name) for name in (*NAMES, *CLASS_NAMES[3:]))
    return Document(
        Points.of(XY, LABELS), (Lane("knn"), Lane("svm")), shown=1, view=View(3.5, 1.2, 6.0), styles=styles, **more
    )


def pixel_of(window: MainWindow, index: int) -> QPoint:
    return window.to_widget(0, *window.document.points.xy[index])


def colours_beside(image: QImage, at: QPointF, side: int, ratio: float = 1.0) -> set[int]:
    """Return the colours of a pie's left (-1) or right (1) half."""
    columns, rows = at.x() + side * np.arange(2.0, 8.0), at.y() + np.arange(-8.0, 9.0)
    return {image.pixel(int(x * ratio), int(y * ratio)) & 0xFFFFFF for x in columns for y in rows}


def click(window: MainWindow, index: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> list[int]:
    """Click at a point, and return the indices of the selected points."""
    QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, keys, pixel_of(window, index))
    window.refresh()
    return window.document.points.indices_of(window.scene.session.selection.ids).tolist()


def hint(window: MainWindow) -> str:
    window.refresh()
    return window.status_line.text()


def test_a_pie_shows_each_class_at_a_location(make: Make, qtbot: QtBot) -> None:
    window = make(petals())
    settle(qtbot, window)
    canvas, at = window.canvases[0], pixel_of(window, 1)
    image = canvas.viewport().grab().toImage()
    left, right = (colours_beside(image, QPointF(at), side, image.devicePixelRatio()) for side in (-1, 1))
    versicolor, virginica = rgb(LIGHT.classes[1]), rgb(LIGHT.classes[2])
    assert versicolor in left and virginica not in left and virginica in right and versicolor not in right
    assert "pie3" in window.scene.legend_kinds
    window.controller.editing.select(window.document.points.ids[1:4])
    window.controller.editing.remove_selected()
    settle(qtbot, window)
    assert "pie3" not in window.scene.legend_kinds


def test_shape_names_the_classes_without_colours() -> None:
    grey = replace(LIGHT, classes=((150, 150, 150),) * MAX_CLASSES)
    pairs = [drawn(grey, f"pie{1 << a | 1 << b}") for a in range(8) for b in range(a)]
    unlike = [int((first != second).sum()) for i, first in enumerate(pairs) for second in pairs[:i]]
    assert min(unlike) > 20, "no two pairs of classes look alike in grey"
    holes = drawn(LIGHT, f"pie{1 | 1 << MAX_CLASSES}")
    background = holes == rgb(LIGHT.background)
    assert background[:, 16:].any() and not background[:, :15].any(), "the right half is the test point's"


def test_clicks_go_through_the_points_at_a_location(make: Make, qtbot: QtBot) -> None:
    window = make(petals())
    settle(qtbot, window)
    assert [click(window, 1) for _ in range(4)] == [[3], [2], [1], [3]]
    settle(qtbot, window)
    at = pixel_of(window, 1)
    assert window.canvases[0].viewport().grab().toImage().pixel(at) & 0xFFFFFF == rgb(LIGHT.classes[2])
    assert click(window, 1, Qt.KeyboardModifier.ControlModifier) == []
    shift = Qt.KeyboardModifier.ShiftModifier
    assert [click(window, 1, shift) for _ in range(3)] == [[3], [2, 3], [1, 2, 3]]
    assert click(window, 0) == [0] and click(window, 4) == [4]


def test_a_drag_moves_the_selected_one(make: Make, qtbot: QtBot) -> None:
    window = make(petals())
    settle(qtbot, window)
    click(window, 1), click(window, 1), click(window, 1)
    canvas, at = window.canvases[0].viewport(), pixel_of(window, 1)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    for step in range(1, 5):
        QTest.mouseMove(canvas, at + QPoint(0, 15 * step))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at + QPoint(0, 60))
    moved = (window.document.points.xy != np.array(XY)).any(axis=1)
    assert moved.tolist() == [False, True, False, False, False]


def test_tab_goes_through_them_and_then_leaves_the_picture(make: Make, qtbot: QtBot) -> None:
    window = make(petals())
    settle(qtbot, window)
    canvas = window.canvases[0]
    canvas.setFocus()
    click(window, 1)
    visited = []
    while canvas.hasFocus() and len(visited) < 9:
        visited += window.document.points.indices_of(window.scene.session.selection.ids).tolist()
        QTest.keyClick(canvas, Qt.Key.Key_Tab)
        window.refresh()
    assert visited == [3, 2, 1]
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Backtab)
    window.refresh()
    assert window.document.points.indices_of(window.scene.session.selection.ids).tolist() == [2]


def test_status_line_and_table_name_all(make: Make, qtbot: QtBot) -> None:
    window = make(petals())
    settle(qtbot, window)
    QTest.mouseMove(window.canvases[0].viewport(), pixel_of(window, 1))
    here = "3 points here: 1 of versicolor, 2 of virginica"
    assert hint(window).startswith(f"{here}  ·  click: select them in turn")
    click(window, 1), click(window, 1), click(window, 1)
    assert hint(window).startswith(f"The selected point, of versicolor; {here}  ·  click or Tab: the next")
    window.canvases[0].leaveEvent(None)  # type: ignore[arg-type]
    assert hint(window).startswith(f"1 point selected, of versicolor; {here}  ·  Tab: the next")
    window.named_actions["table"].trigger()
    settle(qtbot, window)
    table = window.findChild(PointTable)
    assert table is not None
    model = table.model()
    assert here in str(model.data(model.index(2, 3), Qt.ItemDataRole.ToolTipRole))
    assert "here" not in str(model.data(model.index(0, 3), Qt.ItemDataRole.ToolTipRole))


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_exported_pictures_show_them(make: Make, qtbot: QtBot, tmp_path: Path, suffix: str) -> None:
    window = make(petals())
    settle(qtbot, window)
    spec, path = PictureSpec("lane0", 600, 500, 1.0), tmp_path / f"picture.{suffix}"
    assert window.picture_maker.make(window.shoot("lane0"), spec, path)
    qtbot.waitUntil(lambda: not window.picture_maker.busy)
    image = QImage(600, 500, QImage.Format.Format_RGB32)
    with painter_on(image) as painter:
        if suffix == "svg":
            QSvgRenderer(str(path)).render(painter)
        else:
            painter.drawImage(0, 0, QImage(str(path)))
    sheet = Sheet(window.shoot("lane0"), spec)
    grid, area = sheet.plots[0].grid, sheet.plots[0].area
    x = area.left() + (4.8 - grid.left) / (grid.right - grid.left) * area.width()
    y = area.bottom() - (1.8 - grid.bottom) / (grid.top - grid.bottom) * area.height()
    left, right = (colours_beside(image, QPointF(x, y), side) for side in (-1, 1))
    assert rgb(LIGHT.classes[1]) in left - right and rgb(LIGHT.classes[2]) in right - left
    assert "pie3" in dict(sheet._legend(window.shoot("lane0")))
    sheet.close()


@pytest.mark.slow
def test_a_tex_file_shows_them(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(petals())
    settle(qtbot, window)
    path = tmp_path / "a.tex"
    assert window.picture_maker.make(window.shoot("lane0"), PictureSpec("lane0", 600, 500, 1.0), path)
    qtbot.waitUntil(lambda: not window.picture_maker.busy)
    text = path.read_text()
    found = r"shift=\{\(axis cs:(.*?)\)\}\]\n\\clip .*? \((\S+):9pt\) arc.*\n.*mark=(\S+), .* fill=class(\d)\}\]"
    sectors = re.findall(found, text)
    assert sectors == [
        ("4.8,1.8", "90", "square*", "2"),
        ("4.8,1.8", "270", "triangle*", "3"),
    ]  # counterclockwise: the first is the left half
    if shutil.which("pdflatex"):
        command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", path.name]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
    if shutil.which("pdftoppm"):
        subprocess.run(["pdftoppm", "-r", "300", "-png", "a.pdf", "a"], cwd=tmp_path, check=True)
        image = QImage(str(next(tmp_path.glob("a-*.png")))).convertToFormat(QImage.Format.Format_RGB32)
        pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[..., 2::-1]
        assert (pixels == LIGHT.classes[2]).all(axis=2).any()  # virginica is nowhere else


def test_pies_of_training_and_test_points() -> None:
    document = petals(split=Split("painted", painted=IdSet([3])))
    found = document.parts and pies(document.points, document.parts)
    assert isinstance(found, PointMarks)
    assert found.index.tolist() == [1] and found.kinds == (f"pie{2 + 4 + (4 << MAX_CLASSES)}",)
    alone = Points.of([(0, 0), (0, 0)], [1, 1])
    assert pies(alone, unsplit(alone)) is None


def test_very_many_different_pies_have_no_holes() -> None:
    rng = np.random.default_rng(0)
    points = Points.of(rng.integers(0, 25, (5000, 2)), rng.integers(0, 8, 5000))
    parts = Document(points, split=Split("ratio")).parts
    found = pies(points, parts)
    assert found is not None and len(found.kinds) <= MOST_PIES
    first, sums = first_at(points), np.zeros(len(points), dtype=int)
    np.bitwise_or.at(sums, first, 1 << points.labels.astype(int))
    assert [found.kinds[kind] for kind in found.kind] == [f"pie{sums[index]}" for index in found.index]


def test_points_with_very_small_symbols_have_no_pies() -> None:
    points = Points.of(np.zeros((MOST_WITH_PIES + 1, 2)), np.arange(MOST_WITH_PIES + 1) % 2)
    assert pies(points, unsplit(points)) is None
    fewer = points.remove([0])
    assert pies(fewer, unsplit(fewer)) is not None


def test_the_next_of_a_stack() -> None:
    stack = np.array([9, 5, 2])
    assert in_turn(stack, np.array([4])).tolist() == [9] and in_turn(stack[:0], stack).tolist() == []
    assert in_turn(stack, np.array([5])).tolist() == [2] and in_turn(stack, np.array([2])).tolist() == [9]
    assert in_turn(stack, np.array([5, 9]), on=False).tolist() == [5]
