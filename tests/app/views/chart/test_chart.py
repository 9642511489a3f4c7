"""Chart: locations, round numbers, exact lines, reading, zooming, keys, saving and copying."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QGuiApplication, QImage, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.views.chart import saving
from app.views.chart.axis import ChartAxis, of_shares
from app.views.chart.chart import EDGE, Chart, goal_of
from app.views.chart.legend import flow
from app.views.chart.marks import (
    DASHED,
    Band,
    Bars,
    Cells,
    ChartFrame,
    LevelLine,
    Line,
    Mark,
    Region,
    Scatter,
    Strokes,
    Texts,
    thinned,
)
from app.views.theme import LIGHT, Theme

KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
Make = Callable[..., Chart]


@pytest.fixture
def make(qtbot: QtBot) -> Make:
    def build(*marks: Mark, x: ChartAxis | None = None, y: ChartAxis | None = None, kind: type[Chart] = Chart) -> Chart:
        chart = kind(x, y)
        qtbot.addWidget(chart)
        chart.resize(400, 240)
        chart.show()
        chart.show_marks(marks, LIGHT)
        return chart

    return build


def ramp(**more: object) -> Line:
    return Line(x=np.arange(11), y=np.arange(11) ** 2, name="square", colour=(200, 0, 0), **more)  # type: ignore[arg-type]


def image(chart: Chart) -> QImage:
    return chart.grab().toImage()


def is_red(picture: QImage, x: float, y: float) -> bool:
    colour = picture.pixelColor(int(x), int(y))
    return colour.red() > 150 and colour.green() < 90


# -- axes ----------------------------------------------------------------------------------------------------------


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(1, 12))
def test_numbers_of_an_axis_are_round_within_it_and_few(low: float, wide: float, most: int) -> None:
    found = ChartAxis().marks(low, low + wide, most)
    assert len(found) <= most + 1
    locations = [location for location, _ in found]
    assert all(low - 1e-6 * wide <= location <= low + wide * (1 + 1e-6) for location in locations)
    if len(locations) > 1:
        by = np.diff(locations)
        assert np.allclose(by, by[0], rtol=1e-3)
        mantissa = float(f"{by[0]:.3e}".partition("e")[0])
        assert min(abs(mantissa - each) for each in (1, 2, 5, 10)) < 0.02


def test_an_axis_of_ratios() -> None:
    axis = ChartAxis(log=True)
    assert axis.positions([1.0, 100.0]).tolist() == [0.0, 2.0] and np.isnan(axis.positions([0.0, -1.0])).all()
    assert axis.ends([3.0, 40.0]) == (0.0, 2.0)
    assert [text for _, text in axis.marks(0.0, 6.0, 4)] == ["1", "100", "10000", "1e6"]
    assert [text for _, text in axis.marks(0.0, 1.0, 4)] == ["1", "2", "5", "10"]
    assert axis.value(2.0) == 100.0


def test_what_is_below_the_floor_is_drawn_there_and_read_as_it_is(make: Make) -> None:
    line = Line(x=[0, 1, 2], y=[1.0, 1e-12, -3.0], name="gap")
    chart = make(line, y=ChartAxis(log=True, floor=1e-6))
    y = chart.pixels(line.x, line.y)[1]
    assert y[1] == y[2] == pytest.approx(chart.pixel(0, 1e-6).y()) and y[0] < y[1]
    assert chart.description(line, 2) == "gap: −3 at 2" and "gap,2,-3.0" in saving.csv_of(chart)


def test_shares_names_and_counts() -> None:
    assert [text for _, text in of_shares(low=0.5).marks(0.5, 1.0, 5)] == [
        "50 %",
        "60 %",
        "70 %",
        "80 %",
        "90 %",
        "100 %",
    ]
    assert [text for _, text in of_shares(low=1e-7, log=True).marks(-5.0, 0.0, 3)] == ["0.01 %", "1 %", "100 %"]
    assert ChartAxis(names=("a", "b", "c", "d")).marks(-0.5, 3.5, 2) == [(0.0, "a"), (2.0, "c")]
    uneven = ChartAxis(names=("1", "2", "10", "1000"), at=(1.0, 2.0, 10.0, 1000.0), log=True)
    assert uneven.ends([]) == (0.0, 3.0)
    assert [text for _, text in uneven.marks(0.0, 3.0, 4)] == ["1", "10", "1000"]
    assert all(float(location).is_integer() for location, _ in ChartAxis(whole=True).marks(0.0, 3.0, 12))
    assert ChartAxis(whole=True).ends([2.0, 3.0])[0] == 0.0
    assert ChartAxis(low=0.0, high=1.0).ends([-3.0, 7.0]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("key", "here", "goal"),
    [(KEY.Key_Left, 5, 4), (KEY.Key_Right, 9, 9), (KEY.Key_Left, -1, 9), (KEY.Key_Home, 3, 0), (KEY.Key_PageUp, 3, 7)],
)
def test_where_keys_lead(key: Qt.Key, here: int, goal: int) -> None:
    assert goal_of(key, here, 0, 9, page=4) == goal
    assert goal_of(KEY.Key_A, here, 0, 9) is None


# -- what is drawn -------------------------------------------------------------------------------------------------


def test_a_line_goes_through_the_pixels_of_its_values(make: Make) -> None:
    chart = make(ramp())
    picture, (x, y) = image(chart), chart.pixels(np.arange(11), np.arange(11) ** 2)
    for at in range(1, 10):
        assert is_red(picture, x[at], y[at])
        back = chart.values_at(QPointF(float(x[at]), float(y[at])))
        assert back == pytest.approx((at, at**2))


class NarrowChart(Chart):
    """A chart that has room beside its area."""

    def right_of(self, metrics: QFontMetricsF) -> float:
        return 120.0


@pytest.mark.parametrize(("kind", "shown"), [(NarrowChart, True), (Chart, False)])
def test_numbers_give_way_to_a_title_only_where_it_is(
    make: Make, monkeypatch: pytest.MonkeyPatch, kind: type[Chart], shown: bool
) -> None:
    drawn: list[object] = []
    draw = QPainter.drawText
    monkeypatch.setattr(QPainter, "drawText", lambda self, *args: (drawn.append(args[-1]), draw(self, *args))[1])
    line = Line(x=np.linspace(0, 1, 11), y=np.arange(11), name="", colour=(200, 0, 0))
    image(make(line, x=of_shares("shares →"), kind=kind))
    assert "shares →" in drawn and ("100 %" in drawn) is shown


def test_every_kind_of_mark_changes_the_picture_and_is_drawn_anew_with_new_numbers(make: Make) -> None:
    x = np.arange(5.0)
    marks: list[Callable[[float], Mark]] = [
        lambda k: Line(x=x, y=x * k, dash=DASHED, symbol="s", symbols_at=[1, 3]),
        lambda k: Band(x=x, low=x, high=x + k),
        lambda k: LevelLine(at=k),
        lambda k: LevelLine(at=k, upright=True),
        lambda k: Region(low=0, high=k),
        lambda k: Strokes(x=x, low=x, high=x + k),
        lambda k: Strokes(x=x * k, foot=8),
        lambda k: Scatter(x=x, y=x * k, hollow=k > 1),
        lambda k: Bars(left=x, right=x + 0.5, height=x * k, brushes=[QBrush(QColor("red"))] * 5),
        lambda k: Cells(pixels=np.full((3, 3), 0xFF800000 + int(k * 100), np.uint32), values=np.ones((3, 3))),
        lambda k: Texts(x=[1.0], y=[k], texts=[f"text {k}"]),
    ]
    for build in marks:
        chart = make(x=ChartAxis(low=0.0, high=5.0), y=ChartAxis(low=0.0, high=10.0))
        empty = image(chart)
        chart.show_marks([build(1.0)], LIGHT)
        first = image(chart)
        chart.show_marks([build(2.0)], LIGHT)
        assert empty != first != image(chart), type(build(1.0)).__name__


def test_marks_with_a_name_have_a_sample_in_the_legend(make: Make) -> None:
    x, red = np.arange(5.0), QColor("red")
    marks: list[Mark] = [
        Line(x=x, y=x, colour=red.getRgb()[:3]),
        Band(x=x, low=x, high=x + 1, colour=red.getRgb()[:3]),
        LevelLine(at=1.0, colour=red.getRgb()[:3]),
        Region(low=0, high=1, colour=red.getRgb()[:3]),
        Strokes(x=x, foot=8, colour=red.getRgb()[:3]),
        Scatter(x=x, y=x, colour=red.getRgb()[:3]),
        Bars(left=x, right=x + 0.5, height=x, brushes=[QBrush(red)] * 5),
    ]
    for mark in marks:
        chart = make(x=ChartAxis(low=0.0, high=5.0), y=ChartAxis(low=0.0, high=10.0))
        chart.show_marks([replace(mark, name="Name")], LIGHT)
        picture = image(chart)
        sample = [picture.pixelColor(px, py) for px in range(int(EDGE), 30) for py in range(int(chart.legend_height()))]
        assert any(pixel.red() > pixel.blue() + 10 for pixel in sample), type(mark).__name__


@given(st.lists(st.floats(0, 300), min_size=1, max_size=400), st.integers(0, 5))
def test_thinning_keeps_the_extremes_of_every_column(heights: list[float], seed: int) -> None:
    y = np.array(heights)
    x = np.sort(np.random.default_rng(seed).uniform(0, 20, len(y)))
    at, up = thinned(x, y)
    for pixel in range(20):
        mine, theirs = up[np.floor(at) == pixel], y[np.floor(x) == pixel]
        if len(theirs):
            assert mine.min() == theirs.min() and mine.max() == theirs.max()


def test_a_wild_line_covers_what_it_goes_through(make: Make) -> None:
    y = np.where(np.arange(100_000) % 2 == 0, 0.0, 1.0)
    chart = make(Line(x=np.arange(100_000), y=y, name="wild", colour=(200, 0, 0)), y=ChartAxis(low=-1.0, high=2.0))
    picture = image(chart)
    left, right = chart.pixels([1000, 99_000], [0, 0])[0]
    middle = chart.pixel(0, 0.5).y()
    assert all(is_red(picture, x, middle) for x in range(round(left), round(right), 7))
    assert not is_red(picture, 0.5 * (left + right), chart.pixel(0, 1.5).y())


def test_nothing_is_drawn_while_it_is_hidden(make: Make) -> None:
    drawn: list[Theme] = []

    class Watched(LevelLine):
        def draw(self, painter: QPainter, frame: ChartFrame) -> None:
            drawn.append(frame.theme)

    chart = make(ramp())
    chart.hide()
    chart.show_marks([Watched(at=3.0)], LIGHT)
    image(chart)
    assert not drawn
    chart.show()
    image(chart)
    assert drawn == [LIGHT]


def test_a_message_replaces_the_marks(make: Make) -> None:
    chart = make(ramp())
    chart.show_marks((), LIGHT, message="Nothing is here.")
    assert not chart.box.isVisible()
    chart.show_marks([ramp()], LIGHT)
    assert chart.box.isVisible()


def test_the_legend_flows_and_stays_where_it_is(make: Make) -> None:
    chart = make()
    marks = [ramp(value="1.0"), Line(x=[], y=[], name="another line", value="2.0")]
    wide = flow(marks, "", chart.fontMetrics(), 2000.0)  # type: ignore[arg-type]
    assert wide[0].top() == wide[1].top() and wide[1].left() > wide[0].right()
    narrow = flow(marks, "", chart.fontMetrics(), 150.0)  # type: ignore[arg-type]
    assert narrow[1].left() == 0 and narrow[1].top() > narrow[0].top()
    longer = flow([ramp(value="1.0000"), marks[1]], "", chart.fontMetrics(), 2000.0)  # type: ignore[arg-type]
    assert longer[1].left() == wide[1].left()


# -- reading and zooming -------------------------------------------------------------------------------------------


def test_the_pointer_and_the_keys_read_values(make: Make) -> None:
    chart = make(ramp(), Line(x=np.arange(11), y=np.full(11, 50.0), name="level"), x=ChartAxis("step"))
    QGuiApplication.processEvents()  # else the focus changes in between
    x, y = chart.pixels([7], [49])
    QTest.mouseMove(chart.viewport(), QPoint(round(x[0]), round(y[0]) + 2))
    assert chart.reading == (0, 7) and "square: 49 at step 7" in chart.accessibleDescription()
    QTest.mouseMove(chart.viewport(), QPoint(2, 2))
    assert chart.reading is None
    chart.setFocus()
    QTest.keyClick(chart, KEY.Key_Home)
    QTest.keyClick(chart, KEY.Key_Right)
    assert chart.reading == (0, 1)
    QTest.keyClick(chart, KEY.Key_Down)
    assert chart.reading == (1, 1) and chart.accessibleDescription() == "level: 50 at step 1"
    before = image(chart)
    QTest.keyClick(chart, KEY.Key_Escape)
    assert chart.reading is None and image(chart) != before
    chart.show_marks([Line(x=[0], y=[0], name="short")], LIGHT)
    assert chart.reading is None


def wheel(chart: Chart, notches: int, at: QPointF) -> None:
    turned = QPoint(0, 120 * notches)
    event = QWheelEvent(
        at,
        QPointF(chart.viewport().mapToGlobal(at.toPoint())),
        QPoint(),
        turned,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QGuiApplication.sendEvent(chart.viewport(), event)


def test_wheel_drag_and_keys_zoom_and_a_double_click_shows_all(make: Make) -> None:
    chart = make(ramp())
    image(chart)  # once painted, as under a pointer
    whole = chart.box.viewRange()
    at = chart.pixel(5.0, 50.0)
    chart.clearFocus()
    wheel(chart, 2, at)
    assert not chart.zoomed, "without the focus, the panel scrolls"
    chart.setFocus()
    wheel(chart, 2, at)
    assert chart.zoomed and chart.box.viewRange()[0][0] > whole[0][0]
    assert chart.values_at(at) == pytest.approx((5.0, 50.0), abs=1.5), "what is under the pointer stays there"
    chart.show_marks([ramp()], LIGHT)
    assert chart.zoomed, "new data keep it"
    wheel(chart, -40, at)
    assert chart.box.viewRange() == [pytest.approx(each) for each in whole], "nobody can go beyond it"
    QTest.mouseDClick(chart.viewport(), LEFT, pos=at.toPoint())
    assert not chart.zoomed and chart.box.viewRange() == [pytest.approx(each) for each in whole]
    first, last = chart.pixel(2.0, 80.0).toPoint(), chart.pixel(6.0, 20.0).toPoint()
    QTest.mousePress(chart.viewport(), LEFT, pos=first)
    for share_ in (0.3, 0.6, 1.0):
        QTest.mouseMove(chart.viewport(), first + (last - first) * share_)
    QTest.mouseRelease(chart.viewport(), LEFT, pos=last)
    (left, right), (bottom, top) = chart.box.viewRange()
    assert chart.zoomed and (left, right, bottom, top) == pytest.approx((2, 6, 20, 80), abs=2.0)
    QTest.keyClick(chart, KEY.Key_Escape)
    assert not chart.zoomed
    QTest.keyClick(chart, KEY.Key_Plus)
    assert chart.zoomed
    chart.show_marks([ramp()], LIGHT, x=ChartAxis(log=True))
    assert not chart.zoomed, "another axis shows all"


def test_where_a_click_sets_something_a_drag_does_not_zoom(make: Make) -> None:
    class Setting(Chart):
        sets = True

        def put(self, position: QPointF) -> None:
            put.append(self.values_at(position)[0])

    put: list[float] = []
    chart = make(ramp(), kind=Setting)
    QTest.mousePress(chart.viewport(), LEFT, pos=chart.pixel(2.0, 50.0).toPoint())
    QTest.mouseMove(chart.viewport(), chart.pixel(6.0, 50.0).toPoint())
    QTest.mouseRelease(chart.viewport(), LEFT, pos=chart.pixel(6.0, 50.0).toPoint())
    assert not chart.zoomed and put[0] == pytest.approx(2, abs=0.1) and put[-1] == pytest.approx(6, abs=0.1)


# -- saving --------------------------------------------------------------------------------------------------------


def test_numbers_and_pictures_are_saved_and_copied(make: Make, tmp_path: Path) -> None:
    band = Band(x=[0, 1], low=[1, 2], high=[3, 4], name="band")
    chart = make(ramp(), band, LevelLine(at=3.0, name="goal"), Scatter(x=[1], y=[1]))
    rows = list(csv.DictReader(io.StringIO(saving.csv_of(chart))))
    assert [(float(row["x"]), float(row["y"])) for row in rows if row["series"] == "square"] == [
        (float(k), float(k * k)) for k in range(11)
    ]
    assert [row["high"] for row in rows if row["series"] == "band"] == ["3", "4"]
    assert [row["y"] for row in rows if row["series"] == "goal"] == ["3.0"] and len(rows) == 14
    png = QImage.fromData(saving.bytes_of(chart, ".png"))
    assert png.width() == 2 * chart.width() and is_red(
        png, *(2 * each[3] for each in chart.pixels(range(11), np.arange(11) ** 2))
    )
    svg = saving.bytes_of(chart, ".svg")
    assert b"<svg" in svg and b"square" in svg
    saving.open_menu(chart, QPoint(0, 0))
    menu = chart.findChild(QMenu, "chart.menu")
    actions = {action.text(): action for action in menu.actions() if action.text()}
    assert list(actions) == ["Show all", "Copy picture", "Copy numbers"], "no window to save from"
    assert not actions["Show all"].isEnabled()
    actions["Copy numbers"].trigger()
    assert QGuiApplication.clipboard().text() == saving.csv_of(chart)
    menu.close()


def test_the_numbers_of_a_map_are_a_table(make: Make) -> None:
    cells = Cells(
        pixels=np.zeros((2, 3), np.uint32), values=np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), name="accuracy"
    )
    chart = make(cells, x=ChartAxis("C", names=("1", "10", "100")), y=ChartAxis("γ", names=("0.1", "1")))
    rows = list(csv.reader(io.StringIO(saving.csv_of(chart))))
    assert rows == [["accuracy", "1", "10", "100"], ["0.1", "1.0", "2.0", "3.0"], ["1", "4.0", "5.0", "6.0"]]


def differing(first: Chart, second: Chart) -> int:
    """Return the number of pixels that differ."""
    pictures = [image(chart).convertToFormat(QImage.Format.Format_RGB32) for chart in (first, second)]
    arrays = [np.frombuffer(each.constBits(), dtype=np.uint32).reshape(each.height(), -1) for each in pictures]
    return int((arrays[0] != arrays[1]).sum())


def test_a_chart_that_changed_looks_as_one_made_anew(make: Make) -> None:
    """Whatever is cached of earlier drawings, nothing of it is visible."""
    x = np.arange(50.0)
    states: list[tuple[list[Mark], ChartAxis, ChartAxis]] = [
        ([Line(x=x, y=x, name="a")], ChartAxis(), ChartAxis()),
        ([Line(x=x, y=np.sin(x), name="a", dash=DASHED)], ChartAxis("x"), ChartAxis()),
        ([Line(x=x, y=np.sin(x), name="b", value="1"), LevelLine(at=0.5)], ChartAxis("x"), ChartAxis()),
        ([Line(x=x + 1, y=x + 1, name="a"), LevelLine(at=2.5)], ChartAxis(log=True), ChartAxis(log=True)),
        (
            [Bars(left=x, right=x + 0.5, height=x, brushes=[QBrush(QColor("red"))] * 50)],
            ChartAxis(bare=True),
            ChartAxis("up"),
        ),
        ([Line(x=x, y=x * 100, name="a", symbol="s", symbols_at=[3, 9])], ChartAxis(), of_shares("y")),
    ]
    used = make()
    for marks, across, up in [*states, *states[::-1]]:
        used.show_marks(marks, LIGHT, across, up)
        fresh = make(x=across, y=up)
        fresh.show_marks(marks, LIGHT)
        for chart in (used, fresh):
            chart.clearFocus()
            QGuiApplication.processEvents()
        assert differing(used, fresh) == 0
        for chart in (used, fresh):
            chart.box.scaleBy((0.5, 0.7))
            chart.box.sigRangeChangedManually.emit(None)
        assert differing(used, fresh) == 0, "zoomed, too"
        used.show_all()
        assert differing(used, fresh) > 800 and not used.zoomed


def test_texts_in_cells_are_drawn_where_there_is_room_for_all(make: Make) -> None:
    empty = image(make(Cells(pixels=np.full((2, 2), 0xFFFFFFFF, np.uint32), values=np.zeros((2, 2)))))
    for text, drawn in (("7", True), ("a text that is far wider than its cell, which is of 200 pixels", False)):
        cells = Cells(pixels=np.full((2, 2), 0xFFFFFFFF, np.uint32), values=np.zeros((2, 2)))
        chart = make(cells, Texts(x=[0, 1], y=[0, 1], texts=["1", text], in_cells=True))
        assert (image(chart) != empty) == drawn


def test_lines_are_as_thick_in_a_saved_picture(make: Make) -> None:
    chart = make(Line(x=[0.0, 1.0], y=[0.5, 0.5], colour=(200, 0, 0), width=4.0), y=ChartAxis(low=0.0, high=1.0))
    column = int(chart.pixel(0.5, 0.5).x())
    on_screen, saved = image(chart), saving.image_of(chart)
    rows = [
        sum(is_red(each, scale * column, y) for y in range(each.height()))
        for each, scale in ((on_screen, 1), (saved, 2))
    ]
    assert rows[0] >= 3 and rows[1] >= 2 * rows[0] - 1


def test_a_mark_that_cannot_be_drawn_leaves_the_chart_alive(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(LevelLine):
        def draw(self, painter: QPainter, frame: ChartFrame) -> None:
            raise RuntimeError("no such colour")

    reported: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda kind, error, trace: reported.append(error))
    chart = make(ramp(), Broken(at=3.0))
    image(chart)
    assert [str(error) for error in reported] == ["no such colour"]
    chart.show_marks([ramp()], LIGHT, over=[Broken(at=3.0)])
    image(chart)
    chart.show_marks([ramp()], LIGHT)
    picture, (x, y) = image(chart), chart.pixels([5], [25])
    assert is_red(picture, x[0], y[0])
