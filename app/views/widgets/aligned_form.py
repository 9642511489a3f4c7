"""AlignedForm: a form whose labels share the baseline of their fields."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QFormLayout

from .inputs import label_for

#: Largest ratio of a field's height to its label's at which the field counts as one line.
ONE_LINE = 3.0


class AlignedForm(QFormLayout):
    """A form layout that aligns labels by baseline; Qt places them higher than the text of the field."""

    def add(self, *rows: tuple[Any, ...]) -> None:
        """Add rows, each of a text, a field, and a part of the field where the key of the text does not lead to it."""
        for text, field, *part in rows:
            self.addRow(label_for(text, part[0]) if part else text, field)

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
