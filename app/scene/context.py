"""Context: what is on screen just now, for those who ask the background about it."""

from __future__ import annotations

from dataclasses import dataclass

from app.engine.results import Results
from app.engine.shading import Shades
from app.state.document import Document
from app.state.session import Session
from solver import Grid


@dataclass(frozen=True, eq=False)
class Context:
    """What questions may depend on.

    Attributes
    ----------
    document : Document
    session : Session
    results : Results
        The models that lanes show just now, and answers that have come.
    grids : tuple of Grid
        One sample per device pixel of each lane on screen.
    shades : Shades
    compiled : bool
        The fast loops are ready.
    """

    document: Document
    session: Session
    results: Results
    grids: tuple[Grid, ...]
    shades: Shades
    compiled: bool
