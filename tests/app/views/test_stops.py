"""No command keeps the window's thread for long: what each does is counted, and spread over several turns."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QSlider, QStyle, QStyleOptionSlider, QWidget
from pytestqt.qtbot import QtBot

from app.features.lessons import shipped, view_gallery
from app.learners.scales import LogScale
from app.scene.model import FIRST
from app.views.chart.chart import Chart
from app.views.theme import text_font
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scale_slider import ScaleSlider
from app.window.main_window import MainWindow
from tests.app.views.wheel import turn
from tests.windows import Make, settle

FONT, STYLE = QEvent.Type.FontChange, QEvent.Type.StyleChange


class Changes(QObject):
    """Counts the events of the watched widgets, by type."""

    def __init__(self, widgets: list[QWidget]) -> None:
        super().__init__()
        self.counts: Counter[QEvent.Type] = Counter()
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.counts[event.type()] += 1
        return False


def handle_of(slider: QSlider) -> int:
    """Return the width of a slider's handle (pixels)."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    parts = QStyle.ComplexControl.CC_Slider, QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(parts[0], option, parts[1], slider).width()


@pytest.mark.slow
def test_larger_text_reaches_each_widget_in_one_pass(make: Make, qtbot: QtBot) -> None:
    window = make()
    for name in ("evaluation", "curves"):
        window.named_actions[name].trigger()
        settle(qtbot, window)
    window.dock_manager.show_only(())
    panel = window.dock_manager.panel("evaluation")
    labels = panel.findChildren(RoomyLabel)
    before, watched = panel.fontInfo().pixelSize(), Changes(labels)
    window.named_actions["larger"].trigger()
    settle(qtbot, window)
    assert all(label.fontInfo().pixelSize() > before for label in labels)
    assert watched.counts[FONT] <= 2 * len(labels), "not once for each widget around a label"
    assert watched.counts[STYLE] == 0, "no new style sheet"


@pytest.mark.slow
def test_larger_text_arranges_no_chart_that_is_hidden(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make()
    window.named_actions["curves"].trigger()
    settle(qtbot, window)
    charts = window.dock_manager.panel("curves").findChildren(Chart)
    window.named_actions["curves"].trigger()
    settle(qtbot, window)
    arranged: Counter[Chart] = Counter()
    arrange = Chart.arrange
    monkeypatch.setattr(Chart, "arrange", lambda chart: (arranged.update([chart]), arrange(chart)))
    window.named_actions["larger"].trigger()
    settle(qtbot, window)
    assert charts and not any(arranged[chart] for chart in charts)
    window.named_actions["curves"].trigger()
    settle(qtbot, window)
    assert any(arranged[chart] for chart in charts if chart.isVisible())


def test_sliders_grow_with_the_text_whenever_they_are_made(make: Make, qtbot: QtBot) -> None:
    window = make()
    present = window.lanes_view.rows[0].findChildren(QSlider)[0]
    small = handle_of(present)
    window.appearance.set_text_size(20)
    settle(qtbot, window)
    new = ScaleSlider(LogScale(-2, 2))
    qtbot.addWidget(new)
    assert handle_of(present) == handle_of(new) > small
    window.appearance.set_text_size(10)
    settle(qtbot, window)
    assert handle_of(present) == handle_of(new) == small


def test_combo_boxes_grow_with_the_text(make: Make, qtbot: QtBot) -> None:
    window = make()
    boxes = [each for each in window.bar.findChildren(QComboBox) if each.isVisible()]
    window.appearance.set_text_size(16)
    settle(qtbot, window)
    for box in boxes:
        assert box.minimumSizeHint().width() >= box.fontMetrics().horizontalAdvance(box.currentText())


def test_evaluation_opens_with_few_measurements_of_text(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make()
    measured: list[str] = []
    room = RoomyLabel._room
    monkeypatch.setattr(
        RoomyLabel, "_room", lambda label, *what: (measured.append(label.objectName()), room(label, *what))[1]
    )
    window.named_actions["evaluation"].trigger()
    settle(qtbot, window)
    assert window.dock_manager.panel("evaluation").isVisible()
    assert 0 < len(measured) <= 200  # once for each text and width


def test_a_new_panel_is_made_and_shown_in_turns_of_their_own(make: Make, qtbot: QtBot) -> None:
    window = make()
    turns: list[tuple[bool, bool]] = []
    dock = window.dock_manager.docks(["evaluation"])[0]

    class Turns(QObject):
        def timerEvent(self, event: QEvent) -> None:
            turns.append((dock.widget() is not None, dock.isHidden()))

    other = Turns(window)
    timer = other.startTimer(0)
    window.named_actions["evaluation"].trigger()
    assert dock.isHidden() and not window.idle(), "input is handled before it is made"
    settle(qtbot, window)
    other.killTimer(timer)
    assert (True, True) in turns, "and before it is shown"
    assert not dock.isHidden() and window.named_actions["evaluation"].isChecked()
    window.named_actions["evaluation"].trigger()
    assert dock.isHidden(), "what is made opens and closes at once"


def test_two_quick_commands_open_and_close_a_new_panel(make: Make, qtbot: QtBot) -> None:
    window = make()
    for _ in range(2):
        window.named_actions["code"].trigger()
    settle(qtbot, window)
    assert window.dock_manager.docks(["code"])[0].isHidden()


def test_a_change_is_drawn_in_a_turn_of_its_own(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make()
    inside, drawn = [], []
    draw = MainWindow._draw

    def watched() -> None:
        inside.append(True)
        window.refreshing._soon()
        inside.pop()

    monkeypatch.setattr(MainWindow, "_draw", lambda self, scene: (drawn.append(bool(inside)), draw(self, scene)))
    monkeypatch.setattr(window.scheduler, "are_near", lambda drawn, soon: False)
    window.refreshing.request()
    watched()
    assert not drawn and not window.idle()
    settle(qtbot, window)
    assert drawn and not any(drawn)


@pytest.mark.slow
def test_a_new_lane_is_made_in_two_turns(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make()
    lanes, made = window.lanes_view, []
    make_one = lanes.make_one

    def watched(shown: int) -> bool:
        before = len(lanes.rows), len(lanes.canvases)
        more = make_one(shown)
        made.append((len(lanes.rows) - before[0], len(lanes.canvases) - before[1]))
        return more

    monkeypatch.setattr(lanes, "make_one", watched)
    window.controller.lanes.add(1)
    settle(qtbot, window)
    assert [each for each in made if any(each)] == [(1, 0), (0, 1)]
    assert window.lanes_view.canvases[2].isVisible()


@pytest.mark.slow
def test_examples_open_without_reading_the_lessons(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make()
    read: list[str] = []

    def counted(language: str) -> tuple[object, ...]:
        read.append(language)
        return shipped.shipped(language)

    monkeypatch.setattr(view_gallery, "shipped", counted)
    window.named_actions["examples"].trigger()
    dialog = window.findChild(view_gallery.GalleryDialog)
    assert dialog is not None and not read
    dialog.show_tab("lessons")
    assert len(read) == 1
    dialog.close()


def test_a_large_offer_is_larger_than_the_text_around_it(make: Make) -> None:
    window = make()
    offer = window.lanes_view.offer
    offer.show_offer(FIRST, window.named_actions)
    label = offer.findChildren(QLabel)[0]
    for size in (0, 8, 0):
        offer.setFont(text_font(size))
        assert label.fontInfo().pixelSize() > offer.fontInfo().pixelSize()


def test_a_view_is_painted_once_by_each_picture(make: Make, qtbot: QtBot) -> None:
    window = make()
    settle(qtbot, window)
    watched = [Changes([canvas.viewport()]) for canvas in window.canvases[: window.document.shown]]
    for notch in (120, -120, 120):
        turn(window.canvases[0].viewport(), notch)
        window.refresh()
        for each in watched:
            each.counts.clear()
        QCoreApplication.sendPostedEvents()  # no timer: nothing else is drawn meanwhile
        assert [each.counts[QEvent.Type.Paint] for each in watched] == [1] * len(watched) == [1, 1]


def test_the_scene_is_drawn_while_the_wheel_turns(make: Make, qtbot: QtBot) -> None:
    window = make()
    settle(qtbot, window)
    before = window.canvases[0].grid()
    for _ in range(300):  # a notch for each turn
        turn(window.canvases[0].viewport(), 120)
        QApplication.processEvents()
        if window.canvases[0].grid() != before:
            return
    raise AssertionError("the scene is not drawn before the wheel stops")
