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


class Setup:
    """A session, and a run of 100 steps of which 40 have been made; the support vectors change at 7, 8 and 30."""

    def __init__(self) -> None:
        self.session = Session()
        self.document = Document()
        self.report: list[str] = []
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
        self.playback.run_state_of = lambda lane: self.run_state if lane == 1 else None

    def set_session(self, **changes: Any) -> None:
        self.session = replace(self.session, **changes)

    def say(self, sentence: str) -> None:
        self.report.append(sentence)

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
def setup() -> Setup:
    return Setup()


def test_steps_are_counted_from_where_the_run_is_going(setup: Setup) -> None:
    setup.playback.step(1, 1)
    assert setup.sought == (21, "step") and setup.session.playing == (True, False, True, True)
    for _ in range(4):  # faster than any frame arrives
        setup.playback.step(1, 1)
    assert setup.sought == (25, "step")
    setup.playback.step(1, -2)
    assert setup.sought == (23, "step")
    setup.run_state.step = 23
    setup.playback.step(1, -30)
    assert setup.sought == (0, "step"), "there is nothing before the start"


def test_a_step_while_playing_starts_from_the_displayed_state(setup: Setup) -> None:
    setup.playback.seek(1, 5)
    setup.playback.toggle(1)
    assert setup.session.playing[1]
    setup.run_state.step = 33
    setup.playback.step(1, 1)
    assert setup.sought == (34, "step")


def test_steps_of_another_run_are_counted_from_its_own_step(setup: Setup) -> None:
    setup.playback.seek(1, 35)
    setup.run_state.recording, setup.run_state.step = 200, 3
    setup.playback.step(1, 1)
    seek = setup.session.seeks[1]
    assert seek is not None and (seek.recording, seek.step) == (200, 4)


def test_an_ended_run_has_no_further_step(setup: Setup) -> None:
    setup.run_state.ended = True
    setup.playback.seek(1, 1000)
    assert setup.sought == (40, "step")
    setup.playback.step(1, 5)
    assert setup.sought == (40, "step")
    setup.run_state.ended = False
    setup.playback.seek(1, 1000)
    assert setup.sought == (1000, "step"), "a run that goes on can be sent ahead"


def test_changes_are_looked_up_and_beyond_what_is_known_the_run_looks(setup: Setup) -> None:
    setup.playback.to_change(1, forward=True)
    assert setup.sought == (30, "step")
    setup.playback.to_change(1, forward=True)
    assert setup.sought == (30, "next change")
    setup.playback.to_change(1, forward=False)
    setup.playback.seek(1, 8)
    setup.playback.to_change(1, forward=False)
    assert setup.sought == (7, "step")
    setup.playback.to_change(1, forward=False)
    assert setup.sought == (7, "previous change"), "before the first change there is the start"


def test_each_request_is_another_one(setup: Setup) -> None:
    setup.playback.seek(1, 5)
    first = setup.session.seeks[1]
    setup.playback.seek(1, 5)
    second = setup.session.seeks[1]
    assert first != second and replace(first, serial=0) == replace(second, serial=0)  # type: ignore[type-var]


@pytest.mark.parametrize("play", ["toggle", "toggle_all", "watch"])
def test_play_at_the_end_replays_from_the_start(setup: Setup, play: str) -> None:
    setup.end()
    setup.playback.toggle_all() if play == "toggle_all" else getattr(setup.playback, play)(1)
    assert setup.sought == (0, "replay") and setup.session.playing[1] and setup.session.has_timeline(1)
    assert setup.session.speeds == Session().speeds, "the speed of live training is another"
    setup.playback.leave(1)
    assert not setup.session.has_timeline(1) and setup.session.playing[1]


def test_space_pauses_a_moving_run_and_replays_a_paused_one(setup: Setup) -> None:
    setup.playback.toggle_all()
    assert setup.session.playing == (True, False, True, True) and setup.session.seeks[1] is None
    setup.playback.toggle_all()
    assert setup.sought == (20, "replay") and setup.session.playing == (True,) * 4
    setup.playback.seek(1, 5)
    setup.playback.toggle_all()
    assert setup.sought == (5, "replay") and setup.session.playing == (True,) * 4


def test_space_goes_to_the_timelines_in_sight(setup: Setup) -> None:
    setup.document = replace(setup.document, lanes=(Lane("svm"), Lane("svm")), shown=2)
    setup.end()
    setup.playback.run_state_of = lambda lane: setup.run_state
    setup.playback.seek(0, 40)
    setup.playback.toggle_all()
    assert [seek and seek.until for seek in setup.session.seeks[:2]] == ["replay", None], "one has a timeline"
    setup.playback.leave(0)
    setup.playback.toggle_all()
    assert [seek and seek.until for seek in setup.session.seeks[:2]] == ["replay"] * 2, "none has: all replay"


def test_space_stops_a_training_without_steps_and_lets_it_go_on(setup: Setup) -> None:
    setup.document = replace(setup.document, lanes=(Lane("svm"),), slots=(0, 1, 2, 3), shown=1)
    setup.frames[0] = SimpleNamespace(fast_run=object(), phase=Phase.TRAINING)
    setup.playback.toggle_all()
    assert not setup.session.playing[0]
    setup.frames[0].phase = Phase.PAUSED
    setup.playback.toggle_all()
    assert setup.session.playing[0] and not setup.report
    setup.frames[0].phase = Phase.DONE
    before = setup.session
    setup.playback.toggle_all()
    assert setup.session == before and "step by step" in setup.report[-1], "there is nothing to replay"


def test_beyond_the_end_there_is_no_step_and_new_points_are_still_trained_on(setup: Setup) -> None:
    setup.end()
    for request in (lambda: setup.playback.step(1, 1), lambda: setup.playback.to_change(1, forward=True)):
        request()
        assert setup.report[-1] == "optimal: no step left"
        assert setup.sought == (40, "step") and setup.session.playing[1] and setup.session.has_timeline(1)
    setup.run_state.certificate = replace(OPTIMAL, status=Status.STOPPED_EARLY)
    setup.playback.step(1, 1)
    assert setup.report[-1].startswith("stopped early") and setup.report[-1].endswith(": no step left")
    setup.playback.step(1, -1)
    assert setup.sought == (39, "step") and not setup.session.playing[1] and setup.report[-1] == ""
    setup.playback.step(1, -99)
    setup.playback.step(1, -1)
    assert setup.sought == (0, "step") and setup.report[-1].startswith("at the start")


def test_a_lane_without_a_run_keeps_whether_the_next_one_waits(setup: Setup) -> None:
    for playing in (False, True):
        setup.playback.toggle(0)
        assert setup.session.playing == (playing, True, True, True) and setup.session.seeks[0] is None


def test_requests_to_a_lane_without_a_run_change_nothing(setup: Setup) -> None:
    before = setup.session
    setup.playback.step(0, 1)
    setup.playback.seek(0, 3)
    setup.playback.to_end(0)
    setup.playback.to_change(0, forward=True)
    assert setup.session == before and "step by step" in setup.report[-1]


def test_the_lane_that_is_touched_is_studied(setup: Setup) -> None:
    setup.session = replace(setup.session, selected_slot=0)
    setup.playback.to_end(1)
    assert setup.sought == (0, "end") and setup.session.selected_slot == 1
    setup.playback.set_speed(0, 99)
    assert setup.session.speeds == (len(SPEEDS) - 1,) * 4 and setup.session.selected_slot == 0


def test_a_lane_is_addressed_by_index_and_its_state_kept_by_slot(setup: Setup) -> None:
    setup.document = replace(Document(), slots=(1, 0, 2, 3))
    setup.playback.seek(1, 7)
    seek = setup.session.seeks[0]
    assert seek is not None and seek.step == 7 and setup.session.seeks[1] is None
    assert setup.session.playing == (False, True, True, True) and setup.session.selected_slot == 0
    setup.playback.step(1, 1)
    assert setup.session.seeks[0] is not None and setup.session.seeks[0].step == 8
    setup.playback.set_speed(1, 2)
    setup.playback.restart(1)
    assert setup.session.speeds[0] == 2 and setup.session.restarts == (1, 0, 0, 0)
    setup.playback.toggle(1)
    assert setup.session.playing[0]
