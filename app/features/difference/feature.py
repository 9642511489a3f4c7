"""The comparison of two classifiers."""

from app.engine.cover import Cover
from app.scene.feature import BESIDE, COMPARE, Action, Dock, Feature, LegendEntry, Widget

from . import scene
from .controller import DifferenceController

FEATURE = Feature(
    actions=(
        Action("compare", COMPARE, "&Compare two", ("Ctrl+7",), "Where two differ: share, points.", "", True, True),
        Action(
            "differing",
            COMPARE,
            "Mar&k where they differ",
            ("X",),
            "Hatched, in the pictures of the two.",
            checkable=True,
            switch="differing",
            of=scene.DifferenceSession,
        ),
        Action(
            "wipe",
            COMPARE,
            "Wi&pe",
            ("Y",),
            "One picture over half of the other.",
            checkable=True,
            run=lambda around: around.controller.feature(DifferenceController).toggle_wipe(),
            on=lambda shown: shown.feature(scene.Wipe) is not None,
        ),
        Action(
            "difference",
            COMPARE,
            "Di&fference as a picture",
            (),
            "Striped in both classes where they differ.",
            run=lambda around: around.controller.feature(DifferenceController).show_difference(),
            simple=False,
        ),
    ),
    dock=Dock(
        "compare", "Compare", Widget("app.features.difference.panel.DifferencePanel"), height=360, reveals=Cover.PICTURE
    ),
    queries=scene.queries,
    sheets=scene.sheets,
    views={"cover": Widget("app.features.difference.overlay.WipeCover")},
    legend=(LegendEntry("differ", "Striped: the two compared classifiers predict different classes"),),
    scene=scene.scene,
    help=(
        (BESIDE, "Ctrl+7", "two compared: the share of the view where they differ, and the points"),
        (BESIDE, "X, Y", "mark in both pictures where they differ; lay one picture over half of the other"),
    ),
)
