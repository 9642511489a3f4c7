"""M: a tap hides or shows the marks, holding it hides all points; never while the user types."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPlainTextEdit, QTextEdit
from pytestqt.qtbot import QtBot

from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, SvmSettings, View
from app.views.export.flow import paint_strip
from app.views.export.layout import PictureSpec, Sheet
from app.window.main_window import MainWindow
from tests.windows import Make, settle

M = Qt.Key.Key_M


def document() -> Document:
    points = GeneratorSettings(count=40, noise=0.25).points()
    lanes = (Lane("svm", svm=SvmSettings(gamma=300.0)), Lane("knn", knn=KnnSettings(1)))
    return Document(points=points, view=View.fitting(points), lanes=lanes)


def pixels(window: MainWindow, lane: int) -> np.ndarray:
    image = window.canvases[lane].grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.asarray(image.constBits()).reshape(image.height(), image.width(), 4)[:, :, :3].copy()


def at_points(window: MainWindow, lane: int) -> np.ndarray:
    """Return the colours in the middles of all points."""
    drawn = pixels(window, lane)
    locations = [window.to_widget(lane, x, y) for x, y in window.document.points.xy.tolist()]
    return np.array([drawn[at.y(), at.x()] for at in locations])


def exported(window: MainWindow) -> np.ndarray:
    """Return a picture without surfaces."""
    sheet = Sheet(window.shoot("lane0"), PictureSpec(what="lane0", width=600, height=600, scale=1.0))
    sheet.show([window.result(0).picture])
    out, row = np.zeros((600, 600), dtype=np.uint32), 0
    while row < 600:
        row = paint_strip(sheet, out, row)
    shown = [kind for kind, _ in sheet.entries]
    sheet.close()
    assert ("bounded" in shown or "free" in shown) is window.controller.session.marks
    return out


def test_a_tap_hides_the_marks_of_all_pictures_and_the_next_shows_them(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    before, position = pixels(window, 0), window.controller.store.position
    picture = exported(window)
    assert "free" in window.scene.legend_kinds
    QTest.keyClick(window.canvases[1], M)
    settle(qtbot, window)
    scene = window.scene
    assert not window.named_actions["marks"].isChecked()
    assert all(not (len(lane.marks.free) or len(lane.marks.bounded) or len(lane.marks.wrong)) for lane in scene.lanes)
    assert not {"free", "bounded", "wrong"} & scene.legend_kinds
    assert (pixels(window, 0) != before).any() and (exported(window) != picture).any()
    QTest.keyClick(window.canvases[1], M)
    settle(qtbot, window)
    assert (pixels(window, 0) == before).all() and (exported(window) == picture).all()
    assert window.controller.store.position == position and not window.controller.store.modified


@pytest.mark.qt_log_ignore("grabbing the keyboard")
def test_the_menu_does_the_same_and_shows_the_key(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    action = window.named_actions["marks"]
    assert action.shortcut().toString() == "M" and action.isChecked()
    menu = next(menu for menu in window.menuBar().findChildren(QMenu) if action in menu.actions())
    menu.popup(window.mapToGlobal(window.rect().center()))
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
    settle(qtbot, window)
    assert not window.controller.session.marks


def test_held_it_keeps_all_points_away_until_it_is_let_go(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    before = [pixels(window, lane) for lane in (0, 1)]
    covered = [at_points(window, lane) for lane in (0, 1)]
    QTest.keyPress(window.canvases[0], M)
    assert not window.controller.session.points_away, "that may still become a tap"
    qtbot.waitUntil(lambda: window.controller.session.points_away)
    settle(qtbot, window)
    for lane in (0, 1):
        bare = at_points(window, lane)
        assert (bare != covered[lane]).any(axis=1).mean() > 0.95, "below the points there is the surface"
        assert len(np.unique(bare[window.document.points.labels == 0], axis=0)) < 60
    QTest.keyRelease(window.canvases[0], M)
    settle(qtbot, window)
    session = window.controller.session
    assert not session.points_away and session.marks, "a key that was held is no tap"
    for lane in (0, 1):
        assert (pixels(window, lane) == before[lane]).all()


def test_leaving_the_window_with_the_key_down_restores_the_points(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    QTest.keyPress(window.canvases[0], M)
    qtbot.waitUntil(lambda: window.controller.session.points_away)
    window.named_actions["classes"].trigger()
    qtbot.waitUntil(lambda: not window.controller.session.points_away)
    assert window.controller.session.marks


@pytest.mark.parametrize("field", ["lane0.C", "notes"])
def test_in_a_field_it_is_a_letter(make: Make, qtbot: QtBot, field: str) -> None:
    window = make(document())
    if field == "notes":
        window.named_actions["notes"].trigger()
        settle(qtbot, window)
        panel = window.dock_manager.panel("notes")
        found = panel if isinstance(panel, QTextEdit | QPlainTextEdit) else panel.findChild(QPlainTextEdit)
    else:
        found = window.findChild(QLineEdit, field)
    assert found is not None
    found.setFocus()
    QApplication.processEvents()
    QTest.keyPress(found, M)
    QTest.qWait(400)  # longer than a hold
    QTest.keyRelease(found, M)
    session = window.controller.session
    assert session.marks and not session.points_away
    text = found.text() if isinstance(found, QLineEdit) else found.toPlainText()
    assert "m" in text.lower()
