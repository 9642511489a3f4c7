"""DifferencePanel: the choice of the two classifiers, where they differ, the points involved, and the wipe."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.controllers.controller import Controller
from app.core.dates import NUMBERS, Coordinates
from app.core.number_format import grouped
from app.scene.model import Scene
from app.scene.text_rows import TextRows
from app.views.theme import Theme
from app.views.widgets.clickable import check_box, chooser, clickable, slider
from app.views.widgets.inputs import (
    describe,
    filled,
    label_for,
    named,
    show_check,
    show_entries,
    show_number,
    show_text,
)
from app.views.widgets.rows_model import RowsModel
from solver.kernels.pixels import TIED

from .controller import DifferenceController
from .scene import DifferenceScene, DifferenceSession, Involved

#: Largest number of rows of the table; the sentence above has the full number.
MOST_ROWS = 1000
#: Number of steps of the wipe's slider, and its first position (share of the width).
PARTS, HALF = 200, 0.5


class InvolvedRows(TextRows):
    """A row for each point that two models classify differently.

    Parameters
    ----------
    involved : Involved or None
    names : tuple of str
        Names of all classes.
    lanes : tuple of (int, int)
        Indices of the two lanes.
    coordinates : tuple of Coordinates
        How x and y are written.
    """

    right = 0, 1

    def __init__(
        self,
        involved: Involved | None,
        names: tuple[str, ...],
        lanes: tuple[int, int],
        coordinates: tuple[Coordinates, Coordinates] = NUMBERS,
    ) -> None:
        self.made_of = involved, names, lanes, coordinates
        self.header = ("x", "y", "class", *(f"{lane + 1}\npredicts" for lane in lanes))
        self.rows = 0 if involved is None else min(len(involved.index), MOST_ROWS)

    def cell(self, row: int, column: int) -> str:
        involved, names, _, coordinates = self.made_of
        assert involved is not None
        at = int(involved.index[row])
        if column < 2:
            return coordinates[column].brief(float(involved.points.xy[at, column]), involved.points.extent[column], 3)
        label = int(involved.points.labels[at])
        shown = label if column == 2 else int(involved.predicted[row, column - 3])
        sign = "" if column == 2 else " ✓" if shown == label else " ✗"
        return "tie" if shown == TIED else names[shown].removeprefix("class ") + sign


class DifferencePanel(QWidget):
    """The comparison of two classifiers in numbers.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller, self._difference = controller, controller.feature(DifferenceController)
        describe(self, "compare", "Compare", "Where two classifiers predict different classes.", hover=False)
        self._choices = (self._choice("first", "First"), self._choice("second", "Second"))
        self._mark = clickable(
            QCheckBox("Mark where they differ (X)"),
            "compare.mark",
            "Mark where they differ",
            "Hatched in every picture.",
            lambda: controller.toggle("differing", DifferenceSession),
        )
        self._lane = clickable(
            QPushButton("Show it as a lane"),
            "compare.lane",
            "Show the difference as a lane",
            "A picture of its own: striped in both classes where they differ.",
            self._difference.show_difference,
        )
        self._wipe = check_box(
            "Wipe",
            "compare.wipe",
            "Wipe",
            "Lay the second picture over the right part of the first (Y).",
            lambda on: self._difference.wipe(HALF if on else None),
        )
        self._slider = slider(
            "compare.edge",
            "Edge of the wipe",
            "Where the second picture begins.",
            lambda position: self._difference.wipe(position / PARTS),
            PARTS,
            page=PARTS // 10,
        )
        self._words = named(
            QLabel(wordWrap=True, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse), "compare.words"
        )
        self._formula = QLabel(
            "share = pixels where the two predict different classes / all pixels in view; a tie differs from any class",
            wordWrap=True,
        )
        self._model, self._involved = RowsModel(), InvolvedRows(None, (), (0, 1))
        self._table = describe(
            QTableView(wordWrap=False),
            "compare.points",
            "Points that differ",
            "A row is selected in the pictures, too.",
            hover=False,
        )
        self._table.setModel(self._model)
        self._table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._table.setTabKeyNavigation(False)
        self._table.verticalHeader().hide()
        self._table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column in (0, 1):  # never cut; the names share the rest
            self._table.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self._table.horizontalHeader().setHighlightSections(False)
        self._table.selectionModel().selectionChanged.connect(self._select)
        self._rest = QLabel(f"The first {grouped(MOST_ROWS)} of them.")
        form = QGridLayout()
        form.setColumnStretch(1, 1)
        labels = [label_for(text, field) for text, field in zip(("&First", "&Second"), self._choices, strict=True)]
        for row, field in enumerate((*zip(labels, self._choices, strict=True), (self._wipe, self._slider))):
            for column, widget in enumerate(field):
                form.addWidget(widget, row, column)
        filled(
            QVBoxLayout(self),
            form,
            self._mark,
            self._lane,
            self._words,
            self._formula,
            (self._table, 1),
            self._rest,
            margins=(8, 6, 8, 6),
        )
        self.first_stop = self._choices[0]

    def _choice(self, name: str, title: str) -> QComboBox:
        chosen, tip = lambda lane: self._choose(name == "first"), "One of the two that are compared."
        return chooser(f"compare.{name}", f"{title} classifier", tip, chosen, width=12)

    def _choose(self, first: bool) -> None:
        chosen, other = (choice.currentData() for choice in (self._choices if first else self._choices[::-1]))
        if chosen == other:  # exchange the two
            self._difference.swap_compared()
        else:
            self._difference.compare(*((chosen, other) if first else (other, chosen)))

    def _select(self) -> None:
        rows = sorted({index.row() for index in self._table.selectionModel().selectedRows()})
        involved = self._involved.made_of[0]
        if rows and involved is not None:
            points = self._controller.document.points  # some may have been removed since this was drawn
            self._controller.editing.select(points.ids[points.indices_of(involved.points.ids[involved.index[rows]])])

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the comparison of the scene."""
        compare = scene.feature(DifferenceScene)
        if compare is None:
            return
        self._show_choices(scene, compare)
        chosen, two = scene.session.of(DifferenceSession), compare.indices is not None
        show_check(self._mark, chosen.differing)
        self._mark.setEnabled(two)
        self._lane.setEnabled(two and len(compare.able) == scene.shown < 4)
        show_check(self._wipe, chosen.wipe is not None)
        self._wipe.setEnabled(two)
        self._slider.setEnabled(two and chosen.wipe is not None)
        show_number(self._slider, round(PARTS * (HALF if chosen.wipe is None else chosen.wipe)))
        show_text(self._words, "\n".join(compare.sentences))
        involved = compare.difference.involved if two and compare.difference is not None else None
        document = scene.document
        table = InvolvedRows(involved, document.class_names, compare.indices or (0, 1), document.coordinates)
        if table.made_of != self._involved.made_of:
            self._involved = table
            self._table.clearSelection()
            self._model.show_table(table)
        self._rest.setVisible(involved is not None and len(involved.index) > MOST_ROWS)

    def _show_choices(self, scene: Scene, compare: DifferenceScene) -> None:
        wanted = [(f"{index + 1}  {scene.lanes[index].title}", index) for index in compare.able]
        for choice, at in zip(self._choices, (0, 1), strict=True):
            show_entries(choice, wanted)
            choice.setEnabled(compare.indices is not None)
            choice.setCurrentIndex(-1 if compare.indices is None else choice.findData(compare.indices[at]))
