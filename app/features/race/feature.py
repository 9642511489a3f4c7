"""Race: compare the working-set rules."""

from app.scene.feature import TRAINING, WATCHING, Action, Dock, Feature, Widget

FEATURE = Feature(
    actions=(
        Action(
            "race",
            TRAINING,
            "&Race of the rules",
            ("Ctrl+5",),
            "One problem, two to four rules.",
            checkable=True,
            gap=True,
            simple=False,
        ),
    ),
    dock=Dock(
        "race",
        "Race of the rules",
        Widget("app.features.race.panel.RacePanel", ("controller", "scheduler"), trains=True),
        tab="Race",
        height=390,
        pins=True,
    ),
    help=((WATCHING, "Ctrl+5", "race: one problem, two to four rules; Return plays and pauses"),),
)
