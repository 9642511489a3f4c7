"""KKT cases and slacks of the points, in the pictures."""

from __future__ import annotations

from app.features.feature import TRAINING, WATCHING, Action, Feature, Widget

FEATURE = Feature(
    overlay=Widget("app.features.kkt.view_layout.KktLayer", ()),
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
        ),
    ),
    help=((WATCHING, "K", "mark each point's KKT case and draw its slack; point at a point for its numbers"),),
)
