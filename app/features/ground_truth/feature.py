"""Ground truth: what the generator knows, and how stable a boundary is."""

from app.scene.feature import COMPARE, Action, Dock, Feature, LegendEntry, Widget

from . import scene
from .bootstrap import HAZE
from .controller import GroundTruthController
from .model import GroundTruthSession
from .scene import IDEAL

FEATURE = Feature(
    actions=(
        Action(
            "truth",
            COMPARE,
            "&Truth and stability",
            ("Ctrl+0",),
            "New points, Bayes error.",
            "",
            True,
            True,
            simple=False,
        ),
        Action(
            "ideal",
            COMPARE,
            "True or &ideal boundary",
            ("U",),
            "The best that is possible.",
            checkable=True,
            run=lambda around: around.controller.feature(GroundTruthController).toggle_ideal(),
            on=lambda shown: shown.session.of(GroundTruthSession).ideal,
            simple=False,
        ),
        Action(
            "haze",
            COMPARE,
            "&Haze",
            ("H",),
            "Boundaries on resampled points.",
            checkable=True,
            switch="bootstrap",
            of=GroundTruthSession,
            simple=False,
        ),
    ),
    dock=Dock(
        "truth",
        "Truth and stability",
        Widget("app.features.ground_truth.panel.GroundTruthPanel"),
        tab="Truth",
        height=380,
    ),
    queries=scene.queries,
    sheets=scene.sheets,
    legend=(
        LegendEntry(IDEAL, "True or ideal boundary", scene.boundary_name),
        LegendEntry(HAZE, "Haze: boundaries on resampled points"),
    ),
    scene=scene.scene,
)
