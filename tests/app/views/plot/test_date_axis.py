"""An axis of dates, read back as a user reads it: each text stands at its date, wherever dates are shown or typed."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from app.core.dates import date_text, seconds_of
from app.exchange.importing import decode
from app.state.commands import Clear, ImportPoints, SetUnits, SetView
from app.state.document import Document
from app.views.export import tikz
from app.views.export.layout import PictureSpec
from app.views.plot.canvas import Canvas
from app.views.plot.date_ticks import GAP, date_ticks
from app.window.dialogs.import_table import PreviewData
from app.window.main_window import MainWindow
from app.window.panels.point_table import PointTable
from tests.app.exchange.test_dates import chosen
from tests.app.views.export.test_export import sheet_of
from tests.app.views.plot.test_axes import numbers
from tests.windows import Make, settle

START = datetime(2022, 11, 5, tzinfo=UTC)
#: Spans (s) of views, from a minute to a thousand years.
SPANS = [3.2e10, 3e9, 3e8, 6e7, 2e7, 3e6, 3e5, 2e4, 3e3, 300.0, 20.0, 3.0]


def season(n: int = 60, turned: bool = False) -> Document:
    """Return days and temperatures of a year and a half, in two classes."""
    days = [(START + timedelta(days=9 * k)).timestamp() for k in range(n)]
    warm = [-np.cos(2 * np.pi * day / 3.156e7) for day in days]
    xy, dates = np.column_stack((days, [10 + 8 * each for each in warm])), (1.0, 0.0)
    xy, dates, axes = (xy[:, ::-1], dates[::-1], ("temp", "day")) if turned else (xy, dates, ("day", "temp"))
    labels = [int(each > 0) for each in warm]
    names = ("cold", "warm")
    command = ImportPoints(xy=xy, labels=labels, axes=axes, class_names=names, standardise=True, dates=dates)
    return command.apply(Document())


def meant(text: str, end: str) -> list[float]:
    """Return the seconds that a text beside an axis can mean to a reader, who knows the text at the axis's end."""
    spans = [each for each in end.split(" to ") if each]
    if len(text) in (4, 7) and "." not in text and ":" not in text:  # 2024, 2024-03
        return [seconds_of(f"{text}-01-01"[:10])]
    if re.fullmatch(r"\d\d-\d\d", text):
        return [seconds_of(f"{year}-{text}") for year in dict.fromkeys(each[:4] for each in spans)]
    if re.fullmatch(r"\d\d:\d\d(:\d\d)?", text):
        first, last = (seconds_of(each[:10]) for each in (spans[0], spans[-1]))
        days = np.arange(first, last + 86400, 86400).tolist()
        return [seconds_of(f"{date_text(day)}T{text}") for day in days]
    assert re.fullmatch(r"\d\d\.\d{3}", text), text
    return [seconds_of(f"{each}:{text}") for each in spans]


def end_of(canvas: Canvas, side: str, name: str) -> str:
    return canvas.plot.axes[side].label.toPlainText().strip().removeprefix(name).strip()


def check(canvas: Canvas, side: str = "bottom", second: float = 1.0) -> list[str]:
    """Compare each drawn text with the date at its place; return the texts."""
    axis, grid, area, end = canvas.plot.axes[side], canvas.grid(), canvas.plot_area(), end_of(canvas, side, "day")
    low, high = (grid.left, grid.right) if side == "bottom" else (grid.bottom, grid.top)
    pixel = (high - low) / (area.width() if side == "bottom" else area.height()) / second
    drawn = numbers(canvas, side)
    for rect, text in drawn:
        middle = QRectF(rect).center()
        along = middle.x() - area.left() if side == "bottom" else area.bottom() - middle.y()
        here = low / second + pixel * along
        # The middle of a text may be half a pixel from its tick.
        assert min(abs(each - here) for each in meant(text, end)) <= 1.5 * pixel, (text, end, date_text(round(here)))
    rects = [rect for rect, _ in drawn]
    assert not any(one.intersects(other) for one, other in itertools.combinations(rects, 2)), drawn
    assert axis.label.isVisible()
    return [text for _, text in drawn]


@given(st.floats(-6e10, 2.5e11), st.floats(-2.0, 11.0).map(lambda power: 10.0**power), st.integers(150, 1900))
def test_texts_are_their_dates(middle: float, span: float, length: int) -> None:
    low, high = middle - 0.5 * span, middle + 0.5 * span
    ticks, end = date_ticks(low, high, length, lambda text: 7.0 * len(text))
    seconds = [at for _, level, _ in ticks for at in level]
    texts = [text for _, _, level in ticks for text in level]
    for at, text in zip(seconds, texts, strict=True):
        assert low < at <= high and min(abs(each - at) for each in meant(text, end)) <= 6e-4, (date_text(at), text, end)
    for spacing, level, names in ticks:
        assert spacing > 0 and len(set(level)) == len(level)
        close = np.diff(level).min() * length / span if len(level) > 1 else np.inf
        assert close >= 7.0 * max(map(len, names)) + 0.5 * GAP, (names, close)


@pytest.mark.slow
@pytest.mark.parametrize("turned", [False, True])
def test_each_text_stands_at_its_date_in_every_view(make: Make, qtbot: QtBot, turned: bool) -> None:
    window = make(season(turned=turned))
    side, seen = ("left" if turned else "bottom"), set[int]()
    for span in SPANS:
        view = window.document.view
        length = span if not turned else span / view.ratio
        window.controller.dispatch(SetView(view=replace(view, span=length)))
        settle(qtbot, window)
        texts = check(window.canvases[0], side)
        assert len(texts) >= (1 if span > 1e10 else 2), (span, texts)
        seen |= {*map(len, texts)}
    assert seen >= {4, 5, 6, 7, 8}  # 2024, 03-15 and 10:15, 30.125, 2024-03, 10:15:30


@pytest.mark.slow
def test_dates_stay_true_in_other_units_and_go_with_the_points(make: Make, qtbot: QtBot) -> None:
    window = make(season())
    settle(qtbot, window)
    before = check(window.canvases[0])
    window.controller.dispatch(SetUnits(units=(10.0, 1.0)))
    settle(qtbot, window)
    assert check(window.canvases[0], second=10.0) == before
    window.controller.dispatch(Clear())
    settle(qtbot, window)
    assert all(re.fullmatch(r"−?\d\.\d+", text) for _, text in numbers(window.canvases[0], "bottom"))


def test_a_far_view_has_no_false_dates(make: Make, qtbot: QtBot) -> None:
    window = make(season())
    for x, span in ((1e12, 1e10), (0.0, 1e15), (-6.3e10, 1e9)):
        window.controller.dispatch(SetView(view=replace(window.document.view, x=x, span=span)))
        settle(qtbot, window)
        check(window.canvases[0])


def hover(window: MainWindow, x: float, y: float) -> None:
    QTest.mouseMove(window.canvases[0].viewport(), window.to_widget(0, x, y) - QPoint(0, 0))
    window.refreshing.flush()


@pytest.mark.slow
def test_status_line_table_and_probe_name_dates(make: Make, qtbot: QtBot) -> None:
    window = make(season(), size=(1280, 800))
    window.named_actions["table"].trigger()
    window.named_actions["probe"].trigger()
    settle(qtbot, window)
    at = seconds_of("2023-05-14")
    hover(window, at, 12.0)
    settle(qtbot, window)
    label = window.findChild(QLabel, "coordinates")
    assert label is not None
    found = re.fullmatch(r"x = (\S+)   y = (\S+)", label.text())
    assert found is not None
    pixel = window.canvases[0].unit()
    assert abs(seconds_of(found[1]) - at) <= 2 * pixel and abs(float(found[2]) - 12.0) < 0.1
    field, other = (window.findChild(QLineEdit, f"probe.{name}") for name in "xy")
    assert field is not None and other is not None
    assert abs(seconds_of(field.text()) - at) <= 2 * pixel and abs(float(other.text()) - 12.0) < 0.1
    model = window.findChild(PointTable).model()
    assert [model.index(row, 1).data() for row in (0, 1)] == ["2022-11-05", "2022-11-14"]


@pytest.mark.slow
def test_typed_dates_are_taken_and_others_refused(make: Make, qtbot: QtBot) -> None:
    window = make(season(), size=(1280, 800))
    window.named_actions["table"].trigger()
    window.named_actions["probe"].trigger()
    settle(qtbot, window)
    field = window.findChild(QLineEdit, "probe.x")
    assert field is not None
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "2023-03-15 10:15")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert field.text() == "2023-03-15T10:15" and "Pinned at (2023-03-15T10:15, " in window.statusBar().text()
    field.selectAll()
    QTest.keyClicks(field, "15 March")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert "day must be a date such as 2024-03-15T10:15. “15 March” was not used" in window.statusBar().text()
    model = window.findChild(PointTable).model()
    assert model.setData(model.index(0, 1), "2022-11-06")
    assert window.document.points.xy[0, 0] == seconds_of("2022-11-06")
    settle(qtbot, window)
    assert not model.setData(model.index(0, 1), "7")
    assert "day must be a date such as 2024-03-15T10:15; “7” is not: it stays 2022-11-06." in window.statusBar().text()


def test_the_preview_of_an_import_has_no_seconds_beside_it() -> None:
    rows = "".join(f"{START + timedelta(days=9 * k):%Y-%m-%d},{k % 7}.5\n" for k in range(90))
    table = f"day,temp\n{rows}"
    assert decode(table.encode(), "a.csv", ".csv").columns[0].date
    x, y = PreviewData.of(chosen(table).imported).axes
    assert x.bare and not y.bare


@pytest.mark.slow
def test_tikz_has_the_dates_as_ticks(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(season())
    settle(qtbot, window)
    sheet = sheet_of(window, PictureSpec())
    text, _ = tikz.drawing(sheet, tmp_path / "a.tex")
    found = re.search(r"scaled x ticks=false, xtick=\{(.*?)\}, xticklabels=\{(.*?)\}, xmin=(\S+), xmax=(\S+),", text)
    assert found is not None and "ytick=" not in text
    ticks, labels = [float(at) for at in found[1].split(",")], found[2].split(",")
    assert float(found[3]) == 0.0 and len(labels) >= 2
    for at, label in zip(ticks, labels, strict=True):
        assert abs(meant(label, "")[0] - sheet.plots[0].grid.left - at) <= 2.0
