"""TestSplitController: which points are kept for testing.  No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.state.commands import SetFields
from app.state.host import Host
from app.state.test_split import IdSet, Kind


class TestSplitController:
    """Turns wishes about the split into commands.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def choose(self, kind: Kind) -> None:
        """No split, one by ratio, or one by hand, which goes on from a ratio's points or those painted before."""
        split = self._host.document.split
        if kind == "painted" and split.kind == "ratio":
            self._set("Choose test points by hand", kind=kind, painted=IdSet(self._host.document.test_points.ids))
            return
        texts = {"none": "Train on all points", "ratio": f"Keep {split.ratio:.0%} of the points for testing"}
        self._set(texts.get(kind, "Choose test points by hand"), kind=kind)

    def set_ratio(self, ratio: float, drag: object = None) -> None:
        """Keep this share of each class; the changes of one `drag` are one undo step."""
        self._set(f"Keep {ratio:.0%} of the points for testing", drag, kind="ratio", ratio=ratio)

    def set_seed(self, seed: int) -> None:
        """Draw other points."""
        self._set(f"Set the seed of the split to {seed}", kind="ratio", seed=seed)

    def _set(self, text: str, drag: object = None, **changes: Any) -> None:
        try:
            split = replace(self._host.document.split, **changes)
        except ValueError as error:
            self._host.say(str(error))
        else:
            self._host.dispatch(SetFields(drag, changes=(("split", split),), text=text))
