"""Overlays: the table of features that lay sheets over the pictures of lanes."""

from __future__ import annotations

from collections.abc import Callable

from app.document import Document
from app.results import Results
from app.session import Session
from app.sheets import Lines, Sheet

from . import difference, evaluation, truths, whatif

#: Each is ``sheets(document, session, results, index)``: what lies over the picture of the lane at place `index`; the
#: very same sheets as long as nothing about them has changed, for new ones are painted anew.
SHEETS: tuple[Callable[[Document, Session, Results, int], tuple[Sheet, ...]], ...] = (
    truths.sheets, difference.sheets, whatif.sheets, evaluation.sheets,
)  # fmt: skip


def sheets_of(document: Document, session: Session, results: Results, index: int) -> tuple[Sheet, ...]:
    """Everything that lies over the picture of the lane at place `index`, the lowest first: lines over symbols."""
    sheets = [sheet for feature in SHEETS for sheet in feature(document, session, results, index)]
    return tuple(sorted(sheets, key=lambda sheet: isinstance(sheet, Lines)))
