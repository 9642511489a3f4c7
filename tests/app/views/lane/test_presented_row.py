"""The rows of presenter mode: sliders and Play are visible and long enough, for one to four classifiers on
any screen.
"""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontInfo, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSlider, QWidget
from pytestqt.qtbot import QtBot

from app.learners.scales import LinearScale, RankScale
from app.views.theme import DARK, contrast
from app.views.widgets.scale_slider import ScaleSlider
from app.window.main_window import MainWindow
from tests.covering import first_rows
from tests.windows import Make, open_settings, settle

LEFT = Qt.MouseButton.LeftButton
#: Sliders of the classifiers and kernels.
KNN, RBF, POLY = {"k"}, {"C", "gamma"}, {"C", "gamma", "coef0", "degree"}


def show(window: MainWindow, qtbot: QtBot, *kernels: str) -> None:
    """Return a document with an SVM for each of these kernels; "" is kNN."""
    lanes = window.controller.lanes
    while window.document.shown < len(kernels):
        lanes.add(window.document.shown - 1)
    while window.document.shown > len(kernels):
        lanes.remove(window.document.shown - 1)
    for index, kernel in enumerate(kernels):
        window.controller.set_lane(index, classifier="svm" if kernel else "knn")
        if kernel:
            window.controller.set_lane(index, "svm", kernel=kernel)
    settle(qtbot, window)


def settle_layout(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the text has been fitted; it must settle."""
    for _ in range(3):
        settle(qtbot, window)
        QTest.qWait(5)
    text = window.lanes_view.text_size
    for _ in range(3):
        settle(qtbot, window)
        QTest.qWait(5)
    assert window.lanes_view.text_size == text and not window.lanes_view._fitting


def resize(window: MainWindow, qtbot: QtBot, size: tuple[int, int]) -> None:
    window.resize(*size)
    settle_layout(window, qtbot)
    assert window.size().toTuple() == size


def in_sight(window: MainWindow, lane: int) -> set[str]:
    """Return the names of the visible sliders of a lane; each must be long enough, whole and in its row."""
    row, width = window.lanes_view.rows[lane], window.canvases[lane].plot_area().width()
    names = set()
    for slider in row.findChildren(ScaleSlider):
        if slider.isVisible():
            assert slider.width() >= min(160, math.floor(width / 4)), (slider.objectName(), slider.width(), width)
            corner = slider.mapTo(row, QPoint(0, 0))
            assert row.rect().contains(slider.rect().translated(corner)), slider.objectName()
            names.add(slider.objectName().split(".")[1])
    return names


def plays(window: MainWindow, lane: int) -> bool:
    row = window.lanes_view.rows[lane]
    button = row.findChild(QWidget, f"lane{lane}.watch")
    assert button is not None
    return button.isVisible() and row.rect().contains(button.rect().translated(button.mapTo(row, QPoint(0, 0))))


SIZES = [(1024, 768), (1280, 800), (1920, 1080), (3840, 2160)]


#: Lanes, and the sizes at each run of the tests: with the least space, and with the most.
SIGHTS = [(("", "rbf", "linear", "rbf"), SIZES), (("rbf",), SIZES[::3]), (("", "rbf"), SIZES[:1])]
EVERYWHERE = [(kernels, SIZES) for kernels, sizes in SIGHTS if sizes != SIZES]


@pytest.mark.slow
@pytest.mark.parametrize(("kernels", "sizes"), first_rows([*SIGHTS, *EVERYWHERE], len(SIGHTS)))
def test_sliders_and_play_are_in_sight(
    make: Make, qtbot: QtBot, kernels: tuple[str, ...], sizes: list[tuple[int, int]]
) -> None:
    window = make(size=SIZES[0])
    show(window, qtbot, *kernels)
    window.named_actions["presenter"].trigger()
    own = {"": KNN, "rbf": RBF, "linear": {"C"}}
    for size in sizes:
        resize(window, qtbot, size)
        for lane, kernel in enumerate(kernels):
            assert in_sight(window, lane) == own[kernel], (size, lane)
            assert plays(window, lane) == bool(kernel), (size, lane)


@pytest.mark.slow
def test_with_a_panel_the_sliders_are_in_sight_or_one_click_away(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZES[0])
    show(window, qtbot, "poly")
    window.named_actions["presenter"].trigger()
    settle_layout(window, qtbot)
    window.named_actions["evaluation"].trigger()
    for size in SIZES[:3]:  # in larger windows everything fits
        resize(window, qtbot, size)
        assert window.dock_manager.docked == ("evaluation",)
        assert in_sight(window, 0) == POLY and plays(window, 0), size
    show(window, qtbot, "poly", "poly")
    resize(window, qtbot, SIZES[0])
    window.controller.lanes.select(1)
    settle_layout(window, qtbot)
    assert (in_sight(window, 0), in_sight(window, 1)) == (set(), POLY)
    button = window.findChild(QWidget, "lane0.sliders")
    assert button is not None and button.isVisible() and not window.findChild(QWidget, "lane1.sliders").isVisible()
    QTest.mouseClick(button, LEFT)
    settle_layout(window, qtbot)
    assert (in_sight(window, 0), in_sight(window, 1)) == (POLY, set())
    window.named_actions["evaluation"].trigger()
    resize(window, qtbot, SIZES[2])
    assert in_sight(window, 0) == in_sight(window, 1) == POLY, "where there is room, all"


@pytest.mark.slow
def test_degree_and_coef0_go_back_into_the_form(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZES[2])
    show(window, qtbot, "poly")
    window.named_actions["presenter"].trigger()
    settle_layout(window, qtbot)
    degree, coef0 = (window.findChild(QSlider, f"lane0.{name}.slider") for name in ("degree", "coef0"))
    row, form = window.lanes_view.rows[0], window.lanes_view.settings.forms[0]
    assert row.isAncestorOf(degree) and row.isAncestorOf(coef0)
    degree.setFocus()
    QTest.keyClick(degree, Qt.Key.Key_Right)
    assert window.document.lanes[0].svm.degree == 4
    QTest.mouseClick(coef0, LEFT, pos=QPoint(coef0.width() // 2, coef0.height() // 2))
    assert abs(window.document.lanes[0].svm.coef0) <= 0.5
    window.named_actions["undo"].trigger()
    window.named_actions["undo"].trigger()
    assert window.document.lanes[0].svm.degree == 3
    window.named_actions["presenter"].trigger()
    settle_layout(window, qtbot)
    open_settings(window, 0)
    settle_layout(window, qtbot)
    assert form.isAncestorOf(degree) and form.isAncestorOf(coef0)
    assert degree.isVisible() and coef0.isVisible()
    window.controller.set_lane(0, "svm", kernel="rbf")
    settle_layout(window, qtbot)
    assert not degree.isVisible()


@pytest.mark.slow
def test_the_handle_grows_with_the_text_and_is_visible_in_the_dark(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZES[2])
    window.appearance.choose_theme("dark")
    settle(qtbot, window)
    slider = window.findChild(ScaleSlider, "lane0.k.slider")
    before = slider._handle()
    window.named_actions["presenter"].trigger()
    settle_layout(window, qtbot)
    handle = slider._handle()
    text = QFontInfo(window.lanes_view.rows[0].classifier.font()).pixelSize()
    assert min(handle.width(), handle.height()) >= 0.85 * text > before.width()
    image = slider.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    colour = image.pixelColor(handle.center())
    assert contrast((colour.red(), colour.green(), colour.blue()), DARK.window) >= 3.0


@pytest.mark.slow
def test_k_stands_where_its_logarithm_is(make: Make, qtbot: QtBot) -> None:
    scale = RankScale(10_000)
    assert scale.share(scale.position_of(51)) == pytest.approx(math.log(51) / math.log(10_000), abs=0.01)
    assert scale.share(scale.low) == 0 and scale.share(scale.high) == 1
    window = make(size=SIZES[0])  # 200 points: k up to 199
    slider = window.findChild(ScaleSlider, "lane0.k.slider")
    centres = slider.centres()
    across = centres[-1] - centres[0]
    for k in (2, 5, 17, 51):
        wanted = math.log(k) / math.log(199)
        assert (centres[slider.position_of(k)] - centres[0]) / across == pytest.approx(wanted, abs=0.03)
        at = QPoint(round(centres[slider.position_of(k)]), slider.height() // 2)
        QTest.mouseClick(slider, LEFT, pos=at)  # to where the mouse is
        assert abs(math.log(window.document.lanes[0].knn.n_neighbors / k)) < 0.25
    slider.setFocus()
    window.controller.set_lane(0, "knn", n_neighbors=1)
    window.refresh()
    found = [1]
    while len(found) < 17:
        QTest.keyClick(slider, Qt.Key.Key_Right)
        found.append(window.document.lanes[0].knn.n_neighbors)
    assert found == list(range(1, 18)), "each small k"
    settle(qtbot, window)


def test_a_linear_scale_has_its_ends_and_whole_steps() -> None:
    scale = LinearScale(-5, 5, 0.25)
    assert [scale.value_at(position) for position in (scale.low, 20, scale.high)] == [-5, 0, 5]
    assert scale.position_of(1e6) == scale.high and scale.value_at(scale.position_of(1.1)) == 1.0
    assert scale.share(20) == 0.5
