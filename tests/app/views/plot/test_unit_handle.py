"""The handles at the ends of the axes: real drags and keys change the units of all points, as one undo step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox
from pytestqt.qtbot import QtBot

from app.core.points import LIMIT, Points
from app.exchange import share_text
from app.state.commands import Clear, Generate, ImportPoints, SetUnits
from app.state.document import Document, Lane, View, default_document
from app.state.scaling import Scaling
from app.views.plot.unit_handle import LEAST, UnitHandle, dragged
from app.window.main_window import MainWindow
from tests import playground_files
from tests.windows import Make, finish_layout, open_settings, settle

LEFT = Qt.MouseButton.LeftButton


def handle(window: MainWindow, axis: int = 0, lane: int = 0) -> UnitHandle:
    found = window.findChild(UnitHandle, f"lane{lane}.unit.{'xy'[axis]}")
    assert isinstance(found, UnitHandle)
    return found


def moved(target: UnitHandle, way: int) -> None:
    """Move the mouse along the axis, `along` pixels from the middle of the handle, with its button down."""
    at = target.rect().center() + (QPoint(0, -way) if target._axis else QPoint(way, 0))
    buttons = (Qt.MouseButton.NoButton, LEFT, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(
        target, QMouseEvent(QEvent.Type.MouseMove, QPointF(at), QPointF(target.mapToGlobal(at)), *buttons)
    )


def drag(window: MainWindow, target: UnitHandle, *ways: int) -> None:
    QTest.mousePress(target, LEFT, pos=target.rect().center())
    for way in ways:
        moved(target, way)
    QTest.mouseRelease(target, LEFT, pos=target.rect().center())


def test_a_drag_is_live_and_one_undo_step(make: Make, qtbot: QtBot) -> None:
    window = make()
    for axis in (0, 1):
        drag_there_and_back(window, qtbot, axis)
        window.named_actions["undo"].trigger()
        settle(qtbot, window)


def drag_there_and_back(window: MainWindow, qtbot: QtBot, axis: int) -> None:
    before, xy = window.document, window.document.points.xy
    target, visible = handle(window, axis), []
    QTest.mousePress(target, LEFT, pos=target.rect().center())
    for way in (2, 25, 50, 78):
        moved(target, way)
        visible.append(window.document.units[axis])
        settle(qtbot, window)
        factors = np.array(window.document.units)
        np.testing.assert_allclose(window.document.points.xy, xy * factors, rtol=1e-13)
        assert window.result(0).points is window.document.points
    assert visible == [1.0, 2.1, 4.2, 10.0]
    QTest.mouseRelease(target, LEFT, pos=target.rect().center())
    after = window.document
    assert after.units[axis] == 10.0 and after.units[1 - axis] == 1.0
    assert after.view == View.fitting(after.points)
    assert np.array_equal(after.points.ids, before.points.ids)
    assert [each.text for each in window.findChildren(UnitHandle) if each._axis == axis] == ["× 10"] * 2
    window.named_actions["undo"].trigger()
    assert window.document.points is before.points and window.document.units == (1.0, 1.0)
    assert window.document.origin == before.origin
    window.named_actions["redo"].trigger()
    assert window.document.units == after.units
    assert window.document.points.xy.tolist() == after.points.xy.tolist()


def test_two_drags_are_two_steps_and_a_double_click_resets(make: Make, qtbot: QtBot) -> None:
    window = make()
    xy = window.document.points.xy
    target = handle(window)
    drag(window, target, 80)
    drag(window, target, 80)
    assert window.document.units == (100.0, 1.0)
    window.named_actions["undo"].trigger()
    assert window.document.units == (10.0, 1.0)
    QTest.mouseDClick(target, LEFT, pos=target.rect().center())
    assert window.document.units == (1.0, 1.0)
    np.testing.assert_allclose(window.document.points.xy, xy, rtol=1e-14)
    settle(qtbot, window)


def test_it_goes_by_keys_and_by_the_tab_key(make: Make, qtbot: QtBot) -> None:
    window = make()
    x, y = handle(window), handle(window, 1)
    for target in (x, y):
        assert target.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert target.width() >= LEAST <= target.height() and target.isVisible()
        assert target.accessibleName().startswith("Unit of") and "Home" in target.accessibleDescription()
    window.activateWindow()
    x.setFocus()
    for key, expected in ((Qt.Key.Key_Right, 10.0), (Qt.Key.Key_Up, 100.0), (Qt.Key.Key_Left, 10.0)):
        QTest.keyClick(x, key)
        assert window.document.units == (expected, 1.0)
    QTest.keyClick(y, Qt.Key.Key_Down)
    assert window.document.units == (10.0, 0.1)
    QTest.keyClick(x, Qt.Key.Key_Home)
    QTest.keyClick(y, Qt.Key.Key_Home)
    assert window.document.units == (1.0, 1.0)
    settle(qtbot, window)


def test_escape_takes_a_drag_back(make: Make, qtbot: QtBot) -> None:
    window = make()
    before, target = window.document.points.xy, handle(window)
    QTest.mousePress(target, LEFT, pos=target.rect().center())
    moved(target, 80)
    assert window.document.units == (10.0, 1.0)
    QTest.keyClick(target, Qt.Key.Key_Escape)
    moved(target, 120)
    assert window.document.units == (1.0, 1.0)
    np.testing.assert_allclose(window.document.points.xy, before, rtol=1e-14)
    settle(qtbot, window)


def test_a_press_beside_it_and_a_click_on_it_change_nothing(make: Make, qtbot: QtBot) -> None:
    window = make()
    before, target = window.document, handle(window)
    QTest.mouseClick(target, LEFT, pos=target.rect().center())
    moved(target, 80)  # no button was pressed on it
    assert window.document is before
    target.setVisible(True)
    window.controller.dispatch(Clear())
    finish_layout()
    assert not target.isVisible()  # there is nothing to multiply


def test_factors_are_powers_of_ten_or_have_two_digits() -> None:
    assert [dragged(1.0, way) for way in (-400, -160, -80, -75, 0, 9, 40, 80, 160, 400)] == [
        1e-3, 0.01, 0.1, 0.1, 1.0, 1.0, 3.2, 10.0, 100.0, 1e3,
    ]  # fmt: skip
    assert dragged(3.2, 40) == 10.0


def painted(target: UnitHandle) -> bool:
    """Return whether any part of the handle is visible."""
    window = target.window()
    area = target.rect().translated(target.mapTo(window, QPoint(0, 0)))
    with_it = window.grab(area).toImage()
    target.hide()
    without = window.grab(area).toImage()
    target.show()
    return bool(with_it != without)


def test_it_is_visible_when_it_matters(make: Make, qtbot: QtBot) -> None:
    window = make()
    target = handle(window)
    window.canvases[0].setFocus()
    finish_layout()
    assert not painted(target)
    QApplication.sendEvent(target, QEvent(QEvent.Type.Leave))
    target.enterEvent(None)  # type: ignore[arg-type]
    assert painted(target)
    target.leaveEvent(QEvent(QEvent.Type.Leave))
    assert not painted(target)
    window.controller.set_unit(0, 10.0)
    settle(qtbot, window)
    assert painted(target) and painted(handle(window, 0, 1)) and not painted(handle(window, 1))


def test_the_generator_is_no_longer_theirs(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window, shown = make(), list[str]()
    monkeypatch.setattr(window.controller, "say", shown.append)
    assert window.document.is_generated
    window.controller.set_unit(0, 10.0)
    assert window.document.origin is None and not window.document.is_generated
    settle(qtbot, window)
    assert shown == ["In other units, nothing is known of new points of the generator. Undo brings its units back."]
    window.controller.set_unit(0, 100.0)
    assert len(shown) == 1


def test_a_standardised_lane_stays_while_the_other_moves(make: Make, qtbot: QtBot) -> None:
    lanes = (Lane("knn"), Lane("knn", standardise=True))
    window = make(replace(default_document(), lanes=lanes))
    before = [window.result(lane).model.predict(window.document.points.xy) for lane in (0, 1)]
    drag(window, handle(window), 30, 160)
    settle(qtbot, window)
    assert window.document.units == (100.0, 1.0)
    after = [window.result(lane).model.predict(window.document.points.xy) for lane in (0, 1)]
    assert (before[0] != after[0]).any()
    assert (before[1] == after[1]).all()


def test_the_box_of_a_lane_is_a_click_an_undo_step_and_in_the_file(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make()
    open_settings(window, 1)
    finish_layout()
    box = window.findChild(QCheckBox, "lane1.standardise")
    assert box is not None and box.isVisible() and not box.isChecked()
    QTest.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))
    assert [lane.standardises for lane in window.document.lanes] == [False, True]
    settle(qtbot, window)
    assert window.result(1).model.scaler is not None and window.result(0).model.scaler is None
    assert window.named_actions["undo"].text().endswith("Standardise x and y")
    window.controller.set_unit(1, 0.1)
    playground_files.write(window.document, tmp_path / "again.playground")
    again = playground_files.read(tmp_path / "again.playground")
    assert again.lanes == window.document.lanes and again.units == (1.0, 0.1)
    shared = share_text.decode(share_text.encode(window.document))
    assert shared.lanes == window.document.lanes and shared.units == (1.0, 1.0)
    window.named_actions["undo"].trigger()
    window.named_actions["undo"].trigger()
    settle(qtbot, window)
    assert not window.document.lanes[1].standardises and not box.isChecked()
    assert window.result(1).model.scaler is None


def test_other_points_are_in_units_of_their_own() -> None:
    document = SetUnits(units=(10.0, 0.1)).apply(default_document())
    assert Generate(settings=document.generator).apply(document).units == (1.0, 1.0)
    assert Clear().apply(document).units == (1.0, 1.0)
    assert ImportPoints(xy=[(0.0, 1.0)], labels=[0]).apply(document).units == (1.0, 1.0)
    assert ImportPoints(xy=[(0.0, 1.0)], labels=[0], add=True).apply(document).units == (10.0, 0.1)
    assert SetUnits(units=document.units).apply(document) is document
    assert SetUnits(units=(5.0, 1.0)).apply(Document()).units == (1.0, 1.0)  # no points


def test_what_was_standardised_on_import_is_still_measured() -> None:
    raw = default_document().points.xy * (8.25, 0.125) + (170.2, -3.5)
    scaling = Scaling((170.2, -3.5), (8.25, 0.125))
    document = replace(
        default_document(), points=Points.of(scaling.apply(raw), default_document().points.labels), scaling=scaling
    )
    changed = SetUnits(units=(100.0, 0.5)).apply(document)
    assert np.allclose(changed.points.xy, scaling.apply(raw) * (100.0, 0.5), rtol=1e-12)
    assert np.allclose(changed.measured[0], raw, rtol=1e-10)


def test_points_too_far_out_are_refused_in_a_sentence() -> None:
    far = Document(Points.of([(LIMIT / 5, 0.0), (0.0, 1.0)], [0, 1]))
    with pytest.raises(ValueError, match="too far out"):
        SetUnits(units=(10.0, 1.0)).apply(far)
    assert SetUnits(units=(1.0, 10.0)).apply(far).points.xy[1, 1] == 10.0
