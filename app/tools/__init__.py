"""Tools: turn gestures on a canvas into commands.

Pointer positions come in, in plane units and pixels, never as Qt events; commands go to the `ToolTarget`.  `TOOLS` is
the table of all tools, from which the toolbar, the keys, the options and the help are built.  Start with `base.py`.
"""

from .base import (
    CLICK_PIXELS,
    COARSE_PIXELS,
    NO_KEYS,
    POINT_PIXELS,
    REMOVE_PIXELS,
    Keys,
    PointerPosition,
    Tool,
    ToolTarget,
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
    "Keys",
    "PointerPosition",
    "Tool",
    "ToolKind",
    "ToolTarget",
    "nearest",
    "point_at",
]
