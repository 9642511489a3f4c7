"""Playback: every request about a run names its target step, so that none is lost and none is followed twice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.controllers.playback import PlaybackController
from app.engine.frames import Phase
from app.state.document import Document, Lane
from app.state.session import SPEEDS, Session
from solver import Certificate, Status
from solver.core.trace import Trace
from tests.copies import replace

#: Certificate of the end of the run.
OPTIMAL = Certificate(Status.OPTIMAL, 1.0, 1.0, 0.0, 1e-4, 1, 1, 40, np.nan)


class Desk:
    """A session, and a run of 100 steps of which 40 have been made; the support vectors change at 7, 8 and 30."""

    def __init__(self) -> None:
        self.session = Session()
        self.document = Document()
        self.said: list[str] = []
        self.frames: dict[int, Any] = {}
        self.results = SimpleNamespace(frame=self.frames.get)
        self.playback = PlaybackController(self)
        trace = Trace(("dual",), np.zeros(1))
        changes = np.zeros(40, dtype=np.int64)
        changes[[6, 7, 29]] = 1
        trace.append(np.zeros((40, 1)), changes)
        self.run_state: Any = SimpleNamespace(
            recording=100, step=20, length=40, ended=False, at_end=False, trace=trace.view(), certificate=OPTIMAL
        )
        self.playback.study_of = lambda lane: self.run_state if lane == 1 else None

    def set_session(self, **changes: Any) -> None:
        self.session = replace(self.session, **changes)

    def say(self, sentence: str) -> None:
        self.said.append(sentence)

    def end(self) -> None:
        """Move the run to its end."""
        self.run_state.ended = self.run_state.at_end = True
        self.run_state.step = 40

    @property
    def sought(self) -> tuple[int, str]:
        seek = self.session.seeks[1]
        assert seek is not None and seek.recording == 100
        assert self.session.seeks[0] is None, "the other lane was not asked"
        return seek.step, seek.until


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_steps_are_counted_from_where_the_run_is_going(desk: Desk) -> None:
    desk.playback.step(1, 1)
    assert desk.sought == (21, "step") and desk.session.playing == (True, False, True, True)
    for _ in range(4):  # faster than any frame arrives
        desk.playback.step(1, 1)
    assert desk.sought == (25, "step")
    desk.playback.step(1, -2)
    assert desk.sought == (23, "step")
    desk.run_state.step = 23
    desk.playback.step(1, -30)
    assert desk.sought == (0, "step"), "there is nothing before the start"


def test_a_step_while_playing_starts_from_the_displayed_state(desk: Desk) -> None:
    desk.playback.seek(1, 5)
    desk.playback.toggle(1)
    assert desk.session.playing[1]
    desk.run_state.step = 33
    desk.playback.step(1, 1)
    assert desk.sought == (34, "step")


def test_steps_of_another_run_are_counted_from_its_own_step(desk: Desk) -> None:
    desk.playback.seek(1, 35)
    desk.run_state.recording, desk.run_state.step = 200, 3
    desk.playback.step(1, 1)
    seek = desk.session.seeks[1]
    assert seek is not None and (seek.recording, seek.step) == (200, 4)


def test_an_ended_run_has_no_further_step(desk: Desk) -> None:
    desk.run_state.ended = True
    desk.playback.seek(1, 1000)
    assert desk.sought == (40, "step")
    desk.playback.step(1, 5)
    assert desk.sought == (40, "step")
    desk.run_state.ended = False
    desk.playback.seek(1, 1000)
    assert desk.sought == (1000, "step"), "a run that goes on can be sent ahead"


def test_changes_are_looked_up_and_beyond_what_is_known_the_run_looks(desk: Desk) -> None:
    desk.playback.to_change(1, forward=True)
    assert desk.sought == (30, "step")
    desk.playback.to_change(1, forward=True)
    assert desk.sought == (30, "next change")
    desk.playback.to_change(1, forward=False)
    desk.playback.seek(1, 8)
    desk.playback.to_change(1, forward=False)
    assert desk.sought == (7, "step")
    desk.playback.to_change(1, forward=False)
    assert desk.sought == (7, "previous change"), "before the first change there is the start"


def test_each_request_is_another_one(desk: Desk) -> None:
    desk.playback.seek(1, 5)
    first = desk.session.seeks[1]
    desk.playback.seek(1, 5)
    second = desk.session.seeks[1]
    assert first != second and replace(first, serial=0) == replace(second, serial=0)  # type: ignore[type-var]


@pytest.mark.parametrize("play", ["toggle", "toggle_all", "watch"])
def test_play_at_the_end_replays_from_the_start(desk: Desk, play: str) -> None:
    desk.end()
    desk.playback.toggle_all() if play == "toggle_all" else getattr(desk.playback, play)(1)
    assert desk.sought == (0, "replay") and desk.session.playing[1] and desk.session.has_timeline(1)
    assert desk.session.speeds == Session().speeds, "the speed of live training is another"
    desk.playback.leave(1)
    assert not desk.session.has_timeline(1) and desk.session.playing[1]


def test_space_pauses_a_moving_run_and_replays_a_paused_one(desk: Desk) -> None:
    desk.playback.toggle_all()
    assert desk.session.playing == (True, False, True, True) and desk.session.seeks[1] is None
    desk.playback.toggle_all()
    assert desk.sought == (20, "replay") and desk.session.playing == (True,) * 4
    desk.playback.seek(1, 5)
    desk.playback.toggle_all()
    assert desk.sought == (5, "replay") and desk.session.playing == (True,) * 4


def test_space_goes_to_the_timelines_in_sight(desk: Desk) -> None:
    desk.document = replace(desk.document, lanes=(Lane("svm"), Lane("svm")), shown=2)
    desk.end()
    desk.playback.study_of = lambda lane: desk.run_state
    desk.playback.seek(0, 40)
    desk.playback.toggle_all()
    assert [seek and seek.until for seek in desk.session.seeks[:2]] == ["replay", None], "one has a timeline"
    desk.playback.leave(0)
    desk.playback.toggle_all()
    assert [seek and seek.until for seek in desk.session.seeks[:2]] == ["replay"] * 2, "none has: all replay"


def test_space_stops_a_training_without_steps_and_lets_it_go_on(desk: Desk) -> None:
    desk.document = replace(desk.document, lanes=(Lane("svm"),), slots=(0, 1, 2, 3), shown=1)
    desk.frames[0] = SimpleNamespace(fast_run=object(), phase=Phase.TRAINING)
    desk.playback.toggle_all()
    assert not desk.session.playing[0]
    desk.frames[0].phase = Phase.PAUSED
    desk.playback.toggle_all()
    assert desk.session.playing[0] and not desk.said
    desk.frames[0].phase = Phase.DONE
    before = desk.session
    desk.playback.toggle_all()
    assert desk.session == before and "step by step" in desk.said[-1], "there is nothing to replay"


def test_beyond_the_end_there_is_no_step_and_new_points_are_still_trained_on(desk: Desk) -> None:
    desk.end()
    for wish in (lambda: desk.playback.step(1, 1), lambda: desk.playback.to_change(1, forward=True)):
        wish()
        assert desk.said[-1] == "optimal: no step left"
        assert desk.sought == (40, "step") and desk.session.playing[1] and desk.session.has_timeline(1)
    desk.run_state.certificate = replace(OPTIMAL, status=Status.STOPPED_EARLY)
    desk.playback.step(1, 1)
    assert desk.said[-1].startswith("stopped early") and desk.said[-1].endswith(": no step left")
    desk.playback.step(1, -1)
    assert desk.sought == (39, "step") and not desk.session.playing[1] and desk.said[-1] == ""
    desk.playback.step(1, -99)
    desk.playback.step(1, -1)
    assert desk.sought == (0, "step") and desk.said[-1].startswith("at the start")


def test_a_lane_without_a_run_keeps_whether_the_next_one_waits(desk: Desk) -> None:
    for playing in (False, True):
        desk.playback.toggle(0)
        assert desk.session.playing == (playing, True, True, True) and desk.session.seeks[0] is None


def test_requests_to_a_lane_without_a_run_change_nothing(desk: Desk) -> None:
    before = desk.session
    desk.playback.step(0, 1)
    desk.playback.seek(0, 3)
    desk.playback.to_end(0)
    desk.playback.to_change(0, forward=True)
    assert desk.session == before and "step by step" in desk.said[-1]


def test_the_lane_that_is_touched_is_studied(desk: Desk) -> None:
    desk.session = replace(desk.session, studied=0)
    desk.playback.to_end(1)
    assert desk.sought == (0, "end") and desk.session.studied == 1
    desk.playback.set_speed(0, 99)
    assert desk.session.speeds == (len(SPEEDS) - 1,) * 4 and desk.session.studied == 0


def test_a_lane_is_addressed_by_index_and_its_state_kept_by_slot(desk: Desk) -> None:
    desk.document = replace(Document(), slots=(1, 0, 2, 3))
    desk.playback.seek(1, 7)
    seek = desk.session.seeks[0]
    assert seek is not None and seek.step == 7 and desk.session.seeks[1] is None
    assert desk.session.playing == (False, True, True, True) and desk.session.studied == 0
    desk.playback.step(1, 1)
    assert desk.session.seeks[0] is not None and desk.session.seeks[0].step == 8
    desk.playback.set_speed(1, 2)
    desk.playback.restart(1)
    assert desk.session.speeds[0] == 2 and desk.session.restarts == (1, 0, 0, 0)
    desk.playback.toggle(1)
    assert desk.session.playing[0]
