"""Multipliers: those of a run as bars."""

from app.scene.feature import TRAINING, Action, Dock, Feature, Widget
from app.scene.model import TRAINED

FEATURE = Feature(
    actions=(
        Action(
            "alphas", TRAINING, "&Multipliers", ("Ctrl+3",), "Each multiplier as a bar up to C.", "", True, simple=False
        ),
    ),
    dock=Dock(
        "alphas",
        "Multipliers",
        Widget("app.features.multipliers.panel.MultipliersPanel"),
        group=1,
        watches=("run",),
        needs=TRAINED,
        pins=True,
        height=280,
    ),
)
