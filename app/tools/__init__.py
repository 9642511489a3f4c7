"""Tools: gestures on a canvas become commands; positions come in plane units and pixels, never as Qt events.

`TOOLS` is the table of them: what the toolbar, the keys, the options and the help show follows from it.
"""

from .base import (
    CLICK_PIXELS,
    COARSE_PIXELS,
    NO_KEYS,
    POINT_PIXELS,
    REMOVE_PIXELS,
    Desk,
    Keys,
    PointerPosition,
    Tool,
    nearest,
    point_at,
)
from .table import TOOLS, ToolKind

__all__ = [
    "CLICK_PIXELS",
    "COARSE_PIXELS",
    "NO_KEYS",
    "POINT_PIXELS",
    "REMOVE_PIXELS",
    "TOOLS",
    "Desk",
    "Keys",
    "PointerPosition",
    "Tool",
    "ToolKind",
    "nearest",
    "point_at",
]
