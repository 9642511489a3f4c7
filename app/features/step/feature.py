"""Step: the pair of the next step, its box, and what the rule compared."""

from app.scene.feature import TRAINING, WATCHING, Action, Dock, Feature, Widget
from app.scene.model import TRAINED

FEATURE = Feature(
    actions=(
        Action(
            "step",
            TRAINING,
            "&Why this step",
            ("Ctrl+1",),
            "The pair, its box, and the rule.",
            "",
            True,
            True,
            simple=False,
        ),
    ),
    dock=Dock(
        "step",
        "Why this step",
        Widget("app.features.step.panel.StepPanel"),
        tab="Step",
        watches=("run", "pair", "last pair"),
        needs=TRAINED,
        pins=True,
        height=390,
    ),
    help=((WATCHING, "Ctrl+1", "why this step: the pair, its box, the gain and what the rule compared"),),
)
