"""Random work with controller and editing: no order of commands, gestures and files loses or invents anything."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import fields, replace

from app.controllers.controller import Controller
from app.core.points import Points
from app.features.difference.controller import DifferenceController
from app.files import documents
from app.state.document import ClassStyle, Document
from app.state.session import Session
from app.state.split import IdSet
from app.state.store import Store
from app.tools import NO_KEYS, TOOLS, Keys, PointerPosition
from tests.app import file_work
from tests.examples import examples

UNIT = 0.01
LOCATION = st.builds(lambda x, y: PointerPosition(x, y, UNIT), st.floats(-2, 2), st.floats(-2, 2))
KEYS = st.sampled_from([NO_KEYS, NO_KEYS, Keys(shift=True), Keys(control=True), Keys(alt=True), Keys(double=True)])
CLASS = st.integers(0, 7)

#: `view` is not undone, and `slots` are not saved.
OTHERS = [field.name for field in fields(Document) if field.name not in ("points", "view", "slots")]
#: Everything of a document that undo restores: points by id, then the other fields.
State = tuple[Any, ...]


def state(document: Document) -> State:
    points = document.points
    x, y = points.xy.T.tolist()
    listed = list(zip(points.ids.tolist(), x, y, points.labels.tolist(), strict=True))
    rest = [getattr(document, name) for name in OTHERS]
    # A file keeps nothing of removed points.
    rest[OTHERS.index("split")] = document.split.kind, document.test_points.ids.tolist()
    return listed, *rest


class Model:
    """The expected states, in plain lists: before and after each step, and the present position."""

    def __init__(self, start: State) -> None:
        self.states = [start]
        self.names: list[str] = []
        self.position = 0
        self.saved: State | None = start

    @property
    def now(self) -> State:
        return self.states[self.position]

    def step(self, new: State, name: str) -> None:
        del self.states[self.position + 1 :], self.names[self.position :]
        self.states.append(new)
        self.names.append(name)
        self.position += 1


class Work(RuleBasedStateMachine):
    """The machine; rules with a predictable outcome state it, the others record the result after one step."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.alerts: list[str] = []
        self.store = Store(Document())
        self.user = Controller(self.store, Session(), lambda: None, lambda report: None)
        self.edit = self.user.editing
        self.model = Model(state(self.store.document))
        self.heard = state(self.store.document)
        self.store.listen(self.listen)
        self.on_disk: dict[Path, State] = {}
        self.in_gesture = False
        self.before_gesture: tuple[int, tuple[str, ...]] = (0, ())

    def teardown(self) -> None:
        self.finish()
        self.check()
        self.user.go_to(0)
        assert state(self.store.document) == self.model.states[0], "undo to the start gives the start"
        self.user.go_to(len(self.model.states))
        assert state(self.store.document) == self.model.states[-1]
        shutil.rmtree(self.folder)

    def listen(self, old: Document, new: Document) -> None:
        assert state(old) == self.heard, "each change is told, once, and nothing else changes"
        self.heard = state(new)

    # -- helpers ---------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        if self.edit.busy:
            self.edit.release(PointerPosition(0.0, 0.0, UNIT))
        self.settle_gesture()

    def settle_gesture(self) -> None:
        """End a gesture: it is one step, or none."""
        if self.in_gesture:
            self.in_gesture = False
            self.observe(self.before_gesture[0])

    def observe(self, steps: int) -> None:
        """Record the present state as the expected one, provided that at most one step was added to `steps`."""
        assert self.store.position in (steps, steps + 1)
        if self.store.position == steps + 1:
            self.model.step(state(self.store.document), self.store.history[self.store.position - 1])

    def act(self, what: Callable[[], object], expected: State | None = None) -> None:
        """Do `what`, which is one step or none, and leads to the state `expected`."""
        steps, before, history = self.store.position, state(self.store.document), self.store.history
        what()
        after = state(self.store.document)
        if expected is not None:
            assert after == expected
        if self.store.position == steps:
            assert after == before and (self.store.history == history)
        self.observe(steps)

    def points(self, change: Callable[[list[tuple[int, float, float, int]]], list[Any]]) -> State:
        """Return the present state with other points; removed points are no test points."""
        listed, *rest = self.model.now
        changed = change(list(listed))
        kind, tested = rest[OTHERS.index("split")]
        rest[OTHERS.index("split")] = kind, [each for each in tested if each in {row[0] for row in changed}]
        return changed, *rest

    def field(self, name: str, value: object) -> State:
        return self.fields(**{name: value})

    def fields(self, **values: object) -> State:
        names = ["points", *OTHERS]
        now = list(self.model.now)
        for name, value in values.items():
            now[names.index(name)] = value
        return tuple(now)

    @property
    def selected(self) -> set[int]:
        return {int(i) for i in self.user.session.selection.ids}

    def idle(self) -> bool:
        return not self.edit.busy

    # -- gestures --------------------------------------------------------------------------------------------------

    @rule(tool=st.sampled_from(list(TOOLS)))
    def choose_tool(self, tool: str) -> None:
        ends = self.edit.busy and tool != self.user.session.tool
        self.edit.choose(tool)
        if ends:
            assert not self.edit.busy
            self.settle_gesture()

    @rule(label=CLASS)
    def choose_class(self, label: int) -> None:
        self.user.set_class(label)

    @rule(radius=st.integers(4, 200), density=st.integers(1, 5), count=st.integers(1, 20), scatter=st.integers(0, 20))
    def options(self, **values: int) -> None:
        for name, value in values.items():
            self.edit.set_option(name, value)

    @rule(
        spread=st.sampled_from(["uniform", "normal"]), moves=st.sampled_from(["point", "class"]), filled=st.booleans()
    )
    def choices(self, **values: Any) -> None:
        for name, value in values.items():
            self.edit.set_option(name, value)

    @precondition(idle)
    @rule(pointer=LOCATION, keys=KEYS, way=st.lists(LOCATION, max_size=4), holds=st.integers(0, 2))
    def gesture(self, pointer: PointerPosition, keys: Keys, way: list[PointerPosition], holds: int) -> None:
        def whole() -> None:
            self.edit.press(pointer, keys)
            for location in way:
                self.edit.drag(location)
                for _ in range(holds):
                    self.edit.hold()
            self.edit.release(way[-1] if way else pointer)

        self.act(whole)

    @precondition(lambda self: self.idle() and len(self.store.document.points) > 0)
    @rule(which=st.integers(0), keys=KEYS, to=LOCATION, tool=st.sampled_from(list(TOOLS)))
    def gesture_from_a_point(self, which: int, keys: Keys, to: PointerPosition, tool: str) -> None:
        xy = self.store.document.points.xy
        x, y = xy[which % len(xy)]
        if max(abs(x), abs(y)) > 100:  # no user drags a brush over 10 000 screens
            return
        self.choose_tool(tool)
        self.gesture(PointerPosition(float(x), float(y), UNIT), keys, [to], 1)

    @precondition(idle)
    @rule(pointer=LOCATION, label=CLASS)
    def click(self, pointer: PointerPosition, label: int) -> None:
        self.edit.choose("pointer")
        self.user.set_class(label)
        away = np.hypot(*(self.store.document.points.xy - pointer.xy).T) if len(self.store.document.points) else []
        if len(away) and min(away) < 20 * UNIT:
            return
        number = self.store.document.points.next_id

        def whole() -> None:
            self.edit.press(pointer)
            self.edit.release(pointer)

        self.act(whole, self.points(lambda listed: [*listed, (number, pointer.x, pointer.y, label)]))

    @precondition(idle)
    @rule(pointer=LOCATION, keys=KEYS)
    def press(self, pointer: PointerPosition, keys: Keys) -> None:
        self.in_gesture = True
        self.before_gesture = (self.store.position, self.store.history)
        self.edit.press(pointer, keys)

    @precondition(lambda self: self.edit.busy)
    @rule(pointer=LOCATION, holds=st.integers(0, 3))
    def drag(self, pointer: PointerPosition, holds: int) -> None:
        self.edit.drag(pointer)
        for _ in range(holds):
            self.edit.hold()

    @precondition(lambda self: self.edit.busy)
    @rule(pointer=LOCATION)
    def release(self, pointer: PointerPosition) -> None:
        self.edit.release(pointer)
        self.settle_gesture()

    @precondition(lambda self: self.edit.busy)
    @rule()
    def escape(self) -> None:
        self.edit.escape()
        self.broken_off()

    @precondition(lambda self: self.edit.busy)
    @rule(
        act=st.sampled_from(
            [
                lambda self: self.user.clear(),
                lambda self: self.user.toggle_lanes(),
                lambda self: self.edit.remove_selected(),
            ]
        )
    )
    def something_else_in_mid_gesture(self, act: Callable[[Work], object]) -> None:
        """The gesture ends, as a step of its own or none, and the other action is another step."""
        before = self.before_gesture[0]
        act(self)
        steps = self.store._past[before:]
        assert not self.edit.busy and len(steps) <= 2
        self.in_gesture = False
        for step in steps:
            self.model.step(state(step.after), step.name)

    def broken_off(self) -> None:
        self.in_gesture = False
        assert state(self.store.document) == self.model.now, "as if it had never been"
        assert (self.store.position, self.store.history) == self.before_gesture, "with all that could be redone"

    # -- selection -------------------------------------------------------------------------------------------------

    @rule(all_of_them=st.booleans(), invert=st.booleans())
    def select(self, all_of_them: bool, invert: bool) -> None:
        if self.edit.busy:
            return
        everything = {row[0] for row in self.model.now[0]}
        before = self.selected
        if invert:
            self.edit.invert_selection()
            assert self.selected == everything - before
        elif all_of_them:
            self.edit.select_all()
            assert self.selected == everything
        else:
            self.edit.select_none()
            assert self.selected == set()

    @rule(some=st.lists(st.integers(0), max_size=5))
    def select_some(self, some: list[int]) -> None:
        ids = self.store.document.points.ids
        if len(ids) and not self.edit.busy:
            chosen = np.unique(ids[[number % len(ids) for number in some]]) if some else ids[:0]
            self.edit.select(chosen)
            assert self.selected == set(chosen.tolist())

    @precondition(idle)
    @rule()
    def remove_selected(self) -> None:
        gone = self.selected
        self.act(self.edit.remove_selected, self.points(lambda listed: [row for row in listed if row[0] not in gone]))

    @precondition(idle)
    @rule(label=CLASS)
    def relabel_selected(self, label: int) -> None:
        chosen = self.selected
        expected = self.points(lambda listed: [(*row[:3], label if row[0] in chosen else row[3]) for row in listed])
        self.act(lambda: self.edit.relabel_selected(label), expected)

    @precondition(idle)
    @rule(dx=st.sampled_from([-0.5, 0.25, 1e14]), dy=st.sampled_from([0.0, 0.125]))
    def nudge(self, dx: float, dy: float) -> None:
        chosen = self.selected

        def moved(listed: list[Any]) -> list[Any]:
            new = [(row[0], row[1] + dx, row[2] + dy, row[3]) if row[0] in chosen else row for row in listed]
            return [b if abs(b[1]) <= 1e15 and abs(b[2]) <= 1e15 else a for a, b in zip(listed, new, strict=True)]

        self.act(lambda: self.edit.nudge(dx, dy), self.points(moved))

    @precondition(lambda self: self.idle() and len(self.store.document.points) < 2000)
    @rule()
    def duplicate(self) -> None:
        chosen, first = self.selected, self.store.document.points.next_id
        self.act(lambda: self.edit.duplicate(UNIT))
        assert len(self.selected) <= len(chosen) and (not chosen or min(self.selected, default=first) >= first)

    # -- commands --------------------------------------------------------------------------------------------------

    @precondition(idle)
    @rule()
    def clear(self) -> None:
        there = bool(self.model.now[0])
        split = (self.store.document.split.kind, [])  # removed points are no test points
        self.act(self.user.clear, self.fields(points=[], origin=None, split=split) if there else self.model.now)

    @precondition(lambda self: self.idle() and len(self.store.document.points) < 500)
    @rule(
        name=st.sampled_from(["moons", "blobs", "xor", "line"]),
        count=st.integers(1, 20),
        seed=st.integers(0, 9),
        add=st.booleans(),
    )
    def generate(self, name: str, count: int, seed: int, add: bool) -> None:
        self.act(lambda: self.user.choose_generator(name))
        self.act(lambda: self.user.set_generator(count=count, seed=seed))
        kept = self.model.now[0] if add else []
        origin = self.store.document.origin if kept else self.store.document.generator
        self.act(lambda: self.user.generate(add))
        assert self.model.now[0][: len(kept)] == kept and self.model.now == self.field("origin", origin)

    @precondition(idle)
    @rule(lane=st.integers(0, 3), C=st.sampled_from([0.5, 2.0, -1.0]), k=st.integers(0, 9))
    def parameters(self, lane: int, C: float, k: int) -> None:
        lane = min(lane, len(self.store.document.lanes) - 1)
        self.act(lambda: self.user.set_lane(lane, "svm", C=C))
        self.act(lambda: self.user.set_lane(lane, "knn", n_neighbors=k))
        self.act(lambda: self.user.set_lane(lane, classifier="knn" if k % 2 else "svm"))

    @precondition(idle)
    @rule()
    def lanes(self) -> None:
        document = self.store.document
        if len(document.lanes) == 1:
            self.act(self.user.toggle_lanes)
            assert self.store.document.shown == len(self.store.document.lanes) == 2
        else:
            self.act(self.user.toggle_lanes, self.field("shown", 1 if document.shown > 1 else len(document.lanes)))

    @precondition(idle)
    @rule(what=st.sampled_from(["add", "duplicate", "remove", "left", "right", "difference"]), at=st.integers(0, 3))
    def arrange(self, what: str, at: int) -> None:
        document, setup = self.store.document, self.user.lanes
        at = min(at, document.shown - 1)
        of_slot = dict(zip(document.slots, document.lanes, strict=False))
        run: Callable[[], None] = {
            "add": lambda: setup.add(at),
            "duplicate": lambda: setup.duplicate(at),
            "remove": lambda: setup.remove(at),
            "left": lambda: setup.move(at, -1),
            "right": lambda: setup.move(at, 1),
            "difference": self.user.feature(DifferenceController).show_difference,
        }[what]
        self.act(run)
        after = self.store.document
        assert sorted(after.slots) == [0, 1, 2, 3] and 1 <= after.shown <= len(after.lanes) <= 4
        assert all(location < max(len(after.lanes), 2) for location in after.compared)
        for lane, slot in zip(after.lanes, after.slots, strict=False):
            if after.lanes is not document.lanes and what in ("remove", "left", "right"):
                assert of_slot[slot] == lane, "a lane keeps its number wherever it moves"

    @precondition(idle)
    @rule(label=CLASS, name=st.text(max_size=40), colour=st.sampled_from(["", "#00ff7f"]))
    def styles(self, label: int, name: str, colour: str) -> None:
        styles = list(self.store.document.styles)
        styles[label] = ClassStyle(name, colour)
        self.act(lambda: self.user.set_style(label, name=name))
        self.act(lambda: self.user.set_style(label, colour=colour), self.field("styles", tuple(styles)))

    @precondition(idle)
    @rule(notes=st.text(max_size=9), axes=st.tuples(*[st.text(max_size=5)] * 2), limit=st.integers(-5, 50))
    def texts(self, notes: str, axes: tuple[str, str], limit: int) -> None:
        self.act(lambda: self.user.set_notes(notes), self.field("notes", notes))
        self.act(lambda: self.user.set_axes(axes), self.field("axes", axes))
        self.act(lambda: self.user.set_training_limit(limit), self.field("training_limit", max(limit, 10)))

    @rule(dx=st.floats(-1, 1), factor=st.sampled_from([0.5, 2.0]))
    def look(self, dx: float, factor: float) -> None:
        self.user.pan(dx, 0.0)
        self.user.zoom(factor, PointerPosition(dx, 0.0, UNIT))
        if dx > 0.5:
            self.user.fit()

    # -- history ---------------------------------------------------------------------------------------------------

    @rule()
    def undo(self) -> None:
        busy = self.edit.busy
        self.user.undo()
        if not busy:
            self.model.position = max(self.model.position - 1, 0)

    @rule()
    def redo(self) -> None:
        busy = self.edit.busy
        self.user.redo()
        if not busy:
            self.model.position = min(self.model.position + 1, len(self.model.names))

    @rule(position=st.integers(-1, 40))
    def go_to(self, position: int) -> None:
        busy = self.edit.busy
        self.user.go_to(position)
        if not busy:
            self.model.position = min(max(position, 0), len(self.model.names))

    # -- files -----------------------------------------------------------------------------------------------------

    @precondition(idle)
    @rule(name=st.sampled_from("ab"), fails=st.booleans())
    def save(self, name: str, fails: bool) -> None:
        path = self.folder / ("missing" if fails else ".") / f"{name}.playground"
        known = self.store.path
        assert file_work.save(self.user, path, self.alerts.append) is not fails
        if fails:
            assert self.alerts.pop() and self.store.path == known
            return
        self.model.saved = self.model.now
        self.on_disk[path] = self.model.now
        assert self.store.path == path and not self.user.file_tasks.changed_on_disk(path)

    @rule(name=st.sampled_from("abc"))
    def open(self, name: str) -> None:
        path = self.folder / f"{name}.playground"
        before, restarts = self.store.document, self.user.session.restarts
        if path not in self.on_disk:
            assert (
                not file_work.open_file(self.user, path, self.alerts.append)
                and self.store.document is before
                and self.alerts.pop()
            )
            return
        assert file_work.open_file(self.user, path, self.alerts.append) and not self.edit.busy and not self.selected
        self.in_gesture = False
        assert all(new > old for new, old in zip(self.user.session.restarts, restarts, strict=True))
        self.model = Model(self.on_disk[path])

    @precondition(idle)
    @rule()
    def revert(self) -> None:
        path = self.store.path
        if path is None:
            assert not file_work.revert(self.user, self.alerts.append)
            return
        expected = self.on_disk[path]
        steps = self.store.position
        assert file_work.revert(self.user, self.alerts.append) and state(self.store.document) == expected
        self.observe(steps)
        self.model.saved = expected

    @rule()
    def new(self) -> None:
        document = self.store.document
        self.user.new()
        self.in_gesture = False
        split = replace(document.split, painted=IdSet())
        styles = tuple(ClassStyle("", style.colour) for style in document.styles)
        blank = replace(
            document, points=Points(), origin=None, split=split, scaling=None, axes=("", ""), styles=styles, notes=""
        )
        self.model = Model(state(blank))

    @precondition(idle)
    @rule()
    def recover(self) -> None:
        """Replace the document by its recovery copy, as after a crash."""
        self.user.put(documents.decode(documents.encode(self.store.document)), self.store.path, modified=True)
        self.model = Model(self.model.now)
        self.model.saved = None

    # -- always ----------------------------------------------------------------------------------------------------

    @invariant()
    def check(self) -> None:
        document, store = self.store.document, self.store
        ids = document.points.ids
        assert self.heard == state(document)
        assert (np.diff(ids) > 0).all() and (not len(ids) or 0 <= ids[0] <= ids[-1] < document.points.next_id)
        assert np.isfinite(document.points.xy).all() and (document.points.labels < 8).all()
        assert self.selected <= set(ids.tolist())
        assert not self.alerts
        if not self.edit.busy:
            assert state(document) == self.model.now
            assert (store.position, store.history) == (self.model.position, tuple(self.model.names))
            if self.model.saved is not None:
                # A step that leads to the same content is still a change.
                assert store.modified or self.model.now == self.model.saved
                assert not store.modified or self.model.saved != self.model.now or self.same_again()
            else:
                assert store.modified

    def same_again(self) -> bool:
        """The points are as they were saved, but made anew by other edits."""
        saved = self.store._saved
        return (
            self.model.now == self.model.saved and saved is not None and self.store.document.points is not saved.points
        )

    @initialize(rows=st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2), CLASS), max_size=6))
    def start(self, rows: list[tuple[float, float, int]]) -> None:
        document = Document(Points.of([row[:2] for row in rows], [row[2] for row in rows]))
        self.user.put(document, None)
        self.model = Model(state(document))


QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def test_removed_test_points_are_none() -> None:
    """Rare in random work."""
    work = Work()
    work.start([(0.5, 0.5, 0), (-0.5, -0.5, 1)])
    work.choose_tool("test")
    work.gesture(PointerPosition(0.5, 0.5, UNIT), NO_KEYS, [], 0)
    assert len(work.store.document.test_points) == 1
    work.select_some([0, 1])
    work.remove_selected()
    assert not len(work.store.document.points)
    work.teardown()


@pytest.mark.slow
def test_random_work() -> None:
    run_state_machine_as_test(Work, settings=examples(80, stateful_step_count=40, suppress_health_check=QUIET))


@pytest.mark.soak
def test_random_work_for_long() -> None:
    run_state_machine_as_test(Work, settings=examples(1500, stateful_step_count=100, suppress_health_check=QUIET))
