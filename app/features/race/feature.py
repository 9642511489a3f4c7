"""Race of the working-set rules."""

from app.features.feature import TRAINING, WATCHING, Action, Feature, Widget

FEATURE = Feature(
    actions=(
        Action(
            "race",
            TRAINING,
            "&Race of the rules…",
            ("Ctrl+5",),
            "One problem, two to four rules.",
            gap=True,
            simple=False,
        ),
    ),
    window=("race", Widget("app.features.race.window.RaceWindow", ("window", "controller", "scheduler", "compiled"))),
    help=((WATCHING, "Ctrl+5", "race: one problem, two to four rules"),),
)
