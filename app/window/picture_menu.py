"""PictureMenu: the context menu of a picture, with commands for the point below the pointer, else for the picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QApplication, QMenu

from app.core.points import MAX_CLASSES
from app.features.probe.controller import ProbeController
from app.state.document import Document
from app.tools import PointerPosition
from app.views.plot.symbols import symbol_pixmap
from app.views.surroundings import Surroundings
from app.views.theme import dressed, theme_of
from app.views.widgets.inputs import named


class PictureMenu(QMenu):
    """A menu that is filled each time it is opened.

    Parameters
    ----------
    around : Surroundings
    actions : dict of QAction
        The commands of the window, by name.
    copy_picture : callable
        ``copy_picture(lane)`` copies the picture of a lane to the clipboard.
    """

    def __init__(self, around: Surroundings, actions: dict[str, QAction], copy_picture: Callable[[int], None]) -> None:
        super().__init__(around.window)
        self._around, self._controller, self._actions = around, around.controller, actions
        self._editing = self._controller.editing
        self._lane, self._index, self._all_test = 0, 0, False
        self.setObjectName("picture.menu")
        self._copy = self._own("copy_picture", "&Copy picture", lambda: copy_picture(self._lane))
        self._test = self._own("test", "", lambda: self._editing.test_selected(not self._all_test))
        self._pin = self._own("pin_point", "&Why this class, here", self._pin_probe)
        self._exact = self._own("exact", "E&xact coordinates", self._edit_point)
        self._classes = named(QMenu("&Class", self), "picture.menu.classes")
        for label in range(MAX_CLASSES):
            action = self._own(f"class{label + 1}", "", partial(self._editing.relabel_selected, label))
            action.setCheckable(True)
            self._classes.addAction(action)

    def _own(self, name: str, text: str, run: Callable[[], object]) -> QAction:
        action = named(QAction(text, self.parent()), f"picture.menu.{name}")  # `clear` would delete actions of the menu
        action.triggered.connect(lambda: run())
        return action

    def open_at(self, lane: int, pointer: PointerPosition | None, at: QPoint) -> None:
        """Open the menu of the picture of `lane`, or of the point at `pointer`, at a position on the screen.

        A point there is selected first, unless it already is: the menu applies to the selection.
        """
        index = self._editing.select_at(pointer)
        self.clear()
        if index is None:
            self._lane = lane
            self.addActions([self._actions["fit"], self._copy, self._actions["picture"]])
        else:
            self._index = index
            self._show_selection()
            self.addAction(self._actions["remove"])
            self.addMenu(self._classes)
            self.addActions([self._test, self._pin, self._exact])
        self.popup(at)

    def _show_selection(self) -> None:
        """Show the classes of the selected points, and whether all of them are test points."""
        document, session = self._controller.document, self._controller.session
        ids = session.selection.ids
        labels = document.points.labels[document.points.indices_of(ids)]
        theme = dressed(theme_of(session.dark), document.styles)
        for label, action in enumerate(self._classes.actions()):
            action.setText(document.class_name(label).replace("&", "&&"))
            action.setIcon(QIcon(symbol_pixmap(theme, str(label), ratio=self.devicePixelRatioF())))
            action.setChecked(bool((labels == label).all()))
        self._all_test = bool(np.isin(ids, document.test_points.ids).all())
        it, points = ("it", "a &test point") if len(ids) == 1 else ("them", "&test points")
        self._test.setText(f"&Train on {it} again" if self._all_test else f"Make {it} {points}")

    def _edit_point(self) -> None:
        """Edit the coordinates of the point in the table of the points, once that has its row."""
        panel, index = self._around.docks().reveal("table"), self._index
        self._around.when_drawn(lambda: panel.table.edit_point(index))  # a closing menu would take the field's focus

    def _pin_probe(self) -> None:
        self._controller.feature(ProbeController).pin(*map(float, self._controller.document.points.xy[self._index]))


def close_menus(old: Document, new: Document) -> None:
    """Close a menu that may be about a point or a lane that has gone."""
    if new.points is not old.points or new.slots[: new.shown] != old.slots[: old.shown]:
        while isinstance(menu := QApplication.activePopupWidget(), QMenu) and menu.close():
            pass
