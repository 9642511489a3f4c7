"""Commands and the store: every edit as a value, undo and redo, merged strokes, and what counts as modified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from msgspec.structs import replace

from app.core.points import Points
from app.state.commands import (
    AddPoints,
    Attach,
    Clear,
    Command,
    Generate,
    ImportPoints,
    MovePoints,
    RelabelPoints,
    RemovePoints,
    Revert,
    SetFields,
    SetLane,
    SetView,
    ShowLanes,
)
from app.state.document import (
    ClassStyle,
    Document,
    GeneratorSettings,
    KnnSettings,
    Lane,
    SvmSettings,
    View,
    default_document,
)
from app.state.store import Store
from tests.examples import examples

SMALL = Document(Points.of([(0.0, 0.0), (1.0, 0.5), (2.0, 2.0)], [0, 1, 1]))


def content(document: Document) -> tuple[Any, ...]:
    """Return the content of a document as comparable values, without its view."""
    p = document.points
    return (p.xy.tolist(), p.labels.tolist(), document.lanes, document.shown, document.generator)


# -- commands ------------------------------------------------------------------------------------------------------

NOTHING: dict[str, Command] = {
    "no points": AddPoints(),
    "too far": AddPoints(xy=((1e16, 0.0), (0.0, -1e16))),
    "not finite": AddPoints(xy=((float("nan"), 0.0), (0.0, float("inf")))),
    "no such class": AddPoints(xy=((0.0, 0.0),), labels=8),
    "class below 0": AddPoints(xy=((0.0, 0.0),), labels=-1),
    "where it is": MovePoints(ids=[1], xy=(1.0, 0.5)),
    "no such point": MovePoints(ids=[3], xy=(1.0, 0.5)),
    "point below 0": MovePoints(ids=[-1], xy=(1.0, 0.5)),
    "moved to nowhere": MovePoints(ids=[0], xy=(float("nan"), 0.0)),
    "moved too far": MovePoints(ids=[0], xy=(0.0, 2e15)),
    "relabelled as it is": RelabelPoints(ids=[1, 2, 9], label=1),
    "relabelled as nothing": RelabelPoints(ids=[1], label=8),
    "relabel none": RelabelPoints(label=3),
    "remove none": RemovePoints(),
    "remove others": RemovePoints(ids=(-1, 3, 10**12)),
    "same generator": SetFields(changes=(("generator", GeneratorSettings()),)),
    "same lane": SetLane(index=0, lane=Lane("knn")),
    "same number of lanes": ShowLanes(count=2),
    "same view": SetView(view=View()),
}


@pytest.mark.parametrize("name", NOTHING)
def test_no_change_is_the_same_object_and_no_news(name: str) -> None:
    store = Store(SMALL)
    store.listen(lambda old, new: pytest.fail("told of nothing"))
    assert NOTHING[name].apply(SMALL) is SMALL
    store.dispatch(NOTHING[name])
    assert store.document is SMALL and store.undo_name is None and not store.modified


def test_clear_and_generate_again_change_nothing() -> None:
    assert Clear().apply(Document()).points.blocks == ()
    empty = Document()
    assert Clear().apply(empty) is empty
    made = Generate().apply(SMALL)
    assert Generate().apply(made) is made


CHANGES: dict[str, tuple[Command, str]] = {
    "add": (AddPoints(xy=((3.0, 3.0), (1e16, 0.0)), labels=5), "Add 1 point"),
    "add one": (AddPoints(xy=((3.0, 3.0),), labels=5), "Add 1 point"),
    "move": (MovePoints(ids=[0], xy=(-1.0, 0.0)), "Move 1 point"),
    "remove": (RemovePoints(ids=(0, 2, 99)), "Remove 2 points"),
    "clear": (Clear(), "Clear 3 points"),
    "generate": (Generate(settings=GeneratorSettings(name="xor")), "Generate xor"),
    "generate more": (Generate(add=True), "Add moons"),
    "generator": (
        SetFields(changes=(("generator", GeneratorSettings(seed=3)),), text="Set seed to 3"),
        "Set seed to 3",
    ),
    "lane": (SetLane(index=1, lane=Lane("svm", svm=SvmSettings(C=9.0)), text="Set C to 9"), "Set C to 9"),
    "lanes": (ShowLanes(count=1), "Show one classifier"),
}


def test_names_in_the_undo_menu() -> None:
    assert ShowLanes(count=2).name(SMALL, SMALL) == "Show two classifiers"
    assert SetView(view=View(1.0)).name(SMALL, SMALL) == "Look elsewhere"


@pytest.mark.parametrize("name", CHANGES)
def test_each_command_is_one_step_there_and_back(name: str) -> None:
    command, report = CHANGES[name]
    news: list[tuple[Document, Document]] = []
    store = Store(SMALL)
    store.listen(lambda old, new: news.append((old, new)))
    before = content(SMALL)
    store.dispatch(command)
    after = content(store.document)
    assert after != before and store.undo_name == report and store.modified
    assert news == [(SMALL, store.document)]
    store.undo()
    assert content(store.document) == before and store.redo_name == report and not store.modified
    assert store.document.view == SMALL.view
    store.redo()
    assert content(store.document) == after and store.redo_name is None
    assert len(news) == 3


def test_what_the_commands_do() -> None:
    added = CHANGES["add"][0].apply(SMALL).points
    assert added.xy.tolist()[3:] == [[3.0, 3.0]] and added.labels.tolist() == [0, 1, 1, 5]
    assert CHANGES["move"][0].apply(SMALL).points.xy[0].tolist() == [-1.0, 0.0]
    assert CHANGES["remove"][0].apply(SMALL).points.xy.tolist() == [[1.0, 0.5]]
    assert len(CHANGES["clear"][0].apply(SMALL).points) == 0
    made = Generate(settings=GeneratorSettings(name="xor", count=7)).apply(SMALL)
    assert len(made.points) == 14 and made.generator.name == "xor" and made.view == View.fitting(made.points)
    assert made.points.ids.min() == 3, "a learner must not take a new point for an old one"
    more = Generate(settings=GeneratorSettings(count=7), add=True).apply(SMALL)
    assert len(more.points) == 17 and more.points.xy[:3].tolist() == SMALL.points.xy.tolist()
    first = SetLane(index=0, lane=Lane("knn", knn=KnnSettings(n_neighbors=1))).apply(SMALL)
    assert first.lanes[0].knn.n_neighbors == 1 and first.lanes[1] == SMALL.lanes[1]


def test_impossible_generator_settings_are_refused() -> None:
    store = Store(SMALL)
    with pytest.raises(ValueError, match=r"shift.*\.$"):
        store.dispatch(Generate(settings=GeneratorSettings(name="moons", shift=0.5)))
    assert store.document is SMALL and store.undo_name is None


def test_the_default_document() -> None:
    document = default_document()
    assert document.points.classes == [0, 1] and [lane.classifier for lane in document.lanes] == ["knn", "svm"]
    low, high = document.points.xy.min(axis=0), document.points.xy.max(axis=0)
    assert (np.abs((low + high) / 2 - (document.view.x, document.view.y)) < 1e-12).all()
    assert document.view.span > (high - low).max()


# -- the view ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "xy", [[(1e15, -1e15)], [(0.0, 0.0)] * 3, [(1e-12, 0.0), (2e-12, 0.0)], [(-1e15, -1e15), (1e15, 1e15)]]
)
def test_a_fitting_view_shows_all_points_and_can_be_saved(xy: list[tuple[float, float]]) -> None:
    view = View.fitting(Points.of(xy, 0))
    away = np.abs(np.array(xy) - (view.x, view.y)).max()
    assert away < 0.5 * view.span and 1e-9 <= view.span <= 4e15


def test_zoom_keeps_the_location_under_the_pointer() -> None:
    view = View(1.0, 2.0, 4.0)
    zoomed = view.zoomed(0.5, 2.0, 3.0)
    assert zoomed == View(1.5, 2.5, 2.0)
    assert zoomed.zoomed(2.0, 2.0, 3.0) == view
    for factor in (1e-3, 1e3):
        for _ in range(20):
            view = view.zoomed(factor, 0.3, -0.2)
        assert 1e-9 <= view.span <= 4e15 and abs(view.x) <= 1e15 and abs(view.y) <= 1e15
    assert View().panned(1e300, -1e300) == View(1e15, -1e15)


# -- the store -----------------------------------------------------------------------------------------------------


def test_a_merged_stroke_is_one_step() -> None:
    store = Store(SMALL)
    for stroke in (1, 2):
        for x in range(5):
            store.dispatch(MovePoints(ids=[0], xy=(x + stroke / 8, 1.0), merge_key=("move", stroke)))
    assert store.document.points.xy[0].tolist() == [4.25, 1.0]
    store.undo()
    assert store.document.points.xy[0].tolist() == [4.125, 1.0]
    store.undo()
    assert store.document.points is SMALL.points and store.undo_name is None
    store.redo()
    store.dispatch(MovePoints(ids=[0], xy=(7.0, 7.0), merge_key=("move", 1)))
    store.undo()
    assert store.document.points.xy[0].tolist() == [4.125, 1.0], "a step undone and redone is finished"


def test_undo_passes_over_the_view() -> None:
    store = Store(SMALL)
    store.dispatch(AddPoints(xy=((1.0, 1.0),)))
    store.dispatch(SetView(view=View(5.0, 5.0, 1.0)))
    assert store.undo_name == "Add 1 point"
    store.undo()
    assert store.document.points is SMALL.points and store.document.view == View(5.0, 5.0, 1.0)
    store.dispatch(SetView(view=View(6.0, 5.0, 1.0)))
    assert store.redo_name is not None, "looking elsewhere takes no redo away"
    assert not store.modified
    store.redo()
    assert len(store.document.points) == 4 and store.document.view == View(6.0, 5.0, 1.0)


def test_undoing_generate_brings_the_old_view_back() -> None:
    store = Store(SMALL)
    store.dispatch(Generate(settings=GeneratorSettings(name="spirals")))
    fitted = store.document.view
    store.undo()
    assert store.document.view == SMALL.view
    store.redo()
    assert store.document.view == fitted


POSITIONS = st.integers(-5, 5).map(float)


class StoreAndModel(RuleBasedStateMachine):
    """The store beside two plain lists: contents before and after the present one."""

    def __init__(self) -> None:
        super().__init__()
        self.store = Store(SMALL)
        self.start = content(SMALL)
        self.past: list[tuple[Any, Any]] = []  # (content before, merge key)
        self.future: list[Any] = []
        self.saved = content(SMALL)
        self.saved_points = SMALL.points
        self.news = 0
        self.store.listen(self.hear)

    def hear(self, old: Document, new: Document) -> None:
        assert new is self.store.document
        self.news += 1

    def do(self, command: Command) -> None:
        before, news = self.store.document, self.news
        expected = command.apply(before)
        self.store.dispatch(command)
        after = self.store.document
        if expected is before:
            assert after is before and self.news == news
            return
        assert self.news == news + 1
        assert content(after) == content(expected) and after.view == expected.view
        if command.undoable:
            if not (self.past and command.merge_key is not None and self.past[-1][1] == command.merge_key):
                self.past.append((content(before), command.merge_key))
            self.future.clear()

    @rule(x=POSITIONS, y=POSITIONS, label=st.integers(-1, 8))
    def add(self, x: float, y: float, label: int) -> None:
        self.do(AddPoints(xy=((x, y),), labels=label))

    @rule(index=st.integers(-1, 5), x=POSITIONS, y=POSITIONS, key=st.sampled_from([None, "a", "b"]))
    def move(self, index: int, x: float, y: float, key: str | None) -> None:
        self.do(MovePoints(ids=[index], xy=(x, y), merge_key=key))

    @rule(indices=st.lists(st.integers(-1, 5), max_size=3))
    def remove(self, indices: list[int]) -> None:
        self.do(RemovePoints(ids=tuple(indices)))

    @rule()
    def clear(self) -> None:
        self.do(Clear())

    @rule(C=st.sampled_from([0.5, 1.0, 2.0]), key=st.sampled_from([None, "a", "C"]), index=st.integers(0, 1))
    def lane(self, C: float, key: str | None, index: int) -> None:
        self.do(SetLane(index=index, lane=Lane("svm", svm=SvmSettings(C=C)), merge_key=key))

    @rule(count=st.integers(1, 2))
    def show(self, count: int) -> None:
        self.do(ShowLanes(count=count))

    @rule(seed=st.integers(0, 2), add=st.booleans())
    def generate(self, seed: int, add: bool) -> None:
        self.do(Generate(settings=GeneratorSettings(count=3, seed=seed), add=add))

    @rule(x=POSITIONS)
    def look(self, x: float) -> None:
        modified, name = self.store.modified, self.store.undo_name
        self.do(SetView(view=View(x)))
        assert (self.store.modified, self.store.undo_name) == (modified, name)

    @rule()
    def undo(self) -> None:
        if self.past:
            self.future.append(content(self.store.document))
            self.store.undo()
            assert content(self.store.document) == self.past.pop()[0]
        else:
            document = self.store.document
            self.store.undo()
            assert self.store.document is document

    @rule()
    def redo(self) -> None:
        if self.future:
            self.past.append((content(self.store.document), None))
            self.store.redo()
            assert content(self.store.document) == self.future.pop()
        else:
            document = self.store.document
            self.store.redo()
            assert self.store.document is document

    @precondition(lambda self: len(self.past) > 3)
    @rule()
    def all_the_way_back_and_forth(self) -> None:
        here, steps = content(self.store.document), len(self.past)
        for _ in range(steps):
            self.undo()
        assert content(self.store.document) == self.start
        for _ in range(steps):
            self.redo()
        assert content(self.store.document) == here

    @rule()
    def save(self) -> None:
        self.store.saved(self.store.document, Path("saved.playground"))
        self.saved = content(self.store.document)
        assert not self.store.modified and self.store.path == Path("saved.playground")

    @rule(x=POSITIONS)
    def open(self, x: float) -> None:
        document = Document(Points.of([(x, 0.0)], [2]))
        self.store.reset(document, None)
        self.start = self.saved = content(document)
        self.past.clear()
        self.future.clear()
        assert self.store.document is document and self.store.path is None and not self.store.modified

    @invariant()
    def agrees(self) -> None:
        assert (self.store.undo_name is not None) == bool(self.past)
        assert (self.store.redo_name is not None) == bool(self.future)
        if not self.store.modified:
            assert content(self.store.document) == self.saved


TestStoreAndModel = StoreAndModel.TestCase
TestStoreAndModel.settings = examples(40, stateful_step_count=30)


@pytest.mark.soak
def test_the_store_and_its_model_many_times() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        StoreAndModel, settings=examples(3000, stateful_step_count=60)
    )


# -- strokes, history, and what else a document holds ----------------------------------------------------------------


def test_a_stroke_is_named_after_all_it_did() -> None:
    store = Store(SMALL)
    for x in (1.0, 2.0, 3.0):
        store.dispatch(AddPoints("stroke", xy=[(x, 5.0), (x, 6.0)], labels=2, verb="Brush"))
    assert store.history == ("Brush 6 points",)
    store.dispatch(RelabelPoints("labels", ids=[0, 1], label=3))
    store.dispatch(RelabelPoints("labels", ids=[1, 2, 77], label=3))
    store.dispatch(RemovePoints("rub", ids=[0], verb="Erase"))
    store.dispatch(RemovePoints("rub", ids=[1, 0], verb="Erase"))
    store.dispatch(MovePoints("pull", ids=[2, 3], xy=[(9.0, 9.0), (8.0, 8.0)], verb="Pull"))
    store.dispatch(MovePoints("pull", ids=[4, 2], xy=[(7.0, 7.0), (9.5, 9.0)], verb="Pull"))
    assert store.history == ("Brush 6 points", "Relabel 3 points", "Erase 2 points", "Pull 3 points")
    assert store.document.points.xy[0].tolist() == [9.5, 9.0], "ids may come in any order"
    while store.undo_name:
        store.undo()
    assert store.document.points is SMALL.points and store.position == 0 and len(store.history) == 4


def test_the_history_is_a_list_one_can_go_through() -> None:
    store = Store(SMALL)
    for x in range(5):
        store.dispatch(AddPoints(xy=(float(x), 9.0)))
    for position, points in ((2, 5), (5, 8), (0, 3), (4, 7), (-3, 3), (99, 8)):
        store.go_to(position)
        assert len(store.document.points) == points and store.position == points - 3
        assert store.history == ("Add 1 point",) * 5
    store.go_to(2)
    store.dispatch(Clear())
    assert store.history == ("Add 1 point", "Add 1 point", "Clear 5 points") and store.position == 3


def test_going_far_in_the_history_is_one_change_and_the_same_as_step_by_step() -> None:
    """The views and the attached data of the steps in between count as they do for single steps."""
    settings = GeneratorSettings(name="spirals")
    commands: list[Command] = [
        AddPoints(xy=((3.0, 3.0),), labels=0),
        SetView(view=View(5.0, 5.0, 3.0)),
        Generate(settings=settings),
        Attach(part="study", data=b"1"),
        AddPoints(xy=((4.0, 4.0),), labels=1),
        SetView(view=View(1.0, 0.0, 9.0)),
        ImportPoints(xy=((40.0, 40.0), (50.0, 50.0)), labels=(0, 1)),
        Attach(part="study", data=b"2"),
        *(MovePoints(ids=[0], xy=(float(x), 0.0)) for x in range(1, 20)),
    ]
    stores = Store(SMALL), Store(SMALL)
    for store in stores:
        for command in commands:
            store.dispatch(command)
    at_once, by_steps = stores
    news: list[tuple[Document, Document]] = []
    at_once.listen(lambda old, new: news.append((old, new)))
    for position in (0, 23, 2, 3, 1, 20, -5, 99):
        before, n_before = at_once.document, len(news)
        at_once.go_to(position)
        assert news[n_before:] == [(before, at_once.document)], position
        while by_steps.position > max(position, 0):
            by_steps.undo()
        while by_steps.position < min(position, len(by_steps.history)):
            by_steps.redo()
        first, second = at_once.document, by_steps.document
        assert content(first) == content(second) and first.view == second.view and first.attached == second.attached
        assert (at_once.position, at_once.history) == (by_steps.position, by_steps.history)
    at_once.go_to(at_once.position)
    assert len(news) == 8, "told of nothing"


def test_a_cancelled_gesture_leaves_no_trace() -> None:
    store = Store(SMALL)
    store.dispatch(AddPoints(xy=(1.0, 9.0)))
    before = store.document
    store.dispatch(AddPoints("stroke", xy=(2.0, 9.0)))
    store.dispatch(AddPoints("stroke", xy=(3.0, 9.0)))
    store.abandon("another")
    store.abandon(None)
    assert len(store.document.points) == 6
    store.abandon("stroke")
    assert store.document.points is before.points and store.history == ("Add 1 point",) and store.redo_name is None


def test_a_cancelled_gesture_restores_the_steps_to_redo() -> None:
    store = Store(SMALL)
    store.dispatch(AddPoints(xy=(1.0, 9.0)))
    store.dispatch(Clear())
    store.undo()
    store.dispatch(AddPoints("stroke", xy=(2.0, 9.0)))
    store.dispatch(AddPoints("stroke", xy=(3.0, 9.0)))
    assert store.redo_name is None
    store.abandon("stroke")
    assert store.redo_name == "Clear 4 points"
    store.redo()
    assert not len(store.document.points)


def test_numbers_of_points_go_on_after_a_revert() -> None:
    edited = AddPoints(xy=(1.0, 9.0)).apply(SMALL)
    reverted = Revert(document=SMALL).apply(edited)
    assert reverted.points.ids.tolist() == [0, 1, 2]
    assert AddPoints(xy=(2.0, 9.0)).apply(reverted).points.ids.tolist() == [0, 1, 2, 4], "3 was another point"


def test_imported_points_bring_their_names() -> None:
    start = replace(SMALL, styles=(ClassStyle("old", "#ff0000"), *SMALL.styles[1:]))
    names, axes = ("a", "b" * 60), ("w", "h" * 99)
    command = ImportPoints(xy=[(5.0, 5.0), (6.0, 5.0)], labels=[1, 0], class_names=names, axes=axes)
    made = command.apply(start)
    assert made.points.labels.tolist() == [1, 0] and made.points.ids.tolist() == [3, 4], "ids go on"
    assert [style.name for style in made.styles[:3]] == ["a", "b" * 40, ""] and made.styles[0].colour == "#ff0000"
    assert made.axes == ("w", "h" * 60) and made.view == View.fitting(made.points)
    assert command.name(start, made) == "Import 2 points"
    assert command.name(start, made) == "Import 2 points"


def test_added_points_find_their_classes_by_name() -> None:
    styles = (ClassStyle("old"), ClassStyle(), ClassStyle("b"), *SMALL.styles[3:])  # points are of classes 1 and 2
    start = replace(SMALL, styles=styles, axes=("u", ""))
    command = ImportPoints(xy=np.ones((3, 2)), labels=[0, 1, 2], class_names=("b", "c", "d"), axes=("w", "h"), add=True)
    added = command.apply(start)
    assert added.points.labels.tolist() == [0, 1, 1, 2, 3, 4] and added.points.ids.tolist() == list(range(6))
    assert [style.name for style in added.styles[:6]] == ["old", "", "b", "c", "d", ""] and added.axes == ("u", "")
    plain = ImportPoints(xy=np.ones((2, 2)), labels=[0, 7], add=True).apply(start)
    assert plain.points.labels.tolist() == [0, 1, 1, 0, 7] and plain.styles == styles
    full = replace(SMALL, styles=tuple(ClassStyle(f"class {c}") for c in range(8)))
    store = Store(full)
    with pytest.raises(ValueError, match="no class left for “new”: a document has at most 8"):
        store.dispatch(ImportPoints(xy=np.ones((1, 2)), labels=[0], class_names=("new",), add=True))
    assert store.document is full and store.history == ()


def test_new_classes_with_and_without_a_name_stay_apart() -> None:
    start = Document(Points.of([(0.0, 0.0)], [1]))
    both = ImportPoints(xy=np.ones((2, 2)), labels=[0, 1], class_names=("", "b"), add=True).apply(start)
    assert both.points.labels.tolist() == [1, 0, 2] and [style.name for style in both.styles[:3]] == ["", "", "b"]
    named = ImportPoints(xy=np.ones((1, 2)), labels=[1], class_names=("", "b")).apply(start)
    assert named.points.labels.tolist() == [1], "its own number before others"


def test_fields_of_the_document_change_and_count_as_modified() -> None:
    changes: dict[str, Any] = {
        "notes": "for Monday",
        "axes": ("width", "height"),
        "training_limit": 50,
        "styles": (ClassStyle("setosa"), *SMALL.styles[1:]),
    }
    for name, value in changes.items():
        store = Store(SMALL)
        store.dispatch(SetFields(changes=((name, value),), text="a step"))
        assert getattr(store.document, name) == value and store.modified and store.history == ("a step",)
        store.dispatch(SetFields(changes=((name, value),), text="again"))
        assert store.history == ("a step",)
        store.undo()
        assert not store.modified and getattr(store.document, name) == getattr(SMALL, name)
