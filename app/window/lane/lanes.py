"""Lanes: row, picture, playback bar and status line of each lane, side by side or in two rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from app.controllers.controller import Controller
from app.scene.feature import FeatureTable
from app.scene.model import SETTINGS, Scene, columns_for
from app.tools import PointerPosition
from app.views.plot.canvas import Canvas
from app.views.plot.legend_card import LegendCard
from app.views.theme import Theme, text_font
from app.views.widgets.boxes import grid_on
from app.views.widgets.clickable import clickable
from app.views.widgets.deferred import later
from app.views.widgets.start_buttons import StartButtons

from .lane_form import LaneForm
from .lane_row import LaneRow
from .playback_bar import PlaybackBar
from .settings_panel import SettingsPanel
from .status_strip import StatusStrip

#: Size of text (pixels) at which widths of lines are given.
PLAIN_TEXT = 13
#: Size of text in presenter mode as a share of a picture's height; share of that which is near enough; least (pixels).
SHARE, CLOSE, LEAST_TEXT = 1 / 32, 0.75, PLAIN_TEXT
#: Least size as a share of the window's height: what the last row of a lecture hall can read.
READABLE = 1 / 48
#: First size as a share of the height of a lane, and the largest as a share of its width: with larger text, badge and
#: scores would not fit into a line.
FIRST, WIDEST = 1 / 38, 1 / 23
#: Least width of a slider in presenter mode (pixels), or as a share of its picture's width if that is less.
SLIDER, SLIDER_SHARE = 160, 1 / 4
GAP = 4  # gap between two lanes (pixels); even, so that an even width can be halved
#: Number of lanes made at the start; the others are made when they are first shown.
AT_START = 2
#: Width (pixels) that a lane beside two others needs for its controls; least width of any lane.
COMFORTABLE, LEAST = 384, 240
#: Space beside and above a picture for axes, row and status line, in lines of text.
BESIDE, ABOVE = 3.6, 5.2
#: Width (pixels) of the start buttons in a picture.
OFFER = 340
ROW, CANVAS, BAR, STRIP = range(4)


def presenter_text(size: QSize, shown: int, columns: int) -> int:
    """Return a size of text (pixels) for an audience, with `shown` pictures in a window of `size`."""
    height = max(FIRST * size.height() / -(-shown // columns), math.ceil(READABLE * size.height()))
    return max(round(min(height, WIDEST * size.width() / columns)), LEAST_TEXT)


class Lanes(QWidget):
    """All lanes, of equal width: one more pixel would make another picture.

    Parameters
    ----------
    controller : Controller
    resized : callable
        Called after the size of a picture has changed.
    open_menu : callable
        ``open_menu(lane, pointer, at)`` opens the context menu of a picture, at a location on the screen.
    show_settings : callable
        ``show_settings(lane)`` shows or hides the panel with the further settings of a lane.
    """

    def __init__(
        self,
        controller: Controller,
        features: FeatureTable,
        resized: Callable[[], None],
        open_menu: Callable[[int, PointerPosition | None, QPoint], None],
        show_settings: Callable[[int], None],
    ) -> None:
        super().__init__()
        self._controller, self._features = controller, features
        self._resized, self._open_menu, self._show_settings = resized, open_menu, show_settings
        self._scene: Scene | None = None
        self._theme: Theme | None = None
        self._arranged = (0, 0)
        #: Size of all text in presenter mode (pixels); 0 otherwise.
        self.text_size = 0
        self._fitting = False
        #: The available size, and the sizes of text tried in it.
        self._room: tuple[object, ...] = ()
        self._tried: list[int] = []
        self._dressed: list[QWidget] = []
        self.canvases: list[Canvas] = []
        self.rows: list[LaneRow] = []
        self.settings = SettingsPanel()
        self.bars: list[PlaybackBar] = []
        self.strips: list[StatusStrip] = []
        self._grid = grid_on(self, across=GAP, down=0)
        self._more = clickable(
            QPushButton("Add a classifier"),
            "lanes.more",
            "Add a classifier",
            "One more on the same points (Ctrl+L).",
            lambda: controller.lanes.add(controller.document.shown - 1),
        )
        while self.make_one(AT_START):
            pass
        self._legend = LegendCard(self.canvases[0], features)
        self.offer = StartButtons("offer")
        self.offer.setParent(self)
        self.offer.setAutoFillBackground(True)
        self._arrange(AT_START, AT_START)
        self._more.setParent(self)  # after the lanes in the tab order; without a parent it would outlive the window
        self.settings.setParent(self)
        self.settings.hide()
        cast(QApplication, QApplication.instance()).focusChanged.connect(self._follow_focus)

    def make_one(self, shown: int) -> bool:
        """Create row and form of one more lane, its picture, or missing editors, if `shown` lanes need it.

        Return True if so.
        """
        document, session = self._controller.document, self._controller.session
        missing = len(self.canvases) < shown
        if missing and len(self.rows) == len(self.canvases):
            form = LaneForm(len(self.rows), self._controller, self._features, self._show_settings)
            self.settings.add(form)
            self.rows.append(form.row)
        elif missing:
            self._make()
        else:
            selected = session.selected_lane(document) if SETTINGS in session.open_panels else -1
            lanes = enumerate(document.lanes[: min(shown, document.shown)])
            return any(self.settings.forms[index].fields.make(lane, index == selected) for index, lane in lanes)
        return missing

    def _follow_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        """Select the lane whose row has got the focus."""
        lane = next((at for at, row in enumerate(self.rows) if new is not None and row.isAncestorOf(new)), -1)
        if 0 <= lane < self._controller.document.shown:
            self._controller.lanes.select(lane)

    def _make(self) -> None:
        """Make the picture of a lane and what is below it, and put it beside the others."""
        index, controller = len(self.canvases), self._controller
        canvas = Canvas(index, controller.editing, controller, self._place_over, self._features)
        canvas.covers = [kind(controller, canvas) for kind in self._features.views("cover")]
        canvas.open_menu = partial(self._open_menu, index)
        self.canvases.append(canvas)
        self.bars.append(PlaybackBar(index, controller))
        self.strips.append(StatusStrip(index, self.settings.forms[index].attempt))
        for part in self._parts(index):
            part.setParent(self)
            part.hide()  # else the layout shows all of them
        if self.text_size:
            self._present(index)
        if index >= AT_START:
            before = self._stops(index - 1)
            for first, second in zip((before[-1:] + self._stops(index))[:-1], self._stops(index), strict=False):
                QWidget.setTabOrder(first, second)

    def _parts(self, index: int) -> tuple[QWidget, ...]:
        return self.rows[index], self.canvases[index], self.bars[index], self.strips[index]

    def _stops(self, index: int) -> list[QWidget]:
        """Return the widgets of a lane in tab order, as they are read."""
        inside = [each for part in self._parts(index) for each in (part, *part.findChildren(QWidget))]
        own = self.window()  # the list of a combo box is a window of its own
        return [each for each in inside if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.window() is own]

    # -- arrangement -------------------------------------------------------------------------------------------------

    def _columns(self, shown: int, size: QSize) -> int:
        """Return the number of lanes in a row, if all lanes together have `size`.

        It must not depend on its own result: so it uses the window's own text, and no timelines.
        """
        line = self.window().fontMetrics().lineSpacing()
        return columns_for(shown, size.width(), size.height(), BESIDE * line + GAP, ABOVE * line, COMFORTABLE)

    def _arrange(self, shown: int, columns: int) -> None:
        if (shown, columns) == self._arranged:
            return
        self._arranged = shown, columns
        for index in range(len(self.canvases)):
            for part in self._parts(index):
                self._grid.removeWidget(part)
        self._grid.removeWidget(self._more)
        for position in range(max(shown, 1)):
            band, column = divmod(position, columns)
            for row, part in enumerate(self._parts(position)):
                self._grid.addWidget(part, 4 * band + row, column)
        band, column = divmod(shown, columns)
        if column:
            self._grid.addWidget(self._more, 4 * band + CANVAS, column, Qt.AlignmentFlag.AlignCenter)
        self._show_more()
        for position in range(4):
            self._grid.setColumnStretch(position, int(position < columns))
            self._grid.setRowStretch(4 * position + CANVAS, int(position * columns < shown))
        self._even_out(self.width())

    def _show_more(self) -> None:
        """Show the button beside three lanes, if it fits and another lane may be added."""
        column = self._arranged[0] % max(self._arranged[1], 1)
        hidden = self._scene is not None and "classifiers" in self._scene.hidden
        self._more.setVisible(column > 0 and not self.text_size and not hidden)

    def _even_out(self, width: int) -> None:
        """Give the margin the odd pixels that the columns cannot share."""
        columns = max(self._arranged[1], 1)
        self._grid.setContentsMargins(0, 0, (width - (columns - 1) * GAP) % columns, 0)

    def minimumSizeHint(self) -> QSize:
        """Return the size for two lanes of least width in a row; longer rows wrap or scroll."""
        columns = min(self._arranged[0], 2)
        least = max([LEAST, *(row.minimumSizeHint().width() for row in self.rows[: self._arranged[0]])])
        return QSize(columns * least + (columns - 1) * GAP + columns - 1, self._grid.minimumSize().height())

    def one_line(self) -> int:
        """Return the least width (pixels) at which every row is one line."""
        shown, columns = self._arranged
        longest = max(row.flow.least_line() for row in self.rows[: max(shown, 1)])
        return columns * longest + (columns - 1) * GAP + columns - 1

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        shown = self._arranged[0]
        self._arrange(shown, self._columns(shown, event.size()))
        self._even_out(event.size().width())

    def _place_over(self) -> None:
        """Handle another size of a picture."""
        self._place_offer()
        if self.text_size:
            self._fit_soon()
        self._resized()

    def show_offer(self, scene: Scene, actions: Mapping[str, QAction]) -> None:
        """Show the start buttons in the first picture."""
        if self.offer.show_offer(scene.offer, actions):
            self._place_offer()

    def _place_offer(self) -> None:
        """Place the start buttons below the middle of the first picture, or at its lower edge."""
        if self.offer.isHidden() or self._scene is None or self._scene.offer is None:
            return
        picture, area = self.canvases[0].geometry(), self.canvases[0].plot_area().toAlignedRect()
        area.translate(picture.topLeft())
        width = min(OFFER, area.width())
        size = QSize(width, self.offer.height_at(width))
        top = area.bottom() - size.height() - GAP if self._scene.offer.large else area.center().y() + 2 * PLAIN_TEXT
        self.offer.setGeometry(QRect(QPoint(area.center().x() - size.width() // 2, top), size))
        self.offer.raise_()

    # -- presenter mode ----------------------------------------------------------------------------------------------

    def _fit_soon(self) -> None:
        """Fit the text after all parts are laid out."""
        if not self._fitting:
            self._fitting = True
            later(self, self._fit_text)

    def _first_text(self, shown: int) -> int:
        """Return a first estimate of the size of text: each trial costs a picture of each lane."""
        return presenter_text(self.window().size(), shown, self._columns(shown, self.window().size()))

    def _fit_text(self) -> None:
        """Make all text a share of the pictures' height, which depends on the size of the text in turn."""
        self._fitting = False
        if not self.text_size or self._scene is None:
            return
        height = min(canvas.plot_area().height() for canvas in self.canvases[: self._scene.shown])
        wanted = max(SHARE * height, math.ceil(READABLE * self.window().height()))
        # Larger, the line below a picture would not hold its texts; a panel beside them is ignored.
        size = max(round(min(wanted, WIDEST * self.window().width() / self._arranged[1])), LEAST_TEXT)
        room = (self.size(), *(lane.watched for lane in self._scene.lanes))
        if room != self._room:
            self._room, self._tried = room, []
        # Smaller text may make room for a larger size that was too large: then keep the smaller one.
        in_turns = size > self.text_size and self._tried.count(size) > 1
        if size != self.text_size and abs(wanted - self.text_size) > CLOSE and not in_turns:
            self._tried.append(size)
            self._show_text(size)

    def _show_text(self, size: int) -> None:
        """Set the size of the text (pixels), and line widths to match; 0 restores both."""
        self.text_size = size
        parts = (each for index in range(len(self.canvases)) for each in self._parts(index))
        self._set_text(*(each for each in parts if not each.isHidden()), self.offer, *self._dressed)
        for index in range(len(self.canvases)):
            self._present(index)
        self._fit_rows()
        if self._scene is not None and self._theme is not None:
            for strip, lane in zip(self.strips, self._scene.lanes, strict=False):
                strip.render_scene(lane, self._theme)
        self._resized()

    def _set_text(self, *parts: QWidget) -> None:
        """Set the size of the text of these parts; others get it when they are shown: each has many widgets."""
        font = text_font(self.text_size)
        for part in parts:
            part.setFont(font)

    def _present(self, index: int) -> None:
        """Give lines, axes and timeline of one lane the size of the text."""
        self.canvases[index].present(max(1.0, self.text_size / PLAIN_TEXT) if self.text_size else None)

    def _fit_rows(self) -> None:
        """Show the sliders of a row in presenter mode if they fit; those of the selected lane always."""
        lanes = () if self._scene is None else self._scene.lanes
        selected = next((index for index, lane in enumerate(lanes) if lane.selected), 0)
        for index, (form, canvas) in enumerate(zip(self.settings.forms, self.canvases, strict=False)):
            least = min(SLIDER, math.ceil(SLIDER_SHARE * canvas.plot_area().width())) if self.text_size else 0
            form.fields.present(canvas.width() if self.text_size else None, least, index == selected)

    def dress(self, panels: Sequence[QWidget]) -> None:
        """In presenter mode give these panels, and no others, text of the same size."""
        for each in set(self._dressed).difference(panels):
            each.setFont(text_font(0))
        self._dressed = list(panels)
        self._set_text(*panels)

    # -- drawing -----------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme, anew: bool) -> None:
        """Draw the scene's lanes; with `anew` also those that have not changed."""
        old, self._scene = None if anew else self._scene, scene
        self._theme = theme
        presenting = scene.session.presents_here
        put_down = old is not None and old.session.drawing and not scene.session.drawing
        while self.make_one(scene.shown):
            pass
        self._arrange(scene.shown, self._columns(scene.shown, self.size()))  # before anything more is shown
        for index in range(len(self.canvases)):
            shown = index < scene.shown
            if shown:
                lane = scene.lanes[index]
                if old is None or old.shown != scene.shown or old.lanes[index] != lane or put_down:
                    self.settings.forms[index].render_scene(lane, scene.shown, scene.session.drawing, theme)
                    if lane.watched:
                        self.bars[index].render_scene(lane, theme)
                    self.strips[index].render_scene(lane, theme)
                self.canvases[index].render_scene(scene, lane, theme)
            for part, visible in zip(
                self._parts(index), (shown, shown, shown and scene.lanes[index].watched, shown), strict=True
            ):
                if part.isHidden() == visible:
                    if visible:
                        self._set_text(part)
                    part.setVisible(visible)
        if presenting != bool(self.text_size):
            self._show_text(self._first_text(scene.shown) if presenting else 0)
            self._arranged = (0, 0)  # another set of buttons after the lanes
        elif presenting:
            self._fit_rows()
        self._arrange(scene.shown, self._columns(scene.shown, self.size()))
        if old is None or old.hidden != scene.hidden:
            self._show_more()
        self._legend.render_scene(scene, theme, self.canvases[0].plot_area())
