"""Studies: many trainings over a table of settings, as one picture."""

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
    dock=Dock("study", "Study", Widget("app.features.study.panel.StudyPanel", ("controller", "tasks", "closed"))),
    help=(
        (SECTION, "Ctrl+Shift+D", "accuracy and other numbers over two parameters: a map that fills in the background"),
        (
            SECTION,
            "Arrow keys, Enter",
            "on the map: from cell to cell; Enter or a click puts its settings into the classifier",
        ),
        (SECTION, "Star, cross", "the best cell, and where the classifier stands"),
    ),
)
