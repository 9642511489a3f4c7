"""Splits: the points that are held out, what is retrained, and painting test points as an edit with undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.controllers.controller import Controller
from app.core.points import Points
from app.features.evaluation.controller import EvaluationController
from app.features.evaluation.scene import EvaluationSession, Threshold
from app.files import documents
from app.scene import text
from app.state.commands import AddPoints, Clear, MovePoints, PaintTestPoints, RelabelPoints, RemovePoints, SetFields
from app.state.document import Document, GeneratorSettings, Lane
from app.state.session import Session
from app.state.split import NO_SPLIT, IdSet, Split, drawn
from app.state.store import Store
from app.tools import Keys, PointerPosition
from tests.examples import examples

MOONS = GeneratorSettings("moons", 30).points()
RATIOS = st.floats(0.05, 0.95)
SEEDS = st.integers(0, 2**31 - 1)


def some(seed: int, n: int, classes: int) -> Points:
    rng = np.random.default_rng(seed)
    points = Points.of(rng.normal(size=(n, 2)), rng.integers(0, classes, n))
    return points.remove(np.flatnonzero(rng.random(n) < 0.2))


def halves(document: Document) -> tuple[set[int], set[int]]:
    return set(document.test_points.ids.tolist()), set(document.training_points.ids.tolist())


@given(st.integers(0, 999), st.integers(0, 300), st.integers(1, 8), RATIOS, SEEDS)
@examples(200)
def test_a_ratio_keeps_back_its_share_of_each_class(seed: int, n: int, classes: int, ratio: float, draw: int) -> None:
    points = some(seed, n, classes)
    document = Document(points, split=Split("ratio", ratio, draw))
    test, training = halves(document)
    assert test | training == set(points.ids.tolist()) and not test & training
    for label, number in enumerate(points.counts):
        expected = min(round(ratio * number), max(number - 1, 0))
        assert document.test_points.counts[label] == expected
        assert number == 0 or document.training_points.counts[label] >= 1
    for part in (document.test_points, document.training_points):
        where = points.indices_of(part.ids)
        assert np.array_equal(points.xy[where], part.xy) and np.array_equal(points.labels[where], part.labels)
    assert document.parts.held_out.tolist() == points.indices_of(document.test_points.ids).tolist()


def roles(points: Points, split: Split) -> dict[int, bool]:
    chosen = drawn(points.labels, points.ids, split.ratio, split.seed)
    return dict(zip(points.ids.tolist(), chosen.tolist(), strict=True))


@given(st.integers(0, 999), st.integers(5, 120), RATIOS, SEEDS, st.data())
@examples(200)
def test_an_edit_of_one_point_changes_the_role_of_at_most_one_other(
    seed: int, n: int, ratio: float, draw: int, data: st.DataObject
) -> None:
    points, split = some(seed, n, 3), Split("ratio", ratio, draw)
    if len(points) < 2:
        return
    at = data.draw(st.integers(0, len(points) - 1))
    before = roles(points, split)
    edits: dict[str, tuple[Points, int]] = {
        "add": (points.append([(9.0, 9.0)], data.draw(st.integers(0, 2))), 1),
        "remove": (points.remove([at]), 1),
        "move": (points.move([at], [(7.0, 7.0)]), 0),
        "relabel": (points.relabel([at], data.draw(st.integers(0, 2))), 2),  # one in each of two classes
    }
    own = int(points.ids[at])
    for edited, most in edits.values():
        after = roles(edited, split)
        others = [i for i in before if i in after and i != own and before[i] != after[i]]
        assert len(others) <= most


def test_seeds_draw_different_points_and_the_same_ones_again() -> None:
    sets = [frozenset(Document(MOONS, split=Split("ratio", 0.3, seed)).test_points.ids.tolist()) for seed in range(40)]
    assert len(set(sets)) == 40
    counts = np.array([[i in chosen for i in MOONS.ids] for chosen in sets]).mean(axis=0)
    assert counts.min() > 0.0 and counts.max() < 0.8 and abs(counts.mean() - 0.3) < 0.01
    first = Document(MOONS, split=Split("ratio", 0.3, 0)).test_points.ids[:6].tolist()
    assert first == FIRST, "the same on every machine and in every version"


FIRST = [1, 5, 14, 15, 16, 17]


def test_what_is_trained_on_is_one_object_while_it_is_the_same() -> None:
    document = Document(MOONS, split=Split("painted", painted=IdSet([1, 2, 3])))
    test, training = document.test_points, document.training_points
    assert document.test_points is test and document.training_points is training
    edited: Document = document
    edited = MovePoints(ids=[2], xy=[(9.0, 9.0)]).apply(edited)  # a test point
    assert edited.training_points is training and edited.test_points is not test
    back = MovePoints(ids=[2], xy=[MOONS.xy[2]]).apply(edited)
    assert back.test_points is test and back.training_points is training
    added = AddPoints(xy=(0.0, 0.0)).apply(document)
    assert added.test_points is test and added.training_points is not training
    more = PaintTestPoints(ids=[len(MOONS)]).apply(added)
    assert more.training_points is training, "a new test point retrains nothing"
    assert Document(MOONS, split=Split("painted", 0.5, 9, IdSet([3, 2, 1]))).training_points is training
    gone = RemovePoints(ids=[1]).apply(document)
    assert gone.training_points is training and len(gone.test_points) == 2


def test_without_test_points_the_points_themselves_are_trained_on() -> None:
    for split in (NO_SPLIT, Split("painted"), Split("painted", painted=IdSet([999])), Split("none", 0.9, 4)):
        document = Document(MOONS, split=split)
        assert document.training_points is MOONS and len(document.test_points) == 0
    few = Document(MOONS, split=Split("ratio", 0.5), training_limit=10)
    assert len(few.training_points) == 10 and not halves(few)[0] & halves(few)[1]
    assert few.parts.n_trainable == 30 and len(few.test_points) == 30


@pytest.mark.parametrize(
    "bad", [{"kind": "random"}, {"ratio": 0.0}, {"ratio": 0.96}, {"ratio": float("nan")}, {"seed": -1}, {"seed": 2**31}]
)
def test_bad_values_are_one_sentence(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^[A-Z][^\n]*\.$"):
        Split(**bad)


@pytest.mark.slow
def test_sets_of_ids() -> None:
    many = IdSet(np.arange(400_000)[::-1])
    assert many == IdSet(range(400_000)) and hash(many) == hash(IdSet(range(400_000)))
    assert IdSet([3, 1, 3]) == IdSet([1, 3]) != IdSet([1, 4]) and len(IdSet()) == 0
    assert not many.ids.flags.writeable and IdSet([1]) != [1]
    assert repr(IdSet([2, 1])) == "IdSet([1, 2])" and repr(many) == "IdSet(400000 ids)"


class Table:
    """A controller with a document of moons, and its sentences."""

    def __init__(self, **fields: Any) -> None:
        self.shown: list[str] = []
        self.store = Store(Document(MOONS, **fields))
        self.user = Controller(self.store, Session(), lambda: None, self.shown.append)

    @property
    def document(self) -> Document:
        return self.store.document

    def paint(self, index: int, *more: int, shift: bool = False) -> None:
        """Paint a stroke from one point to others with the tool."""
        self.user.set_session(tool="test")
        pointers = [PointerPosition(*self.document.points.xy[each], 0.0005) for each in (index, *more)]
        self.user.editing.press(pointers[0], Keys(shift=shift))
        for pointer in pointers[1:]:
            self.user.editing.drag(pointer)
        self.user.editing.release(pointers[-1])


def test_a_stroke_is_one_step_and_goes_back_whole() -> None:
    table = Table()
    table.paint(0, 1, 2)
    test = halves(table.document)[0]
    assert {0, 1, 2} <= test and table.document.split.kind == "painted"
    assert table.store.history == (f"Keep {len(test)} points for testing",)
    table.paint(1, shift=True)
    assert halves(table.document)[0] == test - {1} and table.store.history[-1] == "Train on 1 point again"
    table.paint(1, shift=True)
    assert len(table.store.history) == 2, "a stroke that changes nothing is no step"
    table.user.undo()
    table.user.undo()
    assert table.document.split == NO_SPLIT and not table.store.modified
    table.user.redo()
    assert halves(table.document)[0] == test


def test_painting_goes_on_from_a_ratio() -> None:
    table = Table(split=Split("ratio", 0.3, 4))
    drawn_ids = halves(table.document)[0]
    new = min(set(range(60)) - drawn_ids)
    table.paint(new)
    assert table.document.split.kind == "painted" and halves(table.document)[0] >= drawn_ids | {new}
    assert (table.document.split.ratio, table.document.split.seed) == (0.3, 4)


def test_kinds_by_hand_and_back() -> None:
    table = Table()
    splitting = table.user.splitting
    splitting.set_ratio(0.5)
    splitting.set_seed(3)
    by_ratio = halves(table.document)[0]
    splitting.choose("painted")
    assert halves(table.document)[0] == by_ratio and table.document.split.kind == "painted"
    splitting.choose("none")
    assert not halves(table.document)[0]
    splitting.choose("painted")
    assert halves(table.document)[0] == by_ratio, "what was painted comes back"
    assert table.store.history == (
        "Keep 50% of the points for testing",
        "Set the seed of the split to 3",
        "Choose test points by hand",
        "Train on all points",
        "Choose test points by hand",
    )
    splitting.set_ratio(1.5)
    assert table.shown[-1].startswith("The share of test points is 1.5") and len(table.store.history) == 5
    drag = object()
    for ratio in (0.1, 0.2, 0.3):
        splitting.set_ratio(ratio, drag)
    assert len(table.store.history) == 6 and table.document.split.ratio == 0.3


EDITS: dict[str, Callable[[], Any]] = {
    "none": lambda: SetFields(changes=(("split", NO_SPLIT),)),
    "paint": lambda: PaintTestPoints(ids=[5, 6, 999]),
    "clear": Clear,
    "relabel": lambda: RelabelPoints(ids=[1, 2], label=3),
}


@pytest.mark.parametrize("name", EDITS)
def test_undo_brings_the_split_back(name: str) -> None:
    table = Table(split=Split("painted", painted=IdSet([1, 2])))
    before = table.document
    table.user.dispatch(EDITS[name]())
    assert table.document is not before
    table.user.undo()
    assert table.document.split == before.split and table.document.test_points is before.test_points


def test_removed_test_points_are_not_saved() -> None:
    """Their ids are given to new points after opening."""
    document = Document(MOONS, split=Split("painted", painted=IdSet([3, 58, 59])))
    shorter = RemovePoints(ids=[58, 59]).apply(document)
    assert shorter.split.painted == IdSet([3, 58, 59]), "undo needs no more than the points"
    again = documents.decode(documents.encode(shorter))
    assert again.split == Split("painted", painted=IdSet([3]))
    grown = AddPoints(xy=(0.0, 0.0)).apply(again)
    assert grown.points.ids[-1] == 58 and halves(grown)[0] == {3}


def test_many_painted_points_are_saved() -> None:
    rng = np.random.default_rng(1)
    points = Points.of(rng.normal(size=(30_000, 2)), rng.integers(0, 2, 30_000))
    document = Document(points, split=Split("painted", painted=IdSet(np.arange(0, 30_000, 2))))
    again = documents.decode(documents.encode(document))
    assert again.split == document.split and again.test_points.ids.tolist() == document.test_points.ids.tolist()


def test_the_whole_of_a_class_may_be_painted() -> None:
    document = Document(MOONS, split=Split("painted", painted=IdSet(MOONS.ids[MOONS.labels == 1])))
    assert document.training_points.classes == [0] and document.test_points.classes == [1]
    everything = replace(document, split=Split("painted", painted=IdSet(MOONS.ids)))
    assert len(everything.training_points) == 0 and len(everything.test_points) == 60


def test_missing_training_points_are_reported() -> None:
    all_gone = text.empty_sentence(Lane("knn"), [], 0, n_test=60)
    assert all_gone.startswith("All points are test points") and "N" in all_gone
    one_left = text.empty_sentence(Lane("svm"), [1], 30, n_test=30)
    assert "All points but test points are of class 2" in one_left
    assert text.empty_sentence(Lane("svm"), [0, 1], 30, n_test=30) == ""


def test_another_document_takes_the_thresholds_away() -> None:
    table = Table()
    threshold = Threshold(0.5, Lane("svm"))
    table.user.feature(EvaluationController).set_threshold(1, threshold)
    assert table.user.session.of(EvaluationSession).thresholds[1] == threshold
    table.user.new()
    assert table.user.session.of(EvaluationSession).thresholds == (None,) * 4
