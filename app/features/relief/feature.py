"""Relief: f in three dimensions."""

from app.engine.cover import Cover
from app.scene.feature import COMPARE, Action, Dock, Feature, Widget
from app.scene.model import TRAINED

from . import scene

FEATURE = Feature(
    actions=(
        Action("relief", COMPARE, "f in 3-D", ("F3",), "f over the plane in 3-D; the kernel trick.", "", True, True),
    ),
    dock=Dock(
        scene.NAME,
        "f in 3-D",
        Widget("app.features.relief.panel.ReliefPanel", ("controller", "tasks")),
        needs=TRAINED,
        height=360,
        reveals=Cover.PICTURE,
        pins=True,
    ),
    queries=scene.queries,
    scene=scene.scene,
    help=(
        (
            "f in 3-D",
            "F3",
            "f over the plane in three dimensions, with its sheets f = 0 and f = ±1, points and hinge losses",
        ),
        ("f in 3-D", "Drag, arrow keys", "turn and tilt; the wheel, + and − zoom; double click or R: reset"),
        ("f in 3-D", "Kernel trick", "the explicit map of the polynomial kernel of degree 2, where a plane separates"),
    ),
)
