"""The panel of active learning: real clicks and keys, the answering truth, and odd documents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from html import unescape
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.controllers.controller import Controller
from app.core.points import Points
from app.engine.scheduler import Scheduler
from app.features.active_learning import controller, panel
from app.features.active_learning.panel import ActiveLearningPanel
from app.features.active_learning.query import AccuracyBand, Comparison
from app.features.active_learning.state import ActiveLearningRun
from app.features.active_learning.view_picture import LearningCurve, PoolPicture
from app.features.table import FEATURES
from app.scene.compose import compose
from app.state.commands import AddPoints
from app.state.document import ClassStyle, Document, GeneratorSettings, KnnSettings, Lane, SvmSettings, View
from app.state.session import Session
from app.state.store import Store
from app.views import theme
from app.views.chart.marks import Band as Ground
from app.views.chart.marks import LevelLine, Line, Texts
from app.views.theme import LIGHT
from app.window.main_window import MainWindow
from tests.covering import first_of
from tests.windows import Make, discard, settle

SVM = Lane("svm", svm=SvmSettings(C=5.0, gamma=2.0))
SIZES = {"tall": (360, 650), "wide": (900, 500)}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare two runs only, and let the truth answer without a pause."""
    monkeypatch.setattr(controller, "Comparison", lambda asking: Comparison(asking, 2))
    monkeypatch.setattr(panel, "PLAY_INTERVAL", 1)


def moons(count: int = 15, **changes: object) -> Document:
    points = GeneratorSettings(count=count, noise=0.25).points()
    made = Document(points=points, view=View.fitting(points), lanes=(SVM, SVM), shown=1)
    return replace(made, **changes)  # type: ignore[arg-type]


class Stage:
    """A panel with its surroundings: a document, compute threads, and a scene made anew on request."""

    def __init__(self, document: Document, qtbot: QtBot, size: tuple[int, int]) -> None:
        self.qtbot = qtbot
        self.store, self.dark = Store(document), False
        self.controller = Controller(self.store, Session(), lambda: None, lambda report: None)
        self.scheduler = Scheduler(1, lambda: None)
        self.panel = ActiveLearningPanel(self.controller, self.scheduler)
        self.open(size)

    def collect(self) -> None:
        """Collect results, as a window does when it is woken."""
        if self.scheduler.collect() and self.panel.isVisible():
            self.render()

    def open(self, size: tuple[int, int]) -> None:
        """Show the panel, and focus it."""
        self.clock = QTimer(self.panel, interval=5, timeout=self.collect)
        self.clock.start()
        self.panel.resize(*size)
        self.panel.show()
        self.qtbot.waitExposed(self.panel)
        self.render()
        self.panel.activateWindow()
        self.qtbot.waitUntil(self.panel.isActiveWindow)
        self.panel.setFocus()
        self.finish()

    def render(self) -> None:
        """Draw the scene, as a window does after each change."""
        store = self.store
        scene = compose(
            store.document,
            self.controller.session,
            self.scheduler.results,
            FEATURES,
            modified=store.modified,
            history=store.history,
            position=store.position,
        )
        dress = theme.dressed(theme.theme_of(self.dark), store.document.styles)
        theme.apply(dress, self.panel, 0)
        self.panel.render_scene(scene, dress)

    def close(self) -> None:
        """Close everything; no thread may be left."""
        self.clock.stop()
        self.panel.close()
        self.panel.deleteLater()
        assert self.scheduler.close()

    def finish(self) -> None:
        """Wait until everything is learnt and painted."""
        self.qtbot.waitUntil(lambda: not self.panel.runner.learning)

    def compared(self) -> None:
        curves = self.panel.runner
        self.qtbot.waitUntil(lambda: curves.curves is not None and curves.curves.finished)

    @property
    def picture(self) -> PoolPicture:
        found = self.find("picture")
        assert isinstance(found, PoolPicture)
        return found

    @property
    def asking(self) -> ActiveLearningRun:
        assert self.panel.runner.asking is not None
        return self.panel.runner.asking

    def find(self, name: str, kind: type = QWidget) -> QWidget:
        found = self.panel.findChild(kind, f"asking.{name}")
        assert found is not None, name
        return found

    def text(self, name: str) -> str:
        label = self.find(name, QLabel)
        assert isinstance(label, QLabel)
        plain = label.text().replace("<br>", "\n").replace("<b>", "").replace("</b>", "")
        return unescape(plain)

    def click(self, name: str) -> None:
        QTest.mouseClick(self.find(name, QAbstractButton), Qt.MouseButton.LeftButton)
        self.finish()

    def key(self, key: Qt.Key, on: QWidget | None = None) -> None:
        QTest.keyClick(on or self.find("picture"), key)
        self.finish()

    def point(self, index: int, off: tuple[int, int] = (0, 0)) -> None:
        picture = self.picture
        x, y = picture.point_pixels()[index]
        QTest.mouseClick(
            picture.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(x) + off[0], round(y) + off[1])
        )
        self.finish()

    def choose(self, name: str, data: object) -> None:
        combo = self.find(name, QComboBox)
        assert isinstance(combo, QComboBox)
        combo.setCurrentIndex(combo.findData(data))
        combo.activated.emit(combo.currentIndex())
        self.finish()


class Docked(Stage):
    """A panel that floats beside the real window."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.qtbot, self.window = qtbot, window
        self.controller, self.store, self.scheduler = window.controller, window.controller.store, window.scheduler
        self.panel = ActiveLearningPanel(self.controller, self.scheduler)
        self.panel.setParent(window, Qt.WindowType.Tool)
        self.open(SIZES["tall"])

    def collect(self) -> None:
        if self.window.scene is not None and self.panel.isVisible():
            self.panel.render_scene(self.window.scene, self.window.appearance.dress(self.window.scene)[0])

    def render(self) -> None:
        settle(self.qtbot, self.window)
        scene = self.window.scene
        assert scene is not None
        self.panel.render_scene(scene, self.window.appearance.dress(scene)[0])


Build = Callable[..., Stage]


@pytest.fixture
def stage(qtbot: QtBot, qapp: QApplication) -> Iterator[Build]:
    stages: list[Stage] = []

    def build(document: Document | None = None, size: tuple[int, int] = SIZES["tall"]) -> Stage:
        stages.append(Stage(document or moons(), qtbot, size))
        return stages[-1]

    yield build
    for made in stages:
        made.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("compute")]


def others(asking: ActiveLearningRun) -> list[int]:
    """Return the unlabelled points that are not asked about."""
    return [int(i) for i in np.flatnonzero(asking.open) if i != asking.target]


# -- answering -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", first_of(SIZES, 1))
def test_classes_are_chosen_by_clicks_and_keys_from_any_focus(stage: Build, size: str) -> None:
    made = stage(size=SIZES[size])
    first = made.asking.target
    made.click("class2")
    made.key(Qt.Key.Key_1)
    made.key(Qt.Key.Key_2, made.find("truth"))
    made.key(Qt.Key.Key_1, made.find("class1"))
    assert [answer.label for answer in made.asking.answers] == [1, 0, 1, 0]
    assert made.asking.answers[0].index == first
    assert len(made.asking.steps) == 5 and made.asking.last_step is not None
    made.key(Qt.Key.Key_7)
    assert len(made.asking.answers) == 4, "no such class in this pool"
    assert made.store.document.points is made.asking.pool.origin and made.store.undo_name is None


def test_the_keys_are_the_panels_while_it_has_the_focus_and_the_windows_else(make: Make, qtbot: QtBot) -> None:
    made = Docked(make(moons()), qtbot)
    for key in (Qt.Key.Key_2, Qt.Key.Key_1, Qt.Key.Key_2):
        made.key(key)
    assert [answer.label for answer in made.asking.answers] == [1, 0, 1]
    assert made.controller.session.active_class == 0 and any(made.controller.session.playing)
    made.key(Qt.Key.Key_Backspace)
    assert len(made.asking.answers) == 2 and len(made.store.document.points) == 30
    made.window.activateWindow()
    qtbot.waitUntil(made.window.isActiveWindow)
    QTest.keyClick(made.window.canvases[0], Qt.Key.Key_2)
    assert made.controller.session.active_class == 1 and len(made.asking.answers) == 2


def test_the_classifier_may_have_been_removed_when_a_result_arrives(make: Make, qtbot: QtBot) -> None:
    made = Docked(make(moons(lanes=(Lane("knn"), SVM), shown=2)), qtbot)
    assert made.panel._plan.lane == 1
    made.controller.lanes.remove(1)
    made.panel._show()  # the window has not drawn the change yet
    made.finish()
    assert made.panel._plan.lane == 0


def test_the_truth_answers_by_button_and_key_and_progress_is_reported(stage: Build) -> None:
    made = stage()
    assert "Least sure of the ringed point (|f| = " in made.text("question")
    made.click("truth")
    made.key(Qt.Key.Key_Return)
    assert len(made.asking.answers) == 2 and made.asking.wrong == 0
    made.compared()
    assert made.asking.last_step is not None
    share = f"{100 * made.asking.last_step.score.shown:.1f} %"
    assert made.text("words").startswith(f"Asked 2 of 28: accuracy {share}\nRandom needs about")
    assert made.text("words").count("\n") < 3 and not made.find("details").isVisible(), "no wall of text"
    made.click("more")
    assert made.find("details").isVisible() and made.text("details").startswith("Accuracy: of the pool (30 points).")
    assert "for 95 % of that: least sure" in made.text("details")
    assert "30 points, 4 of them labelled" in made.find("picture").accessibleDescription()


@pytest.mark.slow
def test_the_truth_goes_on_to_the_end(stage: Build, qtbot: QtBot) -> None:
    made = stage(moons(8))
    play = made.find("play")
    QTest.mouseClick(play, Qt.MouseButton.LeftButton)
    assert made.panel.playing and play.text() == "Stop"
    qtbot.waitUntil(lambda: made.asking.finished and not made.panel.playing)
    made.finish()
    assert play.text() == "Label all" and not play.isEnabled()
    assert made.text("question") == "All points have their labels."
    assert made.asking.last_step is not None and len(made.asking.steps) == 15
    for name in ("truth", "class1"):
        assert not made.find(name).isEnabled()
    again = Comparison(made.asking, 1)
    for _ in again.answer(lambda curves: None, lambda: False):
        pass
    assert [last_step.score.shown for last_step in made.asking.steps] == again.curves.bands["closest"].mean.tolist()


def test_space_plays_and_stops_and_a_step_back_stops_too(stage: Build, qtbot: QtBot) -> None:
    made = stage(moons(60))
    picture = made.find("picture")
    QTest.keyClick(picture, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(made.asking.answers) >= 3)
    QTest.keyClick(picture, Qt.Key.Key_Space)
    assert not made.panel.playing
    made.finish()
    count = len(made.asking.answers)
    QTest.keyClick(picture, Qt.Key.Key_Space)
    QTest.keyClick(picture, Qt.Key.Key_Backspace)
    assert not made.panel.playing and len(made.asking.answers) <= count


def test_steps_back_restore_each_question(stage: Build) -> None:
    made = stage()
    queries = [made.asking.question]
    for _ in range(3):
        made.click("truth")
        queries.append(made.asking.question)
    for question in queries[-2::-1]:
        made.click("back")
        assert made.asking.question is question
        assert made.panel.runner.picture is not None
    assert not made.find("back").isEnabled()
    made.key(Qt.Key.Key_Backspace)
    assert made.asking.answers == ()


def signs_in(picture: PoolPicture) -> list[str]:
    """Return the symbols in the picture."""
    marks = (*picture.marks, *picture.over)
    return sorted(text.strip() for mark in marks if isinstance(mark, Texts) for text in mark.texts)


def test_a_wrong_answer_is_shown_as_such(stage: Build) -> None:
    made = stage()
    target = made.asking.target
    assert target is not None
    made.key(Qt.Key(Qt.Key.Key_1 + 1 - int(made.asking.pool.points.labels[target])))
    assert made.asking.wrong == 1 and "1 answer is not the truth (≠ in the picture)." in made.text("words")
    assert signs_in(made.picture) == ["?", "≠"]


# -- the user's own choice --------------------------------------------------------------------------------------------


def test_a_click_on_an_unlabelled_point_chooses_it(stage: Build) -> None:
    made = stage()
    asked = made.asking.target
    locations = made.picture.point_pixels()
    # Far from any other point.
    own = max(others(made.asking), key=lambda i: np.sort(np.hypot(*(locations - locations[i]).T))[1])
    made.point(own, (3, -2))
    assert made.asking.target == own and "Your own choice" in made.text("question")
    made.key(Qt.Key.Key_Escape)
    assert made.asking.target == asked
    made.point(own)
    made.key(Qt.Key.Key_1)
    answer = made.asking.answers[-1]
    assert (answer.index, answer.label, answer.own) == (own, 0, True) and made.asking.chosen is None
    assert "1 point of your own choice." in made.text("words")
    made.point(own)
    assert made.asking.chosen != own, "it has its label"
    before = made.asking
    QTest.mouseClick(made.picture.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(6, 6))
    assert made.asking is before, "nothing is near"


def test_a_labelled_point_does_not_hide_an_unlabelled_one(stage: Build) -> None:
    made = stage(moons(points=Points.of([[0, 0], [0.02, 0], [1, 1], [1, 0], [0.5, 0.9]], [0, 0, 1, 1, 1])))
    given = next(answer.index for answer in made.asking.given if answer.index < 2)
    made.point(given)
    assert made.asking.target == 1 - given


def test_arrow_keys_go_from_point_to_point(stage: Build) -> None:
    made = stage()
    locations = made.picture.point_pixels()
    for key, (dx, dy) in {
        Qt.Key.Key_Left: (-1, 0),
        Qt.Key.Key_Right: (1, 0),
        Qt.Key.Key_Up: (0, -1),
        Qt.Key.Key_Down: (0, 1),
    }.items():
        start = made.asking.target
        assert start is not None
        steps = []
        for _ in range(40):
            here = made.asking.target
            made.key(key)
            if made.asking.target == here:
                break
            assert here is not None and made.asking.target is not None
            assert (locations[made.asking.target] - locations[here]) @ (dx, dy) > 0
            steps.append(made.asking.target)
        assert steps and made.asking.open[steps[-1]]
        made.key(Qt.Key.Key_Escape)
    assert made.asking.chosen is None


# -- beginning again -----------------------------------------------------------------------------------------------


def test_settings_count_at_once_before_the_first_answer_and_then_from_the_next_start(stage: Build) -> None:
    made = stage()
    made.click("settings")
    assert made.find("strategy").isVisible() and "argmin |f(x)|" in made.text("formula")
    made.choose("strategy", "random")
    assert made.asking.plan.strategy == "random" and "Random (" in made.text("question")
    assert "equally likely" in made.text("formula")
    given = made.find("per_class", QSpinBox)
    QTest.keyClick(given, Qt.Key.Key_Up)
    made.finish()
    assert len(made.asking.given) == 4
    made.click("truth")
    before = made.asking
    made.choose("source", "generator")
    assert made.asking is before and "“Start again” begins with them" in made.text("words")
    made.click("start")
    assert (
        len(made.asking.pool.tests) and made.asking.answers == () and "of 2\u202f000 new points" in made.text("details")
    )
    assert "“Start again”" not in made.text("words")


def test_settings_can_be_shown_where_they_have_no_room_at_first(stage: Build) -> None:
    made = stage()
    assert not made.find("source").isVisible()
    made.click("settings")
    assert made.find("source").isVisible()
    made.click("settings")
    assert not made.find("source").isVisible()


def test_settings_stand_below_each_other(stage: Build, qtbot: QtBot) -> None:
    made = stage(size=(264, 600))  # the width that a screen of 1024 pixels leaves
    made.click("settings")
    assert made.panel.minimumSizeHint().width() <= 264
    source, strategy = made.find("source"), made.find("strategy")
    qtbot.waitUntil(lambda: source.y() < strategy.y())
    assert made.panel.width() == 264 and source.x() == strategy.x()


def test_a_changed_document_is_reported_and_start_again_uses_it(stage: Build) -> None:
    made = stage()
    made.click("truth")
    controller, before = made.controller, made.asking
    controller.dispatch(AddPoints(xy=[[0.5, 0.2]], labels=0))
    made.render()
    assert made.asking is before and "The points have changed since the start" in made.text("words")
    made.click("truth")
    assert len(made.asking.answers) == 2, "the run goes on"
    made.click("start")
    assert made.asking.pool.origin is made.store.document.points and "have changed" not in made.text("words")
    controller.set_lane(0, "svm", C=7.0)
    made.render()
    assert "The classifier's settings have changed since the start" in made.text("words")
    made.click("start")
    assert made.asking.lane.svm.C == 7.0 and "have changed" not in made.text("words")
    controller.clear()
    made.render()
    made.click("start")
    assert made.panel.runner.asking is None and made.find("start").text() == "Start"
    controller.undo()
    made.render()
    made.click("start")
    assert made.asking.question is not None


def test_the_labelled_points_go_into_the_document_and_come_out_by_one_undo(stage: Build, qtbot: QtBot) -> None:
    made = stage()
    made.click("truth")
    store = made.store
    points = store.document.points
    made.click("put")
    assert len(store.document.points) == 3 and store.history == ("Label 3 points",)
    made.render()
    assert "The points have changed" in made.text("words")
    made.controller.undo()
    made.render()
    assert store.document.points is points and "have changed" not in made.text("words")


# -- odd documents -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "points, sentence",
    [
        (Points(), "There are no points"),
        (Points.of([[0.0, 0.0]], [0]), "only one point"),
        (Points.of([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1, 1, 1]), "of south, so nothing to ask"),
    ],
)
@pytest.mark.parametrize("lane", [SVM, Lane("knn")])
def test_without_a_possible_query_the_panel_explains_it(
    stage: Build, points: Points, sentence: str, lane: Lane
) -> None:
    styles = (ClassStyle("north"), ClassStyle("south"), *(ClassStyle(),) * 6)
    made = stage(replace(moons(), points=points, lanes=(lane, lane), styles=styles))
    assert made.panel.runner.asking is None and sentence in made.find("picture").accessibleDescription()
    for key in (Qt.Key.Key_1, Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Backspace):
        made.key(key)
    QTest.mouseClick(made.picture, Qt.MouseButton.LeftButton)
    for name in ("truth", "play", "back", "put", "class1"):
        assert not made.find(name).isEnabled()
    made.panel.grab()
    made.choose("source", "generator")
    assert len(made.asking.pool.tests), "the generator has points"


def test_a_k_above_the_number_of_labels_is_reported(stage: Build) -> None:
    lane = Lane("knn", knn=KnnSettings(7))
    made = stage(moons(lanes=(lane, lane)))
    assert "k = 7, but only 2 labels so far: all of them vote." in made.text("words")
    assert "p₁ − p₂ = 0" in made.text("question")
    made.click("truth")
    assert len(made.asking.answers) == 1


def test_a_failure_is_a_sentence_and_not_an_exception(stage: Build) -> None:
    lane = Lane("svm", svm=SvmSettings(kernel="sigmoid", hard_margin=True, coef0=-1.0))
    made = stage(moons(lanes=(lane, lane)))
    assert "not positive semidefinite" in made.find("picture").accessibleDescription()
    made.key(Qt.Key.Key_Space)
    made.qtbot.waitUntil(lambda: not made.panel.playing)
    assert not made.find("truth").isEnabled()
    made.qtbot.waitUntil(lambda: "No comparison" in made.text("words"))


# -- the background ------------------------------------------------------------------------------------------------


def test_nothing_runs_while_the_panel_is_hidden(stage: Build, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controller, "Comparison", lambda asking: Comparison(asking, 5))
    made = stage(moons(60))
    QTest.keyClick(made.find("picture"), Qt.Key.Key_Space)
    made.panel.hide()
    assert not made.panel.playing
    qtbot.waitUntil(lambda: made.scheduler.idle)
    assert not made.panel.runner.curves.finished, "it rests"  # type: ignore[union-attr]
    QApplication.processEvents()
    curves = made.panel.runner.curves
    reached = 0 if curves is None else len(curves.labels)
    made.panel.show()
    qtbot.waitUntil(lambda: len(made.panel.runner.curves.labels) > reached)  # type: ignore[union-attr]
    made.panel.hide()


def test_closing_the_window_in_mid_run_leaves_no_thread_and_no_timer(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller, "Comparison", lambda asking: Comparison(asking, 20))
    made = Docked(make(moons(100)), qtbot)
    QTest.keyClick(made.find("picture"), Qt.Key.Key_Space)
    assert not made.panel.runner.curves.finished and made.panel.playing  # type: ignore[union-attr]
    discard(made.window)
    made.clock.stop()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("compute")]
    made.panel.close()
    QApplication.processEvents()
    assert not made.panel.playing
    assert not [timer for timer in made.panel.findChildren(QTimer) if timer.isActive()]


def test_a_new_size_and_a_new_theme_get_a_picture_of_their_own(stage: Build) -> None:
    made = stage()
    first = made.panel.runner.picture
    area = made.picture.area()
    assert first is not None and (first.grid.width, first.grid.height) == (area.width(), area.height())
    made.panel.resize(*SIZES["wide"])
    for _ in range(3):  # texts that wrap at the new width change the height in turn
        QApplication.processEvents()
        made.finish()
    second = made.panel.runner.picture
    assert second is not None and second.grid == made.picture.grid() != first.grid
    dark = int(second.argb.mean())
    made.dark = True
    made.render()
    made.finish()
    third = made.panel.runner.picture
    assert third is not None and third.grid == second.grid and int(third.argb.mean()) != dark


def test_the_picture_shows_the_querying_model(stage: Build) -> None:
    made = stage()
    made.click("truth")
    picture, last_step = made.panel.runner.picture, made.asking.last_step
    assert picture is not None and last_step is not None
    grid = picture.grid
    model = last_step.model
    columns, rows = np.meshgrid(grid.xs[::16], grid.ys[::16])
    predicted = model.predict(np.column_stack((columns.ravel(), rows.ravel()))).reshape(columns.shape)
    shown = picture.argb[::-1][::16, ::16].astype(np.int64)
    bluer = (shown & 0xFF) > (shown >> 16 & 0xFF)  # class 1 is blue, class 2 vermillion
    sure = np.abs(model.decision_function(np.column_stack((columns.ravel(), rows.ravel())))) > 0.05  # type: ignore[union-attr]
    assert (bluer == (predicted == 0)).ravel()[sure].all() and len(np.unique(bluer)) == 2
    # The points lie on the colours of their own locations, and the labelled ones have the colours of their classes.
    pool, locations = made.asking.pool, made.picture.point_pixels()
    columns_, rows_ = (locations - made.picture.area().topLeft().toTuple()).astype(int).T
    below = picture.argb[rows_, columns_].astype(np.int64)
    certain = np.abs(model.decision_function(pool.points.xy)) > 0.1  # type: ignore[union-attr]
    blue = (below & 0xFF) > (below >> 16 & 0xFF)
    assert certain.sum() > 10 and (blue == (model.predict(pool.points.xy) == 0))[certain].all()
    image = made.picture.grab().toImage()
    for answer in made.asking.labelled:
        displayed = image.pixelColor(*(int(v) for v in locations[answer.index]))
        assert (displayed.red(), displayed.green(), displayed.blue()) == theme.LIGHT.classes[answer.label]


# -- controls ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_every_control_is_named_reachable_and_large_enough(stage: Build, size: str) -> None:
    points = GeneratorSettings(name="blobs", count=6, noise=0.4, n_classes=8).points()
    made = stage(replace(moons(), points=points, view=View.fitting(points)), SIZES[size])
    if not made.find("source").isVisible():
        made.click("settings")
    controls = [w for w in made.panel.findChildren(QWidget) if isinstance(w, QAbstractButton | QComboBox | QSpinBox)]
    visible = [w for w in controls if w.isVisible() and w.objectName()]
    assert len(visible) == 8 + 7 + 4
    for widget in visible:
        assert widget.accessibleName() and widget.objectName().startswith("asking.")
        assert min(widget.width(), widget.height()) >= 24, widget.objectName()
        assert widget.width() >= widget.minimumSizeHint().width(), f"{widget.objectName()} is cut off"
    reached, widget = set(), made.find("picture")
    widget.setFocus()
    for _ in range(60):
        reached.add(QApplication.focusWidget().objectName())
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    enabled = {widget.objectName() for widget in visible if widget.isEnabled()}
    assert enabled | {"asking.picture"} <= reached


def test_painting_in_every_state_raises_nothing(stage: Build) -> None:
    made = stage(moons(20, styles=(ClassStyle("<b>&" + "n" * 36), *(ClassStyle(),) * 7)))
    for made.dark in (False, True):
        made.render()
        for size in ((360, 650), (900, 500), (240, 160), (1400, 300)):
            made.panel.resize(*size)
            made.panel.grab()
        made.click("truth")
        made.point(others(made.asking)[0])
        made.panel.grab()
    assert "&" in made.find("class1").accessibleName()


def test_the_chart_has_the_comparison_and_the_run_as_they_are(qtbot: QtBot) -> None:
    chart = LearningCurve()
    qtbot.addWidget(chart)
    chart.resize(300, 200)
    chart.show()
    rng = np.random.default_rng(0)
    bands = {name: AccuracyBand.of(rng.uniform(0.6, 1.0, (20, 5))) for name in ("closest", "random")}
    curves: Any = SimpleNamespace(bands=bands, labels=np.arange(2, 7), last=9, full=0.97)
    steps = tuple(SimpleNamespace(score=SimpleNamespace(shown=shown)) for shown in (0.5, 0.8, 0.9))
    asking: Any = SimpleNamespace(steps=steps, given=(0, 1), pool=range(9))
    chart.show_curves(asking, curves, LIGHT)
    drawn = {mark.name: mark for mark in chart.marks if isinstance(mark, Line | LevelLine)}
    for name, title in (("closest", "least sure point"), ("random", "random")):
        assert drawn[title].y is bands[name].mean and drawn[title].x is curves.labels
        grounds = [mark for mark in chart.marks if isinstance(mark, Ground)]
        assert any(mark.low is bands[name].low and mark.high is bands[name].high for mark in grounds)
    assert np.asarray(drawn["this run"].x).tolist() == [2, 3, 4] and drawn["this run"].y == [0.5, 0.8, 0.9]
    assert drawn["all labels: 97.0 %"].at == 0.97
    assert chart.x.high == 9 and chart.y.low == 0.5
