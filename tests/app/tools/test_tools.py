"""Gestures: the limits between a click, a drag, a grab and a removal (pixels), and the resulting commands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.core.points import Ids, Points
from app.state.commands import Command, MovePoints
from app.state.document import Document
from app.state.session import Selection, Session
from app.tools import CLICK_PIXELS, POINT_PIXELS, REMOVE_PIXELS, TOOLS, Keys, PointerPosition, nearest, point_at
from app.tools.base import inside_polygon
from tests.examples import examples

UNIT = 0.25  #: length of a pixel in the plane; exact in binary
DOCUMENT = Document(Points.of([(0.0, 0.0), (100.0, 0.0), (100.0, 0.0), (0.0, 200.0)], [0, 1, 2, 3]))


class Mouse:
    """A tool on `DOCUMENT`, moved in pixels from the origin of the plane; records its commands and selections."""

    def __init__(self, tool: str = "pointer", document: Document = DOCUMENT, **session: Any) -> None:
        self.commands: list[Command] = []
        self.shown: list[str] = []
        self.document = self.before = document
        self.session = Session(tool=tool, active_class=4, **session)
        self.tool = TOOLS[tool].make(self, np.random.default_rng(0))

    def dispatch(self, command: Command) -> None:
        self.commands.append(command)
        self.document = command.apply(self.document)

    def select(self, ids: Ids) -> None:
        self.session = replace(self.session, selection=Selection(np.asarray(ids)))

    def say(self, sentence: str) -> None:
        self.shown.append(sentence)

    @property
    def selected(self) -> list[int]:
        return self.session.selection.ids.tolist()

    @property
    def added(self) -> np.ndarray:
        """Return the new points in pixels."""
        return self.document.points.xy[len(self.before.points) :] / UNIT

    @property
    def moved(self) -> dict[int, list[float]]:
        """Return by how many pixels points have moved."""
        way = (self.document.points.xy - self.before.points.xy) / UNIT
        return {int(i): way[i].tolist() for i in np.flatnonzero(way.any(axis=1))}

    def press(self, x: float, y: float = 0.0, shift: bool = False, control: bool = False) -> None:
        self.tool.press(at(x, y), Keys(shift, control))

    def click(self, x: float, y: float = 0.0, **keys: bool) -> None:
        self.tool.press(at(x, y), Keys(**keys))
        self.tool.release(at(x, y))

    def move(self, x: float, y: float = 0.0) -> None:
        self.tool.move(at(x, y))

    def release(self, x: float, y: float = 0.0) -> None:
        self.tool.release(at(x, y))

    def drag(self, *locations: tuple[float, float], shift: bool = False, control: bool = False) -> None:
        self.press(*locations[0], shift, control)
        for location in locations[1:]:
            self.move(*location)
        self.release(*locations[-1])


def at(x: float, y: float = 0.0) -> PointerPosition:
    return PointerPosition(x * UNIT, y * UNIT, UNIT)


def test_the_thresholds() -> None:
    assert (CLICK_PIXELS, POINT_PIXELS, REMOVE_PIXELS) == (4.0, 6.0, 12.0)
    assert at(3.0).pixels_to(0.0, 1.0) == 5.0


def test_nearest_is_within_reach_and_the_newest_of_equals() -> None:
    assert nearest(Document(), at(0), 10.0) is None
    assert nearest(DOCUMENT, at(10.0), 10.0) == 0
    assert nearest(DOCUMENT, at(10.01), 10.0) is None
    assert nearest(DOCUMENT, at(6.0, 8.0), 10.0) == 0, "a circle, no square"
    assert nearest(DOCUMENT, at(8.0, 8.0), 10.0) is None
    assert nearest(DOCUMENT, at(400.0), 10.0) == 2, "the one drawn on top"
    assert nearest(DOCUMENT, at(200.0), 1000.0) == 2, "equally far from three"


def test_the_pointer_is_on_a_point_within_its_symbol() -> None:
    assert point_at(DOCUMENT, at(6.0)) == 0 and point_at(DOCUMENT, at(6.01)) is None
    large = PointerPosition(9.0 * UNIT, 0.0, UNIT, reach=9.0)
    assert point_at(DOCUMENT, large) == 0
    assert point_at(DOCUMENT, replace(large, x=9.01 * UNIT)) is None
    close = Document(Points.of([(0.0, 0.0), (4 * UNIT, 0.0)], [0, 1]))
    assert [point_at(close, at(x)) for x in (1.9, 2.1)] == [0, 1], "the nearest centre"


def test_a_click_on_a_point_selects_it_and_adds_none() -> None:
    user = Mouse()
    user.click(5.0, 3.0)
    assert user.selected == [0] and user.commands == []
    user.click(0.0, 800.0, shift=True)
    assert user.selected == [0, 3]
    user.click(0.0, 0.0, control=True)
    assert user.selected == [3]
    user.click(0.0, 0.0, control=True)
    assert user.selected == [0, 3]
    user.click(400.0)
    assert user.selected == [2] and user.commands == [], "the one on top, and it alone"


def test_a_click_beside_points_clears_the_selection_and_adds_a_point() -> None:
    user = Mouse()
    user.select(np.array([0, 3]))
    user.press(50.0)
    assert user.tool.outline is None
    user.release(50.0)
    assert user.selected == [] and user.added.tolist() == [[50.0, 0.0]]


@pytest.mark.parametrize(("key", "chosen"), [("shift", [0, 1, 2]), ("control", [1, 2, 3])])
def test_a_drag_beside_points_with_shift_or_control_is_a_rubber_band(key: str, chosen: list[int]) -> None:
    user = Mouse()
    user.select(np.array([0]) if key == "shift" else np.array([0, 3]))
    corner = (200.0, -20.0) if key == "shift" else (-20.0, -20.0)
    user.press(*corner, **{key: True})
    user.move(420.0, 20.0)
    assert user.tool.outline is not None and user.tool.outline.kind == "rectangle"
    user.release(420.0, 20.0)
    assert user.selected == chosen and user.commands == []
    user.click(50.0, 50.0, **{key: True})
    assert user.selected == chosen and user.commands == [], "a click beside the points changes nothing"


def test_the_second_press_of_a_double_click_is_no_click_but_may_drag() -> None:
    user = Mouse()
    for x in (0.0, 50.0):
        user.click(x, double=True)
        assert user.selected == [] and user.commands == []
    user.click(0.0)
    user.click(0.0, control=True, double=True)
    assert user.selected == [0]
    user.tool.press(at(0.0), Keys(double=True))
    user.move(30.0)
    user.release(30.0)
    assert user.moved == {0: [30.0, 0.0]}


def test_alt_adds_a_point_on_top_of_another() -> None:
    user = Mouse()
    user.click(2.0, alt=True)
    assert user.added.tolist() == [[2.0, 0.0]] and user.selected == []


@pytest.mark.parametrize("tool", ["rectangle", "lasso"])
def test_a_click_of_the_selecting_tools_selects_as_the_point_tool_does(tool: str) -> None:
    user = Mouse(tool)
    user.select(np.array([0, 3]))
    user.click(0.0)
    assert user.selected == [0], "one of several selected ones"
    user.click(0.0, 800.0, control=True)
    assert user.selected == [0, 3]
    user.click(0.0, 800.0, control=True, double=True)
    assert user.selected == [0, 3]
    user.click(0.0, 800.0, control=True)
    user.click(7.0)
    assert user.selected == [] and user.commands == []


def test_a_click_puts_a_point_where_it_pressed() -> None:
    user = Mouse()
    user.press(50.0)
    assert user.tool.busy
    user.move(53.0)
    user.release(54.0)
    assert user.added.tolist() == [[50.0, 0.0]] and user.document.points.labels[-1] == 4 and not user.tool.busy


def test_a_drag_beside_points_adds_a_point_where_it_ends() -> None:
    user = Mouse()
    user.drag((50.0, 0.0), (60.0, 0.0), (60.0, 8.0))
    assert user.added.tolist() == [[60.0, 8.0]] and len(user.commands) == 1


@pytest.mark.parametrize(("moved", "dragged"), [(4.0, False), (4.01, True), (-4.0, False), (-4.01, True)])
def test_a_grabbed_point_moves_beyond_four_pixels(moved: float, dragged: bool) -> None:
    user = Mouse()
    user.press(0.0)
    user.move(moved)
    assert bool(user.commands) == dragged
    user.release(moved)
    assert {type(command) for command in user.commands} == ({MovePoints} if dragged else set())
    assert user.selected == ([] if dragged else [0])


@pytest.mark.parametrize(("away", "held"), [(6.0, True), (6.01, False)])
def test_a_press_takes_hold_within_six_pixels(away: float, held: bool) -> None:
    user = Mouse()
    user.press(away)
    user.move(away + 30.0)
    assert bool(user.commands) == held


def test_a_point_keeps_its_offset_to_the_pointer() -> None:
    user = Mouse()
    user.press(4.0, -4.0)
    user.move(24.0, 16.0)
    assert user.moved == {0: [20.0, 20.0]}
    user.move(6.0, -4.0)  # back within four pixels: still a drag
    user.release(6.0, -4.0)
    assert user.moved == {0: [2.0, 0.0]}


@pytest.mark.parametrize("tool", ["pointer", "brush", "relabel", "move", "soft", "jitter", "magnet", "eraser"])
def test_a_stroke_merges_with_itself_only(tool: str) -> None:
    user = Mouse(tool)
    strokes = []
    for x in (0.0, 400.0):
        user.commands.clear()
        user.drag((x, 0.0), (x + 20.0, 3.0), (x + 30.0, 40.0), (x, 800.0))
        keys = {command.merge_key for command in user.commands}
        assert len(keys) == 1 and None not in keys
        strokes.append(keys)
    assert strokes[0] != strokes[1]


def test_without_a_press_nothing_happens() -> None:
    for tool in TOOLS:
        user = Mouse(tool)
        user.move(50.0)
        user.tool.hold()
        user.release(50.0)
        user.press(0.0)
        user.commands.clear()
        user.tool.cancel()
        user.move(50.0)
        user.tool.hold()
        user.release(50.0)
        assert user.commands == [] and not user.tool.busy and user.tool.outline is None, tool


# -- brushes -------------------------------------------------------------------------------------------------------

CROWD = Document(Points.of(np.random.default_rng(5).uniform(-40, 40, (3000, 2)), np.arange(3000) % 3))


def pixels(document: Document) -> np.ndarray:
    return document.points.xy / UNIT


@pytest.mark.parametrize("spread", ["uniform", "normal"])
def test_the_brush_sprays_its_density_over_its_radius(spread: str) -> None:
    user = Mouse("brush", Document(), radius=40, density=200, spread=spread)
    user.press(100.0, 50.0)
    for _ in range(20):
        user.tool.hold()
    away = np.hypot(*(user.added - (100.0, 50.0)).T)
    assert len(away) == 21 * 200 and (user.document.points.labels == 4).all()
    # Inside r: (r/R)² of a uniform disc, 1 − exp(−2 (r/R)²) of a normal one with half the radius.
    share = 0.25 if spread == "uniform" else 1 - np.exp(-0.5)
    assert np.mean(away < 20.0) == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / len(away)))
    assert spread == "normal" or away.max() <= 40.0
    assert len({command.merge_key for command in user.commands}) == 1


@pytest.mark.parametrize("steps", [1, 7, 300])
def test_the_brush_sprays_by_distance_not_by_number_of_moves(steps: int) -> None:
    user = Mouse("brush", Document(), radius=20, density=3)
    user.drag(*[(600.0 * step / steps, 0.0) for step in range(steps + 1)])
    assert len(user.added) == pytest.approx(3 * (1 + 60), abs=3)
    for start in range(0, 560, 40):  # no gap anywhere
        assert ((user.added[:, 0] >= start) & (user.added[:, 0] <= start + 40)).any()


@pytest.mark.parametrize("tool", ["eraser", "relabel"])
def test_a_sweep_meets_every_point_on_its_way(tool: str) -> None:
    user = Mouse(tool, CROWD, radius=15)
    user.drag((-120.0, -50.0), (120.0, 60.0))  # one fast move
    xy, a, b = pixels(CROWD), np.array([-120.0, -50.0]), np.array([120.0, 60.0])
    ways = a + np.linspace(0, 1, 2001)[:, None] * (b - a)
    away = np.array([np.hypot(*(ways - p).T).min() for p in xy])
    hit, missed = np.flatnonzero(away < 14.99), np.flatnonzero(away > 15.01)
    assert len(hit) > 100 and len(missed) > 100
    if tool == "eraser":
        left = set(user.document.points.ids.tolist())
        assert not left & set(hit.tolist()) and left >= set(missed.tolist())
    else:
        labels = user.document.points.labels
        assert (labels[hit] == 4).all() and (labels[missed] == CROWD.points.labels[missed]).all()
    assert len({command.merge_key for command in user.commands}) == 1


# -- shapes --------------------------------------------------------------------------------------------------------


def test_a_line_of_points() -> None:
    user = Mouse("line", Document(), count=5)
    user.press(0.0, 0.0)
    user.move(80.0, 40.0)
    assert user.tool.outline is not None and user.tool.outline.kind == "line"
    assert (user.tool.outline.xy / UNIT).tolist() == [[0.0, 0.0], [80.0, 40.0]] and user.commands == []
    user.release(80.0, 40.0)
    assert user.added.tolist() == [[0, 0], [20, 10], [40, 20], [60, 30], [80, 40]]
    assert user.commands[0].name(Document(), user.document) == "Draw a line of 5 points"


@pytest.mark.parametrize(
    ("to", "end"), [((80.0, 9.0), (80.0, 0.0)), ((3.0, -70.0), (0.0, -70.0)), ((60.0, 50.0), (55.0, 55.0))]
)
def test_shift_makes_a_line_straight(to: tuple[float, float], end: tuple[float, float]) -> None:
    user = Mouse("line", Document(), count=2)
    user.drag((0.0, 0.0), to, shift=True)
    assert user.added[1] == pytest.approx(end, abs=1e-9)


@pytest.mark.parametrize(("shift", "radii"), [(False, (50.0, 20.0)), (True, (50.0, 50.0))])
def test_an_ellipse_of_points(shift: bool, radii: tuple[float, float]) -> None:
    user = Mouse("ellipse", Document(), count=24)
    user.drag((10.0, 10.0), (110.0, -30.0), shift=shift)
    centre = np.array([60.0, 10.0 - radii[1]])
    assert (((user.added - centre) / radii) ** 2).sum(axis=1) == pytest.approx(np.ones(24))
    assert len(np.unique(user.added.round(6), axis=0)) == 24
    user = Mouse("ellipse", Document(), count=2000, filled=True)
    user.drag((-50.0, -20.0), (50.0, 20.0))
    inside = ((user.added / (50.0, 20.0)) ** 2).sum(axis=1)
    assert inside.max() <= 1.0 and np.mean(inside < 0.25) == pytest.approx(0.25, abs=0.04)


def test_points_of_a_shape_scatter() -> None:
    user = Mouse("line", Document(), count=2000, scatter=8)
    user.drag((0.0, 0.0), (1000.0, 0.0))
    assert user.added[:, 1].std() == pytest.approx(8.0, rel=0.1)


def test_a_shape_needs_a_drag() -> None:
    for tool in ("line", "ellipse"):
        user = Mouse(tool)
        user.drag((0.0, 0.0), (3.0, 0.0))
        assert user.commands == [] and len(user.shown) == 1 and tool in user.shown[0]


# -- moving --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["pointer", "move", "rectangle", "lasso"])
def test_a_drag_of_a_selected_point_moves_the_selection(tool: str) -> None:
    user = Mouse(tool)
    user.select(np.array([0, 3]))
    user.drag((2.0, 0.0), (32.0, -10.0))
    assert user.moved == {0: [30.0, -10.0], 3: [30.0, -10.0]} and user.selected == [0, 3]


def test_a_whole_class_moves() -> None:
    user = Mouse("move", CROWD, moves="class")
    x, y = pixels(CROWD)[7]
    user.drag((x, y), (x + 20.0, y + 5.0))
    assert set(user.moved) == set(range(1, 3000, 3)) or len(user.moved) == 1000
    assert np.array(list(user.moved.values())) == pytest.approx(np.tile([20.0, 5.0], (1000, 1)))
    assert {int(label) for label in CROWD.points.labels[list(user.moved)]} in ({0}, {1}, {2})


def test_move_never_puts_a_point() -> None:
    user = Mouse("move")
    user.drag((50.0, 50.0), (90.0, 50.0))
    assert user.commands == [] and len(user.shown) == 1


def test_a_soft_drag_fades_with_the_distance() -> None:
    user = Mouse("soft", CROWD, radius=60)
    user.drag((0.0, 0.0), (25.0, 0.0), (40.0, 10.0))
    d2 = (pixels(CROWD) ** 2).sum(axis=1) / 60.0**2
    share = np.where(d2 < 1, (1 - d2) ** 2, 0.0)
    way = pixels(user.document) - pixels(CROWD)
    assert way == pytest.approx(share[:, None] * (40.0, 10.0), abs=1e-9) and 0 < np.count_nonzero(share) < 3000


def test_the_magnet_pulls_and_pushes_what_is_under_it() -> None:
    for shift in (False, True):
        user = Mouse("magnet", CROWD, radius=50)
        user.press(20.0, 0.0, shift=shift)
        before, after = (np.hypot(*(pixels(d) - (20.0, 0.0)).T) for d in (CROWD, user.document))
        near = before <= 50.0
        assert (after[~near] == before[~near]).all() and near.sum() > 50
        assert after[near] == pytest.approx(before[near] * (1.08 if shift else 0.92))
        user.tool.hold()
        assert len(user.commands) == 2 and user.commands[0].merge_key == user.commands[1].merge_key


def test_jitter_shakes_what_is_under_it() -> None:
    user = Mouse("jitter", CROWD, radius=50)
    user.press(0.0)
    near = np.hypot(*pixels(CROWD).T) <= 50.0
    way = pixels(user.document) - pixels(CROWD)
    assert not way[~near].any() and way[near].all()
    assert way[near].std() == pytest.approx(0.08 * 50, rel=0.15) and abs(way[near].mean()) < 1.0


# -- selecting -----------------------------------------------------------------------------------------------------


def test_a_rectangle_selects_from_any_corner() -> None:
    xy = pixels(CROWD)
    wanted = CROWD.points.ids[((xy >= (-60, -20)) & (xy <= (30, 90))).all(axis=1)].tolist()
    for start, end in (((-60, -20), (30, 90)), ((30, 90), (-60, -20)), ((30, -20), (-60, 90))):
        user = Mouse("rectangle", CROWD)
        empty = Mouse("rectangle", Document())  # so that no point is held
        empty.press(*start)
        empty.move(*end)
        assert empty.tool.outline is not None and empty.tool.outline.kind == "rectangle"
        user.tool.take_hold = lambda pointer: None  # type: ignore[attr-defined]
        user.drag(start, (0.0, 0.0), end)
        assert user.selected == wanted and user.commands == []


def test_shift_adds_and_control_takes_away() -> None:
    user = Mouse("rectangle")
    user.drag((-20.0, -20.0), (20.0, 20.0))
    assert user.selected == [0]
    user.drag((380.0, -20.0), (420.0, 20.0), shift=True)
    assert user.selected == [0, 1, 2]
    user.drag((-20.0, -20.0), (20.0, 20.0), control=True)
    assert user.selected == [1, 2]
    user.drag((0.0, 798.0), (0.0, 800.0), shift=True)
    assert user.selected == [1, 2, 3], "a click picks one point"
    user.drag((50.0, 50.0), (50.0, 50.0))
    assert user.selected == [] and user.commands == []


def test_a_lasso_selects_what_is_inside() -> None:
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    radius = 80 + 40 * np.sin(5 * angle)
    path = np.column_stack((radius * np.cos(angle), radius * np.sin(angle)))
    user = Mouse("lasso", CROWD)
    user.tool.take_hold = lambda pointer: None  # type: ignore[attr-defined]
    user.drag(*map(tuple, path))
    x, y = pixels(CROWD).T
    level = 80 + 40 * np.sin(5 * np.arctan2(y, x)) - np.hypot(x, y)
    chosen = np.isin(CROWD.points.ids, user.selected)
    assert chosen[level > 4].all() and not chosen[level < -4].any() and 100 < chosen.sum() < 2900


@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
@examples(200)
def test_inside_a_polygon_by_winding_numbers(corners: list[tuple[int, int]], seed: int) -> None:
    xy = np.random.default_rng(seed).uniform(-7, 7, (60, 2))
    ends = [*corners[1:], corners[0]]
    for (x, y), inside in zip(xy, inside_polygon(xy, np.array(corners, dtype=float)), strict=True):
        # Reference by the winding number: the angles of the edges, as seen from the location, add up to whole turns.
        turns = sum(
            float(np.arctan2((ax - x) * (by - y) - (ay - y) * (bx - x), (ax - x) * (bx - x) + (ay - y) * (by - y)))
            for (ax, ay), (bx, by) in zip(corners, ends, strict=True)
        ) / (2 * np.pi)
        assert inside == (round(turns) % 2 == 1)
