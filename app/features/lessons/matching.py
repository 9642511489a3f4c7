"""Matching: steps that ask for the picture of a hidden classifier: its boundary, and the share of the view that agrees.

The lesson contains the hidden classifier as a share text; it is trained in the background, and none of its settings is
displayed.  Agreement is computed on the square that every window shows, so that all students get the same score.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.engine.fitting import fitted
from app.engine.frames import Frame, Phase
from app.engine.overlays import Lines, LineStyle
from app.engine.pacing import Pace, Step
from app.engine.query import LaneQuestion, Query
from app.engine.surface_values import source_of, surface
from app.features.what_if.scene import GhostQuery, StateSide
from app.scene.model import Context, grid_of, is_present
from app.state.document import View
from solver import Grid
from solver.core import fast_loops

#: Style of the boundary to be found.
TARGET = LineStyle("target", 2, 2.6, (3.0, 2.0), (2.0, 1.4), accent=True)
#: Names of the queries: classes of the hidden classifier, share that agrees, and boundary to be found.
CLASSES, SHARE, LINE = "match classes", "match share", "match line"
#: Samples along a side of the square.
SAMPLES = 240
#: Number of changes after which the hint of such a step can be unfolded.
HINT_AFTER = 8


class Hidden(Struct, frozen=True):
    """The classifier to be found with its training points, and the square on which it is compared."""

    side: StateSide
    grid: Grid


@lru_cache(maxsize=8)
def hidden(text: str) -> Hidden:
    """Return the first classifier of the document in a share text; raise FileError if there is none."""
    from app.exchange.opening import of_text  # only now: it costs the start nothing

    document = of_text(text).document
    return Hidden(StateSide(document.training_points, document.lanes[0], None), square(document.view))


def square(view: View) -> Grid:
    """Return the square of a view that every window shows, as a grid."""
    return grid_of(view, SAMPLES, SAMPLES)


class Regions(Struct, frozen=True, eq=False):
    """The classes predicted by the hidden classifier on its square."""

    classes: NDArray[np.int8]


class RegionsQuery(Struct, frozen=True):
    """Query: the classes predicted by the hidden classifier."""

    hidden: Hidden

    def answer(self, post: Callable[[Regions], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post `Regions` once; raise ValueError with a sentence if the classifier cannot be trained."""
        side, pace = self.hidden.side, Pace(overtaken)
        made = yield from fitted(side.lane, side.points, pace)
        found = yield from surface(source_of(made.model, side.lane), self.hidden.grid, pace)
        post(Regions(found.classes))


class ShareQuery(Struct, frozen=True):
    """Query: the share of the square on which a model agrees with the hidden classifier."""

    side: StateSide
    grid: Grid
    regions: Regions

    def answer(self, post: Callable[[float], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post the share once."""
        assert self.side.model is not None
        found = yield from surface(source_of(self.side.model, self.side.lane), self.grid, Pace(overtaken))
        post(float((found.classes == self.regions.classes).mean()))


def queries(context: Context, text: str) -> dict[str, Query]:
    """Return the queries for the boundary of `text`'s classifier and, after the first training, its agreement."""
    document = context.document
    if not text or not fast_loops.ready():
        return {}
    sought = hidden(text)
    asked: dict[str, Query] = {CLASSES: RegionsQuery(sought)}
    if context.grids:
        asked[LaneQuestion(LINE, document.slots[0])] = GhostQuery(sought.side, context.grids[0], TARGET)
    answer, frame = context.results.answer(CLASSES), _trained(context)
    if frame is not None and answer is not None and answer.query == RegionsQuery(sought) and answer.value is not None:
        side = StateSide(frame.points, frame.lane, frame.model, frame.ended)
        asked[SHARE] = ShareQuery(side, sought.grid, answer.value)
    return asked


def _trained(context: Context) -> Frame | None:
    """Return the newest frame of the first classifier if its training has ended."""
    frame = context.results.frame(context.document.slots[0])
    done = frame is not None and frame.phase is Phase.DONE and frame.model is not None
    return frame if done and is_present(context.document, 0, frame) else None


def share(context: Context) -> float | None:
    """Return the share of the view that agrees; None while it is unknown."""
    answer, frame = context.results.answer(SHARE), _trained(context)
    if answer is None or frame is None or not isinstance(answer.query, ShareQuery) or answer.value is None:
        return None
    return float(answer.value) if answer.query.side.model is frame.model else None


def lines(context: Context, text: str) -> tuple[Lines, ...]:
    """Return the boundary of the classifier in `text`, if it is known."""
    answer = context.results.answer(f"{LINE}{context.document.slots[0]}")
    if not text or answer is None or not isinstance(answer.query, GhostQuery) or not answer.value:
        return ()
    found: tuple[Lines, ...] = answer.value
    return found if answer.query.side == hidden(text).side else ()
