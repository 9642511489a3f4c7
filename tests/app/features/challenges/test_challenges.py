"""Challenges: made from a document, read again as a lesson of one step, scored by the share that agrees, and solved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.exchange import lesson_text
from app.exchange.opening import LESSON_PREFIX, Kind, kind_of, kind_of_text
from app.features.answers import hand_in
from app.features.challenges.making import Challenge, encode, hideable, hint_of, markdown
from app.features.lessons import matching
from app.features.lessons.check import check
from app.features.lessons.model import Lesson
from app.features.lessons.reading import parse, read, read_text
from app.features.lessons.scene import LessonScene
from app.features.lessons.starting import start_of
from app.features.lessons.state import LessonSession, StepState
from app.features.table import FEATURES
from app.files.documents import FileError
from app.main import main
from app.state.commands import AddPoints, RelabelPoints
from app.state.document import Document, Lane, View
from app.window.main_window import MainWindow
from tests.windows import Make, finish_layout, finish_tasks, settle

RNG = np.random.default_rng(3)
XY = np.concatenate((RNG.normal((-1, 0), 0.5, (20, 2)), RNG.normal((1, 0), 0.5, (20, 2))))
POINTS = Points.of(XY, np.repeat([0, 1], 20))


def document(*lanes: Lane) -> Document:
    lanes = lanes or (Lane("knn"), Lane("svm"))
    return Document(POINTS, lanes, len(lanes), view=View.fitting(POINTS))


def lane(kind: str, **values: object) -> Lane:
    made = Lane(kind)
    return made.with_part(kind, type(made.settings)(**values))


NEAREST = lane("knn", n_neighbors=1)


def lesson_of(made: Document, challenge: Challenge) -> Lesson:
    return read_text(FEATURES, encode(made, challenge))


# -- texts -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    st.sampled_from(("knn", "svm")),
    st.sets(st.sampled_from(("k", "weights", "metric", "C", "gamma", "kernel")), min_size=1),
    st.integers(1, 39),
    st.floats(0.01, 100).map(lambda value: float(f"{value:.3g}")),
    st.text(max_size=90),
    st.text(max_size=700),
    st.integers(99, 100),
)
def test_any_settings_are_hidden_and_the_rest_is_kept(
    kind: str, names: set[str], k: int, C: float, title: str, hint: str, share: int
) -> None:
    asked = lane("knn", n_neighbors=k) if kind == "knn" else lane("svm", C=C, gamma=C)
    made = document(asked)
    able = {field.name: field for field in hideable(made, 0)}
    hidden = tuple(name for name in able if name in names)
    challenge = Challenge("settings", 0, hidden, share=share, title=title, hint=hint)
    if not hidden:
        with pytest.raises(FileError, match="at least one setting"):
            encode(made, challenge)
        return
    try:
        lesson = lesson_of(made, challenge)
    except FileError as error:  # as with weights of one neighbour: no picture differs
        assert "solved before" in str(error)
        return
    (step,) = lesson.steps
    begun, sought = start_of(lesson, 0), matching.hidden(step.match).side
    assert sought.lane == asked and step.show == hidden and step.goal == f"agreement at least {share} %" and step.hint
    for name, field in able.items():
        same = field.value(begun.lanes[0].settings) == field.value(asked.settings)
        assert same == (name not in hidden), name
    assert begun.points.same_as(sought.points), "rounded alike"


def test_a_text_is_recognised_and_survives_a_mail(tmp_path: Path) -> None:
    text = encode(document(), Challenge("settings", 1, ("C", "gamma")))
    assert text.startswith(LESSON_PREFIX) and kind_of_text(text) is Kind.LESSON
    path = tmp_path / "challenge.txt"
    path.write_text("\n ".join(text[at : at + 70] for at in range(0, len(text), 70)))
    assert kind_of(path) is kind_of(Path(text)) is Kind.LESSON
    lesson = read_text(FEATURES, text)
    assert lesson == read(FEATURES, path) == read(FEATURES, Path(text)) and lesson.digest
    with pytest.raises(FileError, match="damaged"):
        read_text(FEATURES, text[:-7])
    with pytest.raises(FileError, match="1 MB"):
        lesson_text.encode("x" * 1_000_001)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_lesson_or_a_sentence(data: bytes) -> None:
    from app.exchange.packed_text import packed

    with pytest.raises(FileError):
        read_text(FEATURES, LESSON_PREFIX + packed(data))


def test_a_bomb_is_not_unpacked() -> None:
    from app.exchange.packed_text import packed

    with pytest.raises(FileError, match="more than 1 MB"):
        lesson_text.decode(LESSON_PREFIX + packed(b" " * 50_000_000))
    with pytest.raises(FileError, match="longer than"):
        lesson_text.decode(LESSON_PREFIX + "A" * 2_000_001)


def test_hidden_classes_are_grey_points_of_a_class_of_their_own() -> None:
    chosen = POINTS.ids[[0, 1, 30]]
    lesson = lesson_of(document(NEAREST), Challenge("labels", 0, points=chosen, share=98))
    begun, (step,) = start_of(lesson, 0), lesson.steps
    assert np.flatnonzero(begun.points.labels == 2).tolist() == [0, 1, 30]
    assert begun.styles[2].name == "?" and step.show == ("tools", "classes")
    assert step.goal == "agreement at least 98 % and exactly 40 points"
    assert step.hint == "The grey points: 2 of class 1 and 1 of class 2."
    everything = start_of(lesson_of(document(), Challenge("labels", 0)), 0)
    assert set(everything.points.labels.tolist()) == {2}


def test_few_points_begin_with_one_of_each_class() -> None:
    lesson = lesson_of(document(), Challenge("few", 1, most=6, share=95))
    begun = start_of(lesson, 0)
    assert begun.points.labels.tolist() == [0, 1] and begun.lanes[0].classifier == "svm"
    assert lesson.steps[0].goal == "agreement at least 95 % and at most 6 points"


@pytest.mark.parametrize(
    ("made", "challenge", "words"),
    [
        (Document(), Challenge("few"), "no points"),
        (document(), Challenge("few", most=1), "at least 2"),
        (document(Lane("knn"), Lane("svm"), Lane("difference")), Challenge("few", 2), "difference"),
        (
            replace(document(), points=Points.of(np.repeat(XY, 20, axis=0), np.repeat(POINTS.labels, 20))),
            Challenge("labels"),
            "at most 450 points",
        ),
        (replace(document(), points=Points.of(XY[:8], np.arange(8))), Challenge("labels"), "at most 7 classes"),
    ],
)
def test_what_cannot_be_a_challenge_is_refused_in_a_sentence(made: Document, challenge: Challenge, words: str) -> None:
    with pytest.raises(FileError, match=words):
        encode(made, challenge)


def test_a_challenge_is_a_sound_lesson(tmp_path: Path) -> None:
    paths = []
    for kind in ("settings", "labels", "few"):
        paths.append(tmp_path / f"{kind}.lesson.md")
        paths[-1].write_text(markdown(document(), Challenge(kind, 1, ("C", "kernel"))), encoding="utf-8")
    lines, sound = check(FEATURES, paths)
    assert sound, lines


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("match: points.playground", "match is a share text"),
        ("match: classifier-playground:#AAAA", "damaged"),
        ("goal: agreement at least 90 %", "which is missing"),
        ("goal: agreement at least 5", "is a share"),
        ("goal: agreement of 2 above 90 %", "no classifier that is meant has a picture to be compared"),
    ],
)
def test_faults_of_a_match_are_reported_with_their_line(field: str, words: str) -> None:
    with pytest.raises(FileError, match=r"x\.lesson\.md:7: .*" + words):
        parse(FEATURES, f"---\ntitle: T\nminutes: 5\n---\n# S\nshow: k\n{field}\n\nText\n", "x.lesson.md", None)


def test_hints_are_near_and_no_more() -> None:
    made = document(lane("knn", n_neighbors=12), lane("svm", C=3.0, hard_margin=True))
    assert hint_of(made, Challenge("settings", 0, ("k",))) == "k lies between 6 and 24."
    assert "larger than 10" in hint_of(made, Challenge("settings", 1, ("C",)))


# -- by clicks ---------------------------------------------------------------------------------------------------------


def scene_of(window: MainWindow) -> LessonScene:
    assert window.scene is not None
    scene = window.scene.feature(LessonScene)
    assert scene is not None
    return scene


def click(window: MainWindow, qtbot: QtBot, name: str, kind: type[QWidget] = QPushButton) -> None:
    button = window.findChild(kind, name)
    assert button is not None and button.isVisible() and button.isEnabled(), name
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    finish_tasks(window)
    settle(qtbot, window)


def solved(window: MainWindow) -> bool | None:
    return scene_of(window).reached


def begin(window: MainWindow, qtbot: QtBot, challenge: Challenge, made: Document) -> None:
    window.take_text(encode(made, challenge))
    finish_tasks(window)
    settle(qtbot, window)
    assert window.controller.session.of(LessonSession).lesson is not None


@pytest.mark.slow
def test_a_challenge_is_made_shared_and_solved_by_clicks(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(document(lane("knn", n_neighbors=15)))
    window.named_actions["challenge"].trigger()
    box, title = window.findChild(QCheckBox, "challenge.hide.k"), window.findChild(QLineEdit, "challenge.title")
    secret = window.findChild(QLabel, "challenge.secret")
    assert box is not None and box.isChecked() and title is not None and secret is not None
    assert "not encrypted" in secret.text() and secret.isVisible()
    QTest.keyClicks(title, "Which k?")
    click(window, qtbot, "challenge.copy")
    text = QApplication.clipboard().text()
    click(window, qtbot, "challenge.save")
    files = window.findChild(QFileDialog, "challenge_file")
    assert files is not None
    files.fileSelected.emit(str(tmp_path / "challenge.txt"))
    files.reject()
    finish_tasks(window)
    assert read(FEATURES, tmp_path / "challenge.txt") == read_text(FEATURES, text)
    dialog = window.findChild(QWidget, "challenge")
    assert dialog is not None
    dialog.close()
    window.controller.set_lane(0, "knn", n_neighbors=39)
    settle(qtbot, window)

    window.named_actions["paste"].trigger()
    finish_tasks(window)
    settle(qtbot, window)
    lesson = window.controller.session.of(LessonSession).lesson
    assert lesson is not None and lesson.title == "Which k?"
    assert window.document.lanes[0].knn.n_neighbors == 5 and not solved(window)
    assert window.scene is not None and "target" in window.scene.legend_kinds
    reports = [widget.text() for widget in window.findChildren(QLabel) if widget.isVisible()]
    assert not any("15" in each for each in reports), "the hidden value stands nowhere"
    field = window.findChild(QWidget, "lane0.k")
    fold = window.findChild(QToolButton, "lesson.hint")
    assert field is not None and fold is not None
    for at, k in enumerate((1, 2, 3, 4, 6, 7, 8, 9, 10)):
        assert fold.isVisible() == (at >= matching.HINT_AFTER), at
        window.controller.set_lane(0, "knn", n_neighbors=k)
        settle(qtbot, window)
    assert fold.isVisible()
    QTest.mouseClick(fold, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert scene_of(window).now.state.hint
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, "15")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert solved(window) and "100.0\N{NO-BREAK SPACE}%" in scene_of(window).goal
    click(window, qtbot, "lesson.next")  # finish
    assert window.controller.session.of(LessonSession).states[0].reached
    click(window, qtbot, "lesson.leave")
    assert window.document.lanes[0].knn.n_neighbors == 39, "one's own document is back"


@pytest.mark.slow
def test_the_score_is_the_share_of_the_view_that_agrees(make: Make, qtbot: QtBot) -> None:
    made = document(lane("svm", C=100.0, gamma=20.0))
    window = make()
    begin(window, qtbot, Challenge("settings", 0, ("C", "gamma")), made)
    lesson = window.controller.session.of(LessonSession).lesson
    assert lesson is not None
    sought = matching.hidden(lesson.steps[0].match)
    frame = window.result(0)
    assert frame is not None and frame.model is not None
    # Measured in the square that spans the shorter side of every canvas, whatever the classes beside it.
    steps = made.view.span * ((np.arange(300) + 0.5) / 300 - 0.5)
    xs, ys = np.meshgrid(made.view.x + steps, made.view.y + steps)
    locations = np.column_stack((xs.ravel(), ys.ravel()))
    estimator = made.lanes[0].estimator(fast=True)
    trainer = estimator.prepare(sought.side.points.xy, sought.side.points.labels)
    while trainer.status.name == "RUNNING":
        trainer.step(10_000)
    model = estimator.snapshot_model(trainer.snapshot(thorough=False))
    share = float((model.predict(locations) == frame.model.predict(locations)).mean())
    scored = matching.share(window._context())
    assert scored == pytest.approx(share, abs=3e-3) and 0.5 < share < 0.95
    # The same share in a window of another shape and in any view: all users have one score.
    window.controller.pan(1.0, 0.5)
    window.resize(900, 900)
    settle(qtbot, window)
    assert matching.share(window._context()) == scored


@pytest.mark.slow
def test_hidden_classes_are_found_by_relabelling(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot, Challenge("labels", 0, points=POINTS.ids[[0, 5, 25]], share=98), document(NEAREST))
    assert not solved(window)
    ids = window.document.points.ids
    for label, locations in ((0, [0, 5]), (1, [25])):
        window.controller.dispatch(RelabelPoints(ids=ids[locations], label=label))
    settle(qtbot, window)
    assert solved(window)
    window.controller.dispatch(AddPoints(xy=(0.0, 3.0), labels=1))
    settle(qtbot, window)
    assert not solved(window), "no point is added"


@pytest.mark.slow
def test_as_few_points_as_possible(make: Make, qtbot: QtBot) -> None:
    made = replace(
        document(lane("knn", n_neighbors=1)),
        points=Points.of([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-0.1, -1.0]], [0, 1, 0, 1]),
    )
    window = make()
    begin(window, qtbot, Challenge("few", 0, most=4, share=95), made)
    assert len(window.document.points) == 2 and not solved(window)
    canvas = window.canvases[0]
    for key, location in ((Qt.Key.Key_1, (0.0, 1.0)), (Qt.Key.Key_2, (-0.1, -1.0))):
        QTest.keyClick(canvas, key)
        QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=window.to_widget(0, *location))
        settle(qtbot, window)
    assert window.document.points.labels.tolist() == [0, 1, 0, 1]
    assert solved(window) and "4 points (now 4)" in scene_of(window).goal
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=window.to_widget(0, 0.9, -0.2))
    settle(qtbot, window)
    assert not solved(window), "one too many"


def test_what_is_solved_at_once_is_no_challenge() -> None:
    with pytest.raises(FileError, match="solved before anything is done"):
        encode(document(lane("knn", n_neighbors=1)), Challenge("settings", 0, ("weights",)))
    with pytest.raises(FileError, match="no picture to find"):
        encode(replace(document(Lane("svm")), points=POINTS.chosen(POINTS.labels == 0)), Challenge("few"))


@pytest.mark.parametrize(("selected", "offered"), [(0, 0), (1, 1), (2, 0)])
def test_a_new_challenge_is_of_the_selected_classifier(make: Make, selected: int, offered: int) -> None:
    window = make(document(Lane("knn"), Lane("svm"), Lane("difference")))
    window.controller.lanes.select(selected)
    window.named_actions["challenge"].trigger()
    lanes = window.findChild(QComboBox, "challenge.lane")
    assert lanes is not None and lanes.currentData() == offered


@pytest.mark.slow
def test_the_dialog_shows_what_belongs_to_each_kind(make: Make, qtbot: QtBot) -> None:
    window = make(document(Lane("knn"), Lane("svm"), Lane("difference")))
    window.controller.lanes.select(0)
    window.named_actions["challenge"].trigger()

    def shown() -> set[str]:
        names = ("lane", "hide.k", "hide.gamma", "points", "most", "share")
        found = {name: window.findChild(QWidget, f"challenge.{name}") for name in names}
        return {name for name, widget in found.items() if widget is not None and widget.isVisible()}

    def choose(name: str, row: int) -> None:
        combo = window.findChild(QComboBox, f"challenge.{name}")
        assert combo is not None
        combo.setFocus()
        QTest.keyClick(combo, Qt.Key.Key_Home)
        for _ in range(row):
            QTest.keyClick(combo, Qt.Key.Key_Down)
        finish_layout()

    lanes = window.findChild(QComboBox, "challenge.lane")
    assert lanes is not None and lanes.count() == 2, "a difference cannot be found"
    assert shown() == {"lane", "hide.k", "share"}
    choose("lane", 1)
    assert shown() == {"lane", "hide.gamma", "share"}
    choose("kind", 1)
    assert shown() == {"lane", "points", "share"}
    choose("kind", 2)
    assert shown() == {"lane", "most", "share"}
    choose("kind", 0)
    for name in ("C", "gamma"):
        click(window, qtbot, f"challenge.hide.{name}", QCheckBox)
    click(window, qtbot, "challenge.copy")
    fault = window.findChild(QLabel, "challenge.fault")
    assert fault is not None and fault.text() == "Choose at least one setting to be found."


def test_a_challenge_is_handed_in_as_any_lesson(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = encode(document(), Challenge("settings", 0, ("k",), title="Which k?"))
    lesson = read_text(FEATURES, text)
    for seed in range(3):
        now = LessonSession(lesson, 0, (StepState(reached=seed > 0),))
        (tmp_path / f"{seed}.txt").write_text(hand_in.encode(hand_in.made_of(now, f"{seed:012x}", "")))
    (tmp_path / "challenge.txt").write_text(text)
    assert main(["lesson", "answers", *sorted(map(str, tmp_path.glob("*.txt")))]) == 0
    printed = capsys.readouterr().out
    assert "Which k?: 3 hand-ins, 0 left out" in printed and "solved  2 of 3" in printed
