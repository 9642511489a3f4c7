"""Predicted against observed probabilities."""

from app.engine.cover import Cover
from app.scene.feature import COMPARE, Action, Dock, Feature, Widget

from . import scene

FEATURE = Feature(
    actions=(
        Action(
            "reliability",
            COMPARE,
            "&Reliability",
            ("Ctrl+Shift+R",),
            "Predicted probabilities against observed shares.",
            "",
            True,
            simple=False,
        ),
    ),
    dock=Dock(
        "reliability",
        "Reliability",
        Widget("app.features.reliability.panel.ReliabilityPanel"),
        height=280,
        reveals=Cover.PICTURE,
    ),
    queries=scene.queries,
    scene=scene.scene,
    help=(("Side by side", "Ctrl+Shift+R", "reliability: predicted probabilities against observed shares"),),
)
