"""Nothing is cut off: all visible texts are whole and no control covers another, for any size of text and window.

Texts are also displayed a third wider, as translations of them would be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFont, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QGraphicsView,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSlider,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.features.table import FEATURES
from app.scene.status_badge import SIGNS
from app.state.document import Document, GeneratorSettings, Lane, PegasosSettings, PerceptronSettings, SvmSettings, View
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.inputs import ShortCombo
from app.views.widgets.roomy_label import RoomyLabel
from app.window.dock_manager import docks
from app.window.lane.named_combo import NamedCombo
from app.window.main_window import MainWindow
from tests.covering import first_rows
from tests.make_accessible import dialogs
from tests.windows import Make, finish_layout, settle

CONTROLS = (QLabel, QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QSlider)
#: Width of a font that is a third wider (%).
WIDER = 133
#: Tolerance (pixels): a style may request more than it needs.
SLACK = 2


def text_of(label: QLabel) -> str:
    """Return the text of a label without its markup."""
    plain = label.textFormat() is Qt.TextFormat.PlainText
    if plain or not re.search(r"<\w+[^<]*>", label.text()):
        return label.text()
    document = QTextDocument()
    document.setHtml(label.text())
    return document.toPlainText()


def lacking(widget: QWidget) -> QSize:
    """Return by how many pixels a control is too narrow and too low for its text; 0 or less: it fits."""
    metrics, style = widget.fontMetrics(), widget.style()
    if isinstance(widget, QLabel):
        if not text_of(widget) or isinstance(widget, ElidedLabel):  # like a `ShortCombo`
            return QSize(0, 0)
        room = widget.contentsRect().size()
        if widget.wordWrap():
            longest = max((metrics.horizontalAdvance(word) for word in text_of(widget).split()), default=0)
            wanted = widget.heightForWidth(widget.width())
            return QSize(longest - room.width(), wanted - widget.height())
        wanted = widget.sizeHint()
        return wanted - widget.size()
    if isinstance(widget, ShortCombo):
        return QSize(0, 0)  # ends in dots; the tip has the rest
    if isinstance(widget, QComboBox):
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        room = style.subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, widget
        ).size()
        text = widget.shown_text() if isinstance(widget, NamedCombo) else widget.currentText()
        return QSize(metrics.horizontalAdvance(text), metrics.height()) - room
    if isinstance(widget, (QCheckBox, QRadioButton)):
        option = QStyleOptionButton()
        widget.initStyleOption(option)
        check = isinstance(widget, QCheckBox)
        part = QStyle.SubElement.SE_CheckBoxContents if check else QStyle.SubElement.SE_RadioButtonContents
        room = style.subElementRect(part, option, widget).size()
        return metrics.size(Qt.TextFlag.TextShowMnemonic.value, widget.text()) - room
    if isinstance(widget, (QPushButton, QToolButton)):
        icon = isinstance(widget, QToolButton) and (
            widget.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly or not widget.text()
        )
        if not widget.text() or (icon and not widget.icon().isNull()):
            return QSize(0, 0)
        wanted = metrics.size(Qt.TextFlag.TextShowMnemonic.value, widget.text())
        if not widget.icon().isNull():
            wanted += QSize(widget.iconSize().width() + 4, 0)
        return wanted + QSize(4, 0) - widget.size()
    return QSize(0, 0)


def in_sight(widget: QWidget) -> bool:
    """Return whether a widget is visible without scrolling."""
    return widget.isVisible() and not widget.visibleRegion().isEmpty()


def scrolled(widget: QWidget) -> bool:
    """Return whether a widget is inside a scroll area, beyond whose edge it may lie."""
    parent = widget.parentWidget()
    while parent is not None and not parent.isWindow():
        if isinstance(parent, QScrollArea) and not isinstance(parent, QGraphicsView):
            return True
        parent = parent.parentWidget()
    return False


def name_of(widget: QWidget) -> str:
    """Return a name that identifies the control in the program."""
    text = widget.text()[:40] if hasattr(widget, "text") and callable(widget.text) else ""
    named = widget
    while not named.objectName() and named.parentWidget() is not None:
        named = named.parentWidget()
    return f"{type(widget).__name__} {text!r} of {named.objectName()}"


def controls(window: QWidget) -> Iterator[QWidget]:
    """Return the visible labels, buttons, fields and choices of the window, without parts of others."""
    for widget in window.findChildren(QWidget):
        parent = widget.parentWidget()
        if isinstance(parent, (QAbstractSpinBox, QComboBox)) or widget.window() is not window:
            continue
        if isinstance(parent, QAbstractScrollArea) and not isinstance(parent, QGraphicsView):
            continue
        if isinstance(widget, CONTROLS) and in_sight(widget):
            yield widget


def faults(window: QWidget) -> list[str]:
    """Return texts that are cut off, and controls that cover others."""
    found, siblings = [], {}
    for widget in controls(window):
        lack = lacking(widget)
        if lack.width() > SLACK or lack.height() > SLACK:
            found.append(f"{name_of(widget)} lacks {lack.width()}, {lack.height()} pixels")
        parent = widget.parentWidget()
        if not scrolled(widget):
            location, whole = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()), window.rect()
            if not whole.contains(location) or not parent.rect().adjusted(-1, -1, 1, 1).contains(widget.geometry()):
                found.append(f"{name_of(widget)} lies beyond the edge: {widget.geometry().getRect()}")
        for other in siblings.setdefault(parent, []):
            common = widget.geometry() & other.geometry()
            if common.width() > 1 and common.height() > 1:
                found.append(f"{name_of(widget)} lies over {name_of(other)}")
        siblings[parent].append(widget)
    return found + cut_badges(window)


def cut_badges(window: QWidget) -> list[str]:
    """Return status lines with words that end in dots; a badge may drop whole words, but not parts of them."""
    if not isinstance(window, MainWindow) or window.scene is None:
        return []
    found = []
    for lane, strip in zip(window.scene.lanes, window.lanes_view.strips, strict=False):
        text = " ".join(text_of(strip.label).split())
        left = text.replace(" …", "")  # for a number that is not known yet
        sign = SIGNS[lane.badge.mood]
        if in_sight(strip) and lane.badge.text and ("…" in left.removeprefix(sign) or not text.startswith(sign)):
            found.append(f"badge {lane.badge.short!r} is cut: {text!r}")
    return found


def locations(window: MainWindow) -> dict[str, tuple[int, ...]]:
    """Return the location of each text that reserves space for its longest value."""
    return {label.objectName(): label.geometry().getRect() for label in window.findChildren(RoomyLabel)}


def moving(window: MainWindow) -> list[str]:
    """Return what does not settle: a scroll bar that appears and vanishes rewraps texts, which toggle it in turn."""
    for _ in range(10):
        before = locations(window)
        finish_layout()
        after = locations(window)
        if before == after:
            return []
    return [
        f"{name} does not come to rest" for name, location in after.items() if location != before.get(name, location)
    ]


@pytest.fixture
def wider(qapp: QApplication) -> Iterator[None]:
    """Make every text a third longer."""
    before = QFont(qapp.font())
    font = QFont(before)
    font.setStretch(WIDER)
    qapp.setFont(font)
    yield
    qapp.setFont(before)


def dressed(window: MainWindow, qtbot: QtBot, lanes: int, larger: int, dark: bool) -> None:
    """Set number of classifiers, size of text and theme."""
    window.appearance.choose_theme("dark" if dark else "light")
    for _ in range(lanes - window.document.shown):
        window.controller.lanes.add(window.document.shown - 1)
    for _ in range(window.document.shown - lanes):
        window.controller.lanes.remove(window.document.shown - 1)
    window.appearance.set_text_size(QApplication.font().pointSize() + larger)
    settle(qtbot, window, 120_000)
    finish_layout()


def check(window: MainWindow, size: tuple[int, int], larger: int) -> list[str]:
    """Return the faults of the window as it is, and with each panel."""
    wrong = []
    for panel in ("", *(spec.name for spec in docks(FEATURES))):
        if panel:
            window.named_actions[panel].trigger()
            finish_layout()
        found = faults(window)
        for _ in range(3):  # a late number causes another layout
            if found:
                finish_layout()
                found = faults(window)
        found += moving(window)
        least = window.minimumSizeHint()
        if window.size().toTuple() != size:
            found.append(f"the window is of another size: {window.size().toTuple()}")
        if least.width() > size[0] or least.height() > size[1]:
            found.append(f"the least size is {least.toTuple()}")
        if larger <= 4 and (least.width() > 1024 or least.height() > 700):
            found.append(f"the least size of all is {least.toTuple()}")
        wrong += [f"{panel or 'no panel'}: {each}" for each in found]
        if panel:
            window.dock_manager.hide([panel])
            finish_layout()
    return wrong


@pytest.mark.slow
def test_badges_are_whole_whatever_a_training_comes_to(make: Make, qtbot: QtBot) -> None:
    lanes = (
        Lane("perceptron"),
        Lane("perceptron", perceptron=PerceptronSettings(max_iter=1)),
        Lane("pegasos", pegasos=PegasosSettings(n_iter=50)),
        Lane("svm", svm=SvmSettings(trainer="lasvm", finish=False, n_epochs=1)),
    )
    points = GeneratorSettings("line", 60, shift=0.3).points()
    window = make(
        Document(points=points, lanes=lanes, slots=(0, 1, 2, 3), shown=4, view=View.fitting(points)), size=(1024, 768)
    )
    for presented in (False, True):
        if presented:
            window.named_actions["presenter"].trigger()
        for go in ("leave", "to_end", "to_start"):
            for lane in range(4):
                getattr(window.controller.playback, go)(lane)
            settle(qtbot, window)
            finish_layout()
            assert window.scene is not None and all(lane.badge.text for lane in window.scene.lanes)
            assert cut_badges(window) == [], (go, presented)


#: Points by which text is larger; the last is twice the 9 points of a machine without a desktop. What fits a small
#: screen fits a large one: all others are for `make soak`.
ALL = list(product([(1024, 768), (1280, 800), (1920, 1080)], [0, 4, 9], [False, True], [1, 2, 4]))
ALL.sort(key=lambda each: each != ((1024, 768), 4, True, 2))
LONGER = sorted(ALL, key=lambda each: each != ((1024, 768), 9, False, 4))


# If texts fit a third longer, they fit as they are, except those that are to be as wide as their text.
@pytest.mark.slow
@pytest.mark.parametrize(("size", "larger", "dark", "lanes"), first_rows(ALL, 1))
def test_nothing_is_cut_off(
    make: Make, qtbot: QtBot, size: tuple[int, int], larger: int, dark: bool, lanes: int
) -> None:
    window = make(size=size)
    dressed(window, qtbot, lanes, larger, dark)
    wrong = check(window, size, larger)
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.usefixtures("wider")
@pytest.mark.parametrize(("size", "larger", "dark", "lanes"), first_rows(LONGER, 1))
def test_nothing_is_cut_off_of_texts_that_are_longer(
    make: Make, qtbot: QtBot, size: tuple[int, int], larger: int, dark: bool, lanes: int
) -> None:
    window = make(size=size)
    dressed(window, qtbot, lanes, larger, dark)
    wrong = check(window, size, larger)
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_dialogs_hold_text_of_twice_the_size(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    dressed(window, qtbot, 2, QApplication.font().pointSize(), True)
    wrong = [f"{name}: {each}" for name, dialog in dialogs(window) for each in faults(dialog)]
    assert not wrong, "\n".join(wrong)
