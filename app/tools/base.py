"""Tool: one gesture from press to release; and the `Desk` it works at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.state.commands import Command
from app.state.document import Document
from app.state.points import Ids
from app.state.session import Outline, Session

from .pointer_position import CLICK_PIXELS, PointerPosition


@dataclass(frozen=True)
class Keys:
    """Modifier keys held at the press."""

    shift: bool = False
    control: bool = False


NO_KEYS = Keys()


class Desk(Protocol):
    """What tools see, and where they put what they do."""

    @property
    def document(self) -> Document: ...
    @property
    def session(self) -> Session: ...
    def dispatch(self, command: Command) -> None: ...
    def select(self, ids: Ids) -> None: ...
    def say(self, sentence: str) -> None: ...


class Tool:
    """A gesture; subclasses fill in what press, move, hold and release do.

    All commands of one gesture carry `stroke` as their merge key, so they are one undo step.

    Parameters
    ----------
    desk : Desk
    rng : numpy Generator, optional
        Where sprays and jitters get their chance from.
    """

    #: Milliseconds after which a press that is held begins to call `hold`; 0 for never.
    holds_after = 0

    def __init__(self, desk: Desk, rng: np.random.Generator | None = None) -> None:
        self.desk = desk
        self.rng = rng or np.random.default_rng()
        self.stroke: object = object()
        self.start: PointerPosition | None = None
        self.pointer: PointerPosition | None = None
        self.keys = NO_KEYS

    @property
    def busy(self) -> bool:
        """True between press and release."""
        return self.start is not None

    def press(self, pointer: PointerPosition, keys: Keys = NO_KEYS) -> None:
        """The main button goes down."""
        self.stroke, self.start, self.pointer, self.keys = object(), pointer, pointer, keys
        self.begin(pointer)

    def move(self, pointer: PointerPosition) -> None:
        """The pointer moves; nothing happens unless the button is down."""
        if self.start is not None:
            self.go(pointer)
            self.pointer = pointer

    def hold(self) -> None:
        """The button stays down while time passes."""
        if self.pointer is not None and self.busy:
            self.stay(self.pointer)

    def release(self, pointer: PointerPosition) -> None:
        """The button goes up."""
        if self.start is not None:
            self.move(pointer)
            self.end(pointer)
            self.start = self.pointer = None

    def cancel(self) -> object:
        """Break the gesture off; returns its merge key."""
        self.start = self.pointer = None
        return self.stroke

    @property
    def outline(self) -> Outline | None:
        """What to draw over the canvas now."""
        return None

    def begin(self, pointer: PointerPosition) -> None:
        """What a press does."""

    def go(self, pointer: PointerPosition) -> None:
        """What a move from `self.spot` to `pointer` does."""

    def stay(self, pointer: PointerPosition) -> None:
        """What happens over and over while the button is held at `pointer`."""

    def end(self, pointer: PointerPosition) -> None:
        """What a release does, after the move to its place."""

    # -- for subclasses --------------------------------------------------------------------------------------------

    @property
    def radius(self) -> float:
        """Radius of the brush in the plane."""
        assert self.pointer is not None
        return self.desk.session.radius * self.pointer.unit

    @property
    def dragged(self) -> bool:
        """The pointer has left the place of the press by more than a shaking hand does."""
        assert self.start is not None and self.pointer is not None
        return self.pointer.pixels_to(self.start.x, self.start.y) > CLICK_PIXELS
