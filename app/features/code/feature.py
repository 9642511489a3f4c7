"""The panel with the program of the displayed picture."""

from app.engine.cover import Cover
from app.scene.feature import Action, Dock, Feature, Widget

FEATURE = Feature(
    actions=(Action("code", "&View", "&Code", ("Ctrl+U",), "The scikit-learn program of this picture.", "", True),),
    dock=Dock(
        "code",
        "Code",
        Widget("app.features.code.panel.CodePanel", ("controller", "tasks", "ask_where")),
        height=260,
        reveals=Cover.NOTHING,
        pins=True,
    ),
    help=(("Keys", "Ctrl+U", "code: the scikit-learn program that makes this picture, to copy or to save"),),
)
