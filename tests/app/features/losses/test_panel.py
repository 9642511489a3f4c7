"""The picture of the losses: locations of the points against LIBSVM and plain numpy, curves, edges, pointer, keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from sklearn.metrics import hinge_loss

from app.core.number_format import short
from app.core.points import Points
from app.engine.run_state import RunState
from app.features.kkt.text import NO_RUN, point_words
from app.features.losses.panel import LossPanel, x_range
from app.learners.table import TRAINERS
from app.state.document import Document, Lane, View
from app.views.chart.marks import Scatter, Texts
from app.views.theme import DARK, LIGHT, SYMBOLS, Theme
from tests.app.features.studies import controller, dense_margins, id_of, libsvm, run_state_of, scene_of
from tests.windows import Make, settle

Show = Callable[..., LossPanel]
KEY = Qt.Key


@pytest.fixture
def show(qtbot: QtBot, qapp: QApplication) -> Show:
    kept = []

    def build(
        run_state: RunState | None,
        hovered: int | None = None,
        size: tuple[int, int] = (420, 560),
        setup: object = None,
        theme: Theme = LIGHT,
    ) -> LossPanel:
        panel = LossPanel(setup or controller())  # type: ignore[arg-type]
        qtbot.addWidget(panel)
        kept.append(panel)
        panel.resize(*size)
        panel.show()
        panel.render_scene(scene_of(run_state, hovered), theme)
        qapp.processEvents()
        return panel

    return build


def text(panel: LossPanel, name: str) -> str:
    label = panel.findChild(QLabel, name)
    assert label is not None
    return label.text()


def pixels(panel: LossPanel) -> np.ndarray:
    image = panel.picture.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.width()).copy()


def argb(colour: tuple[int, int, int]) -> int:
    return 0xFF000000 | colour[0] << 16 | colour[1] << 8 | colour[2]


def shown_values(panel: LossPanel, run_state: RunState) -> tuple[np.ndarray, np.ndarray]:
    """Return y f and loss of each point, read from its location on the axes."""
    area, (x, y) = panel.picture.plot_area(), panel.picture.symbol_pixels()
    left, right = x_range(run_state.y * run_state.f)
    return (left + (x - area.left()) * (right - left) / area.width(), (area.bottom() - y) * (1 - left) / area.height())


def with_margins(margins: list[float] | np.ndarray, learner: str = "smo") -> RunState:
    """Return a run state whose points have these y f, with meaningless multipliers, or none."""
    run_state = run_state_of(len(margins), steps=1)
    run_state = replace(run_state, f=run_state.y * np.asarray(margins, dtype=float))
    bare = {"alpha": None, "C": None, "v": None, "kkt": None}
    return replace(run_state, trainer=TRAINERS[learner], **bare) if learner != "smo" else run_state


# -- locations ---------------------------------------------------------------------------------------------------------


def test_points_stand_where_libsvm_has_them(show: Show) -> None:
    run_state = run_state_of(40, tol=1e-9)
    _, theirs = libsvm(40, tol=1e-9)
    panel = show(run_state)
    margins, losses = shown_values(panel, run_state)
    assert np.abs(margins - theirs).max() < 1e-6
    assert np.abs(losses - np.maximum(0, 1 - theirs)).max() < 1e-6
    # The same by the kernel matrix, up to rounding.
    ours = dense_margins(run_state)
    assert np.abs(margins - ours).max() < 1e-9
    assert np.abs(losses - np.maximum(0, 1 - ours)).max() < 1e-9


def test_half_trained(show: Show) -> None:
    run_state = run_state_of(60, steps=7)
    margins, losses = shown_values(show(run_state), run_state)
    ours = dense_margins(run_state)
    assert np.abs(margins - ours).max() < 1e-9
    assert np.abs(losses - np.maximum(0, 1 - ours)).max() < 1e-9


def test_ticks_stand_at_the_zero_one_loss(show: Show) -> None:
    values = [-1.0, -0.2, 0.0, 0.3, 1.0, 2.0]
    picture = show(with_margins(values)).picture
    area = picture.plot_area()
    x, y = picture.tick_pixels()
    assert (x == picture.symbol_pixels()[0]).all()
    level_one = area.bottom() - area.height() / (1 - x_range(np.array(values))[0])
    assert y[:3] == pytest.approx(level_one) and (y[3:] > area.bottom()).all()


def test_points_are_painted_in_their_class(show: Show) -> None:
    panel = show(with_margins([-1.0, 1.6, 0.5, 2.2]))
    image, (x, y) = pixels(panel), panel.picture.symbol_pixels()
    for index, label in enumerate((0, 1, 0, 1)):
        assert image[int(y[index]), int(x[index])] == argb(LIGHT.classes[label])


def test_of_many_points_all_visible_ones_are_painted(show: Show) -> None:
    """Points on one pixel are painted once; of 3000, each class is visible wherever it has a point."""
    rng = np.random.default_rng(0)
    margins = rng.uniform(-1.4, 2.4, 3000)
    margins[1::2] = np.abs(margins[1::2])  # class 2 makes no error
    run_state = with_margins(margins)
    panel = show(run_state)
    drawn = [
        mark
        for mark in panel.picture.marks
        if isinstance(mark, Scatter) and mark.symbol in SYMBOLS[:2] and mark.edge == LIGHT.ink
    ]
    assert len(drawn) == 2 and sum(len(mark.x) for mark in drawn) < 1600
    area, (left, right) = panel.picture.plot_area(), x_range(margins)
    unit = (right - left) / area.width()
    for label in (0, 1):
        mine = np.sort(np.asarray(drawn[label].x))
        each = margins[run_state.points.labels == label]
        nearest = np.abs(mine[np.clip(np.searchsorted(mine, each), 1, len(mine) - 1)] - each)
        nearest = np.minimum(nearest, np.abs(mine[np.clip(np.searchsorted(mine, each) - 1, 0, None)] - each))
        assert nearest.max() <= 1.01 * unit
        assert np.isin(mine, each).all()  # none is moved


# -- range and edges ---------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20))
def test_the_range_takes_in_what_it_may(margins: list[float]) -> None:
    left, right = x_range(np.array(margins))
    assert -6 <= left <= -1.5 and 2.5 <= right <= 6
    assert left <= max(min(margins), -6) and right >= min(max(margins), 6)
    assert left > max(min(margins), -6) - 0.5 or left == -1.5
    assert right < min(max(margins), 6) + 0.5 or right == 2.5
    assert 2 * left == int(2 * left) and 2 * right == int(2 * right)


def test_what_lies_beyond_is_counted_at_the_edge(show: Show) -> None:
    def shown() -> list[str]:
        return [text for mark in panel.picture.marks if isinstance(mark, Texts) for text in mark.texts]

    panel = show(with_margins([-7.0, -60.0, -1e9, 0.5, 6.5, 6.0]), size=(700, 500))
    assert any(text.startswith("◂ 3 ") for text in shown()) and any(text.startswith("1 ") for text in shown())
    area, (x, y) = panel.picture.plot_area(), panel.picture.symbol_pixels()
    assert x[:3] == pytest.approx(area.left()) and y[:3] == pytest.approx(area.top())
    assert x[4] == x[5] == pytest.approx(area.right())
    panel.render_scene(scene_of(with_margins([-6.0, 6.0])), LIGHT)
    assert not any("◂" in text or "▸" in text for text in shown())


def test_the_sides_are_named_where_there_is_room(show: Show) -> None:
    for size, named in (((700, 500), True), ((200, 500), False)):
        picture = show(with_margins([-1.0, 0.5]), size=size).picture
        texts = [text.strip() for mark in picture.marks if isinstance(mark, Texts) for text in mark.texts]
        assert ("inside" in texts) == named and {"wrong side", "on the margin"} <= set(texts)


def test_the_curves(show: Show) -> None:
    """Read from pixels: hinge and 0-1 loss as their formulas say, and the perceptron's only for the perceptron."""
    for learner in ("smo", "perceptron"):
        panel = show(with_margins([2.4, 2.41], learner), size=(700, 560))
        image = pixels(panel)
        red, green, blue = (image >> shift & 255 for shift in (16, 8, 0))
        ink = np.maximum.reduce([red, green, blue]) < 110
        accent = (blue > red + 60) & (red < 120)

        def pixel(margin: float, loss: float, panel: LossPanel = panel) -> tuple[int, int]:
            x, y = panel.picture.to_widget([margin], [loss])
            return round(float(x[0])), round(float(y[0]))

        for margin in (-1.3, -0.77, -0.4, 0.2, 0.6):
            losses = (max(0.0, 1 - margin), float(margin <= 0), max(0.0, 1 - margin) + 0.15)
            x = pixel(margin, 0.0)[0]
            hinge, step, beside = (pixel(margin, loss)[1] for loss in losses)
            assert ink[hinge - 4 : hinge + 5, x].any()
            assert accent[step - 4 : step + 5, x - 8 : x + 9].any()  # a dashed line may lie on it
            assert not ink[beside - 4 : beside + 5, x].any()
        along = [pixel(m, -m) for m in np.linspace(-1.4, -0.45, 60).tolist()]
        dashes = [ink[y - 2 : y + 3, x].any() for x, y in along]
        assert (10 < sum(dashes) < 58) if learner == "perceptron" else not any(dashes)


# -- words -------------------------------------------------------------------------------------------------------------


def test_the_numbers_agree_with_the_picture(show: Show) -> None:
    run_state = run_state_of(60, steps=12)
    panel = show(run_state)
    theirs = hinge_loss(run_state.y, run_state.f)
    assert text(panel, "loss.numbers").startswith(f"Hinge loss: 1/n Σ max(0, 1 − y f) = {short(theirs)}")
    errors = int((dense_margins(run_state) <= 0).sum())
    assert f"= {errors} / 60 =" in text(panel, "loss.numbers")
    panel.render_scene(scene_of(run_state_of(60)), LIGHT)
    assert f"= {short(hinge_loss(run_state.y, run_state_of(60).f))}\n" in text(panel, "loss.numbers")


# -- pointer and keys --------------------------------------------------------------------------------------------------


def test_the_pointer_finds_points_and_ticks(show: Show, qapp: QApplication) -> None:
    run_state = with_margins([-1.0, 0.4, 1.2, 2.0])
    setup = controller()
    panel, heard = show(run_state, setup=setup), setup.playback.heard
    picture = panel.picture
    (x, y), (_, tick_y) = picture.symbol_pixels(), picture.tick_pixels()
    for index in range(4):
        QTest.mouseMove(picture.viewport(), QPoint(round(x[index]) + 3, round(y[index]) - 3))
        assert heard[-1] == id_of(run_state, index)
    QTest.mouseMove(picture.viewport(), QPoint(round(x[0]), round(tick_y[0])))
    assert heard[-1] == id_of(run_state, 0)
    panel.render_scene(scene_of(run_state, heard[-1]), LIGHT)
    assert picture.highlighted == 0 and text(panel, "loss.point") == "\n".join(point_words(run_state, 0))
    QTest.mouseMove(picture.viewport(), QPoint(round(x[0]) + 40, round(tick_y[0]) + 40))
    assert heard[-1] is None
    panel.render_scene(scene_of(run_state, None), LIGHT)
    count = len(heard)
    QTest.mouseMove(picture.viewport(), QPoint(round(x[0]) + 45, round(tick_y[0]) + 45))
    qapp.sendEvent(picture, QEvent(QEvent.Type.Leave))
    assert len(heard) == count  # nothing was highlighted: no call


def test_a_point_hovered_elsewhere_stands_out(show: Show) -> None:
    run_state = run_state_of(40)
    panel = show(run_state)
    before = pixels(panel)
    panel.render_scene(scene_of(run_state, id_of(run_state, 6)), LIGHT)
    changed = np.argwhere(pixels(panel) != before)
    (x, y), (_, tick_y) = panel.picture.symbol_pixels(), panel.picture.tick_pixels()
    assert np.abs(changed[:, 1] - x[6]).max() < 13
    assert changed[:, 0].min() > min(y[6], tick_y[6]) - 13 and changed[:, 0].max() < max(y[6], tick_y[6]) + 13
    assert len(changed) > 100
    assert text(panel, "loss.point") == "\n".join(point_words(run_state, 6))
    panel.render_scene(scene_of(run_state, 6), LIGHT)  # an index is no id
    assert (pixels(panel) == before).all() and "Point at a point" in text(panel, "loss.point")


def test_arrow_keys_go_by_y_f(show: Show) -> None:
    run_state = with_margins([0.5, -1.0, 2.0, 1.0])
    setup = controller()
    panel, heard = show(run_state, setup=setup), setup.playback.heard
    panel.first_stop.setFocus()
    assert panel.picture.hasFocus()
    for index in (1, 0, 3, 2, 2):
        QTest.keyClick(panel.picture, KEY.Key_Right)
        assert heard[-1] == id_of(run_state, index)
        panel.render_scene(scene_of(run_state, heard[-1]), LIGHT)
    QTest.keyClick(panel.picture, KEY.Key_Left)
    assert heard[-1] == id_of(run_state, 3)
    QTest.keyClick(panel.picture, KEY.Key_Home)
    assert heard[-1] == id_of(run_state, 1)


# -- sizes and states --------------------------------------------------------------------------------------------------


def test_nothing_to_show_and_back(show: Show) -> None:
    panel = show(None)
    assert text(panel, "loss.message") == NO_RUN and not panel.picture.isVisible()
    panel.render_scene(scene_of(run_state_of(12)), DARK)
    assert panel.picture.isVisible() and not text(panel, "loss.message")


@pytest.mark.parametrize("size", [(200, 260), (1000, 200), (260, 900)])
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_it_fits_every_dock(show: Show, size: tuple[int, int], theme: Theme) -> None:
    panel = show(with_margins([-50.0, -1.0, 0.5, 9.0]), size=size, theme=theme)
    area = panel.picture.plot_area()
    assert area.width() > 50 and area.height() > 20 and panel.picture.rect().contains(area.toRect())
    assert pixels(panel)[3, 3] == argb(theme.background)


def test_in_the_window(make: Make, qtbot: QtBot) -> None:
    rng = np.random.default_rng(4)
    xy = rng.normal(size=(60, 2))
    labels = (xy[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    window = make(Document(Points.of(xy, labels), (Lane("knn"), Lane("svm")), view=View(0.0, 0.0, 6.0)))
    panel = LossPanel(window.controller)
    qtbot.addWidget(panel)
    panel.resize(400, 500)
    panel.show()
    assert window.scene is not None and window.scene.run_state is not None
    panel.render_scene(window.scene, LIGHT)
    QTest.keyClick(panel.picture, KEY.Key_Home)
    settle(qtbot, window)
    window.refreshing.flush()
    run_state = window.scene.run_state
    assert run_state.points is window.document.training_points
    assert window.controller.session.hovered == id_of(run_state, int((run_state.y * run_state.f).argmin()))
