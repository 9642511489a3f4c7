"""Points that may be support vectors, in the window: their ring, the legend, and the same words in every place."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.kkt.overlay import KktLayer
from app.features.multipliers.panel import MultipliersPanel
from app.features.probe.panel import ProbePanel
from app.scene.text import LEGEND
from app.state.document import Document, Lane, SvmSettings, View
from app.views.plot.legend_card import LegendCard
from app.window.main_window import MainWindow
from tests.windows import Make, settle

#: Introduction to Statistical Learning, section 9.7, exercise 3.
ISLR = Points.of([(3, 4), (2, 2), (4, 4), (1, 4), (2, 1), (4, 3), (4, 1)], [0, 0, 0, 0, 1, 1, 1])


def opened(make: Make, qtbot: QtBot, **settings: object) -> MainWindow:
    lane = Lane("svm", svm=SvmSettings(kernel="linear", **settings))  # type: ignore[arg-type]
    window = make(Document(ISLR, (lane,), shown=1, view=View(2.5, 2.5, 4.6)))
    settle(qtbot, window)
    return window


def texts(parent: QWidget | None) -> list[str]:
    assert parent is not None
    return [label.text() for label in parent.findChildren(QLabel) if label.isVisible()]


def ring_share(window: MainWindow, x: float, y: float) -> float:
    """Return the share of a circle around (x, y), as wide as the ring of a point, that is dark."""
    image = window.canvases[0].viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    at, turn = window.to_widget(0, x, y), np.linspace(0.0, 2.0 * np.pi, 180)
    dark = np.zeros(180, dtype=bool)
    for radius in np.arange(11.0, 14.0, 0.5):  # the size of a point depends on that of the picture
        columns = np.round(at.x() + radius * np.cos(turn)).astype(int)
        rows = np.round(at.y() + radius * np.sin(turn)).astype(int)
        dark |= pixels[rows, columns, :3].max(axis=1) < 60
    return float(dark.mean())


@pytest.mark.slow
def test_a_dashed_ring_is_told_from_a_full_one_and_from_none(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, hard_margin=True)
    none, full, dashed = (ring_share(window, *at) for at in ((1, 4), (2, 2), (4, 4)))
    assert none < 0.1 < 0.3 < dashed < 0.8 < full, (none, dashed, full)


@pytest.mark.slow
def test_the_legend_names_the_ring_while_there_is_one(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, hard_margin=True)
    window.named_actions["legend"].trigger()
    settle(qtbot, window)
    assert dict(LEGEND)["maybe"] == "May be a support vector: α is not unique"
    assert dict(LEGEND)["maybe"] in texts(window.findChild(LegendCard))
    window.controller.set_lane(0, part="svm", hard_margin=False, C=1.0)
    settle(qtbot, window)
    assert dict(LEGEND)["maybe"] not in texts(window.findChild(LegendCard))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "index", "words"),
    [
        ((4.0, 4.0), 2, "May be a support vector: α is not unique (0 to 3)"),
        ((2.0, 2.0), 1, "Free support vector: exactly on the margin; α is not unique (1 to 4)"),
        ((1.0, 4.0), 3, "Not a support vector: beyond the margin"),
    ],
)
def test_probe_card_and_multipliers_have_the_same_words(
    make: Make, qtbot: QtBot, at: tuple[float, float], index: int, words: str
) -> None:
    window = opened(make, qtbot, hard_margin=True)
    for action in ("probe", "kkt", "alphas"):
        window.named_actions[action].trigger()
    settle(qtbot, window)
    QTest.mouseMove(window.canvases[0].viewport(), window.to_widget(0, *at))
    settle(qtbot, window)
    assert f"Point {index + 1}, here.  {words}." in "\n".join(texts(window.findChild(ProbePanel)))
    assert words in "\n".join(texts(window.findChild(MultipliersPanel)))
    (laid,) = (each.laid for each in window.canvases[0].overlays.layers if isinstance(each, KktLayer))
    assert laid is not None and laid.card is not None and words in " ".join(laid.card.label.lines)


def test_away_from_points_the_probe_is_about_the_location_only(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, hard_margin=True)
    window.named_actions["probe"].trigger()
    settle(qtbot, window)
    QTest.mouseMove(window.canvases[0].viewport(), window.to_widget(0, 3.0, 2.6))
    settle(qtbot, window)
    assert "here." not in "\n".join(texts(window.findChild(ProbePanel)))
