"""Context: the state on which the queries and scenes of features depend."""

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
    """The inputs of features' queries and scenes.

    Attributes
    ----------
    document : Document
    session : Session
    results : Results
        The displayed models of lanes, and the answers to queries.
    grids : tuple of Grid
        Grid of each lane on screen, one sample per device pixel; empty while the scene is composed, before the layout.
    pointer : (x, y) or None
        Location of the pointer in the plane, for features that follow it.
    came_from : mapping of model to (x, y)
        For kNN models, the pointer's location before it crossed the last boundary of a cell.
    """

    document: Document
    session: Session
    results: Results
    grids: tuple[Grid, ...] = ()
    pointer: tuple[float, float] | None = None
    came_from: Mapping[object, tuple[float, float]] = field(default_factory=dict)


class Learnt(Protocol):
    """A frame, or another result of one lane's settings and points."""

    @property
    def points(self) -> Points: ...
    @property
    def lane(self) -> Lane: ...


def is_present(document: Document, index: int, learnt: Learnt | None) -> bool:
    """Return whether `learnt` is for the present points and settings of the lane at `index`."""
    return learnt is not None and learnt.points is document.training_points and learnt.lane == document.lanes[index]
