"""HelpDialog: keys, gestures and what the pictures say."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from app.scene.help import sections
from app.views.widgets.boxes import filled


class HelpDialog(QDialog):
    """The page that F1 shows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("help")
        self.setWindowTitle("Keys and gestures")
        page = QTextBrowser()
        page.setAccessibleName("Keys and gestures")
        parts = []
        for title, rows in sections().items():
            body = "".join(
                f"<tr><td><b>{escape(key)}</b>&nbsp;&nbsp;</td><td>{escape(text)}</td></tr>" for key, text in rows
            )
            parts.append(f"<h3>{escape(title)}</h3><table cellspacing='3'>{body}</table>")
        page.setHtml("".join(parts))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        filled(QVBoxLayout(self), page, buttons)
        self.resize(640, 620)
