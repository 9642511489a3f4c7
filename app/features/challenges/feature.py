"""Challenges: "here is a picture, find the classifier"."""

from app.scene.feature import LESSONS, Action, Feature, Widget

FEATURE = Feature(
    actions=(
        Action(
            "challenge",
            LESSONS,
            "New c&hallenge…",
            (),
            "The picture on screen for others to find: settings, classes of points, or few points.",
            after="lesson_add",
        ),
    ),
    window=(
        "challenge",
        Widget("app.features.challenges.window.ChallengeDialog", ("controller", "window", "tasks", "ask_where")),
    ),
    help=(
        (
            "Lessons",
            "Lessons > New challenge",
            "here is a picture, find the classifier: one text for others to paste, scored by the share of the view that"
            " agrees",
        ),
    ),
)
