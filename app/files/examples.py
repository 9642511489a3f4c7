"""Examples: the table of the gallery; each is a document in `assets/examples`, with a thumbnail for each theme.

``python -m tests.make_examples`` makes both.  The table also has the panels to open and the state of the runs, which a
document does not contain.
"""

from __future__ import annotations

from msgspec import Struct

from app.state.document import Document

from . import documents
from .assets import asset, card


class Example(Struct, frozen=True):
    """One row of the gallery.

    Attributes
    ----------
    name : str
        Name of its files, without the suffix.
    title : str
    sentence : str
        What to do, and its effect.
    opens : tuple of str
        Names of the actions whose panel, window or switch is on; those of other examples are off.
    steps : bool
        Its runs wait before their first step.
    """

    name: str
    title: str
    sentence: str
    opens: tuple[str, ...] = ()
    steps: bool = False


#: Rows in the order of the gallery.
EXAMPLES: tuple[Example, ...] = (
    Example(
        "neighbours",
        "k from 1 to 51",
        "Drag k: islands around single points become one smooth boundary; compare training and test accuracy.",
    ),
    Example(
        "weights",
        "Weighted neighbours",
        "Left: 15 equal votes.  Right: near neighbours count more, and the arms of the spiral appear.",
    ),
    Example(
        "scaling",
        "Units of an axis",
        "Drag × 10 on the x axis back to × 1: the left kNN changes; the right one standardises x and y, and stays.",
    ),
    Example(
        "cells",
        "Every point owns a cell",
        "Move a point: its cell and those of its neighbours change.  With k = 2, each pair of neighbours has a cell.",
        ("cells",),
    ),
    Example(
        "kept",
        "Which points does kNN need?",
        "Points without an outline are idle.  Press Remove idle points: no pixel changes class.",
        ("kept", "whatif"),
    ),
    Example("margin", "The widest margin", "Move a ringed point: the widest street between the classes turns with it."),
    Example(
        "support-vectors",
        "Only support vectors matter",
        "Remove points without a ring: nothing moves.  Remove a ringed one: the boundary jumps.",
        ("arm_whatif",),
    ),
    Example(
        "outlier",
        "C and an outlier",
        "One point lies among the others.  Large C bends to it, small C lets it be wrong.",
    ),
    Example(
        "circle",
        "The kernel trick",
        "No straight line separates disc and ring; Lift: with the squares of x and y a plane does.",
        ("relief",),
    ),
    Example("gamma", "γ and test points", "Drag γ: the training accuracy keeps rising while the test accuracy falls."),
    Example(
        "step",
        "One step of SMO",
        "Press . for one step: two multipliers move along a line until the box or the optimum stops them.",
        ("step",),
        steps=True,
    ),
    Example(
        "race",
        "Random against second-order",
        "Start the race: two rules solve one problem, one in far fewer steps.",
        ("race",),
    ),
    Example(
        "differ",
        "Where do two disagree?",
        "Striped: kNN and SVM predict different classes.  Add points there and look again.",
        ("differing",),
    ),
    Example(
        "wrong-labels", "Wrong labels", "One label in ten is wrong.  k = 1 believes them all, k = 15 outvotes them."
    ),
    Example(
        "perceptron",
        "Any line or the widest margin",
        "A perceptron stops at any line that separates, another in each order; the SVM finds the one of widest margin.",
    ),
)
BY_NAME = {example.name: example for example in EXAMPLES}


def read(example: Example) -> Document:
    """Return the document of an example; raise a FileError with one sentence if it cannot be read."""
    file = f"{example.name}{documents.SUFFIX}"
    return documents.decode(asset("examples", file), file)


def thumbnail(example: Example, dark: bool = False) -> bytes:
    """Return the PNG of an example in the light or the dark theme; empty if it cannot be read."""
    return card("examples", example.name, dark)
