"""Points at which classes tie, and the one test accuracy of the window: status line, evaluation, legend and marks."""

from __future__ import annotations

import re

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.engine.outcome import credit_of, outcome
from app.engine.pacing import Pace
from app.learners.knn import KnnSettings
from app.state.document import Document, GeneratorSettings, Lane, default_document
from app.state.split import IdSet, Split
from app.window.main_window import MainWindow
from solver import SVC, KNeighborsClassifier
from tests.windows import Make, settle


def document(*ks: int, flipped: float = 0.0) -> Document:
    made = GeneratorSettings("moons", 100, 0.3, 3, flipped=flipped)
    lanes = tuple(Lane("knn", knn=KnnSettings(n_neighbors=k)) for k in ks)
    return replace(default_document(), points=made.points(), generator=made, origin=made, lanes=lanes)


def status(window: MainWindow, lane: int) -> str:
    text = re.sub("<[^>]*>", "", window.lanes_view.strips[lane].label.text())
    return text.replace("\xa0", " ").replace("&nbsp;", " ").replace("\u202f", " ")


def cell(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, f"evaluation.{name}")
    assert label is not None, name
    return label.text().replace("\xa0", " ").replace("\u202f", " ")


def test_where_all_is_tied_no_point_is_wrong_and_every_number_reports_it(make: Make, qtbot: QtBot) -> None:
    window = make(document(200, 4), size=(1400, 900))
    all_tied, some = window.scene.lanes
    assert "! all tied" in status(window, 0) and "all tied" not in status(window, 1)
    assert all_tied.headline.startswith("All tied, no class is ahead")
    assert len(all_tied.marks.tied) == 200 and not len(all_tied.marks.wrong), "neither right nor wrong"
    assert "training 50.0 % (200 ties count ½)" in status(window, 0)
    assert "test 50.0 % (1 000 ties count ½)" in status(window, 0)
    # That of the other lane, by counting votes here.
    points = window.document.points
    votes = KNeighborsClassifier(4).fit(points.xy, points.labels).predict_proba(points.xy)
    tie = votes[:, 0] == votes[:, 1]
    right = np.where(tie, 0.5, votes.argmax(axis=1) == points.labels)
    assert some.marks.tied.tolist() == np.flatnonzero(tie).tolist() and tie.any()
    assert some.marks.wrong.tolist() == np.flatnonzero(right == 0).tolist() and len(some.marks.wrong)
    assert f"training {100 * right.mean():.1f} % ({tie.sum()} ties count ½)" in status(window, 1)
    assert {"tied", "wrong", "tie"} <= window.scene.legend_kinds
    window.controller.set_session(legend=True)
    settle(qtbot, window)
    assert any("Tied: neither right nor wrong" in label.text() for label in window.findChildren(QLabel))
    # The evaluation has the same number, and the points it is measured on.
    QTest.keyClick(window, Qt.Key.Key_9, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert cell(window, "test") == "Test accuracy, on 1 000 new points of the generator"
    for lane in (0, 1):
        found = re.search(r"test ([\d.]+ %)", status(window, lane))
        assert found is not None and cell(window, f"test{lane}") == found[1]
        found = re.search(r"train\w* ([\d.]+ %)", status(window, lane))
        assert found is not None and cell(window, f"training{lane}") == found[1]
    assert "measured on 1 000 new points of the generator" in cell(window, "counts")
    assert "counts 1/\u2060m" in cell(window, "undefined")
    # One query serves both: nothing is computed twice.
    names = [name for name in window.scheduler.results._newest if str(name).startswith("score")]
    assert sorted(names) == ["scores0", "scores1"]
    window.controller.splitting.choose("ratio")
    settle(qtbot, window)
    n_test = len(window.document.test_points)
    assert cell(window, "test") == f"Test accuracy, on {n_test} test points"
    found = re.search(r"test ([\d.]+ %)", status(window, 1))
    assert found is not None and cell(window, "test1") == found[1]


def test_a_test_point_under_a_tie_is_marked_as_tied(make: Make) -> None:
    points = Points.of([(0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (0.1, 0.0), (1.9, 0.0)], [0, 1, 1, 1, 0])
    lane = Lane("knn", knn=KnnSettings(n_neighbors=2))
    split = Split("painted", painted=IdSet(points.ids[2:]))
    window = make(replace(default_document(), points=points, lanes=(lane, lane), shown=1, split=split))
    marks = window.scene.lanes[0].marks
    assert {2, 3, 4} <= set(marks.tied.tolist()) and not {2, 3, 4} & set(marks.wrong.tolist())
    assert "test 50.0 % (3 ties count ½)" in status(window, 0)


def test_credit_does_not_depend_on_how_classes_are_numbered() -> None:
    leaders = np.array([[True, False, False], [True, True, False], [True, True, True], [False, True, True]])
    labels = np.array([0, 0, 2, 0])
    assert credit_of(leaders, np.arange(3), labels) == pytest.approx([1, 1 / 2, 1 / 3, 0])
    assert credit_of(leaders, np.arange(3), np.array([7, 7, 7, 7])).tolist() == [0, 0, 0, 0], "a class nobody learnt"
    turned = credit_of(leaders[:, ::-1], np.arange(3), 2 - labels)
    assert turned == pytest.approx([1, 1 / 2, 1 / 3, 0])
    # All tied, three to one: `score` depends on which class comes first.
    xy, y = np.zeros((2, 2)), np.array([0, 1])
    model = KNeighborsClassifier(2).fit(xy, y)
    for truth in (np.array([0, 0, 0, 1]), np.array([1, 1, 1, 0])):
        found = _run(outcome(model, np.zeros((4, 2)), truth, Pace()))
        assert found.accuracy == 0.5 and len(found.tied) == 4 and not len(found.wrong)
    assert model.score(np.zeros((4, 2)), [0, 0, 0, 1]) == 0.75 and model.score(np.zeros((4, 2)), [1, 1, 1, 0]) == 0.25


def test_ties_of_f_and_of_duels() -> None:
    twins = SVC(kernel="linear").fit(np.repeat([[0.5, 0.5]], 4, axis=0), [0, 1, 0, 1])
    f = twins.pair_decision_function([[0.0, 0.0], [3.0, 4.0]])
    assert twins.leaders_of(f, twins.rounding).all(), "f = 0 everywhere"
    angles = np.arange(3) * 2 * np.pi / 3
    X = np.column_stack((np.cos(angles), np.sin(angles)))
    three = SVC(kernel="linear").fit(X, [0, 1, 2])
    assert three.leaders_of(three.pair_decision_function(X)).tolist() == np.eye(3, dtype=bool).tolist()
    f = np.array([[1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
    expected = [[1, 1, 1], [1, 0, 0], [1, 1, 0], [1, 0, 0]]  # a circle; 0 wins both; 0 and 1 half a win each
    assert three.leaders_of(f).astype(int).tolist() == expected
    rest = SVC(kernel="linear", multiclass="one-vs-rest").fit(X, [0, 1, 2])
    assert rest.leaders_of(np.array([[0.5, 0.5, -1.0]])).tolist() == [[True, True, False]]


def _run(job: object) -> object:
    while True:
        try:
            next(job)  # type: ignore[call-overload]
        except StopIteration as end:
            return end.value
