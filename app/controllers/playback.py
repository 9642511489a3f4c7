"""PlaybackController: play, pause and step through the run of a learner, to a change or to any step.  No Qt."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Literal

from app.controllers.host import Host
from app.engine.frames import Phase
from app.engine.run_state import RunState
from app.state.session import SPEEDS, Seek

Until = Literal["step", "next change", "previous change", "end", "replay"]
NO_RUN = "There is no training here to go through step by step."
AT_START = "at the start: no step before it"


class PlaybackController:
    """Translate user actions on runs into session changes; each names its target step, so that none is lost.

    Lanes are given by their indices; the session keeps their state by slot.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        #: ``run_state_of(lane)`` returns the newest known state of a lane's run.
        self.run_state_of: Callable[[int], RunState | None] = lambda lane: None
        self._serials = itertools.count(1)
        #: By slot, the seek that a training from zero is to take over from the run that it replaces.
        self._awaited: dict[int, Seek] = {}

    # -- one lane --------------------------------------------------------------------------------------------------

    def toggle(self, lane: int) -> None:
        """Pause a moving run; play any other, from the start if it has reached its end.

        Without a run, set whether the next one starts paused.
        """
        if self.run_state_of(lane) is None:
            self._play(lane, not self._host.session.playing[self._slot(lane)])
        elif self._moves(lane):
            self._play(lane, False)
        else:
            self._replay(lane)

    def step(self, lane: int, by: int) -> None:
        """Pause, and move `by` steps forward or back from the run's present target."""
        if (run_state := self._run_to_go_through(lane, by > 0)) is not None:
            self.seek(lane, self._goal_step(lane, run_state) + by)

    def seek(self, lane: int, step: int) -> None:
        """Pause after `step` steps."""
        if (run_state := self.run_state_of(lane)) is not None:
            last = run_state.length if run_state.ended else max(run_state.length, step)
            self._go(lane, run_state, min(max(step, 0), last), "step")

    def to_start(self, lane: int) -> None:
        """Pause before the first step."""
        self.seek(lane, 0)

    def to_end(self, lane: int) -> None:
        """Run to the end and stop there."""
        if (run_state := self.run_state_of(lane)) is not None:
            self._go(lane, run_state, 0, "end")

    def to_change(self, lane: int, forward: bool) -> None:
        """Pause at the next or previous step in which a point enters or leaves the support vectors."""
        run_state = self._run_to_go_through(lane, forward)
        if run_state is None:
            return
        position = self._goal_step(lane, run_state)
        known = run_state.trace.next_change(position) if forward else run_state.trace.previous_change(position)
        if known is not None and known[0] == known[1]:
            self._go(lane, run_state, known[0], "step")
        else:
            self._go(lane, run_state, position, "next change" if forward else "previous change")

    def set_speed(self, lane: int, speed: int) -> None:
        """Choose one of `session.SPEEDS`."""
        self._host.set_session(
            speeds=_with(self._host.session.speeds, self._slot(lane), min(max(speed, 0), len(SPEEDS) - 1)),
            selected_slot=self._slot(lane),
        )

    def watch(self, lane: int) -> None:
        """Replay the run from its start."""
        if (run_state := self.run_state_of(lane)) is None:
            self._host.say(NO_RUN)
        else:
            self._replay_from_zero(lane, run_state)

    def set_replay(self, factor: float) -> None:
        """Set the factor on the speed of replays."""
        self._host.set_session(replay_factor=factor)

    def leave(self, lane: int) -> None:
        """Return to full speed, to the end of the run, and hide the timeline."""
        slot, session = self._slot(lane), self._host.session
        self._host.set_session(
            speeds=_with(session.speeds, slot, len(SPEEDS) - 1),
            playing=_with(session.playing, slot, True),
            seeks=_with(session.seeks, slot, None),
        )

    def restart(self, lane: int) -> None:
        """Train again from zero."""
        restarts, slot = self._host.session.restarts, self._slot(lane)
        self._host.set_session(restarts=_with(restarts, slot, restarts[slot] + 1), selected_slot=slot)

    def follow_results(self) -> None:
        """Replay the trainings from zero that have begun, unless the user has done something else since then."""
        for slot, seek in [*self._awaited.items()]:
            lane, frame = self._host.document.slots.index(slot), self._host.results.frame(slot)
            run_state = self.run_state_of(lane)
            if (
                run_state is not None
                and run_state.recording == seek.recording
                and seek == self._host.session.seeks[slot]
            ):
                continue  # not yet
            del self._awaited[slot]
            if run_state is not None and seek == self._host.session.seeks[slot] and not (frame and frame.continues):
                self._go(lane, run_state, 0, "replay", playing=True)

    # -- all lanes -------------------------------------------------------------------------------------------------

    def toggle_all(self) -> None:
        """Pause all moving runs; if none moves, play on every visible timeline, or in every lane if there is none."""
        lanes = range(self._host.document.shown)
        moving = [lane for lane in lanes if self._moves(lane)]
        able = [lane for lane in lanes if self.run_state_of(lane) is not None or self._is_paused(lane)]
        followed = [lane for lane in able if self._host.session.has_timeline(self._slot(lane))]
        selected_slot = self._host.session.selected_slot
        for lane in moving:
            self._play(lane, False)
        for lane in () if moving else followed or able:
            self._replay(lane)
        if moving or able:
            self._host.set_session(selected_slot=selected_slot)
        else:
            self._host.say(NO_RUN)

    def hover(self, point: int | None) -> None:
        """Highlight the point with this id, or none."""
        self._host.set_session(hovered=point)

    def verbs(self, run_lane: Callable[[], int]) -> dict[str, Callable[[], None]]:
        """Return the window's actions on the lane that `run_lane` names."""
        return {
            "step_forward": lambda: self.step(run_lane(), 1),
            "step_back": lambda: self.step(run_lane(), -1),
            "next_change": lambda: self.to_change(run_lane(), forward=True),
            "previous_change": lambda: self.to_change(run_lane(), forward=False),
            "to_start": lambda: self.to_start(run_lane()),
            "to_end": lambda: self.to_end(run_lane()),
        }

    # -- helpers ---------------------------------------------------------------------------------------------------

    def _slot(self, lane: int) -> int:
        return self._host.document.slots[lane]

    def _moves(self, lane: int) -> bool:
        """Return True if the training of a lane is in progress."""
        run_state, slot = self.run_state_of(lane), self._slot(lane)
        if run_state is not None:
            return self._host.session.playing[slot] and not run_state.at_end
        frame = self._host.results.frame(slot)
        return frame is not None and frame.fast_run is not None and frame.phase is Phase.TRAINING

    def _is_paused(self, lane: int) -> bool:
        """Return True if Pause suspends the training of a lane."""
        trained = self._host.document.lanes[lane].trainer is not None
        return trained and not self._host.session.playing[self._slot(lane)]

    def _replay(self, lane: int) -> None:
        """Play on from the run's target step, or from the start if that is the end."""
        run_state = self.run_state_of(lane)
        if run_state is None:
            self._play(lane, True)
            return
        position = self._goal_step(lane, run_state)
        if _is_last(run_state, position):
            self._replay_from_zero(lane, run_state)
        else:
            self._go(lane, run_state, position, "replay", playing=True)

    def _replay_from_zero(self, lane: int, run_state: RunState) -> None:
        """Replay the run from its start; one that continued an earlier training is first trained again from zero."""
        slot = self._slot(lane)
        frame = self._host.results.frame(slot)
        seek = self._go(lane, run_state, 0, "replay", playing=True)
        if frame is not None and frame.continues:
            self._awaited[slot] = seek
            self.restart(lane)

    def _run_to_go_through(self, lane: int, forward: bool) -> RunState | None:
        """Return the run of a lane; None, and a report, if there is no step left in that direction."""
        run_state = self.run_state_of(lane)
        if run_state is None:
            self._host.say(NO_RUN)
            return None
        position = self._goal_step(lane, run_state)
        if forward and _is_last(run_state, position):
            # Train on new points at once as before: the run was not paused by this step.
            self._go(lane, run_state, position, "step", self._host.session.playing[self._slot(lane)])
            of = self._host.document.lanes[lane]
            ended = of.family.verdict((run_state.certificate,), of.settings).badge.partition(": ")[0]
            self._host.say(f"{ended}: no step left")
        elif not forward and position == 0:
            self._go(lane, run_state, 0, "step")
            self._host.say(AT_START)
        else:
            return run_state
        return None

    def _goal_step(self, lane: int, run_state: RunState) -> int:
        """Return the step of the run, or the step that it has been sent to."""
        seek = self._host.session.seeks[self._slot(lane)]
        paused = not self._host.session.playing[self._slot(lane)]
        if paused and seek is not None and seek.recording == run_state.recording and seek.until == "step":
            return min(seek.step, run_state.length) if run_state.ended else seek.step
        return run_state.step

    def _go(self, lane: int, run_state: RunState, step: int, until: Until, playing: bool = False) -> Seek:
        session, slot = self._host.session, self._slot(lane)
        seek = Seek(run_state.recording, step, until, next(self._serials))
        self._host.set_session(
            seeks=_with(session.seeks, slot, seek), playing=_with(session.playing, slot, playing), selected_slot=slot
        )
        self._host.say("")  # clear the report on another step
        return seek

    def _play(self, lane: int, playing: bool) -> None:
        slot = self._slot(lane)
        self._host.set_session(playing=_with(self._host.session.playing, slot, playing), selected_slot=slot)


def _is_last(run_state: RunState, position: int) -> bool:
    return run_state.ended and position >= run_state.length


def _with(values: tuple[Any, ...], position: int, value: Any) -> tuple[Any, ...]:
    return (*values[:position], value, *values[position + 1 :])
