"""The probe in the window: the pointer, Q, typed places, undo, panels and pictures, by real events."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.probe.controller import ProbeController
from app.features.probe.overlay import ProbeOverlay, probe_overlay
from app.features.probe.panel import ProbePanel, ProbeTable
from app.features.probe.scene import Ball, LaneProbe, Probe, ProbeSession, Sketch
from app.features.probe.tables import figure
from app.features.probe.text import NOWHERE
from app.state.document import ClassStyle, Document, KnnSettings, Lane, SvmSettings, View
from app.views.plot.overlays import LaidLayer
from app.views.theme import DARK, LIGHT
from app.window.main_window import MainWindow
from solver import Grid
from tests.covering import first_of
from tests.windows import Make, finish_layout, settle

KEY = Qt.Key


def document(n: int = 60, n_classes: int = 2, lanes: tuple[Lane, ...] = (Lane("knn"), Lane("svm"))) -> Document:
    rng = np.random.default_rng(3)
    labels = np.arange(n) % n_classes
    turn = 2 * np.pi * labels / n_classes
    xy = rng.normal(scale=0.6, size=(n, 2)) + np.column_stack((np.cos(turn), np.sin(turn)))
    return Document(Points.of(xy, labels), lanes, shown=len(lanes), view=View(0.0, 0.0, 6.0))


def opened(
    make: Make, qtbot: QtBot, document: Document | None = None, size: tuple[int, int] = (1280, 800)
) -> MainWindow:
    window = make(document, size=size)
    window.named_actions["probe"].trigger()
    settle(qtbot, window)
    assert window.isActiveWindow()  # no part of the panel has been a window of its own
    return window


def panel_of(window: MainWindow) -> ProbePanel:
    panel = window.findChild(ProbePanel)
    assert panel is not None
    return panel


def hover(window: MainWindow, lane: int, x: float, y: float) -> None:
    canvas = window.canvases[lane]
    QTest.mouseMove(canvas.viewport(), window.to_widget(lane, x, y) - QPoint(0, 0))
    window.refreshing.flush()


def text(window: MainWindow, name: str) -> str:
    label = panel_of(window).findChild(QLabel, name)
    assert label is not None
    return label.text() if label.isVisibleTo(panel_of(window)) else ""


def table(window: MainWindow, name: str) -> ProbeTable:
    found = panel_of(window).findChild(ProbeTable, name)
    assert found is not None
    return found


def shown_location(window: MainWindow) -> tuple[float, float] | None:
    assert window.scene is not None
    return window.scene.feature(Probe).location


# -- the hand ----------------------------------------------------------------------------------------------------------


def test_the_panel_follows_the_pointer(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    assert text(window, "probe.nowhere") == NOWHERE
    for lane, (x, y) in ((0, (0.9, 0.1)), (1, (-0.8, 0.3)), (0, (0.0, -0.5))):
        hover(window, lane, x, y)
        point_at = shown_location(window)
        assert point_at is not None and np.hypot(point_at[0] - x, point_at[1] - y) < 1.5 * window.canvases[0].unit()
        for index in (0, 1):
            model = window.result(index).model  # type: ignore[union-attr]
            assert f"class {model.predict([point_at])[0] + 1}" in text(window, f"probe{index}.headline")  # type: ignore[union-attr]
        f = window.result(1).model.pair_decision_function([point_at])[0, 0]  # type: ignore[union-attr]
        assert text(window, "probe1.headline").startswith(f"f(x) = {figure(f)}:")
    shown = text(window, "probe1.headline")
    QTest.mouseMove(panel_of(window), QPoint(5, 5))  # on the way to the panel, what it tells stays
    window.canvases[0].leaveEvent(None)  # type: ignore[arg-type]
    settle(qtbot, window)
    assert text(window, "probe1.headline") == shown


def test_q_pins_and_lets_go(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    hover(window, 0, 0.9, 0.1)
    point_at = shown_location(window)
    QTest.keyClick(window.canvases[0], KEY.Key_Q)
    settle(qtbot, window)
    assert window.controller.session.of(ProbeSession).probe == point_at and window.named_actions["pin"].isChecked()
    hover(window, 1, -1.0, 0.5)
    assert shown_location(window) == point_at
    button = panel_of(window).findChild(QPushButton, "probe.pin")
    assert button is not None and button.isChecked() and button.text() == "Unpin"
    QTest.keyClick(window.canvases[0], KEY.Key_Q)
    window.refreshing.flush()
    assert window.controller.session.of(ProbeSession).probe is None and not window.named_actions["pin"].isChecked()
    assert shown_location(window) != point_at
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    window.refreshing.flush()
    assert window.controller.session.of(ProbeSession).probe is not None and button.isChecked()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    window.refreshing.flush()
    assert window.controller.session.of(ProbeSession).probe is None and not button.isChecked()


def test_q_with_the_panel_closed(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    QTest.keyClick(window.canvases[0], KEY.Key_Q)
    window.refreshing.flush()
    assert window.controller.session.of(ProbeSession).probe is None  # there is nowhere to pin
    hover(window, 0, 0.5, 0.5)
    assert shown_location(window) is None
    QTest.keyClick(window.canvases[0], KEY.Key_Q)
    settle(qtbot, window)
    assert window.controller.session.of(ProbeSession).probe == pytest.approx(
        (0.5, 0.5), abs=1.5 * window.canvases[0].unit()
    )
    laid = [canvas.overlays.layers[1].laid for canvas in window.canvases[:2]]
    assert all(probe is not None and probe.pinned for probe in laid)


def test_the_keyboard_alone(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    canvas = window.canvases[0]
    canvas.setFocus()
    for _ in range(3):
        QTest.keyClick(canvas, KEY.Key_Right)
        window.refreshing.flush()
        settle(qtbot, window)
        assert shown_location(window) == window.controller.session.cursor
    point_at = shown_location(window)
    QTest.keyClick(canvas, KEY.Key_Q)
    QTest.keyClick(canvas, KEY.Key_Up)
    settle(qtbot, window)
    assert shown_location(window) == point_at != window.controller.session.cursor


def test_typed_locations(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    panel = panel_of(window)
    fields = [panel.findChild(QLineEdit, f"probe.{axis}") for axis in "xy"]
    for field, typed in zip(fields, ("0.25", "-1,5"), strict=True):
        assert field is not None
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, typed)
        QTest.keyClick(field, KEY.Key_Return)
        window.refreshing.flush()
    settle(qtbot, window)
    assert window.controller.session.of(ProbeSession).probe == (0.25, -1.5) == shown_location(window)
    model = window.result(0).model  # type: ignore[union-attr]
    assert f"class {model.predict([(0.25, -1.5)])[0] + 1}:" in text(window, "probe0.headline")  # type: ignore[union-attr]
    assert fields[0] is not None
    fields[0].selectAll()
    QTest.keyClicks(fields[0], "far")
    QTest.keyClick(fields[0], KEY.Key_Return)
    window.refreshing.flush()
    assert window.controller.session.of(ProbeSession).probe == (0.25, -1.5)


def test_a_new_point_is_classified_by_its_numbers(make: Make, qtbot: QtBot) -> None:
    """By the keyboard alone, in the units of the axes, also where no picture shows it."""
    rng = np.random.default_rng(1)
    xy, labels = rng.uniform((20, 10_000), (35, 30_000), (40, 2)), np.arange(40) % 2
    xy[labels == 1] *= (1.5, 2.0)
    points = Points.of(xy, labels)
    styles = (ClassStyle(name="no"), ClassStyle(name="yes"), *Document().styles[2:])
    axes = ("age & more", "Estimated yearly salary before taxes")
    bank = Document(points, (Lane("knn", standardise=True),), 1, axes=axes, styles=styles, view=View.fitting(points))
    window = opened(make, qtbot, bank)
    panel = panel_of(window)
    labels_shown = [label.text() for label in panel.findChildren(QLabel) if label.buddy() is not None]
    assert (
        labels_shown[0] == "age && more" and labels_shown[1].startswith("Estimated yearly") and "…" in labels_shown[1]
    )
    x, y = (panel.findChild(QLineEdit, f"probe.{axis}") for axis in "xy")
    assert x is not None and y is not None
    assert y.accessibleName() == "Estimated yearly salary before taxes of the probed location"
    panel.first_stop.setFocus()
    for age, salary, inside in ((40, "50 000", True), (25, "20000", True), (90, "250 000", False)):
        x.setFocus()
        x.selectAll()
        QTest.keyClicks(x, str(age))
        QTest.keyClick(x, KEY.Key_Tab)
        assert y.hasFocus()
        y.selectAll()
        QTest.keyClicks(y, salary)
        QTest.keyClick(y, KEY.Key_Return)
        settle(qtbot, window)
        at = (float(age), float(salary.replace(" ", "")))
        assert shown_location(window) == at
        assert window.canvases[0].plot_area().contains(window.to_widget(0, *at)) == inside
        name = ("no", "yes")[int(window.result(0).model.predict([at])[0])]  # type: ignore[union-attr]
        assert text(window, "probe0.headline").startswith(f"{name}:")


def test_a_pinned_location_outlives_points_and_undo(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    controller = window.controller
    controller.feature(ProbeController).pin(0.4, 0.2)
    settle(qtbot, window)
    before = text(window, "probe0.headline"), text(window, "probe1.headline")
    controller.set_generator(seed=7, name="circle")
    controller.generate()
    settle(qtbot, window)
    assert controller.session.of(ProbeSession).probe == (0.4, 0.2)
    for index in (0, 1):
        model = window.result(index).model  # type: ignore[union-attr]
        assert f"class {model.predict([(0.4, 0.2)])[0] + 1}" in text(window, f"probe{index}.headline")  # type: ignore[union-attr]
    controller.undo()
    controller.undo()
    controller.undo()
    settle(qtbot, window)
    assert (text(window, "probe0.headline"), text(window, "probe1.headline")) == before
    controller.clear()
    settle(qtbot, window)
    assert "Click to add points" in text(window, "probe0.message") and not text(window, "probe0.headline")
    assert controller.session.of(ProbeSession).probe == (0.4, 0.2)


def test_one_class_and_none(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, Document())
    window.controller.feature(ProbeController).pin(0.0, 0.0)
    settle(qtbot, window)
    assert "Click to add points" in text(window, "probe0.message")
    one = opened(make, qtbot, Document(Points.of([(0, 0), (1, 1)], [2, 2])))
    one.controller.feature(ProbeController).pin(0.1, 0.0)
    settle(qtbot, one)
    assert text(one, "probe0.headline") == "class 3: 2 of 2 votes"
    assert "needs two classes" in text(one, "probe1.message")


@pytest.mark.slow
def test_a_click_on_a_duel_looks_into_it(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document(80, 4, (Lane("svm"),)), size=(1280, 900))
    window.controller.feature(ProbeController).pin(0.3, 0.3)
    settle(qtbot, window)
    duels = table(window, "probe0.table0")
    assert duels.model().rowCount() == 6 and duels.table is not None and duels.table.chosen == 0
    at = duels.visualRect(duels.model().index(4, 0)).center()
    QTest.mouseClick(duels.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, window)
    assert window.document.lanes[0].pair == (1, 3)
    assert "class 2 against class 4" in text(window, "probe0.lines")
    duels.setCurrentIndex(duels.model().index(5, 0))
    QTest.keyClick(duels, KEY.Key_Return)
    settle(qtbot, window)
    assert window.document.lanes[0].pair == (2, 3)
    window.controller.undo()
    settle(qtbot, window)
    assert window.document.lanes[0].pair == (1, 3)


@pytest.mark.slow
@pytest.mark.parametrize("size", first_of([(1024, 768), (1920, 1080)], 1))
def test_no_text_is_cut_off(make: Make, qtbot: QtBot, size: tuple[int, int]) -> None:
    lanes = (Lane("knn", knn=KnnSettings(6, "distance-squared", "minkowski")), Lane("svm"))
    window = opened(make, qtbot, document(90, 3, lanes), size=size)
    window.controller.feature(ProbeController).pin(0.3, 0.3)
    settle(qtbot, window)
    for larger in (False, True):
        if larger:
            window.named_actions["larger"].trigger()
            settle(qtbot, window)
        finish_layout()
        panel = panel_of(window)
        for label in panel.findChildren(QLabel):
            if label.isVisible() and label.text() and label.objectName().startswith("probe") and label.wordWrap():
                needed = label.fontMetrics().boundingRect(
                    0, 0, label.width(), 10_000, int(Qt.TextFlag.TextWordWrap), label.text()
                )
                assert needed.height() <= label.height() and needed.width() <= label.width() + 1, label.objectName()
        for each in panel.findChildren(ProbeTable):
            if each.isVisible():
                assert each.verticalHeader().defaultSectionSize() >= 24 and each.accessibleName()
                assert each.columnWidth(0) > each.fontMetrics().horizontalAdvance("10")
                index = each.model().index(0, 0)
                assert each.model().data(index, Qt.ItemDataRole.AccessibleTextRole)


# -- the pictures ------------------------------------------------------------------------------------------------------


def test_the_pointer_is_marked_in_the_other_lane(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    hover(window, 0, 0.5, 0.5)
    here, other = (canvas.overlays.layers[1].laid for canvas in window.canvases[:2])
    assert here is None and other is not None and other.aim is not None and other.cross is None
    at = window.canvases[1].to_widget(0.5, 0.5)
    assert np.hypot(other.aim[0] - at.x(), other.aim[1] - at.y()) < 2.0
    window.canvases[0].leaveEvent(None)  # type: ignore[arg-type]
    window.refreshing.flush()
    assert window.canvases[1].overlays.layers[1].laid is None
    window.controller.toggle_lanes()  # alone, there is nobody to tell
    settle(qtbot, window)
    hover(window, 0, 0.1, 0.1)
    assert window.controller.pointer is None


def test_what_the_pictures_draw(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, document())
    window.controller.feature(ProbeController).pin(0.3, 0.1)
    settle(qtbot, window)
    knn, svm = (canvas.overlays.layers[1].laid for canvas in window.canvases[:2])
    assert knn is not None and svm is not None
    assert len(knn.rings) == len(knn.lines) == 5 and len(knn.ball_outline) > 50
    model = window.result(0).model
    _, index = model.kneighbors([(0.3, 0.1)])  # type: ignore[union-attr]
    for ring, point in zip(knn.rings, window.document.points.xy[index[0]], strict=True):
        at = window.canvases[0].to_widget(*point)
        assert (np.floor(ring) == (at.x(), at.y())).all()
    assert not len(svm.rings) and 1 <= len(svm.lines) <= 12 and not len(svm.ball_outline)


AREA, GRID = QRectF(50, 10, 400, 300), Grid(-2.0, 2.0, -1.5, 1.5, 400, 300)


def overlay(sketch: Sketch, point_at: tuple[float, float] = (0.0, 0.0)) -> ProbeOverlay:
    made = probe_overlay(Probe(point_at, True), LaneProbe(0, sketch=sketch), GRID, AREA, False)
    assert made is not None
    return made


def sketch_of(ends: list[tuple[float, float]], ball: Ball | None = None, positive: bool = True) -> Sketch:
    m = len(ends)
    return Sketch(
        np.array(ends, dtype=float).reshape(m, 2), np.ones(m), np.full(m, positive), np.zeros(m, dtype=np.intp), ball
    )


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_painted_within_the_reported_bounds(theme: object, qapp: QApplication) -> None:
    """Everything painted lies within the bounds, so that what is moved away leaves nothing behind."""
    for sketch in (
        sketch_of([(1.0, 0.5), (-1.5, 1.0)], Ball("euclidean", 2.0, 1.2)),
        sketch_of([(0.5, 0.5)], positive=False),
        sketch_of([(1.0, 0.0)], Ball("cosine", 2.0, 0.1)),
        sketch_of([(30.0, 9.0)], Ball("chebyshev", 2.0, 50.0)),
    ):
        made = overlay(sketch, (0.2, 0.1))
        image = QImage(500, 330, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        try:
            made.paint(painter, theme, AREA)  # type: ignore[arg-type]
        finally:
            painter.end()
        drawn = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(330, 500)
        rows, columns = np.nonzero(drawn)
        assert len(rows) > 50
        box = made.bounds()
        assert columns.min() >= box.left() and columns.max() <= box.right()
        assert rows.min() >= box.top() and rows.max() <= box.bottom()


def test_the_ball_has_the_shape_of_the_metric() -> None:
    made = overlay(sketch_of([(0.5, 0.0)], Ball("manhattan", 2.0, 1.0)))
    corners = made.ball_outline.reshape(-1, 2)
    x, y = (corners[:, 0] - 50) / 100 - 2.0, 1.5 - (corners[:, 1] - 10) / 100
    assert np.abs(x) + np.abs(y) == pytest.approx(1.0, abs=1e-9)
    assert overlay(sketch_of([])).ball_outline.size == 0


def test_an_overlay_is_laid_out_again_only_when_what_it_is_made_of_changes() -> None:
    layer, made = LaidLayer[ProbeOverlay](), overlay(sketch_of([(0.5, 0.0)]))
    assert layer.renew((1, GRID), lambda: made) and layer.laid is made
    assert not layer.renew((1, GRID), lambda: pytest.fail("made twice"))
    assert layer.renew(None, lambda: pytest.fail("made of nothing")) and layer.laid is None
    assert not layer.renew(None, lambda: None)


@pytest.mark.slow
def test_themes_and_narrow_columns(make: Make, qtbot: QtBot) -> None:
    lanes = (Lane("svm", svm=msgspec.structs.replace(SvmSettings(), multiclass="one-vs-rest")), Lane("perceptron"))
    window = opened(make, qtbot, document(60, 3, lanes), size=(1024, 768))
    window.controller.set_session(theme="dark", dark=True)
    window.controller.feature(ProbeController).pin(0.3, 0.1)
    settle(qtbot, window)
    assert "the largest f(x)" in text(window, "probe0.headline")
    assert window.grab().width() == window.width()
    terms = table(window, "probe1.table1")
    assert terms.isVisible() and terms.model().rowCount() == 3
    assert terms.model().data(terms.model().index(2, 0)) == "b"
