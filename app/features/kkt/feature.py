"""KKT: cases and slacks of the points, in the pictures."""

from app.scene.feature import TRAINING, WATCHING, Action, Feature, Widget

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
    watches=lambda session: ("run", "pair", "cases") if session.of(scene.KktSession).kkt else (),
    views={"overlay": Widget("app.features.kkt.overlay.KktLayer")},
    help=((WATCHING, "K", "mark each point's KKT case and draw its slack; point at a point for its numbers"),),
)
