"""The panel in the window, by real clicks and keys: form, map, cells, edge, pause and cancel, files, other points."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QLabel, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.core.number_format import about, percent
from app.features.study import engines, reading, results, timing
from app.features.study.cells import Path as CellPath
from app.features.study.cells import paths
from app.features.study.computing import Given, Record
from app.features.study.controller import OUTDATED
from app.features.study.model import LEARNING, NOTES, Study, StudyAxis
from app.features.study.panel import StudyPanel, study_file
from app.features.study.planning import KINDS, AxisPlan, StudySession, costs_of
from app.features.study.results import NAME, StudyResults
from app.features.study.running import StudyProcesses, jobs
from app.files.documents import FileError
from app.learners.svm import SvmSettings
from app.state.commands import AddPoints
from app.state.document import Document, GeneratorSettings, Lane, View
from app.window.main_window import MainWindow
from tests import playground_files
from tests.app.features.study.studies import GRID, computed, document_of, given_of, no_document, plain
from tests.windows import Make, finish_layout, finish_tasks, settle

KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
#: 3 x 2 cells, two folds: computed in a moment.
AXES = (AxisPlan("C", "0.001", "0.1", "3", True), AxisPlan("gamma", "0.5", "1", "2"))


def document() -> Document:
    made = document_of(30)
    lanes = (Lane("svm", svm=SvmSettings(C=0.01, gamma=0.75)), Lane("knn"))
    return replace(made, lanes=lanes, shown=2, view=View.fitting(made.points))


def opened(window: MainWindow, qtbot: QtBot, small: bool = True) -> StudyPanel:
    window.controller.lanes.select(0)
    QTest.keyClick(window.canvases[0], KEY.Key_D, CTRL_SHIFT)
    settle(qtbot, window)
    panel = window.findChild(StudyPanel)
    assert panel is not None and panel.isVisible()
    if small:
        panel.studies.choose(axes=AXES, folds="2")
        settle(qtbot, window)
    return panel


def click(widget: QWidget) -> None:
    assert widget.isVisible() and widget.isEnabled()
    QTest.mouseClick(widget, LEFT)


def report(panel: StudyPanel, name: str) -> str:
    label = panel.findChild(QLabel, f"study.{name}")
    assert label is not None
    return label.text() if label.isVisibleTo(panel) else ""


def type_into(panel: StudyPanel, name: str, text: str) -> None:
    field = panel.findChild(QLineEdit, f"study.{name}")
    assert field is not None and field.isVisible()
    field.setFocus()
    QTest.keyClick(field, KEY.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, text)


def test_learning_curve_is_a_command_and_advanced_shows_the_rest(make: Make, qtbot: QtBot) -> None:
    window = make(document(), simple=True)
    (menu,) = (menu for menu in window.menuBar().findChildren(QMenu) if menu.title() == "&Compare")
    assert "Learning curve" in [action.text().replace("&", "") for action in menu.actions()]
    window.named_actions["learning-curve"].trigger()
    settle(qtbot, window)
    panel = window.findChild(StudyPanel)
    assert panel is not None and panel.isVisible() and panel.form.kind.currentData() == "learning-curve"
    expert, numbers = {"efficiency", "notes"}, ("folds", "draws", "test")
    for advanced in (False, True):
        kinds = {panel.form.kind.itemData(row) for row in range(panel.form.kind.count())}
        assert (expert <= kinds) == advanced and {"grid", "rules", "learning-curve"} <= kinds
        assert panel.findChild(QLineEdit, "study.folds").isVisible() == advanced
        if not advanced:
            assert not any(panel.findChild(QLineEdit, f"study.{name}").isVisible() for name in numbers)
            panel.form.advanced.setFocus()
            QTest.keyClick(panel.form.advanced, KEY.Key_Space)
            settle(qtbot, window)
    # The command does not touch a plan of its kind.
    plan = panel.studies.plan
    window.named_actions["learning-curve"].trigger()
    settle(qtbot, window)
    assert panel.studies.plan is plan


def test_a_study_is_of_the_selected_classifier_until_it_is_planned(make: Make, qtbot: QtBot) -> None:
    window = make(document(), simple=False)
    panel = opened(window, qtbot, small=False)
    for lane, axis in ((1, "k"), (0, "C"), (1, "k")):
        QTest.mouseClick(window.lanes_view.rows[lane], LEFT, pos=QPoint(1, 4))
        settle(qtbot, window)
        assert panel.form.lane.currentData() == window.document.slots[lane]
        assert panel.studies.plan.axes[0].name == axis
    type_into(panel, "axis0.count", "3")
    QTest.mouseClick(window.lanes_view.rows[0], LEFT, pos=QPoint(1, 4))
    settle(qtbot, window)
    assert panel.form.lane.currentData() == window.document.slots[1] and panel.studies.plan.axes[0].count == "3"


def choose(panel: StudyPanel, name: str, data: object) -> None:
    combo = panel.findChild(QComboBox, f"study.{name}")
    assert combo is not None and combo.isVisible()
    combo.setFocus()
    QTest.keyClick(combo, KEY.Key_Home)
    while combo.currentData() != data:
        before = combo.currentIndex()
        QTest.keyClick(combo, KEY.Key_Down)
        assert combo.currentIndex() > before, f"{data} is not offered"


def done(panel: StudyPanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: panel.studies.state == "ended")


def cell(panel: StudyPanel, column: int, row: int) -> QPoint:
    x, y = panel.picture.middles()
    return QPointF(float(x[column, row]), float(y[column, row])).toPoint()


@pytest.fixture
def stopped() -> Iterator[None]:
    """Check that after the windows are closed no thread of a run is left."""
    runs: list[StudyProcesses] = []
    begin = StudyProcesses.__init__

    def noted(run: StudyProcesses, *args: object, **named: object) -> None:
        begin(run, *args, **named)  # type: ignore[arg-type]
        runs.append(run)

    StudyProcesses.__init__ = noted  # type: ignore[method-assign, assignment]
    yield
    StudyProcesses.__init__ = begin  # type: ignore[method-assign]
    for run in runs:
        run.cancel()
        for thread in run.threads:
            thread.join(300)
        assert not any(thread.is_alive() for thread in run.threads)


@pytest.mark.slow
@pytest.mark.usefixtures("stopped")
def test_a_study_is_planned_computed_and_read(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    panel = opened(window, qtbot)
    assert report(panel, "forecast").startswith("12 trainings, duration not known yet (measuring…)")
    panel.form.advanced.click()
    # Each field reports its own fault, and nothing starts.
    for name, bad, label, good in (
        ("axis0.start", "no", "axis0.fault", "0.001"),
        ("axis0.stop", "0.0001", "axis0.fault", "0.1"),
        ("axis0.count", "1", "axis0.fault", "3"),
        ("axis1.start", "-1", "axis1.fault", "0.5"),
        ("axis1.stop", "1e99", "axis1.fault", "1"),
        ("axis1.count", "2.5", "axis1.fault", "2"),
        ("folds", "1", "folds.fault", "2"),
        ("repetitions", "0", "repetitions.fault", "1"),
    ):
        type_into(panel, name, bad)
        window.refreshing.flush()
        field = panel.findChild(QLineEdit, f"study.{name}")
        assert report(panel, label).endswith(".") and not panel.start.isEnabled(), name
        assert field is not None and field.property("bad") and field.accessibleDescription() == report(panel, label)
        type_into(panel, name, good)
        window.refreshing.flush()
        assert not report(panel, label) and panel.start.isEnabled() and not field.property("bad"), name
    click(panel.start)
    assert panel.studies.state == "running" and panel.bar.isVisible() and not panel.start.isVisible()
    done(panel, qtbot)
    window.refreshing.flush()
    kept = panel.studies.kept
    assert kept is not None and not kept.missing() and not panel.bar.isVisible()
    # The same results as the command line.
    records = computed(kept.study, given_of(window.document.training_points))
    assert plain(kept.study, kept.records()) == plain(kept.study, records)
    # The pointer reads a cell, with spread and folds; a click puts it into the classifier, as one step.
    QTest.mouseMove(panel.picture.viewport(), cell(panel, 1, 1))
    mean = np.mean([each.values["accuracy"] for each in records if each.cell == (1, 1)])
    assert report(panel, "words").startswith(f"C = 0.01, γ = 1: validation accuracy {percent(mean)} ± ")
    assert report(panel, "words").endswith("(2 folds)")
    steps = len(window.controller.store.history)
    QTest.mouseClick(panel.picture.viewport(), LEFT, pos=cell(panel, 2, 0))
    settle(qtbot, window)
    svm = window.document.lanes[0].svm
    assert (svm.C, svm.gamma) == (0.1, 0.5) and window.controller.store.history[steps:] == ("Set C = 0.1, γ = 0.5",)
    frame = window.result(0)
    assert frame is not None and frame.model is not None and frame.model.C == 0.1
    window.named_actions["undo"].trigger()
    settle(qtbot, window)
    assert window.document.lanes[0].svm.gamma == 0.75 and panel.studies.kept is kept
    # The cross marks the values of the sliders.
    assert panel._drawn is not None and panel._drawn.cross == pytest.approx((1.0, 0.5)) and panel._drawn.same
    window.controller.set_lane(0, "svm", C=0.1)
    settle(qtbot, window)
    assert panel._drawn.cross == pytest.approx((2.0, 0.5))
    # Keys go from cell to cell.
    panel.picture.setFocus()
    QTest.mouseMove(panel.picture.viewport(), QPoint(1, 1))
    panel.picture.read((0, 0))
    for key in (KEY.Key_Right, KEY.Key_Up, KEY.Key_Up, KEY.Key_Return):
        QTest.keyClick(panel.picture, key)
    svm = window.document.lanes[0].svm
    assert (svm.C, svm.gamma) == (0.01, 1.0)


@pytest.mark.slow
@pytest.mark.usefixtures("stopped")
def test_the_best_at_the_edge_asks_for_more(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(document())
    panel = opened(window, qtbot)
    panel.studies.choose(axes=(AxisPlan("C", "0.1", "10", "3", True), AxisPlan("gamma", "0.01", "100", "3", True)))
    window.refreshing.flush()
    click(panel.start)
    done(panel, qtbot)
    window.refreshing.flush()
    best = panel.studies.best()
    assert best is not None and best.axis == 0 and not best.low
    assert report(panel, "warning") == "The best is at the edge of C: extend." and panel.remedy.text() == "&Extend"
    before = panel.studies.kept
    assert before is not None
    first = before.seconds.copy()
    click(panel.remedy)
    done(panel, qtbot)
    kept = panel.studies.kept
    assert kept is not None and kept.study.axes[0].values == (0.1, 1.0, 10.0, 100.0, 1000.0) and not kept.missing()
    assert np.array_equal(kept.seconds[:3], first)  # only new cells were computed
    # Midpoint and contour.
    for level in (panel.midpoint, panel.level):
        level.check.setFocus()
        QTest.keyClick(level.check, KEY.Key_Space)
        window.refreshing.flush()
    before_picture = panel.picture.grab().toImage()
    session = window.controller.session.of(StudySession)
    assert session.midpoint is not None and session.level is not None
    panel.level.field.setFocus()
    panel.level.field.selectAll()
    QTest.keyClicks(panel.level.field, "80")
    QTest.keyClick(panel.level.field, KEY.Key_Return)
    window.refreshing.flush()
    assert window.controller.session.of(StudySession).level == 0.8
    assert panel.picture.grab().toImage() != before_picture
    # Files.
    for suffix in ("png", "svg", "csv"):
        click(panel.save)
        dialog = panel.findChild(QFileDialog, "study.path")
        assert dialog is not None
        dialog.fileSelected.emit(str(tmp_path / f"map.{suffix}"))
        dialog.reject()
        dialog.deleteLater()
        dialog.setObjectName("")
        finish_tasks(window)
    assert not QImage(str(tmp_path / "map.png")).isNull()
    assert b"<svg" in (tmp_path / "map.svg").read_bytes()
    lines = (tmp_path / "map.csv").read_text().splitlines()
    assert lines[0].startswith("cell,C,gamma,repetition,fold,accuracy") and len(lines) == 1 + 5 * 3 * 2


@pytest.mark.slow
@pytest.mark.usefixtures("stopped")
def test_results_are_saved_and_are_of_these_points(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(document())
    panel = opened(window, qtbot)
    assert not window.controller.store.modified
    click(panel.start)
    done(panel, qtbot)
    assert window.controller.store.modified
    kept = panel.studies.kept
    path = tmp_path / "study.playground"
    playground_files.write(window.document, path)
    other = make(playground_files.read(path))
    panel = opened(other, qtbot, small=False)
    again = panel.studies.kept
    assert kept is not None and again is not None and panel.picture.isVisible() and panel.studies.state == "ended"
    assert again.study == kept.study and np.array_equal(again.values["accuracy"], kept.values["accuracy"])
    assert OUTDATED not in report(panel, "warning")
    other.controller.dispatch(AddPoints(xy=[[0.0, 0.0]], labels=1))
    settle(qtbot, other)
    assert report(panel, "warning") == OUTDATED and panel.remedy.text() == "&Run again"
    other.named_actions["undo"].trigger()
    settle(qtbot, other)
    assert OUTDATED not in report(panel, "warning")
    other.named_actions["redo"].trigger()
    settle(qtbot, other)
    click(panel.remedy)
    done(panel, qtbot)
    other.refreshing.flush()
    now = panel.studies.kept
    assert now is not None and now.study.digest != kept.study.digest and OUTDATED not in report(panel, "warning")
    assert panel.studies.kept is not again and not now.missing()
    other.controller.new()
    settle(qtbot, other)
    assert panel.studies.kept is None and not panel.picture.isVisible()


def test_results_of_the_command_line_are_opened(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(document())
    panel = opened(window, qtbot)
    alerts: list[str] = []
    window.tasks._alert = alerts.append
    folder = tmp_path / "results"
    folder.mkdir()
    click(panel.open)
    dialog = panel.findChild(QFileDialog, "study.folder")
    assert dialog is not None
    dialog.fileSelected.emit(str(folder))
    dialog.reject()
    finish_tasks(window)
    assert alerts == ["results holds no results of a study."] and panel.studies.kept is None
    records = [each for some, _ in engines.run(GRID, None, paths(GRID), folder) for each in some]
    panel.open_results(folder)
    finish_tasks(window)
    kept = panel.studies.kept
    assert kept is not None and plain(GRID, list(kept.records())) == plain(GRID, records)
    assert panel.picture.isVisible() and window.document.attached and OUTDATED not in report(panel, "warning")
    (part,) = folder.glob("part-*")
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join([*lines[:2], b"noise\n", *lines[3:]]))
    messages: list[str] = []
    window.controller.say = messages.append  # type: ignore[method-assign]
    panel.open_results(folder)
    finish_tasks(window)
    assert messages == [f"1 damaged line set aside, to be computed again: {part.name}, line 3."]
    kept = panel.studies.kept
    assert kept is not None and kept.done == len(records) - 1
    large = msgspec.structs.replace(GRID, repetitions=100_000)
    results.ResultsFile(tmp_path, large).close()
    panel.open_results(tmp_path)
    finish_tasks(window)
    assert "more than 200\u202f000 results" in alerts[-1] and panel.studies.kept is kept
    # And conversely: the study as a file.
    panel.save_as(tmp_path / "study.toml")
    finish_tasks(window)
    assert reading.read(tmp_path / "study.toml", no_document)[0] == GRID
    study = msgspec.structs.replace(GRID, generator=None, digest="?")
    with pytest.raises(FileError, match="save that first"):
        study_file(study, tmp_path / "a.toml", None)
    assert b'document = "../b.playground"' in study_file(study, tmp_path / "c" / "a.toml", tmp_path / "b.playground")


def test_unusable_input_is_reported(make: Make, qtbot: QtBot) -> None:
    window = make(replace(document(), attached=((NAME, b'{"study":1}'),)))
    panel = opened(window, qtbot)
    assert report(panel, "warning").startswith("The study that is kept with this document cannot be used: ")
    assert not panel.picture.isVisible() and not panel.remedy.isVisible() and panel.start.isEnabled()


@pytest.mark.slow
@pytest.mark.usefixtures("stopped")
def test_pause_cancel_and_going_on(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    panel = opened(window, qtbot)
    panel.studies.choose(axes=(AxisPlan("tol", "1e-9", "1e-8", "9"), AXES[1]), repetitions="200", value="steps")
    settle(qtbot, window)
    click(panel.start)
    qtbot.waitUntil(lambda: panel.studies.kept is not None and panel.studies.kept.done > 0)
    panel.picture.setFocus()
    assert "left" in report(panel, "left") and panel.studies.state == "running"
    click(panel.pause)
    assert report(panel, "left").startswith("Paused at ") and panel.pause.text() == "&Resume"
    # An edit meanwhile is drawn as usual.
    window.controller.set_lane(0, "svm", C=3.0)
    settle(qtbot, window)
    frame = window.result(0)
    assert frame is not None and frame.model is not None and frame.model.C == 3.0
    click(panel.pause)
    assert panel.studies.state == "running"
    click(panel.cancel)
    window.refreshing.flush()
    assert panel.studies.state == "ended" and "results are there" in report(panel, "warning")
    kept = panel.studies.kept
    assert kept is not None and 0 < kept.done < 7200 and panel.remedy.text() == "&Go on"
    there = kept.done
    click(panel.remedy)
    qtbot.waitUntil(lambda: panel.studies.kept is not None and panel.studies.kept.done > there)
    # With the panel hidden another document is opened: no result of this one gets into it.
    window.named_actions["study"].trigger()
    settle(qtbot, window)
    window.controller.new()
    panel.studies._put = 0.0  # it would be kept now
    panel.studies.collect()
    settle(qtbot, window)
    assert panel.studies.state == "ended" and not window.document.attached and panel.studies.kept is None


@pytest.mark.slow
@pytest.mark.usefixtures("stopped")
def test_what_a_running_study_has_is_encoded_beside_the_window(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded_in: list[bool] = []
    whole, go_on = StudyResults.encode, threading.Event()

    def encode(kept: StudyResults) -> bytes:
        encoded_in.append(threading.current_thread() is threading.main_thread())
        if not encoded_in[-1]:
            go_on.wait(300)
        return whole(kept)

    monkeypatch.setattr(StudyResults, "encode", encode)
    window = make(document())
    panel = opened(window, qtbot)
    studies = panel.studies
    planned = studies.planned().study
    assert planned is not None
    records = computed(planned)
    studies.take(StudyResults(planned))
    encoded_in.clear()
    assert studies.kept is not None
    studies.kept.add(records[0])
    studies._keep_aside()
    studies.kept.add(records[1])  # the run continues meanwhile: a copy is encoded
    go_on.set()
    finish_tasks(window)
    assert encoded_in == [False]
    assert StudyResults.decode(dict(window.document.attached)[NAME]).done == 1 and studies.kept.done == 2
    go_on.clear()
    studies._keep_aside()
    studies.kept.add(records[2])
    studies._keep()  # newer than the results being encoded
    go_on.set()
    finish_tasks(window)
    assert StudyResults.decode(dict(window.document.attached)[NAME]).done == 3
    studies._keep_aside()
    studies.take(StudyResults(planned))
    finish_tasks(window)
    assert StudyResults.decode(dict(window.document.attached)[NAME]).done == 0
    studies._keep_aside()
    window.controller.new()
    finish_tasks(window)
    assert not window.document.attached, "nothing of it gets into another document"


@pytest.mark.usefixtures("stopped")
def test_the_choices_are_whole_on_a_small_screen(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1024, 768))
    panel = opened(window, qtbot, small=False)
    for kind in range(panel.form.kind.count()):
        panel.form.kind.setCurrentIndex(kind)
        panel.form.kind.activated.emit(kind)
        settle(qtbot, window)
        finish_layout()
        for combo in (panel.form.kind, panel.form.lane, panel.form.data, panel.form.value):
            assert combo.is_whole(), (combo.currentText(), combo.width())


@pytest.mark.slow
@pytest.mark.usefixtures("stopped")
def test_other_kinds(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    panel = opened(window, qtbot, small=False)
    panel.form.advanced.click()
    choose(panel, "kind", "notes")
    window.refreshing.flush()
    assert KINDS["notes"].sentence in report(panel, "sentence")
    assert report(panel, "forecast").startswith("990\u202f000 trainings")
    assert panel.studies.planned().study == NOTES
    assert panel.form.value.currentText() == "Accuracy on the whole square", "not of the generator's new points"
    assert [each.heading("accuracy")[12:] for each in (NOTES, LEARNING)] == ["the whole square", "new points"]
    choose(panel, "kind", "rules")
    window.refreshing.flush()
    assert "six rules" in report(panel, "sentence") and "All 6" in report(panel, "axis1.all")
    choose(panel, "kind", "learning-curve")
    window.refreshing.flush()
    type_into(panel, "axis0.stop", "20")
    type_into(panel, "axis0.count", "3")
    type_into(panel, "repetitions", "4")
    window.refreshing.flush()
    click(panel.start)
    done(panel, qtbot)
    window.refreshing.flush()
    assert panel._drawn is not None and panel._drawn.curves and not panel.midpoint.isVisible()
    QTest.mouseMove(panel.picture.viewport(), cell(panel, 1, 0))
    assert report(panel, "words").startswith(
        "n per class = 10: accuracy on new points"
    ) and "(4 repetitions)" in report(panel, "words")
    _, curve = panel.picture.reading  # the two may be nearly equal there
    for key, goal in ((KEY.Key_Right, 2), (KEY.Key_Home, 2), (KEY.Key_End, 2), (KEY.Key_Left, 1)):
        QTest.keyClick(panel.picture, key)
        assert panel.picture.reading == (goal, curve)
    choose(panel, "shown", "training_accuracy")
    window.refreshing.flush()
    assert panel.studies.value == "training_accuracy"
    click(panel.fold)
    type_into(panel, "repetitions", "999")
    window.refreshing.flush()
    click(panel.start)
    qtbot.waitUntil(lambda: panel.studies.kept is not None and panel.studies.kept.done > 0)
    # The window is closed during the run; the fixture checks that nothing is left.


@pytest.mark.usefixtures("stopped")
def test_a_cell_sets_the_points_too_and_the_form_names_x_and_y_axis(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    panel = opened(window, qtbot, small=False)
    labels = {label.text().replace("&", "") for label in panel.form.findChildren(QLabel) if label.isVisible()}
    assert {"x axis", "y axis", "Kind", "Measure"} <= labels and not {"Across", "Up"} & labels
    lefts = [
        panel.findChild(QWidget, f"study.{name}") for name in ("kind", "lane", "data", "axis0", "axis1", "repetitions")
    ]
    assert len({each.mapTo(panel, QPoint(0, 0)).x() for each in lefts if each is not None}) == 1, (
        "fields begin in a line"
    )
    box = panel.findChild(QCheckBox, "study.axis0.spacing")
    assert box is not None and box.text() == "logarithmic" and box.isChecked()
    QTest.mouseClick(box, LEFT, pos=QPoint(10, box.height() // 2))
    assert not panel.studies.plan.axes[0].log
    axes = (StudyAxis("n", (10, 20)), StudyAxis("gamma", (0.5, 2.0)), StudyAxis("data", ("moons", "circle")))
    study = Study("grid", axes, ("accuracy",), Lane("svm"), GeneratorSettings("moons", 5, 0.2, 3), test=50)
    panel.studies.take(StudyResults(study))
    panel.studies.set_display(rest=(1,))
    panel._open = False
    panel._again()
    before, steps = window.document, len(window.controller.store.history)
    QTest.mouseClick(panel.picture.viewport(), LEFT, pos=cell(panel, 1, 0))
    settle(qtbot, window)
    made = window.document
    assert made.generator == made.origin == GeneratorSettings("circle", 20, 0.2, 3)
    assert len(made.points) == 40 and made.lanes[0].svm.gamma == 0.5
    assert window.controller.store.history[steps:] == ("Set n per class = 20, γ = 0.5, Data set = Circle",)
    assert panel._drawn is not None and panel._drawn.cross == pytest.approx((1.0, 0.0))
    window.named_actions["undo"].trigger()
    settle(qtbot, window)
    assert window.document.points is before.points and window.document.lanes == before.lanes


class Timed:
    """Stand-in for a run: its first cells take a multiple of the forecast."""

    times, start = 5.0, 0.0
    state = "running"

    def __init__(
        self, study: Study, given: Given | None, todo: Callable[[], list[CellPath]], *rest: object, **named: object
    ) -> None:
        costs = costs_of(study, given)
        self._records = [
            Record(cell, path.repetition, path.fold, seconds=self.times * float(costs[cell]))
            for path in list(todo())[:4]
            for cell in path.cells
        ]
        self.cancelled = False

    def take(self) -> list[Record]:
        found, self._records = self._records, []
        return found

    def cancel(self) -> None:
        self.cancelled = True


@pytest.mark.slow
def test_how_long_it_takes_is_measured_on_some_cells(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "StudyProcesses", Timed)
    monkeypatch.setattr(timing, "MEASURED", 0.3)
    window = make(document())
    panel = opened(window, qtbot, small=False)
    panel.form.advanced.click()
    choose(panel, "kind", "notes")
    window.refreshing.flush()
    assert report(panel, "forecast").endswith("trainings, duration not known yet (measuring…)")
    qtbot.waitUntil(lambda: panel.studies.measured)
    qtbot.waitUntil(lambda: "measuring" not in report(panel, "forecast"))
    planned = panel.studies.planned()
    trial = panel.studies._trial
    assert trial is not None and trial.factor == pytest.approx(5.0, rel=0.2), (
        "the cell at hand counts with what it took"
    )
    minutes = trial.factor * planned.seconds / jobs() / 60
    found = re.search(r"about (\d+) min", report(panel, "forecast"))
    assert found is not None and int(found[1]) == pytest.approx(minutes, rel=0.15)
    # Another plan is measured anew; a closed panel is not.
    type_into(panel, "repetitions", "3")
    window.refreshing.flush()
    assert not panel.studies.measured
    qtbot.waitUntil(lambda: panel.studies.measured)


@pytest.mark.slow
@pytest.mark.usefixtures("stopped")
def test_what_is_left_is_not_reckoned_from_how_long_processes_take_to_begin(make: Make, qtbot: QtBot) -> None:
    """A first result after 400 seconds is no speed: the seconds measured by the processes count."""
    window = make(document())
    panel = opened(window, qtbot, small=False)
    panel.form.advanced.click()
    choose(panel, "kind", "notes")
    studies = panel.studies
    studies.start()
    run = studies._run
    assert run is not None
    run.begun -= 400.0
    qtbot.waitUntil(lambda: studies.kept is not None and studies.kept.done > 0)
    forecast = (run.whole - run.cost) * run.factor / jobs()
    assert studies.left == f"0 %, {about(forecast)} left"
    # A measured speed counts from the start, until the run has its own.
    studies._slower[run.study] = 3.0 * run.factor
    assert studies.left == f"0 %, {about(3.0 * forecast)} left"
    run.cost, run.took = 0.01 * run.whole, 0.01 * run.whole + timing.MEASURED
    assert studies.left == f"1 %, {about(0.99 * run.whole * run.factor / jobs())} left"
