"""Inquiries: which questions the window's state raises: the table of features that ask the background something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from solver import Grid

from . import evaluation
from .document import Document
from .jobs.inquiry import Question
from .results import Results
from .session import Session
from .shading import Shades


@dataclass(frozen=True, eq=False)
class Moment:
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


#: Each gives its questions of this moment by name; those that are not given any more are dropped.
FEATURES: tuple[Callable[[Moment], dict[str, Question]], ...] = (evaluation.questions,)


def questions(moment: Moment) -> dict[str, Question]:
    """All questions of this moment."""
    return {name: question for feature in FEATURES for name, question in feature(moment).items()}
