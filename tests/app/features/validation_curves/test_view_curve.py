"""Curves under sliders: straight below the handle, a click jumps there, the background never blocks the user."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSpinBox, QStyle, QStyleOptionSlider, QWidget
from pytestqt.qtbot import QtBot

from app.core.number_format import percent
from app.engine.pool import Priority
from app.features.validation_curves import scene as curves
from app.features.validation_curves.scene import Curve, CurveQuery, Strips, ValidationCurve, name_of
from app.features.validation_curves.view_curve import ValidationCurveView, sentence
from app.learners.scales import RankScale
from app.state.commands import AddPoints
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, SvmSettings, default_document
from app.views.chart.legend import GAP, SAMPLE
from app.views.chart.marks import LevelLine
from app.views.theme import DARK, LIGHT
from app.views.widgets.scale_slider import ScaleSlider
from app.window.main_window import MainWindow
from tests.app.views.lane.test_forms import find
from tests.windows import Make, finish_layout, is_visible, settle

C_FIELD = Lane("svm").family.field("C")
C_SCALE = C_FIELD.scale(0)

KEY = Qt.Key


def small(*lanes: Lane) -> Document:
    points = GeneratorSettings(count=15, noise=0.35).points()
    return replace(default_document(), points=points, lanes=lanes or default_document().lanes)


def instantly(query: CurveQuery, post: Callable[[Curve], None], overtaken: Callable[[], bool]) -> Generator[Priority]:
    """Return a curve computed from its positions: fast, and different for other points."""
    scale = query.field.scale(len(query.points))
    m = scale.high - scale.low + 1
    values = 0.6 + 0.3 * np.sin(np.arange(m) / 17.0)
    n = len(query.points)
    post(Curve(query.field, scale, values + 0.05, values, np.full(m, np.nan), np.ones(m, bool), n, n, n, n, True))
    yield Priority.BACKGROUND


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CurveQuery, "answer", instantly)


def strip_of(window: MainWindow, lane: int, control: str) -> ValidationCurveView:
    found = find(window, f"lane{lane}.{control}.strip")
    assert isinstance(found, ValidationCurveView)
    return found


def shown(window: MainWindow, lane: int, control: str) -> ValidationCurve:
    """Return the scene of that strip."""
    assert window.scene is not None
    return next(each for each in window.scene.lanes[lane].feature(Strips).curves if each.field.name == control)


def show(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window, KEY.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    settle(qtbot, window)


def test_each_position_is_straight_below_the_handle(quick: None, make: Make, qtbot: QtBot) -> None:
    window = make(small(), size=(1180, 800))
    assert not strip_of(window, 0, "k").isVisible()
    show(window, qtbot)
    assert window.named_actions["strips"].isChecked()
    for lane, control in ((0, "k"), (1, "C"), (1, "gamma")):
        strip, slider = strip_of(window, lane, control), find(window, f"lane{lane}.{control}.slider")
        assert isinstance(slider, ScaleSlider) and strip.isVisible()
        columns, before = strip.columns(), slider.value()
        last = slider.scale.high  # C has one position more, the hard margin, which is no number of the range
        assert len(columns) == last - slider.minimum() + 1 and (np.diff(columns) >= 0).all()
        assert slider.maximum() == last + (control == "C")
        assert columns[-1] - columns[0] > 70
        option = QStyleOptionSlider()
        for position in range(slider.minimum(), last + 1):
            slider.blockSignals(True)
            slider.setValue(position)
            slider.initStyleOption(option)
            handle = slider.style().subControlRect(
                QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, slider
            )
            left, right = (
                strip.mapFromGlobal(slider.mapToGlobal(QPoint(x, 0))).x() for x in (handle.left(), handle.right() + 1)
            )
            assert columns[position - slider.minimum()] == 0.5 * (left + right), (control, position)
            found = strip.position_at(0.5 * (left + right))
            assert found is not None and columns[found - slider.minimum()] == 0.5 * (left + right)
        slider.setValue(before)
        slider.blockSignals(False)
    assert strip_of(window, 1, "C").position_at(0.0) is None
    window.named_actions["strips"].trigger()
    settle(qtbot, window)
    assert not strip_of(window, 1, "C").isVisible()


def test_the_legend_is_legible_below_its_curves_which_are_high_in_full(quick: None, make: Make, qtbot: QtBot) -> None:
    window = make(small(), size=(1024, 768))
    show(window, qtbot)
    for simple in (False, True):
        window.controller.prefer_simple(simple)
        settle(qtbot, window)
        finish_layout()
        for lane, control in ((0, "k"), (1, "C"), (1, "gamma")):
            strip = strip_of(window, lane, control)
            legend = strip.legend_height()
            assert strip.isVisible() and (strip.height() - legend >= 80) == (not simple)
            assert strip.area().bottom() <= strip.height() - legend and strip.area().height() > 35
            assert [mark.name[:5] for mark in strip.named()] == ["valid", "train"]
            assert all(mark.value.endswith(" %") for mark in strip.named())
            assert strip.letters().pointSizeF() == QApplication.font().pointSizeF(), "not made small"
            advance = strip.metrics().horizontalAdvance
            needed = [SAMPLE + GAP + advance(f"{mark.name} {mark.value}") for mark in strip.named()]
            assert all(box.width() >= wide for box, wide in zip(strip._boxes, needed, strict=True)), "nor cut off"


def test_a_click_jumps_there_as_one_step(quick: None, make: Make, qtbot: QtBot) -> None:
    window = make(small())
    show(window, qtbot)
    for lane, control in ((0, "k"), (1, "C"), (1, "gamma")):
        click_to_jump(window, lane, control)


def click_to_jump(window: MainWindow, lane: int, control: str) -> None:
    strip = strip_of(window, lane, control)
    strip_scale = find(window, f"lane{lane}.{control}.slider").scale

    def value() -> float:
        part = window.document.lanes[lane]
        return part.knn.n_neighbors if control == "k" else getattr(part.svm, control)

    before, start = value(), window.controller.store.position
    for target in (strip_scale.high - 3, strip_scale.low + 2):
        x = strip.columns()[target - strip_scale.low]
        QTest.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(x), 20))
        there = strip_scale.position_of(value())
        assert value() == strip_scale.value_at(there) != before
        assert abs(strip.columns()[there - strip_scale.low] - x) <= 0.5, "several places may share a pixel"
    assert window.controller.store.position == start + 2, "each click is a step of its own"
    window.controller.undo()
    window.controller.undo()
    assert value() == before
    x = strip.columns()[strip_scale.position_of(before) - strip_scale.low]
    QTest.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(x), 20))
    QTest.mouseClick(strip.viewport(), Qt.MouseButton.RightButton, pos=QPoint(int(x) + 30, 20))
    assert value() == before and window.controller.store.position == start


def test_keys_read_it_position_by_position_and_enter_sets_it(quick: None, make: Make, qtbot: QtBot) -> None:
    window = make(small())
    show(window, qtbot)
    strip = strip_of(window, 1, "C")
    strip.setFocus()
    assert strip.reading is None and strip.words().startswith("C = 1: training ")
    for _ in range(3):
        QTest.keyClick(strip, KEY.Key_Right)
    assert strip.reading == (0, 83) and window.document.lanes[1].svm.C == 1.0
    assert strip.accessibleDescription().startswith(strip.words()) and strip.words().startswith("C = 1.41: training ")
    QTest.keyClick(strip, KEY.Key_Return)
    assert window.document.lanes[1].svm.C == 1.41
    QTest.keyClick(strip, KEY.Key_End)
    assert strip.reading == (0, 200)
    QTest.keyClick(strip, KEY.Key_Right)
    assert strip.reading == (0, 200)
    QTest.keyClick(strip, KEY.Key_PageDown)
    assert strip.reading == (0, 180)
    QTest.keyClick(strip, KEY.Key_Escape)
    assert strip.reading is None
    QTest.keyClick(strip, KEY.Key_Home)
    find(window, "lane1.C").setFocus()
    assert strip.reading is None


def test_the_pointer_reads_the_value(quick: None, make: Make, qtbot: QtBot, qapp: QApplication) -> None:
    window = make(small())
    show(window, qtbot)
    strip, curve = strip_of(window, 1, "C"), shown(window, 1, "C").curve
    assert curve is not None
    qtbot.wait(1)  # the layout settles
    columns = strip.columns()
    x = columns[100]
    QTest.mouseMove(strip.viewport(), QPoint(int(x), 15))
    assert strip.reading is not None and strip.columns()[strip.reading[1]] == x
    shared = (np.flatnonzero(columns == x) - 80).tolist()
    roundest = min(len(f"{C_SCALE.value_at(each):g}") for each in shared)
    read = strip.reading[1]
    value = C_SCALE.value_at(read - 80)
    assert value == 1.0 or len(f"{value:g}") == roundest, "of the places in one pixel, the roundest number"
    training, validation = percent(curve.train[read]), percent(curve.validated[read])
    assert strip.words() == f"C = {value:.3g}: training {training}, validation {validation}"
    assert "left out in turn (5 folds)" in strip.accessibleDescription() and "(5 folds)" in strip.toolTip()
    blank = strip.grab().toImage()
    QTest.mouseMove(strip.viewport(), QPoint(2, 15))
    assert strip.reading is None
    assert strip.grab().toImage() != blank


def test_the_curve_stands_at_its_values(quick: None, make: Make, qtbot: QtBot) -> None:
    """Read from pixels: the thick line's middle is at the height of its value."""
    window = make(small(Lane("svm"), Lane("svm")), size=(1500, 900))
    show(window, qtbot)
    strip, curve = strip_of(window, 0, "C"), shown(window, 0, "C").curve
    assert curve is not None
    image, ratio = strip.grab().toImage(), strip.devicePixelRatioF()
    accent = LIGHT.accent
    columns = strip.columns()
    across, heights = strip.pixels([C_SCALE.value_at(index) for index in range(-80, 121)], curve.validated)
    assert across == pytest.approx(columns), "as the handle"
    visible = 0
    for index in range(5, 195, 7):
        x = int(columns[index] * ratio)
        rows = [
            y
            for y in range(int(strip.area().bottom()))
            if sum(abs(a - b) for a, b in zip(image.pixelColor(x, y).getRgb(), accent, strict=False)) < 90
        ]
        if rows:
            visible += 1
            assert abs(np.mean(rows) + 0.5 - heights[index] * ratio) <= 2.0 * ratio, index
    assert visible > 20


def test_an_older_curve_is_faded_until_the_new_one_comes(make: Make, qtbot: QtBot, monkeypatch: Any) -> None:
    gate = threading.Event()
    gate.set()

    def waiting(query: CurveQuery, post: Any, overtaken: Callable[[], bool]) -> Iterator[Priority]:
        while not gate.is_set():
            gate.wait(0.002)
            yield Priority.BACKGROUND
            if overtaken():
                return
        yield from instantly(query, post, overtaken)

    monkeypatch.setattr(CurveQuery, "answer", waiting)
    window = make(small())
    show(window, qtbot)
    strip = strip_of(window, 1, "C")
    fresh = strip.grab().toImage()
    curve = shown(window, 1, "C").curve
    assert curve is not None and not shown(window, 1, "C").stale and "before the change" not in strip.words()
    gate.clear()
    window.controller.set_lane(1, "svm", gamma=2.0)
    window.refresh()
    assert shown(window, 1, "C").stale and shown(window, 1, "C").curve is curve and "before the change" in strip.words()
    assert strip.grab().toImage() == fresh, "the pictures come first"
    qtbot.waitUntil(lambda: strip.grab().toImage() != fresh)
    QTest.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(strip.columns()[150]), 10))
    assert pytest.approx(10**3.5, rel=0.5) == window.document.lanes[1].svm.C, "a stale strip still jumps"
    gate.set()
    settle(qtbot, window)
    newest = shown(window, 1, "C")
    assert not newest.stale and newest.curve is not curve and "before the change" not in strip.words()


def test_a_click_does_not_wait_for_the_strips(make: Make, qtbot: QtBot, monkeypatch: Any) -> None:
    """With strips that never finish, a click is painted; with the pool frozen, it is still an edit."""

    def endless(query: CurveQuery, post: Any, overtaken: Callable[[], bool]) -> Iterator[Priority]:
        while not overtaken():
            yield Priority.BACKGROUND

    monkeypatch.setattr(CurveQuery, "answer", endless)
    window = make(small())
    window.named_actions["strips"].trigger()
    window.refresh()
    number = window.scheduler.newest(0)
    QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, pos=window.to_widget(0, 0.4, 1.4))
    assert len(window.document.points) == 31
    qtbot.waitUntil(
        lambda: all(
            (frame := window.result(lane)) is not None
            and frame.points is window.document.training_points
            and frame.full
            for lane in (0, 1)
        )
    )
    assert window.scheduler.newest(0) > number
    frozen, release = threading.Event(), threading.Event()

    def freeze() -> Iterator[Priority]:
        frozen.set()
        release.wait(300)
        yield Priority.BACKGROUND

    window.scheduler.queue(lambda *_: freeze(), Priority.FIRST_PICTURE).submit("wait")
    assert frozen.wait(300)
    try:
        strip = strip_of(window, 1, "C")
        QTest.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(strip.columns()[90]), 10))
        assert 2.0 < window.document.lanes[1].svm.C < 5.0
    finally:
        release.set()
    window.named_actions["strips"].trigger()
    settle(qtbot, window)


@pytest.mark.slow
def test_real_curves_arrive_and_unfinished_positions_are_hollow(make: Make, qtbot: QtBot, monkeypatch: Any) -> None:
    monkeypatch.setattr(curves, "MOST_UPDATES", 40)
    window = make(small())
    show(window, qtbot)
    for lane, control in ((0, "k"), (1, "C"), (1, "gamma")):
        answer = window.scheduler.results.answer(name_of(window.document.slots[lane], control))
        assert answer is not None and answer.done and answer.value.complete and not answer.message
    strip, curve = strip_of(window, 1, "gamma"), shown(window, 1, "gamma").curve
    assert curve is not None
    low = curve.scale.low
    given_up = np.flatnonzero(~curve.finished)
    finished = np.flatnonzero(curve.finished)
    assert len(given_up) and len(finished)
    assert "(stopped early)" in sentence(curve, int(given_up[-1]) + low, False)
    assert "(stopped early)" not in sentence(curve, int(finished[0]) + low, False)
    image, ratio = strip.grab().toImage(), strip.devicePixelRatioF()
    x, y = strip.columns()[given_up[-1]], strip.pixel(1e6, curve.validated[given_up[-1]]).y()
    if strip.area().contains(QPointF(x - 1, y)):
        inside = image.pixelColor(int(x * ratio), int(y * ratio)).getRgb()[:3]
        assert inside != LIGHT.accent


def test_empty_and_one_class_documents_have_their_sentences(make: Make, qtbot: QtBot) -> None:
    window = make(Document(lanes=(Lane("knn"), Lane("svm"))))
    show(window, qtbot)
    for lane, control in ((0, "k"), (1, "C"), (1, "gamma")):
        strip = strip_of(window, lane, control)
        assert strip.toolTip() == "The curve needs two points or more."
        strip.grab()
        QTest.mouseMove(strip.viewport(), QPoint(int(strip.columns()[0]), 10))
        QTest.keyClick(strip, KEY.Key_Right)
        strip.grab()
    for x in (0.0, 0.5, 1.0):
        QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, pos=window.to_widget(0, x, 0.1))
    settle(qtbot, window)
    assert strip_of(window, 1, "C").toolTip() == "The curve needs points of two classes."
    assert shown(window, 0, "k").curve is not None and strip_of(window, 0, "k").words()
    strip_of(window, 0, "k").grab()


def test_which_sliders_have_one(quick: None, make: Make, qtbot: QtBot) -> None:
    window = make(
        small(Lane("svm", svm=SvmSettings("linear")), Lane("svm", svm=SvmSettings(hard_margin=True))), size=(1280, 800)
    )
    show(window, qtbot)
    visible = {
        (lane, control)
        for lane in (0, 1)
        for control in ("k", "C", "gamma")
        if is_visible(window, f"lane{lane}.{control}.strip")
    }
    assert visible == {(0, "C"), (1, "gamma")}
    names = {f"curve{lane}.{control}" for lane in (0, 1) for control in ("k", "C", "gamma")}
    answered = {name for name in names if window.scheduler.results.answer(name) is not None}
    assert answered == {"curve0.C", "curve1.gamma"}


def test_the_slider_of_k_goes_with_the_box(quick: None, make: Make, qtbot: QtBot) -> None:
    window = make(small(Lane("knn", knn=KnnSettings(4)), Lane("svm")))
    slider, box = find(window, "lane0.k.slider"), find(window, "lane0.k")
    assert slider.scale == RankScale(29) and slider.value() == 3 and box.value() == 4
    slider.setFocus()
    start = window.controller.store.position
    QTest.keyClick(slider, KEY.Key_Right)
    assert window.document.lanes[0].knn.n_neighbors == 5
    settle(qtbot, window)
    assert box.value() == 5 and window.controller.store.undo_name == "Set k to 5"
    QTest.keyClick(slider, KEY.Key_End)
    assert window.document.lanes[0].knn.n_neighbors == 29
    settle(qtbot, window)
    assert window.controller.store.position == start + 2
    window.controller.set_lane(0, "knn", n_neighbors=500)
    settle(qtbot, window)
    assert slider.value() == slider.maximum() and box.value() == 500 and window.document.lanes[0].knn.n_neighbors == 500


@pytest.mark.parametrize("curves", [False, True])
def test_undo_changes_a_held_slider_and_its_curve_together(quick: None, make: Make, qtbot: QtBot, curves: bool) -> None:
    """While the handle of k is held, Undo changes the number of points, and so the range of k."""
    window = make(small(Lane("knn", knn=KnnSettings(20)), Lane("svm")), size=(1180, 800))
    if curves:
        show(window, qtbot)
    slider, strip, box = find(window, "lane0.k.slider"), strip_of(window, 0, "k"), find(window, "lane0.k")
    assert isinstance(slider, ScaleSlider) and isinstance(box, QSpinBox)
    window.controller.set_lane(0, "knn", n_neighbors=12)
    window.controller.apply(AddPoints(xy=np.random.default_rng(0).random((30, 2)), labels=np.arange(30) % 2))
    window.controller.set_lane(0, "knn", n_neighbors=40)

    def check(n: int, k: int) -> None:
        settle(qtbot, window)
        assert (len(window.document.points), window.document.lanes[0].knn.n_neighbors) == (n, k)
        assert slider.scale == RankScale(n - 1) and slider.value_at(slider.value()) == k == box.value()
        strip.grab()
        if curves:
            values = [float(slider.value_at(position)) for position in range(slider.maximum() + 1)]
            assert strip.displayed().across(values) == pytest.approx(strip.columns(), abs=1e-6)
            assert isinstance(strip.marks[0], LevelLine) and strip.marks[0].at == k
            assert shown(window, 0, "k").scale == slider.scale

    check(60, 40)
    held = QPoint(int(slider.centres()[slider.value()]), slider.height() // 2)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=held)
    for n, k in ((60, 12), (30, 12), (30, 20)):
        QTest.keyClick(window, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert slider.isSliderDown()
        check(n, k)
    QTest.keyClick(window, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    check(30, 12)
    QTest.mouseMove(slider, QPoint(int(slider.centres()[0]), held.y()))
    QTest.mouseMove(slider, held - QPoint(2, 0))  # the drag goes on, on the present scale
    assert window.document.lanes[0].knn.n_neighbors == slider.value_at(slider.value()) > 12
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=held)
    check(30, window.document.lanes[0].knn.n_neighbors)


def test_a_strip_of_nothing_paints(qtbot: QtBot, qapp: QApplication) -> None:
    slider = ScaleSlider(RankScale(1))
    strip = ValidationCurveView(slider, "C", lambda value: None)
    for widget in (slider, strip):
        qtbot.addWidget(widget)
    strip.grab()
    strip.show_strip(
        ValidationCurve(
            Lane("knn").family.field("k"), RankScale(1), 1.0, True, None, True, "The curve needs two points or more."
        ),
        DARK,
    )
    strip.grab()
    QTest.keyClick(strip, KEY.Key_Return)


@pytest.mark.parametrize("pixels", [13, 24])
def test_every_text_stays_inside_a_narrow_frame(qtbot: QtBot, qapp: QApplication, pixels: int) -> None:
    """Names in the legend are short if the whole ones do not fit, and the reading stays within the widget."""
    form = QWidget()
    qtbot.addWidget(form)
    slider = ScaleSlider(C_SCALE)
    strip = ValidationCurveView(slider, "C", lambda value: None)
    for widget in (slider, strip):
        widget.setParent(form)
    font = strip.font()
    font.setPixelSize(pixels)
    strip.setFont(font)
    form.resize(220, 200)
    slider.setGeometry(60, 0, 72, 24)
    strip.setGeometry(0, 30, 220, 160)
    form.show()
    strip.show()
    m = C_SCALE.high - C_SCALE.low + 1
    values = np.full(m, 0.9)
    finished = np.arange(m) < m - 9
    curve = Curve(C_FIELD, C_SCALE, values + 0.05, values, values, finished, 500, 500, 9000, 500, True)
    for message, location in (("", None), ("", 0), ("", m - 1), ("The curve needs points of two classes.", None)):
        strip.show_strip(ValidationCurve(C_FIELD, C_SCALE, 1.0, True, curve, False, message), LIGHT)
        strip.read(None if location is None else (0, location))
        image = strip.grab().toImage()
        names = [mark.name for mark in strip.named()]
        assert names == (["valid", "test", "train"] if pixels == 24 else ["validation", "test", "training"])
        assert all(box.right() <= 220 and box.bottom() <= strip.legend_height() for box in strip._boxes)
        assert strip.area().bottom() + strip.legend_height() <= 160
        assert (strip.area().left(), strip.area().right()) == (strip.columns()[0] - 4, strip.columns()[-1] + 4)
        background = image.pixelColor(1, 1)
        edge = [image.pixelColor(x, y) == background for x in (0, 219) for y in range(1, 60)]
        assert all(edge) or location is not None, "nothing is cut off at the sides"
    assert strip.toolTip() == "The curve needs points of two classes."
    strip.show_strip(ValidationCurve(C_FIELD, C_SCALE, 1.0, True, curve), LIGHT)
    assert "Of a sample of 500 points." in strip.toolTip()
    assert "Hollow ring: stopped early after" in strip.toolTip() and "Hollow ring" in strip.accessibleDescription()


def test_a_drag_is_one_undo_step(quick: None, make: Make, qtbot: QtBot) -> None:
    window = make(small())
    show(window, qtbot)
    strip, start = strip_of(window, 1, "C"), window.controller.store.position
    x = strip.columns()
    QTest.mousePress(strip.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(x[120]), 20))
    for index in (140, 160, 180):
        QTest.mouseMove(strip.viewport(), QPoint(int(x[index]), 20))
    QTest.mouseRelease(strip.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(x[180]), 20))
    assert pytest.approx(1e5, rel=0.3) == window.document.lanes[1].svm.C
    assert window.controller.store.position == start + 1


def test_the_wheel_zooms_accuracies_alone(quick: None, make: Make, qtbot: QtBot) -> None:
    window = make(small())
    show(window, qtbot)
    strip = strip_of(window, 1, "C")
    across, up = strip.box.viewRange()
    strip.setFocus()
    QTest.keyClick(strip, KEY.Key_Plus)
    zoomed = strip.box.viewRange()
    assert zoomed[0] == pytest.approx(across) and zoomed[1][1] - zoomed[1][0] < up[1] - up[0]
