"""Study: many trainings over two parameters, displayed as one map or as curves."""

from typing import Any

from app.scene.feature import COMPARE, Action, Dock, Feature, Widget

SECTION = "Studies"


def _learning_curve(around: Any) -> None:
    around.docks().reveal("study").begin("learning-curve")


FEATURE = Feature(
    actions=(
        Action(
            "study",
            COMPARE,
            "St&udy",
            ("Ctrl+Shift+D",),
            "Many trainings over two parameters, as one map.",
            checkable=True,
            simple=False,
        ),
        Action(
            "learning-curve",
            COMPARE,
            "Learning cur&ve",
            (),
            "Accuracy against the number of points.",
            run=_learning_curve,
        ),
    ),
    dock=Dock(
        "study", "Study", Widget("app.features.study.panel.StudyPanel", ("controller", "tasks", "closed")), height=440
    ),
    help=(
        (SECTION, "Ctrl+Shift+D", "accuracy and other numbers over two parameters: a map, computed in the background"),
        (
            SECTION,
            "Arrow keys, Enter",
            "on the map: move from cell to cell; Enter or a click puts a cell's settings into the classifier",
        ),
        (SECTION, "Star, cross", "the best cell, and the present settings of the classifier"),
    ),
)
