"""The evaluation on test points and by cross-validation."""

from app.scene.feature import COMPARE, Action, Dock, Feature, LegendEntry, Widget

from . import scene

FEATURE = Feature(
    actions=(Action("evaluation", COMPARE, "&Evaluation", ("Ctrl+9",), "Test points, scores, ROC.", "", True, True),),
    dock=Dock(
        "evaluation", "Evaluation", Widget("app.features.evaluation.panel.EvaluationPanel"), height=340, pins=True
    ),
    queries=scene.queries,
    sheets=scene.sheets,
    legend=(LegendEntry(scene.OTHER, "Threshold: here the score is t"),),
    scene=scene.scene,
)
