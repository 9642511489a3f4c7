"""LearnerFields: the fields of a lane's learner, in its row and its form; made when they are first shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.learners.fields import Field
from app.scene.model import LaneScene
from app.state.document import Lane
from app.views.theme import Theme
from app.views.widgets.deferred import later
from app.views.widgets.inputs import filled
from app.views.widgets.scale_slider import LEAST

from .form_parts import Editor, EditorMaker
from .lane_row import LaneRow

#: Digits of a number in presenter mode, and most entries of a short list.
DIGITS, FEW = 4, 4
#: Gap between the parts of the row, and the least width of a chart below a slider (pixels).
GAP, READABLE = 4, 120
#: Most lines in presenter mode of a row that shows its sliders although its lane is not selected.
LINES = 2


def _widen(combo: QComboBox) -> None:
    """Make a choice in the row as wide as its longest entry; if the list is long, as its own: sliders need room."""
    advance = combo.fontMetrics().horizontalAdvance
    words = [combo.itemText(row) for row in range(combo.count())] if combo.count() <= FEW else [combo.currentText()]
    combo.setMinimumContentsLength(-(-max(map(advance, words)) // advance("X")))  # Qt's unit


class _Group(QWidget):
    """A field of the row: label and editor in a line, and below it the widgets of features."""

    def __init__(self, made: Editor) -> None:
        super().__init__()
        self._line = filled(QHBoxLayout(), spacing=GAP)
        filled(QVBoxLayout(self), self._line, *made.below, margins=0, spacing=0)
        self._made = made
        self.has_slider = made.slider is not None
        #: Whether there is something to show below it.
        self.below = False
        policy = QSizePolicy.Policy.Maximum if made.slider is None else QSizePolicy.Policy.Expanding
        self.setSizePolicy(policy, QSizePolicy.Policy.Preferred)

    def take(self) -> None:
        """Insert label and editor."""
        made = self._made
        if made.label is not None:
            self._line.addWidget(made.label)
            made.label.setVisible(not isinstance(made.widget, QComboBox))  # the text of a choice includes its subject
        if isinstance(made.widget, QComboBox):
            made.widget.setIconSize(QSize(4, 0))  # it has none; Qt would keep room for a larger one
        self._line.addWidget(made.widget, 1)

    def show_parts(self) -> None:
        """Show what is below the slider if it is wide enough to be read."""
        for view in self._made.below:
            if view.isHidden() == (visible := self.below and self.width() >= READABLE):
                view.setVisible(visible)

    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        return QSize(self.length(), size.height()) if self.has_slider else size

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        later(self, self.show_parts)  # a part that appears or vanishes during layout spoils the layouts around it

    def length(self) -> int:
        """Return the least width (pixels), with the shortest slider."""
        made, label = self._made, self._made.label
        label_width = label.sizeHint().width() + GAP if label is not None and not label.isHidden() else 0
        if made.slider is None:
            return label_width + made.widget.sizeHint().width()
        return label_width + max(made.slider.minimumWidth(), LEAST) + GAP + made.inputs[1].minimumWidth()


class LearnerFields:
    """The editors of the learners' fields: the most used ones in the row, the others in the form.

    Each is made when it is first in sight, and then kept.

    Parameters
    ----------
    maker : EditorMaker
        Makes the editors, and is the form.
    line : LaneRow

    Attributes
    ----------
    editors : dict of Editor
        By `Field.editor`.
    in_form : list of Field
        Those that the form shows.
    """

    def __init__(self, maker: EditorMaker, line: LaneRow) -> None:
        self._maker, self._line = maker, line
        self.editors: dict[int, Editor] = {}
        self.in_form: list[Field] = []
        #: Fields in the row, always or in presenter mode, by `Field.editor`; and those only in presenter mode.
        self._groups: dict[int, _Group] = {}
        self._moved: set[int] = set()
        self._presenting = False
        #: Groups of the fields of the lane's learner.
        self._own_groups: list[int] = []
        self._placed: object = None
        #: State to which the row was fitted in presenter mode, else None; whether its fields have changed since.
        self._fitted: object = None
        self._replaced = False
        self._font = line.font()
        self._shown: Lane | None = None
        self._scene: LaneScene | None = None
        self._line.place(())

    def make(self, lane: Lane, with_form: bool) -> bool:
        """Make the missing editors of a lane's row, and of its form if wanted; return True if there were any."""
        before, fields = len(self.editors), lane.family.fields
        self._make(lane.classifier, (field for field in fields if self._in_row(field) or with_form))
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
        self.make(lane.lane, lane.settings_open)
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
        for key, group in self._groups.items():
            for view in self.editors[key].below:
                wanted = view.render_lane(lane, theme) and key in own
                group.below = group.below if drawing else wanted
                group.show_parts()
        if drawing and lane.lane is self._shown:  # nothing can have been typed during a gesture, either
            return
        self._shown = lane.lane
        for field in fields:
            made = self.editors[field.editor]
            self._maker.owners[field.editor] = lane.lane.classifier
            if made.slider is not None:
                made.slider.show_scale(field.scale(lane.n_training))
            made.show(field.value(settings))
            if field.primary and isinstance(made.widget, QComboBox):
                _widen(made.widget)
            if field.formula is not None and isinstance(made.widget, QLabel):
                made.widget.setText(field.formula(settings))

    def _in_row(self, field: Field) -> bool:
        """Return whether a field is in the row now."""
        return field.primary or (self._presenting and field.presented)

    def _place_all(self, lane: LaneScene) -> None:
        """Show the lane's fields in row and form, and hide the others."""
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
        self.in_form = [
            field
            for field in fields
            if not self._in_row(field) and not names.isdisjoint(self.editors[field.editor].parts)
        ]
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
            group.setVisible(group in shown)
        self._line.offer_sliders(not set(sliders).issubset(shown))

    def _order(self, fields: Sequence[Field], names: frozenset[str]) -> None:
        """Set the tab order of the row: that of the fields, then the buttons."""
        primary = [field for field in fields if self._in_row(field) and field.name in names]
        before: QWidget = self._line.classifier
        for widget in (*(each for field in primary for each in self.editors[field.editor].inputs), *self._line.ends):
            QWidget.setTabOrder(before, widget)
            before = widget
