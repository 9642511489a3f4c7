"""The board of the race: a small picture of each racer with its name, steps and badge; and the table of all numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.scene.status_badge import SIGNS, Badge
from app.state.number_format import count
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from solver import RULES, Grid

from . import text as race_words
from .requests import MOST_RACERS, RaceFrame, RacerFrame
from .view_curves import key_pixmap
from .view_picture import RacePicture

GAP = 8  # pixels between two pictures
#: What tells of another font.
NEW_FONT = (QEvent.Type.FontChange, QEvent.Type.StyleChange)
#: From so high a board on, the rules are explained below their names.
TALL = 320


class RoomyLabel(QLabel):
    """A label that keeps the height its longest text needs, so that nothing below it jumps.

    Parameters
    ----------
    *longest : str
        Texts as long as any, one for each paragraph.
    """

    def __init__(self, *longest: str) -> None:
        super().__init__()
        self._longest = longest
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)

    def keep_room(self) -> None:
        """Fit the height to the width and the font."""
        metrics = self.fontMetrics()
        room = max(self.width() - 4, 60)
        lines = sum(math.ceil(1.12 * metrics.horizontalAdvance(text) / room) for text in self._longest)
        height = min(lines, 6) * metrics.lineSpacing() + 4
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.keep_room()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in NEW_FONT:
            self.keep_room()

    def show_text(self, text: str) -> None:
        """Show rich text."""
        if text != self.text():
            self.setText(text)


def pill(badge: Badge, theme: Theme) -> str:
    """A badge as rich text: its sign and words on its ground."""
    ink, ground = theme.moods[badge.mood]
    words = escape(f"{SIGNS[badge.mood]} {badge.text}").replace(" %", "&nbsp;%")
    return f'<span style="color: rgb{ink}; background-color: rgb{ground}"><b>&nbsp;{words}&nbsp;</b></span>'


class RacerView(QWidget):
    """One racer: key and name, steps and badge, picture."""

    def __init__(self, slot: int, resized: Callable[[], None]) -> None:
        super().__init__()
        self._slot = slot
        self._shown: tuple[object, ...] = ()
        self._key, self._name = QLabel(), QLabel()
        self._name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._badge = RoomyLabel("88\u202f888\u202f888 steps   ✓ 1st, optimal: KKT 8.8e-4, gap 0.002 %")
        self._note = RoomyLabel(max((rule.note for rule in RULES.values()), key=len))
        self.picture = RacePicture(resized)
        first = QHBoxLayout()
        first.setSpacing(6)
        first.addWidget(self._key)
        first.addWidget(self._name, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(first)
        layout.addWidget(self._note)
        layout.addWidget(self._badge)
        layout.addWidget(self.picture, 1)
        self._name.setObjectName(f"race.title{slot}")
        self._badge.setObjectName(f"race.badge{slot}")

    def show_note(self, shown: bool) -> None:
        """Explain the rule, or not."""
        if self._note.isHidden() == shown:
            self._note.setVisible(shown)

    def show_rule(self, rule: str, theme: Theme) -> None:
        """Name the rule."""
        title = race_words.title(rule)
        self._key.setPixmap(key_pixmap(theme, self._slot, self.devicePixelRatioF(), self.fontMetrics().height()))
        self._name.setText(f"<b>{escape(title)}</b>")
        self._name.setToolTip(RULES[rule].note)
        self._note.show_text(escape(RULES[rule].note))
        describe(self.picture, f"race.picture{self._slot}", f"Picture of {title}", RULES[rule].note)

    def show_racer(self, frame: RaceFrame, racer: RacerFrame, playing: bool, view: Grid, theme: Theme) -> None:
        """Show where it stands."""
        badge = race_words.badge(racer, playing)
        shown = (racer.steps, badge, theme.dark)
        if shown != self._shown:
            self._shown = shown
            steps = escape(count(racer.steps, "step")).replace(" ", "&nbsp;")
            self._badge.show_text(f"{steps} &nbsp;{pill(badge, theme)}")
            self.picture.setAccessibleDescription(f"{count(racer.steps, 'step')}, {badge.text}")
        self.picture.show_frame(frame.points, racer.picture, racer.marks, view, theme)

    def clear(self, theme: Theme) -> None:
        """Show nothing but the name."""
        self._shown = ()
        self._badge.show_text("")
        self.picture.clear(theme)


class RaceBoard(QWidget):
    """The racers side by side, all of the same size.

    Parameters
    ----------
    resized : callable
        Called after the size of the pictures has changed.
    """

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__()
        self._rules: tuple[str, ...] = ()
        self._theme: Theme | None = None
        self.racers = [RacerView(slot, resized) for slot in range(MOST_RACERS)]
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(GAP)
        for racer in self.racers:
            self._row.addWidget(racer, 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for racer in self.racers:
            racer.show_note(self.height() >= TALL)
        self._divide()

    def _divide(self) -> None:
        """Leave the pixels over that cannot be shared out: one more would be another picture."""
        n = max(len(self._rules), 1)
        self._row.setContentsMargins(0, 0, (self.width() - (n - 1) * GAP) % n, 0)

    def show_font(self) -> None:
        """The text is of another size, and the signs beside it are to be."""
        if self._theme is not None:
            rules, theme, self._theme = self._rules, self._theme, None
            self.show_rules(rules, theme)

    def show_rules(self, rules: tuple[str, ...], theme: Theme) -> None:
        """Who races."""
        if rules == self._rules and theme is self._theme:
            return
        self._rules, self._theme = rules, theme
        for slot, racer in enumerate(self.racers):
            racer.setVisible(slot < len(rules))
            if slot < len(rules):
                racer.show_rule(rules[slot], theme)
        self._divide()

    def show_frame(self, frame: RaceFrame | None, playing: bool, view: Grid | None, theme: Theme) -> None:
        """Where they stand."""
        racers = frame.racers if frame is not None else ()
        for slot, each in enumerate(self.racers):
            if frame is not None and view is not None and slot < len(racers):
                each.show_racer(frame, racers[slot], playing, view, theme)
            elif not each.isHidden():
                each.clear(theme)


class RaceTable(QTableWidget):
    """All numbers; the best of each column is bold."""

    #: Texts as long as any, of the columns.
    LONGEST = ("Maximum gain", "88 888 888", "88 888 888", "88.8 ms", "8.8e-4", "< 0.001 %", "888 + 888")

    def __init__(self) -> None:
        super().__init__(0, len(race_words.COLUMNS))
        describe(self, "race.table", "Numbers of the race", "A row for each rule; the best of a column is bold.")
        for column, (title, tip) in enumerate(race_words.COLUMNS):
            item = QTableWidgetItem(title.replace(" ", "\n", 1))
            item.setToolTip(tip)
            self.setHorizontalHeaderItem(column, item)
        self.verticalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setHighlightSections(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(200)
        self._wanted = 0
        self._theme: Theme | None = None
        self._items: list[list[QTableWidgetItem]] = []
        self.fit()

    def fit(self) -> None:
        """Fit columns and height to the font."""
        font = QFont(self.font())
        font.setBold(True)
        metrics, bold = self.fontMetrics(), QFontMetrics(font)
        key = round(1.6 * metrics.height()) + 6
        widths = []
        for longest, (title, _) in zip(self.LONGEST, race_words.COLUMNS, strict=True):
            header = max(metrics.horizontalAdvance(word) for word in title.split(" ", 1))
            widths.append(max(header, bold.horizontalAdvance(longest)) + 9)
        widths[0] += key
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)
        self._wanted = sum(widths) + 2 * self.frameWidth()
        if self.maximumWidth() != self._wanted:
            self.setMaximumWidth(self._wanted)
            self.updateGeometry()
        self.setIconSize(QSize(round(1.6 * metrics.height()), metrics.height()))
        row = max(metrics.height() + 8, 24)
        self.verticalHeader().setDefaultSectionSize(row)
        self.verticalHeader().setMinimumSectionSize(row)
        header = 2 * metrics.lineSpacing() + 10
        self.horizontalHeader().setFixedHeight(header)
        bar = 0 if self._wanted <= self.width() else self.horizontalScrollBar().sizeHint().height()
        height = header + row * max(self.rowCount(), 2) + 2 * self.frameWidth() + bar
        if height != self.minimumHeight() or height != self.maximumHeight():
            self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        return QSize(self._wanted, self.minimumHeight())

    @property
    def wanted_width(self) -> int:
        """Pixels at which no column is cut off."""
        return self._wanted

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in NEW_FONT and hasattr(self, "_items"):
            self.fit()
            self._set_icons()

    def _set_icons(self) -> None:
        if self._theme is not None:
            ratio, height = self.devicePixelRatioF(), self.fontMetrics().height()
            for row, items in enumerate(self._items):
                items[0].setIcon(QIcon(key_pixmap(self._theme, row, ratio, height, 1.6)))

    def show_frame(self, frame: RaceFrame | None, theme: Theme) -> None:
        """Show the numbers of `frame`."""
        rows = race_words.table(frame) if frame is not None else []
        if len(rows) != self.rowCount() or theme is not self._theme:
            self._theme = theme
            self.setRowCount(len(rows))
            self._items = [[QTableWidgetItem() for _ in race_words.COLUMNS] for _ in rows]
            for row, items in enumerate(self._items):
                for column, item in enumerate(items):
                    side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
                    item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                    item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                    self.setItem(row, column, item)
            self.fit()
            self._set_icons()
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                item = self._items[row][column]
                if item.text() != cell.text:
                    item.setText(cell.text)
                font = item.font()
                if font.bold() != cell.best:
                    font.setBold(cell.best)
                    item.setFont(font)
