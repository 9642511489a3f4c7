"""Layout of an exported picture: its specification, the positions of all its parts, and its painting.

Plots are painted by the canvas used on screen, at a scale of their own, from surfaces computed for exactly these
pixels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from app.core.number_format import count
from app.core.plain_text import plain
from app.core.points import LIMIT
from app.engine.frames import NO_MARKS, Frame, Phase, Picture
from app.scene.compose import kinds_in
from app.scene.feature import FeatureTable
from app.scene.marks import pies
from app.scene.model import LaneScene, Scene, columns_for, grid_of
from app.scene.text import LEGEND, headline, sampled
from app.state.document import View
from app.state.session import Session
from app.state.split import unsplit
from app.views.plot import symbols
from app.views.plot.canvas import Canvas
from app.views.theme import Theme, dressed, text_font, theme_of
from app.views.widgets.painting import bold, saved
from solver import Grid

What = Literal["window", "lane0", "lane1", "lane2", "lane3"]
LEAST_SIDE, LARGEST_SIDE = 200, 12_000
#: Number of pixels of the largest picture: more would need gigabytes.
MOST_PIXELS = 100_000_000
#: Size of text and title, and the gap around everything, in units of the picture.
TEXT, TITLE, GAP = 12, 14, 10
#: Width of a legend entry's symbol, and of the gap after its text.
SIGN, BEHIND = 26, 18
#: Approximate height of title and texts above a plot, of two legend rows below, and width of its axes.
ABOVE, BELOW, BESIDE = 54, 56, 48
#: Extra room for an outermost point, which would be cut off otherwise.
AT_THE_EDGE = 10
#: Minimum height of a plot when the legend needs room.
LEAST_PLOT = 110
#: Films fit the points to their own shape if the view's span is at most this multiple of the fitted span.
FITS = 1.3
#: Largest share of a plot's height that is given up so that it shows no more of the plane than the window does.
SPARE = 0.15


class Preset(Struct, frozen=True):
    """A size to choose: pixels, pixels per layout unit (text is `TEXT` units high), dots per inch in print."""

    key: str
    title: str
    width: int
    height: int
    scale: float
    dpi: int = 0


PRESETS: tuple[Preset, ...] = (
    Preset("projector", "Projector 1920 × 1080", 1920, 1080, 1.75),
    Preset("projector4k", "Projector 3840 × 2160", 3840, 2160, 3.5),
    Preset("print15", "Print 15 × 10 cm at 300 dpi", 1772, 1181, 2.5, 300),
    Preset("printA4", "Print A4 landscape at 300 dpi", 3508, 2480, 3.75, 300),
)


def scale_for(width: int, height: int) -> float:
    """Return the pixels per unit for a custom size: text keeps about the same share of it, never below `TEXT`."""
    wanted = min(math.sqrt(width * height / (1000 * 620)), width / 420, height / 260)
    return max(1.0, round(4 * wanted) / 4)


def screen_size(canvases: Sequence[Canvas], what: What) -> tuple[int, int, float]:
    """Return width, height and scale of a picture whose plots are about as large as on screen."""
    chosen = canvases if what == "window" else [canvases[min(int(what[-1]), len(canvases) - 1)]]
    scale = max(1.0, round(4 * chosen[0].devicePixelRatioF()) / 4)
    columns, rows = len({canvas.x() for canvas in chosen}), len({canvas.y() for canvas in chosen})
    width = columns * (chosen[0].width() + GAP) + GAP
    height = rows * (chosen[0].height() + GAP + ABOVE) + GAP + BELOW
    sides = [min(max(round(side * scale), LEAST_SIDE), LARGEST_SIDE) for side in (width, height)]
    return sides[0], sides[1], scale


class PictureSpec(Struct, frozen=True):
    """Settings of an exported picture: subject, size in pixels, scale in pixels per unit, theme, and legend or none.

    The scale is a multiple of 1/4, so that plots can begin and end on whole pixels.

    Attributes
    ----------
    accuracies : bool
        Write the known accuracies above each plot.
    fitted : bool
        If the window shows about all points, fit them to the picture's own shape; else show the same part of the plane.
    """

    what: What = "window"
    width: int = 1920
    height: int = 1080
    scale: float = 1.75
    dark: bool = False
    legend: bool = True
    dpi: int = 0
    accuracies: bool = False
    fitted: bool = False

    def __post_init__(self) -> None:
        sides = (self.width, self.height)
        if not all(LEAST_SIDE <= side <= LARGEST_SIDE for side in sides):
            raise ValueError(f"A picture's sides must have {LEAST_SIDE} to {count(LARGEST_SIDE, 'pixel')}.")
        if self.width * self.height > MOST_PIXELS:
            raise ValueError(
                f"{self.width} × {self.height} pixels are too many for one picture: the most are"
                f" {MOST_PIXELS // 10**6} million."
            )
        if self.scale < 1 or 4 * self.scale % 1:
            raise ValueError("A picture's scale must be a multiple of a quarter, and at least 1.")


class Shot(Struct, frozen=True):
    """Snapshot from which a picture is made: the scene and the frames at the time of the request; they never change.

    Attributes
    ----------
    scene : Scene
    lanes : tuple of (LaneScene, Frame or None)
    features : FeatureTable
    headlines : dict of int to str
        By slot, a text above a lane that replaces its own.
    """

    scene: Scene
    lanes: tuple[tuple[LaneScene, Frame | None], ...]
    features: FeatureTable
    headlines: Mapping[int, str] = field(default_factory=dict)


def shoot(features: FeatureTable, scene: Scene, frames: Sequence[Frame | None], what: What) -> Shot:
    """Return the snapshot of the lanes that `what` names; `frames` are the newest frames of all shown lanes."""
    if what != "window" and int(what[-1]) >= scene.shown:
        raise ValueError(f"Classifier {int(what[-1]) + 1} is not on screen any more.")
    indices = range(scene.shown) if what == "window" else [int(what[-1])]
    return Shot(scene, tuple((scene.lanes[index], frames[index]) for index in indices), features)


class _Plot:
    """One lane of a sheet: its texts, its canvas and the canvas's location."""

    def __init__(self, index: int, shot: Shot, spec: PictureSpec, theme: Theme, canvas: Canvas | None = None) -> None:
        lane, frame = shot.lanes[index]
        self.spec = spec
        self.frame = frame
        has_model = frame is not None and (frame.model is not None or frame.sides is not None)
        drawn = lane.picture is not None and has_model
        self.model_frame = frame if drawn else None
        # All points if the frame belongs to them (or to a sample of them), else the frame's own points: its marks refer
        # to those, and its texts hold for them.
        current = frame is None or frame.points is shot.scene.parts.training
        self.points = shot.scene.points if current or frame is None else frame.points
        parts = shot.scene.parts if current else unsplit(self.points)
        session = shot.scene.session
        marks = NO_MARKS if frame is None or not (drawn and session.marks) else lane.marks if current else frame.marks
        self.scene = replace(
            shot.scene,
            points=self.points,
            parts=parts,
            pies=pies(self.points, parts),
            selected=shot.scene.selected[:0],
            session=Session(marks=session.marks, points_away=session.points_away, dark=theme.dark),
        )
        # A hint for filling an empty lane is no part of a picture; the reason of a failure is.
        message = lane.message if frame is not None and frame.phase is Phase.FAILED else ""
        self.lane = replace(lane, picture=None, marks=marks, message=message)
        #: The picture that the window shows.
        self.visible_picture = lane.picture
        self._visible = None if lane.picture is None else lane.picture.grid
        settings = lane.lane if frame is None else frame.lane
        compared = any(each.lane.is_difference for each in shot.scene.lanes)
        position = next(position for position, each in enumerate(shot.scene.lanes) if each.slot == lane.slot)
        self.title = lane.title if lane.lane.is_difference else settings.title
        self.title = f"{position + 1}  {self.title}" if compared else self.title
        # The share of a difference holds for the window's view, which the picture need not have.
        own = "" if lane.lane.is_difference else headline(frame, settings)
        self.headline = shot.headlines.get(lane.slot, own)
        number = shot.scene.parts.n_trainable if current else len(self.points)
        self.headline += sampled(frame, number, shot.scene.document.training_limit)
        if spec.accuracies and (known := " · ".join(each.text for each in lane.scores if each.measured)):
            self.headline += f"\n{known[0].upper()}{known[1:]}"
        unused: Any = SimpleNamespace(view=View())  # the canvas is not on screen, so its view cannot change
        self.canvas = canvas or Canvas(index, unused, unused, lambda: None, shot.features)
        self.at = QPointF()

    def place(self, room: QRect, font: QFont, theme: Theme, step: int, scale: float) -> None:
        """Lay the canvas into `room` so that its plot begins and ends on multiples of `step` (whole pixels)."""
        canvas = self.canvas
        canvas.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        canvas.setUpdatesEnabled(False)
        canvas.setMinimumSize(1, 1)
        canvas.setFont(font)
        canvas.resize(room.size())
        canvas.show()
        canvas.render_scene(self.scene, self.lane, theme)
        canvas.setBackground(theme.background)
        canvas.lay_out()
        area = canvas.plot_area()
        left, top = room.left() + round(area.left()), room.top() + round(area.top())
        shift_x, shift_y = -left % step, -top % step
        self.at = QPointF(room.left() + shift_x, room.top() + shift_y)
        canvas.resize(
            room.width() - shift_x - (round(area.width()) - shift_x) % step,
            room.height() - shift_y - (round(area.height()) - shift_y) % step,
        )
        canvas.lay_out()
        width, height = canvas.plot_size()
        view = self._view(width, height)
        if view != self.scene.document.view:
            self.scene = replace(self.scene, document=replace(self.scene.document, view=view))
            canvas.render_scene(self.scene, self.lane, theme)
            canvas.lay_out()
        self.area = canvas.plot_area().translated(self.at)
        self.grid: Grid = grid_of(self.scene.document.view, width, height, scale)

    def beyond(self, scale: float) -> int:
        """Return by how much it is taller than the area of its hatchings and lines; 0 where there are none."""
        grid, visible = self.grid, self._visible
        if visible is None or not self.lane.sheets:
            return 0
        unit = (grid.top - grid.bottom) / grid.height
        return max(0, math.ceil(((grid.top - grid.bottom) - (visible.top - visible.bottom)) / unit / scale - 0.5))

    def leave_out(self) -> None:
        """Hide hatchings and lines that would end within the picture: they were computed for the window's view."""
        if self._visible is None or not _within(self.grid, self._visible):
            self.lane = replace(self.lane, sheets=())

    def _view(self, width: int, height: int) -> View:
        """Return the view of a plot of this size."""
        view = self.scene.document.view
        whole = View.fitting(self.points, view.owns_scales)
        tight = view.span <= FITS * whole.span and view.span * view.ratio <= FITS * whole.span * whole.ratio
        if not (self.spec.fitted and len(self.points) and view.holds(self.points) and tight):
            return msgspec.structs.replace(view, span=view.span * self._wider(width, height))
        sizes = np.ptp(self.points.xy, axis=0) / (1.0, whole.ratio)
        share = float((sizes / (width, height)).max()) * min(width, height) / max(float(sizes.max()), 1e-300)
        return msgspec.structs.replace(whole, span=whole.span * min(share, 1.0))

    def _wider(self, width: int, height: int) -> float:
        """Return the factor by which a plot of this size has to span more of the plane than the screen's.

        A picture that is narrower in proportion than the one on screen would show less at its sides.
        """
        view, shown, xy = self.scene.document.view, self._visible, self.points.xy
        if shown is None or not len(xy):
            return 1.0
        own = grid_of(view, width, height)
        inside = (
            (xy[:, 0] >= shown.left) & (xy[:, 0] <= shown.right) & (xy[:, 1] >= shown.bottom) & (xy[:, 1] <= shown.top)
        )
        away = np.abs(xy[inside] - (view.x, view.y))
        half = np.array([0.5 * (own.right - own.left), 0.5 * (own.top - own.bottom)])
        cut = away[(away > half).any(axis=1)]
        if not len(cut):
            return 1.0
        room = half * (1 - 2 * AT_THE_EDGE / np.array([max(width, 40), max(height, 40)]))
        return min(float((cut.max(axis=0) / room).max()), 4 * LIMIT / (view.span * max(1.0, view.ratio)))

    def show(self, picture: Picture | None) -> None:
        """Show `picture` on the canvas."""
        self.lane = replace(self.lane, picture=picture)
        self.canvas.layers.paint_anew()
        self.canvas.render_scene(
            self.scene, self.lane, dressed(theme_of(self.scene.session.dark), self.scene.document.styles)
        )


def _within(grid: Grid, other: Grid) -> bool:
    """Return True if `grid` shows no more of the plane than `other`, within half a pixel."""
    x, y = 0.5 * np.array(other.pixel)
    return bool(
        grid.left >= other.left - x
        and grid.right <= other.right + x
        and grid.bottom >= other.bottom - y
        and grid.top <= other.top + y
    )


class Sheet:
    """A picture's layout and its painting, in units of `spec.scale` pixels.

    Parameters
    ----------
    shot : Shot
    spec : PictureSpec
    before : Sheet, optional
        The previous sheet of a film.  Its canvases are reused, and nothing moves: texts get at least the room they had
        there, and the legend has at least its entries.

    Attributes
    ----------
    plots : list
        For each lane `frame`, `model_frame` (None: no surface), `grid` (of the surface that `show` takes), `area`.
    bands : int
        Number of rows of plots.
    """

    def __init__(self, shot: Shot, spec: PictureSpec, before: Sheet | None = None) -> None:
        self.spec = spec
        self.theme = dressed(theme_of(spec.dark), shot.scene.document.styles)
        self._text, self._bold = text_font(TEXT), bold(text_font(TITLE))
        self._width, self._height = spec.width / spec.scale, spec.height / spec.scale
        canvases: list[Canvas | None] = [None] * len(shot.lanes)
        self._above, self._kinds = (0, 0), frozenset[str]()
        if before is not None:
            canvases, self._above, self._kinds = [plot.canvas for plot in before.plots], before._above, before._kinds
        self.plots: list[_Plot] = [
            _Plot(index, shot, spec, self.theme, canvas) for index, canvas in enumerate(canvases)
        ]
        legend = BELOW if spec.legend else 0
        self._columns = columns_for(len(self.plots), self._width, self._height - legend, BESIDE + GAP, ABOVE + GAP)
        self.bands = math.ceil(len(self.plots) / self._columns)
        self._column = (int(self._width) - GAP * (self._columns + 1)) // self._columns
        title = max(self._tall(plot.title, self._bold) for plot in self.plots)
        words = max(self._tall(plot.headline, self._text) for plot in self.plots)
        self._above = max(title, self._above[0]), max(words, self._above[1])
        self._below_title = GAP + self._above[0]
        top = self._below_title + self._above[1] + 6
        self.entries = self._legend(shot) if spec.legend else []
        rows = self._rows()
        self._row = max(SIGN - 4, math.ceil(QFontMetricsF(self._text).height()) + 4)
        whole = int(self._height) - GAP
        #: Height of a row of plots, including the texts above.
        self._band = (whole - (len(rows) * self._row + 6 if rows else 0)) // self.bands
        if self._band - top < LEAST_PLOT:
            self.entries, self._band = [], whole // self.bands
        step = next(n for n in (1, 2, 4) if n * spec.scale % 1 == 0)
        self._place(top, step)
        beyond = max(plot.beyond(spec.scale) for plot in self.plots)
        if 0 < beyond <= SPARE * (self._band - top):  # rather show a little less than omit what is drawn over the plots
            self._band -= step * math.ceil(beyond / step)
            self._place(top, step)
        for plot in self.plots:
            plot.leave_out()
        self._legend_top = self.bands * self._band + 6
        # Without the entries of what does not cover the plots.
        self.entries = self._legend(shot) if self.entries else []
        self._kinds |= {kind for kind, _ in self.entries}
        #: Heights of strips are multiples of this.
        self.step = step

    def _place(self, top: int, step: int) -> None:
        for index, plot in enumerate(self.plots):
            left, above = self._corner(index)
            room = QRect(left, above + top, self._column, max(self._band - top, 40))
            plot.place(room, self._text, self.theme, step, self.spec.scale)

    def _corner(self, index: int) -> tuple[int, int]:
        """Return the left and the upper edge of a plot's cell."""
        band, column = divmod(index, self._columns)
        return GAP + column * (self._column + GAP), band * self._band

    def _tall(self, text: str, font: QFont) -> int:
        room = QRectF(0, 0, self._column, 10_000)
        return math.ceil(QFontMetricsF(font).boundingRect(room, Qt.TextFlag.TextWordWrap, text).height())

    def _legend(self, shot: Shot) -> list[tuple[str, str]]:
        names = [plain(style.name) or f"Class {c + 1}" for c, style in enumerate(shot.scene.document.styles)]
        counts = self.plots[0].points.counts
        classes = [(str(c), f"{names[c]}: {count(n, 'point')}") for c, n in enumerate(counts) if n]
        drawn = [replace(plot.lane, picture=plot.visible_picture) for plot in self.plots if plot.model_frame]
        kinds = kinds_in(drawn, len(self.plots[0].scene.parts.held_out), self.plots[0].scene.pies) | self._kinds
        for lane in drawn:
            if lane.picture is not None:
                kinds |= {"boundary"} if len(lane.picture.boundary) else set()
                kinds |= {"probability" if lane.probability else "margin"} if len(lane.picture.margins) else set()
        sheets = [(entry.kind, entry.title(shot.scene)) for entry in shot.features.legend() if entry.kind in kinds]
        return classes + [(kind, text) for kind, text in LEGEND if kind in kinds] + sheets

    def _rows(self) -> list[list[tuple[str, str, float]]]:
        """Return the legend's entries in rows as wide as the picture, with the x of each."""
        metrics, room = QFontMetricsF(self._text), self._width - 2 * GAP
        rows: list[list[tuple[str, str, float]]] = []
        x = room
        for kind, text in self.entries:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room - SIGN)
            width = SIGN + metrics.horizontalAdvance(text)
            if x + width > room:
                rows.append([])
                x = 0.0
            rows[-1].append((kind, text, GAP + x))
            x += width + BEHIND
        return rows

    def show(self, pictures: Sequence[Picture | None]) -> None:
        """Set the surfaces of all plots."""
        for plot, picture in zip(self.plots, pictures, strict=True):
            plot.show(picture)

    def paint(self, painter: QPainter) -> None:
        """Paint everything; the painter's origin is the upper left corner."""
        ink = QColor(*self.theme.ink)
        painter.fillRect(QRectF(0, 0, self._width + 1, self._height + 1), QColor(*self.theme.background))
        for index, plot in enumerate(self.plots):
            canvas = plot.canvas
            target = QRectF(plot.at.x(), plot.at.y(), canvas.width(), canvas.height())
            canvas.render(painter, target, canvas.rect(), Qt.AspectRatioMode.IgnoreAspectRatio)
            painter.setPen(ink)
            for top, font, text in ((GAP, self._bold, plot.title), (self._below_title, self._text, plot.headline)):
                painter.setFont(font)
                left, above = self._corner(index)
                room = QRectF(left, above + top, self._column, self._height)
                painter.drawText(room, Qt.TextFlag.TextWordWrap, text)
            if plot.lane.message:
                painter.setFont(self._text)
                area = plot.area.adjusted(GAP, GAP, -GAP, -GAP)
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, plot.lane.message)
        painter.setFont(self._text)
        for number, row in enumerate(self._rows()):
            for kind, text, x in row:
                self._paint_entry(painter, kind, text, x, self._legend_top + number * self._row)

    def _paint_entry(self, painter: QPainter, kind: str, text: str, x: float, top: float) -> None:
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(x + SIGN / 2 - 3, top + self._row / 2)
            symbols.draw_entry(painter, self.theme, kind)
        painter.setPen(QColor(*self.theme.ink))
        room = QRectF(x + SIGN, top, self._width, self._row)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def close(self) -> None:
        """Release the canvases."""
        for plot in self.plots:
            plot.canvas.hide()  # (close() would take the plot apart during its own events)
            plot.canvas.deleteLater()
