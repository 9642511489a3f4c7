"""MultipliersPanel: every multiplier as a bar between 0 and its C, and how many there are of each KKT case."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.features.kkt import text as words
from app.features.kkt import view_style
from app.scene.model import Scene
from app.views.plot.symbols import draw
from app.views.theme import Theme
from app.views.widgets.boxes import filled
from app.views.widgets.form_fields import combo_box, describe
from app.views.widgets.linked_view import Sentence
from app.views.widgets.painting import painter_on
from app.views.widgets.picture_beside_text import PictureBesideText
from solver.inspection.metrics import KKT_WORDS, KktCase

from .view_bars import MultiplierBars


class MultipliersPanel(QWidget):
    """The bars, how to order them, what each colour is, and the numbers of one point.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        describe(self, "alphas", "Multipliers", "The multipliers α of the training points, by KKT case.")
        self.setToolTip("")
        self._theme: Theme | None = None
        orders = combo_box((("Largest first", True), ("In the order of the points", False)), 8)
        tip = "By the size of α, or as the points come."
        self._order = describe(orders, "alphas.order", "Order of the bars", tip)
        self._height = describe(
            combo_box((("Height up to C", True), ("Height up to the largest α", False)), 8),
            "alphas.height",
            "Height of the picture",
            "Up to the bound C, or only up to the largest multiplier: bars far below C become visible.",
        )
        for combo in (self._order, self._height):
            combo.activated.connect(self._choose)
        self.bars = describe(
            MultiplierBars(lambda point: controller.playback.hover(point)),
            "alphas.bars",
            "Multipliers as bars",
            "One bar for each point, from 0 to its α. Arrow keys go from bar to bar.",
        )
        self.bars.setToolTip("")
        self._line = Sentence(
            "alphas.point",
            "α = 0.00123, C = 0.00123\ny f = −0.00123, slack ξ = 1.00123\n" + max(KKT_WORDS.values(), key=len),
        )
        self._count = Sentence("alphas.count", words.bars_words(10_000, 12))
        self._legend = _Legend()
        options = filled(QHBoxLayout(), (self._order, 1), (self._height, 1))
        picture = QWidget()
        filled(QVBoxLayout(picture), options, (self.bars, 1), margins=0)
        self._spread = PictureBesideText("alphas.message", picture, self._line, (self._legend, self._count))
        filled(QVBoxLayout(self), self._spread, margins=0)
        self.setFocusProxy(self.bars)

    def _choose(self) -> None:
        self.bars.choose(bool(self._order.currentData()), bool(self._height.currentData()))

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the multipliers of the scene's study."""
        run_state = scene.run_state
        plain = ""
        if run_state is None:
            plain = words.NO_STUDY
        elif run_state.alpha is None or run_state.C is None or run_state.kkt is None:
            plain = words.without_alpha(run_state.learner)
        self._spread.show_plain(plain)
        self.bars.show_study(None if plain else run_state, scene.session.hovered, theme)
        if theme is not self._theme:
            self._theme = theme
            self._legend.show_theme(theme)
        if run_state is None or plain or run_state.kkt is None or run_state.C is None:
            return
        self._height.setEnabled(bool(np.isfinite(run_state.C).any()))
        self._legend.show_counts(words.case_counts(run_state.kkt))
        per_bar = self.bars.bars().per_bar
        self._count.show_text(words.bars_words(len(run_state.y), per_bar))
        hint = "Point at a bar, or go from bar to bar with ← and →."
        place = self.bars.place
        self._line.show_text("\n".join(words.point_words(run_state, place)) if place >= 0 else hint)


class _Legend(QWidget):
    """What the colours are, with the number of points of each case, and of those that violate theirs."""

    def __init__(self) -> None:
        super().__init__()
        self._signs: list[QLabel] = []
        self._texts: list[Sentence] = []
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(6)
        layout.setVerticalSpacing(2)
        layout.setColumnStretch(1, 1)
        for row in range(len(KktCase) + 1):
            sign = QLabel()
            longest = words.violation_words(10_000)
            if row < len(KktCase):
                longest = words.case_words(KktCase(row), 10_000, 10_000)
            text = Sentence(f"alphas.case{row}" if row < len(KktCase) else "alphas.violations", longest)
            layout.addWidget(sign, row, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(text, row, 1)
            self._signs.append(sign)
            self._texts.append(text)

    def show_theme(self, theme: Theme) -> None:
        """Draw the signs in the theme's colours: the bar, and the mark of the pictures."""
        ratio = self.devicePixelRatioF()
        for row, sign in enumerate(self._signs):
            pixmap = QPixmap(round(52 * ratio), round(26 * ratio))
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            with painter_on(pixmap) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                if row < len(KktCase):
                    view_style.draw_swatch(painter, theme, KktCase(row), QRectF(3, 4, 16, 18), ratio)
                    mark = view_style.mark_of(KktCase(row), True)
                else:
                    painter.setPen(QPen(QColor(*theme.ink), 2))
                    painter.drawLine(QLineF(11, 10, 11, 16))
                    mark = view_style.mark_of(KktCase.FREE, False)
                if mark:
                    painter.translate(38, 13)
                    draw(painter, theme, mark, 0.9)
            sign.setPixmap(pixmap)

    def show_counts(self, counts: dict[KktCase, tuple[int, int]]) -> None:
        """Show how many points each case has, and how many violate theirs."""
        for case, (number, not_yet) in counts.items():
            self._texts[case].show_text(words.case_words(case, number, not_yet))
        self._texts[-1].show_text(words.violation_words(sum(not_yet for _, not_yet in counts.values())))
