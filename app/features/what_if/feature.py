"""What if: an edit beside the state before it."""

from app.scene.feature import COMPARE, Action, Dock, Feature, LegendEntry, Widget

from . import scene, text
from .controller import WhatIf
from .scene import GHOST, WhatIfSession

FEATURE = Feature(
    actions=(
        Action(
            "arm_whatif",
            COMPARE,
            "&What if",
            ("W",),
            "Draw the boundary before an edit beside the new one.",
            checkable=True,
            gap=True,
            run=lambda around: around.controller.feature(WhatIf).toggle(),
            on=lambda shown: shown.session.of(WhatIfSession).armed,
        ),
        Action(
            "whatif", COMPARE, "What chan&ged", ("Ctrl+Shift+W",), "Old and new numbers of each classifier.", "", True
        ),
    ),
    dock=Dock(
        "whatif",
        "What if",
        Widget("app.features.what_if.panel.WhatIfPanel", ("controller", "tasks", "grids")),
        height=320,
    ),
    queries=scene.queries,
    sheets=scene.sheets,
    legend=(LegendEntry(GHOST, "Blue, dashed: boundary before the last edit"),),
    lane=text.lane,
    help=(
        ("What if", "W", "from now on the boundary before each edit stays as a dashed line; again to switch off"),
        (
            "What if",
            "Ctrl+Shift+W",
            "what the edit changed: margin, support vectors, accuracy, the largest change of f",
        ),
    ),
)
