"""The table of remarks: each row is reached from outside, and its sentence and its value are where people look."""

from __future__ import annotations

from html import unescape
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.engine.frames import Frame
from app.features.remarks.diagnosis import Diagnosis
from app.features.remarks.scene import ROWS
from app.learners.online import PegasosSettings
from app.state.commands import SetView
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, SvmSettings, View
from app.state.split import IdSet, Split
from app.window.main_window import MainWindow
from tests.app.features.remarks.diagnosed import diagnosed
from tests.copies import replace
from tests.windows import Make, control, open_settings, settle

MOONS = GeneratorSettings(name="moons", count=50, noise=0.2).points()
NOISE = GeneratorSettings(name="moons", count=50, noise=1.0).points()
CIRCLE = GeneratorSettings(name="circle", count=50).points()


def machine(kernel: str = "rbf", **settings: Any) -> Lane:
    return Lane(svm=SvmSettings(kernel=kernel, **settings))


def some(first: int, second: int, points: Points = MOONS) -> Points:
    """Return the first so many points of each of two classes."""
    own = [np.flatnonzero(points.labels == label)[:n] for label, n in ((0, first), (1, second))]
    return Points.of(points.xy[np.concatenate(own)], points.labels[np.concatenate(own)])


def with_copy(points: Points, which: int, label: int | None = None) -> Points:
    """Return `points` and a copy of one of them, of another class if one is given."""
    label = int(points.labels[which]) if label is None else label
    return Points.of(np.vstack((points.xy, points.xy[which])), np.append(points.labels, label))


#: Six points that a line separates; (3, 4) is on the margin with alpha = 0, and (2, 3) a support vector.
SIX = Points.of([(3, 4), (1, 4), (2, 3), (6, -1), (7, -1), (5, -3)], [0, 0, 0, 1, 1, 1])
#: ISLR, exercise 9.3: two points are support vectors in every optimum, two others may be.
SEVEN = Points.of([(3, 4), (2, 2), (4, 4), (1, 4), (2, 1), (4, 3), (4, 1)], [0, 0, 0, 0, 1, 1, 1])
#: For each row of the table: a classifier and its points; "hatched" has a test of its own.
CASES: dict[str, tuple[Lane, Points]] = {
    "one class": (Lane("knn"), some(9, 0)),
    "all tied": (Lane("knn", KnnSettings(n_neighbors=2)), some(1, 1)),
    "few points": (Lane("knn", KnnSettings(n_neighbors=9)), some(3, 2)),
    "constant": (machine(C=1e-4), some(10, 9)),
    "outvoted": (machine("linear"), some(50, 10)),
    "straight": (machine("linear"), CIRCLE),
    "axes": (Lane("knn"), Points.of(MOONS.xy * (1.0, 1000.0), MOONS.labels)),
    "large gamma": (machine(gamma=1000.0), MOONS),
    "small gamma": (machine(gamma=1e-4), MOONS),
    "bounded": (machine(C=1e-3), MOONS),
    "tied": (Lane("knn", KnnSettings(n_neighbors=2)), NOISE),
    "clashing": (machine(), with_copy(MOONS, 3, 1)),
    "stationary": (machine("sigmoid"), MOONS),
    "spare copies": (machine("linear", C=100.0), with_copy(SIX, 2)),
    "pulling copies": (machine("linear", C=0.01), with_copy(SIX, 2)),
    "on margin": (machine("linear"), SIX),
    "other optima": (machine("linear", C=1e4), SEVEN),
    "test copies": (Lane("knn"), with_copy(MOONS, 5)),
    "more steps": (Lane("pegasos", pegasos=PegasosSettings(n_iter=50)), MOONS),
}


def document(lane: Lane, points: Points, **others: Any) -> Document:
    return replace(Document(points, lanes=(lane, lane), shown=1, view=View.fitting(points)), **others)


def applies(name: str, frame: Frame, facts: dict[str, Any]) -> bool:
    condition = ROWS[name].applies
    return name in facts["tried"] or (condition is not None and condition(frame, facts))


def tip(window: MainWindow) -> str:
    return unescape(control(window, "lane0.status").toolTip())


@pytest.mark.slow
def test_every_row_is_reached_and_its_sentence_is_in_tip_and_settings(make: Make, qtbot: QtBot) -> None:
    window = make(document(Lane("knn"), MOONS))
    open_settings(window, 0)
    found = set()
    for name, (lane, points) in CASES.items():
        split = Split("painted", painted=IdSet(points.ids[-1:])) if name == "test copies" else Split()
        window.controller.store.reset(document(lane, points, split=split), None)
        settle(qtbot, window)
        assert window.scene is not None
        remarks = [score for score in window.scene.lanes[0].scores if score.tries is not None]
        assert remarks and remarks[0].text and not any(each.text for each in remarks[1:]), name
        panel = control(window, "lane0.remarks")
        assert isinstance(panel, QLabel) and panel.isVisible()
        for each in remarks:
            assert each.tip in tip(window), name
            assert all(f"Try it: {text}</a>" in panel.text() for text, _ in each.tries or ()), name
        _, facts = diagnosed(lane, window.document.training_points, window.document.test_points)
        frame = window.result(0)
        assert frame is not None
        reached = [key for key in ROWS if applies(key, frame, facts)]
        assert name in reached and len(reached) == len(remarks), (name, reached)
        sentence = ROWS[name].sentence(frame, facts)
        assert any(each.tip.startswith(sentence) for each in remarks), (name, sentence)
        found |= set(reached)
    assert found == set(ROWS) - {"hatched"}


def test_try_it_sets_the_value_as_one_step_that_undo_takes_back(make: Make, qtbot: QtBot) -> None:
    window = make(document(*CASES["constant"]))
    status = control(window, "lane0.status")
    assert isinstance(status, QLabel) and "C too small" in status.text() and "Try it" in status.text()
    before = window.document
    for x in range(status.width(), 0, -4):  # where the link is
        QTest.mouseClick(status, Qt.MouseButton.LeftButton, pos=QPoint(x, status.height() // 2))
        if window.document is not before:
            break
    settle(qtbot, window)
    assert window.document.lanes[0].svm.C == 1.0 and "Try it" not in status.text()
    assert window.controller.store.undo_name == "Set C to 1"
    window.controller.undo()
    settle(qtbot, window)
    assert window.document.lanes == before.lanes and "C too small" in status.text()


def test_the_settings_offer_each_value_by_keyboard(make: Make, qtbot: QtBot) -> None:
    window = make(document(*CASES["constant"]))
    open_settings(window, 0)
    panel = control(window, "lane0.remarks")
    assert isinstance(panel, QLabel) and panel.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert panel.text().count("smaller class") == 1, "one sentence for both values"
    assert panel.text().count("Try it: Set C to 1<") == panel.text().count("Try it: Set balanced class weights<") == 1
    panel.setFocus()
    QTest.keyClick(panel, Qt.Key.Key_Tab)
    QTest.keyClick(panel, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert window.document.lanes[0].svm != CASES["constant"][0].svm and "C is so small" not in tip(window)


def test_while_a_training_runs_the_hatching_is_explained() -> None:
    frame, facts = diagnosed(machine(), MOONS)
    assert not applies("hatched", frame, facts) and applies("hatched", replace(frame, provisional=True), {"tried": {}})


def test_another_view_asks_for_no_new_diagnosis(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window, asked, answer = make(document(*CASES["constant"])), list[Diagnosis](), Diagnosis.answer
    monkeypatch.setattr(Diagnosis, "answer", lambda self, *rest: asked.append(self) or answer(self, *rest))
    window.controller.dispatch(SetView(view=replace(window.document.view, span=5.0)))
    settle(qtbot, window)
    assert not asked and "C is so small" in tip(window)
    window.controller.set_lane(0, "svm", C=2.0)
    settle(qtbot, window)
    assert len(asked) == 1 and "C is so small" not in tip(window)
