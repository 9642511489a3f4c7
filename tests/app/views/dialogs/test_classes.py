"""Names and colours of classes, names of axes, and the number of training points."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QColorDialog, QComboBox, QLabel, QLineEdit, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from app.state.commands import AddPoints
from app.state.document import NO_LIMIT, ClassStyle, Document, GeneratorSettings, Lane, default_document
from app.views import theme
from app.window.dialogs.classes import ClassesDialog, warning
from app.window.main_window import MainWindow
from tests.covering import first_of
from tests.windows import Make, open_settings, settle

# The dialogs of a window without a screen.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing the keyboard)")


def opened(window: MainWindow, qtbot: QtBot) -> ClassesDialog:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    dialog = window.findChild(ClassesDialog)
    assert dialog is not None and dialog.isVisible() and not dialog.isModal()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def find(dialog: ClassesDialog, name: str) -> QLineEdit | QPushButton | QLabel:
    kinds = QLineEdit, QPushButton, QLabel
    return next(widget for kind in kinds if (widget := dialog.findChild(kind, f"classes.{name}")) is not None)


def type_name(dialog: ClassesDialog, name: str, text: str) -> None:
    field = find(dialog, name)
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Tab)


def test_typing_a_name_is_one_step_and_retrains_nothing(make: Make, qtbot: QtBot) -> None:
    window = make()
    jobs = [window.scheduler.newest(lane) for lane in range(2)]
    dialog, store = opened(window, qtbot), window.controller.store
    reports = []
    store.listen(lambda old, new: reports.append(new))
    type_name(dialog, "name1", "  setosa   the first ")
    settle(qtbot, window)
    assert [window.scheduler.newest(lane) for lane in range(2)] == jobs
    steps = window.result(1).certificates[0].n_iter
    type_name(dialog, "x", "length in cm")
    type_name(dialog, "y", "width")
    settle(qtbot, window)
    assert window.document.class_name(0) == "setosa the first" and window.document.axes == ("length in cm", "width")
    assert store.history == ("Name class 1", "Name the axes", "Name the axes") and len(reports) == 3
    assert window.result(1).certificates[0].n_iter == steps, "a named axis takes room of the picture, no more"
    assert window.isWindowModified()
    QTest.keyClick(dialog, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert find(dialog, "y").text() == "" and find(dialog, "x").text() == "length in cm"
    for _ in range(2):
        window.named_actions["undo"].trigger()
    settle(qtbot, window)
    assert find(dialog, "name1").text() == "" and find(dialog, "x").text() == "" and not window.isWindowModified()
    QTest.keyClick(dialog, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    settle(qtbot, window)
    assert find(dialog, "name1").text() == "setosa the first"
    reports.clear()
    type_name(dialog, "name1", "setosa the first")  # the same name again
    assert reports == []
    find(dialog, "name2").setFocus()
    QTest.keyClicks(find(dialog, "name2"), "n" * 50)
    QTest.keyClick(find(dialog, "name2"), Qt.Key.Key_Return)
    assert window.document.class_name(1) == "n" * 40 and dialog.isVisible(), "Enter takes the name, no more"


def test_a_name_being_typed_counts_when_something_else_is_done(make: Make, qtbot: QtBot) -> None:
    window = make()
    dialog = opened(window, qtbot)
    field = find(dialog, "name3")
    field.setFocus()
    QTest.keyClicks(field, "virg")
    window.controller.set_style(3, name="other")  # the dialog shows another name, and leaves this field alone
    window.refresh()
    assert field.text() == "virg" and find(dialog, "name4").text() == "other"
    QTest.keyClicks(field, "inica")
    window.named_actions["fit"].trigger()
    assert window.document.class_name(2) == "virginica"


def test_a_class_goes_by_its_name(make: Make, qtbot: QtBot) -> None:
    window = make(replace(default_document(), points=GeneratorSettings("blobs", 20, n_classes=3).points()))
    counts, button = window.findChild(QLabel, "counts"), window.findChild(QToolButton, "class2")
    open_settings(window, 1)
    pair = window.findChild(QComboBox, "lane1.pair")
    assert counts.text() == "60 points: 20 of class 1, 20 of class 2, 20 of class 3"
    assert "class 2, drawn as square" in button.toolTip() and button.accessibleName() == "Class 2, square"
    window.controller.set_style(1, name="a <b>bold</b> one")
    settle(qtbot, window)
    assert "20 of a <b>bold</b> one" in counts.text() and counts.textFormat() is Qt.TextFormat.PlainText
    assert "a &lt;b&gt;bold&lt;/b&gt; one (class 2)" in button.toolTip()
    assert button.accessibleName() == "Class 2, a <b>bold</b> one, square"
    assert pair.itemText(0) == "class 1 against a <b>bold</b> one" and pair.itemData(0) == (0, 1)
    window.controller.clear()
    window.controller.set_class(1)
    window.controller.dispatch(AddPoints(xy=[[0, 0]], labels=1))
    settle(qtbot, window)
    assert "All points are of a <b>bold</b> one" in window.scene.lanes[1].message


def colour_at(window: MainWindow, lane: int, x: float, y: float) -> tuple[int, int, int]:
    colour = window.canvases[lane].grab().toImage().pixelColor(window.to_widget(lane, x, y))
    return colour.red(), colour.green(), colour.blue()


@pytest.mark.slow
@pytest.mark.parametrize("dark", first_of([True, False], 1))
def test_a_colour_paints_points_buttons_and_surface_but_trains_nothing(make: Make, qtbot: QtBot, dark: bool) -> None:
    window = make()
    window.appearance.choose_theme("dark" if dark else "light")
    settle(qtbot, window)
    window.controller.set_lane(1, "svm", C=3.0)  # continued from C = 1: a new training would have other steps
    settle(qtbot, window)
    button, steps = window.findChild(QToolButton, "class1"), window.result(1).certificates[0].n_iter
    jobs = [window.scheduler.newest(lane) for lane in range(2)]
    picture, icon = window.result(1).picture, button.icon().cacheKey()
    at = window.document.points.xy[window.document.points.labels == 0]
    corner = (float(at[:, 0].min()) - 0.1, float(at[:, 1].max()) + 0.1)
    dialog = opened(window, qtbot)
    find(dialog, "colour1").click()
    chooser = window.findChild(QColorDialog)
    assert chooser.isVisible()
    chooser.setCurrentColor(QColor("#ff0000"))
    settle(qtbot, window)
    assert window.document.styles[0].colour == "#ff0000", "live"
    chooser.setCurrentColor(QColor("#00ff00"))
    chooser.accept()
    settle(qtbot, window)
    assert window.document.styles[0].colour == "#00ff00"
    assert window.controller.store.history == ("Set C to 3", "Colour class 1"), "looking for a colour is one step"
    assert [window.scheduler.newest(lane) > jobs[lane] for lane in range(2)] == [True, True]
    assert window.result(1).certificates[0].n_iter == steps and window.result(1).picture is not picture
    assert button.icon().cacheKey() != icon
    for lane in range(2):
        red, green, blue = colour_at(window, lane, *corner)
        assert green > red + 15 and green > blue + 15
    assert find(dialog, "colour1").text() == "#00ff00" and find(dialog, "reset1").isEnabled()
    find(dialog, "reset1").click()
    settle(qtbot, window)
    assert window.document.styles[0].colour == "" and not find(dialog, "reset1").isEnabled()
    assert window.document.styles == Document().styles
    red, green, blue = colour_at(window, 1, *corner)
    assert blue > red + 15


def test_cancel_takes_a_colour_back_as_if_it_had_never_been(make: Make, qtbot: QtBot) -> None:
    window = make()
    before = window.document
    dialog = opened(window, qtbot)
    find(dialog, "colour2").click()
    chooser = window.findChild(QColorDialog)
    for name in ("#ff0000", "#0000ff"):
        chooser.setCurrentColor(QColor(name))
    assert window.document.styles[1].colour == "#0000ff"
    chooser.reject()
    settle(qtbot, window)
    assert window.document.styles == before.styles and window.controller.store.history == ()
    dialog.close()
    QApplication.processEvents()
    assert not window.findChildren(ClassesDialog)
    assert opened(window, qtbot).isVisible(), "and again"


def test_colours_hard_to_see_are_warned_of(make: Make, qtbot: QtBot) -> None:
    assert theme.contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert theme.contrast((255, 255, 255), (0, 114, 178)) == pytest.approx(5.19, abs=0.01)  # as the WCAG's own formula
    assert warning("#ffff80") == "Hard to see on white (1.0 : 1)" and warning("") == ""
    assert warning("#000080").startswith("Hard to see on dark grey (1.")
    for each in (theme.LIGHT, theme.DARK):
        assert all(theme.contrast(colour, each.background) >= 3 for colour in each.classes)
    greys = [f"#{g:02x}{g:02x}{g:02x}" for g in range(256)]
    for grey in greys:
        ratios = [theme.contrast(theme.rgb_of(grey), each.background) for each in (theme.LIGHT, theme.DARK)]
        assert bool(warning(grey)) == (min(ratios) < 3)
        assert "(3.0" not in warning(grey)
    window = make()
    dialog = opened(window, qtbot)
    label = find(dialog, "warning2")
    assert label.text() == ""
    width = dialog.width()
    window.controller.set_style(1, colour="#101010")
    settle(qtbot, window)
    assert label.text().startswith("Hard to see on dark grey") and dialog.width() == width
    assert label.width() >= label.fontMetrics().horizontalAdvance(label.text()), "not cut off"
    window.controller.undo()
    settle(qtbot, window)
    assert label.text() == ""


def test_the_theme_is_dressed_by_colours_alone() -> None:
    styles = (ClassStyle("a", "#102030"), *Document().styles[1:])
    renamed = (ClassStyle("b", "#102030"), *Document().styles[1:])
    light = theme.dressed(theme.LIGHT, styles)
    assert light.classes == ((16, 32, 48), *theme.LIGHT.classes[1:]) and light.shades.classes == light.classes
    assert theme.dressed(theme.LIGHT, renamed) is light is theme.dressed(theme.LIGHT, styles)
    assert theme.dressed(theme.DARK, Document().styles) is theme.DARK
    assert theme.dressed(theme.DARK, styles).background == theme.DARK.background


def test_the_dialog_is_named_reachable_and_fits(make: Make, qtbot: QtBot) -> None:
    window = make()
    dialog = opened(window, qtbot)
    for kind in (QLineEdit, QPushButton):
        for widget in dialog.findChildren(kind):
            assert widget.toolTip() and (widget.accessibleName() or widget.text()), widget.objectName()
            assert widget.height() >= 24 and widget.width() >= 24 and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
    found, widget = set(), find(dialog, "name1")
    for _ in range(200):
        widget = widget.nextInFocusChain()
        found.add(widget.objectName())
    assert {f"classes.{what}{n}" for what in ("name", "colour", "reset") for n in range(1, 9)} <= found
    assert {"classes.x", "classes.y"} <= found
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_how_many_points_are_learnt_from(make: Make, qtbot: QtBot) -> None:
    many = replace(default_document(), lanes=(Lane("knn"), Lane("knn")))
    window = make(many)
    combo = window.findChild(QComboBox, "training_limit")
    window.findChild(QToolButton, "generator.more").click()
    assert combo.parentWidget().isVisible() and not combo.isVisible(), "200 points are no matter"
    rng = np.random.default_rng(0)
    points = window.document.points.append(rng.normal(size=(2801, 2)), 1)
    window.controller.store.reset(replace(many, points=points), None)
    settle(qtbot, window)
    assert combo.isVisible() and combo.currentData() == 10_000
    texts = [combo.itemText(row) for row in range(combo.count())]
    thousands = ("1", "2", "5", "10", "20", "50", "100")
    assert [shown.partition(":")[0] for shown in texts] == [*(f"{n}\u202f000 points" for n in thousands), "all points"]
    assert all(shown.endswith((" below 0.1 s", " about 0.1 s", " about 0.2 s")) for shown in texts), "two times kNN"
    combo.setFocus()
    for _ in range(3):
        QTest.keyClick(combo, Qt.Key.Key_Up)
    settle(qtbot, window)
    assert window.document.training_limit == 1000 and 990 <= len(window.result(0).points) <= 1000
    assert "learnt from a sample" in window.scene.lanes[0].headline
    QTest.keyClick(combo, Qt.Key.Key_End)
    settle(qtbot, window)
    assert window.document.training_limit == NO_LIMIT and len(window.result(0).points) == 3001
    assert window.controller.store.undo_name == "Train on all points"
    window.controller.undo()
    window.controller.set_training_limit(1234)  # from a file
    settle(qtbot, window)
    assert combo.currentText().startswith("1\u202f234 points") and combo.count() == 9
    window.controller.clear()
    settle(qtbot, window)
    assert combo.isVisible(), "it is not the usual limit, so it can be seen and changed"
    metrics = combo.fontMetrics()
    assert combo.width() - 30 >= metrics.horizontalAdvance("100\u202f000 points: about 2 s")
