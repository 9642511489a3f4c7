"""LogDialog: the newest part of the log, to be read and copied."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QTextCursor
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.files import log
from app.state.plain_text import plain
from app.views.widgets.boxes import filled
from app.views.widgets.form_fields import named


class LogDialog(QDialog):
    """What Help > Show log shows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("log")
        self.setWindowTitle("Log")
        text, path = log.text(), log.path()
        what = "What went wrong, newest last" if text else "Nothing has gone wrong since this log was begun"
        where = QLabel(f"{what}.  File: {plain(str(path))}" if path else f"{what}.")
        where.setObjectName("log.where")
        where.setTextFormat(Qt.TextFormat.PlainText)
        where.setWordWrap(True)
        page = named(QPlainTextEdit(), "log.text")
        page.setAccessibleName("Log")
        page.setReadOnly(True)
        page.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        page.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        page.setPlainText("\n".join(map(plain, text.splitlines())))
        page.moveCursor(QTextCursor.MoveOperation.End)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("&Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.setObjectName("log.copy")
        copy.setEnabled(bool(text))
        copy.clicked.connect(lambda: QApplication.clipboard().setText(text))
        buttons.rejected.connect(self.close)
        filled(QVBoxLayout(self), where, page, buttons)
        self.resize(820, 480)
