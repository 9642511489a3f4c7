"""KKT: cases and slacks of the points, in the pictures."""

from app.scene.feature import TRAINING, WATCHING, Action, Feature, LegendEntry, Widget

from . import scene

FEATURE = Feature(
    actions=(
        Action(
            "kkt",
            TRAINING,
            "&KKT cases",
            ("K",),
            "Mark each point's KKT case and its slack.",
            checkable=True,
            gap=True,
            switch="kkt",
            of=scene.KktSession,
            simple=False,
        ),
    ),
    marks=scene.marks,
    mark_legend=(
        LegendEntry("kkt1", "Free: 0 < α < C, exactly on the margin"),
        LegendEntry("kkt2", "Bounded: α = C, on the margin or inside it"),
        LegendEntry("kkt3", "Bounded: α = C, misclassified, slack above 1"),
        LegendEntry("kkt1!", "Violated: y·f contradicts this case"),
        LegendEntry("slack", "Slack ξ: from the point to its own margin; a double bar where that is not in view"),
    ),
    watches=lambda session: ("run", "pair", "cases") if session.of(scene.KktSession).kkt else (),
    views={"overlay": Widget("app.features.kkt.view_layout.KktLayer")},
    help=((WATCHING, "K", "mark each point's KKT case and draw its slack; point at a point for its numbers"),),
)
