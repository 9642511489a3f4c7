"""A feature that no file of the program knows: a row of the table adds it everywhere, from the menu to the legend."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Generator, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QFrame, QLabel, QWidget
from pytestqt.qtbot import QtBot

import app.views.surroundings
from app.controllers.controller import Controller
from app.core.points import Points
from app.engine.frames import Marks
from app.engine.overlays import Lines, LineStyle
from app.engine.pool import Priority
from app.engine.query import Query, Step
from app.features.table import FEATURES
from app.scene.feature import Action, Dock, Feature, FeatureTable, LegendEntry, Place, Widget
from app.scene.help import sections
from app.scene.model import Context, LaneScene, Scene
from app.state.session import FeatureSession, Session
from app.tools import PointerPosition
from app.views.export.layout import PictureSpec, Sheet, screen_size
from app.views.surroundings import Surroundings
from app.views.theme import Theme
from tests.windows import Make, settle

ROOT = Path(__file__).parents[3]
#: A line as wide and dashed as no other.
CROSSING = LineStyle("crossing", 4, 3.0, (2.0, 2.0), (2.0, 2.0))


class MiddleSession(FeatureSession, frozen=True):
    """Session of the feature."""

    marked: bool = False
    values: tuple[int, ...] = (0, 0, 0, 0)

    def of_new_document(self) -> MiddleSession:
        return MiddleSession()

    def of_new_lane(self, slot: int) -> MiddleSession:
        return replace(self, values=tuple(0 if each == slot else value for each, value in enumerate(self.values)))


class MiddleQuery(Struct, frozen=True):
    """Query: the middle of the points."""

    points: Points

    def answer(self, post: Callable[[Lines], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        yield Priority.BACKGROUND
        post(Lines(np.array([self.points.xy.mean(axis=0), [0.0, 0.0]]), CROSSING))


class Middle(Struct, frozen=True):
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


@lru_cache(maxsize=8)
def first(points: Points) -> Marks:
    return Marks(wrong=np.array([0]))


class MiddleLayer:
    """A layer that draws nothing."""

    laid = None

    def lay(self, *shown: object) -> list[object]:
        return []


class MiddleCover:
    """A cover that covers nothing."""

    over = None

    def __init__(self, controller: Controller, canvas: QWidget) -> None: ...
    def show_view(self, *shown: object) -> None: ...
    def render_scene(self, *shown: object) -> bool:
        return False


class BelowSlider(QLabel):
    """Shows what the slider controls, while the marks are on."""

    name, title, use = "middle", "Middle of", "Says its name."

    def __init__(self, slider: QWidget, control: str, jump: Callable[[float], None]) -> None:
        super().__init__(control)

    def render_lane(self, lane: LaneScene, theme: Theme) -> bool:
        return lane.feature(Middle) is not None


#: Locations of the pointer.
POINTED: list[PointerPosition | None] = []

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
            run=lambda around: around.controller.set_class(1),
            on=lambda scene: scene.session.active_class == 1,
        ),
        Action(
            "marked", "&Compare", "Mark three", ("Ctrl+Alt+M",), "Three.", "", True, switch="marked", of=MiddleSession
        ),
    ),
    dock=Dock("middle", "Middle of the points", lambda around: MiddlePanel()),
    queries=queries,
    sheets=sheets,
    scene=scene,
    lane=lambda context, index: Middle((0.0, 0.0)) if context.session.of(MiddleSession).marked else None,
    legend=(LegendEntry(CROSSING, "", lambda scene: f"To the middle of {len(scene.points.xy)} points"),),
    watches=lambda session: ("run",) if session.of(MiddleSession).marked else (),
    other_marks=lambda context, index: first(context.document.points),
    pointed=lambda controller, pointer: POINTED.append(pointer),
    views={
        location: Widget(f"{__name__}.{kind}")
        for location, kind in (("overlay", "MiddleLayer"), ("cover", "MiddleCover"), ("below slider", "BelowSlider"))
    },
    help=(("Why this class", "Ctrl+M", "the middle of the points"),),
)


@pytest.fixture
def middle(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add a row to the table of features; actions of other tests do not have it."""
    monkeypatch.setattr("app.features.table.FEATURES", FeatureTable((*FEATURES, MIDDLE)))
    yield


def test_a_row_of_the_table_is_a_feature(middle: None, make: Make, qtbot: QtBot) -> None:
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
    window.named_actions["legend"].trigger()
    window.refreshing.flush()
    card = window.findChild(QFrame, "legend")
    assert card is not None and card.isVisible()
    legend = {label.text() for label in card.findChildren(QLabel) if label.isVisible()}
    assert (
        f"To the middle of {len(window.document.points)} points" in legend and "crossing" in window.scene.legend_kinds
    )
    picture = Sheet(window.shoot("window"), PictureSpec("window", *screen_size(window.canvases[:2], "window")))
    assert (CROSSING, f"To the middle of {len(window.document.points)} points") in picture.entries
    picture.close()
    again = window.named_actions["second_class"]
    assert not again.isChecked()
    QTest.keyClick(
        window.canvases[0], Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    window.refreshing.flush()
    assert again.isChecked() and window.controller.session.active_class == 1
    assert ("Ctrl+M", "the middle of the points") in sections(window.features)["Why this class"]
    action.trigger()
    settle(qtbot, window)
    assert dock.isHidden() and window.scene.feature(Middle) is None and not window.scene.lanes[0].sheets


def test_a_feature_keeps_its_part_of_the_session(middle: None, make: Make, qtbot: QtBot) -> None:
    window = make()
    controller, action = window.controller, window.named_actions["marked"]
    below = window.findChildren(BelowSlider)
    assert {"lane1.C.middle", "lane1.gamma.middle"} <= {each.objectName() for each in below}
    assert window.scene is not None and all(0 in lane.marks.wrong for lane in window.scene.lanes)
    assert not any(each.isVisible() for each in below) and not window.scene.shows_run
    action.trigger()
    settle(qtbot, window)
    assert action.isChecked() and window.scene.shows_run and any(each.isVisible() for each in below)
    pointer = PointerPosition(0.1, 0.2, 0.01)
    controller.editing.hover(pointer)
    assert POINTED[-1] is pointer
    controller.change(MiddleSession, values=(1, 2, 3, 4))
    controller.lanes.add(1)
    slot = controller.document.slots[2]
    assert controller.session.of(MiddleSession).values == tuple(0 if each == slot else each + 1 for each in range(4))
    assert controller.session.of(MiddleSession).marked
    controller.new()
    settle(qtbot, window)
    assert controller.session.of(MiddleSession) == MiddleSession() and not action.isChecked()


def test_names_and_keys_are_given_once() -> None:
    from app.window.actions import every
    from app.window.dock_manager import docks

    for names in ([each.name for each in every(FEATURES)], [each.name for each in docks(FEATURES)]):
        assert len(set(names)) == len(names)
    keys = [key for each in every(FEATURES) for key in each.keys]
    assert len(set(keys)) == len(keys)
    opening = {each.name for each in every(FEATURES) if each.run is None and not each.switch}
    windows = {each.window[0] for each in FEATURES if each.window is not None}
    assert {each.name for each in FEATURES.docks()} | windows <= opening
    assert not FEATURES.watched(Session()) and FEATURES.watched(Session(open_panels=frozenset({"loss"}))) == {"run"}


def widgets(feature: Feature) -> list[Widget]:
    """Return the widgets made with parts of their surroundings."""
    made = (feature.dock and feature.dock.make, feature.window and feature.window[1])
    return [each for each in made if isinstance(each, Widget)]


def written_names() -> list[str]:
    """Return the names of classes that the sources give to `Widget`, which no type checks."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "app").rglob("*.py")]
    return [name for source in sources for name in re.findall(r"\bWidget\(\s*\"([^\"]*)\"", source)]


@pytest.mark.parametrize("name", written_names())
def test_each_name_of_a_widget_is_that_of_a_class(name: str) -> None:
    assert isinstance(Widget(name).kind, type), name


def misfit(widget: Widget) -> str:
    """Return the sentence on what the constructor of a widget asks for and its row does not give, "" if they fit."""
    kind, around = widget.kind, get_type_hints(Surroundings, vars(app.views.surroundings))
    advice = (
        f"; its row gives {widget.takes or 'all surroundings as one'}. docs/howto/adding.md, A panel, step 2, says how"
    )
    if not inspect.isfunction(kind.__init__):
        return f"{widget.name} has no constructor of its own, so none of the row's arguments is used{advice}"
    hints = get_type_hints(kind.__init__)
    wanted = [*inspect.signature(kind.__init__).parameters.values()][1:]
    needed = [each for each in wanted if each.default is each.empty]
    given = [(name, around.get(name)) for name in widget.takes] or [("surroundings", Surroundings)]
    for (name, of), each in zip(given, wanted, strict=False):
        if of is None:
            return f"{widget.name} is given {name!r}, which `Surroundings` lacks{advice}"
        if hints.get(each.name, Any) not in (of, Any) and of is not Any:
            return f"{widget.name} has the argument {each.name!r}, which is not the {name!r} that it is given{advice}"
    if len(needed) > len(given):
        return f"{widget.name} asks for the argument {needed[len(given)].name!r}, which nothing gives{advice}"
    return f"{widget.name} does not take the argument {given[len(wanted)][0]!r}{advice}" if given[len(wanted) :] else ""


def test_the_row_of_a_feature_gives_what_the_constructor_of_its_panel_asks_for() -> None:
    found = [widget for feature in FEATURES for widget in widgets(feature)]
    assert {widget.name for widget in found} <= set(written_names())
    assert len(found) > 15 and not (wrong := [sentence for widget in found if (sentence := misfit(widget))]), wrong


class Asking(QLabel):
    """A panel with arguments of its own."""

    def __init__(self, controller: Controller, colour: str) -> None:
        super().__init__(colour)


@pytest.mark.parametrize(
    ("kind", "takes", "sentence"),
    [
        ("Asking", ("controller",), "Asking asks for the argument 'colour', which nothing gives; its row gives"),
        ("Asking", ("controller", "settings"), "Asking has the argument 'colour', which is not the 'settings' that it"),
        (
            "Asking",
            (),
            "Asking has the argument 'controller', which is not the 'surroundings' that it is given; its row",
        ),
        ("Asking", ("controller", "colour"), "Asking is given 'colour', which `Surroundings` lacks; its row gives"),
        ("MiddleCover", ("controller", "window", "do"), "MiddleCover has the argument 'canvas', which is not"),
        ("MiddlePanel", ("controller",), "MiddlePanel has no constructor of its own"),
    ],
)
def test_a_panel_that_asks_for_more_is_named_with_its_argument(
    kind: str, takes: tuple[str, ...], sentence: str
) -> None:
    found = misfit(Widget(f"{__name__}.{kind}", takes))
    assert found.startswith(f"{__name__}.{sentence}") and "docs/howto/adding.md" in found


def test_the_views_of_features_have_their_places() -> None:
    assert {kind.__name__ for location in get_args(Place) for kind in FEATURES.views(location)} == {
        "KktLayer",
        "LessonLayer",
        "ClassLayer",
        "ClassPanel",
        "ProbeLayer",
        "SearchLayer",
        "WipeCover",
        "ValidationCurveView",
    }
