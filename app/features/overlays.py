"""Overlays: the table of features that lay sheets over the pictures of lanes."""

from __future__ import annotations

from collections.abc import Callable

from app.engine.overlays import Lines, Sheet
from app.engine.results import Results
from app.features.difference import scene as difference
from app.features.evaluation import scene as evaluation
from app.features.ground_truth import scene as ground_truth
from app.features.what_if import scene as what_if
from app.state.document import Document
from app.state.session import Session

#: Each is ``sheets(document, session, results, index)``: what lies over the picture of the lane at place `index`; the
#: very same sheets as long as nothing about them has changed, for new ones are painted anew.
SHEETS: tuple[Callable[[Document, Session, Results, int], tuple[Sheet, ...]], ...] = (
    ground_truth.sheets,
    difference.sheets,
    what_if.sheets,
    evaluation.sheets,
)


def sheets_of(document: Document, session: Session, results: Results, index: int) -> tuple[Sheet, ...]:
    """Everything that lies over the picture of the lane at place `index`, the lowest first: lines over symbols."""
    sheets = [sheet for feature in SHEETS for sheet in feature(document, session, results, index)]
    return tuple(sorted(sheets, key=lambda sheet: isinstance(sheet, Lines)))
