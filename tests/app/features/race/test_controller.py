"""Actions of the user on a race, the background queries for it, and its texts."""

from __future__ import annotations

import math
from typing import Any

import pytest
from msgspec.structs import replace

from app.controllers.controller import Controller
from app.core.points import Points
from app.engine.query import Answer
from app.engine.results import Results
from app.engine.shading import Shades
from app.features.race import text
from app.features.race.controller import PACES, RaceController, lanes_of
from app.features.race.race_frame import CURVE, Course, Finish, RaceFrame, RacerFrame
from app.features.race.race_run import RaceQuery
from app.files.examples import BY_NAME
from app.scene.status_badge import Mood
from app.state.commands import AddPoints, Clear
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings
from app.state.session import Session
from app.state.store import Store
from solver import RULES, Certificate, Status
from tests.without_compiler import machine_code

SHADES = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))


class Ear:
    """A scheduler that only records the requests."""

    def __init__(self) -> None:
        self.asked: list[RaceQuery] = []
        self.wanted: RaceQuery | None = None
        self.results = Results()

    def request_answers(self, queries: dict[str, RaceQuery], owner: str) -> None:
        assert owner == "race"
        before, self.wanted = self.wanted, queries.get("race")
        if self.wanted is None:
            self.results.forget("race")
        elif self.wanted != before:
            self.asked.append(self.wanted)


class RaceSetup:
    """A controller with a document, and its requests for the race."""

    def __init__(self, document: Document | None = None) -> None:
        self.drawn = 0
        points = GeneratorSettings(count=20).points()
        self.controller = Controller(
            Store(document or Document(points=points)), Session(), lambda: None, lambda _: None
        )
        self.ear = Ear()
        self.racing = RaceController(self.controller, self.ear, self._draw)  # type: ignore[arg-type]
        self.racing.shades, self.racing.size = SHADES, (200, 150, 1.0)
        self.racing.update()

    def _draw(self) -> None:
        self.drawn += 1

    @property
    def newest(self) -> RaceQuery:
        return self.ear.asked[-1]

    @property
    def course(self) -> Course:
        return self.newest.race.course

    def answer(self, steps: int = 5, over: bool = False, message: str = "") -> RaceFrame | None:
        """Answer the newest query, as the background does."""
        status = Status.OPTIMAL if over else Status.RUNNING
        racers = tuple(racer(rule, steps, status=status) for rule in self.course.rules)
        frame = None if message else RaceFrame(self.course.points, self.course.mode, 1e-3, racers)
        self.ear.results.accept(Answer("race", len(self.ear.asked), self.newest, frame, False, message))
        self.racing.update()
        return frame


def certificate(status: Status = Status.RUNNING, violation: float = 0.5, gap: float = 0.2) -> Certificate:
    return Certificate(status, violation, 1.0, 1.0, gap, 3, 4, 0, math.nan)


def racer(
    rule: str,
    steps: int,
    *,
    seconds: float = 0.0,
    evaluations: int = 0,
    status: Status = Status.RUNNING,
    violation: float = 0.5,
    gap: float = 0.2,
    location: int = 0,
    near: Finish | None = None,
) -> RacerFrame:
    finish = Finish(steps, evaluations, seconds, location) if location else None
    return RacerFrame(rule, steps, evaluations, seconds, certificate(status, violation, gap), finish=finish, near=near)


def frame(*racers: RacerFrame, mode: str = "steps", message: str = "") -> RaceFrame:
    return RaceFrame(Points(), mode, 1e-3, racers, message)


# -- the controller --------------------------------------------------------------------------------------------------


def test_a_race_is_set_up_with_the_lane_that_has_a_rule() -> None:
    table = RaceSetup()
    asked, course, document = table.newest, table.course, table.controller.document
    assert len(table.ear.asked) == 1, "one request for all that was told"
    assert (course.rules, course.mode, asked.playing) == (("random", "second-order"), "steps", False)
    assert course.points is document.training_points and course.settings == document.lanes[1].svm
    assert (asked.grid.width, asked.grid.height) == (200, 150)
    grid, xy = asked.grid, document.points.xy
    assert (xy > [grid.left, grid.bottom]).all() and (xy < [grid.right, grid.top]).all()
    size = xy.max(axis=0) - xy.min(axis=0)
    assert max(size[0] / (grid.right - grid.left), size[1] / (grid.top - grid.bottom)) == pytest.approx(1 / 1.15)
    assert (grid.right - grid.left) / 200 == pytest.approx((grid.top - grid.bottom) / 150), "axes equally scaled"
    assert lanes_of(document) == (1,) and course.lane == 1 and table.racing.can_play and not table.racing.choice.playing
    assert len(table.racing.problems) == 1 and table.racing.alarm == ""


def test_five_rules_are_one_too_many_and_one_is_too_few() -> None:
    table = RaceSetup()
    for rule in ("platt", "maximum-gain"):
        table.racing.choose_rule(rule, True)
    assert table.course.rules == ("random", "platt", "second-order", "maximum-gain"), "in the order of the rules"
    asked = len(table.ear.asked)
    table.racing.choose_rule("cyclic", True)
    assert table.racing.alarm == text.TOO_MANY
    assert table.racing.choice.rules == table.course.rules and len(table.ear.asked) == asked
    for rule in ("platt", "maximum-gain"):
        table.racing.choose_rule(rule, False)
    assert table.racing.alarm == "" and table.course.rules == ("random", "second-order")
    table.racing.choose_rule("random", False)
    assert table.racing.alarm == text.TOO_FEW and not table.racing.can_play and table.ear.wanted is None
    table.racing.toggle()
    assert not table.racing.choice.playing
    table.racing.choose_rule("cyclic", True)
    assert table.racing.can_play and table.course.rules == ("cyclic", "second-order")


def test_playing_pausing_and_another_pace_are_one_race() -> None:
    table = RaceSetup()
    race = table.newest.race
    table.racing.toggle()
    assert table.newest.playing and table.racing.choice.playing
    table.racing.choose_pace(99)
    assert math.isinf(table.newest.pace) and text.pace(table.racing.choice.mode, table.racing.pace) == "full speed"
    table.racing.choose_pace(-1)
    assert table.newest.pace == 1 and text.pace(table.racing.choice.mode, table.racing.pace) == "1 step per picture"
    table.racing.toggle()
    assert not table.newest.playing and all(query.race is race for query in table.ear.asked)
    table.racing.size = (300, 150, 2.0)
    table.racing.update()
    assert table.newest.grid.width == 600 and table.newest.race is race
    table.racing.shades = replace(SHADES, background=(0, 0, 0))
    table.racing.update()
    assert table.newest.shades.background == (0, 0, 0) and table.newest.race is race
    asked = len(table.ear.asked)
    table.racing.size = (300, 150, 2.0)
    table.racing.update()
    table.racing.update()
    assert len(table.ear.asked) == asked, "nothing new is nothing to ask"


def test_other_rules_or_another_mode_begin_anew_and_go_on() -> None:
    table = RaceSetup()
    table.racing.toggle()
    table.answer()
    race = table.newest.race
    table.racing.choose_mode("time")
    other = table.newest.race
    assert other is not race and table.course.mode == "time" and table.newest.playing
    assert table.racing.frame is None, "the old race is not shown as the new one"
    assert table.newest.pace in PACES["time"] and table.racing.pace == PACES["time"][table.racing.position]
    table.racing.choose_pace(3)
    table.racing.choose_mode("time")
    assert table.newest.race is other
    table.racing.choose_mode("steps")
    table.racing.choose_mode("time")
    assert table.racing.position == 3, "each mode keeps its pace"
    shown = table.answer()
    assert table.racing.frame is shown


def test_a_race_that_is_over_plays_from_the_start() -> None:
    table = RaceSetup()
    table.racing.toggle()
    race = table.newest.race
    table.answer(over=True)
    assert not table.racing.choice.playing and table.racing.can_play
    table.racing.toggle()
    other = table.newest.race
    assert table.newest.playing and other is not race
    table.racing.restart()
    assert table.newest.playing and table.newest.race is not other


def test_new_points_wait_for_a_restart_once_a_race_has_started() -> None:
    table = RaceSetup()
    first = table.newest.race
    table.controller.dispatch(AddPoints(xy=[(0.0, 0.0)], labels=[0]))
    table.racing.update()
    second = table.newest.race
    assert second is not first and table.racing.alarm == "", "not started: it takes them in"
    table.racing.toggle()
    table.answer()
    points = table.course.points
    table.controller.dispatch(AddPoints(xy=[(1.0, 0.0)], labels=[0]))
    table.racing.update()
    assert table.course.points is points and table.newest.race is second
    assert table.racing.alarm == "The points have changed: Restart races on the new ones."
    table.controller.undo()
    table.racing.update()
    assert table.racing.alarm == "", "and back again"
    table.controller.set_lane(1, "svm", C=7.0)
    table.racing.update()
    assert table.racing.alarm == "The settings of the classifier have changed: Restart races with the new ones."
    table.racing.restart()
    assert table.course.settings.C == 7.0 and table.newest.playing and table.racing.alarm == ""


def test_the_rule_of_the_lane_is_no_setting_of_the_race() -> None:
    table = RaceSetup()
    table.racing.toggle()
    table.controller.set_lane(1, "svm", selection="cyclic")
    table.racing.update()
    assert table.racing.alarm == ""


def test_a_lane_that_is_no_longer_an_svm_is_reported_while_the_race_continues() -> None:
    table = RaceSetup()
    table.racing.toggle()
    table.answer()
    table.controller.set_lane(1, classifier="knn")
    table.racing.update()
    assert table.racing.alarm == text.NO_LANE and table.racing.choice.playing and table.racing.frame is not None
    table.racing.restart()
    assert not table.racing.can_play and not table.racing.choice.playing


def test_a_lane_that_standardises_can_race() -> None:
    table = RaceSetup()
    table.controller.set_lane(1, standardise=True)
    table.racing.restart()
    table.racing.update()
    assert table.racing.can_play and table.racing.alarm == "" and table.racing.course.standardises
    table.racing.toggle()
    table.controller.set_lane(1, standardise=False)
    table.racing.update()
    assert "settings of the classifier have changed" in table.racing.alarm


def test_it_races_with_the_selected_lane_or_the_first_with_a_rule() -> None:
    points = GeneratorSettings(count=20).points()
    lanes = (Lane("svm", svm=SvmSettings(C=2.0)), Lane("svm", svm=SvmSettings(C=3.0)))
    table = RaceSetup(Document(points=points, lanes=lanes))
    for lane, C in ((0, 2.0), (1, 3.0)):
        table.controller.lanes.select(lane)
        table.racing.update()
        assert table.course.settings.C == C and table.racing.course.lane == lane
    table.controller.set_lane(1, classifier="knn")
    table.racing.update()
    assert table.course.settings.C == 2.0 and lanes_of(table.controller.document) == (0,)
    table.controller.set_lane(0, classifier="knn")
    table.racing.update()
    assert table.racing.alarm == text.NO_LANE and not table.racing.can_play and table.ear.wanted is None
    assert lanes_of(table.controller.document) == () and table.racing.problems == []
    table.controller.set_lane(0, classifier="svm")
    table.racing.update()
    assert table.racing.can_play and table.course.settings.C == 2.0
    table.controller.set_lane(0, "svm", trainer="lasvm")
    table.racing.update()
    assert table.racing.alarm == text.NO_LANE, "another trainer has no such rules"
    hidden = RaceSetup(Document(points=points, lanes=(Lane("knn"), Lane("svm")), shown=1))
    assert hidden.racing.alarm == text.NO_LANE


def test_the_problem_is_the_lanes_own_until_another_is_chosen() -> None:
    points = GeneratorSettings(name="blobs", count=5, n_classes=4).points()
    table = RaceSetup(Document(points=points, lanes=(Lane("knn"), Lane("svm", pair=(1, 3)))))
    assert table.course.problem == (1, 3) and len(table.racing.problems) == 6
    assert ("class 2 against class 4", (1, 3)) in table.racing.problems
    table.racing.choose_problem((0, 2))
    assert table.course.problem == (0, 2)
    table.controller.set_lane(1, "svm", multiclass="one-vs-rest")
    table.racing.update()
    assert table.course.problem == (1, 1) and len(table.racing.problems) == 4


def test_the_race_waits_for_the_fast_solver() -> None:
    with machine_code(False):
        table = RaceSetup()
        assert table.ear.asked == [] and table.racing.alarm == text.PREPARING and not table.racing.can_play
    table.racing.update()
    assert len(table.ear.asked) == 1 and table.racing.can_play


def test_a_refusal_of_the_background_is_shown() -> None:
    table = RaceSetup()
    table.controller.dispatch(Clear())
    table.racing.update()
    table.racing.toggle()
    table.answer(message="A race needs points of two classes.")
    assert table.racing.alarm.startswith("A race needs points of two classes")
    assert not table.racing.can_play and not table.racing.choice.playing and table.racing.frame is None
    assert table.racing.grid is not None


def test_it_pauses_out_of_sight() -> None:
    table = RaceSetup()
    table.racing.pause()
    assert not table.racing.choice.playing
    table.racing.toggle()
    table.racing.pause()
    assert not table.racing.choice.playing and not table.racing.asked.playing


# -- words -----------------------------------------------------------------------------------------------------------


def done(rule: str, steps: int, location: int, **more: Any) -> RacerFrame:
    return racer(rule, steps, location=location, status=Status.OPTIMAL, violation=9e-4, gap=1e-5, **more)


@pytest.mark.parametrize(
    ("shown", "report"),
    [
        (frame(racer("random", 0), racer("platt", 0)), text.START),
        (
            frame(done("second-order", 187, 1), done("random", 3900, 2)),
            "Second order wins: 187 steps; Random needs 21 times as many.",
        ),
        (
            frame(done("random", 3900, 3), done("first-order", 250, 2), done("second-order", 187, 1)),
            "Second order wins: 187 steps; First order needs 1.3 times as many, Random 21 times.",
        ),
        (
            frame(racer("random", 400), done("second-order", 187, 1)),
            "Second order wins: 187 steps; Random is still moving after 400 steps.",
        ),
        (
            frame(done("first-order", 187, 1), done("second-order", 187, 1), done("platt", 190, 3)),
            "First order and Second order arrive together: 187 steps; Platt needs 1.02 times as many.",
        ),
        (
            frame(done("random", 9, 2, seconds=0.5), done("second-order", 99, 1, seconds=0.002), mode="time"),
            "Second order wins: 2.0 ms; Random needs 250 times as long.",
        ),
        (
            frame(racer("random", 9, seconds=0.3), done("platt", 99, 1, seconds=0.002), mode="time"),
            "Platt wins: 2.0 ms; Random is still moving after 0.3 s.",
        ),
        (
            frame(racer("random", 10**7, status=Status.STOPPED_EARLY), done("platt", 100, 1)),
            "Platt wins: 100 steps; Random stopped early after 10\u202f000\u202f000 steps.",
        ),
        (
            frame(racer("random", 80, status=Status.PRECISION, violation=0.02), done("platt", 100, 1)),
            "Platt wins: 100 steps; Random ends at the limit of double precision, KKT violation 0.02.",
        ),
        (
            frame(racer("random", 80, status=Status.PRECISION, violation=0.02), racer("platt", 90)),
            "Nobody has arrived yet. Closest: Random, KKT violation 0.02; the finish is at 1e-3.",
        ),
        (
            frame(racer("random", 40, violation=1.5), racer("platt", 40, violation=0.25)),
            "Nobody has arrived yet. Closest: Platt, KKT violation 0.25; the finish is at 1e-3.",
        ),
        (frame(racer("random", 40), message="Not separable: nobody can win."), "Not separable: nobody can win."),
    ],
)
def test_the_winner(shown: RaceFrame, report: str) -> None:
    assert text.winner(shown) == report


def test_the_order_at_a_small_gap() -> None:
    near = Finish(12_345, 0, 0.25, 2)
    racers = racer("random", 20_000, near=near), racer("platt", 9), racer("cyclic", 9, near=Finish(90, 0, 0.1, 1))
    report = "Gap at most 1\u202f%: 1. Cyclic (90 steps),  2. Random (12\u202f345 steps),  not yet: Platt."
    assert text.near(frame(*racers)) == report
    report = "Gap at most 1\u202f%: 1. Cyclic (0.1 s),  2. Random (0.2 s),  not yet: Platt."
    assert text.near(frame(*racers, mode="time")) == report
    assert text.near(frame(racers[1], racers[1])) == "Gap at most 1\u202f%: nobody yet."
    assert text.near(frame(racer("random", 0), racer("platt", 0))) == ""
    assert text.near(frame(racer("random", 4, gap=math.nan), racer("platt", 4, gap=math.nan))) == ""


def best(rows: list[list[text.Cell]]) -> list[list[int]]:
    """Return the bold rows of each column."""
    return [[k for k, row in enumerate(rows) if row[column].best] for column in range(len(rows[0]))]


def test_the_best_of_each_column_is_marked() -> None:
    rows = text.table(
        frame(
            racer("random", 5, evaluations=10, seconds=1e-5, violation=0.7, gap=0.3),
            done("first-order", 300, 2, evaluations=900, seconds=0.003),
            done("second-order", 187, 1, evaluations=900, seconds=0.004),
        )
    )
    # A racer that still runs has not spent less than one that has arrived.
    assert best(rows) == [[], [2], [1, 2], [1], [1, 2], [1, 2], []]
    assert [cell.text for cell in rows[0]] == ["Random", "5", "10", "0.0 ms", "0.7", "30.0 %", "3 + 4"]
    rows = text.table(frame(racer("random", 5, violation=0.7, gap=math.nan), racer("platt", 5, violation=0.2)))
    assert best(rows) == [[], [], [], [], [1], [1], []] and rows[0][5].text == "unknown"
    assert not any(cell.best for row in text.table(frame(racer("random", 0), racer("platt", 0))) for cell in row)
    assert len(rows[0]) == len(text.COLUMNS)


@pytest.mark.parametrize("status", Status)
def test_every_end_has_a_badge(status: Status) -> None:
    shown = racer("random", 12, status=status, violation=9e-4, gap=2e-5, location=status is Status.OPTIMAL)
    badge = text.badge(shown, playing=True)
    if status is Status.RUNNING:
        assert (badge.mood, badge.text) == (Mood.MOVING, "still moving")
        assert text.badge(shown, playing=False).text == "paused"
        assert text.badge(racer("random", 0), playing=False).text == "at start"
    elif status is Status.OPTIMAL:
        assert (badge.mood, badge.text) == (Mood.CERTIFIED, "1st, optimal: KKT 9e-4, gap 0.002 %")
    else:
        certified = status is Status.STATIONARY
        assert badge.mood is (Mood.CERTIFIED if certified else Mood.DOUBTFUL) and badge.text


def test_paces_are_named() -> None:
    assert text.pace("steps", 1) == "1 step per picture"
    assert text.pace("time", 0.5) == "0.5 ms per picture"
    assert text.pace("time", math.inf) == "full speed"
    for paces in PACES.values():
        assert list(paces) == sorted(paces) and math.isinf(paces[-1])
    assert set(RULES) >= {"random", "second-order"} and len(CURVE) == 5


def test_another_document_or_example_begins_a_race_of_its_own() -> None:
    setup = RaceSetup()
    setup.racing.toggle()
    setup.answer()
    setup.controller.dispatch(AddPoints(xy=[(0.0, 0.0)], labels=[0]))
    setup.racing.update()
    assert "points have changed" in setup.racing.alarm, "a race goes on beside an edit"
    setup.controller.examples.step_to(BY_NAME["race"])
    setup.racing.update()
    assert not setup.racing.choice.started and setup.racing.alarm == ""
    assert setup.course.points is setup.controller.document.training_points
