"""Gestures where each axis has its own scale: the same pixels do the same on screen, whatever a pixel is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from app.controllers.controller import Controller
from app.core.points import Points
from app.state.document import Document, View
from app.state.session import Presenting, Session
from app.state.store import Store
from app.tools import TOOLS, Keys, PointerPosition, nearest
from tests.app.tools.test_tools import Mouse

#: Ratios that are exact in binary, so that both pictures are equal to the last bit.
RATIOS = (1 / 64, 1024.0)
UNIT = 0.25
XY = np.array([(0.0, 0.0), (100.0, 0.0), (100.0, 8.0), (0.0, 200.0), (30.0, 40.0), (52.0, 60.0), (61.0, 88.0)])
PATH = [(0.0, 0.0), (30.0, 41.0), (64.0, 90.0), (100.0, 60.0), (96.0, 3.0)]


def document(ratio: float) -> Document:
    points = Points.of(XY * UNIT * (1.0, ratio), [0, 1, 2, 3, 0, 1, 1])
    return Document(points, view=View(0.0, 0.0, 100.0, ratio))


def on_screen(points: Points, ratio: float) -> tuple[list[list[float]], list[int], list[int]]:
    return (points.xy / (1.0, ratio)).tolist(), points.labels.tolist(), points.ids.tolist()


def gesture(tool: str, ratio: float, keys: Keys, path: list[tuple[float, float]], **session: Any) -> Mouse:
    user = Mouse(tool, document(ratio), **session)
    at = [PointerPosition(x * UNIT, y * UNIT * ratio, UNIT, ratio=ratio) for x, y in path]
    user.tool.press(at[0], keys)
    for each in at[1:]:
        user.tool.move(each)
        user.tool.hold()
        assert user.tool.outline is None or np.isfinite(user.tool.outline.xy).all()
    outline = user.tool.outline
    user.outline = None if outline is None else (outline.xy / (1.0, ratio)).tolist()  # type: ignore[attr-defined]
    user.tool.release(at[-1])
    return user


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("keys", [Keys(), Keys(shift=True), Keys(control=True)], ids=["plain", "shift", "control"])
@pytest.mark.parametrize("ratio", RATIOS)
def test_every_tool_does_the_same_on_screen(tool: str, keys: Keys, ratio: float) -> None:
    for path in (PATH, PATH[:1], [(100.0, 40.0), (102.0, 43.0)]):
        for spread in ("normal", "uniform"):
            one, other = (gesture(tool, each, keys, path, spread=spread, radius=30) for each in (1.0, ratio))
            assert on_screen(other.document.points, ratio) == on_screen(one.document.points, 1.0)
            assert other.document.split == one.document.split
            assert (other.selected, other.outline) == (one.selected, one.outline)  # type: ignore[attr-defined]


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_nearest_point_is_that_on_screen(ratio: float) -> None:
    for x, y in np.random.default_rng(0).uniform(-20.0, 120.0, (200, 2)):
        pointer = PointerPosition(x * UNIT, y * UNIT * ratio, UNIT, ratio=ratio)
        for reach in (6.0, 40.0, 1e6):
            equal = replace(pointer, y=y * UNIT, ratio=1.0)
            assert nearest(document(ratio), pointer, reach) == nearest(document(1.0), equal, reach)


def controller(ratio: float) -> Controller:
    return Controller(Store(document(ratio)), Session(), lambda: None, lambda sentence: None)


@pytest.mark.parametrize("ratio", RATIOS)
def test_keys_do_the_same_on_screen(ratio: float) -> None:
    for each in (1.0, ratio):
        user = controller(each)
        editing, found = user.editing, []
        editing.select(np.array([1, 4]))
        editing.arrow(10, -10, UNIT)
        editing.duplicate(UNIT)
        found.append(on_screen(user.document.points, each))
        menu = editing.menu_location(None, UNIT)
        assert menu is not None and menu.ratio == each
        found.append((menu.x, menu.y / each))
        editing.select_none()
        for _ in range(30):  # the view follows the keyboard cursor
            editing.arrow(10, 10, UNIT)
        found.append((user.session.cursor[0], user.session.cursor[1] / each))  # type: ignore[index]
        found.append((user.view.x, user.view.y / each, user.view.span))
        editing.enter(UNIT)
        editing.delete(None, UNIT)
        user.pan(3.0, 3.0 * each)
        user.set_session(cursor=(-20.0 * UNIT, 0.0))
        editing.choose("eraser")
        editing.set_option("radius", 30)
        editing.enter(UNIT)
        for step in ((50, 0), (0, 50), (10, 10)):
            editing.arrow(*step, UNIT)
        editing.enter(UNIT)
        found.append(on_screen(user.document.points, each))
        if each == 1.0:
            expected = found
    assert found == expected and len(found[0][0]) == len(XY) + 2


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_eraser_of_the_pen_reaches_as_far_on_screen(ratio: float) -> None:
    left = []
    for each in (1.0, ratio):
        user = controller(each)
        user.set_session(presenting=Presenting())
        for height in (0.0, 5.0, 9.0):
            user.presenting.begin(0, -10.0, height * each)
            user.presenting.go_on(10.0, (height + 1.0) * each)
        user.presenting.erase(0, 0.0, 1.0 * each, 6.0)
        left.append([stroke.xy[0][1] / each for stroke in user.session.presenting.strokes])  # type: ignore[union-attr]
    assert left == [[9.0], [9.0]]
