"""A lesson worked through by clicks and keys: separate steps, pictures covered until a guess, hidden controls."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QMessageBox,
    QPushButton,
    QRadioButton,
    QTabWidget,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.cover import Cover
from app.features.evaluation.scene import EvaluationSession
from app.features.lessons.controller import LessonController
from app.features.lessons.feature import STAGE
from app.features.lessons.model import Lesson, LessonSetting, Prediction, Start, Step
from app.features.lessons.panel import LessonText
from app.features.lessons.scene import LessonScene
from app.features.lessons.shipped import following
from app.features.lessons.state import LessonSession
from app.features.lessons.view_gallery import GalleryDialog
from app.files.documents import FileError
from app.files.settings import Settings
from app.main import _opened
from app.state.commands import AddPoints
from app.tools import PointerPosition
from app.window.main_window import MainWindow
from tests.windows import Make, finish_tasks, save_as, settle

TWO_KNN = (
    LessonSetting(None, "classifiers", "knn, knn", 1),
    LessonSetting(0, "k", "1", 2),
    LessonSetting(1, "k", "31", 3),
)
ANSWERS, REASONS = ("The first", "The second", "Both"), ("", "", "They differ.")
CHOICE = Prediction("choice", "Which is better?", ANSWERS, 1, "Noise is **outvoted**.", reasons=REASONS)
SMALL = Lesson(
    "Small",
    "Nobody",
    "beginner",
    5,
    (
        Step("One", "Some *text* with [a link](https://example.org/page).", hint="Drag `k`.", show=("k",)),
        Step(
            "Two",
            "Predict.  " * 90,
            Start("before", settings=TWO_KNN),
            show=("k", "tools"),
            goal="at most 99 points wrong",
            prediction=CHOICE,
        ),
        Step("Three", "Last.", goal="at least 1 point", layers=("legend",), panel="history"),
    ),
)


def boundary(lane: int = 0) -> Lesson:
    asked = Prediction("boundary", "Where?", because="So.", lane=lane)
    return Lesson("Drawn", "", "", 5, (Step("Draw", "", Start("example", "margin"), prediction=asked), SMALL.steps[0]))


def begin(window: MainWindow, qtbot: QtBot, lesson: Lesson = SMALL, at: int = 0) -> None:
    window.surroundings.part(STAGE).begin(lesson)
    settle(qtbot, window)
    while here(window).at < at:
        press(window, qtbot, Qt.Key.Key_PageDown)


def here(window: MainWindow) -> LessonSession:
    return window.controller.session.of(LessonSession)


def press(
    window: MainWindow, qtbot: QtBot, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, key, held)
    settle(qtbot, window)


def click(window: MainWindow, qtbot: QtBot, name: str, kind: type[QWidget] = QPushButton) -> None:
    button = window.findChild(kind, name)
    assert button is not None and button.isVisible() and button.isEnabled(), name
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(10, button.height() // 2))
    settle(qtbot, window)


def report(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text() if label.isVisible() else ""


def lesson_of(window: MainWindow) -> LessonScene:
    assert window.scene is not None
    scene = window.scene.feature(LessonScene)
    assert scene is not None
    return scene


def visible(window: MainWindow) -> set[str]:
    """Return the names of the visible controls of classifier 1 and of the bars."""
    names = (
        "lane0.k",
        "lane0.weights",
        "lane0.metric",
        "lane0.classifier",
        "lane0.settings",
        "lane0.menu",
        "lane0.watch",
    )
    names += ("generator.name", "class1", "toolbar", "palette", "lane0.title")
    found = {name: window.findChild(QWidget, name) for name in names}
    return {name for name, widget in found.items() if widget is not None and widget.isVisible()}


def colours(window: MainWindow, lane: int) -> int:
    """Return the number of colours in the picture of a lane, sampled."""
    canvas = window.canvases[lane]
    area = canvas.plot_area().toRect().adjusted(3, 40, -3, -3)
    image = canvas.grab(area).toImage()
    return len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)})


def reports(window: MainWindow) -> str:
    """Return all texts of the window about its models: visible, in tips, and for screen readers."""
    parts = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        parts += [widget.accessibleDescription(), widget.toolTip()]
        parts += [widget.text()] if isinstance(widget, (QLabel, QPushButton, QToolButton)) else []
    return "\n".join(parts)


def stroke(window: MainWindow, lane: int, *locations: tuple[float, float]) -> None:
    view, at = window.canvases[lane].viewport(), [window.to_widget(lane, *location) for location in locations]
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=at[0])
    for location in at[1:]:
        QTest.mouseMove(view, location)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at[-1])


@pytest.mark.slow
def test_each_step_is_kept_as_it_was_left(make: Make, qtbot: QtBot) -> None:
    window = make()
    everything = visible(window)
    begin(window, qtbot)
    assert window.findChild(QWidget, "lesson") is not None and not window.controller.store.modified
    assert visible(window) == {"lane0.k", "lane0.title"}
    start = window.document
    view, at = window.canvases[0].viewport(), window.to_widget(0, 0.0, 1.5)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, window)
    mine = window.document
    assert len(mine.points) == len(start.points) + 1 and not window.isWindowModified(), "nobody's work"
    assert window.windowTitle().startswith("Small")
    window.canvases[0].setFocus()
    press(window, qtbot, Qt.Key.Key_PageDown)
    assert here(window).at == 1 and len(window.document.points) == len(start.points)
    assert [lane.knn.n_neighbors for lane in window.document.lanes] == [1, 31]
    assert visible(window) == {"lane0.k", "lane0.title", "palette"}
    press(window, qtbot, Qt.Key.Key_PageUp)
    assert window.document is mine
    click(window, qtbot, "lesson.reset")
    assert len(window.document.points) == len(start.points)
    steps = window.findChild(QComboBox, "lesson.steps")
    assert steps is not None and [steps.itemText(row) for row in (0, 2)] == ["1 of 3: One", "3 of 3: Three"]
    steps.setFocus()
    QTest.keyClick(steps, Qt.Key.Key_End)
    settle(qtbot, window)
    assert here(window).at == 2 and visible(window) == everything
    assert window.named_actions["legend"].isChecked() and window.named_actions["history"].isChecked()
    assert "✓" in report(window, "lesson.goal")
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):  # to the end, and back
        press(window, qtbot, key)
        assert here(window).at == 2 and here(window).ended == (key == Qt.Key.Key_PageDown)
    press(window, qtbot, Qt.Key.Key_PageUp)
    assert not window.named_actions["legend"].isChecked() and not window.named_actions["history"].isChecked()
    click(window, qtbot, "lesson.leave")
    assert visible(window) == everything
    assert not window.named_actions["lesson"].isChecked() and not window.named_actions["lesson_next"].isEnabled()
    press(window, qtbot, Qt.Key.Key_PageDown)
    assert here(window).lesson is None


def test_panels_follow_the_steps_and_no_drawing(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot)
    window.controller.feature(LessonController).go(2)
    settle(qtbot, window)
    open_docks = window.dock_manager.docked
    assert set(open_docks) == {"lesson", "history"} and window.controller.session.legend
    window.named_actions["history"].trigger()
    window.named_actions["legend"].trigger()
    for _ in range(2):
        window.refresh()
        settle(qtbot, window)
        assert window.dock_manager.docked == ("lesson",) and not window.controller.session.legend
    window.named_actions["history"].trigger()
    window.controller.new()
    settle(qtbot, window)
    assert window.dock_manager.docked == ("history",), "the panel of a lesson that is over goes, and no other"


@pytest.mark.slow
def test_nothing_reveals_a_covered_picture(make: Make, qtbot: QtBot) -> None:
    window = make()
    for panel in ("evaluation", "compare", "probe", "truth"):
        window.named_actions[panel].trigger()
    settle(qtbot, window)
    begin(window, qtbot, at=1)
    window.named_actions["legend"].trigger()
    window.named_actions["evaluation"].trigger()
    assert window.scene is not None
    QTest.mouseMove(window.canvases[0].viewport(), window.canvases[0].plot_area().center().toPoint())
    settle(qtbot, window)
    # Points stay, in two colours with their rims; everything about the models is hidden.
    assert all(colours(window, lane) < 60 for lane in (0, 1)), [colours(window, lane) for lane in (0, 1)]
    assert "%" not in reports(window) and "accuracy" not in report(window, "lane0.status")
    assert report(window, "lesson.goal") == "○  Goal: at most 99 points wrong"
    assert "boundary" not in window.scene.legend_kinds and "wrong" not in window.scene.legend_kinds
    assert [window.result(lane) is not None for lane in (0, 1)] == [True, True]  # the models are trained nevertheless
    assert not window.named_actions["race"].isEnabled() and not window.named_actions["asking"].isEnabled()
    assert all(lane.picture is None and frame is None for lane, frame in window.shoot("window").lanes)
    # Also while it trains again.
    pictures = []
    window.canvases[0].on_painted = lambda job: pictures.append(window.canvases[0].layers._picture)
    window.controller.dispatch(AddPoints(xy=(0.0, 2.0), labels=1))
    settle(qtbot, window)
    assert not any(picture is not None for picture in pictures)
    (lesson,) = window.dock_manager.docks(("lesson",))
    lesson.raise_()  # the panel that was opened by hand stands in front: there is no room for both
    settle(qtbot, window)
    press(window, qtbot, Qt.Key.Key_1)
    assert window.controller.session.active_class == 0 and here(window).state.guess.answer == 0
    for _ in range(2):  # a second click changes nothing
        click(window, qtbot, "lesson.answer3", QRadioButton)
        third = window.findChild(QRadioButton, "lesson.answer3")
        assert here(window).state.guess.answer == 2 and third is not None and third.isChecked()
    third.setFocus()
    press(window, qtbot, Qt.Key.Key_Up)
    assert here(window).state.guess.answer == 1
    press(window, qtbot, Qt.Key.Key_3)
    click(window, qtbot, "lesson.reveal")
    # A wrong answer shows its reason, and may be tried again; the picture stays covered.
    assert report(window, "lesson.score") == "Not so.  Try again." and window.scene.lanes[0].picture is None
    why = window.findChild(LessonText, "lesson.because")
    assert why is not None and why.isVisible() and why.toPlainText() == "They differ."
    press(window, qtbot, Qt.Key.Key_3)
    assert not third.isEnabled() and here(window).state.guess.answer == 2
    press(window, qtbot, Qt.Key.Key_2)
    assert report(window, "lesson.score") == "" and not why.isVisible()
    press(window, qtbot, Qt.Key.Key_PageDown)
    assert report(window, "lesson.score") == "Right, at the second attempt." and "outvoted" in why.toPlainText()
    assert here(window).score == (0, 1)
    assert report(window, "lesson.goal").startswith("✓  Goal: at most 99 points wrong for both (now ")
    texts = [label.text() for label in window.findChildren(QLabel) if label.isVisible()]
    assert "✓  The second" in texts and "✗  Both" in texts and "The first" in texts
    assert "%" in report(window, "lane0.status") and all(colours(window, lane) > 60 for lane in (0, 1))
    assert window.named_actions["race"].isEnabled()
    press(window, qtbot, Qt.Key.Key_4)
    assert window.controller.session.active_class == 3  # the keys choose classes again
    press(window, qtbot, Qt.Key.Key_PageDown)
    press(window, qtbot, Qt.Key.Key_PageUp)
    assert here(window).state.guess.revealed
    click(window, qtbot, "lesson.reset")
    assert not here(window).state.guess.is_made and window.scene.lanes[0].picture is None
    assert not third.isChecked()


@pytest.mark.slow
def test_leaving_a_lesson_brings_the_document_back(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make()
    path, store = tmp_path / "mine.playground", window.controller.store
    save_as(window, path)
    finish_tasks(window)
    for location in ((0.0, 2.0), (0.5, 2.0)):
        window.controller.dispatch(AddPoints(xy=location, labels=1))
    window.controller.undo()
    window.named_actions["history"].trigger()
    settle(qtbot, window)
    mine, history, restarts = window.document, store.history, window.controller.session.restarts
    assert store.modified and len(history) == 2 and store.position == 1
    copies = lambda: sorted((tmp_path / "recovery").glob("*"))  # noqa: E731
    qtbot.waitUntil(lambda: len(copies()) > 0)
    begin(window, qtbot)
    assert window.findChild(QMessageBox, "unsaved") is None and not window.isWindowModified()
    window.controller.dispatch(AddPoints(xy=(0.0, 2.0), labels=0))
    press(window, qtbot, Qt.Key.Key_PageDown)
    begin(window, qtbot, boundary())  # another lesson: the user's document is still kept
    assert copies() and window.safekeeping._kept.document is mine, "after a crash one's own work is offered"
    click(window, qtbot, "lesson.leave")
    settle(qtbot, window)
    assert here(window).lesson is None and window.document is mine and store.path == path
    assert (store.history, store.position, store.modified) == (history, 1, True) and window.isWindowModified()
    assert window.controller.session.restarts > restarts and window.result(0) is not None
    assert window.named_actions["history"].isChecked() and not window.named_actions["lesson"].isChecked()
    assert window.findChild(QMessageBox, "unsaved") is None
    window.controller.redo()
    window.controller.go_to(0)
    settle(qtbot, window)
    assert not window.isWindowModified(), "as it was saved"
    # If the user's document has nothing to lose, no question is asked, whatever happened in the lesson.
    begin(window, qtbot)
    window.controller.dispatch(AddPoints(xy=(0.0, 2.0), labels=0))
    window.named_actions["new"].trigger()
    settle(qtbot, window)
    assert window.findChild(QMessageBox, "unsaved") is None and here(window).lesson is None
    assert len(window.document.points) == 0 and window.controller.aside is None


@pytest.mark.slow
def test_a_lesson_ends_with_a_score_and_the_next_one(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.surroundings.part(STAGE).open_shipped("neighbours")
    finish_tasks(window)
    settle(qtbot, window)
    lesson = here(window).lesson
    assert lesson is not None
    window.canvases[0].setFocus()
    for at in range(2):  # one asked before, which is not counted, and one that is
        press(window, qtbot, Qt.Key.Key_PageDown)  # an unanswered question needs it twice
        assert here(window).at == at and window.status_line.text().startswith("Not answered yet.")
        assert report(window, "lesson.asked").startswith("Not answered yet.")
        press(window, qtbot, Qt.Key.Key_PageDown)
    assert here(window).at == 2
    press(window, qtbot, Qt.Key.Key_1)
    for _ in range(2):  # wrong, and the picture is revealed all the same
        assert here(window).prediction is not None
        press(window, qtbot, Qt.Key.Key_PageDown)
    assert here(window).at == 2 and here(window).prediction is None and report(window, "lesson.score") == "Not so."
    press(window, qtbot, Qt.Key.Key_PageDown)
    while here(window).at + 1 < len(lesson.steps) or here(window).prediction is not None:
        prediction = here(window).prediction
        if prediction is not None:
            press(window, qtbot, Qt.Key(Qt.Key.Key_1 + prediction.right))
        press(window, qtbot, Qt.Key.Key_PageDown)
    press(window, qtbot, Qt.Key.Key_PageDown)
    text = window.findChild(LessonText, "lesson.text")
    asked = lesson.n_predictions
    assert here(window).ended and text is not None and lesson.learnt
    end = text.toPlainText()
    assert end.startswith(f"Predicted right: {asked - 2} of {asked}, 1 not answered.")
    assert all(each in end for each in lesson.learnt) and "Can kNN learn your rule?" in end
    press(window, qtbot, Qt.Key.Key_PageDown)
    over = window.status_line.text()
    assert here(window).ended and over.startswith("The lesson is over.")
    assert "Next lesson" not in over, "after the last lesson there is no such button"
    assert window.settings.values.lessons == {"neighbours": (asked - 2, asked)}
    window.named_actions["lessons"].trigger()
    gallery = window.findChild(GalleryDialog)
    assert gallery is not None
    cards = gallery._cards["lessons"]
    assert (
        cards[0].accessibleName().endswith("✓") and f"right: {asked - 2} of {asked}" in cards[0].accessibleDescription()
    )
    assert not cards[1].accessibleName().endswith("✓")
    gallery.close()
    click(window, qtbot, "lesson.onward")
    finish_tasks(window)
    settle(qtbot, window)
    assert here(window).lesson is not None and here(window).lesson.name == "rule" and not here(window).ended


@pytest.mark.slow
def test_numbers_or_marks_alone_are_covered(make: Make, qtbot: QtBot) -> None:
    window = make()
    start = Start("example", "margin", (LessonSetting(None, "classifiers", "svm, knn", 1),))
    steps = (
        Step("Marks", "", start, prediction=CHOICE, cover=Cover.MARKS),
        Step("Numbers", "", start, prediction=CHOICE, cover=Cover.NUMBERS),
        Step("Open", "", start, prediction=CHOICE, cover=Cover.NOTHING),
        Step("Test", "", Start("example", "neighbours"), prediction=CHOICE, hide=Cover.TEST),
        Step("Free", "", Start("example", "neighbours")),
    )
    begin(window, qtbot, Lesson("Covers", "", "", 5, steps))

    def status(location: int) -> str:
        return report(window, f"lane{location}.status")

    def rings() -> int:
        assert window.scene is not None
        assert all(lane.picture is not None for lane in window.scene.lanes), "the pictures are open"
        return len(window.scene.lanes[0].marks.free)

    assert rings() == 0 and window.scene.lanes[0].run_state is None and "training 100" in status(0)
    assert "training 100" in status(1) and not window.named_actions["race"].isEnabled()
    window.surroundings.part(STAGE)._lessons.go(1)
    settle(qtbot, window)
    assert rings() == 2 and "%" not in reports(window) and "Numbers are covered" in status(0)
    press(window, qtbot, Qt.Key.Key_2)
    press(window, qtbot, Qt.Key.Key_PageDown)
    assert rings() == 2 and "training 100" in status(0)
    window.surroundings.part(STAGE)._lessons.go(2)
    settle(qtbot, window)
    assert rings() == 2 and "training 100" in status(0) and window.named_actions["race"].isEnabled()
    window.surroundings.part(STAGE)._lessons.go(3)
    settle(qtbot, window)
    assert window.scene is not None and all(lane.picture is None for lane in window.scene.lanes)
    press(window, qtbot, Qt.Key.Key_2)
    press(window, qtbot, Qt.Key.Key_PageDown)
    assert "training" in status(0) and "test" not in status(0), "hidden to the end of the step"
    window.surroundings.part(STAGE)._lessons.go(4)
    settle(qtbot, window)
    assert "training" in status(0) and "test" in status(0)


def test_undo_takes_back_the_stroke_in_progress_and_then_steps(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot, boundary())
    controller = window.controller
    controller.editing.press(PointerPosition(-1.0, -1.0, 0.01))
    controller.editing.drag(PointerPosition(0.0, 0.0, 0.01))
    assert controller.editing.busy and here(window).state.guess.lines
    undo = window.named_actions["undo"]
    assert undo.isEnabled()
    undo.trigger()
    assert not controller.editing.busy and not here(window).state.guess.lines and not undo.isEnabled()
    controller.dispatch(AddPoints(xy=(0.5, 0.5), labels=0))
    n_points = len(window.document.points)
    undo.trigger()
    assert len(window.document.points) == n_points - 1, "no guess is left to take back"


@pytest.mark.slow
def test_a_boundary_is_drawn_and_scored(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot, boundary())
    reveal = window.findChild(QPushButton, "lesson.reveal")
    assert reveal is not None and not reveal.isEnabled() and window.scene is not None
    n_points = len(window.document.points)
    stroke(window, 0, (-1.0, 1.0), (-0.5, 1.0), (0.0, 1.0))
    stroke(window, 0, (-1.0, -0.9), (0.0, 0.0), (1.0, 1.2))
    settle(qtbot, window)
    assert len(here(window).state.guess.lines) == 2 and len(window.document.points) == n_points
    press(window, qtbot, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    click(window, qtbot, "lesson.take_back")
    assert not here(window).state.guess.lines and not window.controller.store.modified
    stroke(window, 0, (-1.0, -0.9), (0.0, 0.0), (1.0, 1.2))
    settle(qtbot, window)
    assert len(here(window).state.guess.lines) == 1 and window.scene.lanes[0].picture is None
    press(window, qtbot, Qt.Key.Key_PageDown)
    assert here(window).at == 0 and window.scene.lanes[0].picture is not None
    score = report(window, "lesson.score")
    assert score.startswith("Your line and the model agree on ") and float(score.split()[7].rstrip("%\xa0")) > 80
    layer = next(each for each in window.canvases[0].overlays.layers if type(each).__name__ == "LessonLayer")
    assert layer.laid is not None and len(layer.laid.lines) == 1 and not layer.laid.word
    # The guess is final, and a drag edits again.
    stroke(window, 0, (0.0, -1.0), (0.0, -1.0))
    settle(qtbot, window)
    assert len(here(window).state.guess.lines) == 1 and len(window.document.points) == n_points + 1
    # The same in a document that ends the lesson while its question is open.
    click(window, qtbot, "lesson.reset")
    assert window.controller.session.gesture_hint
    window.controller.new()
    stroke(window, 0, (0.0, -1.0), (0.0, -1.0))
    settle(qtbot, window)
    assert here(window).lesson is None and len(window.document.points) == 1


def test_a_boundary_and_a_pair_by_the_keyboard(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot, boundary())
    window.canvases[0].setFocus()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Return, *[Qt.Key.Key_Right] * 3, Qt.Key.Key_Up, Qt.Key.Key_Return):
        press(window, qtbot, key)
    assert [len(line) for line in here(window).state.guess.lines] == [5]
    press(window, qtbot, Qt.Key.Key_Return)
    press(window, qtbot, Qt.Key.Key_Right)
    press(window, qtbot, Qt.Key.Key_Escape)  # cancels the second line
    assert [len(line) for line in here(window).state.guess.lines] == [5]

    asked = Prediction("pair", "Which two?", because="So.")
    start = Start("example", "margin", (LessonSetting(None, "classifiers", "svm", 1),))
    begin(window, qtbot, Lesson("Pair", "", "", 5, (Step("Pick", "", start, paused=True, prediction=asked),)))
    points = window.document.points
    window.canvases[0].setFocus()
    window.controller.set_session(cursor=tuple(points.xy[3]))
    press(window, qtbot, Qt.Key.Key_Return)
    view = window.canvases[0].viewport()
    for point in (0, 11):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=window.to_widget(0, *points.xy[point]))
    settle(qtbot, window)
    assert here(window).state.guess.pair == (int(points.ids[3]), int(points.ids[11]))
    assert len(window.document.points) == len(points)
    press(window, qtbot, Qt.Key.Key_Space)  # would play the run while its picture is covered
    press(window, qtbot, Qt.Key.Key_PageDown)
    if not here(window).state.guess.revealed:  # it had played on, and is back at its start
        press(window, qtbot, Qt.Key.Key_PageDown)
    gains = here(window).state.guess.gains
    assert gains is not None and 0.0 < gains.gain <= gains.best
    assert report(window, "lesson.score").startswith("Your pair, points 4 and 12, raises the dual by ")
    assert lesson_of(window).taken


def test_a_reason_is_whole_in_sight(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 900))
    asked = replace(CHOICE, reasons=("", "", "They differ. " * 9))
    begin(window, qtbot, Lesson("Short", "", "", 5, (Step("One", "Short.", prediction=asked),)))
    window.surroundings.part(STAGE)._lessons.choose(2)
    settle(qtbot, window)
    window.surroundings.part(STAGE)._lessons.reveal()
    settle(qtbot, window)
    question = window.findChild(QLabel, "lesson.question")
    assert question is not None and window.findChild(LessonText, "lesson.because").isVisible()
    frame = question.parentWidget()
    layout = frame.layout()
    assert layout is not None and frame.height() >= layout.totalHeightForWidth(frame.width())


@pytest.mark.slow
def test_it_works_in_presenter_mode(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1024, 768))
    begin(window, qtbot, at=1)
    press(window, qtbot, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: window.dock_manager.panel("lesson").isVisible())
    settle(qtbot, window)
    assert not window.bar.isVisible() and window.dock_manager.panel("lesson").width() < 0.4 * window.width()
    press(window, qtbot, Qt.Key.Key_2)
    press(window, qtbot, Qt.Key.Key_PageDown)
    assert report(window, "lesson.score") == "Right."
    because = window.findChild(LessonText, "lesson.because")
    assert because is not None
    qtbot.waitUntil(lambda: because.visibleRegion().boundingRect().bottom() >= because.height() - 4)
    press(window, qtbot, Qt.Key.Key_PageDown)
    assert here(window).at == 2
    press(window, qtbot, Qt.Key.Key_Escape)
    assert window.bar.isVisible() and window.dock_manager.panel("lesson").isVisible()
    palette = window.findChild(QWidget, "palette")
    assert palette is not None and palette.isVisible()


FILE = """---
title: By a teacher
author: Nobody
level: beginner
minutes: 5
---

# Begin
start: example circle

Text.
"""


def test_a_lesson_file_is_opened_without_a_question_or_refused_in_a_sentence(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make()
    good, bad = tmp_path / "good.lesson.md", tmp_path / "bad.lesson.md"
    good.write_text(FILE)
    bad.write_text(FILE.replace("circle", "no such thing"))
    window.controller.dispatch(AddPoints(xy=(0.0, 2.0), labels=1))
    before = window.document
    sentences: list[str] = []
    monkeypatch.setattr(window.tasks, "_alert", sentences.append)
    window.take_files([bad])
    finish_tasks(window)
    assert window.document is before and here(window).lesson is None
    assert len(sentences) == 1 and sentences[0].startswith("bad.lesson.md:9: ") and "\n" not in sentences[0]
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(good))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))
    finish_tasks(window)
    assert window.findChild(QMessageBox, "unsaved") is None, "what is open comes back"
    settle(qtbot, window)
    assert here(window).lesson is not None and window.controller.store.path is None
    # Another document ends the lesson, after a question about the user's own.
    window.named_actions["new"].trigger()
    box = window.findChild(QMessageBox, "unsaved")
    assert box is not None and here(window).lesson is not None
    box.button(QMessageBox.StandardButton.Discard).click()
    settle(qtbot, window)
    assert here(window).lesson is None and not window.named_actions["lesson"].isChecked()
    opened = _opened(good)
    assert opened.lesson is not None and opened.contents.path is None
    with pytest.raises(FileError, match=r"^bad\.lesson\.md:9: "):
        _opened(bad)


def test_links_ask_and_nothing_is_fetched(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make()
    secret = tmp_path / "secret.png"
    QWidget().grab().save(str(secret))
    own = secret.as_uri()
    text = f"![words]({own}) <img src='{secret}'> [page](https://example.org/page) [file]({own})"
    begin(window, qtbot, replace(SMALL, steps=(replace(SMALL.steps[0], text=text), *SMALL.steps[1:])))
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    shown = window.findChild(LessonText, "lesson.text")
    assert shown is not None and shown.loadResource(2, QUrl(secret.as_uri())) is None
    assert "words" in shown.toPlainText() and "<img" in shown.toPlainText() and "￼" not in shown.toPlainText()
    shown.setFocus()
    QTest.keyClick(shown, Qt.Key.Key_Tab)  # to the first link
    QTest.keyClick(shown, Qt.Key.Key_Return)
    box = window.findChild(QMessageBox, "lesson_link")
    assert box is not None and "https://example.org/page" in box.text() and not opened
    box.button(QMessageBox.StandardButton.Cancel).click()
    QApplication.processEvents()
    assert not opened
    shown.anchorClicked.emit(QUrl("https://example.org/page"))
    boxes = window.findChildren(QMessageBox, "lesson_link")
    boxes[-1].button(QMessageBox.StandardButton.Open).click()
    assert opened == [QUrl("https://example.org/page")]
    shown.anchorClicked.emit(QUrl(secret.as_uri()))
    last = window.findChildren(QMessageBox, "lesson_link")[-1]
    assert last.button(QMessageBox.StandardButton.Open) is None
    last.close()
    # The hint is folded until the user opens it.
    hint = window.findChild(LessonText, "lesson.hint_text")
    assert hint is not None and not hint.isVisible()
    click(window, qtbot, "lesson.hint", QToolButton)
    assert hint.isVisible() and hint.toPlainText() == "Drag k."


def test_the_gallery_has_lessons(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make()
    chosen: list[str] = []
    monkeypatch.setattr(window.surroundings.part(STAGE), "open_shipped", chosen.append)
    for name, tab in (("lessons", 1), ("examples", 0), ("lessons", 1)):
        window.named_actions[name].trigger()
        gallery = window.findChild(GalleryDialog)
        assert gallery is not None
        tabs = gallery.findChild(QTabWidget, "gallery.tabs")
        assert tabs is not None and tabs.currentIndex() == tab
    cards = gallery._cards["lessons"]
    for card in cards[:1]:  # only the first, to be quick
        assert card.objectName() == "lesson.neighbours" and "minutes" in card.accessibleDescription()
        QTest.keyClick(card, Qt.Key.Key_Return)
        assert chosen == ["neighbours"]
    gallery.close()


@pytest.mark.slow
def test_the_gallery_has_the_lessons_in_each_language(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.settings.write(lessons={"neighbours": (2, 4)})
    window.named_actions["examples"].trigger()
    gallery = window.findChild(GalleryDialog)
    assert gallery is not None
    qtbot.waitUntil(gallery.isActiveWindow, timeout=10_000)
    languages = gallery.findChild(QComboBox, "gallery.language")
    assert languages is not None and not languages.isVisible() and languages.currentText() == "English"
    gallery.show_tab("lessons")
    assert languages.isVisible()
    languages.setFocus()
    QTest.keyClick(languages, Qt.Key.Key_Down)
    first, second = gallery._cards["lessons"][:2]
    assert first.accessibleName() == "1. k, die Zahl der Nachbarn ✓" and "2 of 4" in first.accessibleDescription()
    assert "k, die Zahl der Nachbarn ✓" in first.findChildren(QLabel)[1].text() and gallery.focusWidget() is languages
    assert Settings(window.settings.folder / "settings.json").values.lesson_language == "de"
    QTest.keyClick(languages, Qt.Key.Key_Return)
    assert not gallery.isVisible() and not window.tasks.busy, "Return closes it, and opens no lesson"
    second.click()
    finish_tasks(window)
    settle(qtbot, window)
    assert report(window, "lesson.title") == "Kann kNN deine Regel lernen?"
    window.surroundings.part(STAGE)._lessons.go(3)
    window.surroundings.part(STAGE)._lessons.next()
    settle(qtbot, window)
    assert here(window).ended
    assert set(window.settings.values.lessons) == {"neighbours", "rule"}, "a score counts in every language"
    text, row = window.findChild(LessonText, "lesson.text"), following(here(window).lesson)
    assert row is not None and row.language == "de"
    assert text is not None and f"Nächstes: {row.title}" in text.toPlainText()
    click(window, qtbot, "lesson.onward")
    finish_tasks(window)
    settle(qtbot, window)
    assert report(window, "lesson.title") == row.title
    window.surroundings.part(STAGE).choose_language("xx")
    assert window.surroundings.part(STAGE).language == "en", "the system's"
    window.surroundings.part(STAGE).open_shipped("margin")
    finish_tasks(window)
    settle(qtbot, window)
    assert report(window, "lesson.title") == "The widest margin"


@pytest.mark.slow
def test_a_goal_of_validation_switches_it_on_and_hides_the_test(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.surroundings.part(STAGE).open_shipped("validation")
    finish_tasks(window)
    window.surroundings.part(STAGE)._lessons.go(2)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: "%" in report(window, "lesson.goal").partition("90\xa0%")[2])
    assert report(window, "lesson.goal").startswith("○") and "test" not in report(window, "lane0.status")
    window.controller.set_lane(0, "knn", n_neighbors=23)
    qtbot.waitUntil(lambda: report(window, "lesson.goal").startswith("✓"))
    assert "90.8" in report(window, "lesson.goal")
    click(window, qtbot, "lesson.leave")
    assert window.controller.session.of(EvaluationSession).validation.kind == "none", "as before the lesson"


@pytest.mark.slow
def test_text_has_one_size_and_a_panel_comes_with_its_picture(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    steps = (
        Step("Short", "One.\n\nTwo.", prediction=CHOICE, panel="step", start=Start("example", "margin")),
        Step("Long", "Word " * 900),
    )
    begin(window, qtbot, Lesson("Room", "", "", 5, steps))
    text, why = (window.findChild(LessonText, f"lesson.{name}") for name in ("text", "because"))
    label = window.findChild(QLabel, "lesson.question")
    assert text is not None and why is not None and label is not None
    size = max(window.dock_manager.panel("lesson").fontInfo().pixelSize(), 14)
    qtbot.waitUntil(lambda: text.fontInfo().pixelSize() == label.fontInfo().pixelSize() == size)
    assert text.height() > 2.3 * text.fontMetrics().height(), "a gap between paragraphs"
    assert not window.named_actions["step"].isChecked(), "it would have nothing to show"
    press(window, qtbot, Qt.Key.Key_2)
    press(window, qtbot, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: window.named_actions["step"].isChecked())
    qtbot.waitUntil(lambda: why.visibleRegion().boundingRect().height() >= why.height() - 4)
    press(window, qtbot, Qt.Key.Key_PageDown)
    settle(qtbot, window)
    assert text.fontInfo().pixelSize() == size
    press(window, qtbot, Qt.Key.Key_PageUp)
    press(window, qtbot, Qt.Key.Key_F5)  # presenter mode has its own size
    qtbot.waitUntil(lambda: window.dock_manager.panel("lesson").fontInfo().pixelSize() == text.fontInfo().pixelSize())
