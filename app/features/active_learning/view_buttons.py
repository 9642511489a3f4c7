"""ClassButtons: the buttons that give a label in the panel of active learning."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton

from app.core.points import MAX_CLASSES
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import SHAPE_NAMES, Theme
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.form_fields import describe


class ClassButtons(ButtonRows):
    """A button for each class of the pool: its symbol, its key and its name."""

    LONGEST = 12  #: Length (characters) of the longest name.

    def __init__(self) -> None:
        buttons = [QPushButton() for _ in range(MAX_CLASSES)]
        for button in buttons:
            button.setIconSize(QSize(22, 22))
            button.setMinimumSize(64, 30)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the picture keeps the keys
        self.buttons = buttons
        self._dressed: tuple[object, ...] = ()
        super().__init__(buttons)

    def show_classes(self, classes: Sequence[int], names: Sequence[str], theme: Theme) -> None:
        """Show the buttons of these `classes` (0 to 7)."""
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
