"""Difference: the pixels and points at which the models of two lanes predict different classes, which of them is right,
and the wipe between their pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.number_format import count, percent
from app.core.points import Points
from app.engine.frames import Sides
from app.engine.outcome import outcome
from app.engine.overlays import Hatch, Sheet
from app.engine.pacing import Pace, Step
from app.engine.query import Query
from app.engine.results import Results
from app.engine.surface_values import difference_source, surface
from app.scene.compared import able, compared, sides_of, without_model
from app.scene.model import Context, LaneScene, is_present
from app.state.document import Document
from app.state.session import FeatureSession
from solver import Grid
from solver.core.arrays import Indices, Integers
from solver.kernels.pixels import TIED

#: Largest number of points whose list is computed even while the models change: some tenths of a second.
PROMISED = 20_000


class Involved(Struct, frozen=True, eq=False):
    """The points that two models classify differently.

    Attributes
    ----------
    points : Points
        All points that were compared.
    index : ndarray of shape (n,), intp
        Indices of those that are classified differently.
    predicted : ndarray of shape (n, 2), int64
        Predictions of the first and the second model.
    """

    points: Points
    index: Indices
    predicted: Integers

    @property
    def right(self) -> tuple[int, int]:
        """Numbers of these points that the first and the second model classify correctly."""
        right = self.predicted == self.points.labels[self.index, None]
        return int(right[:, 0].sum()), int(right[:, 1].sum())


class LaneDifference(Struct, frozen=True, eq=False):
    """What is known about the difference of two models.

    Attributes
    ----------
    hatch : Hatch
        The pixels in which they differ.
    full : bool
        Whether the hatch has the requested resolution; else it is coarser.
    involved : Involved or None
        None until the points have been compared.
    """

    hatch: Hatch
    full: bool
    involved: Involved | None = None

    @property
    def share(self) -> float:
        """Share of the pixels in which they differ."""
        return float(self.hatch.mask.mean())


class Differing(Struct, frozen=True):
    """Query: the pixels of `grid` and the `points` for which the models of `sides` predict different classes."""

    sides: Sides
    grid: Grid
    points: Points

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post a `LaneDifference` that becomes finer.

        The first one is posted even if the query is overtaken, with its list for up to `PROMISED` points: otherwise
        nothing would be displayed while one of the two trains.
        """
        pace = Pace(overtaken)
        promised = len(self.points) <= PROMISED
        involved = (yield from self._involved(Pace())) if promised else None
        coarse = self.grid.coarse()
        found = LaneDifference((yield from self._hatch(coarse, Pace())), coarse == self.grid, involved)
        post(found)
        if not promised:
            found = replace(found, involved=(yield from self._involved(pace)))
            post(found)
        if not found.full:
            post(replace(found, hatch=(yield from self._hatch(self.grid, pace)), full=True))

    def _involved(self, pace: Pace) -> Generator[Step, None, Involved]:
        predicted = []
        for side in self.sides:
            found = yield from outcome(side.model, self.points.xy, self.points.labels, pace)
            found.predicted[found.at] = TIED
            predicted.append(found.predicted)
        both = np.column_stack(predicted)
        index = np.flatnonzero(both[:, 0] != both[:, 1])
        return Involved(self.points, index, both[index])

    def _hatch(self, grid: Grid, pace: Pace) -> Generator[Step, None, Hatch]:
        yield from pace.pause()
        found = yield from surface(difference_source(self.sides), grid, pace)
        return Hatch((found.classes != found.other)[::-1], grid)


#: Name of the query, and of the panel.
NAME = "compare"


class DifferenceSession(FeatureSession, frozen=True):
    """How the difference of two lanes is displayed.

    Attributes
    ----------
    differing : bool
        The pictures mark where the two compared lanes differ.
    wipe : float or None
        Share of its width from which the first compared lane shows the other's picture; None if the wipe is off.
    """

    differing: bool = False
    wipe: float | None = None


class Wipe(Struct, frozen=True):
    """Another lane's picture over part of a lane's own.

    Attributes
    ----------
    at : float
        Share of the picture's width from which the other picture is visible.
    other : LaneScene
        The other lane.
    indices : tuple of (int, int)
        Indices of the lane itself and of the other.
    """

    at: float
    other: LaneScene
    indices: tuple[int, int]


class DifferenceScene(Struct, frozen=True):
    """Content of the panel.

    Attributes
    ----------
    indices : tuple of (int, int) or None
        Indices of the two lanes; None if there are not two.
    able : tuple of int
        Indices of the lanes that can be compared.
    difference : LaneDifference or None
        The newest answer, if it is about these lanes.
    sentences : tuple of str
        The result in words.
    """

    indices: tuple[int, int] | None
    able: tuple[int, ...]
    difference: LaneDifference | None
    sentences: tuple[str, ...]


def queries(context: Context) -> dict[str, Query]:
    """Return the query for the difference, while it is displayed."""
    if not (context.session.of(DifferenceSession).differing or NAME in context.session.open_panels):
        return {}
    sides = sides_of(context.document, context.results)
    if sides is None or not context.grids:
        return {}
    return {NAME: Differing(sides, context.grids[0], context.document.points)}


def sheets(context: Context, index: int) -> tuple[Sheet, ...]:
    """Return the hatch for the pictures of the two compared lanes."""
    answer, compared_lanes = context.results.answer(NAME), compared(context.document) or ()
    marked = context.session.of(DifferenceSession).differing and index in compared_lanes
    return (answer.value.hatch,) if marked and answer is not None and answer.value is not None else ()


def scene(context: Context, lanes: Sequence[LaneScene]) -> tuple[object, ...]:
    """Return the wipe while it is on, and the contents of the panel while it is open."""
    document, session, compared_lanes = context.document, context.session, compared(context.document)
    at, is_open = session.of(DifferenceSession).wipe, NAME in session.open_panels
    wipe = None if at is None or compared_lanes is None else Wipe(at, lanes[compared_lanes[1]], compared_lanes)
    panel = difference_scene(document, context.results) if is_open else None
    return tuple(each for each in (wipe, panel) if each is not None)


def difference_scene(document: Document, results: Results) -> DifferenceScene:
    """Return the contents of the panel."""
    indices, answer = compared(document), results.answer(NAME)
    difference: LaneDifference | None = None if answer is None else answer.value
    current, failure = False, ""
    if answer is not None and isinstance(answer.query, Differing) and indices is not None:
        query, failure = answer.query, answer.message
        if [side.lane for side in query.sides] != [document.lanes[index] for index in indices]:
            difference = None  # of two others, or of other settings
        same = query.sides == sides_of(document, results) and query.points is document.points
        fresh = all(is_present(document, index, results.frame(document.slots[index])) for index in indices)
        current = same and fresh and document.view.is_of(query.grid)
    sentences = _sentences(indices, difference, failure, current, without_model(document, results))
    return DifferenceScene(indices, able(document), difference, sentences)


def _sentences(
    indices: tuple[int, int] | None,
    difference: LaneDifference | None,
    failure: str,
    current: bool,
    without: Sequence[int],
) -> tuple[str, ...]:
    if indices is None:
        return ("Two classifiers are needed: add one with Ctrl+L.",)
    if failure:
        return (failure,)
    if difference is None:
        return tuple(f"{index + 1} has no model yet." for index in without) or ("Comparing…",)
    first, second = (index + 1 for index in indices)
    about = "" if difference.full else "about "
    area = f"{first} and {second} differ on {about}{percent(difference.share)} of the area in view"
    sentences = [area + ("." if current else ", as they were a moment ago.")]
    involved = difference.involved
    if involved is not None and len(involved.points):
        number, all_points = len(involved.index), count(len(involved.points), "point")
        if not number:
            sentences.append(f"They give each of the {all_points} the same class.")
        else:
            right, neither = involved.right, number - sum(involved.right)
            score = (
                f"{first} is right on {right[0]} of them, {second} on {right[1]}"
                + f", neither on {neither}" * bool(neither)
            )
            sentences.append(f"They differ on {number} of {all_points}; {score}.")
    return tuple(sentences)
