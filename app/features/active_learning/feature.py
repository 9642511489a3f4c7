"""Active learning: request the label that teaches most."""

from app.scene.feature import TRAINING, WATCHING, Action, Dock, Feature, Widget

FEATURE = Feature(
    actions=(
        Action(
            "asking", TRAINING, "&Active learning", ("Ctrl+6",), "Ask for the best label next.", "", True, simple=False
        ),
    ),
    dock=Dock(
        "asking",
        "Active learning",
        Widget("app.features.active_learning.panel.ActiveLearningPanel", ("controller", "scheduler"), trains=True),
        tab="Asking",
        height=560,
        pins=True,
    ),
    help=((WATCHING, "Ctrl+6", "active learning: ask for the label that teaches most"),),
)
