"""The evaluation panel by real events: split, scores, cross-validation, matrix, ROC curve and its threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QScrollArea, QSlider, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from sklearn import metrics as theirs

from app.core.number_format import counted, percent
from app.core.points import Points
from app.features.evaluation import text as words
from app.features.evaluation.controller import EvaluationController
from app.features.evaluation.panel import FULLEST, ConfusionView, EvaluationPanel
from app.features.evaluation.scene import Evaluation, EvaluationSession, index_of
from app.features.evaluation.view_roc import RocView
from app.state.commands import MovePoints
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings, View
from app.state.split import IdSet, Split
from app.views.chart.marks import Cells, Texts
from app.views.theme import DARK, LIGHT
from app.window.main_window import MainWindow
from tests.app.features.evaluation.test_query import score_of
from tests.covering import first_of
from tests.windows import Make, finish_layout, settle

LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
FOUR = (Lane("knn"), Lane("svm"), Lane("perceptron"), Lane("pegasos"))
MOONS = GeneratorSettings("moons", 40, 0.4).points()


def document(split: Split | None = None, lanes: tuple[Lane, ...] = FOUR[:2]) -> Document:
    split = Split("ratio", 0.3) if split is None else split
    return Document(MOONS, lanes, len(lanes), view=View.fitting(MOONS), split=split)


def look(window: MainWindow, qtbot: QtBot) -> EvaluationPanel:
    window.named_actions["evaluation"].trigger()
    settle(qtbot, window)
    panel = window.findChild(EvaluationPanel, "evaluation")
    assert panel is not None
    return panel


def part(panel: QWidget, kind: type[Any], name: str) -> Any:
    found = panel.findChild(kind, f"evaluation.{name}")
    assert found is not None, name
    return found


def text(panel: QWidget, name: str) -> str:
    return str(part(panel, QLabel, name).text()).replace("\u00a0", " ")


def choose(panel: QWidget, name: str, data: str) -> None:
    """Select an entry with the keyboard, as a user does."""
    combo = part(panel, QComboBox, name)
    combo.setFocus()
    for _ in range(combo.count()):
        QTest.keyClick(combo, KEY.Key_Up)
    while combo.currentData() != data:
        QTest.keyClick(combo, KEY.Key_Down)


def called(window: MainWindow, lane: int) -> np.ndarray:
    model = window.result(lane).model
    return np.asarray(model.predict(window.document.test_points.xy))


@pytest.mark.slow
def test_scores_are_those_of_the_models_on_the_test_points(make: Make, qtbot: QtBot) -> None:
    window = make(document(lanes=FOUR), size=(1400, 900))
    panel = look(window, qtbot)
    test = window.document.test_points
    assert len(test) == 24
    for lane in range(4):
        guess = called(window, lane)
        assert text(panel, f"test{lane}") == percent(theirs.accuracy_score(test.labels, guess))
        assert text(panel, f"balanced{lane}") == percent(theirs.balanced_accuracy_score(test.labels, guess))
        assert text(panel, f"training{lane}") == percent(window.result(lane).accuracy)
        score = score_of(window.result(lane).model, test.xy)
        assert text(panel, f"auc{lane}") == f"{theirs.roc_auc_score(test.labels, score):.3f}"
    assert text(panel, "lane2") == "3\nPerceptron"


@pytest.mark.slow
def test_the_split_by_hand_of_mouse_and_keys(make: Make, qtbot: QtBot) -> None:
    window = make(document(Split()))
    panel = look(window, qtbot)
    assert text(panel, "counts") == words.NO_TEST_POINTS and text(panel, "test0") == words.DASH
    assert not part(panel, ConfusionView, "confusion").isVisible()
    choose(panel, "split", "ratio")
    settle(qtbot, window)
    assert len(window.document.test_points) == 24 and "24 test points (30.0 %), 56 to train on" in text(panel, "counts")
    assert window.result(0).points is window.document.training_points
    slider, steps = part(panel, QSlider, "ratio"), window.controller.store.position
    slider.setFocus()
    QTest.keyClick(slider, KEY.Key_Home)
    settle(qtbot, window)
    assert window.document.split.ratio == 0.05 and len(window.document.test_points) == 4
    assert window.controller.store.position == steps + 1
    seed = part(panel, QSpinBox, "seed")
    before = window.document.test_points.ids.tolist()
    QTest.keyClick(seed, KEY.Key_Up)
    settle(qtbot, window)
    assert window.document.split.seed == 1 and window.document.test_points.ids.tolist() != before
    window.named_actions["undo"].trigger()
    settle(qtbot, window)
    assert seed.value() == 0 and window.document.test_points.ids.tolist() == before
    choose(panel, "split", "painted")
    settle(qtbot, window)
    assert window.document.split.kind == "painted" and window.document.test_points.ids.tolist() == before
    assert not slider.isVisible()


def test_test_points_that_are_training_points_too_are_counted(make: Make, qtbot: QtBot) -> None:
    """The same location in another class is no copy; a copy of a test point among the test points is none either."""
    rng = np.random.default_rng(0)
    xy, labels = rng.normal(size=(24, 2)), np.arange(24) % 2
    split = Split("painted", painted=IdSet(np.arange(16, 24)))
    xy[16:19], labels[16:19] = xy[:3], labels[:3]
    xy[19], labels[19] = xy[3], 1 - labels[3]
    xy[21], labels[21] = xy[20], labels[20]
    window = make(Document(Points.of(xy, labels), FOUR[:2], 2, split=split), size=(1280, 800))
    panel = look(window, qtbot)
    assert text(panel, "remarks").startswith("3 of 8 test points are also training points: the accuracy is too good.")
    window.controller.dispatch(MovePoints(ids=np.array([16, 17]), xy=np.array([[5.0, 5.0], [6.0, 6.0]])))
    settle(qtbot, window)
    assert text(panel, "remarks").startswith("1 of 8 test points is also a training point: the accuracy is too good.")
    window.controller.dispatch(MovePoints(ids=np.array([18]), xy=np.array([[7.0, 5.0]])))
    settle(qtbot, window)
    assert "training point" not in text(panel, "remarks")


def test_a_drag_of_the_share_is_one_step(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    slider = part(look(window, qtbot), QSlider, "ratio")
    steps, width = window.controller.store.position, slider.width()
    QTest.mousePress(slider, LEFT, pos=QPoint(int(0.3 * width), slider.height() // 2))
    for x in range(30, 80, 5):
        QTest.mouseMove(slider, QPoint(int(x / 100 * width), slider.height() // 2))
        window.refreshing.flush()
    QTest.mouseRelease(slider, LEFT, pos=QPoint(int(0.75 * width), slider.height() // 2))
    settle(qtbot, window)
    assert window.controller.store.position <= steps + 1


def test_painting_in_a_picture_changes_the_numbers(make: Make, qtbot: QtBot) -> None:
    window = make(document(Split("painted")))
    panel = look(window, qtbot)
    assert text(panel, "counts") == words.NOTHING_PAINTED
    view = window.canvases[0].viewport()
    window.canvases[0].setFocus()
    QTest.keyClick(window.canvases[0], KEY.Key_N)
    assert window.controller.session.tool == "test"
    pixel = window.to_widget(0, *MOONS.xy[0])
    QTest.mouseClick(view, LEFT, Qt.KeyboardModifier.NoModifier, pixel)
    settle(qtbot, window)
    painted = len(window.document.test_points)
    assert painted >= 1 and 0 in window.document.test_points.ids and f"{painted} test point" in text(panel, "counts")
    # The panel may have taken space from the picture: locations have moved, and the same brush covers less.
    window.controller.set_session(radius=3 * window.controller.session.radius)
    QTest.mouseClick(view, LEFT, Qt.KeyboardModifier.ShiftModifier, window.to_widget(0, *MOONS.xy[0]))
    settle(qtbot, window)
    assert len(window.document.test_points) == 0


def test_wrong_test_points_are_marked(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    settle(qtbot, window)
    for lane in (0, 1):
        points, test = window.document.points, window.document.test_points
        wrong = set(test.ids[called(window, lane) != test.labels].tolist())
        marked = set(points.ids[window.scene.lanes[lane].marks.wrong].tolist())
        assert wrong and marked & set(test.ids.tolist()) == wrong
        own = window.result(lane)
        assert marked - wrong == set(own.points.ids[own.marks.wrong].tolist())


def test_the_matrix_of_the_chosen_lane(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    panel = look(window, qtbot)
    view = part(panel, ConfusionView, "confusion")
    for lane in (1, 0):
        window.controller.lanes.select(lane)
        settle(qtbot, window)
        test = window.document.test_points
        matrix = theirs.confusion_matrix(test.labels, called(window, lane))
        assert matrix_shown(panel).tolist() == matrix.tolist()
        shown = view.accessibleDescription()
        assert f"Of class 1: {matrix[0, 0]} predicted class 1" in shown


def matrix_shown(panel: QWidget) -> np.ndarray:
    """Return the numbers in the cells, the first class in the first row."""
    marks = part(panel, ConfusionView, "confusion").marks
    (cells,), (numbers,) = ([mark for mark in marks if isinstance(mark, kind)] for kind in (Cells, Texts))
    assert list(numbers.texts) == [counted(value) for value in cells.values.ravel().tolist()]
    return np.asarray(cells.values[::-1])


def test_the_scores_of_each_class(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    panel = look(window, qtbot)
    test, guess = window.document.test_points, called(window, 0)
    theirs_of = theirs.precision_recall_fscore_support(test.labels, guess)[:3]
    expected = [percent(value) for row in zip(*theirs_of, strict=True) for value in row]
    shown = part(panel, QLabel, "class_scores").accessibleDescription().replace("\u00a0", " ")
    found = [shown.index(value) for value in expected]
    assert found[0] > shown.index("class 1") and found[3] > shown.index("class 2") > found[2]


def channels(image: Any, pixel: Any) -> np.ndarray:
    colour = image.pixelColor(int(pixel.x()), int(pixel.y()))
    return np.array([colour.red(), colour.green(), colour.blue()])


def test_cells_are_shaded_by_their_share_of_the_row(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    window.appearance.choose_theme("light")
    panel = look(window, qtbot)
    view = part(panel, ConfusionView, "confusion")
    image = view.grab().toImage()
    counts = matrix_shown(panel)
    free = np.array(LIGHT.background)
    for true in (0, 1):
        for guess in (0, 1):
            expected = free + FULLEST * counts[true, guess] / counts[true].sum() * (np.array(LIGHT.accent) - free)
            at = view.pixel(guess - 0.4, 1 - true + 0.2)  # beside the number; the first class is the upper row
            assert channels(image, at) == pytest.approx(expected, abs=3)


def test_folds_are_validated_and_put_into_words(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    panel = look(window, qtbot)
    assert not part(panel, QLabel, "validated0").isVisible()
    choose(panel, "validation", "folds")
    k = part(panel, QSpinBox, "k")
    k.setFocus()
    k.selectAll()
    QTest.keyClicks(k, "4")
    QTest.keyClick(k, KEY.Key_Return)
    settle(qtbot, window)
    assert window.controller.session.of(EvaluationSession).validation.k == 4
    qtbot.waitUntil(lambda: "…" not in text(panel, "validated0") + text(panel, "validated1"))
    for lane in (0, 1):
        value = window.scene.feature(Evaluation).lanes[lane].validated
        assert len(value.sizes) == 4 and value.sizes.sum() == 56
        assert text(panel, f"validated{lane}") == f"{percent(value.mean)}\n± {percent(value.spread)}"
    assert "4 folds: mean" in text(panel, "remarks") and "least" in text(panel, "remarks")
    choose(panel, "validation", "leave-one-out")
    settle(qtbot, window)
    qtbot.waitUntil(lambda: "of 56" in text(panel, "validated0") and "of 56" in text(panel, "validated1"))
    assert not k.isVisible()


def roc_of(window: MainWindow, qtbot: QtBot) -> tuple[EvaluationPanel, RocView]:
    panel = look(window, qtbot)
    roc = part(panel, RocView, "roc")
    panel.findChild(QScrollArea).ensureWidgetVisible(roc)
    window.controller.lanes.select(1)
    settle(qtbot, window)
    return panel, roc


def test_dragging_the_threshold(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    panel, roc = roc_of(window, qtbot)
    curve, model, test = roc.lane.roc, window.result(1).model, window.document.test_points
    assert roc.index == index_of(curve, 0.0) and "own" in text(panel, "threshold")
    x, y = roc.pixels(curve.fpr, curve.tpr)
    steps = window.controller.store.position
    for at_index in (0, len(x) // 2, len(x) - 1):
        QTest.mousePress(roc.viewport(), LEFT, pos=QPoint(round(x[roc.index]), round(y[roc.index])))
        QTest.mouseMove(roc.viewport(), QPoint(round(x[at_index]), round(y[at_index])))
        QTest.mouseRelease(roc.viewport(), LEFT, pos=QPoint(round(x[at_index]), round(y[at_index])))
        settle(qtbot, window)
        threshold = window.controller.session.of(EvaluationSession).thresholds[1]
        assert threshold is not None and abs(roc.index - at_index) <= 3
        guess = score_of(model, test.xy) > threshold.value
        assert roc.lane.confusion.tolist() == theirs.confusion_matrix(test.labels == 1, guess).tolist()
        assert text(panel, "test1") == percent((guess == (test.labels == 1)).mean())
        assert "own" not in text(panel, "threshold")
    assert window.controller.store.position == steps, "a threshold is no edit of the document"
    part(panel, QPushButton, "own").setFocus()
    QTest.mouseClick(part(panel, QPushButton, "own"), LEFT)
    settle(qtbot, window)
    assert roc.hasFocus(), "not wherever a button that is disabled throws it"
    assert window.controller.session.of(EvaluationSession).thresholds[1] is None and roc.index == index_of(curve, 0.0)


def test_the_threshold_by_keys(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    _, roc = roc_of(window, qtbot)
    roc.setFocus()
    start, last = roc.index, len(roc.lane.roc.thresholds) - 1

    def press(key: Qt.Key) -> int:
        QTest.keyClick(roc, key)
        window.refreshing.flush()
        return roc.index

    assert press(KEY.Key_Right) == start + 1 and press(KEY.Key_Left) == start and press(KEY.Key_Left) == start - 1
    assert press(KEY.Key_End) == last == press(KEY.Key_Right)
    assert press(KEY.Key_Home) == 0 == press(KEY.Key_Left)
    assert press(KEY.Key_PageUp) == max(1, round(0.1 * last))
    assert press(KEY.Key_Backspace) == start and window.controller.session.of(EvaluationSession).thresholds[1] is None
    assert len(window.document.points) == 80, "no key went to the points"


def test_the_line_of_the_threshold_lies_where_the_score_is_it(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    _, roc = roc_of(window, qtbot)
    assert window.scene.lanes[1].sheets == ()
    roc.setFocus()
    for _ in range(4):
        QTest.keyClick(roc, KEY.Key_Left)
    settle(qtbot, window)
    threshold = window.controller.session.of(EvaluationSession).thresholds[1]
    (line,) = window.scene.lanes[1].sheets
    assert line.style == "other" and window.scene.lanes[0].sheets == ()
    locations = line.xy[np.isfinite(line.xy[:, 0])]
    f = window.result(1).model.pair_decision_function(locations)[:, 0]
    assert len(f) > 20 and np.abs(f - threshold.value).max() < 0.01
    window.named_actions["evaluation"].trigger()  # closed: no line whose number is not displayed
    settle(qtbot, window)
    assert window.scene.lanes[1].sheets == ()


def test_more_classes_have_no_curve(make: Make, qtbot: QtBot) -> None:
    points = GeneratorSettings("blobs", 20, 0.5, 1, 0.0, 5).points()
    window = make(Document(points, view=View.fitting(points), split=Split("ratio", 0.4)))
    panel = look(window, qtbot)
    assert not part(panel, RocView, "roc").isVisible() and text(panel, "threshold") == words.NO_ROC
    assert not part(panel, QLabel, "auc0").isVisible() and not part(panel, QPushButton, "own").isVisible()
    assert matrix_shown(panel).shape == (5, 5)


def test_scores_of_a_class_never_predicted_are_called_undefined(make: Make, qtbot: QtBot) -> None:
    weights = (100.0, 0.01, *(1.0,) * 6)
    svm = Lane("svm", svm=SvmSettings(kernel="linear", C=1e-3, class_weight="own", own_weights=weights))
    window = make(document(lanes=(svm,)))
    panel = look(window, qtbot)
    assert called(window, 0).max() == 0
    assert part(panel, QLabel, "undefined").isVisible() and text(panel, "undefined") == words.UNDEFINED
    assert "0*" in text(panel, "class_scores")


@pytest.mark.slow
def test_nothing_is_cut_off_and_everything_has_a_name(make: Make, qtbot: QtBot) -> None:
    window = make(document(lanes=FOUR), size=(1024, 768))
    window.controller.feature(EvaluationController).validate(kind="folds", k=5)
    panel = look(window, qtbot)
    qtbot.waitUntil(lambda: all("…" not in text(panel, f"validated{lane}") for lane in range(4)))
    assert window.width() <= 1024
    area = panel.findChild(QScrollArea)
    # Up and down only: the panel becomes as wide as its table, once that is laid out.
    qtbot.waitUntil(lambda: area.widget().width() <= area.viewport().width())
    labels = [each for each in panel.findChildren(QLabel) if each.isVisible() and each.text() and not each.wordWrap()]
    qtbot.waitUntil(lambda: all(each.width() >= each.sizeHint().width() - 1 for each in labels))
    for kind in (QComboBox, QSpinBox, QSlider, QPushButton, RocView, ConfusionView):
        for control in panel.findChildren(kind):
            assert control.accessibleName() and control.objectName().startswith("evaluation.")
            assert not control.isVisible() or control.height() >= 24


@pytest.mark.parametrize("theme", first_of([DARK, LIGHT], 1), ids=["light", "dark"])
def test_it_is_painted_in_both_themes(make: Make, qtbot: QtBot, theme: Any) -> None:
    window = make(document())
    window.appearance.choose_theme("dark" if theme.dark else "light")
    _, roc = roc_of(window, qtbot)
    image = roc.grab().toImage()
    x, y = roc.pixels(roc.lane.roc.fpr, roc.lane.roc.tpr)
    colour = image.pixelColor(int(x[roc.index]), int(y[roc.index]))
    assert (colour.red(), colour.green(), colour.blue()) == theme.accent


def test_numbers_of_an_older_model_are_marked_until_the_new_ones_arrive(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    panel = look(window, qtbot)
    before = text(panel, "test1")
    window.controller.set_lane(1, "svm", gamma=50.0)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: "…" not in text(panel, "test1"))
    assert text(panel, "test1") == percent((called(window, 1) == window.document.test_points.labels).mean()) != before


def test_the_curve_is_in_sight_without_scrolling(make: Make, qtbot: QtBot) -> None:
    window = make(document(), size=(1280, 800))
    roc = part(look(window, qtbot), RocView, "roc")
    finish_layout()
    seen = roc.viewport().visibleRegion().boundingRect()
    assert roc.isVisible() and seen.height() == roc.viewport().height()
