"""Text: what a lesson says besides its own words; no Qt."""

from __future__ import annotations

from app.state.number_format import grouped, percent

#: What gestures do while a guess is drawn, by the kind of prediction.
LENT = {
    "choice": "",
    "boundary": "Drag: draw where the boundary will be  ·  Ctrl+Z: take a line back  ·  arrows and Enter do it, too",
    "pair": "Click the two points that move next  ·  arrows and Enter do it, too",
}
ASKED = {
    "choice": "",
    "boundary": "Draw on the covered picture{of}: drag, or move the cursor with the arrow keys and press Enter at both"
    " ends of a line.",
    "pair": "Click two points{of}, or go to them with the arrow keys and press Enter.",
}
NOT_READY = "It is still learning; reveal in a moment."
NOT_TRAINED = "This classifier does not move two multipliers at a time."
SET_BACK = "The run had gone on: it is back at its first step.  Reveal again."


def of_lane(place: int, number: int) -> str:
    """ " of classifier 2", or "" where there is only one."""
    return f" of classifier {place + 1}" if number > 1 else ""


def agreement(share: float | None) -> str:
    """How well a drawn boundary fits."""
    if share is None:
        return "Comparing…"
    return f"Your line and the model agree on {percent(share)} of the view."


def number(value: float) -> str:
    """A gain."""
    return f"{value:.3g}"


def gains(picked: tuple[int, int], taken: tuple[int, int], gain: float, best: float, rule: str) -> str:
    """What a pair gains beside what the rule takes; points by their rows in the table."""
    yours = f"Your pair, points {grouped(picked[0])} and {grouped(picked[1])}, raises the dual by {number(gain)}."
    if set(picked) == set(taken):
        return f"{yours}  It is the one that the {rule} rule takes."
    theirs = f"The {rule} rule takes points {grouped(taken[0])} and {grouped(taken[1])}: {number(best)}"
    share = f", so yours gains {percent(gain / best)} of that." if 0.0 <= gain <= best and best > 0 else "."
    return f"{yours}  {theirs}{share}"
