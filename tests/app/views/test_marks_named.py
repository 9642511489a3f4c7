"""Every mark in a picture is named: by an entry of the legend, with a picture of its own."""

from __future__ import annotations

import importlib
import pkgutil
import re

from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

import app
from app.engine.frames import Marks
from app.engine.overlays import LineStyle
from app.features.kkt.scene import KktSession
from app.features.probe.controller import ProbeController
from app.features.table import FEATURES
from app.scene.marks import KKT_MARKS
from app.scene.text import KKT_LEGEND, LEGEND, PROVISIONAL
from app.state.document import Document, GeneratorSettings, Lane, View
from app.views.plot.symbols import MARKS, RINGS, symbol_pixmap
from app.views.theme import DARK, LIGHT
from app.window.main_window import MainWindow
from tests.windows import Make, control, settle

#: Line styles of a lesson's figure, which its own words name.
OF_LESSONS = {"target"}
#: Marks of a case that its y f contradicts: one entry is for all.
VIOLATED = "kkt1!"


def named_kinds() -> set[str]:
    entries = [(entry.kind, entry.text) for entry in FEATURES.legend()]
    table = dict((*LEGEND, *KKT_LEGEND, PROVISIONAL, *entries))
    assert all(table.values())
    return set(table)


def styles() -> set[LineStyle]:
    """Return the styles of lines in all modules of the program."""
    found: set[LineStyle] = set()
    for module in pkgutil.walk_packages(app.__path__, "app."):
        if not module.name.endswith("__main__"):
            values = vars(importlib.import_module(module.name)).values()
            found |= {each for each in values if isinstance(each, LineStyle)}
    return found


def test_every_kind_of_mark_has_an_entry_with_a_picture(qapp: QApplication) -> None:
    kinds = named_kinds()
    marks = {re.sub(r"^(free|bounded|maybe).*", r"\1", each) for each in MARKS}
    marks |= set(Marks.__struct_fields__) | set(RINGS) | styles() | {"differ", "orders", "slack"}
    marks |= {VIOLATED if each.endswith("!") else each for each in KKT_MARKS}
    assert len(styles()) >= 6 and marks - OF_LESSONS <= kinds
    for theme in (LIGHT, DARK):
        for kind in kinds:
            image = symbol_pixmap(theme, kind).toImage()
            assert any(image.pixelColor(x, y).alpha() for x in range(22) for y in range(22)), kind


def entries(window: MainWindow) -> list[str]:
    """Return the displayed texts of the legend."""
    labels = control(window, "legend").findChildren(QLabel)
    return [label.text() for label in labels if label.text() and not label.isHidden()]


def test_overlays_are_named_while_they_may_be_drawn(make: Make, qtbot: QtBot) -> None:
    points = GeneratorSettings(name="moons", count=20, noise=0.2).points()
    window = make(Document(points, lanes=(Lane(), Lane("knn")), shown=2, view=View.fitting(points)))
    window.controller.toggle("legend")
    settle(qtbot, window)
    before = entries(window)
    assert "Margins, thin and dashed: f = −1 and f = +1" in before
    assert not any(each.startswith(("Thick blue ring", "Line from the cross", "Selected")) for each in before)
    window.controller.toggle("kkt", KktSession)
    window.controller.feature(ProbeController).pin(0.0, 0.0)
    window.controller.editing.select(points.ids[:2])
    window.controller.playback.step(0, -1)
    settle(qtbot, window)
    new = [each for each in entries(window) if each not in before]
    for start in ("Thick blue ring", "Thick rings", "Line from the cross", "Thin ring", "Selected"):
        assert any(each.startswith(start) for each in new), (start, new)
