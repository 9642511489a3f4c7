"""A feature that no file of the program knows: a row of the table gives it menu entry, key, dock, answer and lines."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QLabel
from pytestqt.qtbot import QtBot

from app.engine.overlays import Lines
from app.engine.pool import Priority
from app.engine.query import Query, Step
from app.features import table
from app.features.feature import Action, Dock, Feature
from app.scene.context import Context
from app.scene.help import sections
from app.scene.model import LaneScene, Scene
from app.state.points import Points
from app.state.session import Session
from app.views.theme import Theme
from tests.windows import Make, settle


@dataclass(frozen=True)
class MiddleQuery:
    """Where is the middle of the points?"""

    points: Points

    def answer(self, post: Callable[[Lines], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        yield Priority.BACKGROUND
        post(Lines(np.array([self.points.xy.mean(axis=0), [0.0, 0.0]]), "other"))


@dataclass(frozen=True)
class Middle:
    xy: tuple[float, float]


class MiddlePanel(QLabel):
    def render_scene(self, scene: Scene, theme: Theme) -> None:
        middle = scene.feature(Middle)
        self.setText("Looking for it…" if middle is None else "The middle is at {:.3f}, {:.3f}".format(*middle.xy))


def queries(context: Context) -> dict[str, Query]:
    return {"middle": MiddleQuery(context.document.points)} if "middle" in context.session.open_panels else {}


def sheets(context: Context, index: int) -> tuple[Lines, ...]:
    answer = context.results.answer("middle")
    return () if answer is None or answer.value is None else (answer.value,)


def scene(context: Context, lanes: tuple[LaneScene, ...]) -> tuple[Middle, ...]:
    return tuple(Middle((float(each.xy[0, 0]), float(each.xy[0, 1]))) for each in sheets(context, 0))


MIDDLE = Feature(
    actions=(
        Action("middle", "&Compare", "Middle of the points", ("Ctrl+M",), "Where it is.", checkable=True),
        Action(
            "second_class",
            "&Compare",
            "Second class",
            ("Ctrl+Shift+M",),
            "For the next point.",
            checkable=True,
            run=lambda controller: controller.set_class(1),
            on=lambda scene: scene.active_class == 1,
        ),
    ),
    dock=Dock("middle", "Middle of the points", lambda around: MiddlePanel()),
    queries=queries,
    sheets=sheets,
    scene=scene,
    help=(("Why this class", "Ctrl+M", "the middle of the points"),),
)


def test_a_row_of_the_table_is_a_feature(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "FEATURES", (*table.FEATURES, MIDDLE))
    window = make()
    action, dock = window.named_actions["middle"], window.findChild(QDockWidget, "dock.middle")
    menu = next(each.menu() for each in window.menuBar().actions() if each.text() == "&Compare")
    assert action in menu.actions() and dock is not None and dock.isHidden()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert dock.isVisible() and action.isChecked()
    panel = window.findChild(MiddlePanel)
    middle = window.document.points.xy.mean(axis=0)
    assert panel is not None and panel.text() == "The middle is at {:.3f}, {:.3f}".format(*middle)
    assert window.scene is not None and all(len(lane.sheets) == 1 for lane in window.scene.lanes)
    again = window.named_actions["second_class"]
    assert not again.isChecked()
    QTest.keyClick(
        window.canvases[0], Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    window.refresh_if_pending()
    assert again.isChecked() and window.controller.session.active_class == 1
    assert ("Ctrl+M", "the middle of the points") in sections()["Why this class"]
    action.trigger()
    settle(qtbot, window)
    assert dock.isHidden() and window.scene.feature(Middle) is None and not window.scene.lanes[0].sheets


def test_names_and_keys_are_given_once() -> None:
    from app.views.actions import every
    from app.views.dock_manager import docks

    for names in ([each.name for each in every()], [each.name for each in docks()]):
        assert len(set(names)) == len(names)
    keys = [key for each in every() for key in each.keys]
    assert len(set(keys)) == len(keys)
    opening = {each.name for each in every() if each.run is None and not each.switch}
    windows = {each.window[0] for each in table.FEATURES if each.window is not None}
    assert {each.name for each in table.docks()} | windows <= opening
    assert not table.shows_run(Session()) and table.shows_run(Session(open_panels=frozenset({"loss"})))
