"""What a class learned: the same question before and after, in numbers that a hand can check."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import factorial, inf, isnan, nan, prod
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from scipy.stats import bootstrap

from app.features.answers.hand_in import HandIn, StepAnswers, collected, encode, made_of, sources_in
from app.features.answers.learning import Learning, interval, learning_of, sentences
from app.features.answers.panel import Bar
from app.features.lessons.controller import LessonController
from app.features.lessons.model import Lesson
from app.features.lessons.state import Guess, LessonSession, StepState
from app.main import main
from app.window.main_window import MainWindow
from tests.app.features.lessons.measured import MEASURED, TEXT
from tests.windows import Make, settle

from .classes import SMALL
from .test_class_window import begin as open_lesson
from .test_class_window import click, shown

#: Answers of the lesson in the order of its text: wide, cost (the right one), wrong.
FIRST = {"wide": 0, "cost": 1, "wrong": 2}


def again() -> dict[str, int]:
    """Return the indices of the same answers the second time."""
    before, after = MEASURED.steps[0].prediction, MEASURED.steps[2].prediction
    assert before is not None and after is not None
    return {word: after.answers.index(before.answers[index]) for word, index in FIRST.items()}


def student(number: int, before: str, after: str, then: str = "") -> HandIn:
    """Return the hand-in of a student with these answers, "" for none; `then` is a second attempt."""
    firsts, seconds = ((FIRST[before],) if before else ()), tuple(again()[each] for each in (after, then) if each)
    steps = (StepAnswers(firsts), StepAnswers((0,), (), True), StepAnswers(seconds, (), after == "cost"))
    return HandIn(1, MEASURED.name, MEASURED.digest, f"{number:012x}", steps)


def class_of(*changes: tuple[int, str, str]) -> list[HandIn]:
    """Return a class: numbers of students with their answers before and after."""
    pairs = [(before, after) for number, before, after in changes for _ in range(number)]
    return [student(number, *pair) for number, pair in enumerate(pairs)]


def known(hand_ins: Sequence[HandIn]) -> Learning:
    found = learning_of(MEASURED, 2, hand_ins)
    assert found is not None
    return found


def learning(*changes: tuple[int, str, str]) -> Learning:
    return known(class_of(*changes))


#: 20 students: 8 are right before (7 stay so, 1 is lost), 12 are wrong (8 become right, 4 stay wrong).
TWENTY = ((7, "cost", "cost"), (1, "cost", "wide"), (5, "wide", "cost"), (3, "wrong", "cost"), (4, "wide", "wide"))


def test_shares_changes_and_gain_are_those_counted_by_hand() -> None:
    found = learning(*TWENTY)
    assert (found.n, found.n_hand_ins, found.before, found.after) == (20, 20, 8, 15)
    assert (found.to_right, found.to_wrong) == (8, 1), "McNemar's two counts"
    # (15/20 - 8/20) / (1 - 8/20) = (7/20) / (12/20) = 7/12
    assert found.gain == pytest.approx(7 / 12) == (0.75 - 0.40) / (1 - 0.40)
    at = again()
    assert dict(found.changes) == {
        (at["cost"], at["cost"]): 7,
        (at["cost"], at["wide"]): 1,
        (at["wide"], at["cost"]): 5,
        (at["wrong"], at["cost"]): 3,
        (at["wide"], at["wide"]): 4,
    }
    assert [change for change, _ in found.changes] == sorted(change for change, _ in found.changes)


def test_a_class_can_unlearn() -> None:
    found = learning((3, "cost", "wide"), (3, "wide", "wide"))
    assert found.gain == -1.0 and (found.to_right, found.to_wrong) == (0, 3)
    assert "−1.00" in "\n".join(sentences("en", found))


def test_counts_are_those_of_a_table_of_two_by_two() -> None:
    before = np.repeat([True, True, False, False], [7, 1, 8, 4])
    after = np.repeat([True, False, True, False], [7, 1, 8, 4])
    table = np.array([[np.sum((before == a) & (after == b)) for b in (True, False)] for a in (True, False)])
    found = learning(*TWENTY)
    assert (found.to_wrong, found.to_right) == (table[0, 1], table[1, 0])
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    assert tables.mcnemar(table, exact=True).statistic == min(found.to_right, found.to_wrong)


def resampled(changes: Sequence[tuple[int, str, str]]) -> tuple[float, float]:
    """Return the interval that scipy finds by drawing students."""
    right = [(before == "cost", after == "cost") for number, before, after in changes for _ in range(number)]
    before, after = np.array(right, dtype=float).T

    def gain(first: np.ndarray, second: np.ndarray, axis: int = -1) -> np.ndarray:
        return (second.mean(axis=axis) - first.mean(axis=axis)) / (1.0 - first.mean(axis=axis))

    made = bootstrap(
        (before, after), gain, paired=True, vectorized=True, n_resamples=20_000, method="percentile", random_state=1
    )
    return float(made.confidence_interval.low), float(made.confidence_interval.high)


@pytest.mark.parametrize(
    "changes",
    [
        TWENTY,
        ((6, "cost", "cost"), (12, "wide", "cost"), (12, "wrong", "wide")),
        ((2, "cost", "wide"), (20, "wide", "wide")),
    ],
)
def test_the_interval_is_that_of_scipy(changes: tuple[tuple[int, str, str], ...]) -> None:
    found = learning(*changes)
    assert found.interval is not None
    assert found.interval == pytest.approx(resampled(changes), abs=0.03)
    assert found.interval == learning(*changes).interval, "the same each time"


def exact(table: tuple[int, int, int, int], undefined: float) -> tuple[float, float]:
    """Return the ends among all draws, where one without a gain counts as -∞ below, and as `undefined` above."""
    n, chances = sum(table), Counter[float]()
    for drawn in product(range(n + 1), repeat=3):
        if (rest := n - sum(drawn)) >= 0:
            twice, lost, gained, never = *drawn, rest
            ways = factorial(n) / prod(map(factorial, (twice, lost, gained, never)))
            chance = ways * prod((p / n) ** k for p, k in zip(table, (twice, lost, gained, never), strict=True))
            chances[(gained - lost) / (gained + never) if gained + never else nan] += chance
    ends = []
    for at, instead in ((0.025, -inf), (0.975, undefined)):
        below = 0.0
        for gain, chance in sorted((instead if isnan(gain) else gain, chance) for gain, chance in chances.items()):
            below += chance
            if below >= at:
                ends.append(gain)
                break
    return ends[0], ends[1]


def test_a_draw_without_a_gain_makes_the_interval_wider() -> None:
    table = (9, 2, 2, 2)  # in (11 / 15) ** 15 = 1 % of all draws, all were right before
    assert interval(table) == exact(table, inf) == (-3.0, 0.8)
    assert exact(table, 0.0) == (-3.0, 0.75), "were it left out"


def test_an_interval_from_fifteen_students_on() -> None:
    of_14, of_15 = (
        learning((7, "wide", "cost"), (7, "wide", "wide")),
        learning((8, "wide", "cost"), (7, "wide", "wide")),
    )
    assert of_14.interval is None and of_14.gain == 0.5
    assert of_15.interval is not None and of_15.interval[0] < 8 / 15 < of_15.interval[1]
    assert "95 %" not in "\n".join(sentences("en", of_14)) and "95\N{NO-BREAK SPACE}%" in "\n".join(
        sentences("en", of_15)
    )


def test_no_interval_where_one_cannot_be_trusted() -> None:
    # One of 20 is wrong before: in 0.95^20 = 36 % of all draws none is, and no gain is defined.
    assert learning((19, "cost", "cost"), (1, "wide", "cost")).interval is None
    assert learning((20, "wide", "cost")).interval is None, "all changed alike: every draw is the same"


def test_where_all_were_right_before_no_gain_is_defined() -> None:
    found = learning((18, "cost", "cost"), (2, "cost", "wide"))
    assert found.before == 20 and found.gain is None and found.interval is None
    text = "\n".join(sentences("en", found))
    assert "not defined" in text and "nan" not in text and "Right → wrong: 2" in text


def test_fewer_than_five_are_counted_only() -> None:
    text = "\n".join(sentences("en", learning((1, "cost", "cost"), (3, "wide", "cost"))))
    assert "Right before: 1" in text and "Right after: 4" in text and "Wrong → right: 3" in text
    assert "%" not in text and "Gain" not in text and "defined" not in text
    text = "\n".join(sentences("en", learning((2, "cost", "cost"), (3, "wide", "cost"))))
    assert "40.0" in text and "(after − before) / (1 − before)" in text and "1.00" in text


def test_who_answered_once_is_counted_apart() -> None:
    made = [*class_of((3, "wide", "cost")), student(50, "wide", ""), student(51, "", "cost"), student(52, "", "")]
    found = known(made)
    assert (found.n, found.n_hand_ins, found.before, found.after) == (3, 6, 0, 3)
    assert "3 of 6" in sentences("en", found)[0]
    assert learning_of(MEASURED, 2, [student(1, "", "cost")]) is None, "nothing to compare"


def test_the_first_answer_of_the_second_time_counts() -> None:
    found = known([student(1, "wide", "wrong", "cost")])
    assert found.after == 0 and dict(found.changes) == {(again()["wide"], again()["wrong"]): 1}


def test_a_hand_in_carries_both_answers() -> None:
    states = (
        StepState(guess=Guess(answer=0)),
        StepState(),
        StepState(guess=Guess(answer=again()["cost"], tried=(again()["wide"],), revealed=True)),
    )
    made = made_of(LessonSession(MEASURED, 2, states), "0123456789ab", "")
    assert [each.choices for each in made.steps] == [(0,), (), (again()["wide"], again()["cost"])]
    assert not made.steps[0].solved
    (read,) = collected(MEASURED, sources_in(encode(made), "")).hand_ins
    assert read == made and dict(known([read]).changes) == {(again()["wide"], again()["wide"]): 1}


#: Handed in with version 1.0.0.
OLD = (
    "classifier-playground:answers#"
    "eNpNjU0OwiAQhe8ya2xAU7XdeQ7CgsKoREobhnbTcHendeNbfe8neRusmClMCXolICLRjkCjjREE-PBCKhx4f-9uz-7aDu0FpVXc"
    "pWUcMHPn_sQ5FZwJer2Be0_B4c5noUwVG8SQDq_1STVSyEYaoX_UGnNMaIoreuhLXrAavgnuk-yIfPTwFuoXsNA4Hw."
)


def test_what_was_handed_in_earlier_is_still_read() -> None:
    (made,) = collected(SMALL, sources_in(OLD, "")).hand_ins
    steps = (StepAnswers((2, 1)), StepAnswers((), (((-1.0, 0.0), (1.0, 0.5)),)), StepAnswers((), (), True))
    assert made == HandIn(1, SMALL.name, SMALL.digest, "c" * 12, steps, "Ada") and learning_of(SMALL, 0, [made]) is None


# -- the command line --------------------------------------------------------------------------------------------------


def test_the_command_prints_what_was_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = tmp_path / "measured.lesson.md"
    lesson.write_text(TEXT, encoding="utf-8")
    texts, out = tmp_path / "class.txt", tmp_path / "class.csv"
    texts.write_text("\n".join(map(encode, class_of(*TWENTY))))
    assert main(["lesson", "answers", str(lesson), str(texts), "--csv", str(out)]) == 0
    first, between, after = capsys.readouterr().out.split("\n\n")[1:4]
    assert "solved" not in first and "8" in first and "(right)" in first, "the first time is not solved"
    assert "solved  20 of 20" in between
    for piece in ("40.0", "75.0", "Wrong → right: 8", "Right → wrong: 1", "0.58", "(after − before) / (1 − before)"):
        assert piece in after, piece
    at = again()
    rows = {
        line.split("→")[0].strip() + line.split("→")[1][:3].strip(): line
        for line in after.splitlines()
        if " → " in line
    }
    row = rows[f"{'ABC'[at['wide']]}{'ABC'[at['cost']]}"]
    assert " 5 " in row and row.count("#") == 5, "a quarter of 20 students"
    head, *lines = csv.reader(out.read_text(encoding="utf-8").splitlines())
    assert head == ["nickname", "1 answer", "2 answer", "2 solved", "3 answer", "3 solved"] and len(lines) == 20


# -- the panel ---------------------------------------------------------------------------------------------------------


def begin(window: MainWindow, qtbot: QtBot, lesson: Lesson, made: Sequence[HandIn], at: int) -> None:
    open_lesson(window, qtbot, at, "\n".join(map(encode, made)), lesson)


@pytest.mark.slow
def test_the_panel_shows_who_changed_to_what_after_the_reveal(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot, MEASURED, class_of(*TWENTY), 0)
    assert [shown(window, f"class.count{letter}") for letter in "ABC"] == ["9", "8", "3"]
    assert shown(window, "class.facts") == "", "the first time tells nothing"
    window.controller.feature(LessonController).go(2)
    settle(qtbot, window)
    assert window.findChild(QLabel, "class.change0") is None and shown(window, "class.facts") == ""
    click(window, qtbot, "lesson.reveal")
    facts = shown(window, "class.facts")
    for piece in ("20 of 20", "40.0", "75.0", "Wrong → right: 8.  Right → wrong: 1.", "0.58"):
        assert piece in facts, piece
    at, rows = again(), {}
    for index in range(5):
        bar = window.findChild(Bar, f"class.change_bar{index}")
        assert bar is not None and bar.isVisible()
        rows[shown(window, f"class.change{index}")] = (shown(window, f"class.changed{index}"), bar)

    def row(before: str, after: str) -> tuple[str, Bar]:
        return rows[f"{'ABC'[at[before]]} → {'ABC'[at[after]]}"]

    numbers = {(before, after): row(before, after)[0] for _, before, after in TWENTY}
    assert numbers == {(before, after): str(number) for number, before, after in TWENTY}
    colours = {pair: row(*pair)[1].grab().toImage().pixel(4, row(*pair)[1].height() // 2) for pair in numbers}
    assert len({colours[pair] for pair in numbers if pair[1] == "cost"}) == 1
    assert colours["wide", "cost"] != colours["wide", "wide"] == colours["cost", "wide"]
    window.controller.feature(LessonController).go(1)
    settle(qtbot, window)
    assert not shown(window, "class.change0") and "before" not in shown(window, "class.facts")


@pytest.mark.slow
def test_the_end_of_the_lesson_tells_what_was_learned(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot, MEASURED, class_of(*TWENTY), 2)
    click(window, qtbot, "lesson.reveal")
    click(window, qtbot, "lesson.next")
    facts = shown(window, "class.facts").splitlines()
    assert not any(line.startswith("Step 1:") for line in facts), "not counted among what was answered"
    assert "Step 3: 15 of 20 answered right at once." in facts and any("0.58" in line for line in facts)
    assert not shown(window, "class.change0")
