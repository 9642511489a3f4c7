"""Losses: the loss of each point."""

from app.scene.feature import TRAINING, Action, Dock, Feature, Widget
from app.scene.model import TRAINED

FEATURE = Feature(
    actions=(
        Action("loss", TRAINING, "&Loss", ("Ctrl+4",), "Hinge and 0-1 loss of each point.", "", True, simple=False),
    ),
    dock=Dock(
        "loss",
        "Loss",
        Widget("app.features.losses.panel.LossPanel"),
        group=1,
        watches=("run",),
        needs=TRAINED,
        pins=True,
        height=240,
    ),
)
