"""LearnerFields: the fields of a lane's learner in its form: made once for all learners, placed for the one shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QWidget

from app.learners.fields import Field
from app.learners.table import LEARNERS
from app.scene.model import LaneScene
from app.state.slider_scales import RankScale
from app.views.theme import Theme

from .form_parts import Editor, EditorMaker

#: Columns of the form: label, field, label, field.
COLUMNS = 4
#: Kinds of fields that take all of them.
WIDE = ("slider", "numbers of classes")


class LearnerFields:
    """The editors of all learners' fields.

    Parameters
    ----------
    maker : EditorMaker
        What makes them, and is the form they are in.
    grid : QGridLayout
        The form's, of `COLUMNS`; the first row has room for a field beside the classifier.
    row : int
        The first row that is free for fields.

    Attributes
    ----------
    editors : dict of Editor
        By `Field.editor`.
    of_problems : list of QWidget
        Those that stand beside the choice of the problem that is drawn.
    """

    def __init__(self, maker: EditorMaker, grid: QGridLayout, row: int) -> None:
        self._maker, self._grid, self._row = maker, grid, row
        self.editors: dict[tuple[object, ...], Editor] = {}
        self.of_problems: list[QWidget] = []
        self._boxes: list[QHBoxLayout] = []
        self._placed: object = None
        for part, learner in LEARNERS.items():
            for field in learner.fields:
                if field.editor not in self.editors:
                    made = self.editors[field.editor] = maker.editor(field, part, learner.settings)
                    made.show(getattr(learner.settings(), field.parameter))
                    if field.kind == "choice" and not field.label:
                        self.of_problems.append(made.widget)

    def render(self, lane: LaneScene, drawing: bool, theme: Theme, first: QWidget) -> None:
        """Show the lane's settings; while someone is `drawing`, no row comes or goes.  `first` has the focus before."""
        fields, names, settings = lane.lane.family.fields, lane.fields, lane.lane.settings
        own = {field.editor for field in fields}
        if not drawing and (lane.lane.classifier, names) != self._placed:
            self._placed = lane.lane.classifier, names
            parts = ((key, *part) for key, made in self.editors.items() for part in made.parts.items())
            for key, name, widgets in parts:
                for widget in widgets:
                    widget.setVisible(key in own and name in names)
            flowing = [each for each in fields if self.editors[each.editor].widget not in self.of_problems]
            self.place(flowing, names, first)
        for key, made in self.editors.items():
            for view in made.below:
                wanted = view.render_lane(lane, theme) and key in own
                view.setVisible(view.isVisibleTo(self._maker) if drawing else wanted)
        for field in fields:
            made = self.editors[field.editor]
            self._maker.owners[field.editor] = lane.lane.classifier
            if made.slider is not None and isinstance(made.slider.scale, RankScale):
                made.slider.show_scale(lane.k_scale)
            made.show(getattr(settings, field.parameter))
            if field.formula is not None and isinstance(made.widget, QLabel):
                made.widget.setText(field.formula(settings))
            made.widget.setEnabled(field.enabled(settings, ()))

    def place(self, fields: Sequence[Field], names: frozenset[str], first: QWidget) -> None:
        """Put those of `fields` that are in `names` into the grid, in their order, which is also that of Tab."""
        for box in self._boxes:
            self._grid.removeItem(box)
            box.deleteLater()
        self._boxes.clear()
        groups: list[list[Field]] = []
        for field in fields:
            if not field.beside:
                groups.append([])
            if field.name in names:
                groups[-1].append(field)
        row, column = 0, COLUMNS // 2  # beside the classifier
        for group in filter(None, groups):
            wide = group[0].kind in WIDE
            if row < self._row and (row > 0 or wide or not group[0].primary):
                row, column = self._row, 0
            elif wide and column:
                row, column = row + 1, 0
            self._put(group, row, column, COLUMNS if wide else COLUMNS // 2)
            column = 0 if wide else (column + COLUMNS // 2) % COLUMNS
            row += column == 0
            for view in self.editors[group[0].editor].below:
                self._grid.addWidget(view, row, 0, 1, COLUMNS)
                row += 1
            for widget in (each for field in group for each in self.editors[field.editor].inputs):
                QWidget.setTabOrder(first, widget)
                first = widget

    def _put(self, fields: Sequence[Field], row: int, column: int, span: int) -> None:
        """Fields that share one place; a label stands in a column of labels where only one field needs it."""
        made = [self.editors[field.editor] for field in fields]
        widgets = [part for each in made for part in (each.label, each.widget) if part is not None]
        if made[0].label is not None and (len(made) == 1 or span == COLUMNS):
            self._grid.addWidget(widgets.pop(0), row, column)
            column, span = column + 1, span - 1
        if len(widgets) == 1:
            self._grid.addWidget(widgets[0], row, column, 1, span)
            return
        box = QHBoxLayout()
        box.setSpacing(4)
        self._boxes.append(box)
        self._grid.addLayout(box, row, column, 1, span)
        wide = next((each for each in widgets if not isinstance(each, (QLabel, QCheckBox))), widgets[-1])
        for widget in widgets:
            box.addWidget(widget, int(widget is wide))
