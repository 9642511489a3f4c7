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
    watches=lambda session: ("run", "pair", "cases") if session.of(scene.KktSession).kkt else (),
    legend=(
        LegendEntry(
            "pair",
            "Thick rings: the points of the next step, or of the last one",
            drawn=lambda scene: any(lane.shows_pair for lane in scene.lanes),
        ),
        LegendEntry(
            "hover",
            "Thick blue ring: the point under the pointer, with its numbers; not a support vector's mark",
            drawn=lambda scene: scene.shows_run and scene.run_state is not None,
        ),
    ),
    views={"overlay": Widget("app.features.kkt.overlay.KktLayer")},
    help=((WATCHING, "K", "mark each point's KKT case and draw its slack; point at a point for its numbers"),),
)
