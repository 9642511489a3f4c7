"""One face: colours and sizes come from one file, controls have one height, and lists open below their fields."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.shading import RGB
from app.features.lessons.feature import STAGE
from app.features.lessons.shipped import lesson
from app.features.table import FEATURES
from app.files.assets import assets
from app.tools import TOOLS
from app.views import theme
from app.views.theme import DARK, LARGE, LIGHT, SMALL, TOKENS, Theme
from app.views.widgets.boxes import headed
from app.views.widgets.inputs import ShortCombo, WholeField, combo_box, mark_bad
from app.window.dock_manager import docks
from app.window.lane.playback_bar import BUTTONS
from tests.app.views.test_contrast import MARK, TEXT, ratio, rgb
from tests.windows import Make, settle

ROOT = Path(__file__).resolve().parents[3]
APP = ROOT / "app"
#: Texts that are a colour, and calls with one.
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|rgba?\(\s*\d|QColor\(\s*\d")
#: Calls and rules that set a size of text.
SIZE = re.compile(r"font-size|set(?:Point|Pixel)Size")
#: Files with colours of their own, and why they are not the theme's.
OWN_COLOURS = {
    "engine/shading.py": "classes on white: the engine colours surfaces without Qt",
    "features/challenges/making.py": "a class that the challenge does not name",
    "features/curves/view_cells.py": "quantities of a solver",
    "features/lessons/overlay.py": "what the teacher points at, on any picture",
    "features/step/view_ranking.py": "black on the yellow of highlighted points",
    "views/chart/colour_map.py": "maps of quantities",
    "views/kkt_style.py": "cases of the KKT conditions",
    "views/plot/symbols.py": "outlines of symbols and the highlight, on any surface",
    "window/presenter/pen_layer.py": "inks of the presenter's pen, on any picture",
}
#: Files that set a size of text, and why.
OWN_SIZES = {
    "features/lessons/panel.py": "the widget's own size, in points",
    "features/lessons/view_worksheet.py": "a printed page",
    "features/study/view_picture.py": "a printed page",
    "views/plot/unit_handle.py": "smaller until it fits",
    "views/widgets/painting.py": "a share of the widget's own size",
}
#: Properties of widgets with the text that they show.
TEXTS = ("text", "title", "currentText", "placeholderText")
#: The height of a control (pixels).
HEIGHT = 28
both = pytest.mark.parametrize("chosen", [LIGHT, DARK], ids=["light", "dark"])


def is_colour(node: ast.AST) -> bool:
    """Return whether `node` is three numbers like those of a colour; small ones are sizes and margins."""
    if not isinstance(node, ast.Tuple) or len(node.elts) != 3:
        return False
    numbers = [each.value for each in node.elts if isinstance(each, ast.Constant) and type(each.value) is int]
    return len(numbers) == 3 and max(numbers) <= 255 and max(numbers) > 100


def lines_of(source: str) -> Iterator[str]:
    """Yield the code of a program without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            body[0].value.value = ""
    yield from ast.unparse(tree).split("\n")


@pytest.mark.slow
def test_colours_and_sizes_of_text_are_in_one_file() -> None:
    colours, sizes = set(), set()
    for path in sorted(APP.rglob("*.py")):
        name, source = path.relative_to(APP).as_posix(), path.read_text(encoding="utf-8")
        lines = list(lines_of(source))
        if any(map(COLOUR.search, lines)) or any(map(is_colour, ast.walk(ast.parse(source)))):
            colours.add(name)
        if any(map(SIZE.search, lines)):
            sizes.add(name)
    assert colours == {"views/theme.py", *OWN_COLOURS}
    assert sizes == {"views/theme.py", *OWN_SIZES}


def test_the_style_sheet_has_no_colour_and_uses_all_tokens() -> None:
    sheet = (ROOT / "assets" / "style" / "window.qss").read_text(encoding="utf-8")
    assert not COLOUR.search(re.sub(r"#drop", "", sheet)) and not SIZE.search(sheet) and "palette(" not in sheet
    assert set(re.findall(r"\$(\w+)", sheet)) == set(TOKENS)
    assert set(re.findall(r"border-radius: ([^;]+);", sheet)) == {"$radius", "2px", "7px"}, "a groove, and a dot"


def dressed(qtbot: QtBot, chosen: Theme, *parts: QWidget, size: int = 0) -> QWidget:
    """Return a window with these parts in a column."""
    window = QWidget()
    qtbot.addWidget(window)
    for at, part in enumerate(parts):
        part.setParent(window)
        part.move(10, 10 + 40 * at)
    theme.apply(chosen, window, size)
    window.resize(300, 30 + 40 * len(parts))
    window.show()
    for part in parts:
        part.resize(part.sizeHint().expandedTo(part.minimumSize()))
    return window


@pytest.mark.parametrize("size", [0, 14])
def test_controls_have_one_height_whatever_their_state(qtbot: QtBot, size: int) -> None:
    parts: list[QWidget] = [QPushButton("Go"), combo_box([("one", 1)]), QLineEdit("1"), WholeField()]
    window = dressed(qtbot, LIGHT, *parts, size=size)
    window.activateWindow()
    tall = HEIGHT if not size else HEIGHT + 1
    for part in parts:
        assert HEIGHT <= part.sizeHint().height() <= tall
        high = part.sizeHint().height()
        part.setFocus()
        QApplication.processEvents()
        assert part.hasFocus() and part.sizeHint().height() == high
        mark_bad(part, bad=True)
        assert part.sizeHint().height() == high
    for small in (QCheckBox("a"), QRadioButton("a"), QToolButton(text="a")):
        small.setParent(window)
        small.ensurePolished()
        assert small.sizeHint().height() >= 24


@pytest.mark.parametrize("text", ["log", "linear", "last 1000", "Same steps", "uniform"])
def test_a_list_as_wide_as_its_entry_shows_all_of_it(qtbot: QtBot, text: str) -> None:
    combo = combo_box([(text, 1)])
    assert isinstance(combo, ShortCombo)
    window = dressed(qtbot, LIGHT, combo)
    drawn = combo.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, combo._room())
    assert window.isVisible() and drawn == text and combo.is_whole()


@both
def test_a_field_of_several_lines_has_the_edge_and_the_ring_of_the_others(qtbot: QtBot, chosen: Theme) -> None:
    text, other = QPlainTextEdit("a"), QLineEdit("b")
    window = dressed(qtbot, chosen, other, text)
    text.resize(80, 60)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    other.setFocus()
    left = QPoint(0, 30)
    assert rgb(text.grab().toImage().pixelColor(left)) == chosen.edge
    before = text.viewport().size()
    text.setFocus()
    assert rgb(text.grab().toImage().pixelColor(left)) == chosen.accent and text.viewport().size() == before


def test_two_lines_on_a_button_have_room(qtbot: QtBot) -> None:
    button, plain = QPushButton("Remove all\nnon-support vectors"), QPushButton("Go")
    window = dressed(qtbot, LIGHT, button, plain)
    assert window.isVisible() and plain.height() == HEIGHT
    assert button.height() >= 2 * button.fontMetrics().lineSpacing() + 4


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> dict[int, set[str]]:
    """Collect where each size of text is painted (pixels)."""
    found: dict[int, set[str]] = defaultdict(set)
    draw = QPainter.drawText

    def drawn(painter: QPainter, *args: object) -> object:
        found[QFontInfo(painter.font()).pixelSize()].add(f"painted: {args[-1]}")
        return draw(painter, *args)  # type: ignore[call-overload]

    monkeypatch.setattr(QPainter, "drawText", drawn)
    return found


def note_sizes(top: QWidget, found: dict[int, set[str]]) -> None:
    """Add the sizes of all visible texts of a window."""
    top.grab()
    for widget in filter(QWidget.isVisible, [top, *top.findChildren(QWidget)]):
        if isinstance(widget, QTextEdit):
            block = widget.document().begin()
            while block.isValid():
                for piece in block.textFormats():
                    found[QFontInfo(piece.format.font()).pixelSize()].add(f"{widget.objectName()}: {block.text()}")
                block = block.next()
        elif text := next((str(widget.property(name)) for name in TEXTS if widget.property(name)), ""):
            found[QFontInfo(widget.font()).pixelSize()].add(f"{widget.objectName()}: {text}")


@pytest.mark.slow
def test_three_sizes_of_text_are_on_screen(make: Make, qtbot: QtBot, painted: dict[int, set[str]]) -> None:
    window = make(size=(1280, 800), simple=False)
    own = QFontInfo(QApplication.font()).pixelSize()
    for spec in docks(FEATURES):
        window.named_actions[spec.name].trigger()
        settle(qtbot, window, 20_000)
        note_sizes(window, painted)
        window.dock_manager.hide([spec.name])
    window.surroundings.part(STAGE).begin(lesson(FEATURES, "margin"))
    settle(qtbot, window)
    note_sizes(window, painted)
    for name in ("strips", "kkt", "help", "lessons", "classes", "about"):
        window.named_actions[name].trigger()
        settle(qtbot, window)
        for top in QApplication.topLevelWidgets():
            if top.isVisible() and top.isWindow():
                note_sizes(top, painted)
                if top is not window:
                    top.close()
    sizes = {round(SMALL * own), own, round(LARGE * own)}
    assert set(painted) == sizes, {size: painted[size] for size in set(painted) - sizes}


def test_groups_of_settings_look_like_other_groups(make: Make, qtbot: QtBot) -> None:
    window = make(simple=False)
    for name in ("settings", "evaluation"):
        window.named_actions[name].trigger()
    settle(qtbot, window)
    heading, group = window.findChild(QLabel, "lane1.training"), window.findChildren(QGroupBox)[0]
    assert heading.text() == "Training" and heading.font() == group.font()
    image = heading.grab().toImage()
    assert rgb(image.pixelColor(5, image.height() - 1)) == LIGHT.line, "a line below it"
    darkest = min(image.pixelColor(x, y).red() for x in range(image.width()) for y in range(image.height()))
    assert darkest >= LIGHT.faint[0], "quiet"


def test_lists_open_below_their_fields_and_show_whole_entries(make: Make, qtbot: QtBot) -> None:
    window = make(simple=False)
    settle(qtbot, window)
    boxes = [each for each in window.findChildren(QComboBox) if each.isVisible()]
    assert len(boxes) >= 4
    for box in boxes:
        QTest.mouseClick(box, Qt.MouseButton.LeftButton)
        view = box.view()
        assert view.isVisible()
        field = box.mapToGlobal(QPoint(0, 0)).y()
        top = view.window().mapToGlobal(QPoint(0, 0)).y()
        below, above = top - field - box.height(), field - top - view.window().height()
        assert max(below, above) >= -1, (box.objectName(), "they share a border")
        widest = max(view.fontMetrics().horizontalAdvance(box.itemText(row)) for row in range(box.count()))
        assert view.viewport().width() >= widest, box.objectName()
        QTest.keyClick(view, Qt.Key.Key_Escape)


def test_figures_are_tabular() -> None:
    assert QApplication.font().isFeatureSet(QFont.Tag("tnum"))


def test_a_heading_has_no_box(qtbot: QtBot) -> None:
    """Left, right and bottom of a group are the window; only a line is below its heading."""
    group = headed("Scores", QCheckBox("one"))
    window = dressed(qtbot, LIGHT, group)
    assert isinstance(group, QGroupBox)
    group.resize(200, 80)
    image = window.grab(group.geometry()).toImage()
    edges = [(199, y) for y in range(30, 80)] + [(x, 79) for x in range(200)]
    assert {rgb(image.pixelColor(*each)) for each in edges} == {LIGHT.window}
    line = {rgb(image.pixelColor(100, y)) for y in range(80)}
    assert LIGHT.line in line


def pixels(image: QImage) -> set[RGB]:
    return {rgb(image.pixelColor(x, y)) for x in range(image.width()) for y in range(image.height())}


@both
def test_hover_press_and_focus_look_different(qtbot: QtBot, chosen: Theme) -> None:
    for part in (QPushButton("Go"), QToolButton(text="Go")):
        window = dressed(qtbot, chosen, part)
        QTest.mouseMove(window, QPoint(290, 60))
        assert chosen.hover not in pixels(part.grab().toImage())
        QTest.mouseMove(part, part.rect().center())
        assert chosen.hover in pixels(part.grab().toImage())
        QTest.mousePress(part, Qt.MouseButton.LeftButton)
        assert chosen.line in pixels(part.grab().toImage())
        QTest.mouseRelease(part, Qt.MouseButton.LeftButton)
        window.activateWindow()
        part.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
        assert chosen.accent in pixels(part.grab().toImage())


def test_another_theme_reaches_every_kind_of_control(qtbot: QtBot) -> None:
    tabs = QTabBar()
    tabs.addTab("One")
    whole = QSpinBox()
    box = QCheckBox("a")
    parts: list[QWidget] = [QPushButton("Go"), combo_box([("one", 1)]), whole, QLineEdit("1"), box, tabs]
    window = dressed(qtbot, LIGHT, *parts)
    before = [pixels(each.grab().toImage()) for each in parts]
    light = {LIGHT.button, LIGHT.base, LIGHT.accent, LIGHT.window}
    theme.apply(DARK, window, 0)
    for part, old in zip(parts, before, strict=True):
        new = pixels(part.grab().toImage())
        assert light & old and not light & new, (part, light & new)


@both
def test_texts_and_marks_of_controls_stand_out(chosen: Theme) -> None:
    """Texts on controls under the pointer and pressed; arrows and ticks, which are the same in both themes."""
    for background in (chosen.button, chosen.hover, chosen.base, chosen.window):
        assert ratio(chosen.ink, background) >= TEXT
    assert ratio(chosen.ink, chosen.line) >= TEXT, "pressed"
    assert ratio(chosen.faint, chosen.window) >= TEXT, "headings"
    drawn = {name: colour_in(name) for name in ("down", "up", "tick")}
    for background in (chosen.button, chosen.base):
        assert ratio(drawn["down"], background) >= MARK and ratio(drawn["up"], background) >= MARK
    assert ratio(drawn["tick"], chosen.accent) >= MARK


def colour_in(name: str) -> RGB:
    found = re.findall(r'stroke="(#\w+)"', (assets("style") / f"{name}.svg").read_text(encoding="utf-8"))
    assert len(found) == 1
    return rgb(QColor(found[0]))


def test_every_icon_is_used() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in APP.rglob("*.py"))
    made = {f"tool.{name}" for name in TOOLS} | {f"transport.{name}" for name in ("pause", *(b.name for b in BUTTONS))}
    icons = {path.stem for path in assets("icons").glob("*.svg")}
    assert {name for name in icons if f'"{name}"' not in source} <= made <= icons


@pytest.mark.slow
def test_all_icons_grow_with_the_text(make: Make, qtbot: QtBot) -> None:
    window = make(simple=False)
    window.named_actions["alphas"].trigger()
    window.controller.playback.watch(1)
    settle(qtbot, window)
    names = ("tool.undo", "tool.clear", "tool.tool.lasso", "generate")
    of_lane = ("lane0.settings", "lane1.menu", "lane1.transport.play", "lane1.transport.close")
    of_dock = ("dock.alphas.float", "dock.alphas.close", "dock.alphas.pin")
    buttons = [each for name in (*names, *of_lane, *of_dock) if (each := button_of(window, name))]
    assert len(buttons) == 11 and all(button.isVisible() for button in buttons)
    usual = [each.iconSize().width() for each in buttons]
    window.appearance.set_text_size(QApplication.font().pointSize() * 2)
    settle(qtbot, window)
    for button, before in zip(buttons, usual, strict=True):
        size = button.iconSize()
        assert size.width() >= 1.3 * before and min(button.width(), button.height()) >= size.width() + 4
        shown = button.icon().pixmap(size, button.devicePixelRatioF())
        assert shown.width() >= size.width() * button.devicePixelRatioF() - 1, "drawn at that size, not a small one"


def button_of(window: QWidget, name: str) -> QToolButton | None:
    return window.findChild(QToolButton, name)
