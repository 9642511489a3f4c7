"""Caches hold one document's worth: a new document frees the arrays of the one before."""

from __future__ import annotations

import gc
import weakref

import numpy as np
from pytestqt.qtbot import QtBot

from app.core import caches
from app.core.points import Points
from app.state.document import Document, Lane, View
from app.state.split import Split
from app.state.store import Store
from tests.windows import Make, settle


def random_points(number: int) -> Points:
    """Return points of two classes."""
    rng = np.random.default_rng(0)
    return Points.of(rng.normal(size=(number, 2)), np.arange(number) % 2)


def test_a_new_document_empties_the_caches() -> None:
    points = random_points(300)
    document = Document(points, split=Split("ratio"), lanes=(Lane("knn"),))
    store = Store(document)
    assert len(document.parts.test) and len(points.sample(50)) == 50 and points.counts == (150, 150, *[0] * 6)
    gone = [weakref.ref(points), weakref.ref(document.parts.training)]
    store.reset(Document(), None)
    del points, document
    assert [each() for each in gone] == [None, None]


def test_what_is_kept_is_computed_once_until_the_document_is_replaced() -> None:
    calls = []

    @caches.kept(2)
    def squared(number: int) -> int:
        calls.append(number)
        return number * number

    assert [squared(3), squared(3), calls] == [9, 9, [3]]
    caches.forget()
    assert [squared(3), calls] == [9, [3, 3]]


def test_a_window_frees_a_closed_document(make: Make, qtbot: QtBot) -> None:
    window = make()
    points = random_points(1_500)
    lanes = (Lane("knn"), Lane("svm"))
    window.controller.store.reset(Document(points, view=View.fitting(points), lanes=lanes), None)
    settle(qtbot, window)
    for name in ("probe", "evaluation", "study", "select_all", "duplicate", "undo"):
        window.named_actions[name].trigger()
        settle(qtbot, window)
    window.say("A sentence about this document.")
    gone = weakref.ref(points)
    del points
    window.controller.store.reset(Document(), None)
    settle(qtbot, window)
    gc.collect()
    assert gone() is None
