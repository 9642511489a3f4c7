"""ClassifierDialog: choose one of all classifiers, in a list with a search field."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.views.widgets.inputs import describe, filled
from app.views.widgets.qt_dialogs import NamedDialog


class ClassifierDialog(NamedDialog):
    """
    Parameters
    ----------
    parent : QWidget
    entries : iterable of (str, str, str)
        Title, name and note of each classifier.
    present : str
        Name of the one that is selected at first.
    choose : callable
        ``choose(name)``.
    """

    def __init__(
        self, parent: QWidget, entries: Iterable[tuple[str, str, str]], present: str, choose: Callable[[str], object]
    ) -> None:
        super().__init__(parent, "classifiers", "Classifiers", once=True)
        self._choose = choose
        self._search = describe(
            QLineEdit(placeholderText="Search", clearButtonEnabled=True),
            "classifiers.search",
            "Search",
            "Part of a classifier's name or of its sentence; Enter chooses the selected one.",
        )
        self._list = describe(
            QListWidget(), "classifiers.list", "Classifiers", "Enter or a double click chooses.", hover=False
        )
        for title, name, note in entries:
            item = QListWidgetItem(title, self._list)
            item.setToolTip(note)
            item.setData(Qt.ItemDataRole.UserRole, name)
            if name == present:
                self._list.setCurrentItem(item)
        self._search.textChanged.connect(self._filter)
        self._search.returnPressed.connect(self._accept)
        self._list.itemActivated.connect(self._accept)
        filled(QVBoxLayout(self), self._search, (self._list, 1), self.button_box())
        self.resize(420, 480)

    def _filter(self, typed: str) -> None:
        items = [self._list.item(row) for row in range(self._list.count())]
        for item in items:
            item.setHidden(typed.lower() not in f"{item.text()} {item.toolTip()}".lower())
        # Of those left, one with the words in its name comes before one with them in its sentence.
        left = sorted(
            (item for item in items if not item.isHidden()), key=lambda item: typed.lower() not in item.text().lower()
        )
        self._list.setCurrentRow(self._list.row(left[0]) if left else -1)

    def _accept(self) -> None:
        item = self._list.currentItem()
        if item is not None and self.isVisible():
            self.close()
            self._choose(item.data(Qt.ItemDataRole.UserRole))
