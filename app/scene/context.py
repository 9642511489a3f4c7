"""Context: what is on screen just now, for features: what they ask and show depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct, field

from app.core.points import Points
from app.engine.results import Results
from app.state.document import Document, Lane
from app.state.session import Session
from solver import Grid


class Context(Struct, frozen=True, eq=False):
    """What questions and their answers on screen may depend on.

    Attributes
    ----------
    document : Document
    session : Session
    results : Results
        The models that lanes show just now, and answers that have come.
    grids : tuple of Grid
        One sample per device pixel of each lane on screen; empty while the scene is composed, for views lay it out.
    pointer : (x, y) or None
        Location of the pointer in the plane, for features that follow it.
    came_from : mapping of model to (x, y)
        Of models of neighbours: where it was before it crossed the last border of a cell.
    """

    document: Document
    session: Session
    results: Results
    grids: tuple[Grid, ...] = ()
    pointer: tuple[float, float] | None = None
    came_from: Mapping[object, tuple[float, float]] = field(default_factory=dict)


class Learnt(Protocol):
    """A frame, or whatever else is of one lane's settings and points."""

    @property
    def points(self) -> Points: ...
    @property
    def lane(self) -> Lane: ...


def is_present(document: Document, index: int, learnt: Learnt | None) -> bool:
    """Whether that is of the points and the settings of now."""
    return learnt is not None and learnt.points is document.training_points and learnt.lane == document.lanes[index]
