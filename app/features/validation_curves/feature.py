"""The curves of accuracy under the sliders."""

from app.scene.feature import COMPARE, Action, Feature, Widget

from . import scene

FEATURE = Feature(
    actions=(
        Action(
            "strips",
            COMPARE,
            "Curves under s&liders",
            ("Ctrl+Shift+C",),
            "Accuracy over the whole range of k, C and γ.",
            checkable=True,
            switch="strips",
            of=scene.ValidationCurvesSession,
        ),
    ),
    queries=scene.queries,
    lane=scene.lane,
    views={"below slider": Widget("app.features.validation_curves.view_curve.ValidationCurveView")},
    help=(
        (
            "What if",
            "Ctrl+Shift+C",
            "below each slider, accuracy over its whole range; a click or Enter goes to that value",
        ),
        ("What if", "Hollow ring on a curve", "the training was stopped early there; pale: the previous points"),
    ),
)
