"""The controller: each user action becomes one command or one change of the session; a refusal is one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.controllers.controller import Controller
from app.core.points import Points
from app.exchange import columns, importing
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, SvmSettings, View
from app.state.session import FULL_SPEED, SPEEDS, Session
from app.state.store import Store
from app.tools import PointerPosition
from solver.data.datasets import DATASETS
from tests.app import file_work

SMALL = Document(Points.of([(0.0, 0.0), (1.0, 0.5)], [0, 1]))


class Table:
    """A controller on a small document, and the sentences that it reported."""

    def __init__(self) -> None:
        self.report: list[str] = []
        self.changes = 0
        self.store = Store(SMALL)
        self.user = Controller(self.store, Session(), self.count, self.report.append)

    def count(self) -> None:
        self.changes += 1


@pytest.fixture
def table() -> Table:
    return Table()


def at(x: float, y: float) -> PointerPosition:
    return PointerPosition(x, y, 0.01)


def click(user: Controller, x: float, y: float) -> None:
    user.editing.press(at(x, y))
    user.editing.release(at(x, y))


def test_a_click_puts_a_point_of_the_active_class(table: Table) -> None:
    table.user.set_class(5)
    table.user.set_class(8)
    table.user.set_class(-1)
    click(table.user, 2.0, 2.0)
    assert table.store.document.points.labels.tolist() == [0, 1, 5]
    assert table.report == []


def test_a_drag_is_one_step_and_undo_waits_for_its_end(table: Table) -> None:
    table.user.editing.press(at(0.0, 0.0))
    for x in (0.1, 0.2, 0.3):
        table.user.editing.drag(at(x, 0.0))
        table.user.undo()
        table.user.redo()
    table.user.editing.release(at(0.3, 0.0))
    assert table.store.document.points.xy[0].tolist() == [0.3, 0.0]
    table.user.undo()
    assert table.store.document.points is SMALL.points and table.store.undo_name is None
    table.user.redo()
    assert table.store.document.points.xy[0].tolist() == [0.3, 0.0]


def test_each_press_of_an_arrow_key_is_a_step_and_its_repeats_are_not(table: Table) -> None:
    table.user.editing.select_all()
    for again in (False, True, True, False, True):
        table.user.editing.nudge(0.5, 0.0, again)
    assert table.store.history == ("Nudge 2 points",) * 2
    table.user.undo()
    assert table.store.document.points.xy[:, 0].tolist() == [1.5, 2.5]


def test_removing_reports_when_no_point_is_near(table: Table) -> None:
    table.user.editing.remove(at(0.5, 5.0))
    assert table.report == ["No point within 12 pixels of the pointer to remove."]
    table.user.editing.remove(at(0.05, 0.0))
    assert table.store.document.points.labels.tolist() == [1] and len(table.report) == 1


def test_hover_is_handed_on(table: Table) -> None:
    table.user.editing.hover(None)
    heard: list[PointerPosition | None] = []
    table.user.editing.hover = heard.append
    table.user.editing.hover(at(1.0, 2.0))
    table.user.editing.hover(None)
    assert heard == [at(1.0, 2.0), None] and table.changes == 0


def test_looking_elsewhere(table: Table) -> None:
    table.user.zoom(0.5, at(0.0, 0.0))
    table.user.pan(1.0, -1.0)
    assert table.store.document.view == View(1.0, -1.0, 1.2)
    table.user.fit()
    assert table.store.document.view == View.fitting(SMALL.points)
    assert table.store.undo_name is None and not table.store.modified


@pytest.mark.parametrize("name", DATASETS)
def test_a_chosen_generator_can_generate(name: str, table: Table) -> None:
    for n_classes in (2, 8):
        table.store.reset(Document(generator=GeneratorSettings("blobs", 5, shift=0.0, n_classes=n_classes)), None)
        table.user.choose_generator(name)
        table.user.generate()
        made = table.store.document
        assert table.report == [] and made.generator.name == name and len(made.points) > 0
        assert made.generator.noise == DATASETS[name].noise
        few, many = DATASETS[name].n_classes
        assert few <= len(made.points.classes) <= many
        table.user.generate(add=True)
        assert len(table.store.document.points) == 2 * len(made.points)


def test_points_that_stay_are_called_what_they_are(table: Table) -> None:
    """Pasted or drawn points were never the generator's; edited ones were."""
    table.user.set_generator(noise=0.5)
    table.user.generate()
    click(table.user, 9.0, 9.0)
    table.user.set_generator(noise=0.25)
    rest = ", so they stay as they are.  Generate (G) makes new ones."
    assert table.report == [f"The points are not the generator's{rest}", f"The points were edited{rest}"]


def test_fields_change_or_are_refused_with_a_sentence(table: Table) -> None:
    table.user.set_lane(1, "svm", C=9.0)
    table.user.set_lane(0, "knn", n_neighbors=7)
    table.user.set_lane(0, classifier="svm")
    assert table.store.document.lanes == (
        Lane("svm", knn=KnnSettings(n_neighbors=7)),
        Lane("svm", svm=SvmSettings(C=9.0)),
    )
    assert table.store.undo_name == "Set classifier to svm" and table.report == []
    before = table.store.document
    wrong: dict[str, Callable[[], None]] = {
        "Set C to -1:": lambda: table.user.set_lane(1, "svm", C=-1.0),
        "Set C to nan:": lambda: table.user.set_lane(1, "svm", C=float("nan")),
        "Set k to 0:": lambda: table.user.set_lane(0, "knn", n_neighbors=0),
        "Set the class weights:": lambda: table.user.set_class_weight(1, 2, 1000.0),
        "Set many classes to all:": lambda: table.user.set_lane(1, "svm", multiclass="all"),
        "Set heavy class weights:": lambda: table.user.set_lane(1, "svm", class_weight="heavy"),
        "Set count to 0:": lambda: table.user.set_generator(count=0),
        "Set noise to 11:": lambda: table.user.set_generator(noise=11.0),
    }
    for start, act in wrong.items():
        table.report.clear()
        act()
        assert len(table.report) == 1 and table.report[0].startswith(start) and "`" not in table.report[0]
        assert table.store.document is before


def test_a_class_weight_changes_alone(table: Table) -> None:
    table.user.set_class_weight(1, 1, 3.0)
    table.user.set_class_weight(1, 0, 0.5)
    weights = [lane.svm.own_weights for lane in table.store.document.lanes]
    assert weights == [(1.0,) * 8, (0.5, 3.0) + (1.0,) * 6]
    table.user.set_class_weight(1, 0, 0.5)
    table.user.undo()
    assert table.store.document.lanes[1].svm.own_weights == (1.0, 3.0) + (1.0,) * 6


def test_a_limit_not_allowed_in_files_is_clipped(table: Table, tmp_path: Path) -> None:
    for limit, kept in ((-5, 10), (10**12, 10_000_000)):
        table.user.set_training_limit(limit)
        assert table.store.document.training_limit == kept
        assert file_work.save(table.user, tmp_path / "x.playground") and file_work.open_file(
            table.user, tmp_path / "x.playground"
        )


def test_words_of_the_undo_menu(table: Table) -> None:
    changes: dict[str, Callable[[], None]] = {
        "Set hard margin": lambda: table.user.set_lane(1, "svm", hard_margin=True),
        "Set soft margin": lambda: table.user.set_lane(1, "svm", hard_margin=False),
        "Choose the pair of the margins": lambda: table.user.set_lane(1, pair=(1, 2)),
        "Set one-vs-rest": lambda: table.user.set_lane(1, "svm", multiclass="one-vs-rest"),
        "Set own class weights": lambda: table.user.set_lane(1, "svm", class_weight="own"),
        "Set the weight of class 2 to 3": lambda: table.user.set_class_weight(1, 1, 3.0),
        "Set the weight of class 8 to 0.25": lambda: table.user.set_class_weight(1, 7, 0.25),
        "Set γ to 0.5": lambda: table.user.set_lane(1, "svm", gamma=0.5),
        "Set the number of classes to 3": lambda: table.user.set_generator(n_classes=3),
        "Show one classifier": table.user.toggle_lanes,
        "Clear 2 points": table.user.clear,
    }
    for report, act in changes.items():
        act()
        assert table.store.undo_name == report
    table.user.toggle_lanes()
    assert table.store.document.shown == 2


def test_a_drag_of_a_slider_is_one_step(table: Table) -> None:
    for drag in ("first", "second"):
        for C in (2.0, 3.0, 4.0):
            table.user.set_lane(1, "svm", drag=drag, C=C + len(drag))
    table.user.set_generator(drag="third", seed=1)
    table.user.set_generator(drag="third", seed=2)
    found = []
    while table.store.undo_name:
        found.append((table.store.document.lanes[1].svm.C, table.store.document.generator.seed, table.store.undo_name))
        table.user.undo()
    assert found == [(10.0, 2, "Set seed to 2"), (10.0, 0, "Set C to 10"), (9.0, 0, "Set C to 9")]
    assert table.store.document.lanes == SMALL.lanes


def test_impossible_data_are_refused_and_change_nothing(table: Table) -> None:
    table.user.set_generator(name="moons", shift=0.5)
    assert len(table.report) == 1 and "stay as they are" in table.report[0], "the points are not the generator's own"
    before = table.store.document
    table.user.generate()
    assert table.store.document is before and len(table.report) == 2 and table.report[1].endswith("must be 0.")


def test_the_session_reports_changes_only(table: Table) -> None:
    for speed, kept in ((-5, 0), (3, 3), (99, FULL_SPEED)):
        table.user.playback.set_speed(1, speed)
        assert table.user.session.speeds[:2] == (len(SPEEDS) - 1, kept)
    changes = table.changes
    table.user.playback.set_speed(1, 99)
    table.user.set_class(0)
    table.user.set_session(theme="system", dark=False)
    assert table.changes == changes
    table.user.playback.set_replay(2.0)
    table.user.toggle("legend")
    table.user.playback.restart(0)
    table.user.set_session(theme="dark", dark=True)
    assert table.changes == changes + 4 and table.store.document is SMALL
    expected = Session(replay_factor=2.0, selected_slot=0, legend=True, restarts=(1, 0, 0, 0), theme="dark", dark=True)
    assert table.user.session == expected


def test_new_keeps_the_classifiers(table: Table) -> None:
    table.user.set_lane(0, "knn", n_neighbors=9)
    table.user.new()
    assert len(table.store.document.points) == 0 and table.store.document.lanes[0].knn.n_neighbors == 9
    assert table.store.undo_name is None and not table.store.modified and table.store.path is None


def test_save_and_open(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "mine.playground"
    click(table.user, 3.0, 3.0)
    assert file_work.save(table.user, path) and not table.store.modified and table.store.path == path
    assert table.report == ["Saved mine.playground."]
    table.user.new()
    table.user.editing.select_all()
    restarts = table.user.session.restarts
    assert file_work.open_file(table.user, path)
    opened = table.store.document
    counted = tuple(count + 1 for count in restarts)
    assert table.user.session.restarts == counted, "what was learnt before does not count"
    assert len(opened.points) == 3 and opened.view == View()
    assert table.store.path == path and not table.store.modified and table.store.undo_name is None
    table.report.clear()
    path.write_bytes(b"{")
    assert not file_work.open_file(table.user, path, table.report.append) and table.store.document is opened
    assert not file_work.save(table.user, tmp_path / "no" / "x.playground", table.report.append)
    assert [report.split()[0] for report in table.report] == ["mine.playground", "x.playground"]
    assert table.store.path == path


def test_a_document_opens_where_one_looked_unless_nothing_is_there(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "mine.playground"
    for view, kept in ((View(1.0, 0.5, 0.1), True), (View(50.0, 0.0, 2.0), False)):
        table.store.reset(replace(SMALL, view=view), None)
        assert file_work.save(table.user, path) and file_work.open_file(table.user, path)
        assert table.store.document.view == (view if kept else View.fitting(SMALL.points))


def test_points_of_a_file_come_in_and_go_out(table: Table, tmp_path: Path) -> None:
    for name in ("points.csv", "points.tsv", "points.npz", "points.svmlight"):
        table.store.reset(SMALL, None)
        table.user.set_style(1, name="setosa")
        assert file_work.export(table.user, tmp_path / name)
        read = importing.read(tmp_path / name)
        came = columns.convert(read, columns.default_choice(read))
        table.user.import_points(came, add=False)
        document = table.store.document
        assert document.points.xy.tolist() == SMALL.points.xy.tolist() and table.store.undo_name == "Import 2 points"
        table.user.import_points(came, add=True)
        assert len(table.store.document.points) == 4 and len(table.store.document.points.classes) == 2
    table.report.clear()
    assert not file_work.export(table.user, tmp_path / "no" / "x.csv", table.report.append)
    assert table.report[0].startswith("x.csv was not saved")


GESTURES = {
    "line": [(0.2, 0.2), (0.8, 0.9)],
    "ellipse": [(0.2, 0.2), (0.7, 0.8)],
    "jitter": [(0.1, 0.1)],
    "magnet": [(0.1, 0.1)],
    "brush": [(0.3, 0.3), (0.5, 0.5)],
}


@pytest.mark.parametrize("tool", GESTURES)
@pytest.mark.parametrize("add", [lambda user: user.lanes.add(3), lambda user: user.lanes.duplicate(1)])
def test_a_classifier_refused_in_a_gesture_changes_no_lane(tool: str, add: Callable[[Controller], None]) -> None:
    table = Table()
    lanes = tuple(Lane("svm", svm=SvmSettings(C=C)) for C in (1.0, 2.0, 3.0, 4.0))
    table.store.reset(replace(table.store.document, lanes=lanes, shown=4), None)
    table.user.set_session(tool=tool, speeds=(7.0, 8.0, 9.0, 10.0), playing=(False,) * 4)
    first, *rest = GESTURES[tool]
    table.user.editing.press(at(*first))
    for pointer in rest:
        table.user.editing.drag(at(*pointer))
    add(table.user)
    assert table.report[-1] == "There is room for 4 classifiers; remove one first."
    assert table.user.session.speeds == (7.0, 8.0, 9.0, 10.0) and table.user.session.playing == (False,) * 4
    assert table.store.document.lanes == lanes
