"""Parts of the panel of active learning: buttons in as many columns as fit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QPushButton, QSizePolicy, QWidget

from app.state.points import MAX_CLASSES
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import SHAPE_NAMES, Theme
from app.views.widgets.form_fields import describe

SPACING = 4


class ButtonRows(QWidget):
    """Buttons beside each other as long as there is room, and then below."""

    def __init__(self, buttons: Sequence[QAbstractButton]) -> None:
        super().__init__()
        self._buttons = buttons
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SPACING)
        self._columns = 0
        self._shown: list[QAbstractButton] = []
        for button in buttons:
            button.setParent(self)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_only(buttons)

    def show_only(self, buttons: Sequence[QAbstractButton]) -> None:
        """Show these of the buttons."""
        if list(buttons) != self._shown:
            self._shown = list(buttons)
            for button in self._buttons:
                button.setVisible(button in buttons)
            self._columns = 0
            self._arrange()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width_of(1), self._grid.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a button has another text, or the text another size
            self._arrange()
        return super().event(event)

    def _width_of(self, columns: int) -> int:
        """What so many columns need, each as wide as its widest button."""
        widths = [button.sizeHint().width() for button in self._shown]
        widest = [max(widths[column::columns]) for column in range(min(columns, len(widths)))]
        return sum(widest) + SPACING * max(len(widest) - 1, 0)

    def _arrange(self) -> None:
        number = len(self._shown)
        columns = next((each for each in range(number, 1, -1) if self._width_of(each) <= self.width()), 1)
        columns = -(-number // max(1, -(-number // columns)))  # rows as evenly filled as can be
        if columns == self._columns:
            return
        self._columns = columns
        for button in self._buttons:
            self._grid.removeWidget(button)
        for place, button in enumerate(self._shown):
            self._grid.addWidget(button, place // columns, place % columns)
        self.updateGeometry()


class ClassButtons(ButtonRows):
    """A button for each class of the pool: its symbol, its key and its name."""

    LONGEST = 12  #: Characters of a name.

    def __init__(self) -> None:
        buttons = [QPushButton() for _ in range(MAX_CLASSES)]
        for button in buttons:
            button.setIconSize(QSize(22, 22))
            button.setMinimumSize(64, 30)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the keys still belong to the picture
        self.buttons = buttons
        self._dressed: tuple[object, ...] = ()
        super().__init__(buttons)

    def show_classes(self, classes: Sequence[int], names: Sequence[str], theme: Theme) -> None:
        """Offer these `classes` (0 to 7)."""
        ratio = self.devicePixelRatioF()
        if (tuple(names), theme, ratio) != self._dressed:
            self._dressed = tuple(names), theme, ratio
            for label, (button, name) in enumerate(zip(self.buttons, names, strict=True)):
                short = name if len(name) <= self.LONGEST else f"{name[: self.LONGEST - 1]}…"
                button.setText(f"{label + 1}  {short}".replace("&", "&&"))
                button.setIcon(symbol_pixmap(theme, str(label), ratio=ratio))
                tip = f"The ringed point is of {name}, drawn as {SHAPE_NAMES[label]} (key {label + 1})."
                describe(button, f"asking.class{label + 1}", f"It is of {name}, {SHAPE_NAMES[label]}", tip)
        self.show_only([self.buttons[label] for label in classes])
