"""Simple and Full: the visible controls, what switches between the two, and what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QListView, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.controllers.controller import Controller
from app.files.settings import Settings
from app.learners.knn import KnnSettings
from app.learners.online import PerceptronSettings
from app.learners.svm import SvmSettings
from app.learners.table import LEARNERS
from app.main import create_window
from app.state.document import Lane, default_document
from app.state.session import Session
from app.state.store import Store
from app.window.main_window import MainWindow
from tests.windows import Make, discard, finish_layout, is_visible, settle

#: The learners in the list of the simple window.
SIMPLE = [name for name, each in LEARNERS.items() if each.simple]
#: Words that a student of 17 does not understand.
UNCLEAR = ("Trainer", "Rule", "Tolerance", "Orders", "Passes", "Intercept", "KKT", "Multiplier", "Race", "Haze")


def offered(window: MainWindow, lane: int = 0) -> list[str]:
    """Return the classifiers in the list of the choice."""
    combo = window.findChild(QComboBox, f"lane{lane}.classifier")
    view = combo.view()
    assert isinstance(view, QListView)
    return [combo.itemData(row) for row in range(combo.count()) if not view.isRowHidden(row)]


def first_sight(menu: QMenu) -> list[str]:
    """Return the texts of a menu without those of its submenus."""
    return [action.text().replace("&", "") for action in menu.actions() if not action.isSeparator()]


def report(window: MainWindow) -> Iterator[str]:
    """Return all visible texts."""
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        if isinstance(widget, (QLabel, QCheckBox)):
            yield widget.text()
        elif isinstance(widget, QComboBox):
            yield widget.currentText()
    for menu in window.menuBar().findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        yield from first_sight(menu)


def test_a_first_start_is_simple(make: Make, qtbot: QtBot, qapp: object, tmp_path: Path) -> None:
    window = create_window(None, tmp_path)
    try:
        window.resize(1100, 760)
        window.show()
        settle(qtbot, window)
        assert window.named_actions["simple"].isChecked()
        assert offered(window) == [*SIMPLE, "more"]
    finally:
        discard(window)


def test_simple_has_the_settings_one_plays_with_and_no_other(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True, size=(1280, 800))
    for lane in (0, 1):
        QTest.mouseClick(window.findChild(QWidget, f"lane{lane}.settings"), Qt.MouseButton.LeftButton)
        settle(qtbot, window)
        assert is_visible(window, "lane0.metric") == (lane == 0), (
            "the panel shows the classifier whose button opened it"
        )
    shown = {
        "lane0.k",
        "lane0.weights",
        "lane1.kernel",
        "lane1.C",
        "lane1.C.slider",
        "lane1.gamma",
        "lane1.hard_margin",
    }
    hidden = {"lane1.rule", "lane1.trainer", "lane1.tol", "lane1.class_weight", "lane1.degree"}
    for name in shown | hidden:
        assert is_visible(window, name) == (name in shown), name
    words = " ".join(each for each in report(window) if not each.startswith("Full (F8) has more settings:"))
    assert [word for word in UNCLEAR if word.lower() in words.lower()] == []
    QTest.keyClick(window, Qt.Key.Key_F8)
    settle(qtbot, window)
    for name in (shown | hidden) - {"lane1.degree"}:
        assert window.findChild(QWidget, name).isVisible(), name
    names = [name for name, each in LEARNERS.items() if not each.own_process]
    after = names.index("pegasos") + 1
    assert offered(window) == [*names[:after], "lasvm", "dual-ascent", *names[after:], "more"]
    words = " ".join(report(window))
    assert "KKT" in words and "Trainer" in words


def test_the_file_menu_has_examples_beside_open_and_ends_with_quit(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    (menu,) = (menu for menu in window.menuBar().findChildren(QMenu) if menu.title() == "&File")
    for _ in range(2):
        names = [action.objectName() for action in menu.actions() if not action.isSeparator()]
        assert names[-1] == "action.quit"
        assert names.index("action.examples") == names.index("action.open") + 1
        QTest.keyClick(window, Qt.Key.Key_F8)
        settle(qtbot, window)


def test_more_keeps_the_other_actions_and_their_keys(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    menus = {menu.title(): menu for menu in window.menuBar().findChildren(QMenu)}
    assert "Why this step" not in first_sight(menus["T&raining"])
    assert "More" in first_sight(menus["T&raining"])
    more = window.findChild(QMenu, "more.training")
    assert "Why this step" in first_sight(more) and "KKT cases" in first_sight(more)
    QTest.keyClick(window, Qt.Key.Key_F8)
    settle(qtbot, window)
    assert "Why this step" in first_sight(menus["T&raining"]) and "More" not in first_sight(menus["T&raining"])
    every = {action.objectName() for action in window.findChildren(QAction)}
    assert {f"action.{name}" for name in window.named_actions} <= every


@pytest.mark.slow
def test_panels_open_by_their_keys_and_the_window_stays_simple(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    names = {1: "step", 2: "curves", 3: "alphas", 4: "loss", 7: "compare", 8: "probe", 9: "evaluation"}
    late = {6: "asking", 5: "race"}  # panels that take long
    for digit, name in (names | late).items():
        QTest.keyClick(window, Qt.Key(Qt.Key.Key_0 + digit), Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda name=name: name in window.controller.session.open_panels)
        assert window.named_actions[name].isChecked()
        if digit in names:
            settle(qtbot, window)
        assert window.named_actions["simple"].isChecked() and offered(window) == [*SIMPLE, "more"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lane", "chip"),
    [
        (Lane("perceptron", perceptron=PerceptronSettings(shuffle=False)), "no shuffle"),
        (Lane("svm", svm=SvmSettings(selection="random")), "Random working-set rule"),
        (Lane("svm", svm=SvmSettings(trainer="lasvm")), "LASVM trainer"),
        (Lane("svm", svm=SvmSettings(tol=1e-5)), "tolerance 1e-05"),
        (Lane("svm", svm=SvmSettings(class_weight="balanced")), "Balanced"),
        (Lane("knn", knn=KnnSettings(metric="chebyshev")), "Chebyshev metric"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_f8_never_refuses_and_the_row_names_what_simple_has_no_control_for(
    make: Make, qtbot: QtBot, lane: Lane, chip: str
) -> None:
    window = make(replace(default_document(), lanes=(lane, Lane("svm"))), simple=False, size=(1280, 800))
    for simple in (True, False, True):
        QTest.keyClick(window, Qt.Key.Key_F8)
        settle(qtbot, window)
        assert window.named_actions["simple"].isChecked() == simple
        assert window.document.lanes[0] == lane
        more = window.findChild(QToolButton, "lane0.settings")
        finish_layout()
        assert more.isVisible() and (chip in more.text() or (more.text() == "+1" and chip in more.toolTip()))


def test_the_hint_of_simple_names_settings_of_the_classifier(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    for lane in window.scene.lanes:
        titles = {field.title.lower() for field in lane.lane.family.fields if not field.simple}
        named = lane.details.removeprefix("Full (F8) has more settings: ").rstrip(".").split(", ")
        assert lane.details == "" or set(named) <= titles, lane.details


def test_undo_to_more_than_simple_stays_simple() -> None:
    store = Store(default_document())
    controller = Controller(store, Session(), lambda: None, lambda text: None, lambda text: None)
    controller.set_lane(1, "svm", selection="random")
    controller.set_lane(1, "svm", selection="second-order")
    controller.prefer_simple(True)
    controller.undo()
    assert controller.session.simple and controller.document.lanes[1].svm.selection == "random"


def test_it_is_remembered(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(simple=True)
    QTest.keyClick(window, Qt.Key.Key_F8)
    assert Settings(tmp_path / "settings.json").values.simple is False
    QTest.keyClick(window, Qt.Key.Key_F8)
    assert Settings(tmp_path / "settings.json").values.simple is True
