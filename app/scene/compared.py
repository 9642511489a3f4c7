"""Compared: the two lanes that are compared, their models, and the reason if there are none."""

from __future__ import annotations

from app.engine.frames import Side, Sides
from app.engine.results import Results
from app.state.document import Document


def able(document: Document) -> tuple[int, ...]:
    """Return the indices of the lanes on screen that have a model of their own."""
    return tuple(index for index in range(document.shown) if not document.lanes[index].is_difference)


def compared(document: Document) -> tuple[int, int] | None:
    """Return the indices of the two compared lanes: the chosen ones, else the first possible; None without two."""
    indices = able(document)
    chosen = [index for index in dict.fromkeys(document.compared) if index in indices]
    chosen += [index for index in indices if index not in chosen]
    return (chosen[0], chosen[1]) if len(chosen) > 1 else None


def sides_of(document: Document, results: Results) -> Sides | None:
    """Return the models of the two compared lanes; None while one of them has none."""
    indices = compared(document)
    if indices is None:
        return None
    first, second = (_side(document, results, index) for index in indices)
    return None if first is None or second is None else (first, second)


def without_model(document: Document, results: Results) -> list[int]:
    """Return the indices of compared lanes without a model: without points, or with points of one class only."""
    return [index for index in compared(document) or () if _side(document, results, index) is None]


def missing(document: Document, results: Results) -> str:
    """Return a sentence that says why there is no difference to display, or "" if there is, or soon will be."""
    if compared(document) is None:
        return "The difference of two classifiers: add a second one with Ctrl+L."
    empty = [index for index in without_model(document, results) if results.frame(document.slots[index]) is not None]
    return f"{empty[0] + 1} has no model yet, so there is no difference." if empty else ""


def _side(document: Document, results: Results, index: int) -> Side | None:
    frame = results.frame(document.slots[index])
    return None if frame is None or frame.model is None else Side(frame.model, frame.lane)
