"""The multipliers as bars: heights against LIBSVM, order and groups, colours and patterns, pointer, keys, words."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.engine.run_state import RunState
from app.features.kkt.text import NO_RUN, point_words
from app.features.multipliers.panel import MultiplierBars, MultipliersPanel, bars_of
from app.learners.table import TRAINERS
from app.state.document import Document, Lane, View
from app.views import kkt_style
from app.views.theme import DARK, LIGHT
from solver.inspection.metrics import KktCase
from tests.app.features.studies import controller, id_of, libsvm, run_state_of, scene_of
from tests.copies import replace
from tests.windows import Make, settle

Show = Callable[..., MultipliersPanel]
KEY = Qt.Key


@pytest.fixture
def show(qtbot: QtBot, qapp: QApplication) -> Show:
    kept = []

    def build(
        run_state: RunState | None, hovered: int | None = None, size: tuple[int, int] = (420, 560)
    ) -> MultipliersPanel:
        panel = MultipliersPanel(controller())
        qtbot.addWidget(panel)
        kept.append(panel)
        panel.resize(*size)
        panel.show()
        panel.render_scene(scene_of(run_state, hovered), LIGHT)
        qapp.processEvents()
        return panel

    return build


def spied(qtbot: QtBot, run_state: RunState, hovered: int | None = None) -> tuple[MultipliersPanel, list[int | None]]:
    """Return a panel, and the points that its playback is asked to highlight."""
    setup = controller()
    panel = MultipliersPanel(setup)
    qtbot.addWidget(panel)
    panel.resize(420, 560)
    panel.show()
    panel.render_scene(scene_of(run_state, hovered), LIGHT)
    QApplication.processEvents()
    return panel, setup.playback.heard


def text(panel: MultipliersPanel, name: str) -> str:
    label = panel.findChild(QLabel, name)
    assert label is not None
    return label.text()


def pixels(panel: MultipliersPanel) -> np.ndarray:
    image = panel.bars.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.width()).copy()


def dark(image: np.ndarray) -> np.ndarray:
    """Return which pixels are nearly black."""
    return np.asarray(np.maximum.reduce([image >> 16 & 255, image >> 8 & 255, image & 255]) < 90)


def bar_box(bars: MultiplierBars, bar: int) -> QRectF:
    """Return the rectangle of the bar at `bar`, from 0 to its multiplier."""
    assert bars.run_state is not None and bars.run_state.alpha is not None
    columns, pitch, gap = bars.plot_area(), bars.pitch(), bars.gap()
    height = columns.height() * float(bars.run_state.alpha[bars.bars().index[bar]]) / bars.top()
    return QRectF(columns.left() + bar * pitch + gap / 2, columns.bottom() - height, pitch - gap, height)


def plain(case: KktCase, dark: bool = False) -> int:
    return int(kkt_style.CASES[case].colour(DARK if dark else LIGHT).rgb())


# -- heights -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_heights_are_the_multipliers_of_libsvm(show: Show, weighted: bool) -> None:
    n = 40
    C = np.where(np.arange(n) % 2 == 1, 3.0, 1.0) if weighted else np.ones(n)
    run_state = run_state_of(n, C=C, tol=1e-9)
    alpha, _ = libsvm(n, C, tol=1e-9)
    bars = show(run_state).bars
    columns = bars.plot_area()
    assert bars.top() == C.max()
    for bar, position in enumerate(bars.bars().index.tolist()):
        box = bar_box(bars, bar)
        assert box.height() / columns.height() * bars.top() == pytest.approx(alpha[position], abs=1e-6)
        assert box.bottom() == columns.bottom()
        assert columns.left() - 1e-9 <= box.left() < box.right() <= columns.right() + 1e-9


def test_bars_are_painted_as_high_as_they_are(show: Show) -> None:
    """Counted in the painted pixels: the edge of a bar is solid, in the colour of its case, from 0 up."""
    run_state = run_state_of(20, tol=1e-9)
    alpha, _ = libsvm(20, tol=1e-9)
    panel = show(run_state)
    assert run_state.kkt is not None
    image, columns = pixels(panel), panel.bars.plot_area()
    shown = set()
    for bar, position in enumerate(panel.bars.bars().index.tolist()):
        box, case = bar_box(panel.bars, bar), KktCase(int(run_state.kkt.case[position]))
        shown.add(case)
        column = image[: round(columns.bottom()), math.floor(box.left() + 0.5)]
        height, exact = int((column == plain(case)).sum()), alpha[position] * columns.height()
        if case is not KktCase.NOT_SUPPORT:
            hidden = 4 if exact > columns.height() - 4 else 0  # at the line of C with its seam
            assert exact - 1.001 - hidden <= height <= exact + 1.001
        # The other cases' colours do not occur in this bar.
        assert not any((column == plain(other)).any() for other in KktCase if other not in (case, KktCase.NOT_SUPPORT))
    assert {KktCase.NOT_SUPPORT, KktCase.FREE, KktCase.INSIDE} <= shown


def test_every_support_vector_has_a_bar(show: Show) -> None:
    """Also if the multiplier is far below a pixel: else C = 10 000 would show no support vectors at all."""
    run_state = run_state_of(30, C=1e4)
    panel = show(run_state)
    assert run_state.alpha is not None and run_state.alpha.max() < 1e4
    base = round(panel.bars.plot_area().bottom()) - 1
    row = pixels(panel)[base]
    for bar, position in enumerate(panel.bars.bars().index.tolist()):
        painted = row[math.floor(bar_box(panel.bars, bar).left() + 0.5)] == plain(KktCase.FREE)
        assert painted == (run_state.alpha[position] > 0)


def test_height_up_to_the_largest(show: Show) -> None:
    run_state = run_state_of(30, C=1e4)
    assert run_state.alpha is not None
    panel = show(run_state)
    assert panel.bars.top() == 1e4
    choose(panel, "alphas.height", 1)
    assert panel.bars.top() == run_state.alpha.max()
    assert bar_box(panel.bars, 0).height() == pytest.approx(panel.bars.plot_area().height())


def test_the_hard_margin_has_no_upper_line(show: Show) -> None:
    run_state = run_state_of(8, C=np.inf, seed=3)
    panel = show(run_state)
    height = panel.findChild(QComboBox, "alphas.height")
    assert height is not None and not height.isEnabled()
    assert run_state.alpha is not None
    assert panel.bars.top() == run_state.alpha.max() > 0
    top = round(panel.bars.plot_area().top())
    soft = show(run_state_of(8, C=1.0, seed=3))
    middle = slice(100, 300)
    assert dark(pixels(soft)[top - 1 : top + 2, middle]).any(axis=0).sum() > 150  # the line at C
    assert not dark(pixels(panel)[top - 1 : top + 2, middle]).any()


def test_steps_where_c_differs(show: Show) -> None:
    run_state = run_state_of(16, C=np.where(np.arange(16) % 2 == 1, 4.0, 1.0))
    panel = show(run_state)
    choose(panel, "alphas.order", 1)
    image, columns = pixels(panel), panel.bars.plot_area()
    for bar in range(16):
        x = round(columns.left() + (bar + 0.5) * panel.bars.pitch())
        for bound in (1.0, 4.0):
            y = round(columns.bottom() - columns.height() * bound / 4.0)
            painted = bool(dark(image[y - 1 : y + 2, x]).any())
            assert painted == (bound == (4.0 if bar % 2 == 1 else 1.0))


# -- order and groups --------------------------------------------------------------------------------------------------


def choose(panel: MultipliersPanel, name: str, entry: int) -> None:
    """Select an entry of a combo box as a user does."""
    combo = panel.findChild(QComboBox, name)
    assert combo is not None
    combo.setFocus()
    QTest.keyClick(combo, KEY.Key_Down if entry else KEY.Key_Up)
    assert combo.currentIndex() == entry


def test_order_by_size_and_by_point(show: Show) -> None:
    run_state = run_state_of(40)
    assert run_state.alpha is not None and run_state.kkt is not None
    panel = show(run_state)
    position = panel.bars.bars().index
    assert (np.diff(run_state.alpha[position]) <= 0).all() and sorted(position.tolist()) == list(range(40))
    bounded = run_state.kkt.case[position][run_state.alpha[position] == 1.0]
    assert len(set(bounded.tolist())) == 2 and (np.diff(bounded) <= 0).all()  # cases are not mixed
    choose(panel, "alphas.order", 1)
    assert panel.bars.bars().index.tolist() == list(range(40))
    choose(panel, "alphas.order", 0)
    assert (panel.bars.bars().index == position).all()


@pytest.mark.parametrize("by_size", [True, False])
@pytest.mark.parametrize(("n", "most"), [(7, 7), (8, 7), (100, 7), (29, 10), (30, 1), (5, 100)])
def test_groups_show_their_largest(qapp: QApplication, n: int, most: int, by_size: bool) -> None:
    run_state = run_state_of(n, C=2.0, seed=n)
    assert run_state.alpha is not None
    bars = bars_of(run_state, by_size, most)
    assert len(bars.index) <= most and len(bars.index) == -(-n // bars.per_bar)
    assert bars.per_bar == 1 or -(-n // (bars.per_bar - 1)) > most  # no larger groups than needed
    members = [np.flatnonzero(bars.bar == bar) for bar in range(len(bars.index))]
    assert sum(map(len, members)) == n and all(len(each) == bars.per_bar for each in members[:-1])
    for bar, group in enumerate(members):
        assert bars.index[bar] in group and run_state.alpha[bars.index[bar]] == run_state.alpha[group].max()
    if by_size:
        assert all(run_state.alpha[a].min() >= run_state.alpha[b].max() for a, b in pairwise(members))
    else:
        assert np.concatenate(members).tolist() == list(range(n))


def test_more_points_than_pixels(show: Show) -> None:
    run_state = run_state_of(1500, steps=200)
    panel = show(run_state)
    per_bar = panel.bars.bars().per_bar
    assert per_bar == int(np.ceil(1500 / int(panel.bars.plot_area().width()))) > 1
    assert f"each bar is the largest of {per_bar} multipliers" in text(panel, "alphas.count")
    panel.resize(1700, 1400)
    QApplication.processEvents()
    panel.render_scene(scene_of(run_state), LIGHT)
    assert panel.bars.bars().per_bar == 1 and "a bar for each" in text(panel, "alphas.count")


# -- cases -------------------------------------------------------------------------------------------------------------


def test_legend_counts_each_case(show: Show) -> None:
    run_state = run_state_of(60, steps=8)
    assert run_state.alpha is not None and run_state.kkt is not None
    panel = show(run_state)
    zero = int((run_state.alpha == 0).sum())
    short = int(((run_state.alpha == 0) & (run_state.y * run_state.f < 1 - 1e-3)).sum())
    assert text(panel, "alphas.case0").startswith(f"{zero} zero, α = 0: ")
    assert text(panel, "alphas.case0").endswith(f"; {short} not yet")
    free = int(((run_state.alpha > 0) & (run_state.alpha < 1)).sum())
    assert text(panel, "alphas.case1").startswith(f"{free} free, 0 < α < C: exactly on the margin")
    assert text(panel, "alphas.violations").startswith(f"{int((~run_state.kkt.satisfied).sum())} points violate")
    panel.render_scene(scene_of(run_state_of(60)), LIGHT)
    assert "not yet" not in text(panel, "alphas.case0") and "hold" in text(panel, "alphas.violations")


def test_points_that_violate_their_case_have_a_tick(show: Show) -> None:
    run_state = run_state_of(30, steps=6)
    panel = show(run_state)
    bars, image = panel.bars, pixels(panel)
    assert run_state.kkt is not None and 0 < run_state.kkt.satisfied.sum() < 30
    row = image[round(bars.area().bottom()) - 4]
    base = 0xFF000000 | LIGHT.background[0] << 16 | LIGHT.background[1] << 8 | LIGHT.background[2]
    for bar, position in enumerate(bars.bars().index.tolist()):
        middle = int(bars.plot_area().left() + (bar + 0.5) * bars.pitch())
        assert (row[middle - 1 : middle + 2] != base).any() == (not run_state.kkt.satisfied[position])


def test_a_group_has_a_tick_when_any_of_it_violates(show: Show) -> None:
    run_state = run_state_of(1500, steps=1200)
    assert run_state.kkt is not None
    alone = replace(run_state.kkt, satisfied=np.arange(1500) != 700)
    panel = show(replace(run_state, kkt=alone))
    bars = panel.bars.bars()
    assert bars.per_bar > 1 and 700 not in bars.index  # it is not the largest of its group
    row = pixels(panel)[round(panel.bars.area().bottom()) - 4, 60:-8]
    base = 0xFF000000 | LIGHT.background[0] << 16 | LIGHT.background[1] << 8 | LIGHT.background[2]
    assert np.flatnonzero(row != base).tolist() == [
        int(panel.bars.plot_area().left() + panel.bars.pitch() * (bars.bar[700] + 0.5)) - 60
    ]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_patterns_differ_without_colour(qapp: QApplication, theme: object, ratio: float) -> None:
    look = DARK if theme is DARK else LIGHT
    images = [
        brush.textureImage().convertToFormat(QImage.Format.Format_RGB32) for brush in kkt_style.bar_brushes(look, ratio)
    ]
    tiles = [np.frombuffer(i.constBits(), dtype=np.uint32).reshape(i.height(), i.width()).copy() for i in images]
    colours = [plain(case, look is DARK) for case in KktCase]
    patterns = {(tile != colour).tobytes() for tile, colour in zip(tiles[1:], colours[1:], strict=True)}
    assert len(patterns) == 3 and tiles[0].shape[1] == round(6 * ratio)
    for tile, colour in zip(tiles, colours, strict=True):
        assert (tile == colour).mean() > 0.15  # the colour itself occurs, too


# -- pointer and keys --------------------------------------------------------------------------------------------------


def test_the_pointer_finds_the_bar_under_it(qtbot: QtBot, qapp: QApplication) -> None:
    run_state = run_state_of(40)
    panel, heard = spied(qtbot, run_state)
    bars, columns = panel.bars, panel.bars.plot_area()
    for bar in (0, 7, 39):
        x = columns.left() + (bar + 0.5) * bars.pitch()
        QTest.mouseMove(bars.viewport(), QPoint(round(x), round(columns.center().y())))
        assert heard[-1] == id_of(run_state, int(bars.bars().index[bar]))
        # Nothing is highlighted until the scene follows.
        assert bars.highlighted == -1
    panel.render_scene(scene_of(run_state, heard[-1]), LIGHT)
    assert bars.highlighted == bars.bars().index[39]
    assert text(panel, "alphas.point") == "\n".join(point_words(run_state, bars.highlighted))
    count = len(heard)
    QTest.mouseMove(bars.viewport(), QPoint(round(x), round(columns.center().y()) + 9))
    assert len(heard) == count  # no call for the same point
    QTest.mouseMove(bars.viewport(), QPoint(3, 30))
    assert heard[-1] is None
    panel.render_scene(scene_of(run_state, id_of(run_state, 3)), LIGHT)
    qapp.sendEvent(bars, QEvent(QEvent.Type.Leave))
    assert heard[-1] is None and len(heard) == count + 2


def test_a_point_hovered_elsewhere_stands_out(show: Show) -> None:
    run_state = run_state_of(40)
    panel = show(run_state)
    before = pixels(panel)
    assert "Point at a bar" in text(panel, "alphas.point")
    panel.render_scene(scene_of(run_state, id_of(run_state, 5)), LIGHT)
    changed = np.flatnonzero((pixels(panel) != before).any(axis=0))
    bar = int(np.flatnonzero(panel.bars.bars().index == 5)[0])
    middle = panel.bars.plot_area().left() + (bar + 0.5) * panel.bars.pitch()
    assert changed.min() < middle < changed.max() and np.ptp(changed) < 3 * panel.bars.pitch()
    assert text(panel, "alphas.point") == "\n".join(point_words(run_state, 5))
    # An id is not an index, and a point of another problem has no bar.
    panel.render_scene(scene_of(run_state, 5), LIGHT)
    assert panel.bars.highlighted == -1 and (pixels(panel) == before).all()


def test_arrow_keys_go_through_the_bars(qtbot: QtBot) -> None:
    run_state = run_state_of(12)
    panel, heard = spied(qtbot, run_state)
    bars, position = panel.bars, panel.bars.bars().index.tolist()
    panel.first_stop.setFocus()
    assert bars.hasFocus()

    def press(key: Qt.Key) -> int | None:
        QTest.keyClick(bars, key)
        panel.render_scene(scene_of(run_state, heard[-1]), LIGHT)
        return heard[-1]

    assert press(KEY.Key_Right) == id_of(run_state, position[0])
    assert press(KEY.Key_Right) == id_of(run_state, position[1])
    assert press(KEY.Key_Left) == id_of(run_state, position[0])
    assert press(KEY.Key_Left) == id_of(run_state, position[0])  # no farther
    assert press(KEY.Key_End) == id_of(run_state, position[-1])
    assert press(KEY.Key_Right) == id_of(run_state, position[-1])
    assert press(KEY.Key_Home) == id_of(run_state, position[0])
    assert press(KEY.Key_Escape) is None
    assert press(KEY.Key_Left) == id_of(run_state, position[-1])


def test_keys_go_by_bars_where_points_are_grouped(qtbot: QtBot) -> None:
    run_state = run_state_of(1500, steps=200)
    panel, heard = spied(qtbot, run_state)
    bars = panel.bars.bars()
    other = int(next(p for p in np.flatnonzero(bars.bar == 4) if p != bars.index[4]))
    panel.render_scene(scene_of(run_state, id_of(run_state, other)), LIGHT)
    assert text(panel, "alphas.point") == "\n".join(point_words(run_state, other))
    QTest.keyClick(panel.bars, KEY.Key_Right)
    assert heard[-1] == id_of(run_state, int(bars.index[5]))


# -- nothing to show ---------------------------------------------------------------------------------------------------


def test_without_multipliers_one_sentence(show: Show) -> None:
    run_state = run_state_of(10)
    bare = replace(run_state, trainer=TRAINERS["perceptron"], alpha=None, C=None, v=None, kkt=None)
    panel = show(bare, id_of(run_state, 0))
    assert text(panel, "alphas.message").startswith("The perceptron has no multipliers")
    assert not panel.bars.isVisible()
    panel.render_scene(scene_of(None), DARK)
    assert text(panel, "alphas.message") == NO_RUN
    panel.render_scene(scene_of(run_state), DARK)
    assert panel.bars.isVisible() and not text(panel, "alphas.message")
    assert panel.bars.index_at(QPointF(100, 100)) >= 0


@pytest.mark.parametrize("size", [(200, 260), (1000, 200), (260, 900)])
def test_it_fits_every_dock(show: Show, size: tuple[int, int]) -> None:
    panel = show(run_state_of(500, steps=50), size=size)
    bars, columns = panel.bars, panel.bars.plot_area()
    assert columns.width() > 50 and columns.height() > 20
    assert bars.rect().contains(columns.toRect())
    line = panel.findChild(QLabel, "alphas.point")
    assert line is not None and not line.visibleRegion().isEmpty()


def test_in_the_window(make: Make, qtbot: QtBot) -> None:
    """The bars of a real lane's run, and a highlight that comes back through the session."""
    rng = np.random.default_rng(3)
    xy = rng.normal(size=(60, 2))
    lanes = (Lane("knn"), Lane("svm"))
    window = make(Document(Points.of(xy, (xy[:, 0] > 0).astype(int)), lanes, view=View(0.0, 0.0, 6.0)))
    panel = MultipliersPanel(window.controller)
    qtbot.addWidget(panel)
    panel.resize(400, 500)
    panel.show()
    assert window.scene is not None and window.scene.run_state is not None
    panel.render_scene(window.scene, LIGHT)
    QTest.keyClick(panel.bars, KEY.Key_Right)
    settle(qtbot, window)
    window.refreshing.flush()
    run_state = window.scene.run_state
    assert window.controller.session.hovered == id_of(run_state, int(panel.bars.bars().index[0]))
    panel.render_scene(window.scene, LIGHT)
    assert text(panel, "alphas.point") == "\n".join(point_words(run_state, int(panel.bars.bars().index[0])))
