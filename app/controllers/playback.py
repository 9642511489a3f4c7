"""PlaybackController: plays, pauses and steps the run of a learner, to a change or to any step.  No Qt."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, Literal

from app.engine.run_state import RunState, Seek
from app.state.host import Host
from app.state.session import SPEEDS

#: Seconds that a run takes at most that is watched from its start.
WATCHED = 10.0
Until = Literal["step", "next change", "previous change", "end"]


class PlaybackController:
    """Turns wishes about runs into session changes; every wish names the step it means, so that none is lost.

    Lanes are named by their places; the session keeps what it knows of them by their slots.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._study_of: Callable[[int], RunState | None] = lambda lane: None
        self._serials = itertools.count(1)

    def attach(self, study_of: Callable[[int], RunState | None]) -> None:
        """Take ``study_of(lane)``, the newest that is known of a lane's run."""
        self._study_of = study_of

    # -- one lane --------------------------------------------------------------------------------------------------

    def toggle(self, lane: int) -> None:
        """Play or pause; a run that stands at its end plays from the start again."""
        run_state = self._study_of(lane)
        if run_state is not None and run_state.at_end:
            self._go(lane, run_state, 0, "step", playing=True)
        else:
            self._play(lane, not self._host.session.playing[self._slot(lane)])

    def step(self, lane: int, by: int) -> None:
        """Pause, and go `by` steps forward or back from where the run is going already."""
        run_state = self._study_of(lane)
        if run_state is not None:
            self.seek(lane, self._place(lane, run_state) + by)

    def seek(self, lane: int, step: int) -> None:
        """Pause after `step` steps."""
        run_state = self._study_of(lane)
        if run_state is not None:
            last = run_state.length if run_state.ended else max(run_state.length, step)
            self._go(lane, run_state, min(max(step, 0), last), "step")

    def to_start(self, lane: int) -> None:
        """Pause before the first step."""
        self.seek(lane, 0)

    def to_end(self, lane: int) -> None:
        """Run to the end, and rest there."""
        run_state = self._study_of(lane)
        if run_state is not None:
            self._go(lane, run_state, 0, "end")

    def to_change(self, lane: int, forward: bool) -> None:
        """Pause at the next step in which a point enters or leaves the support vectors, or at the one before."""
        run_state = self._study_of(lane)
        if run_state is None:
            return
        place = self._place(lane, run_state)
        known = run_state.trace.next_change(place) if forward else run_state.trace.previous_change(place)
        if known is not None and known[0] == known[1]:
            self._go(lane, run_state, known[0], "step")
        else:
            self._go(lane, run_state, place, "next change" if forward else "previous change")

    def set_speed(self, lane: int, speed: int) -> None:
        """Choose one of `session.SPEEDS`."""
        self._host.set_session(
            speeds=_with(self._host.session.speeds, self._slot(lane), min(max(speed, 0), len(SPEEDS) - 1)),
            studied=self._slot(lane),
        )

    def watch(self, lane: int) -> None:
        """Play the run from its start, so slowly that it can be followed."""
        run_state, slot = self._study_of(lane), self._slot(lane)
        length = 1 if run_state is None else run_state.length
        speed = next(place for place, per_second in enumerate(SPEEDS) if length <= WATCHED * per_second)
        if math.isinf(SPEEDS[speed]):
            speed -= 1
        self._host.set_session(speeds=_with(self._host.session.speeds, slot, speed), studied=slot)
        if run_state is not None:
            self._go(lane, run_state, 0, "step", playing=True)

    def leave(self, lane: int) -> None:
        """Back to full speed, and to the end of the run."""
        slot, session = self._slot(lane), self._host.session
        self._host.set_session(
            speeds=_with(session.speeds, slot, len(SPEEDS) - 1), playing=_with(session.playing, slot, True)
        )

    def restart(self, lane: int) -> None:
        """Train anew, from zero."""
        restarts, slot = self._host.session.restarts, self._slot(lane)
        self._host.set_session(restarts=_with(restarts, slot, restarts[slot] + 1), studied=slot)

    # -- all lanes -------------------------------------------------------------------------------------------------

    def toggle_all(self) -> None:
        """Pause every lane while one of them moves, else let all go on; with every run at its end, pause what comes."""
        playing = self._host.session.playing
        on_screen = [playing[self._slot(lane)] for lane in range(self._host.document.shown)]
        known = [
            (on, run_state) for lane, on in enumerate(on_screen) if (run_state := self._study_of(lane)) is not None
        ]
        resting = [run_state for on, run_state in known if not (on or run_state.at_end)]
        moves = any(on and not run_state.at_end for on, run_state in known)
        self._host.set_session(playing=(not moves if moves or resting else not any(on_screen),) * len(playing))

    def hover(self, point: int | None) -> None:
        """The pointer is over the point of this lifelong id, or over none."""
        self._host.set_session(hovered=point)

    def verbs(self, studied: Callable[[], int]) -> dict[str, Callable[[], None]]:
        """What the actions of the window do, each with the lane that `studied` names."""
        return {
            "step_forward": lambda: self.step(studied(), 1),
            "step_back": lambda: self.step(studied(), -1),
            "next_change": lambda: self.to_change(studied(), forward=True),
            "previous_change": lambda: self.to_change(studied(), forward=False),
            "to_start": lambda: self.to_start(studied()),
            "to_end": lambda: self.to_end(studied()),
        }

    # -- inside ----------------------------------------------------------------------------------------------------

    def _slot(self, lane: int) -> int:
        return self._host.document.slots[lane]

    def _place(self, lane: int, run_state: RunState) -> int:
        """The step where the run is, or where it was told to go and will be."""
        seek = self._host.session.seeks[self._slot(lane)]
        going = seek is not None and seek.recording == run_state.recording and seek.until == "step"
        if going and not self._host.session.playing[self._slot(lane)]:
            assert seek is not None
            return min(seek.step, run_state.length) if run_state.ended else seek.step
        return run_state.step

    def _go(self, lane: int, run_state: RunState, step: int, until: Until, playing: bool = False) -> None:
        session, slot = self._host.session, self._slot(lane)
        seek = Seek(run_state.recording, step, until, next(self._serials))
        self._host.set_session(
            seeks=_with(session.seeks, slot, seek), playing=_with(session.playing, slot, playing), studied=slot
        )

    def _play(self, lane: int, playing: bool) -> None:
        slot = self._slot(lane)
        self._host.set_session(playing=_with(self._host.session.playing, slot, playing), studied=slot)


def _with(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])
