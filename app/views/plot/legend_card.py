"""LegendCard: a small card in a corner of the first picture that explains the symbols in the pictures."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.scene.feature import FeatureTable
from app.scene.model import Scene
from app.scene.text import KKT_LEGEND, LEGEND, PROVISIONAL
from app.views.theme import Theme
from app.views.widgets.boxes import grid_on

from .symbols import symbol_pixmap

#: Distance between the card and the edges of the picture, and width of a row besides its text (pixels).
MARGIN, BESIDE = 6, 56


class LegendCard(QFrame):
    """Show one entry for each kind of symbol that the pictures contain."""

    def __init__(self, picture: QWidget, features: FeatureTable) -> None:
        super().__init__(picture)
        self._sheet_legend = features.legend()
        self.setObjectName("legend")
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._theme: Theme | None = None
        self._kinds: frozenset[str] | None = None
        self._rows: dict[str, tuple[QLabel, QLabel]] = {}
        grid = grid_on(self, (8, 6, 8, 6), down=3)
        grid.setColumnStretch(1, 1)
        of_sheets = [(entry.kind, entry.text) for entry in self._sheet_legend]
        entries = (*LEGEND, *KKT_LEGEND, PROVISIONAL, *of_sheets)
        for row, (kind, text) in enumerate(entries):
            self._rows[kind] = (QLabel(), QLabel(text, wordWrap=True))
            for column, label in enumerate(self._rows[kind]):
                grid.addWidget(label, row, column)

    def render_scene(self, scene: Scene, theme: Theme, area: QRectF) -> None:
        """Show the legend entries of the scene in the lower left corner of `area`."""
        self.setVisible(scene.session.legend)
        if not scene.session.legend:
            return
        if theme is not self._theme:
            self._theme = theme
            for kind, (picture, _) in self._rows.items():
                picture.setPixmap(symbol_pixmap(theme, kind, ratio=self.devicePixelRatioF()))
        for entry in self._sheet_legend:
            if entry.called is not None:
                self._rows[entry.kind][1].setText(entry.called(scene))
        kinds = scene.legend_kinds.union(each.kind for each in self._sheet_legend if each.drawn and each.drawn(scene))
        if kinds != self._kinds:
            self._kinds = kinds
            for kind, parts in self._rows.items():
                for part in parts:
                    part.setVisible(kind in kinds)
        self.place(area)

    def place(self, area: QRectF) -> None:
        """Move to the lower left corner of `area`; wrap the texts where that is narrow."""
        layout = self.layout()
        if self.isHidden() or layout is None:
            return
        metrics, shown = self.fontMetrics(), [words for _, words in self._rows.values() if not words.isHidden()]
        wide = max((metrics.horizontalAdvance(words.text()) for words in shown), default=0) + BESIDE
        width = min(wide, int(area.width()) - 2 * MARGIN)
        height = min(layout.heightForWidth(width), int(area.height()) - 2 * MARGIN)
        self.setGeometry(int(area.left()) + MARGIN, int(area.bottom()) - MARGIN - height, width, height)
