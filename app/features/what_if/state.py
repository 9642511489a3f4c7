"""Baseline: what was before an edit, for as long as what-if is armed."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from app.engine.requests import Frame, Phase
from app.scene.context import is_present
from app.state.document import Document
from app.state.session import FeatureSession


class Baseline(Struct, frozen=True, eq=False):
    """A state of the lanes that a later one is compared with.

    Attributes
    ----------
    document : Document
    frames : tuple of Frame or None
        By slot, what each lane showed when it had learnt these very points; None where it had not (come to its end).
    """

    document: Document
    frames: tuple[Frame | None, ...]

    @staticmethod
    def of(document: Document, frame_of: Callable[[int], Frame | None]) -> Baseline:
        """The state of `document`, with the models that are known of it."""
        frames: list[Frame | None] = [None] * len(document.slots)
        for place, slot in enumerate(document.slots[: len(document.lanes)]):
            frame = frame_of(slot)
            if frame is not None and is_present(document, place, frame):
                frames[slot] = frame if frame.phase is Phase.DONE and frame.model is not None else None
        return Baseline(document, tuple(frames))


class WhatIfSession(FeatureSession, frozen=True):
    """What is done with what-if.

    Attributes
    ----------
    armed : bool
        What was before an edit is drawn beside what is now.
    baseline : Baseline or None
        What was before the last edit, once there was one.
    """

    armed: bool = False
    baseline: Baseline | None = None
