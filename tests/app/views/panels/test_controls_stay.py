"""The controls of a panel stay in place, whatever it reports after an edit: nothing moves under the pointer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QDockWidget, QLineEdit, QSlider, QWidget
from pytestqt.qtbot import QtBot

from app.features.table import FEATURES
from app.features.what_if.controller import WhatIf
from app.state.commands import AddPoints
from app.window.dock_manager import docks
from tests.windows import Make, finish_layout, settle

CONTROLS = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QSlider)
#: Active learning reports an outdated run in a line of its own, for which the run's picture makes space.
MOVING = {"asking"}


def locations(dock: QDockWidget) -> dict[str, tuple[object, ...]]:
    """Return the location in its panel of each visible control."""
    found = {}
    for control in dock.findChildren(QWidget):
        if isinstance(control, CONTROLS) and control.objectName() and not control.visibleRegion().isEmpty():
            found[control.objectName()] = control.mapTo(dock, QPoint(0, 0)).toTuple()
    return found


@pytest.mark.slow
def test_an_edit_moves_no_control(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    moved = {}
    for name in [spec.name for spec in docks(FEATURES) if spec.name not in MOVING]:
        window.named_actions[name].trigger()
        if name == "whatif":
            window.controller.feature(WhatIf).toggle()
        settle(qtbot, window)
        finish_layout()
        dock = window.dock_manager.docks([name])[0]
        before = locations(dock)
        window.controller.set_lane(1, "svm", C=20.0)
        window.controller.dispatch(AddPoints(xy=(0.3, 1.9), labels=0))
        settle(qtbot, window)
        finish_layout()
        after = locations(dock)
        moved |= {
            control: (location, after[control]) for control, location in before.items() if after[control] != location
        }
        window.controller.undo()
        window.controller.undo()
        window.dock_manager.hide([name])
    assert moved == {}
