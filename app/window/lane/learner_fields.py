"""LearnerFields: the fields of a lane's learner, in its row and its form; made and placed when they are first shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.learners.fields import Field
from app.learners.table import LEARNERS
from app.scene.model import LaneScene
from app.state.document import Lane
from app.views.theme import Theme
from app.views.widgets.deferred import later
from app.views.widgets.inputs import filled
from app.views.widgets.scale_slider import LEAST

from .form_parts import Editor, EditorMaker
from .lane_row import LaneRow

#: Columns of the form: label, field, label, field.
COLUMNS = 4
#: Kinds of fields that span all columns.
WIDE = ("numbers of classes",)
#: Letters of a choice in the row, and digits of a number in presenter mode.
SHORT, DIGITS = 7, 4
#: Gap between the parts of the row (pixels).
GAP = 4
#: Most lines in presenter mode of a row that shows its sliders although its lane is not selected.
LINES = 2


class _Group(QWidget):
    """A field of the row: label and editor in a line, and below it the widgets of features."""

    def __init__(self, made: Editor) -> None:
        super().__init__()
        self._line = filled(QHBoxLayout(), spacing=GAP)
        filled(QVBoxLayout(self), self._line, *made.below, margins=0, spacing=0)
        self._made = made
        self.has_slider = made.slider is not None
        #: Whether it always shows its slider.
        self.firm = False
        policy = QSizePolicy.Policy.Maximum if made.slider is None else QSizePolicy.Policy.Expanding
        self.setSizePolicy(policy, QSizePolicy.Policy.Preferred)

    def take(self) -> None:
        """Insert label and editor."""
        made = self._made
        if made.label is not None:
            self._line.addWidget(made.label)
            made.label.setVisible(not isinstance(made.widget, QComboBox))  # the text of a choice includes its subject
        if isinstance(made.widget, QComboBox):
            made.widget.setMinimumContentsLength(SHORT)
            made.widget.setIconSize(QSize(0, 0))  # it has none; Qt would keep room for it
        self._line.addWidget(made.widget, 1)

    def _show_slider(self) -> None:
        """Show the slider if it fits."""
        slider = self._made.slider
        if slider is not None and slider.isHidden() == (visible := self.firm or self.width() >= self.length()):
            slider.setVisible(visible)

    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        return QSize(self.length(), size.height()) if self.has_slider else size

    def shortest(self) -> int:
        """Return the width without the slider (pixels)."""
        return self._without_slider() if self.has_slider and not self.firm else self.minimumSizeHint().width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        later(self, self._show_slider)  # a part that appears or vanishes during layout spoils the layouts around it

    def _without_slider(self) -> int:
        made, label = self._made, self._made.label
        own = made.inputs[1].minimumWidth() if made.slider is not None else made.widget.sizeHint().width()
        return own + (label.sizeHint().width() + GAP if label is not None and not label.isHidden() else 0)

    def length(self) -> int:
        """Return the least width (pixels), with the shortest slider, whether visible or not."""
        slider = self._made.slider
        return self._without_slider() + (0 if slider is None else max(slider.minimumWidth(), LEAST) + GAP)


class LearnerFields:
    """The editors of the learners' fields: the most used ones in the row, the others in the form.

    Each is made when it is first in sight, and then kept.

    Parameters
    ----------
    maker : EditorMaker
        Makes the editors, and is the form.
    line : LaneRow
    grid : QGridLayout
        The grid of the form, with `COLUMNS` columns.
    row : int
        First free row for fields.

    Attributes
    ----------
    editors : dict of Editor
        By `Field.editor`.
    of_problems : list of QWidget
        Editors beside the choice of the problem that is drawn.
    behind : list of QWidget
        Widgets after all other fields in tab order, those of problems among them.
    """

    def __init__(self, maker: EditorMaker, line: LaneRow, grid: QGridLayout, row: int) -> None:
        self._maker, self._line, self._grid, self._row = maker, line, grid, row
        self.editors: dict[int, Editor] = {}
        self.of_problems: list[QWidget] = []
        self.behind: list[QWidget] = []
        #: Fields in the row, always or in presenter mode, by `Field.editor`; and those only in presenter mode.
        self._groups: dict[int, _Group] = {}
        self._moved: set[int] = set()
        self._presenting = False
        #: Groups of the fields of the lane's learner.
        self._own_groups: list[int] = []
        self._boxes: list[QHBoxLayout] = []
        self._placed: object = None
        #: State to which the row was fitted in presenter mode, else None; whether its fields have changed since.
        self._fitted: object = None
        self._replaced = False
        self._font = line.font()
        self._shown: Lane | None = None
        self._scene: LaneScene | None = None
        for name in (name for name, learner in LEARNERS.items() if not learner.own_process):
            fields = LEARNERS[name].fields
            self._make(name, (field for field in fields if field.kind == "choice" and not field.label))
        self.of_problems = [made.widget for made in self.editors.values()]
        self._line.place(())

    def make(self, lane: Lane, folded: bool) -> bool:
        """Make the missing editors of a lane whose form is `folded` or open; return True if there were any."""
        before, fields = len(self.editors), lane.family.fields
        self._make(lane.classifier, (field for field in fields if self._in_row(field) or not folded))
        return len(self.editors) > before

    def _make(self, part: str, fields: Iterable[Field]) -> None:
        """Make the missing editors of these fields of the learner `part`."""
        groups = []
        for field in fields:
            if field.editor not in self.editors:
                made = self.editors[field.editor] = self._maker.editor(field, part)
                if field.primary or field.presented:
                    group = self._groups[field.editor] = _Group(made)
                    group.hide()
                    groups.append(group)
                    if not field.primary:
                        self._moved.add(field.editor)
                    if self._in_row(field):
                        group.take()
        if groups:
            self._line.place(groups)

    def _in_sight(self, lane: LaneScene) -> list[Field]:
        """Return the fields that the lane's row and form show, and make their missing editors."""
        self.make(lane.lane, lane.folded)
        return [field for field in lane.lane.family.fields if field.editor in self.editors]

    def render(self, lane: LaneScene, drawing: bool, theme: Theme) -> None:
        """Show the lane's settings; while a gesture is `drawing`, no row appears or vanishes."""
        fields, settings = self._in_sight(lane), lane.lane.settings
        own = {field.editor for field in fields}
        self._scene = lane
        if not drawing:
            self._place_all(lane)
        if self._fitted is None and self._font != self._line.font():
            self._font = self._line.font()
            for made in self.editors.values():
                if made.fit is not None:
                    made.fit(0)
        for key, made in self.editors.items():
            for view in made.below:
                wanted = view.render_lane(lane, theme) and key in own
                view.setVisible(not view.isHidden() if drawing else wanted)
        if drawing and lane.lane is self._shown:  # nothing can have been typed during a gesture, either
            return
        self._shown = lane.lane
        for field in fields:
            made = self.editors[field.editor]
            self._maker.owners[field.editor] = lane.lane.classifier
            if made.slider is not None:
                made.slider.show_scale(field.scale(lane.n_training))
            made.show(field.value(settings))
            if field.primary and isinstance(made.widget, QComboBox):  # as wide as its word: the sliders need the width
                made.widget.setMinimumContentsLength(min(len(made.widget.currentText()), SHORT))
            if field.formula is not None and isinstance(made.widget, QLabel):
                made.widget.setText(field.formula(settings))

    def _in_row(self, field: Field) -> bool:
        """Return whether a field is in the row now."""
        return field.primary or (self._presenting and field.presented)

    def _place_all(self, lane: LaneScene) -> None:
        """Place the lane's fields in row and form, and hide the others."""
        fields, names = self._in_sight(lane), lane.fields
        placed = lane.lane.classifier, names, self._presenting, len(self.editors)
        if placed == self._placed:
            return
        self._placed = placed
        self._replaced = True
        own = {field.editor for field in fields}
        self._own_groups = []
        for key, made in self.editors.items():
            if key in self._groups:
                in_row = self._presenting or key not in self._moved
                shown = in_row and key in own and not names.isdisjoint(made.parts)
                self._groups[key].setVisible(shown)
                if shown:
                    self._own_groups.append(key)
                if in_row:
                    continue
            for name, widgets in made.parts.items():
                for widget in widgets:
                    widget.setVisible(key in own and name in names)
        in_form = [field for field in fields if not self._in_row(field)]
        self.place([each for each in in_form if self.editors[each.editor].widget not in self.of_problems], names)
        self._order(fields, names)

    def present(self, width: int | None, least: int, selected: bool) -> None:
        """In presenter mode make each slider at least `least` pixels long, in a row of `width` pixels; None: leave it.

        If that takes too many lines, only the `selected` lane shows its sliders.
        """
        if (width is not None) != self._presenting:
            self._presenting = width is not None
            for key in self._moved if self._presenting else ():
                self._groups[key].take()
                self.editors[key].widget.show()
            if self._scene is not None:
                self._place_all(self._scene)
        texts = [made.widget.currentText() for made in self.editors.values() if isinstance(made.widget, QComboBox)]
        size, ends = self._line.font().pixelSize(), self._line.ends_shown
        fitted = None if width is None else (width, least, size, texts, selected, ends)
        if fitted == self._fitted and not self._replaced:  # each fitting makes Qt lay out the window again
            return
        self._fitted, self._replaced = fitted, False
        for key, made in self.editors.items():
            if made.slider is not None and made.fit is not None and key in self._groups:
                for widget in made.inputs:
                    widget.ensurePolished()  # those never shown have no size yet
                made.slider.setMinimumWidth(least)
                made.fit(0 if width is None else DIGITS)
        # From the parts themselves: sizes of layouts are updated only after this.
        self._line.present(size if width is not None else 0)
        groups = [self._groups[key] for key in self._own_groups]
        sliders = [group for group in groups if group.has_slider]
        shown = groups
        if self._line.break_lines(groups, width) > LINES:
            shown = sliders  # shown before choices
            if self._line.break_lines(sliders, width) > LINES:
                shown = groups if selected else [group for group in groups if not group.has_slider]
                self._line.break_lines(shown, width)
        for group in groups:
            group.firm = width is not None
            group.setVisible(group in shown)
        self._line.offer_sliders(not set(sliders).issubset(shown))

    def _order(self, fields: Sequence[Field], names: frozenset[str]) -> None:
        """Set the tab order: through the row, then through the form, in the order of the fields."""
        primary = [field for field in fields if self._in_row(field) and field.name in names]
        others = [field for field in fields if not self._in_row(field) and field.name in names]
        inputs = [
            [widget for field in part for widget in self.editors[field.editor].inputs] for part in (primary, others)
        ]
        before: QWidget = self._line.classifier
        in_form = [widget for widget in inputs[1] if widget not in self.of_problems]
        for widget in (*inputs[0], *self._line.ends, *in_form, *self.behind):
            QWidget.setTabOrder(before, widget)
            before = widget

    def place(self, fields: Sequence[Field], names: frozenset[str]) -> None:
        """Place those of `fields` that are in `names` in the grid, in their order."""
        for box in self._boxes:
            self._grid.removeItem(box)
            box.deleteLater()
        self._boxes.clear()
        groups: list[list[Field]] = []
        for field in fields:
            if not (field.beside and groups):  # the field before it may be in the row
                groups.append([])
            if field.name in names:
                groups[-1].append(field)
        row, column = self._row, 0
        for group in filter(None, groups):
            wide = group[0].kind in WIDE
            if wide and column:
                row, column = row + 1, 0
            self._put(group, row, column, COLUMNS if wide else COLUMNS // 2)
            column = 0 if wide else (column + COLUMNS // 2) % COLUMNS
            row += column == 0

    def _put(self, fields: Sequence[Field], row: int, column: int, span: int) -> None:
        """Place fields that share a cell; a single field has its label in the column of labels."""
        made = [self.editors[field.editor] for field in fields]
        widgets = [part for each in made for part in (each.label, each.widget) if part is not None]
        if made[0].label is not None and (len(made) == 1 or span == COLUMNS):
            self._grid.addWidget(widgets.pop(0), row, column)
            column, span = column + 1, span - 1
        if len(widgets) == 1:
            self._grid.addWidget(widgets[0], row, column, 1, span)
            return
        wide = next((each for each in widgets if not isinstance(each, (QLabel, QCheckBox))), widgets[-1])
        # Filled afterwards: if a full layout is added, PySide keeps a reference to each item, even after Qt has deleted
        # it, and mistakes the next object at its address for the item: an array of points, a painter.
        self._grid.addLayout(box := QHBoxLayout(), row, column, 1, span)
        self._boxes.append(filled(box, *((widget, int(widget is wide)) for widget in widgets), spacing=4))
