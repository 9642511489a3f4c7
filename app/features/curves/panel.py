"""CurvesPanel: the curves of the run that is studied, and the choice of their step axis."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets.boxes import filled
from app.views.widgets.form_fields import describe, label_for
from app.views.widgets.scrolling_form import scrolling

from .view import LEAST_WIDTH, RECENT, CurvesPlot


class CurvesPanel(QWidget):
    """The plots with two choices above them."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.setObjectName("curves")
        self.plot = CurvesPlot(controller.playback)
        self._steps = self._choice(
            "steps",
            "Steps",
            ("linear", "log"),
            "Logarithmic: the early steps, where most happens, get as much room as the many late ones;"
            " the axis then begins at step 1.",
        )
        self._steps.activated.connect(lambda row: self.plot.show_steps(log=row == 1))
        self._range = self._choice("range", "Range", ("all", f"last {RECENT}"), "How many steps are drawn.")
        self._range.activated.connect(lambda row: self.plot.show_steps(recent=row == 1))
        steps, extent = label_for("Steps", self._steps), label_for("Range", self._range)
        line = filled(QHBoxLayout(), steps, self._steps, extent, self._range, 1, margins=(6, 0, 4, 0), spacing=6)
        scrolled = scrolling(self.plot)  # in a low dock, or with large text
        scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        filled(QVBoxLayout(self), line, (scrolled, 1), margins=2, spacing=0)
        self.setFocusProxy(self.plot)

    @staticmethod
    def _choice(name: str, title: str, texts: tuple[str, ...], sentence: str) -> QComboBox:
        combo = QComboBox()
        combo.addItems(texts)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        combo.setMinimumHeight(24)
        return describe(combo, f"curves.{name}", title, sentence)

    def sizeHint(self) -> QSize:
        return QSize(440, 480)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(max(least.width(), LEAST_WIDTH), max(least.height(), 160))

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's run."""
        self.plot.render_study(scene.run_state, scene.studied, theme)
