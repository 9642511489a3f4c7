"""Splitting: what the hand does with the split of the points into those to train on and those to test on.  No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from .commands import Command, SetFields
from .document import Document
from .split import IdSet, Kind


class Owner(Protocol):
    """What splitting needs of the controller."""

    @property
    def document(self) -> Document: ...
    def dispatch(self, command: Command) -> None: ...
    def say(self, sentence: str) -> None: ...


class Splitting:
    """Turns wishes about the split into commands.

    Parameters
    ----------
    owner : Owner
    """

    def __init__(self, owner: Owner) -> None:
        self._owner = owner

    def choose(self, kind: Kind) -> None:
        """No split, one by ratio, or one by hand, which goes on from a ratio's points or those painted before."""
        split = self._owner.document.split
        if kind == "painted" and split.kind == "ratio":
            self._set("Choose test points by hand", kind=kind, painted=IdSet(self._owner.document.test_points.ids))
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
            split = replace(self._owner.document.split, **changes)
        except ValueError as error:
            self._owner.say(str(error))
        else:
            self._owner.dispatch(SetFields(drag, changes=(("split", split),), text=text))
