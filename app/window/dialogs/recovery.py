"""RecoveryDialog: the list of unsaved work, to be recovered, kept for later or deleted one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QPushButton, QVBoxLayout, QWidget

from app.files.recovery import Copy
from app.views.widgets.inputs import filled, named, plain_tip
from app.views.widgets.qt_dialogs import NamedDialog


class RecoveryDialog(NamedDialog):
    """List of recovery copies; closes itself when none is left.

    Parameters
    ----------
    parent : QWidget
    copies : sequence of Copy
    recover, delete : callable
        Called with the chosen copy.
    """

    def __init__(
        self, parent: QWidget, copies: Sequence[Copy], recover: Callable[[Copy], None], delete: Callable[[Copy], None]
    ) -> None:
        super().__init__(parent, "recovery", "Unsaved work was found", once=True)
        self._copies: list[Copy] = []
        text = QLabel("The program ended before this was saved:")
        self._list = named(QListWidget(), "recovery.list")
        self._list.setAccessibleName("Unsaved work")
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # it would hide the times
        text.setBuddy(self._list)
        layout = filled(QVBoxLayout(self), text, self._list)
        row = filled(
            QHBoxLayout(),
            self._button("&Delete…", "delete", lambda: delete(self._chosen())),
            1,
            self._button("&Keep for later", "later", self.close),
        )
        self._recover = self._button("&Recover", "recover", lambda: recover(self._chosen()))
        self._recover.setDefault(True)
        row.addWidget(self._recover)
        layout.addLayout(row)
        self._list.itemActivated.connect(lambda item: self._recover.click())
        self.resize(520, 220)
        self.show_copies(copies)
        self._recover.setFocus()

    def show_copies(self, copies: Sequence[Copy]) -> None:
        """Show the remaining copies."""
        self._copies = list(copies)
        self._list.clear()
        for copy in self._copies:
            self._list.addItem(copy.words)
            tip = plain_tip(str(copy.path or "This document had no file yet."))
            self._list.item(self._list.count() - 1).setToolTip(tip)
        if self._copies:
            self._list.setCurrentRow(0)
        else:
            self.close()

    def _chosen(self) -> Copy:
        return self._copies[max(self._list.currentRow(), 0)]

    def _button(self, text: str, name: str, act: Callable[[], object]) -> QPushButton:
        button = named(QPushButton(text, autoDefault=False), f"recovery.{name}")
        button.clicked.connect(lambda: act())
        return button
