"""Difference: where the models of two lanes predict different classes: which pixels of the view, which points, and who
is right; and the wipe between their pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.number_format import count, percent
from app.core.points import Points
from app.engine.outcome import outcome
from app.engine.overlays import Hatch, Sheet
from app.engine.pieces import Pace, Step
from app.engine.query import Query
from app.engine.requests import Sides
from app.engine.results import Results
from app.engine.surface_values import difference_source, surface
from app.scene.compared import able, compared, sides_of, without_model
from app.scene.context import Context, is_present
from app.scene.model import LaneScene
from app.state.document import Document
from app.state.session import FeatureSession
from solver import Grid
from solver.core.arrays import Indices, Integers
from solver.kernels.pixels import TIED

#: Points up to which the list is worked out even while the models change: some tenths of a second in the background.
PROMISED = 20_000


class Involved(Struct, frozen=True, eq=False):
    """The points that two models give different classes.

    Attributes
    ----------
    points : Points
        All that were looked at.
    index : ndarray of shape (n,), intp
        Which of them.
    said : ndarray of shape (n, 2), int64
        What the first and the second model say.
    """

    points: Points
    index: Indices
    said: Integers

    @property
    def right(self) -> tuple[int, int]:
        """Of how many of them the first model is right, and the second."""
        right = self.said == self.points.labels[self.index, None]
        return int(right[:, 0].sum()), int(right[:, 1].sum())


class Difference(Struct, frozen=True, eq=False):
    """What is known of where two models differ.

    Attributes
    ----------
    hatch : Hatch
        The pixels in which they do.
    full : bool
        One for each pixel that was asked for.
    involved : Involved or None
        None until the points have been looked at.
    """

    hatch: Hatch
    full: bool
    involved: Involved | None = None

    @property
    def share(self) -> float:
        """Share of the pixels."""
        return float(self.hatch.mask.mean())


class Differing(Struct, frozen=True):
    """The question: where do the models of `sides` predict different classes, of `grid` and of `points`?"""

    sides: Sides
    grid: Grid
    points: Points

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Posts a `Difference` that becomes finer.

        The first one comes whatever happens, of up to `PROMISED` points with its list: else nothing of it would be
        seen as long as one of the two trains.
        """
        pace = Pace(overtaken)
        promised = len(self.points) <= PROMISED
        involved = (yield from self._involved(Pace())) if promised else None
        coarse = self.grid.coarse()
        found = Difference((yield from self._hatch(coarse, Pace())), coarse == self.grid, involved)
        post(found)
        if not promised:
            found = replace(found, involved=(yield from self._involved(pace)))
            post(found)
        if not found.full:
            post(replace(found, hatch=(yield from self._hatch(self.grid, pace)), full=True))

    def _involved(self, pace: Pace) -> Generator[Step, None, Involved]:
        said = []
        for side in self.sides:
            found = yield from outcome(side.model, self.points.xy, self.points.labels, pace)
            found.predicted[found.at] = TIED
            said.append(found.predicted)
        both = np.column_stack(said)
        index = np.flatnonzero(both[:, 0] != both[:, 1])
        return Involved(self.points, index, both[index])

    def _hatch(self, grid: Grid, pace: Pace) -> Generator[Step, None, Hatch]:
        yield from pace.pause()
        found = yield from surface(difference_source(self.sides), grid, pace)
        return Hatch((found.classes != found.other)[::-1], grid)


#: The name of the question, and of the panel.
NAME = "compare"


class DifferenceSession(FeatureSession, frozen=True):
    """What is done with the difference of two lanes.

    Attributes
    ----------
    differing : bool
        The pictures mark where the two compared lanes differ.
    wipe : float or None
        From which share of its width on the first compared lane shows the other's picture; None for nowhere.
    """

    differing: bool = False
    wipe: float | None = None


class Wipe(Struct, frozen=True):
    """Another lane's picture over part of a lane's own.

    Attributes
    ----------
    at : float
        Share of the picture's width from which on the other is seen.
    other : LaneScene
        The other.
    places : tuple of (int, int)
        Of the lane itself and of the other.
    """

    at: float
    other: LaneScene
    places: tuple[int, int]


class DifferenceScene(Struct, frozen=True):
    """What the panel about the difference shows.

    Attributes
    ----------
    places : tuple of (int, int) or None
        Of the two lanes; None when there are not two.
    able : tuple of int
        Places of the lanes that can be compared.
    difference : Difference or None
        What is known.
    sentences : tuple of str
        What it comes to.
    """

    places: tuple[int, int] | None
    able: tuple[int, ...]
    difference: Difference | None
    sentences: tuple[str, ...]


def queries(context: Context) -> dict[str, Query]:
    """Where do they differ?  Asked while it is displayed."""
    if not (context.session.of(DifferenceSession).differing or NAME in context.session.open_panels):
        return {}
    sides = sides_of(context.document, context.results)
    if sides is None or not context.grids:
        return {}
    return {NAME: Differing(sides, context.grids[0], context.document.points)}


def sheets(context: Context, index: int) -> tuple[Sheet, ...]:
    """The hatching of where they differ, over the pictures of the two that are compared."""
    answer, places = context.results.answer(NAME), compared(context.document) or ()
    marked = context.session.of(DifferenceSession).differing and index in places
    return (answer.value.hatch,) if marked and answer is not None and answer.value is not None else ()


def scene(context: Context, lanes: Sequence[LaneScene]) -> tuple[object, ...]:
    """The wipe, while there is one; and what the panel shows, while it is in sight."""
    document, session, places = context.document, context.session, compared(context.document)
    at, seen = session.of(DifferenceSession).wipe, NAME in session.open_panels
    wipe = None if at is None or places is None else Wipe(at, lanes[places[1]], places)
    panel = difference_scene(document, context.results) if seen else None
    return tuple(each for each in (wipe, panel) if each is not None)


def difference_scene(document: Document, results: Results) -> DifferenceScene:
    """What the panel shows."""
    places, answer = compared(document), results.answer(NAME)
    difference: Difference | None = None if answer is None else answer.value
    current, failure = False, ""
    if answer is not None and isinstance(answer.query, Differing) and places is not None:
        query, failure = answer.query, answer.message
        if [side.lane for side in query.sides] != [document.lanes[place] for place in places]:
            difference = None  # of two others, or of other settings
        same = query.sides == sides_of(document, results) and query.points is document.points
        fresh = all(is_present(document, place, results.frame(document.slots[place])) for place in places)
        current = same and fresh and document.view.is_seen_on(query.grid)
    said = _sentences(places, difference, failure, current, without_model(document, results))
    return DifferenceScene(places, able(document), difference, said)


def _sentences(
    places: tuple[int, int] | None, difference: Difference | None, failure: str, current: bool, without: Sequence[int]
) -> tuple[str, ...]:
    if places is None:
        return ("Two classifiers are needed: add one with Ctrl+L.",)
    if failure:
        return (failure,)
    if difference is None:
        return tuple(f"{place + 1} has no model yet." for place in without) or ("Comparing…",)
    first, second = (place + 1 for place in places)
    about = "" if difference.full else "about "
    area = f"{first} and {second} differ on {about}{percent(difference.share)} of the area in view"
    said = [area + ("." if current else ", as they were a moment ago.")]
    involved = difference.involved
    if involved is not None and len(involved.points):
        number, all_points = len(involved.index), count(len(involved.points), "point")
        if not number:
            said.append(f"They give each of the {all_points} the same class.")
        else:
            right, neither = involved.right, number - sum(involved.right)
            who = f"{first} is right on {right[0]}, {second} on {right[1]}" + f", neither on {neither}" * bool(neither)
            said.append(f"They differ on {number} of {all_points}: {who}.")
    return tuple(said)
