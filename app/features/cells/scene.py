"""Cells and needed points in the scene: queries, lines, marks and counts."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from msgspec import Struct

from app.core.caches import kept
from app.core.number_format import count, grouped
from app.core.points import Points
from app.engine.frames import NO_MARKS, Frame, Marks
from app.engine.lane_job import TILE
from app.engine.overlays import Lines, LineStyle
from app.engine.pacing import Pace, Step
from app.engine.pool import Delay, Priority
from app.engine.query import Answer, LaneQuestion, Query
from app.scene.model import Context, is_present
from app.scene.status_badge import StatusPart
from app.state.session import FeatureSession
from solver import Grid
from solver.core import fast_loops
from solver.core.arrays import Mask
from solver.kernels.lines import cell_boundaries

if TYPE_CHECKING:
    from solver import KNeighborsClassifier


#: Mean number of pixels per cell below which no boundaries are drawn: they would be a grey area.
LEAST_PIXELS = 200.0
#: The same on a coarse grid, which misses small cells.
LEAST_COARSE = 300.0
#: Share of a pixel by which lines may omit a vertex, the size of the steps of a slanting line: they are drawn faster,
#: and stay within two thirds of a pixel.
THIN = 0.36
#: Smallest number of rows computed together.
ROWS = 4
#: Delay (s) that leaves the processors to the pictures of the other lanes.
PAUSE = 0.012
#: Line style of the cells' boundaries.
CELL = LineStyle("cell", 0, 1.0, faint=True)


class KnnCells(Struct, frozen=True, eq=False):
    """The cells of a picture.

    Attributes
    ----------
    count : int
        Number of visible cells.
    pixels : float
        Mean number of the picture's pixels per cell.
    lines : tuple of Lines
        Their boundaries; empty if the cells are too small.
    coarse : bool
        True if they were found on a coarse grid, which misses small cells.
    """

    count: int
    pixels: float
    lines: tuple[Lines, ...]
    coarse: bool


class CellsQuery(Struct, frozen=True):
    """Query: the cells of the picture of `model` on `grid`."""

    model: KNeighborsClassifier
    grid: Grid
    priority: ClassVar[Priority] = Priority.FIRST_PICTURE

    def answer(self, post: Callable[[KnnCells], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post the cells on a coarse grid in any case, so that a drag shows them, then those on the full grid."""
        coarse = self.grid.coarse()
        yield Delay(PAUSE, self.priority)
        post((yield from self._cells(coarse, Pace(priority=self.priority))))
        if coarse != self.grid:
            pace = Pace(overtaken)
            yield from pace.pause()
            post((yield from self._cells(self.grid, pace)))

    def _cells(self, grid: Grid, pace: Pace) -> Generator[Step, None, KnnCells]:
        rows, ys = self.model.cells_on(grid.xs), grid.ys
        cells = np.empty((grid.height, grid.width), dtype=np.int64)

        def fill(block: slice) -> None:
            cells[block] = rows(ys[block])

        yield from pace.in_blocks(grid.height, fill, size=TILE, least=TILE)
        samples = self.grid.width * self.grid.height
        most = samples / (LEAST_PIXELS if grid == self.grid else LEAST_COARSE)
        xy, count = cell_boundaries(grid, cells, most, THIN)
        return KnnCells(count, samples / count, (Lines(xy, CELL),) if count <= most else (), grid != self.grid)


class KeptQuery(Struct, frozen=True):
    """Query: the training points without one of which the picture of `model` on `grid` would change."""

    model: KNeighborsClassifier
    grid: Grid

    def answer(self, post: Callable[[Mask], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post once which points the picture needs, shape (n,)."""
        needed, ys = self.model.kept_on(self.grid.xs), self.grid.ys
        kept: list[Mask] = []

        def fill(block: slice) -> None:
            kept[:] = [needed(ys[block])]

        yield from Pace(overtaken).in_blocks(self.grid.height, fill, size=ROWS, least=ROWS)
        post(kept[0])


#: Tip about idle points.
IDLE = (
    "Idle: without this point alone no pixel of the picture changes class. Without several it may: of two equal points"
    " each is idle, both are not."
)


#: Status while the number is not known.  Finding it takes 2 to 40 times as long as the picture, so the outlines cannot
#: follow a drag; those of another model would be wrong over this picture.
COUNTING = (
    "counting idle points…",
    "Which points a picture needs takes longer to find than the picture: the outlines come when no point moves.",
    "counting idle…",
)


#: Status in place of the number where each point changes mean and deviation.
NONE_IDLE = (
    "no idle points: it standardises",
    "It standardises: without any one point, mean, deviation and the picture would change.",
    "no idle points",
)


class CellsSession(FeatureSession, frozen=True):
    """The user's choices for the cells of kNN.

    Attributes
    ----------
    cells : bool
        True if the pictures show the cells of the k nearest points.
    kept : bool
        True if the points that a picture needs are marked.
    """

    cells: bool = False
    kept: bool = False


def queries(context: Context) -> dict[str, Query]:
    """Return the queries for cells and needed points of each visible kNN, while they are shown."""
    chosen, asked = context.session.of(CellsSession), dict[str, Query]()
    for slot, grid in zip(context.document.slots, context.grids, strict=False):
        frame = context.results.frame(slot)
        model = None if frame is None else frame.neighbours
        if model is not None and fast_loops.ready():
            if chosen.cells:
                asked[LaneQuestion("cells", slot)] = CellsQuery(model, grid)
            if chosen.kept and _may_be_idle(frame):
                asked[LaneQuestion("kept", slot)] = KeptQuery(model, grid)
    return asked


def _may_be_idle(frame: Frame | None) -> bool:
    """Return True if a lane shows neighbours among all points, and distances do not change when one of them is removed.

    A training has already removed some points; with standardising, each point changes the distances of the others.
    """
    if frame is None or frame.neighbours is None:
        return False
    return frame.lane.trainer is None and not frame.lane.standardises


def sheets(context: Context, index: int) -> tuple[Lines, ...]:
    """Return the boundaries of the cells over the picture of a lane by its index; in a drag, slightly older ones."""
    cells = _cells(context, index)
    return () if cells is None else cells.lines


def _cells(context: Context, index: int) -> KnnCells | None:
    """Return the newest cells of the lane with this index; None if it shows no neighbours any more."""
    slot = context.document.slots[index]
    frame, answer = context.results.frame(slot), context.results.answer(f"cells{slot}")
    found: KnnCells | None = None if answer is None else answer.value
    return None if frame is None or frame.neighbours is None else found


def _kept(context: Context, index: int) -> Answer | None:
    """Return the answer about the present model of the lane with this index; None while it is not known."""
    slot = context.document.slots[index]
    frame, answer = context.results.frame(slot), context.results.answer(f"kept{slot}")
    if frame is None or answer is None or answer.value is None or not is_present(context.document, index, frame):
        return None
    return answer if isinstance(answer.query, KeptQuery) and answer.query.model is frame.model else None


def marks(context: Context, index: int) -> Marks:
    """Return the marks, among all points, of those that the picture of the lane with this index needs."""
    answer = _kept(context, index)
    if answer is None:
        return NO_MARKS
    return _marks_of(answer, context.document.training_points, context.document.points)


@kept(8)
def _marks_of(answer: Answer, training: Points, points: Points) -> Marks:
    index = np.flatnonzero(answer.value)
    return Marks(kept=index if training is points else points.indices_of(training.ids[index]))


def status(context: Context, index: int) -> tuple[StatusPart, ...]:
    """Return the numbers of cells and idle points of the lane with this index."""
    cells, known, slot = _cells(context, index), _kept(context, index), context.document.slots[index]
    frame, asked = context.results.frame(slot), context.session.of(CellsSession).kept
    parts = [] if cells is None else [_cells_words(cells)]
    if known is not None:
        idle = int((~known.value).sum())
        parts.append((f"{grouped(idle)} of {count(len(known.value), 'point')} idle", IDLE, f"{grouped(idle)} idle"))
    elif asked and frame is not None and frame.neighbours is not None:
        parts += [COUNTING] * _may_be_idle(frame) + [NONE_IDLE] * frame.lane.standardises
    if not parts:
        return ()
    words, tips, brief = zip(*parts, strict=True)
    return (StatusPart(" · ".join(words), "  ".join(tips), brief=" · ".join(brief)),)


def _cells_words(cells: KnnCells) -> tuple[str, str, str]:
    number = ("at least " if cells.coarse else "") + count(cells.count, "cell")
    if cells.lines:
        return number, "Everywhere in a cell the same points vote.", number.replace("at least", "≥")
    pixels = f"{cells.pixels:.1f}".removesuffix(".0")
    tip = f"{number} of {pixels} pixels on average. Zoom in, or take a smaller k or fewer points."
    return "cells too small to draw", tip, "cells too small"
