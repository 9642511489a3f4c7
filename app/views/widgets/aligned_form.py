"""AlignedForm: a form whose labels stand on the baseline of their fields."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QFormLayout

#: Fields up to this many times as tall as their labels have one line.
ONE_LINE = 3.0


class AlignedForm(QFormLayout):
    """Qt gives a label 7/4 of its height, from the top of its field: it stands higher than what the field shows."""

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for row in range(self.rowCount()):
            label = self.itemAt(row, QFormLayout.ItemRole.LabelRole)
            field = self.itemAt(row, QFormLayout.ItemRole.FieldRole)
            if label is None or field is None or label.isEmpty():
                continue
            at, beside = label.geometry(), field.geometry()
            if beside.height() <= ONE_LINE * label.sizeHint().height():
                label.setGeometry(QRect(at.left(), beside.top(), at.width(), beside.height()))
