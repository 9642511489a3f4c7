"""The names of the classes in the bar, read from its pixels: beside their symbols, as far as there is room."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.state.document import ClassStyle, Document, default_document
from app.window.bars.class_chips import MOST_NAME, ClassChip
from app.window.main_window import MainWindow
from tests.windows import Make, finish_layout

NAMES = ("no", "yes & no", "perhaps later, after another call")


def chips(window: MainWindow) -> list[ClassChip]:
    return [chip for chip in window.findChildren(ClassChip) if chip.isVisible()]


def drawn_beside(chip: ClassChip) -> int:
    """Return how many columns of pixels have ink to the right of the symbol."""
    image = chip.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    pixels = rows[4:-4, 30 : image.width() - 3].astype(int)
    return int((np.ptp(pixels, axis=0) > 60).sum()) if pixels.size else 0


def document(names: tuple[str, ...] = NAMES) -> Document:
    styles = [ClassStyle(name=name) for name in names] + [ClassStyle()] * (8 - len(names))
    return replace(default_document(), styles=tuple(styles))


@pytest.mark.parametrize("simple", [True, False])
def test_names_stand_beside_the_symbols(make: Make, qtbot: QtBot, simple: bool) -> None:
    window = make(document(), size=(1024, 768), simple=simple)
    finish_layout()
    shown = chips(window)
    assert len(shown) == 3 and all(name in chip.accessibleName() for chip, name in zip(shown, NAMES, strict=True))
    for chip, name in zip(shown, NAMES, strict=True):
        whole = chip.fontMetrics().horizontalAdvance(name)
        assert 30 + 8 < chip.width() <= 30 + MOST_NAME + 10
        assert 0 < drawn_beside(chip) <= min(whole, MOST_NAME)
    assert not any(chip.shortcut().toString() for chip in shown), "a name is no key"
    assert len({chip.y() for chip in shown}) == 1 and window.width() == 1024
    window.controller.set_style(0, name="")
    window.refresh()
    finish_layout()
    assert chips(window)[0].width() == 30 and drawn_beside(chips(window)[0]) == 0
    for label in (1, 2):
        window.controller.set_style(label, name="")
    window.refresh()
    finish_layout()
    assert all(chip.width() == 30 for chip in chips(window))


def test_many_names_give_way_to_what_else_is_in_the_bar(make: Make, qtbot: QtBot) -> None:
    """Eight long names at 1024 pixels in Full: the line stays one line, and each symbol whole."""
    window = make(document(tuple(f"species number {k}" for k in range(8))), size=(1024, 768))
    finish_layout()
    bar = window.findChild(type(chips(window)[0].parentWidget().parentWidget()), "bar")
    assert bar is not None and len(chips(window)) == 8
    assert all(chip.width() >= 30 for chip in chips(window))
    plain = make(default_document(), size=(1024, 768))
    finish_layout()
    assert bar.height() == plain.findChild(type(bar), "bar").height()
