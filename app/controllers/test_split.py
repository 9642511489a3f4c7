"""TestSplitController: what the hand does with test points, and with what is asked about models there.  No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from app.state.commands import Command, SetFields
from app.state.document import Document
from app.state.session import Session
from app.state.test_split import IdSet, Kind


class Owner(Protocol):
    """What splitting needs of the controller."""

    session: Session

    @property
    def document(self) -> Document: ...
    def dispatch(self, command: Command) -> object: ...
    def set_session(self, **changes: Any) -> None: ...
    def say(self, sentence: str) -> None: ...


class TestSplitController:
    """Turns wishes about the split into commands, and those about evaluation into session changes.

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

    def validate(self, **changes: Any) -> None:
        """Cross-validate otherwise: another `kind`, `k` or `seed`."""
        try:
            validation = replace(self._owner.session.validation, **changes)
        except ValueError as error:
            self._owner.say(str(error))
        else:
            self._owner.set_session(validation=validation)

    def set_threshold(self, slot: int, threshold: float | None) -> None:
        """Say the second class of a lane above another score; None for the model's own threshold."""
        thresholds = self._owner.session.thresholds
        self._owner.set_session(thresholds=(*thresholds[:slot], threshold, *thresholds[slot + 1 :]), judged=slot)

    def judge(self, slot: int) -> None:
        """Move the threshold of this lane from now on."""
        self._owner.set_session(judged=slot)

    def _set(self, text: str, drag: object = None, **changes: Any) -> None:
        try:
            split = replace(self._owner.document.split, **changes)
        except ValueError as error:
            self._owner.say(str(error))
        else:
            self._owner.dispatch(SetFields(drag, changes=(("split", split),), text=text))
