"""Flipped labels: in the popup of the data set, in files, and in the sentences about the truth."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit
from pytestqt.qtbot import QtBot

from app.features.ground_truth import text
from app.features.ground_truth.fresh_points import BayesError, BayesErrorQuery
from app.features.ground_truth.scene import law_of
from app.features.scores.scene import fresh_points
from app.files import documents
from app.state.document import GeneratorSettings, default_document
from solver.data.distribution import Law
from tests.windows import Make, settle

FLIPPED = GeneratorSettings("moons", noise=0.2, flipped=0.1)


def test_the_points_of_a_document() -> None:
    made, plain = FLIPPED.points(), msgspec.structs.replace(FLIPPED, flipped=0.0).points()
    assert np.array_equal(made.xy, plain.xy)
    assert int((made.labels != plain.labels).sum()) == 20


def test_flips_are_saved() -> None:
    changed = replace(default_document(), points=FLIPPED.points(), generator=FLIPPED, origin=FLIPPED)
    data = documents.encode(changed)
    assert data.count(b'"flipped":0.1') == 2
    read = documents.decode(data, "flipped")
    assert read.generator == read.origin == FLIPPED and read.is_generated


def test_the_law_includes_the_flips() -> None:
    law = law_of(FLIPPED)
    assert law == Law("moons", 0.2, flipped=0.1)
    _, labels = fresh_points(law)  # the points that the test accuracy is measured on
    _, clean = fresh_points(law.unflipped)
    assert 60 < int((labels != clean).sum()) < 145
    posted: list[BayesError] = []
    for _ in BayesErrorQuery(Law("moons", flipped=0.25)).answer(posted.append, lambda: False):
        pass
    assert posted == [BayesError(0.25, 0.0, 0, 0.375)]


def test_the_words_about_them() -> None:
    law = law_of(FLIPPED)
    assert law is not None
    assert "10 % of the labels flipped" in text.origin_words(FLIPPED, law, False)
    shown = text.bayes_words(law, BayesError(0.128, 0.0003, 100_000))
    assert shown.startswith("Bayes error: 12.8 %") and "10 % of the labels are flipped" in shown
    assert "overlap besides" in shown
    line = law_of(GeneratorSettings("line", noise=0.0, flipped=0.1))
    assert line is not None
    shown = text.bayes_words(line, BayesError(0.1, 0.0, 100_000))
    assert "overlap" not in shown and "flipped" in shown
    thin = Law("moons", flipped=0.25)
    assert text.bayes_words(thin, BayesError(0.25, 0.0, 0)).startswith("Bayes error: 25.0 %. 25 % of the labels")


@pytest.mark.parametrize("end", [Qt.Key.Key_Return, None])
def test_the_share_is_typed_in_the_popup(make: Make, qtbot: QtBot, end: Qt.Key | None) -> None:
    window = make()
    before = window.document
    more = window.findChild(QAbstractButton, "generator.more")
    field = window.findChild(QLineEdit, "generator.flipped")
    assert more is not None and field is not None
    QTest.mouseClick(more, Qt.MouseButton.LeftButton)
    assert field.isVisible()
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "10")
    if end is not None:
        QTest.keyClick(field, end)
    else:
        QTest.mouseClick(window.findChild(QAbstractButton, "generate"), Qt.MouseButton.LeftButton)
    document = window.document
    assert document.generator.flipped == 0.1 and document.is_generated
    assert np.array_equal(document.points.xy, before.points.xy)
    assert int((document.points.labels != before.points.labels).sum()) == 20
    assert window.controller.store.undo_name in ("Flip 10 % of the labels", "Generate moons")
    window.controller.choose_generator("circle")
    assert window.document.generator.flipped == 0.0
    settle(qtbot, window)
