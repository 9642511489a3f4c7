"""HelpDialog and LogDialog: first page, keys and written pages with a search field; the newest part of the log."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import cast

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app.core import log
from app.core.plain_text import plain
from app.scene.feature import FeatureTable
from app.scene.help import FIRST_STEPS, sections, symbols, written_page
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import theme_of
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.inputs import describe, filled, mark_bad, named, plain_tip
from app.views.widgets.qt_dialogs import NamedDialog, fixed_text

#: Pages of `assets/help`, with their titles.
WRITTEN = {"lessons": "Writing lessons", "studies": "Studies"}
#: In rich text a line may end at a narrow space, but not at `&nbsp;`.
UNBROKEN = str.maketrans({"\N{NARROW NO-BREAK SPACE}": "&nbsp;"})
#: Side of a drawing on the first page (pixels).
DRAWING = 26


class HelpDialog(NamedDialog):
    """Help window (F1): first page, all keys, how to write lessons and run studies; a field searches all pages."""

    def __init__(self, parent: QWidget, features: FeatureTable) -> None:
        super().__init__(parent, "help", "Help")
        self._pages = named(QTabWidget(), "help.pages")
        self._begin = self._add_page("begin", "Begin here")
        self._draw_symbols()
        self._begin.setHtml(
            _table(FIRST_STEPS)
            + "<h3>What the pictures show</h3><p>The colour of the plane is the class that the model predicts there: "
            "the stronger, the surer.</p>"
            + _rows((f"<img src='symbol:{kind}'>", escape(text)) for kind, text in symbols())
        )
        keys = self._add_page("keys", "Mouse and keys")
        keys.setHtml("".join(f"<h3>{escape(title)}</h3>{_table(rows)}" for title, rows in sections(features).items()))
        for name, title in WRITTEN.items():
            self._add_page(name, title).setMarkdown(written_page(name))
        self._search = describe(
            QLineEdit(placeholderText="Search", clearButtonEnabled=True),
            "help.search",
            "Search",
            "Search all pages; Enter goes on to the next hit.",
        )
        self._search.textEdited.connect(lambda text: self._find(text, onward=False))
        self._search.returnPressed.connect(lambda: self._find(self._search.text(), onward=True))
        QShortcut(QKeySequence.StandardKey.Find, self, self._search.setFocus)
        buttons = self.button_box()
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)  # Enter searches
        filled(QVBoxLayout(self), self._search, self._pages, buttons)
        self.resize(640, 660)
        self._search.setFocus()

    def _add_page(self, name: str, title: str) -> QTextBrowser:
        page = named(QTextBrowser(), f"help.{name}")
        page.setAccessibleName(title)
        self._pages.addTab(page, title)
        return page

    def _draw_symbols(self) -> None:
        """Draw the symbols of the first page in the colours of the theme."""
        theme = theme_of(self.palette().window().color().lightness() < 128)
        for kind, _ in symbols():
            drawing = symbol_pixmap(theme, kind, DRAWING, self.devicePixelRatioF())
            self._begin.document().addResource(
                QTextDocument.ResourceType.ImageResource.value, QUrl(f"symbol:{kind}"), drawing
            )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_begin"):
            self._draw_symbols()

    def _find(self, text: str, onward: bool) -> None:
        """Select the next hit for `text`, page after page and round again; the field turns red if there is none.

        With `onward` the search starts after the selected hit.
        """
        count, current = self._pages.count(), self._pages.currentIndex()
        for turn in range(count + 1):
            page = cast(QTextBrowser, self._pages.widget((current + turn) % count))
            cursor = page.textCursor()
            cursor.setPosition(0 if turn else cursor.selectionEnd() if onward else cursor.selectionStart())
            page.setTextCursor(cursor)
            if text and page.find(text):
                self._pages.setCurrentWidget(page)
                mark_bad(self._search, bad=False)
                return
        mark_bad(self._search, bad=bool(text))


def _table(rows: Iterable[tuple[str, str]]) -> str:
    """Return HTML of keys or gestures with their effects."""
    return _rows((f"<b>{escape(key).translate(UNBROKEN)}</b>", escape(text)) for key, text in rows)


def _rows(cells: Iterable[tuple[str, str]]) -> str:
    rows = "".join(
        f"<tr><td>{left}&nbsp;&nbsp;</td><td style='vertical-align: middle'>{right}</td></tr>" for left, right in cells
    )
    return f"<table cellspacing='3'>{rows}</table>"


class LogDialog(NamedDialog):
    """The newest part of the log (Help > Show log)."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "log", "Log")
        text, path = log.text(), log.path()
        what = "Errors, newest last" if text else "Nothing has gone wrong since this log was begun"
        about = named(QLabel(f"{what}.", wordWrap=True), "log.about")
        # Qt cannot wrap a path; if it does not fit, the tool tip has the whole of it.
        file = f"File: {plain(str(path))}" if path else ""
        where = named(ElidedLabel(file, textFormat=Qt.TextFormat.PlainText), "log.where")
        where.setToolTip(plain_tip(where.text()))
        page = fixed_text("\n".join(map(plain, text.splitlines())), "log.text")
        page.setAccessibleName("Log")
        page.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        page.moveCursor(QTextCursor.MoveOperation.End)
        buttons = self.button_box()
        copy = buttons.addButton("&Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.setObjectName("log.copy")
        copy.setEnabled(bool(text))
        copy.clicked.connect(lambda: QApplication.clipboard().setText(text))
        filled(QVBoxLayout(self), about, where, page, buttons)
        self.resize(820, 480)
