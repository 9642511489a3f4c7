"""The panel that explains why a location gets its class."""

from app.engine.cover import Cover
from app.engine.overlays import LineStyle
from app.scene.feature import COMPARE, Action, Dock, Feature, LegendEntry, Widget

from . import scene
from .controller import ProbeController

FEATURE = Feature(
    actions=(
        Action("probe", COMPARE, "Wh&y this class", ("Ctrl+8",), "Neighbours or terms of f, here.", "", True, True),
        Action(
            "pin",
            COMPARE,
            "Pi&n the probe",
            ("Q",),
            "Keep explaining this location; again to unpin.",
            checkable=True,
            run=lambda around: around.controller.feature(ProbeController).toggle(),
            on=lambda shown: shown.session.of(scene.ProbeSession).probe is not None,
        ),
    ),
    dock=Dock(
        "probe", "Why this class", Widget("app.features.probe.panel.ProbePanel"), height=320, reveals=Cover.PICTURE
    ),
    queries=scene.queries,
    scene=scene.scene,
    pointed=lambda controller, pointer: controller.feature(ProbeController).aim(pointer),
    legend=(
        LegendEntry(
            LineStyle("term", 0, 3.0),
            "Line from the cross, the probe: what a point adds to f, dashed if against its positive class, or a vote",
            drawn=lambda shown: scene.location_of(shown.session, (0.0, 0.0)) is not None,
        ),
        LegendEntry(
            "voter",
            "Thin ring: a neighbour that votes at the probe; the closed line is as far as the k-th one",
            drawn=lambda shown: scene.location_of(shown.session, (0.0, 0.0)) is not None,
        ),
    ),
    views={"overlay": Widget("app.features.probe.overlay.ProbeLayer")},
    help=(
        (
            "Why this class",
            "Ctrl+8",
            "why the location under the pointer gets its class: neighbours and votes, or f term by term",
        ),
        ("Why this class", "Q", "pin that location, or the keyboard cursor's; again to unpin"),
    ),
)
