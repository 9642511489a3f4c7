"""Numbers beside the axes, read back as a user reads them: each stands at its value, and neighbours differ."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.core.number_format import AxisNumbers, coordinate
from app.core.points import Points
from app.features.film.plan import SweepFilm
from app.features.lessons.view_worksheet import pictures
from app.state.commands import SetView
from app.state.document import Document, Lane, View
from app.views.chart.axis import ChartAxis
from app.views.export.layout import PictureSpec
from app.views.plot.axes import PlotAxis
from app.views.plot.canvas import Canvas
from tests.app.features.film.test_film import film, spec_of
from tests.app.views.export.test_export import export, sheet_of
from tests.app.views.plot.test_axes import numbers
from tests.app.views.test_audience import opened
from tests.windows import Make, settle

#: Middles and spans of views; a span is at least 10^4 rounding units of the middle.
MIDDLES = st.one_of(st.floats(-1e15, 1e15), st.floats(-1.0, 1.0), st.sampled_from([0.0, 1e8, 1.7e9, -1e15, 1e15]))
SPANS = st.floats(-12.0, 12.0).map(lambda power: 10.0**power)
ODD_VIEWS = [
    (0.3, 0.6),
    (0.5, 4.0),
    (0.0, 4.0),
    (1e9, 3e9),
    (1.7e9, 700.0),
    (1e8 + 1.0, 2.0),
    (1e15, 1300.0),
    (-1e8, 1e-3),
    (0.0, 1e-12),
    (0.0, 4e15),
    (12345.5, 3.0),
    (-99999.5, 1.5),
]


def number(text: str) -> float:
    """Return the number that a user reads."""
    return float(text.replace("−", "-"))


def offset_of(axis: pg.AxisItem) -> float:
    """Return the offset that is printed at the end of the axis, behind its name; 0 for none."""
    found = re.search(r"(?:^|\s)([+−]\S+)$", axis.label.toPlainText().rstrip()) if axis.label.isVisible() else None
    return number(found[1]) if found else 0.0


def check_texts(values: Iterable[float], texts: list[str], offset: float, pixel: float) -> None:
    for value, text in zip(values, texts, strict=True):
        assert abs(number(text) + offset - value) <= pixel, (value, text, offset)
    assert len(set(texts)) == len(texts), texts


@pytest.mark.usefixtures("qapp")
@given(MIDDLES, SPANS, st.integers(60, 1900))
@example(1.7e9, 60.0, 400)
def test_texts_are_their_values(middle: float, span: float, length: int) -> None:
    span = max(span, 1e4 * np.spacing(abs(middle)))
    low, high = middle - 0.5 * span, middle + 0.5 * span
    axis, style = PlotAxis("bottom"), AxisNumbers.between(low, high)
    axis.setRange(low, high)
    axis.numbers = style
    levels = axis.tickValues(low, high, length)[:2]
    values = [value for _, level in levels for value in level]
    texts = [text for spacing, level in levels for text in axis.tickStrings(level, 1000.0, spacing)]
    check_texts(values, texts, number(style.end or "0"), (high - low) / length)
    assert max(map(len, texts), default=0) <= 11


@given(MIDDLES, SPANS)
def test_an_offset_is_written_in_as_few_signs_as_it_needs(middle: float, span: float) -> None:
    span = max(span, 1e4 * np.spacing(abs(middle)))
    style = AxisNumbers.between(middle - 0.5 * span, middle + 0.5 * span)
    if style.offset:
        assert number(style.end) == style.offset, style.end
        assert style.end[0] in "+−"
        assert len(style.end) <= 1 + len(repr(abs(style.offset)))


@pytest.mark.parametrize(
    ("offset", "text"),
    [
        (1.7e9, "+1.7e9"),
        (-1e15, "−1e15"),
        (13.6627, "+13.6627"),
        (-0.173304, "−0.173304"),
        (12345.0, "+12345"),
        (0, ""),
    ],
)
def test_offsets_as_they_are_printed(offset: float, text: str) -> None:
    assert AxisNumbers(offset).end == text


@given(MIDDLES, SPANS, st.floats(0.0, 1.0))
def test_coordinates_of_neighbouring_pixels_differ(middle: float, span: float, at: float) -> None:
    span = max(span, 1e4 * np.spacing(abs(middle)))
    one = middle + (at - 0.5) * span
    other = one + span / 1000
    assert abs(number(coordinate(one, span)) - one) <= span / 1000
    assert coordinate(one, span) != coordinate(other, span)


def check_canvas(canvas: Canvas, view: View) -> None:
    """Compare each drawn number with the value at its place, and neighbours with each other."""
    area = canvas.plot_area()
    unit = view.span / min(area.width(), area.height())
    for side in ("bottom", "left"):
        axis, drawn = canvas.plot.axes[side], numbers(canvas, side)
        assert len(drawn) >= 2, (view, side)
        middle = [QRectF(rect).center() for rect, _ in drawn]
        away = [(at.x() - area.center().x()) if side == "bottom" else (area.center().y() - at.y()) for at in middle]
        values = [(view.x if side == "bottom" else view.y) + unit * each for each in away]
        texts = [text for _, text in drawn]
        # The middle of a text may be half a pixel from its tick.
        check_texts(values, texts, offset_of(axis), 1.5 * unit)
        rects = [rect for rect, _ in drawn]
        assert not any(one.intersects(other) for one, other in itertools.combinations(rects, 2)), texts


def check_all(window: object) -> None:
    for canvas in window.canvases[: window.document.shown]:  # type: ignore[attr-defined]
        check_canvas(canvas, window.document.view)  # type: ignore[attr-defined]


def named(points: Points, view: View, axes: tuple[str, str] = ("age", "income")) -> Document:
    return Document(points=points, lanes=(Lane("knn"), Lane("svm")), view=view, axes=axes)


FEW = Points.of([[0.1, 0.2], [0.4, 0.5], [0.2, 0.4], [0.5, 0.1]], [0, 0, 1, 1])


def test_named_axes_stay_true_through_resizes_zooms_panels_and_undo(make: Make, qtbot: QtBot) -> None:
    window = make(named(FEW, View(0.3, 0.3, 0.5)))
    check_all(window)
    window.resize(1300, 800)
    settle(qtbot, window)
    check_all(window)
    for span in (0.9, 0.02, 3.0):
        window.controller.dispatch(SetView(view=View(0.3, 0.3, span)))
        settle(qtbot, window)
        check_all(window)
        window.named_actions["evaluation"].trigger()
        settle(qtbot, window)
        check_all(window)
    window.controller.set_unit(0, 1e-3)
    window.controller.dispatch(SetView(view=View(3e-4, 0.3, 0.7)))
    settle(qtbot, window)
    check_all(window)
    window.controller.dispatch(SetView(view=View(1e9, 2e9, 5e9)))
    settle(qtbot, window)
    check_all(window)
    window.controller.undo()
    window.controller.dispatch(SetView(view=View(0.5, 0.0, 4.0)))
    window.named_actions["larger"].trigger()
    settle(qtbot, window)
    check_all(window)


@pytest.mark.slow
@pytest.mark.parametrize("axes", [("", ""), ("age", "income (a long name of an axis, in euros a month)")])
def test_every_view_is_true(make: Make, qtbot: QtBot, axes: tuple[str, str]) -> None:
    window = make(named(FEW, View(), axes))
    for index, (middle, span) in enumerate(ODD_VIEWS):
        other = ODD_VIEWS[(5 * index + 3) % len(ODD_VIEWS)][0]
        span = max(span, 1e4 * np.spacing(max(abs(middle), abs(other))))
        window.controller.dispatch(SetView(view=View(middle, other, max(span, 1e-9 * (not (middle or other))))))
        settle(qtbot, window)
        check_all(window)
    window.named_actions["presenter"].trigger()
    for middle, span in ODD_VIEWS[:5]:
        window.controller.dispatch(SetView(view=View(middle, middle, span)))
        settle(qtbot, window)
        check_all(window)


@pytest.mark.slow
def test_an_axis_that_becomes_narrower_has_the_offset_of_its_numbers(make: Make, qtbot: QtBot) -> None:
    """The plot grows after the offsets are chosen; a range that then exceeds a power of ten has another offset."""
    window = make(named(FEW, View()))
    for span in np.geomspace(0.55e-6, 0.95e-6, 12).tolist():
        for view in (View(0.25, 1.7e9, 90.0), View(0.25, 13.662702293606634, span)):
            window.controller.dispatch(SetView(view=view))
            settle(qtbot, window)
            check_all(window)


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[object, str], list[str]]:
    """The numbers of all axes that are painted, with each compared with the value at its place."""
    found: dict[tuple[object, str], list[str]] = {}
    drawn = PlotAxis.generateDrawSpecs

    def checked(axis: PlotAxis, painter: QPainter) -> object:
        specs = drawn(axis, painter)
        if specs is not None:
            view = axis.linkedView()
            area = axis.mapRectFromItem(view, view.rect())
            upright = axis.orientation == "left"
            low, high = view.viewRange()[1 if upright else 0]
            length, texts = area.height() if upright else area.width(), [text for *_, text in specs[2]]
            middles = [QRectF(rect).center() for rect, *_ in specs[2]]
            away = [area.bottom() - at.y() if upright else at.x() - area.left() for at in middles]
            unit = (high - low) / length
            check_texts([low + unit * each for each in away], texts, offset_of(axis), 1.5 * unit)
            found[axis, axis.orientation] = texts
        return specs

    monkeypatch.setattr(PlotAxis, "generateDrawSpecs", checked)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("middle", "span"), [(0.3, 0.6), (1.7e9, 3e-4), (3e9, 5e9)])
def test_other_windows_films_and_worksheets_are_true(
    make: Make, qtbot: QtBot, tmp_path: Path, painted: dict[object, list[str]], middle: float, span: float
) -> None:
    xy = middle + span * np.array([[-0.4, -0.3], [0.2, 0.4], [0.1, -0.2], [0.35, 0.3]])
    window = make(named(Points.of(xy, [0, 0, 1, 1]), View(middle, middle, span)))
    window.grab()
    assert len(painted) == 4 and all(painted.values()), "two axes of two lanes"
    painted.clear()
    opened(window, qtbot).grab()
    assert len(painted) >= 4
    painted.clear()
    film(qtbot, window, spec_of(SweepFilm(0, "k", 1, 2)), tmp_path / "film.png")
    assert len(painted) == 2
    painted.clear()
    pictures(window.shoot("window"), PictureSpec("window", 1200, 700, 1.5, legend=False))
    assert painted
    painted.clear()
    for ending in ("png", "svg", "pdf"):
        spec = PictureSpec("window", 900, 600, 1.0)
        assert window.picture_maker.make(window.shoot("window"), spec, tmp_path / f"picture.{ending}")
        qtbot.waitUntil(lambda: not window.picture_maker.busy)
        assert (tmp_path / f"picture.{ending}").exists() and painted
        painted.clear()


@pytest.mark.slow
@pytest.mark.parametrize(("middle", "span"), ODD_VIEWS)
def test_exported_pictures_and_tex_are_true(
    make: Make, qtbot: QtBot, tmp_path: Path, middle: float, span: float
) -> None:
    span = max(span, 1e-9, 1e-11 * abs(middle))
    xy = middle + span * np.array([[-0.4, -0.3], [0.2, 0.4], [0.1, -0.2], [0.35, 0.3]])
    view = View(middle, middle, span)
    window = make(named(Points.of(xy, [0, 0, 1, 1]), view))
    check_all(window)
    spec = PictureSpec("window", 900, 600, 1.0)
    sheet = sheet_of(window, spec)
    for plot in sheet.plots:
        check_canvas(plot.canvas, plot.scene.document.view)
    sheet.close()
    export(qtbot, window, spec, tmp_path / "a.tex")
    text = (tmp_path / "a.tex").read_text()
    offsets = []
    for name in ("age", "income"):
        found = re.search(rf"label={{{name}(?:  (\S+))?}}", text)
        assert found is not None
        offsets.append(number((found[1] or "0").replace("$-$", "-")))
    written = re.findall(r"mark size=1.8pt[^\n]*coordinates {(.*?)}", text)
    points = [[float(each) for each in pair.split(",")] for part in written for pair in re.findall(r"\((.*?)\)", part)]
    expected = np.concatenate([window.document.points.xy[window.document.points.labels == c] for c in (0, 1)])
    np.testing.assert_allclose(np.array(points)[: len(xy)] + offsets, expected, atol=span / 1000, rtol=0)
    ends = [[float(each) for each in re.findall(rf"{name}m..=([^,\]]+)", text)[:2]] for name in "xy"]
    assert all(low + offset < middle < high + offset for (low, high), offset in zip(ends, offsets, strict=True))
    assert all(max(map(abs, each)) < 1e5 * (each[1] - each[0]) for each in ends), "TeX computes in seven digits"
    if shutil.which("pdflatex"):
        command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "a.tex"]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0


def test_the_status_line_tells_neighbouring_pixels_apart(make: Make, qtbot: QtBot) -> None:
    times = Points.of(1.7e9 + np.array([[0.5, 0.0], [60.5, 1.0], [120.5, 3.0]]), [0, 1, 0])
    window = make(named(times, View.fitting(times), ("t", "y")))
    assert window.document.view.span < 200, "the points fill the picture"
    check_all(window)
    shown = set()
    for step in range(3):
        canvas, at = window.canvases[0], window.canvases[0].plot_area().center().toPoint()
        at.setX(at.x() + 2 * step)
        qtbot.mouseMove(canvas.viewport(), at)
        settle(qtbot, window)
        QApplication.processEvents()
        label = window.findChild(QLabel, "coordinates")
        assert label is not None
        x = number(label.text().split()[2])
        assert abs(x - canvas.pointer_at(canvas.pointer).x) <= window.document.view.span / 1000
        shown.add(label.text())
    assert len(shown) == 3


def test_a_scale_of_pyqtgraph_has_no_effect(qapp: QApplication) -> None:
    """Its scale depends on the range at the moment of the call, and on private attributes."""
    axis = PlotAxis("bottom")
    axis.setLabel("age")
    for low, high in ((0.0, 0.5), (1e9, 3e9), (-2.0, 2.0)):
        axis.setRange(low, high)
        axis.updateAutoSIPrefix()
        axis.enableAutoSIPrefix(False)
        spacing, values = axis.tickValues(low, high, 400)[0]
        check_texts(values, axis.tickStrings(values, axis.autoSIPrefixScale, spacing), 0.0, 1e-9 * high)
        assert "x" not in axis.labelString().replace("age", "").replace("<span style=''>", "")


def test_a_document_is_true_at_once_when_it_is_drawn(make: Make, qtbot: QtBot) -> None:
    document = named(FEW, View(0.3, 0.3, 0.5))
    window = make(replace(document, shown=2), wait=False)
    settle(qtbot, window)
    check_all(window)


@pytest.mark.parametrize(
    ("value", "span", "text"),
    [(55_000, 1e5, "55000"), (99_999.96, 1e5, "100000"), (-123_456.7, 3e5, "−123457"), (2e6, 8e6, "2e+06")],
)
def test_coordinates_below_a_million_have_no_exponent(value: float, span: float, text: str) -> None:
    assert coordinate(value, span) == text


def test_charts_write_numbers_below_a_million_in_full() -> None:
    texts = [text for _, text in ChartAxis().marks(0.0, 150_000.0, 4)]
    assert "100000" in texts and not any("e" in text or "·" in text for text in texts)
