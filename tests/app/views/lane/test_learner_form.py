"""The form of each learner: its fields and no others, their effect, the names of changes; nothing is cut off."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QSpinBox, QStyle, QStyleOptionComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.learners.svm import TRAINERS as SVM_TRAINERS
from app.learners.table import LEARNERS, TRAINERS
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings, default_document
from app.window.lane.named_combo import NamedCombo
from app.window.main_window import MainWindow
from tests.app.views.lane.test_forms import choose, find, type_into
from tests.covering import first_of
from tests.windows import Make, is_visible, open_settings, settle

#: Fields of the form that only some learners have, by their object names.
FIELDS = {
    "k",
    "kernel",
    "C",
    "gamma",
    "class_weight",
    "trainer",
    "rule",
    "partner",
    "step_size",
    "tol",
    "epochs",
    "finish",
    "intercept",
    "lam",
    "steps",
    "passes",
    "seed",
    "orders",
    "shuffle",
    "speed",
}
SVM = {"kernel", "C", "gamma", "class_weight", "trainer", "tol", "speed"}
EXPECTED = {
    "smo": SVM | {"rule"},
    "lasvm": SVM | {"partner", "epochs", "finish"},
    "dual-ascent": SVM | {"step_size", "intercept"},
    "perceptron": {"passes", "seed", "orders", "shuffle", "intercept", "speed"},
    "pegasos": {"lam", "steps", "seed", "speed"},
}


def few(*lanes: Lane) -> Document:
    """Return ten points of each of two classes, which a line separates."""
    points = GeneratorSettings(name="line", count=10, shift=0.1).points()
    return replace(default_document(), points=points, lanes=lanes or default_document().lanes)


def pick(window: MainWindow, learner: str, lane: int = 1) -> None:
    """Choose a learner as a user does."""
    if learner in SVM_TRAINERS:
        choose(window, f"lane{lane}.classifier", "svm")
        choose(window, f"lane{lane}.trainer", learner)
    else:
        choose(window, f"lane{lane}.classifier", learner)


def undo_name(window: MainWindow) -> str | None:
    return window.controller.store.undo_name


def test_each_learner_shows_its_fields_and_no_others(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    open_settings(window, 1)
    for learner, fields in EXPECTED.items():
        pick(window, learner)
        settle(qtbot, window)
        assert window.document.lanes[1].learner == learner
        assert {name for name in FIELDS if is_visible(window, f"lane1.{name}")} == fields, learner
        formula = find(window, "lane1.formula").text()
        assert formula == (TRAINERS[learner].formula if learner not in SVM_TRAINERS else "K(x, z) = exp(−γ‖x − z‖²)")
        trainer = TRAINERS[learner]
        if learner in SVM_TRAINERS:
            combo = find(window, "lane1.trainer")
            assert trainer.note in combo.toolTip() and trainer.formula in combo.toolTip()
            assert combo.accessibleDescription() == combo.toolTip()
        assert trainer.step == "step" or trainer.step in find(window, "lane1.speed").toolTip()
    choose(window, "lane1.classifier", "knn")
    settle(qtbot, window)
    assert {name for name in FIELDS if is_visible(window, f"lane1.{name}")} == {"k"}


def test_every_entry_of_the_choices_explains_itself(make: Make) -> None:
    window = make(few())
    for name, entries in (
        ("classifier", [*LEARNERS][:4] + [*SVM_TRAINERS][1:] + [*LEARNERS][4:]),
        ("trainer", list(SVM_TRAINERS)),
        ("partner", ["first-order", "second-order"]),
        ("step_size", ["barzilai-borwein", "constant"]),
    ):
        combo = find(window, f"lane1.{name}")
        assert isinstance(combo, QComboBox)
        rows = [row for row in range(combo.count()) if combo.itemData(row) != "more"]
        assert [combo.itemData(row) for row in rows] == entries
        notes = [combo.itemData(row, Qt.ItemDataRole.ToolTipRole) for row in rows]
        assert all(notes) and len(set(notes)) == len(notes)


def spin(window: MainWindow, name: str, value: int) -> None:
    field = find(window, name)
    assert isinstance(field, QSpinBox)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, str(value))
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_each_field_sets_the_document_and_is_one_step_of_undo(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    open_settings(window, 1)
    controller = window.controller

    def check(part: str, name: str, value: Any, text: str, lane: int = 1) -> None:
        assert getattr(getattr(window.document.lanes[lane], part), name) == value
        assert undo_name(window) == text
        before = window.document
        controller.undo()
        assert getattr(getattr(window.document.lanes[lane], part), name) != value, "one step"
        controller.redo()
        assert window.document.lanes == before.lanes
        window.refresh()

    choose(window, "lane1.trainer", "lasvm")
    check("svm", "trainer", "lasvm", "Set the trainer to lasvm")
    choose(window, "lane1.partner", "first-order")
    check("svm", "partner", "first-order", "Set the partner to first-order")
    spin(window, "lane1.epochs", 3)
    check("svm", "n_epochs", 3, "Set the passes to 3")
    find(window, "lane1.finish").click()
    check("svm", "finish", False, "Do not finish")
    choose(window, "lane1.trainer", "dual-ascent")
    choose(window, "lane1.step_size", "constant")
    check("svm", "step_size", "constant", "Set the length of a step to constant")
    find(window, "lane1.intercept").click()
    check("svm", "fit_intercept", False, "Set no intercept")
    pick(window, "pegasos")
    settle(qtbot, window)
    type_into(window, "lane1.lam", "0,25")
    check("pegasos", "lam", 0.25, "Set λ to 0.25")
    spin(window, "lane1.steps", 12)
    check("pegasos", "n_iter", 12, "Set the steps to 12")
    spin(window, "lane1.seed", 9)
    check("pegasos", "random_state", 9, "Set the seed to 9")
    slider = find(window, "lane1.lam.slider")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    check("pegasos", "lam", pytest.approx(0.25 * 10**0.05, rel=0.06), undo_name(window) or "")
    pick(window, "perceptron")
    settle(qtbot, window)
    spin(window, "lane1.passes", 77)
    check("perceptron", "max_iter", 77, "Set the passes to 77")
    spin(window, "lane1.seed", 5)
    check("perceptron", "random_state", 5, "Set the seed to 5")
    assert window.document.lanes[1].pegasos.random_state == 9, "each has its own"
    spin(window, "lane1.orders", 20)
    check("perceptron", "orders", 20, "Set the other orders to 20")
    find(window, "lane1.shuffle").click()
    check("perceptron", "shuffle", False, "Keep the order of the points")
    find(window, "lane1.intercept").click()
    check("perceptron", "fit_intercept", False, "Set no intercept")
    assert not window.document.lanes[1].svm.fit_intercept and "origin" in find(window, "lane1.note").text()


def test_nonsense_is_refused_in_a_sentence(make: Make, qtbot: QtBot) -> None:
    shown: list[str] = []
    window = make(few(Lane("perceptron"), Lane("pegasos")))
    controller = window.controller
    controller.say = shown.append  # type: ignore[method-assign]
    start = window.document
    for part, values in (
        ("pegasos", {"lam": 0.0}),
        ("perceptron", {"max_iter": 0}),
        ("perceptron", {"orders": 101}),
        ("svm", {"trainer": "adam"}),
        ("svm", {"n_epochs": 0}),
        ("", {"classifier": "jungle"}),
    ):
        controller.set_lane(1, part, **values)
        assert window.document is start
    assert len(shown) == 6 and all("\n" not in sentence and len(sentence) < 200 for sentence in shown)
    type_into(window, "lane1.lam", "1e9")
    assert window.document is start


def test_the_form_shows_the_document(make: Make, qtbot: QtBot) -> None:
    lane = Lane("perceptron")
    window = make(few(lane, lane))
    changed = msgspec.structs.replace(
        lane, perceptron=msgspec.structs.replace(lane.perceptron, shuffle=False, orders=7, max_iter=9, random_state=4)
    )
    window.controller.set_lane(0, "perceptron", shuffle=False, orders=7, max_iter=9, random_state=4)
    assert window.document.lanes[0] == changed
    settle(qtbot, window)
    values = {name: find(window, f"lane0.{name}") for name in ("orders", "passes", "seed", "shuffle", "intercept")}
    assert [values[name].value() for name in ("orders", "passes", "seed")] == [7, 9, 4]
    assert [values[name].isChecked() for name in ("shuffle", "intercept")] == [False, True]
    assert find(window, "lane1.orders").text() == "0"


def cut_off(window: MainWindow, lane: int) -> list[str]:
    """Return the labels, boxes and choices of a row and its form that are too small for their text."""
    parts = (window.lanes_view.rows[lane], window.lanes_view.settings.forms[lane])
    found = []
    for widget in (each for part in parts for each in part.findChildren(QWidget)):
        if not widget.isVisible() or widget.window() is not window:
            continue
        room, needed = widget.width(), 0
        if isinstance(widget, QCheckBox) or (isinstance(widget, QLabel) and not widget.wordWrap()):
            needed = widget.sizeHint().width()
        elif isinstance(widget, QComboBox):
            option = QStyleOptionComboBox()
            widget.initStyleOption(option)
            field = QStyle.SubControl.SC_ComboBoxEditField
            room = widget.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, widget).width()
            visible = widget.shown_text() if isinstance(widget, NamedCombo) else widget.currentText()
            needed = widget.fontMetrics().horizontalAdvance(visible)
        if room < needed:
            text = widget.currentText() if isinstance(widget, QComboBox) else widget.text()
            found.append(f"{text}: {room} of {needed} pixels")
    return found


@pytest.mark.parametrize("learner", first_of(TRAINERS, 2))
def test_nothing_is_cut_off_on_a_small_screen(make: Make, qtbot: QtBot, learner: str) -> None:
    lane = (
        Lane("svm", svm=SvmSettings("poly", trainer=learner)) if learner in SVM_TRAINERS else Lane(learner)  # type: ignore[arg-type]
    )
    points = GeneratorSettings(name="blobs", count=8, n_classes=3).points()
    window = make(replace(default_document(), points=points, lanes=(lane, lane)), size=(1024, 768))
    for index in (1, 0):
        open_settings(window, index)
        settle(qtbot, window)
        assert window.width() == 1024
        assert cut_off(window, index) == []
        form = window.lanes_view.settings.forms[index]
        assert form.width() <= form.parentWidget().parentWidget().width()
    assert find(window, "lane0.pair").isVisible()
    assert is_visible(window, "lane0.multiclass") == (learner in SVM_TRAINERS)
