"""Texts read back: each text, cell and field that shows a number is read as that number, to its last digit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QSlider, QSpinBox, QTableView, QWidget
from pytestqt.qtbot import QtBot

import app
from app.core import number_format as numbers
from app.core.points import Points
from app.exchange.pairs import ScoredPair
from app.exchange.table import Column, Table
from app.features.difference.panel import InvolvedRows
from app.features.difference.scene import Involved
from app.features.evaluation import text as evaluation
from app.features.film.window import ScaleBox
from app.features.ground_truth import text as ground_truth
from app.features.kkt.text import number as kkt_number
from app.features.probe import tables
from app.features.probe import text as probe
from app.features.probe.panel import ProbeTable
from app.features.race.race_frame import RaceFrame, RacerFrame
from app.features.race.view_board import RaceTable
from app.features.reliability import text as reliability
from app.features.step import text as step
from app.features.study.map_reading import measure_text, value_text
from app.features.study.model import StudyAxis
from app.features.study.view_form import PlanField
from app.features.what_if import text as what_if
from app.learners.fields import Field, change_text
from app.learners.scales import LinearScale, LogScale, RankScale
from app.learners.table import LEARNERS
from app.scene import text as scene_text
from app.state.document import Document
from app.state.session import SPEEDS
from app.views.chart.axis import exact, exact_percent
from app.views.theme import LIGHT
from app.views.widgets.inputs import NumberField, WholeField
from app.views.widgets.painting import svg_bytes
from app.views.widgets.rows_model import RowsModel
from app.window.dialogs.import_table import Rows
from app.window.dialogs.pair_list import PairModel
from app.window.panels.history_panel import HistoryModel
from app.window.panels.point_table import PointTable
from solver import KNeighborsClassifier
from solver.data.distribution import wilson
from tests.app.features.probe.probes import NAMES, who
from tests.app.features.race.test_controller import certificate
from tests.app.features.study.studies import GRID
from tests.app.read_back import SVG, agrees, callers_of, heirs_of, number
from tests.windows import Make, control, settle

SOURCE = Path(app.__file__).parent

# -- texts -----------------------------------------------------------------------------------------------------------

MAGNITUDES = st.builds(lambda m, e: m * 10.0**e, st.floats(1.0, 9.9999999), st.integers(-12, 11))
AWKWARD = (0.0, 0.5, 0.00999, 0.009996, 0.9996, 999.4, 999.5, 999.96, 9999.96, 99_999.5, 1e5, 1e-12, 1e12, 12_345.678)
POSITIVE = st.one_of(st.sampled_from(AWKWARD), MAGNITUDES)
NUMBERS = st.one_of(POSITIVE, POSITIVE.map(lambda value: -value))
NEAR = (0.0, 1.0, 0.9995, 0.99949, 0.9999999, 0.5, 1e-5, 9.9e-6, 0.0999, 0.00996, 0.0996, 1 / 3, 2 / 3)
SHARES = st.one_of(st.sampled_from(NEAR), st.floats(0.0, 1.0), st.floats(-9.0, 0.0).map(lambda e: 10.0**e))
#: Each way to write a number, what it is of, and the largest relative error of its rounding; None: only to its digits.
WRITERS: dict[str, tuple[Callable[[float], str], st.SearchStrategy[float], float | None]] = {
    "short": (numbers.short, NUMBERS, 0.05),
    "exact": (exact, NUMBERS, 1e-4),
    "what if": (what_if.figure, NUMBERS, 0.05),
    "probe, long": (tables.figure, NUMBERS, 5e-3),
    "probe, narrow": (tables.compact, NUMBERS, 0.05),
    "step": (step.number, NUMBERS, 0.05),
    "KKT": (kkt_number, POSITIVE.filter(lambda value: value == 0 or value > 1e-12), 0.05),
    "dual of a study": (lambda value: measure_text("dual", value), NUMBERS, 0.05),
    "percent": (numbers.percent, SHARES, 0.5),
    "share of an evaluation": (evaluation.share, SHARES, 0.5),
    "accuracy of a study": (lambda value: measure_text("accuracy", value), SHARES, None),
    "exact share": (exact_percent, SHARES, 1e-4),
    "typed share": (numbers.share_text, SHARES, 1e-12),
    "AUC": (evaluation.auc, SHARES, None),
    "points of percent": (lambda value: ground_truth.points_of_percent(value / 100), NUMBERS, None),
    "time": (numbers.span_of_time, POSITIVE, None),
    "counts with ties": (numbers.counted, POSITIVE.filter(lambda value: value < 1e9), None),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_text_is_read_as_its_number(name: str) -> None:
    write, values, near = WRITERS[name]

    @given(values)
    @settings(max_examples=60)
    def check(value: float) -> None:
        text = write(value)
        assert agrees(text, value), (text, value)
        if near is not None and not text.startswith(("below", "above")):
            assert abs(number(text) - value) <= near * abs(value) * (1 + 1e-9), (text, value)

    check()


def test_numbers_that_are_none() -> None:
    assert [numbers.short(value) for value in (math.nan, math.inf, -math.inf, -0.0)] == ["–", "∞", "−∞", "0"]
    assert numbers.percent(math.nan) == "–"


@given(st.lists(NUMBERS, min_size=2, max_size=5), st.sampled_from((0.0, 1e-12, 1e-9, 1e-4)))
def test_different_numbers_have_different_texts(values: list[float], near: float) -> None:
    values = [*values, *(value * (1 + near) for value in values)]
    pair = [values[0], values[0] * (1 + near)]
    for texts, of in ((numbers.distinct(values), values), (step.alike(pair), pair)):
        for one, first in zip(texts, of, strict=True):
            assert agrees(one, first), (one, first)
            assert all((one == other) == (first == second) for other, second in zip(texts, of, strict=True)), texts


@given(st.lists(NUMBERS, min_size=2, max_size=5))
def test_the_best_of_a_ranking_and_the_next_differ(values: list[float]) -> None:
    values = sorted(values, reverse=True)
    texts = step.ranked(values)
    behind = next((text for text, value in zip(texts, values, strict=True) if value != values[0]), "")
    assert all(map(agrees, texts, values)) and texts[0] != behind


def test_values_of_an_axis_of_a_study_differ() -> None:
    for values in ((1.0001, 1.0002, 1.0003), (0.1, 1.0, 10.0), (123_456.0, 123_457.0), (1e-7, 1.5e-7)):
        study = replace(GRID, axes=(StudyAxis("C", values), GRID.axes[1]))
        texts = [value_text(study, 0, value) for value in values]
        assert len(set(texts)) == len(values) and all(map(agrees, texts, values)), texts


# -- tables ----------------------------------------------------------------------------------------------------------


def drawn_cells(view: QAbstractItemView) -> dict[tuple[int, int], str]:
    """Return the texts that a table draws in its cells, by row and column, from its SVG."""
    size, found = view.viewport().size(), dict[tuple[int, int], str]()
    svg = svg_bytes(size, "", lambda device: view.viewport().render(device))  # type: ignore[call-overload]
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        *_, dx, dy = map(float, re.findall(r"-?\d[\d.]*(?:e[-+]?\d+)?", group.get("transform", "")) or (0, 0))
        for each in group.findall(f"{SVG}text"):
            at = QPoint(round(float(each.get("x", 0)) + dx) + 2, round(float(each.get("y", 0)) + dy) - 3)
            index = view.indexAt(at)
            key = index.row(), index.column()
            found[key] = found.get(key, "") + (each.text or "")
    return found


def check_table(view: QAbstractItemView, columns: dict[int, Iterable[float]]) -> None:
    """Check that the cells of these columns, as drawn and as told to a screen reader, are these values."""
    drawn, model = drawn_cells(view), view.model()
    for column, values in columns.items():
        for row, value in enumerate(values):
            text = str(model.index(row, column).data())
            assert agrees(text, value), (row, column, text, value)
            shown = drawn[row, column].strip()
            assert shown == text.strip() or (shown.endswith("…") and text.startswith(shown[:-1])), (row, column, shown)


Show = Callable[..., Any]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Return ``show(widget)``, which puts a widget on screen."""

    def build(widget: Any, size: tuple[int, int] = (760, 320)) -> Any:
        qtbot.addWidget(widget)
        widget.resize(*size)
        widget.show()
        return widget

    return build


def read_neighbours(show: Show) -> None:
    rng = np.random.default_rng(0)
    points = Points.of(rng.normal(size=(30, 2)), np.array([1, 3])[np.arange(30) % 2], 5 + 3 * np.arange(30))
    model = KNeighborsClassifier(7, "distance").fit(points.xy, points.labels)
    query = np.array([0.1, 0.2])
    rows = tables.NeighbourRows(model.vote_at(query), "distance", who(points))
    away = np.hypot(*(points.xy - query).T)
    order = np.argsort(away)[:7]
    table = show(ProbeTable(lambda row: None))
    table.show_table(rows, "kNN", LIGHT)
    row = [float(points.rows_of([int(points.ids[each])])[0]) for each in order]
    check_table(table, {0: range(1, 8), 1: row, 2: away[order], 3: 1 / away[order], 4: [1] * 7, 5: 1 / away[order]})


def read_votes(show: Show) -> None:
    votes, shares = np.array([4000.0, 1.2, 0.05]), np.array([0.99969, 0.0003, 0.00001])
    table = show(ProbeTable(lambda row: None))
    table.show_table(tables.VoteRows(votes, shares, [0, 3, 5], NAMES, 0), "kNN", LIGHT)
    check_table(table, {1: shares, 2: votes})
    table.show_table(tables.ProbabilityRows(shares, shares, [0, 3, 5], NAMES, 0), "kNN", LIGHT)
    assert agrees(table.model().index(0, 1).data(), 0.99969)
    vote = SimpleNamespace(votes=votes, shares=shares, winner=0, leaders=[0], at_zero=0, k=3)
    headline = probe.vote_headline(vote, NAMES, "distance")  # type: ignore[arg-type]
    assert agrees(headline.partition(": ")[2].removesuffix(" of the votes"), 0.99969), headline


def read_terms(show: Show) -> None:
    coef, kernel = np.array([2.5, -123456.0, 1e-7]), np.array([0.75, 1e-3, 1.0])
    points = Points.of(np.zeros((3, 2)), [0, 1, 0])
    terms = SimpleNamespace(
        index=np.arange(3),
        coef=coef,
        kernel=kernel,
        value=coef * kernel,
        rest=0.0,
        offset=-0.25,
        n_rest=0,
        of_points=True,
    )
    rows = tables.TermRows(terms, SimpleNamespace(positive=1, negative=0), [0, 1], who(points))  # type: ignore[arg-type]
    table = show(ProbeTable(lambda row: None))
    table.show_table(rows, "SVM", LIGHT)
    check_table(table, {0: (1, 2, 3), 1: coef, 2: kernel, 3: [*(coef * kernel), -0.25]})


def read_problems(show: Show) -> None:
    f = np.array([-0.25, 1234.5, 1e-6])
    pairs = [SimpleNamespace(positive=b, negative=a) for a, b in ((0, 1), (0, 2), (1, 2))]
    table = show(ProbeTable(lambda row: None))
    table.show_table(tables.ProblemRows(f, pairs, [0, 1, 2], NAMES, 0), "SVM", LIGHT)  # type: ignore[arg-type]
    check_table(table, {2: f})
    assert [table.model().index(row, 1).data() for row in range(3)] == ["class 1", "class 3", "class 3"]


def read_differing(show: Show) -> None:
    for scale in (1.0, 1e-7):
        points = Points.of(scale * np.arange(8).reshape(4, 2) / 3, [0, 1, 2, 0])
        rows = InvolvedRows(Involved(points, np.array([1, 3]), np.array([[1, 0], [2, 0]])), NAMES, (0, 1))
        view, model = show(QTableView()), RowsModel()
        model.show_table(rows)
        view.setModel(model)
        check_table(view, {0: points.xy[[1, 3], 0], 1: points.xy[[1, 3], 1], 2: (2, 1)})
        assert len({model.index(row, 0).data() for row in range(2)}) == 2, "rows are told apart"
        assert [model.index(row, 3).data() for row in range(2)] == ["2 ✓", "3 ✗"]


def read_race(show: Show) -> None:
    racers = tuple(
        RacerFrame(rule, steps, 200 * steps, 3e-6 * steps, certificate(violation=1 / steps, gap=gap))
        for rule, steps, gap in (("random", 12345, 0.9997), ("second-order", 678, 3e-6), ("cyclic", 9, 0.25))
    )
    table = show(RaceTable())
    table.show_frame(RaceFrame(Points(), "steps", 1e-3, racers), LIGHT)
    of = [each.steps for each in racers]
    gaps = [each.certificate.gap for each in racers]
    for column, values in {1: of, 2: [200 * n for n in of], 3: [3e-6 * n for n in of], 4: [1 / n for n in of]}.items():
        check_table(table, {column: values})
    for row, gap in enumerate(gaps):
        assert agrees(table.item(row, 5).text(), gap)


def read_imported(show: Show) -> None:
    values = np.array([1.7e9 + 0.25, -1e-12, 3.0, 1e12])
    column = Column("x", values)
    table = Table("t.csv", (column,), np.arange(2, 6))
    rows = show(Rows())
    rows.show_table(table)
    check_table(rows, {0: values})
    assert [rows.verticalHeaderItem(row).text() for row in range(4)] == ["2", "3", "4", "5"]


def read_pairs(show: Show) -> None:
    model = PairModel(LIGHT, 1.0)
    model._names = ("a", "b", "c")
    model.add([ScoredPair(0, 1, 0.99971), ScoredPair(1, 2, 0.5)])
    assert [agrees(model.index(row).data().split("\n")[-1], value) for row, value in enumerate((0.99971, 0.5))] == [
        True
    ] * 2


def read_history(show: Show) -> None:
    fields, model = LEARNERS["svm"].fields, HistoryModel()
    values = (10.0, 0.123456, 1e-6, 1e6)
    model.show_steps(tuple(change_text(fields, {"C": value}) for value in values), 2, None)
    assert model.index(0).data() == "Start"
    assert all(agrees(model.index(row).data(), value) for row, value in enumerate(values, 1))


TABLES: dict[str, Callable[[Show], None]] = {
    "NeighbourRows": read_neighbours,
    "VoteRows ProbabilityRows ProbeTable TableRows RowsModel": read_votes,
    "TermRows": read_terms,
    "ProblemRows": read_problems,
    "InvolvedRows": read_differing,
    "RaceTable": read_race,
    "Rows": read_imported,
    "PairModel PairList": read_pairs,
    "HistoryModel HistoryPanel": read_history,
}
#: Read in a window below.
IN_WINDOW = {"PointModel", "PointTable"}
BASES = ("QAbstractItemView", "QTableView", "QTreeView", "QListView", "QTableWidget", "QTreeWidget", "QListWidget")
MODELS = ("QAbstractItemModel", "QAbstractTableModel", "QAbstractListModel", "QStandardItemModel", "TextRows")


def test_every_table_is_read_back() -> None:
    named = {name for names in TABLES for name in names.split()}
    assert heirs_of(SOURCE, *BASES, *MODELS) == named | IN_WINDOW
    plain = rf"(?<!class )\b({'|'.join(BASES)})\("  # they list names of files and columns
    lists = {f"window/{each}.py" for each in ("dialogs/import_table", "dialogs/recovery", "lane/classifier_dialog")}
    lists.add("features/difference/panel.py")
    assert callers_of(SOURCE, plain) == lists
    written = {"evaluation/text", "ground_truth/panel", "reliability/text", "what_if/panel"}
    assert callers_of(SOURCE, "<table") == {f"features/{each}.py" for each in written} | {"window/dialogs/help.py"}


@pytest.mark.parametrize("name", TABLES)
def test_cells_are_the_values_of_their_row_and_column(name: str, show: Show) -> None:
    TABLES[name](show)


def cells_in(html: str) -> list[str]:
    return [re.sub("<.*?>", "", each).replace("\u00a0", " ") for each in re.findall(r"<td[^>]*>(.*?)</td>", html)]


def test_cells_of_tables_in_sentences_are_their_values() -> None:
    scores = SimpleNamespace(
        called=[3, 9], support=[2, 4], precision=[0.9997, 0.5], recall=[1 / 3, 1.0], f1=[2e-4, 0.0]
    )
    lane = SimpleNamespace(of_classes=scores, scores=SimpleNamespace(classes=[0, 1]))
    cells = cells_in(evaluation.class_scores(SimpleNamespace(class_names=("a", "b")), lane))  # type: ignore[arg-type]
    assert cells[0] == "a" and cells[4] == "b"
    assert all(map(agrees, cells[1:4] + cells[5:], (0.9997, 1 / 3, 2e-4, 0.5, 1.0, 0.0)))
    losses = [SimpleNamespace(log_loss=0.1234, brier_score=12.3456, ideal=(0.05, 0.0212))]
    lanes = [SimpleNamespace(name="kNN", value=each, stale=False, message="") for each in losses]
    cells = cells_in(reliability.table(SimpleNamespace(lanes=lanes)))  # type: ignore[arg-type]
    assert all(map(agrees, cells[1:3] + cells[4:], (0.1234, 12.3456, 0.05, 0.0212)))
    tally = SimpleNamespace(failures=12_345.5, thrown=100_000)
    failures, error, interval = ground_truth.error_words(tally)  # type: ignore[arg-type]
    low, high = wilson(12_345.5, 100_000)
    assert agrees(failures, 12_345.5) and agrees(error, 0.123455)
    assert agrees(interval.split("–")[0].strip() + " %", low) and agrees(interval.split("–")[1].strip(), high)
    assert all(map(agrees, what_if._shares(0.25, 0.9996)[:2], (0.25, 0.9996)))
    assert agrees(what_if._numbers(1234.5, 1e-7)[0], 1234.5) and what_if._numbers(math.nan, 1.0)[::2] == ("–", "–")


def test_the_speed_of_training_is_that_of_its_slider() -> None:
    for steps in SPEEDS[1:-1]:
        assert agrees(re.sub(r" steps?.*", "", scene_text.speed(steps)), steps)
    assert (scene_text.speed(SPEEDS[0]), scene_text.speed(SPEEDS[-1])) == ("1 step in 2 s", "full speed")


# -- fields, and what a window shows ---------------------------------------------------------------------------------


def some_values(field: Field) -> list[Any]:
    """Return both limits of a field, its default, and numbers that a display could round."""
    assert field.limits is not None
    least, most = field.limits.least, field.limits.most
    between = (1, 7, 12345, 99_999) if field.is_whole else (0.1234567891, 1e-5, 1 / 3, 99_999.5, 123_456.789)
    return [least, most, *(value for value in between if least <= value <= most)]


@pytest.mark.slow
def test_fields_of_every_learner_show_their_settings(make: Make, qtbot: QtBot) -> None:
    window, checked = make(Document()), set[str]()  # without points nothing is trained
    for name, learner in LEARNERS.items():
        if not learner.in_files or name == "difference":
            continue
        window.controller.set_lane(0, classifier=name)
        for field in learner.fields:
            if field.kind not in ("slider", "number", "integer", "large integer"):
                continue
            for value in some_values(field):
                window.controller.set_lane(
                    0, name, **{field.parameter: value, **({field.end: False} if field.end else {})}
                )
                settle(qtbot, window)
                shown = window.document.lanes[0].settings
                assert getattr(shown, field.parameter) == value, (name, field.name, value)
                edit = control(window, f"lane0.{field.name}")
                text = edit.text() if isinstance(edit, QLineEdit | QSpinBox) else ""
                assert text and numbers.number_of(text) == value, (name, field.name, value, text)
                slider = window.findChild(QSlider, f"lane0.{field.name}.slider")
                if slider is not None:
                    size = float if isinstance(slider.scale, LinearScale) else math.log
                    positions = range(slider.minimum(), slider.scale.high + 1)
                    away = [abs(size(slider.value_at(at)) - size(value)) for at in positions]
                    assert away[slider.value() - slider.minimum()] <= min(away) + 1e-12, (name, field.name, value)
                checked.add(f"{name}.{field.name}")
    assert len(checked) > 15, checked


@pytest.mark.slow
def test_fields_of_the_generator_and_the_table_of_points(make: Make, qtbot: QtBot) -> None:
    window = make(Document(), wait=False)
    for name, values in {
        "noise": (0.0, 0.1234567, 10.0),
        "seed": (0, 2**31 - 1),
        "count": (1, 50_000),
        "flipped": (0.07,),
    }.items():
        for value in values:
            window.controller.set_generator(None, **{name: value})
            settle(qtbot, window)
            text = window.findChild(QWidget, f"generator.{name}").text()
            assert numbers.number_of(text.removesuffix(" %")) * (0.01 if "%" in text else 1) == pytest.approx(
                value, rel=1e-15
            )
    window.named_actions["table"].trigger()
    for offset in (0.0, 1.7e9, -1e5, 1e-9):
        points = Points.of(
            offset + np.array([[1e-3, 2], [2, 3.25], [3, 1 / 3]]) * (1e-9 if offset == 1e-9 else 1.0), [0, 1, 0]
        )
        window.controller.store.reset(Document(points=points), None)
        settle(qtbot, window)
        table = window.findChild(PointTable)
        check_table(table, {0: (1, 2, 3), 1: points.xy[:, 0], 2: points.xy[:, 1]})
        for column in (1, 2):
            assert len({table.model().index(row, column).data() for row in range(3)}) == 3
            for row in range(3):
                assert (
                    float(table.model().index(row, column).data(Qt.ItemDataRole.ToolTipRole))
                    == points.xy[row, column - 1]
                )


def test_a_field_shows_and_reads_each_number(show: Show) -> None:
    field, typed = show(NumberField("C", -1e300, 1e300, endless=True)), list[float]()
    field.committed.connect(typed.append)

    @given(NUMBERS)
    def check(value: float) -> None:
        field.show_value(value)
        assert numbers.number_of(field.text()) == value
        field.setText(numbers.short(value, 18))
        field.setModified(True)
        field.show_value(math.inf if value != math.inf else 0.0)
        field.commit()
        assert math.isinf(field.value()) and (not typed or typed[-1] == pytest.approx(value, rel=1e-15))

    check()
    share = show(NumberField("share", 0.0, 1.0, percent=True))
    for value in (0.0, 0.07, 0.123456789, 1.0, 1e-9):
        share.show_value(value)
        assert numbers.share_of(numbers.number_of(share.text().removesuffix(" %"))) == value


def test_fields_of_whole_numbers_and_of_a_scale(show: Show) -> None:
    whole = show(WholeField(0, 10**9, suffix=" px"))
    box = show(ScaleBox())
    for value in (0, 1, 99_999, 10**9):
        whole.setValue(value)
        assert whole.text() == f"{value} px" and whole.valueFromText(whole.text()) == value
    for scale in (LogScale(-4, 6), LinearScale(0.0, 10.0, 0.01), RankScale(99_999)):
        for position in range(scale.low, scale.high + 1, 7):
            box.show_scale(scale, scale.value_at(position))
            assert box.number == scale.value_at(position) and agrees(box.text(), box.number), box.text()
            assert box.valueFromText(box.text()) == box.value()
    plan = show(PlanField("axis0.start", "from", "", "start", lambda **typed: None))
    plan.show_typed("0.00001", "")
    assert plan.text() == "0.00001"


#: Fields without a number behind them, and those read elsewhere: cells in the table's own test, the timeline's below.
FIELDS = {"NumberField", "WholeField", "ScaleBox", "PlanField", "ScaleSlider", "Slider"} | {
    "CellField",
    "NameField",
    "Timeline",
}
EDITORS = ("QLineEdit", "QSpinBox", "QDoubleSpinBox", "QAbstractSpinBox", "QSlider", "QAbstractSlider", "QDial")


def test_every_kind_of_field_is_read_back() -> None:
    assert heirs_of(SOURCE, *EDITORS) == FIELDS
