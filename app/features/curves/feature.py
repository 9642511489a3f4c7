"""The panel of training curves: dual, gap and violation, step by step."""

from app.scene.feature import TRAINING, WATCHING, Action, Dock, Feature, Widget
from app.scene.model import TRAINED

FEATURE = Feature(
    actions=(
        Action(
            "curves", TRAINING, "&Curves", ("Ctrl+2",), "Dual, gap and violation, step by step.", "", True, simple=False
        ),
    ),
    dock=Dock(
        "curves",
        "Curves",
        Widget("app.features.curves.panel.CurvesPanel"),
        group=1,
        watches=("run", "curves"),
        needs=TRAINED,
        pins=True,
        height=580,
    ),
    help=((WATCHING, "Ctrl+2, Ctrl+3, Ctrl+4", "curves, multipliers, losses"),),
)
