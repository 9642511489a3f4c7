"""Context: what is on screen just now, for features: what they ask and show depends on it."""

from __future__ import annotations

from dataclasses import dataclass

from app.engine.results import Results
from app.state.document import Document
from app.state.session import Session
from solver import Grid


@dataclass(frozen=True, eq=False)
class Context:
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
    """

    document: Document
    session: Session
    results: Results
    grids: tuple[Grid, ...] = ()
    pointer: tuple[float, float] | None = None
