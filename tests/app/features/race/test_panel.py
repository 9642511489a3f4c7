"""The panel of the race, used by hand: rules, play, pictures, numbers, curves; it never blocks the window."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QDockWidget,
    QLabel,
    QPushButton,
    QScrollArea,
    QSlider,
    QTableWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.features.race import text
from app.features.race.panel import RacePanel
from app.features.race.race_run import NO_SECOND_CLASS
from app.features.race.racer import Racer
from app.features.race.text import title
from app.features.race.view_board import RaceCurves
from app.state.commands import AddPoints
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings, View
from app.views import theme as themes
from app.views.widgets.roomy_label import RoomyLabel
from app.window.main_window import MainWindow
from solver import SmoSolver
from tests.covering import first_of
from tests.windows import Make, discard

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support raise")
KNN_SVM = (Lane("knn"), Lane("svm"))


def document(count: int = 40, lanes: tuple[Lane, Lane] = KNN_SVM, **generator: object) -> Document:
    points = GeneratorSettings(count=count, **{"noise": 0.3, **generator}).points()
    return Document(points=points, view=View.fitting(points), lanes=lanes)


def dock_of(window: MainWindow) -> QDockWidget:
    dock = window.findChild(QDockWidget, "dock.race")
    assert dock is not None
    return dock


def opened(window: MainWindow, qtbot: QtBot, size: tuple[int, int] = (900, 650)) -> RacePanel:
    """Return the race as a panel in a window of its own, of this size."""
    window.named_actions["race"].trigger()
    race, dock = window.dock_manager.panel("race"), dock_of(window)
    qtbot.waitUntil(dock.isVisible)  # it stands in the column before it floats
    dock.setFloating(True)
    dock.resize(*size)
    qtbot.waitExposed(race)
    qtbot.waitUntil(lambda: race.racing.frame is not None)
    finish(race, qtbot)
    race.setFocus()
    return race


def finish(race: RacePanel, qtbot: QtBot) -> None:
    """Wait until no more results are expected, and those that arrived are drawn."""
    (window,) = (each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow) and each.isVisible())

    def is_idle() -> bool:
        asked, answer = race.racing.asked, window.scheduler.results.answer("race")
        if not window.idle():
            return False
        return asked is None or (answer is not None and answer.query == asked and answer.done)

    qtbot.waitUntil(is_idle)


def find(race: RacePanel, kind: type[QWidget], name: str) -> QWidget:
    found = race.findChild(kind, f"race.{name}")
    assert found is not None, name
    return found


def click(widget: QWidget) -> None:
    at = QPoint(12, widget.height() // 2) if isinstance(widget, QCheckBox) else widget.rect().center()
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at)


def choose(combo: QComboBox, data: object) -> None:
    """Select as a user does: with the signal of a user's choice."""
    location = [combo.itemData(each) for each in range(combo.count())].index(data)
    combo.setCurrentIndex(location)
    combo.activated.emit(location)


def news(race: RacePanel) -> str:
    return find(race, QLabel, "winner").text()


def full_speed(race: RacePanel) -> None:
    slider = find(race, QSlider, "pace")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_End)


def wait_for_end(race: RacePanel, qtbot: QtBot) -> None:
    def over() -> bool:
        frame = race.racing.frame
        return frame is not None and frame.begun and frame.over and not race.racing.choice.playing

    qtbot.waitUntil(over)


def dark_share(widget: QWidget) -> float:
    image = widget.grab().toImage()
    columns, rows = range(0, image.width(), 7), range(0, image.height(), 7)
    return float(np.mean([image.pixelColor(x, y).lightness() < 128 for x in columns for y in rows]))


@pytest.mark.slow
def test_random_against_second_order_on_500_points(make: Make, qtbot: QtBot) -> None:
    window = make(document(250))
    race = opened(window, qtbot)
    assert text.winner(race.racing.frame) == text.START and text.START in news(race)
    frames = []
    show = race.board.show_frame
    race.board.show_frame = lambda frame, *others: (frames.append(frame), show(frame, *others))
    click(find(race, QPushButton, "play"))
    qtbot.waitUntil(lambda: any(frame is not None and frame.racers[0].steps > 0 for frame in frames))
    full_speed(race)
    wait_for_end(race, qtbot)
    finish(race, qtbot)
    points, settings = window.document.points, window.document.lanes[1].svm
    steps = []
    for rule in ("random", "second-order"):
        y = np.where(points.labels == 1, 1.0, -1.0)
        single = SmoSolver(points.xy, y, settings.as_kernel(), C=1.0, selection=rule, shrinking=False)
        single.run()
        steps.append(single.n_iter)
    assert [racer.steps for racer in frames[-1].racers] == steps
    ratio = round(steps[0] / steps[1])
    assert ratio >= 10
    assert f"Second order wins: {steps[1]} steps; Random needs {ratio} times as many." in news(race)
    assert "1. Second order" in news(race) and "2. Random" in news(race)
    assert len({frame.racers[0].steps for frame in frames if frame is not None}) >= 3, "it was seen on the way"
    table = find(race, QTableWidget, "table")
    assert table.rowCount() == 2 and [table.item(row, 0).text() for row in range(2)] == ["Random", "Second order"]
    assert table.item(1, 1).text() == str(steps[1])
    bold = [[table.item(row, column).font().bold() for row in range(2)] for column in range(7)]
    assert bold[1] == bold[3] == [False, True] and bold[0] == bold[6] == [False, False]
    for slot, location in ((0, "2nd"), (1, "1st")):
        badge = find(race, QLabel, f"badge{slot}")
        assert f"✓&nbsp;{location},&nbsp;optimal&nbsp;" in badge.text()
        assert badge.toolTip().startswith(f"{location}, optimal: KKT")
        picture = race.board.racers[slot].picture
        grid = race.racing.frame.racers[slot].picture.grid
        assert (grid.width, grid.height) == (picture.width(), picture.height()), "at rest each pixel is a sample"
    assert find(race, QPushButton, "play").text() == "&Play"
    lines = race.curves.lines_of()
    assert [slot for slot, _ in lines] == [0, 1] and all(len(xy) > 10 for _, xy in lines)


@pytest.mark.slow
def test_rules_are_ticked_and_a_fifth_is_refused(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    race = opened(window, qtbot)
    for rule in ("platt", "maximum-gain"):
        click(find(race, QCheckBox, f"rule.{rule}"))
    finish(race, qtbot)
    assert [view.isVisible() for view in race.board.racers] == [True] * 4
    sizes = {(view.picture.width(), view.picture.height()) for view in race.board.racers}
    assert len(sizes) == 1, "all pictures are of one size"
    cyclic = find(race, QCheckBox, "rule.cyclic")
    click(cyclic)
    sentence = find(race, QLabel, "sentence")
    assert not cyclic.isChecked() and sentence.isVisible() and text.TOO_MANY in sentence.text()
    click(cyclic)
    assert not cyclic.isChecked(), "however often"
    for rule in ("platt", "maximum-gain", "random"):
        click(find(race, QCheckBox, f"rule.{rule}"))
    assert text.TOO_FEW in sentence.text() and not find(race, QPushButton, "play").isEnabled()
    QTest.keyClick(race, Qt.Key.Key_Space)
    assert not race.racing.choice.playing
    click(cyclic)
    assert cyclic.isChecked() and not sentence.isVisible() and find(race, QPushButton, "play").isEnabled()
    finish(race, qtbot)
    assert [find(race, QLabel, f"title{slot}").text() for slot in (0, 1)] == ["<b>Cyclic</b>", "<b>Second order</b>"]


def test_the_keyboard_alone_races(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    race = opened(window, qtbot)
    play = find(race, QPushButton, "play")
    race.setFocus()
    QTest.keyClick(race, Qt.Key.Key_Space)
    assert race.racing.choice.playing and play.text() == "&Pause" and play.accessibleName() == "Pause"
    qtbot.waitUntil(lambda: race.racing.frame.begun)
    QTest.keyClick(race, Qt.Key.Key_Space)
    assert not race.racing.choice.playing
    finish(race, qtbot)
    stand = [racer.steps for racer in race.racing.frame.racers]
    assert "paused" in find(race, QLabel, "badge0").text() and stand[0] == stand[1] > 0
    reached = set()
    first = find(race, QCheckBox, "rule.cyclic")
    first.setFocus()
    for _ in range(40):
        widget = QApplication.focusWidget()
        reached.add(widget.objectName())
        QTest.keyClick(widget, Qt.Key.Key_Tab)
        if QApplication.focusWidget() is first:
            break
    wanted = {f"race.{name}" for name in ("play", "restart", "mode", "pace", "upwards", "rightwards")}
    assert wanted | {"race.rule.random", "race.rule.maximum-gain"} <= reached
    others = {name for name in reached if not name.startswith("race.")}
    assert others <= {"dock.race.pin", "dock.race.float", "dock.race.close"}, "nothing without a name is in the way"


def test_space_plays_at_once_and_after_clicks(make: Make, qtbot: QtBot) -> None:
    race = opened(make(document()), qtbot)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert race.racing.choice.playing and race.racing.choice.rules == ("random", "second-order")
    click(find(race, QCheckBox, "rule.cyclic"))
    click(find(race, QPushButton, "restart"))
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert not race.racing.choice.playing and race.racing.choice.rules == ("cyclic", "random", "second-order")


def test_it_is_a_panel_whose_return_key_plays_and_that_has_the_keys_of_the_window(make: Make, qtbot: QtBot) -> None:
    window = make(document(), size=(1280, 800))
    window.dock_manager.reveal("race")
    race = window.dock_manager.panel("race")
    assert dock_of(window).isVisible() and window.named_actions["race"].isCheckable()
    qtbot.waitUntil(lambda: race.racing.frame is not None)
    finish(race, qtbot)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        QTest.keyClick(QApplication.focusWidget(), key)
        assert race.racing.choice.playing == (key == Qt.Key.Key_Return)
    QTest.keyClick(
        QApplication.focusWidget(),
        Qt.Key.Key_O,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    gallery = window.findChild(QWidget, "gallery")
    assert gallery is not None and gallery.isVisible()
    gallery.close()


def test_out_of_sight_it_pauses_where_it_is(make: Make, qtbot: QtBot) -> None:
    window = make(document(100, (Lane("knn"), Lane("svm", svm=SvmSettings(C=100.0)))))
    race = opened(window, qtbot)
    click(find(race, QPushButton, "play"))
    qtbot.waitUntil(lambda: race.racing.frame.begun)
    window.named_actions["race"].trigger()
    assert not race.isVisible() and not race.racing.choice.playing
    finish(race, qtbot)
    steps = [racer.steps for racer in window.scheduler.results.answer("race").value.racers]
    window.named_actions["race"].trigger()
    finish(race, qtbot)
    assert [racer.steps for racer in race.racing.frame.racers] == steps and min(steps) > 0


def test_four_rules_stand_two_by_two_in_a_column(make: Make, qtbot: QtBot) -> None:
    window = make(document(), size=(1280, 800))
    window.named_actions["race"].trigger()
    race = window.dock_manager.panel("race")
    for rule in ("platt", "maximum-gain"):
        race.racing.choose_rule(rule, True)
    qtbot.waitUntil(lambda: race.racing.frame is not None)
    finish(race, qtbot)
    views = [(view.x(), view.y()) for view in race.board.racers]
    assert len({x for x, _ in views}) == len({y for _, y in views}) == 2
    assert len({view.picture.size().toTuple() for view in race.board.racers}) == 1


@pytest.mark.slow
def test_mode_pace_and_axes_are_chosen(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    race = opened(window, qtbot)
    choose(find(race, QComboBox, "mode"), "time")
    assert find(race, QLabel, "pace_text").text() == "0.02 ms per picture"
    full_speed(race)
    assert find(race, QLabel, "pace_text").text() == "full speed"
    click(find(race, QPushButton, "play"))
    wait_for_end(race, qtbot)
    assert "times as long" in news(race)
    finish(race, qtbot)
    curves = find(race, RaceCurves, "curves")
    shown = [curves.grab().toImage()]
    choose(find(race, QComboBox, "rightwards"), "evaluations")
    shown.append(curves.grab().toImage())
    choose(find(race, QComboBox, "upwards"), "violation")
    shown.append(curves.grab().toImage())
    choose(find(race, QComboBox, "rightwards"), "seconds")
    shown.append(curves.grab().toImage())
    assert all(a != b for index, a in enumerate(shown) for b in shown[:index])
    for slot, xy in curves.lines_of():
        racer = race.racing.frame.racers[slot]
        assert xy[-1, 0] == racer.seconds and (np.diff(xy[:, 0]) >= 0).all()
        assert xy[-1, 1] == pytest.approx(racer.certificate.kkt_violation) and curves.goal == 1e-3
        noted = racer.curve[np.isfinite(racer.curve[:, 4]) & (racer.curve[:, 2] > 0)]
        np.testing.assert_array_equal(xy, noted[:, (2, 4)])
        drawn = next(line for line in curves.lines() if line.name == title(racer.rule))
        assert np.asarray(drawn.x).tolist() == xy[:, 0].tolist() and np.asarray(drawn.y).tolist() == xy[:, 1].tolist()


def test_a_frozen_worker_does_not_hold_the_window(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make(document())
    race = opened(window, qtbot)
    frozen, thaw = threading.Event(), threading.Event()
    work = Racer.work

    def slow(self: Racer, mode: str, goal: float) -> None:
        frozen.set()
        thaw.wait(300)
        work(self, mode, goal)

    monkeypatch.setattr(Racer, "work", slow)
    play = find(race, QPushButton, "play")
    click(play)
    qtbot.waitUntil(frozen.is_set)
    turns = []
    timer = QTimer()
    timer.timeout.connect(lambda: turns.append(1))
    timer.start(0)
    for rule in ("platt", "cyclic"):
        click(find(race, QCheckBox, f"rule.{rule}"))
    full_speed(race)
    dock_of(window).resize(1000, 700)
    click(play)
    assert play.text() == "&Play", "it answers while the worker is away"
    canvas = window.canvases[0]
    before = len(window.document.points)
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=canvas.to_widget(5.0, 5.0))
    qtbot.waitUntil(lambda: len(turns) > 20)
    timer.stop()
    assert not thaw.is_set() and len(window.document.points) >= before
    thaw.set()
    finish(race, qtbot)


@pytest.mark.slow
def test_closing_the_main_window_closes_the_race(make: Make, qtbot: QtBot) -> None:
    window = make(document(100, (Lane("knn"), Lane("svm", svm=SvmSettings(C=100.0)))))
    race = opened(window, qtbot)
    dock_of(window).setFloating(False)
    click(find(race, QPushButton, "play"))
    qtbot.waitUntil(lambda: race.racing.frame.begun)
    discard(window)
    assert not race.isVisible()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("compute")]


@pytest.mark.slow
def test_new_points_are_raced_on_after_a_restart(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    race = opened(window, qtbot)
    sentence = find(race, QLabel, "sentence")
    window.controller.dispatch(AddPoints(xy=[(0.0, 3.0)], labels=[0]))
    finish(race, qtbot)
    assert not sentence.isVisible() and len(race.racing.frame.points) == 81, "not started: it takes them in"
    full_speed(race)
    click(find(race, QPushButton, "play"))
    wait_for_end(race, qtbot)
    window.controller.dispatch(AddPoints(xy=[(1.0, -3.0)], labels=[1]))
    finish(race, qtbot)
    assert sentence.isVisible() and "The points have changed: Restart races on the new ones." in sentence.text()
    assert len(race.racing.frame.points) == 81
    picture = race.board.racers[1].picture  # the sentence has taken space from it
    grid = race.racing.frame.racers[1].picture.grid
    assert (grid.width, grid.height) == (picture.width(), picture.height())
    click(find(race, QPushButton, "restart"))
    wait_for_end(race, qtbot)
    finish(race, qtbot)
    assert len(race.racing.frame.points) == 82 and not sentence.isVisible()


@pytest.mark.slow
def test_without_an_svm_or_a_second_class_there_is_a_sentence(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    race = opened(window, qtbot)
    sentence, play = find(race, QLabel, "sentence"), find(race, QPushButton, "play")
    window.controller.set_lane(1, classifier="knn")
    finish(race, qtbot)
    assert text.NO_LANE in sentence.text() and not play.isEnabled()
    window.controller.set_lane(1, classifier="svm")
    finish(race, qtbot)
    assert not sentence.isVisible() and play.isEnabled()
    window.controller.clear()
    finish(race, qtbot)
    qtbot.waitUntil(lambda: sentence.isVisible())
    assert NO_SECOND_CLASS in sentence.text() and not play.isEnabled()
    assert find(race, QTableWidget, "table").rowCount() == 0 and race.curves.lines_of() == []
    window.controller.undo()
    finish(race, qtbot)
    qtbot.waitUntil(lambda: play.isEnabled())


def test_several_classes_offer_their_problems(make: Make, qtbot: QtBot) -> None:
    window = make(document(15, name="blobs", n_classes=3))
    race = opened(window, qtbot)
    problems = find(race, QComboBox, "problem")
    assert problems.isVisible() and problems.count() == 3
    assert problems.currentText() == "class 1 against class 2"
    choose(problems, (1, 2))
    finish(race, qtbot)
    assert race.racing.frame.points.classes == [1, 2]


@pytest.mark.slow
def test_theme_and_large_text(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    race = opened(window, qtbot)
    full_speed(race)
    click(find(race, QPushButton, "play"))
    wait_for_end(race, qtbot)
    finish(race, qtbot)
    window.appearance.choose_theme("dark")
    finish(race, qtbot)
    assert dark_share(race) > 0.7
    shades = themes.DARK.shades
    qtbot.waitUntil(lambda: race.racing.asked.shades == shades)
    finish(race, qtbot)
    corner = int(race.racing.frame.racers[0].picture.argb[0, 0])
    assert max(corner >> 16 & 255, corner >> 8 & 255, corner & 255) < 140
    window.appearance.choose_theme("light")
    finish(race, qtbot)
    assert dark_share(race) < 0.3
    scroll = dock_of(window).findChild(QScrollArea)
    assert scroll.verticalScrollBar().maximum() == 0 == scroll.horizontalScrollBar().maximum()
    window.appearance.set_text_size(20)
    finish(race, qtbot)
    assert scroll.horizontalScrollBar().maximum() == 0, "larger text goes on below, not beyond the edge"
    assert scroll.verticalScrollBar().maximum() > 0
    for label in race.findChildren(RoomyLabel):
        if label.isVisible():
            assert label.heightForWidth(label.width()) <= label.height(), f"cut off: {label.text()}"
    for kind in (QPushButton, QCheckBox):
        for button in race.findChildren(kind):
            assert button.width() >= button.sizeHint().width(), button.objectName()


@pytest.mark.slow
def test_text_may_grow_while_the_window_stays(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    race = opened(window, qtbot, (1900, 1000))
    full_speed(race)
    click(find(race, QPushButton, "play"))
    wait_for_end(race, qtbot)
    finish(race, qtbot)
    before = race.table.rowHeight(0)
    for size in (16, 8):
        window.appearance.set_text_size(size)
        finish(race, qtbot)
        assert dock_of(window).findChild(QScrollArea).verticalScrollBar().maximum() == 0
        for label in race.findChildren(RoomyLabel):
            if label.isVisible():
                needed, line = label.heightForWidth(label.width()), label.fontMetrics().lineSpacing()
                assert needed <= label.height() <= needed + 3 * line, label.text()
        assert (race.table.rowHeight(0) > before) == (size == 16)
        assert race.table.rowHeight(0) >= race.table.fontMetrics().height()


@pytest.mark.slow
@pytest.mark.parametrize("size", first_of([(900, 650), (1900, 1000)], 1))
def test_everything_has_a_name_and_is_large_enough(make: Make, qtbot: QtBot, size: tuple[int, int]) -> None:
    window = make(document())
    race = opened(window, qtbot, size)
    for rule in ("platt", "maximum-gain"):
        click(find(race, QCheckBox, f"rule.{rule}"))
    full_speed(race)
    click(find(race, QPushButton, "play"))
    wait_for_end(race, qtbot)
    finish(race, qtbot)
    for kind in (QAbstractButton, QComboBox, QSlider):
        for widget in race.findChildren(kind):
            if widget.isVisible() and widget.objectName().startswith("race."):
                assert widget.accessibleName() and widget.accessibleDescription() and widget.toolTip()
                assert widget.height() >= 24, widget.objectName()
    for name in ("table", "curves", "winner", "picture0", "picture3"):
        assert find(race, QWidget, name).accessibleName()
    table = find(race, QTableWidget, "table")
    metrics = table.fontMetrics()
    for row in range(4):
        for column in range(1, 7):
            wide = metrics.horizontalAdvance(table.item(row, column).text())
            assert wide < table.columnWidth(column), "no number is cut off"
    scroll = dock_of(window).findChild(QScrollArea)
    assert scroll.verticalScrollBar().maximum() == 0 and scroll.horizontalScrollBar().maximum() == 0


@pytest.mark.slow
def test_pictures_show_points_lines_and_marks(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    race = opened(window, qtbot)
    picture = race.board.racers[1].picture
    start = picture.grab().toImage()
    full_speed(race)
    click(find(race, QPushButton, "play"))
    wait_for_end(race, qtbot)
    finish(race, qtbot)
    image = picture.grab().toImage()
    assert image != start
    frame = race.racing.frame
    racer, grid = frame.racers[1], race.racing.grid

    def pixel(x: float, y: float) -> tuple[int, int]:
        across = (x - grid.left) / (grid.right - grid.left) * picture.width()
        return int(across), int((grid.top - y) / (grid.top - grid.bottom) * picture.height())

    marked = set(racer.marks.free.tolist()) | set(racer.marks.bounded.tolist())
    assert marked and len(marked) < len(frame.points)
    theme = themes.LIGHT
    right = 0
    for index, (x, y) in enumerate(frame.points.xy.tolist()):
        others = np.abs(frame.points.xy - (x, y)).sum(axis=1)
        if (others < 0.15).sum() > 1:
            continue  # another point may cover it
        colour = image.pixelColor(*pixel(x, y)).getRgb()[:3]
        assert np.abs(np.array(colour) - theme.classes[int(frame.points.labels[index])]).max() < 40
        right += 1
    assert right > 5
    ends = racer.picture.boundary[np.isfinite(racer.picture.boundary).all(axis=1)]
    darkest = [
        min(image.pixelColor(px + dx, py).lightness() for dx in (-1, 0, 1))
        for px, py in (pixel(*end) for end in ends[::9])
        if 2 < px < picture.width() - 3
    ]
    assert np.median(darkest) < 90, "the boundary is drawn where it is"


def test_a_profile_keeps_no_race(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(document())
    opened(window, qtbot)
    assert not window.isWindowModified(), "a race is no change of the document"
