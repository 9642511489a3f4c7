"""Small faults met in use: each test repeats the actions that led to one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.difference.scene import DifferenceSession
from app.features.validation_curves.scene import ValidationCurvesSession
from app.features.validation_curves.view_curve import ValidationCurveView
from app.state.commands import AddPoints, SetView
from app.state.document import Document, GeneratorSettings, Lane, View, default_document
from app.state.scaling import Scaling, named
from app.state.session import Session
from app.window.main_window import MainWindow
from tests.covering import first_of
from tests.windows import Make, finish_layout, finish_tasks, settle


def press(window: MainWindow, lane: int, x: float, y: float) -> None:
    QTest.mouseClick(window.canvases[lane].viewport(), Qt.MouseButton.LeftButton, pos=window.to_widget(lane, x, y))


def test_pasted_points_out_of_view_are_brought_into_view_in_one_step(make: Make, qtbot: QtBot) -> None:
    window = make()
    before = window.document
    QApplication.clipboard().setText("5\t7\t1\n6\t7\t2\n")
    QTest.keyClick(window.canvases[0], Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    finish_tasks(window)
    settle(qtbot, window)
    assert len(window.document.points) == len(before.points) + 2
    assert window.document.view.holds(window.document.points)
    for x, y in ((5, 7), (6, 7)):
        assert window.canvases[0].plot_area().contains(QPointF(window.to_widget(0, x, y)))
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (window.document.points, window.document.view) == (before.points, before.view)
    assert not window.controller.store.undo_name
    settle(qtbot, window)


def test_points_pasted_in_view_move_nothing(make: Make, qtbot: QtBot) -> None:
    window = make()
    view = window.document.view
    QApplication.clipboard().setText(f"{view.x}\t{view.y}\t1\n")
    window.import_export.paste()
    finish_tasks(window)
    assert window.document.view == view
    settle(qtbot, window)


def test_a_view_shows_more_without_losing_what_it_showed() -> None:
    view = View(1.0, 2.0, 4.0)
    assert view.showing(np.array([[0.0, 3.0]])) is view
    wider = view.showing(np.array([[9.0, 2.0]]))
    corners = Points.of(np.array([[-1.0, 0.0], [3.0, 4.0], [9.0, 2.0]]), np.zeros(3))
    assert wider.holds(corners) and wider.span < 12


@pytest.mark.parametrize("theme", first_of(["light", "dark"], 1))
def test_the_first_hint_is_whole_after_clear(make: Make, qtbot: QtBot, theme: str) -> None:
    window = make(size=(1024, 768))
    window.appearance.choose_theme(theme)
    button = window.findChild(QAbstractButton, "tool.clear")
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    for canvas in window.canvases:
        message = canvas.findChild(QLabel, canvas.objectName().replace("canvas", "lane") + ".message")
        assert message is not None and message.isVisible() and "Click to add points" in message.text()
        room = message.rect().adjusted(12, 12, -12, -12)  # the padding
        needed = message.fontMetrics().boundingRect(
            QRect(0, 0, room.width(), 1000), Qt.TextFlag.TextWordWrap, message.text()
        )
        assert needed.height() <= room.height() and needed.width() <= room.width()
        assert canvas.plot_area().contains(QRect(message.geometry()).toRectF())
    hint = window.findChild(QLabel, "hint")
    assert hint is not None and hint.fontMetrics().horizontalAdvance(hint.text()) <= hint.width()


def test_marks_of_where_two_differ_leave_the_other_pictures_alone(make: Make, qtbot: QtBot) -> None:
    lanes = (Lane("knn"), Lane("svm"), Lane("perceptron"), Lane("difference"))
    window = make(replace(default_document(), lanes=lanes, shown=4))
    window.canvases[0].setFocus()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_X)
    assert window.controller.session.of(DifferenceSession).differing
    settle(qtbot, window)
    qtbot.waitUntil(lambda: bool(window.scene and window.scene.lanes[0].sheets))
    assert window.scene is not None
    assert [bool(lane.sheets) for lane in window.scene.lanes] == [True, True, False, False]


def test_a_paused_run_explains_how_to_continue(make: Make, qtbot: QtBot) -> None:
    window = make()
    pause = window.findChild(QAbstractButton, "tool.pause")
    status = window.findChild(QLabel, "lane1.status")
    assert pause is not None and status is not None and window.scene is not None
    window.canvases[1].setFocus()
    QTest.keyClick(window.canvases[1], Qt.Key.Key_Comma)  # one step back
    settle(qtbot, window)
    view = window.document.view
    press(window, 1, view.x + 0.3, view.y + 0.3)
    settle(qtbot, window)
    assert len(window.document.points) == 201
    assert "paused" in status.text().replace("\xa0", " ") and "Space: continue" in status.text()
    window.controller.playback.restart(1)  # from zero and slowly, so that it has not ended when the button is clicked
    window.controller.playback.set_replay(0.01)
    settle(qtbot, window)
    QTest.keyClick(window.canvases[1], Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: "step" in status.text() and "Space: continue" not in status.text())
    QTest.mouseClick(pause, Qt.MouseButton.LeftButton)
    press(window, 1, view.x - 0.3, view.y + 0.2)
    settle(qtbot, window)
    assert "Space: continue" in status.text() and not window.scene.lanes[1].playing


@pytest.mark.slow
def test_curves_stand_under_the_sliders(make: Make, qtbot: QtBot) -> None:
    few = GeneratorSettings(count=12)
    window = make(replace(default_document(), points=few.points(), generator=few, origin=few))
    QTest.keyClick(
        window.canvases[0], Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert window.controller.session.of(ValidationCurvesSession).strips
    settle(qtbot, window, 60_000)
    for name in ("lane0.k", "lane1.C", "lane1.gamma"):
        strip = window.findChild(ValidationCurveView, f"{name}.strip")
        assert strip is not None
        assert strip.isVisible() and not strip.viewport().visibleRegion().isEmpty()
        assert "train" in strip.words()


def test_a_file_that_is_held_over_the_window_is_welcome(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make()
    shade = window.findChild(QWidget, "drop")
    assert shade is not None and not shade.isVisible()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "flowers.csv"))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    copy = Qt.DropAction.CopyAction

    def enter(mime: QMimeData) -> QDragEnterEvent:
        event = QDragEnterEvent(QPoint(300, 300), copy, mime, left, none)
        QApplication.sendEvent(window, event)
        return event

    assert enter(data).isAccepted() and shade.isVisible()
    assert shade.geometry() == window.rect() and "flowers.csv" in shade.accessibleName()
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not shade.isVisible()
    text = QMimeData()
    text.setText("no file")
    enter(text)
    assert not shade.isVisible()
    enter(data)
    taken: list[Path] = []
    window.take_files = taken.extend  # type: ignore[method-assign]
    QApplication.sendEvent(window, QDropEvent(QPointF(300, 300), copy, data, left, none))
    assert not shade.isVisible() and taken == [tmp_path / "flowers.csv"]


def test_new_is_an_empty_plane_with_the_classifiers_as_they_were(make: Make, qtbot: QtBot) -> None:
    window = make(replace(default_document(), axes=("height", "weight"), training_limit=500))
    window.controller.set_generator(noise=0.45, count=30)
    window.controller.set_lane(0, "knn", n_neighbors=9)
    settle(qtbot, window)
    old = window.document
    window.controller.store.saved(old, Path("somewhere.playground"))
    window.named_actions["new"].trigger()
    new = window.document
    assert not len(new.points) and window.controller.store.path is None and new.origin is None
    for name in ("lanes", "shown", "generator", "styles", "notes", "training_limit"):
        assert getattr(new, name) == getattr(old, name), name
    assert new.axes == ("", "") and new.view == View()
    assert "classifiers stay" in window.named_actions["new"].toolTip()
    settle(qtbot, window)


def test_new_takes_the_scaling_away_with_the_points(make: Make) -> None:
    scaling = Scaling((170.0, 65.0), (9.0, 11.0))
    window = make(replace(default_document(), axes=named(("height", "")), scaling=scaling))
    window.named_actions["new"].trigger()
    assert window.document.scaling is None and window.document.axes == ("", "")


@pytest.mark.slow
def test_exact_fields_have_room_for_five_digits_in_text_of_any_size(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    field = window.findChild(QLineEdit, "lane1.C")
    assert field is not None
    for _ in range(5):
        assert field.width() >= field.fontMetrics().horizontalAdvance("00000") + 12
        window.named_actions["larger"].trigger()
        settle(qtbot, window)


def test_the_relabel_brush_begins_at_one_point_and_keeps_its_own_radius(make: Make, qtbot: QtBot) -> None:
    xy = np.array([[0.0, 0.0], [0.1, 0.0], [0.2, 0.0], [1.0, 1.0], [-1.0, 1.0]])
    points = Points.of(xy, np.array([0, 0, 0, 1, 1]))
    window = make(Document(points=points, view=View.fitting(points)))
    window.canvases[0].setFocus()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_2)
    QTest.keyClick(window.canvases[0], Qt.Key.Key_R)
    assert window.controller.session.radius == 12
    press(window, 0, 0.1, 0.0)
    assert window.document.points.labels.tolist() == [0, 1, 0, 1, 1]
    QTest.keyClick(window.canvases[0], Qt.Key.Key_BracketRight)
    assert window.controller.session.radius == 15
    QTest.keyClick(window.canvases[0], Qt.Key.Key_B)
    assert window.controller.session.radius == Session().radius
    QTest.keyClick(window.canvases[0], Qt.Key.Key_R)
    assert window.controller.session.radius == 15
    settle(qtbot, window)


def test_looking_away_is_no_part_of_these(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.controller.dispatch(SetView(view=View(50.0, 50.0, 1.0)))
    window.controller.dispatch(AddPoints(xy=[[0.0, 0.0]], labels=0))
    assert window.document.view == View(50.0, 50.0, 1.0)
    settle(qtbot, window)


def test_a_status_line_shortens_its_words_before_it_cuts_any(make: Make, qtbot: QtBot) -> None:
    """With larger text and a panel, the scores of both classifiers are whole."""
    window = make(size=(1280, 800))
    window.appearance.set_text_size(QApplication.font().pointSize() + 4)
    window.named_actions["study"].trigger()
    settle(qtbot, window)
    finish_layout()
    for lane in range(2):
        status = window.findChild(QLabel, f"lane{lane}.status")
        words = QTextDocument()
        words.setHtml(status.text())
        report = words.toPlainText()
        assert "…" not in report and "% · test" in " ".join(report.split()), report
        assert status.sizeHint().width() <= status.width() + 1
