"""Ground truth and stability in the scene: queries about the distribution, the ideal boundary, and resamples."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import Struct

from app.core.caches import kept
from app.engine.frames import Frame, Phase
from app.engine.overlays import Lines, LineStyle, Sheet, Specks
from app.engine.pacing import Pace, Step
from app.engine.query import Answer, LaneQuestion, Query
from app.engine.results import Results
from app.features.evaluation.scene import state_of
from app.learners.model import Model
from app.scene.model import Context, Scene, is_present
from app.state.document import Document, View
from app.state.law import law_of
from app.state.session import Session
from solver import Grid
from solver.core import fast_loops
from solver.core.arrays import Array
from solver.data.distribution import Law
from solver.kernels.lines import joined, level_lines

from . import text
from .bootstrap import Bootstrap, StabilityQuery
from .fresh_points import BayesErrorQuery, EditedQuery, FreshDraw, FreshQuery, FreshTally, SquareQuery
from .model import GroundTruthScene, GroundTruthSession, TruthRow

#: Side (pixels) of the cells of the finer picture.  On their edges the line is where interpolated log-densities cross,
#: so smaller cells would move it by less than a tenth of a pixel.
CELL = 2
#: Side (pixels) of the first tiles.
TILE = 16
#: Line style of the ideal boundary.
IDEAL = LineStyle("ideal", 1, 2.4, (9.0, 3.0), (3.2, 1.6), accent=True)


class IdealBoundaryQuery(Struct, frozen=True):
    """Query: the ideal boundary on the rectangle of `grid`.

    Parameters
    ----------
    law : Law
        Its ideal class is defined everywhere, since it has noise; or its truth is a rule.
    grid : Grid
    """

    law: Law
    grid: Grid

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        g = self.grid
        fine = Grid(g.left, g.right, g.bottom, g.top, max(2, g.width // CELL), max(2, g.height // CELL))
        coarse, pace = g.coarse(), Pace(overtaken)
        if self.law.has_truth and (lines_on := self.law.truth.lines_on):
            return post(Lines(lines_on(fine), IDEAL))
        for grid in (coarse, fine) if coarse.width * coarse.height < fine.width * fine.height else (fine,):
            logs = yield from _on(self.law, grid, pace)
            parts = []
            for c in range(logs.shape[2] - 1):
                parts.append(boundary_pieces(grid, logs, c))
                yield from pace.pause()
            post(Lines(joined(parts), IDEAL))


def _on(law: Law, grid: Grid, pace: Pace) -> Generator[Step, None, Array]:
    """Return log p(x | c) on `grid`, shape (height, width, n_classes), in tiles: neighbours share most work."""
    xs, ys = grid.xs, grid.ys
    logs = np.empty((grid.height, grid.width, law.n_classes))
    for row in range(0, grid.height, TILE):
        rows = slice(row, row + TILE)

        def fill(columns: slice, rows: slice = rows) -> None:
            x, y = np.meshgrid(xs[columns], ys[rows])
            values = law.log_density(np.column_stack([x.ravel(), y.ravel()]))
            logs[rows, columns] = values.reshape(*x.shape, law.n_classes)

        yield from pace.in_blocks(grid.width, fill, size=TILE)
    return logs


def boundary_pieces(grid: Grid, logs: Array, c: int) -> Array:
    """Return where class `c` has the largest of `logs` (height, width, n_classes) on one side, and a later class on the
    other.
    """
    others = np.full(logs.shape[:2], -np.inf)
    for other in range(logs.shape[2]):
        if other != c:
            np.maximum(others, logs[..., other], out=others)
    line = level_lines(grid, logs[..., c] - others, (0.0,))
    return _with_rivals(grid, line, logs, c) if c > 0 and len(line) else line


def _with_rivals(grid: Grid, line: Array, logs: Array, c: int) -> Array:
    """Return the pieces of the line `line` of class `c` beyond which a later class begins."""
    middle = 0.5 * (line[:-1] + line[1:])
    ends = np.isnan(middle).any(axis=1)
    x = np.where(ends, 0.0, (middle[:, 0] - grid.xs[0]) / (grid.xs[1] - grid.xs[0]))
    y = np.where(ends, 0.0, (middle[:, 1] - grid.ys[0]) / (grid.ys[1] - grid.ys[0]))
    column = np.clip(x.astype(np.intp), 0, grid.width - 2)
    row = np.clip(y.astype(np.intp), 0, grid.height - 2)
    x, y = (x - column)[:, None], (y - row)[:, None]
    values = (1 - y) * ((1 - x) * logs[row, column] + x * logs[row, column + 1])
    values += y * ((1 - x) * logs[row + 1, column] + x * logs[row + 1, column + 1])
    values[:, c] = -np.inf
    later = ~ends & (values.argmax(axis=1) > c)
    pieces = np.full((len(middle), 3, 2), np.nan)
    pieces[:, 0], pieces[:, 1] = line[:-1], line[1:]
    # A vertex for each end that remains, and a gap where the next piece is left out.
    keep = np.zeros((len(middle), 3), dtype=bool)
    keep[:, 0] = later & ~np.append(False, later[:-1])
    keep[:, 1] = later
    keep[:, 2] = later & ~np.append(later[1:], False)
    return pieces[keep][:-1] if later.any() else np.empty((0, 2))


#: Why there is no haze.
NO_POINTS = "No points to resample."
#: Name of the panel among the docks.
PANEL = "truth"


# -- questions ---------------------------------------------------------------------------------------------------------


def queries(context: Context) -> dict[str, Query]:
    """Return the queries: about the truth while the panel is open, about the haze while it is shown."""
    document, session = context.document, context.session
    law = _law(document)
    asked: dict[str, Query] = {}
    if law is not None and PANEL in session.open_panels:
        assert document.origin is not None
        asked["edited"] = EditedQuery(document.origin, document.points)
        asked["ideal"] = BayesErrorQuery(law)
        asked |= _fresh(context, law)
    chosen = session.of(GroundTruthSession)
    if law is not None and chosen.ideal and (law.truth.lines is None if law.has_truth else law.has_density):
        for grid in context.grids:  # lanes of one size share an answer
            asked[f"boundary{context.grids.index(grid)}"] = IdealBoundaryQuery(law.unflipped, grid)
    if chosen.bootstrap and fast_loops.ready() and not session.drawing and len(document.points):
        for lane, slot, grid in zip(document.lanes, document.slots, context.grids, strict=False):
            if not lane.is_difference:
                asked[LaneQuestion("haze", slot)] = StabilityQuery(
                    lane, document.training_points, chosen.resamples, grid.coarse()
                )
    return asked


def _fresh(context: Context, law: Law) -> dict[str, Query]:
    document, results, fresh_draw = context.document, context.results, context.session.of(GroundTruthSession).fresh_draw
    wanted: dict[str, FreshQuery | SquareQuery] = (
        {"fresh": FreshQuery(law, fresh_draw, None)} if fresh_draw.batches else {}
    )
    for lane, slot in zip(document.lanes[: document.shown], document.slots, strict=False):
        model = _model(results.frame(slot), document)
        if model is None or lane.is_difference:
            continue
        if fresh_draw.batches:
            wanted[LaneQuestion("fresh", slot)] = FreshQuery(law, fresh_draw, model)
        if law.has_truth:
            wanted[LaneQuestion("square", slot)] = SquareQuery(law.of_truth, model)
    return {name: _continued(results.answer(name), query) for name, query in wanted.items()}


def _continued(answer: Answer | None, new: FreshQuery | SquareQuery) -> Query:
    """Return `new`, or the unanswered query before it on the same points.

    A training makes a new model every frame: if each were queried at once, none would ever be counted completely.
    """
    old: Any = None if answer is None else answer.query
    if answer is None or type(old) is not type(new):
        return new
    model: Any = new.model
    same = replace(old, model=model) == new
    if old == new or (same and not answer.done):
        return old
    return replace(new, before=answer.value) if same or isinstance(new, FreshQuery) else new


def _model(frame: Frame | None, document: Document) -> Model | None:
    """Return the model whose picture a lane shows; None if there is none."""
    shown = frame is not None and frame.picture is not None and frame.phase not in (Phase.EMPTY, Phase.FAILED)
    return frame.model if shown and frame is not None and len(document.points) else None


# -- scene -------------------------------------------------------------------------------------------------------------


def scene(context: Context, others: object) -> tuple[GroundTruthScene]:
    """Return the known values."""
    document, session, results = context.document, context.session, context.results
    law, origin = _law(document), document.origin
    edited, bayes, ideal = None, None, None
    if law is not None and origin is not None:
        edited = _answered(results, "edited", EditedQuery(origin, document.points))
        bayes = _answered(results, "ideal", BayesErrorQuery(law))
        ideal = _tally(results.answer("fresh"), law, session.of(GroundTruthSession).fresh_draw)
    learning = [index for index in range(document.shown) if not document.lanes[index].is_difference]
    rows = tuple(_row(index, document, session, results, law) for index in learning)
    frames = [results.frame(document.slots[index]) for index in learning]
    near = any(frame is not None and frame.neighbours is not None for frame in frames)
    return (GroundTruthScene(origin, law, edited, bayes, ideal, rows, near),)


def _law(document: Document) -> Law | None:
    """Return the distribution of the document's points; None without points, or if no generator made them."""
    return law_of(document.origin) if len(document.points) else None


def _answered(results: Results, name: str, query: Query) -> Any:
    """Return the answer to this very query; None if it is not known."""
    answer = results.answer(name)
    return answer.value if answer is not None and answer.query == query else None


def boundary_name(scene: Scene) -> str:
    """Return the name of the best boundary."""
    truth = scene.feature(GroundTruthScene)
    return text.boundary_name(None if truth is None else truth.law)


def _tally(answer: Answer | None, law: Law, fresh_draw: FreshDraw) -> FreshTally | None:
    """Return the tally of an answer, if it counts these points and there are some."""
    tally = answer.value if answer is not None else None
    return tally if isinstance(tally, FreshTally) and tally.of(law, fresh_draw) and tally.thrown else None


def _row(index: int, document: Document, session: Session, results: Results, law: Law | None) -> TruthRow:
    slot = document.slots[index]
    frame = results.frame(slot)
    model, present = _model(frame, document), is_present(document, index, frame)
    chosen = session.of(GroundTruthSession)
    tally = _tally(results.answer(f"fresh{slot}"), law, chosen.fresh_draw) if law is not None else None
    newest = present and tally is not None and tally.model is model and tally.fresh_draw == chosen.fresh_draw
    counting = model is not None and not newest
    answer, area = results.answer(f"square{slot}"), None
    if answer is not None and isinstance(answer.query, SquareQuery) and law is not None and law.has_truth:
        area = answer.value if answer.query.law == law.of_truth else None
    bootstrap, resampling, message = _haze(index, document, session, results)
    return TruthRow(
        index + 1,
        document.lanes[index].title,
        tally,
        counting,
        area,
        not present or area is None or area.model is not model,
        bootstrap,
        resampling,
        message,
        state_of(document, index, frame),
    )


def _haze(index: int, document: Document, session: Session, results: Results) -> tuple[Bootstrap | None, bool, str]:
    """Return a lane's haze, whether it is to be replaced, and why there is none."""
    chosen = session.of(GroundTruthSession)
    if chosen.bootstrap and not len(document.training_points):
        return None, False, NO_POINTS
    answer = results.answer(f"haze{document.slots[index]}") if chosen.bootstrap else None
    if answer is None or not isinstance(answer.query, StabilityQuery):
        return None, chosen.bootstrap, ""
    asked = answer.query
    if not is_present(document, index, asked):
        return None, True, ""
    fresh = asked.resamples == chosen.resamples and document.view.is_of(asked.grid)
    return answer.value, not (answer.done and fresh), answer.message


# -- sheets ------------------------------------------------------------------------------------------------------------


def sheets(context: Context, index: int) -> tuple[Sheet, ...]:
    """Return haze, new points, and true or ideal boundary of the lane with this index, the lowest first."""
    document, session, results = context.document, context.session, context.results
    chosen, law, learns = session.of(GroundTruthSession), _law(document), not document.lanes[index].is_difference
    bootstrap, tally, line = None, None, None
    if chosen.bootstrap and learns:
        bootstrap, _, _ = _haze(index, document, session, results)
    if law is not None and PANEL in session.open_panels and learns:
        tally = _tally(results.answer(f"fresh{document.slots[index]}"), law, chosen.fresh_draw)
    if law is not None and chosen.ideal:
        line = _true_lines(law, document.view) or _ideal_lines(results, law, index)
    haze = None if bootstrap is None else bootstrap.lines
    specks = _specks(tally) if tally is not None and len(tally.xy) else None
    return tuple(sheet for sheet in (haze, specks, line) if sheet is not None)


def _ideal_lines(results: Results, law: Law, index: int) -> Lines | None:
    """Return the line of the lane, or of an earlier lane of the same size."""
    for earlier in range(index, -1, -1):
        answer = results.answer(f"boundary{earlier}")
        if answer is not None and isinstance(answer.query, IdealBoundaryQuery) and answer.query.law == law.unflipped:
            lines: Lines | None = answer.value
            return lines
    return None


@kept(4)
def _true_lines(law: Law, view: View) -> Lines | None:
    if not law.has_truth or law.truth.lines is None:
        return None
    reach = 4.0 * view.span  # enough for a picture much wider than high
    up = reach * view.ratio
    return Lines(law.truth.lines(view.x - reach, view.x + reach, view.y - up, view.y + up), IDEAL)


@kept(8)
def _specks(tally: FreshTally) -> Specks:
    """Return the points of a tally in their classes, with the errors crossed out."""
    crossed = tally.xy[: tally.marked]
    kinds = (*(str(c) for c in range(tally.law.n_classes)), "wrong")
    kind = np.concatenate((tally.labels, np.full(len(crossed), len(kinds) - 1))).astype(np.intp)
    return Specks(np.concatenate((tally.xy, crossed)), kinds, kind)
