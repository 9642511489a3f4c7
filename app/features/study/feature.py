"""Study: many trainings over two parameters, displayed as one map or as curves."""

from app.scene.feature import COMPARE, Action, Dock, Feature, Widget

SECTION = "Studies"

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
