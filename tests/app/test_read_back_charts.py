"""Charts read back: the numbers drawn beside an axis give every mark the pixel at which it is drawn."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

import app
from app.core.points import Points
from app.exchange.columns import Imported
from app.features.active_learning.view_picture import LearningCurve
from app.features.curves.panel import CurveChart
from app.features.evaluation.panel import ConfusionView
from app.features.evaluation.view_roc import RocView
from app.features.losses.panel import LossPicture
from app.features.multipliers.panel import MultiplierBars
from app.features.race.race_frame import RaceFrame, RacerFrame
from app.features.race.view_board import LOWEST, RaceCurves
from app.features.reliability.panel import ErrorMapChart, ReliabilityChart
from app.features.reliability.scene import ErrorMap, LaneReliability, Reliability, ReliabilityScene
from app.features.step.panel import GainChart
from app.features.study.results import StudyResults
from app.features.study.view_picture import Drawn, StudyPicture
from app.features.validation_curves.scene import Curve, ValidationCurve
from app.features.validation_curves.view_curve import ValidationCurveView
from app.state.document import Lane
from app.views.chart.axis import ChartAxis, of_shares
from app.views.chart.chart import Chart
from app.views.chart.marks import Line
from app.views.theme import LIGHT
from app.views.widgets.inputs import filled
from app.views.widgets.scale_slider import ScaleSlider
from app.window.dialogs.import_table import PointsPreview, PreviewData
from solver import Grid
from solver.inspection.metrics import roc_curve
from solver.inspection.reliability import reliability_curve
from solver.inspection.step_explanation import explain
from tests.app.features import runs, studies
from tests.app.features.race.test_controller import certificate
from tests.app.features.step.test_views import solver_of
from tests.app.features.study.studies import GRID
from tests.app.read_back import Drawing, agrees, check_drawn, drawing_of, heirs_of, labels_of, number, pixels_of

Show = Callable[..., Any]
SOURCE = Path(app.__file__).parent
PERCENT = re.compile(r"(?:above |below )?[\d.]+ %")


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Return ``show(chart)``, which puts a chart on screen."""

    def build(chart: Any, size: tuple[int, int] = (420, 300)) -> Any:
        qtbot.addWidget(chart)
        chart.resize(*size)
        chart.show()
        return chart

    return build


# -- any axis ----------------------------------------------------------------------------------------------------------

OFFSETS = st.one_of(st.just(0.0), st.builds(lambda m, e: m * 10.0**e, st.floats(-9.99, 9.99), st.integers(-12, 14)))
SPANS = st.builds(lambda m, e: m * 10.0**e, st.floats(1.0, 9.99), st.integers(-12, 12))


def check_numbers(axis: ChartAxis, low: float, high: float, most: float) -> None:
    """Check that the texts along an axis are its values to a thousandth of the range, and that neighbours differ."""
    found = axis.marks(low, high, most)
    texts = [text for _, text in found]
    assert len(set(texts)) == len(texts), texts
    for position, text in found:
        at = float(axis.positions(number(text)))
        assert abs(at - position) <= 1e-3 * (high - low) and low - (high - low) <= position <= high + (high - low), text


@given(OFFSETS, SPANS, st.floats(1.0, 14.0), st.booleans())
def test_numbers_of_an_axis_are_read_as_their_values(offset: float, span: float, most: float, whole: bool) -> None:
    span = max(span, 1e4 * np.finfo(float).eps * abs(offset))
    check_numbers(ChartAxis(whole=whole), offset, offset + span, most)


@given(st.floats(0.0, 1.0), st.floats(1e-9, 1.0), st.floats(1.0, 14.0))
def test_numbers_of_an_axis_of_shares(low: float, span: float, most: float) -> None:
    check_numbers(of_shares(), low, low + span, most)


@given(st.floats(-12.0, 12.0), st.floats(1e-6, 12.0), st.floats(1.0, 14.0), st.sampled_from(("", "%", "s")))
def test_numbers_of_an_axis_of_ratios(low: float, span: float, most: float, unit: str) -> None:
    check_numbers(ChartAxis(log=True, unit=unit), low, low + span, most)


VIEWS = ((0.0, 1.0), (0.0, 1e-12), (0.0, 1e12), (1e15, 1e3), (1.7e9, 3.0), (-123456.0, 0.02), (-3e-7, 1e-9), (0.0, 1e5))


@pytest.mark.parametrize(("offset", "span"), VIEWS)
def test_a_line_is_drawn_where_its_axes_say_in_any_view_and_zoomed(offset: float, span: float, show: Show) -> None:
    chart, at = show(Chart(), (700, 400)), np.linspace(0.0, 1.0, 33)
    x, y = offset + span * at, offset + span * (1.0 - at)
    ends = ChartAxis("x", low=offset, high=offset + span), ChartAxis("y", low=offset, high=offset + span)
    chart.show_marks([Line(x=x, y=y, name="square")], LIGHT, *ends)
    check_drawn(chart, x, y)
    chart.box.scaleBy((0.2, 0.2))
    chart._zoom()
    drawn = chart.pixels(x, y)
    check_drawn(chart, *(each[(np.abs(drawn[0] - 350) < 250) & (np.abs(drawn[1] - 200) < 150)] for each in (x, y)))


def test_what_is_on_screen_is_not_older_than_the_values(show: Show) -> None:
    chart = show(GainChart(), (620, 300))
    steps = [explain(solver_of(seed)) for seed in range(6)]
    for step in steps:
        for each in (step, dataclasses.replace(step, y_j=-step.y_j)):  # the same parabola with its limits exchanged
            chart.show_step(each, LIGHT)
            shown = chart.grab().toImage()
            chart.resetCachedContent()
            assert chart.grab().toImage() == shown


# -- each chart, with values of its own ------------------------------------------------------------------------------


def check_legend(chart: Chart, drawing: Drawing, wanted: dict[str, float]) -> None:
    """Check that the legend draws these numbers after the names."""
    drawn = [text.text for text in drawing.texts]
    for name, value in wanted.items():
        (mark,) = [mark for mark in chart.named() if mark.name == name]
        assert mark.value in drawn and agrees(mark.value, value), (name, mark.value, value)


def read_multipliers(show: Show) -> None:
    run_state = studies.run_state_of(12, C=1000.0)
    bars = show(MultiplierBars(lambda point: None))
    for up_to_C in (True, False):
        bars.choose(True, up_to_C)
        bars.show_run_state(run_state, None, LIGHT)
        drawn = [text.text for text in check_drawn(bars, None, np.sort(run_state.alpha)).texts]
        assert any(text.endswith("C = 1000") or "C = 1000, far" in text for text in drawn), drawn[-5:]


def read_losses(show: Show) -> None:
    run_state = studies.run_state_of(30)
    picture = show(LossPicture(lambda point: None))
    picture.show_run_state(run_state, None, LIGHT)
    margins = run_state.y * run_state.f
    check_drawn(picture, margins, np.maximum(0.0, 1.0 - margins))


def read_confusion(show: Show) -> None:
    counts = np.array([[31.0, 4.5, 0.0], [7.0, 12300.0, 1.0], [0.5, 2.0, 99.0]])
    lane = SimpleNamespace(scores=SimpleNamespace(classes=[0, 1, 2]), confusion=counts)
    evaluation = SimpleNamespace(class_names=("a", "b", "c"))
    view = show(ConfusionView())
    view.show_lane(evaluation, lane, LIGHT)
    drawing = drawing_of(view)
    columns, rows = ({text.text: text for text in labels_of(view, drawing, way)} for way in (0, 1))
    assert list(columns) == list(rows) == ["a", "b", "c"]
    for (true, row), of_row in zip(rows.items(), counts, strict=True):
        for (predicted, column), value in zip(columns.items(), of_row, strict=True):
            (cell,) = [text.text for text in drawing.texts if abs(text.x - column.x) < 3 and abs(text.y - row.y) < 3]
            assert agrees(cell, value), (true, predicted, cell, value)


def read_roc(show: Show) -> None:
    rng = np.random.default_rng(0)
    positive, score = rng.random(30) < 0.4, rng.normal(size=30)
    roc = roc_curve(positive, score)
    lane = SimpleNamespace(
        roc=roc, slot=0, name="kNN", own_threshold=0.5, threshold=0.1, lane=Lane("knn"), scores=None, moved=True
    )
    view = show(RocView(lambda slot, threshold: None))
    view.show_evaluation(SimpleNamespace(lanes=(lane,), judged=0, class_names=("a", "b")), LIGHT)
    true = [float((score[positive] >= t).mean()) for t in roc.thresholds]
    false = [float((score[~positive] >= t).mean()) for t in roc.thresholds]
    drawing = check_drawn(view, false, true)
    check_legend(view, drawing, {"1 kNN": float(np.mean(score[positive][:, None] > score[~positive][None]))})
    view.read_by_keys((0, 7))
    observed, wanted = view.description(view.lines()[0], 7).split(" at ")
    assert agrees(observed, true[7]) and agrees(wanted, false[7])


def read_curves(show: Show) -> None:
    made = runs.smo()
    run = runs.run_state_of(made.trace, tol=1e-3)
    for column, (plot, name) in enumerate((("objective", "dual"), ("violation", "violation"), ("counts", "free"))):
        for log in (False, True):
            chart = show(CurveChart(plot, lambda step: None, lambda: None, lambda event: False, lambda chart: None))
            chart.log = log and chart.toggle is not None
            chart.show_run(run, 5, (0, len(made.notes) - 1), False, True, LIGHT)
            values, steps = made.notes[:, column], np.arange(len(made.notes))
            there = values > 0 if chart.log else np.isfinite(values)
            low = 10.0 ** chart.box.viewRange()[1][0] if chart.log else -np.inf
            drawing = check_drawn(chart, steps[there & (values > low)], values[there & (values > low)])
            label = next(
                line.name
                for line in chart.lines()
                if line.name.startswith(name[:3].lower()) or name[:3] in line.name.lower()
            )
            check_legend(chart, drawing, {label: values[5]})


def read_race(show: Show) -> None:
    steps = np.array([1.0, 7.0, 40.0, 300.0, 1234567.0])
    curve = np.column_stack((steps, 200 * steps, 3e-6 * steps, 1.0 / steps, 3.0 / steps**2))
    racer = RacerFrame("random", 1234567, 246913400, 3.7, certificate(), curve=curve)
    chart = show(RaceCurves(), (520, 400))
    chart.show_frame(RaceFrame(Points(), "steps", 1e-3, (racer,)), LIGHT)
    for x, rightwards in enumerate(("steps", "evaluations", "seconds")):
        for y, upwards in enumerate(("gap", "violation"), 3):
            chart.choose(upwards, rightwards)
            check_drawn(chart, curve[:, x], np.maximum(curve[:, y], LOWEST))
            up, right = chart.description(chart.lines()[0], 4).split(" at ")
            assert agrees(up, curve[4, y]) and agrees(right, curve[4, x]), (up, right)
            assert rightwards == "seconds" or number(right) == curve[4, x], "a count has all its digits"


def read_reliability(show: Show) -> None:
    rng = np.random.default_rng(0)
    probability = np.concatenate((rng.random(60), np.full(4000, 0.9997)))
    curve = reliability_curve(rng.random(4060) < probability, probability, posterior=probability)
    lane = LaneReliability("1 kNN", Reliability(1, 60, curve, 0.3, 0.1, None), False, "", None, False)
    chart = show(ReliabilityChart())
    chart.show_reliability(ReliabilityScene("60 test points", (lane,), ("a", "b") + ("",) * 6, True), LIGHT)
    check_drawn(chart, curve.predicted, curve.observed)
    for index in range(len(curve.predicted)):
        chart.read_by_keys((0, index))
        shown = PERCENT.findall(chart.accessibleDescription())
        values = (curve.predicted, curve.observed, curve.low, curve.high, curve.expected)
        for text, value in zip(shown, values, strict=True):
            assert agrees(text, float(value[index])), (text, value[index])


def read_error_map(show: Show) -> None:
    grid, line = Grid(-3.0, 5.0, 100.0, 106.0, 16, 12), np.array([[-2.0, 101.0], [0.5, 103.0], [4.0, 105.0]])
    errors = ErrorMap(1, grid, np.linspace(-0.19, 0.19, 192).reshape(12, 16), line)
    chart = show(ErrorMapChart(0))
    chart.show_map(LaneReliability("1 kNN", None, False, "", errors, False), 0.2, LIGHT)
    check_bar(chart, check_drawn(chart, line[:, 0], line[:, 1]), -0.2, 0.2)


def check_bar(chart: Chart, drawing: Drawing, low: float, high: float) -> None:
    """Check the numbers beside the bar of colours, the lowest of which is at the lower edge of the area."""
    labels = sorted((text for text in drawing.texts if text.x > chart.area().right() + 20), key=lambda text: text.y)
    found = [number(label.text) for label in labels]
    assert len(labels) > 1 and len({label.text for label in labels}) == len(labels), found
    bottom, top = round(chart.area().top()) + round(chart.area().height()), round(chart.area().top())
    for label, value in zip(labels, found, strict=True):
        at = low + (bottom - label.y) / (bottom - top) * (high - low)
        assert abs(at - value) < 1.5 / (bottom - top) * (high - low) + 0.5 * 10.0 ** -decimals(label.text), label


def decimals(text: str) -> int:
    """Return the number of digits after the point, of a share rather than of its percentage."""
    return len(text.split()[0].partition(".")[2]) + 2 * text.endswith("%")


def read_strip(show: Show) -> None:
    field = Lane("svm").family.field("C")
    scale = field.scale(0)
    form, slider = QWidget(), ScaleSlider(scale)
    view = ValidationCurveView(slider, "C", lambda value: None)
    filled(QVBoxLayout(form), filled(QHBoxLayout(), slider, QLabel("a field for C"), margins=0), view)
    show(form, (420, 220))
    m = scale.high - scale.low + 1
    train, validated = np.linspace(0.7, 0.9996, m), np.linspace(0.65, 0.95, m)
    curve = Curve(field, scale, train, validated, np.full(m, np.nan), np.ones(m, bool), 9, 9, 9, 9, True)
    view.show()
    view.show_strip(ValidationCurve(field, scale, 1.0, True, curve), LIGHT)
    QApplication.processEvents()
    here = scale.position_of(1.0) - scale.low
    check_legend(view, check_drawn(view, None, validated), {"training": train[here], "validation": validated[here]})
    view.read_by_keys((0, m - 1))
    shown = PERCENT.findall(view.accessibleDescription())
    assert agrees(shown[0], train[-1]) and agrees(shown[1], validated[-1]), shown


def read_learning(show: Show) -> None:
    labels, bands = np.arange(2, 12), {}
    for name, low in (("closest", 0.5), ("random", 0.45)):
        mean = np.linspace(low, 0.93, 10)
        bands[name] = SimpleNamespace(low=mean - 0.02, mean=mean, high=mean + 0.02)
    curves = SimpleNamespace(labels=labels, bands=bands, full=0.9996, last=11)
    score = SimpleNamespace(shown=0.62)
    asking = SimpleNamespace(steps=[SimpleNamespace(score=score)], given=(0, 1), pool=range(11))
    chart = show(LearningCurve())
    chart.show_curves(asking, curves, LIGHT)
    for band in bands.values():
        check_drawn(chart, labels, band.mean)
    (full,) = [text.text for text in check_drawn(chart, [2], [0.62]).texts if text.text.startswith("all labels")]
    assert agrees(full.removeprefix("all labels: "), 0.9996)


def read_gain(show: Show) -> None:
    chart, seen = show(GainChart(), (620, 300)), 0
    for seed in range(6):
        solver = solver_of(seed)
        for _ in range(4):
            step = explain(solver)
            if step is None:
                break
            chart.show_step(step, LIGHT)
            drawing = drawing_of(chart)
            texts = [text for text in labels_of(chart, drawing, 0) if any(sign.isdigit() for sign in text.text)]
            wanted = {"0": 0.0, "λ": step.step, "λ*": step.unclipped}
            for text in texts:
                name = next(name for name in ("λ* ", "λ ", "0") if name in text.text).strip()
                assert agrees(text.text, wanted[name]), (text.text, wanted[name])
            if len({text.text for text in texts}) > 1:
                at = pixels_of(texts, 0, False, [step.step]) if len(texts) < 3 else None
                seen += at is None or bool(np.abs(drawing.spots[:, 0] - at).min() < 2)
            solver.step(1)
    assert seen > 5


def read_study(show: Show) -> None:
    for offset in (0.0, 0.9):
        kept = StudyResults(GRID)
        rng = np.random.default_rng(0)
        for values in kept.values.values():
            values[...] = (
                offset + (1.0 - offset) * 1e-3 * rng.random(values.shape) if offset else rng.random(values.shape)
            )
        drawn = Drawn(kept, kept.means("accuracy"), "accuracy")
        mean = kept.values["accuracy"].mean(axis=(-2, -1))
        picture = show(StudyPicture(lambda cell: None, lambda cell: None), (520, 360))
        picture.show_results(drawn, LIGHT)
        drawing = drawing_of(picture)
        columns, rows = labels_of(picture, drawing, 0), labels_of(picture, drawing, 1)[::-1]
        assert [number(text.text) for text in columns] == [0.1, 1.0, 10.0]
        assert [number(text.text) for text in rows] == [0.3, 3.0]
        size = picture.area().height() / 2
        for column, of_column in zip(columns, mean, strict=True):
            for row, value in zip(rows, of_column, strict=True):
                (cell,) = [t.text for t in drawing.texts if abs(t.x - column.x) < 3 and abs(t.y - row.y) < size / 2]
                assert agrees(cell, value), (cell, value)
        check_bar(picture, drawing, float(mean.min()), float(mean.max()))


def read_study_curves(show: Show) -> None:
    study = replace(GRID, axes=(GRID.axes[0],))
    kept = StudyResults(study)
    for name, values in kept.values.items():
        values[...] = np.array([0.61, 0.75, 0.973])[:, None, None] * (1.0 if name == "accuracy" else 1234.0)
    picture = show(StudyPicture(lambda cell: None, lambda cell: None), (520, 360))
    for name, factor in (("accuracy", 1.0), ("support_vectors", 1234.0)):
        picture.show_results(Drawn(kept, kept.means(name), name), LIGHT)
        check_drawn(picture, [0.1, 1.0, 10.0], np.array([0.61, 0.75, 0.973]) * factor)


def read_preview(show: Show) -> None:
    for offset, span in ((0.0, 1.0), (1.7e9, 3.0), (1e5, 1e-2), (0.0, 1e-9), (-4e7, 2e8)):
        xy = offset + span * np.random.default_rng(0).random((9, 2))
        data = PreviewData.of(Imported(xy, np.zeros(9, np.uint8), (), ("", ""), ("", ""), None, (), 0, "", ""))
        preview = show(PointsPreview(), (520, 360))
        preview.show_points(data)
        check_drawn(preview, xy[:, 0], xy[:, 1])


READERS: dict[str, Callable[[Show], None]] = {
    "MultiplierBars": read_multipliers,
    "LossPicture": read_losses,
    "ConfusionView": read_confusion,
    "RocView": read_roc,
    "CurveChart": read_curves,
    "RaceCurves": read_race,
    "ReliabilityChart": read_reliability,
    "ErrorMapChart": read_error_map,
    "ValidationCurveView": read_strip,
    "LearningCurve": read_learning,
    "GainChart": read_gain,
    "StudyPicture": read_study,
    "StudyPicture, curves": read_study_curves,
    "PointsPreview": read_preview,
}
#: Charts that draw no number: the base of two others, and a picture without axes.
WITHOUT = {"PointChart", "PoolPicture"}


def test_every_chart_is_read_back() -> None:
    assert heirs_of(SOURCE, "Chart") == {name.partition(",")[0] for name in READERS} | WITHOUT


@pytest.mark.parametrize("name", READERS)
def test_numbers_and_marks_of_a_chart_are_those_of_its_values(name: str, show: Show) -> None:
    READERS[name](show)
