"""Tools: gestures on a canvas become commands; positions come in plane units and pixels, never as Qt events.

`TOOLS` is the table of them: what the toolbar, the keys, the options and the help show follows from it.
"""

from .base import CLICK_PIXELS, GRAB_PIXELS, NO_KEYS, REMOVE_PIXELS, Desk, Keys, PointerPosition, Tool, nearest
from .table import TOOLS, ToolKind

__all__ = [
    "CLICK_PIXELS",
    "GRAB_PIXELS",
    "NO_KEYS",
    "REMOVE_PIXELS",
    "TOOLS",
    "Desk",
    "Keys",
    "PointerPosition",
    "Tool",
    "ToolKind",
    "nearest",
]
