"""Texts of controls in the language of the open lesson."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from app.views.widgets.inputs import plain_tip, show_text

from .phrases import phrases


def translate(root: QWidget, language: str) -> None:
    """Write text, name and tip of the controls in `root` that have phrases in the language."""
    known = phrases(language)
    for each in root.findChildren(QWidget):
        text = known.get(each.objectName())
        if text is None:
            continue
        tip = known.get(f"{each.objectName()}.tip", "")
        if isinstance(each, QLineEdit):
            each.setPlaceholderText(text)
            text = tip.partition(":")[0]
        elif isinstance(each, QAbstractButton):
            each.setText(text)
        elif isinstance(each, QLabel):
            show_text(each, text)
            continue
        each.setAccessibleName(text.replace("&", "").rstrip("…"))
        each.setAccessibleDescription(tip)
        each.setToolTip(plain_tip(tip))
