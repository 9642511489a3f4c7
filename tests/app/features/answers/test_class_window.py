"""Answers by clicks: hand in, open, paste, show of hands, all boundaries over each other, and then Reveal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.features.answers.controller import NO_LESSON
from app.features.answers.hand_in import collected, encode, sources_in
from app.features.answers.overlay import ClassLayer, ClassOverlay, path_of
from app.features.answers.panel import Bar
from app.features.answers.scene import ClassSession
from app.features.lessons.controller import LessonController
from app.features.lessons.feature import STAGE
from app.features.lessons.model import Lesson
from app.features.lessons.state import LessonSession
from app.views.theme import DARK, LIGHT
from app.window.main_window import MainWindow
from solver import Grid
from tests.windows import Make, finish_tasks, settle

from .classes import SMALL, damaged_texts, drawn, hand_in

CLASS = [hand_in(seed) for seed in range(20)]
TEXTS = "\n".join([*map(encode, CLASS), *(text for text, _ in list(damaged_texts().values())[:10])])


def click(window: MainWindow, qtbot: QtBot, name: str) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None and button.isVisible() and button.isEnabled(), name
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    finish_tasks(window)
    settle(qtbot, window)


def shown(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text() if label.isVisible() else ""


def counts(window: MainWindow) -> list[str]:
    return [shown(window, f"class.count{letter}") for letter in "ABC"]


def begin(window: MainWindow, qtbot: QtBot, at: int = 0, text: str = TEXTS, lesson: Lesson = SMALL) -> None:
    """Open the lesson, paste the hand-ins of a class, and go to a step."""
    window.surroundings.part(STAGE).begin(lesson)
    settle(qtbot, window)
    QApplication.clipboard().setText(text)
    window.named_actions["class_answers"].trigger()
    settle(qtbot, window)
    click(window, qtbot, "class.paste")
    window.controller.feature(LessonController).go(at)
    settle(qtbot, window)


def pixels(image: QImage) -> NDArray[np.int64]:
    """Return red, green, blue and alpha of each pixel, premultiplied, shape (height, width, 4)."""
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888_Premultiplied)
    rows = np.frombuffer(plain.constBits(), dtype=np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 4 * plain.width()].reshape(plain.height(), plain.width(), 4).astype(np.int64)


def painted(overlay: ClassOverlay, dark: bool) -> QImage:
    """Return the overlay alone, on a transparent picture."""
    image = QImage(overlay.area.toRect().size(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    painter.translate(-overlay.area.topLeft())
    overlay.paint(painter, DARK if dark else LIGHT, overlay.area)
    painter.end()
    return image


@pytest.mark.parametrize("dark", [False, True])
def test_the_overlay_is_the_single_boundaries_over_each_other(qapp: QApplication, dark: bool) -> None:
    grid, area = Grid(-1.5, 1.5, -1.0, 1.0, 300, 200), QRectF(40.0, 10.0, 300.0, 200.0)
    paths = [path_of((drawn(seed),), grid, area) for seed in range(20)]
    together = pixels(painted(ClassOverlay(paths, area), dark))
    singles = [painted(ClassOverlay([path], area), dark) for path in paths]
    stacked = QImage(singles[0])
    painter = QPainter(stacked)
    for single in singles[1:]:
        painter.drawImage(0, 0, single)
    painter.end()
    # Up to the rounding of each layer.
    assert np.abs(together - pixels(stacked)).max() <= 3
    masks = np.array([pixels(single)[..., 3] > 0 for single in singles])
    assert np.array_equal(together[..., 3] > 0, masks.any(axis=0)), "no pixel more, and none less"
    # The colour is stronger where more of them agree, in whatever order they are painted.
    number, strength = masks.sum(axis=0), together[..., 3]
    means = [strength[number == each].mean() for each in range(1, 4)]
    assert means[0] < means[1] < means[2]
    assert np.abs(together - pixels(painted(ClassOverlay(paths[::-1], area), dark))).max() <= 3


def test_the_boundaries_of_very_many_are_thin(qapp: QApplication) -> None:
    grid, area = Grid(-1.5, 1.5, -1.0, 1.0, 300, 200), QRectF(0.0, 0.0, 300.0, 200.0)
    paths = [path_of((drawn(seed),), grid, area) for seed in range(300)]
    few, many = (pixels(painted(ClassOverlay(each, area), dark=False)) for each in (paths[:1], paths))
    assert (
        0
        < np.count_nonzero(pixels(painted(ClassOverlay(paths[:1] * 300, area), False))[..., 3])
        < 0.6 * (np.count_nonzero(few[..., 3]))
    )
    assert many[..., 3].max() > 240


def layers_of(window: MainWindow, lane: int = 0) -> ClassLayer:
    (layer,) = [each for each in window.canvases[lane].overlays.layers if isinstance(each, ClassLayer)]
    return layer


@pytest.mark.slow
def test_all_boundaries_lie_over_the_covered_picture_and_nothing_else_is_visible(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot, at=1)
    canvas, layer = window.canvases[0], layers_of(window)
    with_answers = canvas.grab().toImage()
    overlay = layer.laid
    assert overlay is not None and len(overlay.paths) == 20
    assert layers_of(window, 1).laid is None, "over the picture that is asked about"
    window.named_actions["class_answers"].trigger()
    settle(qtbot, window)
    assert layer.laid is None
    without = canvas.grab().toImage()
    few = {without.pixel(x, y) for x in range(60, without.width(), 7) for y in range(60, without.height(), 7)}
    assert len(few) < 40, "a covered picture"
    expected = QImage(without)
    painter = QPainter(expected)
    painter.setClipRect(overlay.area)
    painter.drawImage(overlay.area.topLeft(), painted(overlay, dark=False))
    painter.end()
    assert np.abs(pixels(with_answers) - pixels(expected)).max() <= 1
    window.named_actions["class_answers"].trigger()
    settle(qtbot, window)
    assert "20 of 20 drew a boundary." in shown(window, "class.facts") and "right" not in shown(window, "class.facts")
    click(window, qtbot, "lesson.reveal")
    assert layer.laid is not None and "right at once" in shown(window, "class.facts")
    assert window.scene is not None and window.scene.lanes[0].picture is not None


@pytest.mark.slow
def test_bars_do_not_show_the_right_answer_until_it_is_revealed(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot)
    firsts = [each.steps[0].choices[0] for each in CLASS if each.steps[0].choices]
    assert counts(window) == [str(firsts.count(index)) for index in range(3)]
    assert shown(window, "class.head") == "The class: 20 handed in" and shown(window, "class.facts") == ""

    def colours() -> list[int]:
        bars = [window.findChild(Bar, f"class.bar{letter}") for letter in "ABC"]
        return [bar.grab().toImage().pixel(4, bar.height() // 2) for bar in bars if bar is not None]

    assert len(set(colours())) == 1
    for letter, number in (("A", 4), ("C", 11)):  # with a show of hands
        field = window.findChild(QSpinBox, f"class.hands{letter}")
        assert field is not None
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, str(number))
        QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert counts(window) == [str(firsts.count(index) + (4, 0, 11)[index]) for index in range(3)]
    assert "✓" not in "".join(label.text() for label in window.findChildren(QLabel))
    window.canvases[0].setFocus()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_PageDown)  # a clicker: no guess is required
    settle(qtbot, window)
    assert window.controller.session.of(LessonSession).state.guess.revealed
    assert colours()[0] == colours()[2] != colours()[1], "the right one stands out now"
    right = sum(each.steps[0].solved for each in CLASS)
    assert shown(window, "class.facts") == f"{right} of 20 answered right at once."
    QTest.keyClick(window.canvases[0], Qt.Key.Key_PageDown)
    settle(qtbot, window)
    QTest.keyClick(window.canvases[0], Qt.Key.Key_PageUp)
    settle(qtbot, window)
    assert counts(window)[2] == str(firsts.count(2) + 11), "hands are kept by step"


@pytest.mark.slow
def test_what_is_left_out_is_named_in_a_box(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make()
    window.surroundings.part(STAGE).begin(SMALL)
    settle(qtbot, window)
    paths = [tmp_path / f"{at}.txt" for at in range(3)]
    for path, text in zip(paths, (encode(CLASS[0]), encode(CLASS[1]), encode(CLASS[2])[:-9]), strict=True):
        path.write_text(text)
    window.named_actions["open_answers"].trigger()
    dialog = window.findChild(QFileDialog, "open_answers_files")
    assert dialog is not None and dialog.fileMode() is QFileDialog.FileMode.ExistingFiles
    dialog.filesSelected.emit([str(path) for path in paths])
    dialog.reject()
    finish_tasks(window)
    settle(qtbot, window)
    assert shown(window, "class.head") == "The class: 2 handed in"
    click(window, qtbot, "class.left_out")
    box = window.findChild(QMessageBox, "left_out")
    assert box is not None and box.text() == "2.txt is damaged: its end is missing."
    box.close()
    window.take_files(paths[:2])  # dropped
    finish_tasks(window)
    settle(qtbot, window)
    assert shown(window, "class.head") == "The class: 2 handed in"
    assert window.controller.session.of(ClassSession).left_out == tuple(
        f"{at}.txt was handed in before: the last one counts." for at in range(2)
    )
    window.file_dialogs._open(paths[0])
    finish_tasks(window)
    assert len(window.controller.session.of(ClassSession).left_out) == 1, "opened like a document"


@pytest.mark.slow
def test_a_lesson_is_handed_in_by_clicks_and_read_by_the_teacher(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make()
    window.surroundings.part(STAGE).begin(SMALL)
    settle(qtbot, window)
    assert window.named_actions["hand_in"].isEnabled()
    canvas = window.canvases[0]
    for key in (Qt.Key.Key_1, Qt.Key.Key_PageDown, Qt.Key.Key_2, Qt.Key.Key_PageDown, Qt.Key.Key_PageDown):
        QTest.keyClick(QApplication.focusWidget() or canvas, key)
        settle(qtbot, window)
    view, at = canvas.viewport(), [window.to_widget(0, x, x / 2) for x in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=at[0])
    for location in at[1:]:
        QTest.mouseMove(view, location)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at[-1])
    settle(qtbot, window)
    for button in ("lesson.reveal", "lesson.next", "lesson.next"):  # the last step, and the end
        click(window, qtbot, button)
    click(window, qtbot, "lesson.hand_in")
    dialog, page = window.findChild(QWidget, "hand_in"), window.findChild(QPlainTextEdit, "hand_in.text")
    field = window.findChild(QLineEdit, "hand_in.nickname")
    assert dialog is not None and page is not None and field is not None
    QTest.keyClicks(field, "Ada")
    click(window, qtbot, "hand_in.copy")
    text = QApplication.clipboard().text()
    assert text == page.toPlainText()
    (made,) = collected(SMALL, sources_in(text, "")).hand_ins
    assert made.nickname == "Ada" and made.steps[0].choices == (0, 1) and not made.steps[0].solved
    assert len(made.steps[1].lines) == 1 and 4 <= len(made.steps[1].lines[0]) <= 5  # a straight piece may be one
    assert made.steps[1].lines[0][0] == pytest.approx((-1.0, -0.5), abs=0.01)
    assert made.steps[2].solved
    click(window, qtbot, "hand_in.save")
    files = window.findChild(QFileDialog, "hand_in_file")
    assert files is not None
    files.fileSelected.emit(str(tmp_path / "ada.txt"))
    files.reject()
    finish_tasks(window)
    assert (tmp_path / "ada.txt").read_text() == text
    field.clear()
    QTest.keyClicks(field, "B")
    (again,) = collected(SMALL, sources_in(page.toPlainText(), "")).hand_ins
    assert again.nickname == "B" and again.number == made.number, "of the same learner"
    dialog.close()
    window.named_actions["lesson_leave"].trigger()
    settle(qtbot, window)
    assert not window.named_actions["hand_in"].isEnabled()
    QApplication.clipboard().setText(text)
    window.named_actions["paste"].trigger()
    finish_tasks(window)
    settle(qtbot, window)
    assert window.status_line.text() == NO_LESSON


def test_a_path_goes_through_every_point_of_a_line() -> None:
    grid, area = Grid(0.0, 10.0, 0.0, 5.0, 100, 50), QRectF(5.0, 7.0, 100.0, 50.0)
    path = path_of((((0.0, 0.0), (10.0, 5.0)), ((5.0, 0.0), (5.0, 5.0))), grid, area)
    locations = [QPointF(path.elementAt(at).x, path.elementAt(at).y) for at in range(path.elementCount())]
    assert locations == [QPointF(5, 57), QPointF(105, 7), QPointF(55, 57), QPointF(55, 7)]
