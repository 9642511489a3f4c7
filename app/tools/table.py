"""The table of tools: name, key, sentence, options; toolbar, keys, panel and help are made from it."""

from __future__ import annotations

from msgspec import Struct

from app.state.session import Session

from .base import Tool
from .painting import BrushTool, EllipseTool, EraserTool, LineTool, RelabelTool, TestTool
from .selecting import JitterTool, LassoTool, MagnetTool, MoveTool, PointerTool, RectangleTool, SoftDragTool


class ToolKind(Struct, frozen=True):
    """One tool.

    Attributes
    ----------
    title, key, sentence : str
        Name on screen, key, and effect.
    make : type of Tool
    options : tuple of str
        Fields of the session that it uses, in the order of the panel.
    round : bool
        The pointer shows the brush radius.
    paints : bool
        The pointer shows the active class.
    radius : int
        Initial radius of its brush (pixels).
    simple : bool
        Visible in Simple; the others are behind "More tools" there.
    """

    title: str
    key: str
    sentence: str
    make: type[Tool]
    options: tuple[str, ...] = ()
    round: bool = False
    paints: bool = False
    radius: int = Session().radius
    simple: bool = True


TOOLS: dict[str, ToolKind] = {
    "pointer": ToolKind(
        "Point", "P", "Click: add a point, or select the one there. Drag a point: move it.", PointerTool, paints=True
    ),
    "brush": ToolKind(
        "Brush", "B", "Spray points of the active class.", BrushTool, ("radius", "density", "spread"), True, True
    ),
    "line": ToolKind(
        "Line",
        "I",
        "Drag: a line of points. Shift: level, upright or diagonal.",
        LineTool,
        ("count", "scatter"),
        paints=True,
    ),
    "ellipse": ToolKind(
        "Ellipse",
        "O",
        "Drag: an ellipse of points. Shift: a circle.",
        EllipseTool,
        ("count", "scatter", "filled"),
        paints=True,
        simple=False,
    ),
    "eraser": ToolKind(
        "Eraser", "E", "Remove the points under the brush.", EraserTool, ("radius", "right_removes"), True
    ),
    "relabel": ToolKind(
        "Relabel",
        "R",
        "Give the points under the brush the active class.",
        RelabelTool,
        ("radius",),
        True,
        True,
        radius=12,  # a click covers about one point
    ),
    "test": ToolKind(
        "Test points",
        "N",
        "Drag over points to keep them for testing; it adds none. Shift: train on them again.",
        TestTool,
        ("radius",),
        True,
        simple=False,
    ),
    "move": ToolKind("Move", "V", "Drag a point, the selection, or a whole class.", MoveTool, ("moves",), simple=False),
    "soft": ToolKind(
        "Soft drag",
        "D",
        "Points near the pointer follow, the farther away the less.",
        SoftDragTool,
        ("radius",),
        True,
        simple=False,
    ),
    "jitter": ToolKind("Jitter", "J", "Shake the points under the brush.", JitterTool, ("radius",), True, simple=False),
    "magnet": ToolKind(
        "Magnet",
        "T",
        "Pull the points under the brush together. Shift: push them away.",
        MagnetTool,
        ("radius",),
        True,
        simple=False,
    ),
    "rectangle": ToolKind(
        "Select", "S", "Drag a rectangle around points. Shift adds, Ctrl removes.", RectangleTool, simple=False
    ),
    "lasso": ToolKind("Lasso", "A", "Draw around points to select them. Shift adds, Ctrl removes.", LassoTool),
}
