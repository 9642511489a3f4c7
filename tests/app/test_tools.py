"""Gestures: from which pixel on a press is a click, a drag, a grab or a removal, and which command comes of it."""

from __future__ import annotations

import pytest

from app.commands import AddPoints, Command, MovePoint, RemovePoints
from app.document import Document
from app.points import Points
from app.tools import CLICK_PIXELS, GRAB_PIXELS, REMOVE_PIXELS, PointerTool, Spot, nearest

UNIT = 0.25  #: of the plane in one pixel; exact in binary
DOCUMENT = Document(Points.of([(0.0, 0.0), (100.0, 0.0), (100.0, 0.0), (0.0, 200.0)], [0, 1, 2, 3]))


class Hand:
    """A tool on `DOCUMENT`, moved in pixels from the origin of the plane; notes its commands."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.tool = PointerTool(self.commands.append)

    def press(self, x: float, y: float = 0.0) -> None:
        self.tool.press(DOCUMENT, at(x, y))

    def move(self, x: float, y: float = 0.0) -> None:
        self.tool.move(at(x, y))

    def release(self, x: float, y: float = 0.0, label: int = 4) -> None:
        self.tool.release(at(x, y), label)


def at(x: float, y: float = 0.0) -> Spot:
    return Spot(x * UNIT, y * UNIT, UNIT)


def test_the_thresholds() -> None:
    assert (CLICK_PIXELS, GRAB_PIXELS, REMOVE_PIXELS) == (4.0, 10.0, 12.0)
    assert at(3.0).pixels_to(0.0, 1.0) == 5.0


def test_nearest_is_within_reach_and_the_newest_of_equals() -> None:
    assert nearest(Document(), at(0), 10.0) is None
    assert nearest(DOCUMENT, at(10.0), 10.0) == 0
    assert nearest(DOCUMENT, at(10.01), 10.0) is None
    assert nearest(DOCUMENT, at(6.0, 8.0), 10.0) == 0, "a circle, no square"
    assert nearest(DOCUMENT, at(8.0, 8.0), 10.0) is None
    assert nearest(DOCUMENT, at(400.0), 10.0) == 2, "the one drawn on top"
    assert nearest(DOCUMENT, at(200.0), 1000.0) == 2, "equally far from three"


def test_a_click_puts_a_point_where_it_pressed() -> None:
    hand = Hand()
    hand.press(50.0)
    assert hand.tool.busy
    hand.move(53.0)
    hand.release(54.0)
    assert hand.commands == [AddPoints(xy=((50.0 * UNIT, 0.0),), label=4)] and not hand.tool.busy


def test_a_drag_on_empty_ground_puts_a_point_where_it_ends() -> None:
    hand = Hand()
    hand.press(50.0)
    hand.move(60.0)
    hand.release(60.0, 8.0)
    assert hand.commands == [AddPoints(xy=((60.0 * UNIT, 8.0 * UNIT),), label=4)]


@pytest.mark.parametrize(("moved", "dragged"), [(4.0, False), (4.01, True), (-4.0, False), (-4.01, True)])
def test_a_grabbed_point_moves_beyond_four_pixels(moved: float, dragged: bool) -> None:
    hand = Hand()
    hand.press(0.0)
    hand.move(moved)
    assert bool(hand.commands) == dragged
    hand.release(moved)
    assert [type(command) for command in hand.commands] == [MovePoint if dragged else AddPoints]


@pytest.mark.parametrize(("away", "held"), [(10.0, True), (10.01, False)])
def test_a_press_takes_hold_within_ten_pixels(away: float, held: bool) -> None:
    hand = Hand()
    hand.press(away)
    hand.move(away + 30.0)
    assert bool(hand.commands) == held


def test_a_point_keeps_its_offset_to_the_pointer() -> None:
    hand = Hand()
    hand.press(6.0, -4.0)
    hand.move(26.0, 16.0)
    hand.move(8.0, -4.0)  # back within four pixels: still a drag
    hand.release(8.0, -4.0)
    places = [(c.index, c.x / UNIT, c.y / UNIT) for c in hand.commands if isinstance(c, MovePoint)]
    assert places == [(0, 20.0, 20.0), (0, 2.0, 0.0)] and len(hand.commands) == 2


def test_a_stroke_merges_with_itself_only() -> None:
    hand = Hand()
    for _ in range(2):
        hand.press(0.0)
        hand.move(20.0)
        hand.move(30.0)
        hand.release(30.0)
    keys = [command.merge_key for command in hand.commands]
    assert keys[0] == keys[1] != keys[2] == keys[3] and None not in keys


@pytest.mark.parametrize(("away", "removed"), [(12.0, True), (12.01, False)])
def test_removal_within_twelve_pixels(away: float, removed: bool) -> None:
    hand = Hand()
    assert hand.tool.remove(DOCUMENT, at(400.0 + away)) == removed
    assert hand.commands == ([RemovePoints(indices=(2,))] if removed else [])


def test_nothing_is_removed_under_a_held_button() -> None:
    hand = Hand()
    hand.press(0.0)
    assert hand.tool.remove(DOCUMENT, at(0.0)) and hand.commands == []


def test_without_a_press_nothing_happens() -> None:
    hand = Hand()
    hand.move(50.0)
    hand.release(50.0)
    hand.press(0.0)
    hand.tool.cancel()
    hand.move(50.0)
    hand.release(50.0)
    assert hand.commands == [] and not hand.tool.busy
