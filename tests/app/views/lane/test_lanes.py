"""Lanes: one to four pictures, added, duplicated, moved and removed by hand; their difference, and the wipe."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDockWidget, QTableView, QWidget
from pytestqt.qtbot import QtBot

from app.features.difference.controller import DifferenceController
from app.features.difference.scene import DifferenceSession, Wipe
from app.scene.model import columns_for
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, View
from app.views.plot.canvas import Canvas
from app.window.lane.lanes import COMFORTABLE
from app.window.main_window import MainWindow
from tests.app import file_work
from tests.app.views.lane.test_forms import NO_GRAB, find
from tests.covering import first_of
from tests.windows import Make, choose_entry, finish_layout, is_visible, open_settings, settle

pytestmark = NO_GRAB

KINDS = ("knn", "svm", "perceptron", "pegasos")


def document(*kinds: str) -> Document:
    points = GeneratorSettings("moons", 40).points()
    lanes = tuple(Lane(kind) for kind in kinds)
    return Document(points, lanes=lanes, shown=len(lanes), view=View.fitting(points))


#: Entries of the menu at the end of a row.
IN_MENU = ("left", "right", "add", "duplicate", "remove")


def click(qtbot: QtBot, window: MainWindow, name: str) -> None:
    lane, _, what = name.partition(".")
    if what in IN_MENU:
        choose_entry(window, f"{lane}.menu", name)
    else:
        button = find(window, name)
        assert button.isEnabled(), name
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)


def can(window: MainWindow, name: str) -> bool:
    """Return whether an entry of the menu of a row can be chosen."""
    entry = window.findChild(QAction, name)
    assert entry is not None, name
    return entry.isEnabled()


def shown(window: MainWindow) -> list[str]:
    document = window.document
    return [lane.classifier for lane in document.lanes[: document.shown]]


def sizes(window: MainWindow) -> set[tuple[int, int]]:
    return {canvas.plot_size() for canvas in window.canvases[: window.document.shown]}


@pytest.mark.slow
def test_lanes_are_added_moved_and_removed_by_the_buttons_with_undo(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm"))
    run = window.result(1).run_state.recording
    click(qtbot, window, "lane1.add")
    assert shown(window) == ["knn", "svm", "perceptron"]
    assert window.result(1).run_state.recording == run, "nothing is learnt anew"
    click(qtbot, window, "lane0.duplicate")
    assert shown(window) == ["knn", "knn", "svm", "perceptron"] and window.result(2).run_state.recording == run
    assert len(window.canvases) == 4 and all(canvas.isVisible() for canvas in window.canvases)
    for at in range(4):
        assert not can(window, f"lane{at}.add") and not can(window, f"lane{at}.duplicate")
        frame = window.result(at)
        assert frame.lane == window.document.lanes[at] and frame.full
    click(qtbot, window, "lane3.left")
    assert shown(window) == ["knn", "knn", "perceptron", "svm"]
    assert window.result(3).run_state.recording == run and window.result(0).run_state is None
    assert not can(window, "lane3.right") and not can(window, "lane0.left")
    click(qtbot, window, "lane1.remove")
    click(qtbot, window, "lane0.right")
    assert shown(window) == ["perceptron", "knn", "svm"]
    for expected in (3, 4, 4, 3, 2):
        window.named_actions["undo"].trigger()
        settle(qtbot, window)
        assert window.document.shown == expected
    assert shown(window) == ["knn", "svm"]
    assert window.result(1).run_state.recording == run
    for _ in range(5):
        window.named_actions["redo"].trigger()
    settle(qtbot, window)
    assert shown(window) == ["perceptron", "knn", "svm"]
    assert [window.result(at).lane.classifier for at in range(3)] == shown(window)
    for at in range(3):
        lane = window.scene.lanes[at]
        assert lane.picture is window.result(at).picture and lane.badge.text


def test_the_last_lane_stays(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm"))
    click(qtbot, window, "lane0.remove")
    assert shown(window) == ["svm"] and window.result(0).lane == Lane("svm")
    assert not can(window, "lane0.remove") and window.canvases[1].isHidden()
    window.named_actions["lanes"].trigger()
    settle(qtbot, window)
    assert shown(window) == ["svm", "knn"], "side by side with another"
    window.named_actions["lanes"].trigger()
    settle(qtbot, window)
    assert window.document.shown == 1 and len(window.document.lanes) == 2


@pytest.mark.slow
def test_a_lane_in_the_position_of_a_removed_one_shows_nothing_of_it(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm"))
    slot = window.document.slots[1]
    click(qtbot, window, "lane1.remove")
    assert window.scheduler.results.frame(slot) is None
    for _ in range(2):
        window.controller.lanes.add(window.document.shown - 1)
    settle(qtbot, window)
    window.controller.lanes.add(2)
    window.refresh()
    assert window.document.slots[3] == slot and window.scene.lanes[3].picture is None
    settle(qtbot, window)
    assert window.result(3).lane == window.document.lanes[3]


def test_a_new_lane_is_laid_out_once(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """It came as large as its parts liked, over the others, then with a bar that went away again."""
    window = make(document("knn", "svm"), size=(1280, 800))
    sizes: dict[str, list[tuple[int, int]]] = {}

    class Spy(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if isinstance(watched, Canvas) and isinstance(event, QResizeEvent):
                sizes.setdefault(watched.objectName(), []).append(event.size().toTuple())
            return False

    spy = Spy(window)
    build = window.lanes_view._make

    def make_watched() -> None:
        build()
        window.canvases[-1].installEventFilter(spy)

    monkeypatch.setattr(window.lanes_view, "_make", make_watched)
    for canvas in window.canvases:
        canvas.installEventFilter(spy)
    window.controller.lanes.add(1)
    settle(qtbot, window)
    assert sizes.keys() == {"canvas0", "canvas1", "canvas2"}
    assert {len(each) for each in sizes.values()} == {1}, sizes
    assert window.lanes_view.bars[2].isHidden()


@pytest.mark.slow
def test_the_bar_of_a_run_makes_no_picture_wider(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1024, 768))
    window.dock_manager.reveal("code")
    window.controller.playback.set_replay(1e6)  # the bar stays, and the test does not wait for the run
    window.controller.playback.watch(1)
    dock = window.findChild(QDockWidget, "dock.code")
    assert dock is not None
    window.resizeDocks([dock], [560], Qt.Orientation.Horizontal)
    settle(qtbot, window)
    assert window.lanes_view.bars[1].isVisible() and window.canvases[1].width() < 250
    assert window.canvases[0].width() == window.canvases[1].width()


@pytest.mark.parametrize("size", first_of([(1024, 768), (1920, 1080)], 1))
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_all_pictures_are_as_large_and_large_enough(make: Make, number: int, size: tuple[int, int]) -> None:
    window = make(document(*KINDS[:number]), size=size)
    assert (window.width(), window.height()) == size, "the window did not grow"
    canvases = window.canvases[:number]
    widths, heights = {canvas.plot_size()[0] for canvas in canvases}, [canvas.plot_size()[1] for canvas in canvases]
    assert len(widths) == 1 and max(heights) - min(heights) <= 1
    assert min(widths) >= 280 and min(heights) >= (200 if number > 2 else 250)
    rows = {canvas.mapTo(window, QPoint(0, 0)).y() for canvas in canvases}
    assert len(rows) == (2 if (number > 2 and size[0] == 1024) or (number == 4 and size[0] < 1700) else 1)
    unit = {round(canvas.unit(), 4) for canvas in canvases}
    assert max(unit) - min(unit) < 0.01 * max(unit), "the same scale in all of them"
    inside = window.rect()
    for canvas in canvases:
        assert inside.contains(canvas.mapTo(window, canvas.rect().bottomRight()))


def test_the_panel_of_settings_follows_the_selected_classifier(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm", "svm"), size=(1024, 768))
    forms = window.lanes_view.settings.forms
    assert [form.isVisible() for form in forms] == [False] * 3
    assert find(window, "lane2.settings").text() == "", "nothing is hidden that one should know of"
    click(qtbot, window, "lane1.settings")
    assert [form.isVisible() for form in forms] == [False, True, False]
    click(qtbot, window, "lane2.settings")
    assert [form.isVisible() for form in forms] == [False, False, True]
    combo = find(window, "lane2.rule")
    assert isinstance(combo, QComboBox) and combo.isVisible() and not is_visible(window, "lane1.rule")
    combo.setCurrentIndex(combo.findData("cyclic"))
    combo.activated.emit(combo.currentIndex())
    settle(qtbot, window)
    rules = [lane.svm.selection for lane in window.document.lanes]
    assert rules[2] == "cyclic" and "cyclic" not in rules[:2]
    for index, (at, row) in enumerate(zip((2, 1, 0), reversed(window.lanes_view.rows), strict=True)):
        QTest.mouseClick(row, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(1, row.height() // 2))
        settle(qtbot, window)
        assert [lane.selected for lane in window.scene.lanes] == [each == at for each in range(3)], index
        assert [form.isVisible() for form in forms] == [each == at for each in range(3)]
    find(window, "lane1.C").setFocus(Qt.FocusReason.TabFocusReason)
    settle(qtbot, window)
    assert [form.isVisible() for form in forms] == [False, True, False], "the keyboard selects, too"
    click(qtbot, window, "lane2.settings")
    click(qtbot, window, "lane2.settings")
    more = find(window, "lane2.settings")
    assert not combo.isVisible() and more.text() == "+1" and "cyclic" in more.toolTip().lower()
    assert "settings" not in window.controller.session.open_panels, "a second click closes the panel"


def test_the_row_of_the_selected_classifier_has_a_mark(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm"))

    def marked(row: QWidget) -> bool:
        return row.grab().toImage().pixelColor(1, row.height() // 2) == row.palette().highlight().color()

    assert [marked(row) for row in window.lanes_view.rows] == [False, True]
    QTest.mouseClick(window.lanes_view.rows[0], Qt.MouseButton.LeftButton, pos=QPoint(1, 8))
    settle(qtbot, window)
    assert [marked(row) for row in window.lanes_view.rows] == [True, False]
    window.named_actions["lanes"].trigger()
    settle(qtbot, window)
    assert not marked(window.lanes_view.rows[0]), "one alone needs none"


@pytest.mark.slow
def test_the_tab_key_goes_from_lane_to_lane_as_the_eye_reads(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm"), size=(1500, 900))
    window.named_actions["compare"].trigger()  # a panel that was opened before the lane
    click(qtbot, window, "lane1.add")
    open_settings(window, 2)
    settle(qtbot, window)
    order: list[str] = []
    first: QWidget = find(window, "lane0.classifier")
    widget = first
    while not order or widget is not first:
        order += [""] if widget is first else []
        widget = widget.nextInFocusChain()
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.objectName():
            order.append(widget.objectName())
    canvases = [name for name in order if name in ("canvas0", "canvas1", "canvas2")]
    assert canvases == ["canvas0", "canvas1", "canvas2"]
    third = [name for name in order if name.startswith("lane2") or name == "canvas2"]
    last = max(index for index, name in enumerate(order) if name.startswith("lane1") or name == "canvas1")
    assert order[last + 1] == "lane2.classifier", "right after the lane before it"
    as_read = ["lane2.classifier", "lane2.watch", "lane2.settings", "lane2.menu", "canvas2"]
    assert [name for name in third if name in as_read] == as_read


def test_typing_a_shortcut_marks_the_difference_in_the_two_pictures(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "perceptron", "svm"))
    assert all(not lane.sheets for lane in window.scene.lanes)
    QTest.keyClick(window.canvases[0], Qt.Key.Key_X)
    settle(qtbot, window)
    hatches = [lane.sheets for lane in window.scene.lanes]
    assert len(hatches[0]) == 1 and hatches[0] == hatches[1] and hatches[2] == ()
    (hatch,) = hatches[0]
    grid = window.canvases[0].grid()
    x, y = np.meshgrid(grid.xs, grid.ys[::-1])
    locations = np.column_stack((x.ravel(), y.ravel()))
    first, second = (window.result(at).model.predict(locations).reshape(x.shape) for at in (0, 1))
    np.testing.assert_array_equal(hatch.mask, first != second)
    assert window.named_actions["differing"].isChecked()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_X)
    settle(qtbot, window)
    assert all(not lane.sheets for lane in window.scene.lanes)
    assert window.scheduler.results.answer("compare") is None


def test_the_panel_chooses_counts_and_lists(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "perceptron", "svm"), size=(1500, 900))
    window.named_actions["compare"].trigger()
    settle(qtbot, window)
    words = find(window, "compare.words").text()
    model = [window.result(at).model for at in range(3)]
    points = window.document.points

    def involved(a: int, b: int) -> list[int]:
        return np.flatnonzero(model[a].predict(points.xy) != model[b].predict(points.xy)).tolist()

    assert words.startswith("1 and 2 differ on ") and f"They differ on {len(involved(0, 1))} of 80 points" in words
    second = find(window, "compare.second")
    assert isinstance(second, QComboBox) and second.count() == 3
    second.setCurrentIndex(second.findData(2))
    second.activated.emit(second.currentIndex())
    settle(qtbot, window)
    assert window.document.compared == (0, 2) and window.scene.undo == "Compare other classifiers"
    table = find(window, "compare.points")
    assert isinstance(table, QTableView)
    assert table.model().rowCount() == len(involved(0, 2))
    second.setCurrentIndex(second.findData(0))
    second.activated.emit(second.currentIndex())
    settle(qtbot, window)
    assert window.document.compared == (2, 0), "the same one twice changes the two"
    first = find(window, "compare.first")
    assert isinstance(first, QComboBox) and (first.currentData(), second.currentData()) == (2, 0)
    window.controller.feature(DifferenceController).compare(1, 0)
    settle(qtbot, window)
    rows = involved(1, 0)
    assert table.model().rowCount() == len(rows) > 3
    table.setFocus()
    row = next(row for row, location in enumerate(rows) if row != location)
    rect = table.visualRect(table.model().index(row, 1))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    settle(qtbot, window)
    assert window.scene.selected.tolist() == [rows[row]], "the row's point is selected in the pictures"
    shows = [table.model().index(row, column).data() for column in range(5)]
    label = int(points.labels[rows[row]])
    expected = [f"{int(model[at].predict(points.xy[[rows[row]]])[0]) + 1}" for at in (1, 0)]
    assert shows[2] == str(label + 1) and [each.split()[0] for each in shows[3:]] == expected
    assert sorted(each.split()[1] for each in shows[3:]) == ["✓", "✗"]


@pytest.mark.slow
def test_the_difference_has_a_lane_of_its_own(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "perceptron"), size=(1500, 900))
    window.named_actions["difference"].trigger()
    settle(qtbot, window)
    assert shown(window) == ["knn", "perceptron", "difference"]
    lane = window.scene.lanes[2]
    assert lane.title == "Difference of 1 and 2" and lane.headline.startswith("They differ on ")
    picture = window.result(2).picture
    grid = window.canvases[2].grid()
    assert picture.grid == grid
    x, y = np.meshgrid(grid.xs, grid.ys)
    locations = np.column_stack((x.ravel(), y.ravel()))
    first, second = (window.result(at).model.predict(locations) for at in (0, 1))
    assert picture.differing == (first != second).mean() > 0
    window.controller.set_lane(0, "knn", n_neighbors=25)
    settle(qtbot, window)
    first = window.result(0).model.predict(locations)
    assert window.result(2).picture.differing == (first != second).mean(), "it follows the two"
    click(qtbot, window, "lane0.remove")
    assert "add a second one" in window.scene.lanes[1].message and window.scene.lanes[1].picture is None
    window.named_actions["undo"].trigger()
    settle(qtbot, window)
    assert window.scene.lanes[2].picture is not None


def test_the_wipe_lays_the_second_picture_over_the_right_of_the_first(make: Make, qtbot: QtBot) -> None:
    window = make(replace(document("knn", "svm"), points=GeneratorSettings("moons", 3).points()))
    canvas = window.canvases[0]

    def pixels(at: int) -> np.ndarray:
        image = window.canvases[at].grab().toImage()
        area = window.canvases[at].plot_area()
        return np.array(
            [
                [image.pixel(x, y) for x in range(int(area.left()) + 3, int(area.right()) - 3, 7)]
                for y in range(int(area.top()) + 40, int(area.bottom()) - 50, 7)
            ]
        )

    before = [pixels(0), pixels(1)]
    QTest.keyClick(canvas, Qt.Key.Key_Y)
    settle(qtbot, window)
    grip = find(window, "canvas0.wipe")
    assert grip.isVisible() and grip.width() >= 24 and window.scene.feature(Wipe).at == 0.5
    middle = before[0].shape[1] // 2
    now = pixels(0)
    np.testing.assert_array_equal(now[:, : middle - 2], before[0][:, : middle - 2])
    np.testing.assert_array_equal(now[:, middle + 3 :], before[1][:, middle + 3 :])
    assert (before[0] != before[1]).mean() > 0.2
    start = grip.rect().center()
    QTest.mousePress(grip, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(grip, start + QPoint(-100, 0))
    QTest.mouseRelease(grip, Qt.MouseButton.LeftButton, pos=start)
    settle(qtbot, window)
    at = window.scene.feature(Wipe).at
    assert at == pytest.approx(0.5 - 100 / canvas.plot_area().width(), abs=0.01)
    assert len(window.document.points) == 6, "the grip is no place for a point"
    grip.setFocus()
    QTest.keyClick(grip, Qt.Key.Key_Right)
    settle(qtbot, window)
    assert window.scene.feature(Wipe).at > at
    window.controller.feature(DifferenceController).wipe(7.0)
    assert window.controller.session.of(DifferenceSession).wipe == 1.0
    QTest.keyClick(canvas, Qt.Key.Key_Y)
    settle(qtbot, window)
    assert not grip.isVisible()
    np.testing.assert_array_equal(pixels(0), before[0])


@pytest.mark.slow
def test_a_file_of_three_opens_as_it_was(make: Make, qtbot: QtBot, tmp_path) -> None:
    window = make(document("knn", "svm"))
    window.controller.lanes.add(0)
    window.controller.set_lane(1, "knn", n_neighbors=7)
    window.controller.feature(DifferenceController).compare(2, 1)
    settle(qtbot, window)
    path = tmp_path / "three.playground"
    assert file_work.save(window.controller, path)
    lanes = window.document.lanes
    window.controller.lanes.remove(0)
    settle(qtbot, window)
    window.controller.store.saved(window.document, path)
    assert file_work.open_file(window.controller, path)
    settle(qtbot, window)
    assert window.document.lanes == lanes and window.document.compared == (2, 1) and window.document.shown == 3
    assert [window.result(at).lane for at in range(3)] == list(lanes)
    assert lanes[1].knn == KnnSettings(7)


@pytest.mark.slow
@pytest.mark.parametrize("patient", first_of([False, True], 1))
def test_panels_outlive_the_lane_they_show(make: Make, qtbot: QtBot, patient: bool) -> None:
    """With every panel open, lanes are added, removed and moved, as results arrive or after all have arrived; the
    displayed lane exists.
    """
    window = make(document("knn", "svm", "svm"), size=(1500, 900))

    def look() -> None:
        if patient:
            settle(qtbot, window)
        else:
            window.refresh()
            QApplication.processEvents()

    for names in (
        ("asking", "curves", "compare"),
        ("step", "alphas", "probe"),
        ("loss", "evaluation"),
        ("truth", "whatif"),
    ):
        for name in names:
            window.named_actions[name].trigger()
        look()
        for verb in (
            lambda: window.controller.lanes.remove(2),
            lambda: window.controller.feature(DifferenceController).show_difference(),
            lambda: window.controller.lanes.move(2, -2),
            lambda: window.controller.lanes.remove(1),
            lambda: window.controller.lanes.remove(1),
        ):
            verb()
            look()
        assert shown(window) == ["difference"] and "second one" in window.scene.lanes[0].message
        for _ in range(5):
            window.controller.undo()
            window.refresh()
        look()
        assert shown(window) == ["knn", "svm", "svm"]


@pytest.mark.parametrize(
    ("number", "size", "columns"),
    [
        (2, (400, 2000), 2),
        (4, (1881, 1002), 2),
        (4, (1241, 722), 2),
        (4, (2521, 1002), 4),
        (3, (1881, 1002), 3),
        (3, (1241, 722), 3),
        (3, (985, 690), 2),
        (3, (1561, 1122), 2),
        (4, (913, 445), 2),
    ],
)
def test_pictures_stand_as_the_plane_is_largest(number: int, size: tuple[int, int], columns: int) -> None:
    assert columns_for(number, *size, 56, 81, COMFORTABLE) == columns


@pytest.mark.slow
def test_four_lanes_stand_two_by_two_on_a_projector_and_a_timeline_moves_none(make: Make, qtbot: QtBot) -> None:
    window = make(document("knn", "svm", "svm", "svm"), size=(1920, 1080))

    def locations() -> list[tuple[int, int]]:
        settle(qtbot, window)
        finish_layout()
        return [(canvas.x(), canvas.y()) for canvas in window.canvases]

    before = locations()
    assert len({x for x, _ in before}) == len({y for _, y in before}) == 2
    window.controller.playback.to_end(1)
    assert [x for x, _ in locations()] == [x for x, _ in before] and window.lanes_view.bars[1].isVisible()
    window.controller.playback.leave(1)
    assert locations() == before
    window.named_actions["presenter"].trigger()
    assert len({x for x, _ in locations()}) == 2
    window.named_actions["presenter"].trigger()
    window.controller.lanes.remove(3)
    assert len({y for _, y in locations()[:3]}) == 1, "three are larger side by side"
