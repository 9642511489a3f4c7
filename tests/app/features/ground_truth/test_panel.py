"""The panel of truth and stability in the real window: keys and clicks, the pictures, and its sentences."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QDockWidget, QLabel, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.engine.overlays import Lines, Specks
from app.features.ground_truth import text
from app.features.ground_truth.fresh_points import FreshDraw
from app.features.ground_truth.model import GroundTruthScene, GroundTruthSession, TruthRow
from app.features.ground_truth.panel import stability_html, states
from app.state.document import Document, GeneratorSettings, Lane, View
from app.window.main_window import MainWindow
from solver.data.distribution import Law
from tests.covering import first_of
from tests.windows import Make, finish_layout, settle

CTRL = Qt.KeyboardModifier.ControlModifier
MOONS = GeneratorSettings("moons", 40, 0.2, 3)
CIRCLE = GeneratorSettings("circle", 40, 0.1, 1)


def document_of(settings: GeneratorSettings = MOONS, lanes: tuple[Lane, ...] = (Lane("knn"), Lane("svm"))) -> Document:
    points = settings.points()
    return Document(points, lanes, len(lanes), generator=settings, view=View.fitting(points), origin=settings)


def key(window: MainWindow, which: Qt.Key, modifier: Any = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(window.canvases[0], which, modifier)
    window.refreshing.flush()


def part(window: MainWindow, kind: type, name: str) -> Any:
    found = window.findChild(kind, f"truth.{name}")
    assert found is not None
    return found


def click(qtbot: QtBot, window: MainWindow, name: str) -> None:
    button = part(window, QWidget, name)
    at = QPoint(12, button.height() // 2) if isinstance(button, QCheckBox) else button.rect().center()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, window)


def words(window: MainWindow, name: str) -> str:
    html = part(window, QLabel, name).text()
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def opened(qtbot: QtBot, make: Make, document: Document | None = None, **named: Any) -> MainWindow:
    window = make(document or document_of(), **named)
    key(window, Qt.Key.Key_0, CTRL)
    settle(qtbot, window)
    return window


def sheets(window: MainWindow, lane: int = 0) -> tuple[Any, ...]:
    assert window.scene is not None
    return window.scene.lanes[lane].sheets


def styles(window: MainWindow, lane: int = 0) -> list[str]:
    return [sheet.style if isinstance(sheet, Lines) else type(sheet).__name__ for sheet in sheets(window, lane)]


def shows(shown: str, wrong: np.ndarray) -> bool:
    """Check that number and share of failures are displayed, in a sentence or in a table."""
    share = f"{wrong.mean() * 100:.1f} %"
    return f"fails {wrong.sum()}, error {share}, 95 % in " in shown or f" {wrong.sum()} {share} " in shown


@pytest.mark.slow
def test_fresh_points_are_thrown_at_all_models(qtbot: QtBot, make: Make) -> None:
    window = opened(qtbot, make)
    dock = window.findChild(QDockWidget, "dock.truth")
    assert dock is not None and dock.isVisible() and dock.windowTitle() == "Truth"
    assert words(window, "origin") == "From the generator: Moons, noise 0.2." and words(window, "bayes").startswith(
        "Bayes error: 2.9 % ±"
    )
    assert styles(window) == []
    window.resizeDocks([dock], [200], Qt.Orientation.Horizontal)
    click(qtbot, window, "throw")
    X, y = Law("moons", 0.2).draw(1000, (71, 1))
    shown = words(window, "errors")
    for lane in range(2):
        model = window.result(lane).model  # type: ignore[union-attr]
        wrong = model.predict(X) != y  # type: ignore[union-attr]
        assert shows(shown, wrong)
        (specks,) = sheets(window, lane)
        assert isinstance(specks, Specks)
        crossed = specks.xy[specks.kind == specks.kinds.index("wrong")]
        assert sorted(map(tuple, crossed.tolist())) == sorted(map(tuple, X[wrong].tolist()))
    assert "new points, the same for all." in shown and "(counting…)" not in shown
    # Other settings: the same points again.
    window.controller.set_lane(1, "svm", gamma=30.0)
    settle(qtbot, window)
    wrong = window.result(1).model.predict(X) != y  # type: ignore[union-attr]
    assert shows(words(window, "errors"), wrong)
    click(qtbot, window, "throw")
    assert window.controller.session.of(GroundTruthSession).fresh_draw.first == 2
    assert "crossed out where the model fails" in words(window, "details")
    part(window, QPushButton, "pick_up").setFocus()
    click(qtbot, window, "pick_up")
    assert part(window, QPushButton, "throw").hasFocus()
    assert styles(window) == [] and words(window, "errors").startswith("Draw new points of the generator to see")
    assert not part(window, QPushButton, "pick_up").isEnabled()


@pytest.mark.slow
def test_few_points_are_all_shown_and_the_count_is_chosen(qtbot: QtBot, make: Make) -> None:
    window = opened(qtbot, make)
    spin = part(window, QSpinBox, "count")
    spin.setFocus()
    spin.selectAll()
    QTest.keyClicks(spin, "200")
    QTest.keyClick(spin, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert (
        window.controller.session.of(GroundTruthSession).fresh_count == 200
        and window.controller.session.of(GroundTruthSession).fresh_draw.batches == 0
    )
    assert part(window, QPushButton, "throw").text() == "Draw 200 new points"
    click(qtbot, window, "throw")
    (specks,) = sheets(window)
    assert (specks.kind < 2).sum() == 200


def test_waiting_for_a_training_is_reported() -> None:
    row = TruthRow(2, "Perceptron", None, True, None, True, None, True, "", "training")
    truth = GroundTruthScene(None, Law("moons", 0.2), None, None, None, (row,))
    assert states(truth) == ["2: still training, not certified yet.", text.WAITING]
    assert text.WAITING in stability_html(truth, True)
    idle = GroundTruthScene(None, Law("moons", 0.2), None, None, None, (replace(row, state="paused"),))
    assert states(idle) == ["2: its training is paused, not certified yet."]
    assert text.WAITING not in stability_html(idle, True)


@pytest.mark.slow
def test_drawing_points_continues_until_it_is_stopped_or_hidden(qtbot: QtBot, make: Make) -> None:
    window = opened(qtbot, make)
    fresh_draw = lambda: window.controller.session.of(GroundTruthSession).fresh_draw  # noqa: E731
    click(qtbot, window, "keep")
    qtbot.waitUntil(lambda: fresh_draw().batches >= 3)
    assert part(window, QPushButton, "keep").text() == "Stop drawing"
    click(qtbot, window, "keep")
    settle(qtbot, window)
    assert not window.controller.session.of(GroundTruthSession).fresh_going
    first = fresh_draw()
    assert isinstance(first, FreshDraw) and first.first == 1
    assert re.search(rf"\b{first.batches}\s000\snew points, the same for all", words(window, "errors"))
    click(qtbot, window, "keep")
    assert window.controller.session.of(GroundTruthSession).fresh_going
    key(window, Qt.Key.Key_0, CTRL)
    window.refreshing.flush()
    assert not window.controller.session.of(GroundTruthSession).fresh_going and styles(window) == []
    settle(qtbot, window)


@pytest.mark.slow
def test_u_shows_the_boundary_and_names_it(qtbot: QtBot, make: Make) -> None:
    window = make(document_of())
    key(window, Qt.Key.Key_U)
    settle(qtbot, window)
    assert styles(window, 0) == styles(window, 1) == ["ideal"]
    assert window.named_actions["ideal"].isChecked()
    assert window.statusBar().findChild(QLabel, "hint").text().startswith("Ideal (Bayes) boundary")
    line = sheets(window)[0].xy
    line = line[~np.isnan(line).any(axis=1)]
    logs = Law("moons", 0.2).log_density(line)
    assert np.abs(logs[:, 0] - logs[:, 1]).max() < 0.05
    key(window, Qt.Key.Key_F9)
    window.refreshing.flush()
    legend = [label.text() for label in window.findChildren(QLabel) if label.isVisible()]
    assert "Ideal (Bayes) boundary: no classifier does better on average" in legend
    key(window, Qt.Key.Key_U)
    assert styles(window) == [] and not window.named_actions["ideal"].isChecked()
    key(window, Qt.Key.Key_U)
    window.controller.choose_generator("circle")
    settle(qtbot, window)
    assert styles(window) == ["ideal"]
    legend = [label.text() for label in window.findChildren(QLabel) if label.isVisible()]
    assert "True boundary: x² + y² = ½" in legend
    window.controller.undo()
    window.refreshing.flush()
    settle(qtbot, window)
    assert styles(window) == ["ideal"] and len(sheets(window)[0].xy) < 4001


@pytest.mark.slow
def test_the_area_on_which_a_model_is_wrong(qtbot: QtBot, make: Make) -> None:
    window = opened(qtbot, make, document_of(CIRCLE))
    assert part(window, QCheckBox, "ideal").text() == "True boundary (U)"
    details = part(window, QLabel, "details")
    assert not details.isVisible(), "no wall of text"
    click(qtbot, window, "more")
    assert details.isVisible() and words(window, "details").startswith("True boundary: x² + y² = ½.")
    middle = np.arange(-0.995, 1, 0.01)
    locations = np.column_stack([each.ravel() for each in np.meshgrid(middle, middle)])
    shown = words(window, "errors")
    for lane in range(2):
        model = window.result(lane).model  # type: ignore[union-attr]
        share = (model.predict(locations) != ((locations**2).sum(axis=1) >= 0.5)).mean()  # type: ignore[union-attr]
        assert f"area {100 * share:.1f} %" in shown or f" {100 * share:.1f} % " in shown
    click(qtbot, window, "ideal")
    assert styles(window) == ["ideal"] and window.controller.session.of(GroundTruthSession).ideal


@pytest.mark.slow
def test_h_shows_the_haze_and_its_number(qtbot: QtBot, make: Make) -> None:
    window = opened(qtbot, make)
    assert "Switch the haze on" in words(window, "disagreements")
    key(window, Qt.Key.Key_H)
    settle(qtbot, window)
    assert styles(window, 0) == styles(window, 1) == ["haze"] and window.named_actions["haze"].isChecked()
    assert part(window, QCheckBox, "haze").isChecked()
    scene = window.scene
    assert scene is not None
    shown = words(window, "disagreements")
    for row in scene.feature(GroundTruthScene).rows:
        assert row.bootstrap is not None and row.bootstrap.done == row.bootstrap.of == 30 and not row.resampling
        assert f"30 of 30 {100 * row.bootstrap.area:.1f} % {100 * row.bootstrap.at_points:.1f} %" in shown
    before = sheets(window)
    spin = part(window, QSpinBox, "resamples")
    spin.setFocus()
    QTest.keyClick(spin, Qt.Key.Key_Up)
    settle(qtbot, window)
    assert "31 of 31" in words(window, "disagreements") and sheets(window) != before
    window.controller.zoom(0.5, window.canvases[0].pointer_at(window.canvases[0].plot_area().center()))
    settle(qtbot, window)
    assert "resampling" not in words(window, "disagreements")
    click(qtbot, window, "haze")
    assert styles(window) == [] and not window.named_actions["haze"].isChecked()


@pytest.mark.slow
def test_haze_goes_while_a_gesture_lasts_and_comes_back(qtbot: QtBot, make: Make) -> None:
    window = make(document_of())
    key(window, Qt.Key.Key_H)
    settle(qtbot, window)
    before = sheets(window)[0]
    canvas = window.canvases[0]
    at = window.to_widget(0, 0.5, 1.5)
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, window)
    assert len(window.document.points) == 81
    (after,) = sheets(window)
    assert after is not before and not np.array_equal(after.xy, before.xy, equal_nan=True)


@pytest.mark.slow
def test_points_that_no_generator_made(qtbot: QtBot, make: Make) -> None:
    document = document_of()
    window = opened(qtbot, make, Document(document.points, document.lanes, view=document.view))
    assert words(window, "origin").startswith("No generator made these points")
    assert not part(window, QPushButton, "throw").isVisible() and not part(window, QLabel, "bayes").isVisible()
    key(window, Qt.Key.Key_U)
    assert styles(window) == []
    click(qtbot, window, "haze")  # this needs no truth
    assert styles(window) == ["haze"]
    window.controller.clear()
    settle(qtbot, window)
    assert words(window, "origin").startswith("No points") and styles(window) == []
    window.controller.generate()
    settle(qtbot, window)
    assert part(window, QPushButton, "throw").isVisible() and words(window, "origin").startswith("From the generator")
    ids = window.document.points.ids[:1]
    window.controller.editing.select(ids)
    window.controller.editing.relabel_selected(1 - int(window.document.points.labels[0]))
    settle(qtbot, window)
    assert words(window, "origin").endswith("the truth is that of the generator.")
    window.controller.undo()
    settle(qtbot, window)
    assert not words(window, "origin").endswith("the truth is that of the generator.")


@pytest.mark.slow
@pytest.mark.parametrize("size", first_of([(1024, 768), (1920, 1080)], 1))
def test_nothing_is_cut_off(qtbot: QtBot, make: Make, size: tuple[int, int]) -> None:
    lanes = (Lane("knn"), Lane("svm"), Lane("perceptron"))
    window = opened(qtbot, make, document_of(CIRCLE, lanes), size=size)
    click(qtbot, window, "throw")
    click(qtbot, window, "more")
    finish_layout()
    for name in ("throw", "keep", "pick_up", "haze", "ideal", "count", "resamples", "more"):
        widget = part(window, QWidget, name)
        assert widget.width() >= widget.minimumSizeHint().width() and widget.height() >= 24
        assert widget.accessibleName() and widget.accessibleDescription() and widget.toolTip()
    for name in ("origin", "bayes", "errors", "disagreements", "details"):
        label = part(window, QLabel, name)
        assert label.height() >= label.heightForWidth(label.width()) and label.accessibleName()
        assert label.textFormat() is not None and "-" not in re.sub(r"\w-\w", "", words(window, name))
