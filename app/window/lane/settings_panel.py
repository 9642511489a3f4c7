"""SettingsPanel: the further settings of the selected lane, beside the pictures."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets.inputs import describe, filled

from .lane_form import LaneForm

#: Preferred width (pixels).
WIDTH = 352


class SettingsPanel(QWidget):
    """The forms of all lanes, of which it shows that of the selected one.

    Attributes
    ----------
    forms : list of LaneForm
        By the index of their lane.
    """

    def __init__(self) -> None:
        super().__init__()
        describe(self, "settings", "Settings", "All settings of the selected classifier.", hover=False)
        self.forms: list[LaneForm] = []
        self._layout = filled(QVBoxLayout(self), margins=0)

    def add(self, form: LaneForm) -> None:
        """Add the form of one more lane."""
        form.hide()
        self.forms.append(form)
        self._layout.addWidget(form)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, super().sizeHint().height())

    def useful_height(self) -> int:
        """Return the height (pixels) at which nothing of the form scrolls."""
        return (
            self._layout.totalHeightForWidth(self.width())
            if self._layout.hasHeightForWidth()
            else self.sizeHint().height()
        )

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the form of the selected lane."""
        for form in self.forms:
            selected = form.index < scene.shown and scene.lanes[form.index].selected
            form.setVisible(selected and bool(scene.lanes[form.index].fields))
