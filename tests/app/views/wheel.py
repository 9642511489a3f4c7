"""The mouse wheel over controls, whose values Qt would change."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QSlider, QWidget


def turned(top: QWidget) -> list[str]:
    """Return the controls within `top`, visible or not, that the wheel changes or gives the focus."""
    found = []
    for control in [top, *top.findChildren(QWidget)]:
        if isinstance(control, (QComboBox, QAbstractSpinBox, QSlider)):
            shown = value(control)
            for angle in (-120, 120, 120):
                turn(control, angle)
                if value(control) != shown:
                    found.append(f"{control.objectName() or type(control).__name__}: {shown} to {value(control)}")
                    break
        if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
            found.append(f"{control.objectName() or type(control).__name__} takes the focus")
    return found


def value(control: QComboBox | QAbstractSpinBox | QSlider) -> str:
    """Return the text of a control."""
    if isinstance(control, QComboBox):
        return f"{control.currentIndex()} {control.currentText()}"
    return control.text() if isinstance(control, QAbstractSpinBox) else str(control.value())


def turn(control: QWidget, angle: int) -> None:
    """Turn the wheel over the centre of `control`."""
    at = QPointF(control.rect().center())
    button, modifier, phase = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(at, control.mapToGlobal(at), QPoint(), QPoint(0, angle), button, modifier, phase, False)
    QApplication.sendEvent(control, event)
