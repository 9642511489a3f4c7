"""What Help shows: what the pictures say, keys and gestures; and the newest part of the log."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QTabWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app.files import log
from app.scene.help import sections, written_page
from app.state.plain_text import plain
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.form_fields import filled, named, plain_tip

#: Pages of `assets/help`, and what they are called.
WRITTEN = {"lessons": "Writing lessons", "studies": "Studies"}
#: Rich text takes a narrow space for one at which a line may end.
UNBROKEN = str.maketrans({"\N{NARROW NO-BREAK SPACE}": "&nbsp;"})


class HelpDialog(QDialog):
    """What F1 shows: pictures and keys, how lessons are written, and how studies are run."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("help")
        self.setWindowTitle("Help")
        page = named(QTextBrowser(), "help.keys")
        page.setAccessibleName("Pictures and keys")
        parts = []
        for title, rows in sections().items():
            body = "".join(
                f"<tr><td><b>{escape(key).translate(UNBROKEN)}</b>&nbsp;&nbsp;</td><td>{escape(text)}</td></tr>"
                for key, text in rows
            )
            parts.append(f"<h3>{escape(title)}</h3><table cellspacing='3'>{body}</table>")
        page.setHtml("".join(parts))
        pages = named(QTabWidget(), "help.pages")
        pages.addTab(page, "Pictures and keys")
        for name, title in WRITTEN.items():
            written = named(QTextBrowser(), f"help.{name}")
            written.setAccessibleName(title)
            written.setMarkdown(written_page(name))
            pages.addTab(written, title)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        filled(QVBoxLayout(self), pages, buttons)
        self.resize(640, 620)


class LogDialog(QDialog):
    """What Help > Show log shows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("log")
        self.setWindowTitle("Log")
        text, path = log.text(), log.path()
        what = "What went wrong, newest last" if text else "Nothing has gone wrong since this log was begun"
        about = named(QLabel(f"{what}.", wordWrap=True), "log.about")
        # A path has no place to wrap at; where there is no room for all of it, the tip has it.
        where = named(ElidedLabel(f"File: {plain(str(path))}" if path else ""), "log.where")
        where.setTextFormat(Qt.TextFormat.PlainText)
        where.setToolTip(plain_tip(where.text()))
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
        filled(QVBoxLayout(self), about, where, page, buttons)
        self.resize(820, 480)
