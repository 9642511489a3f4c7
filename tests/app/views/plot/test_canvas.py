"""The picture is true: grabbed pixels of the window against `predict`, certificates, phases, extremes."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.engine.frames import Phase
from app.engine.shading import colours_of
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, SvmSettings, View
from app.views.theme import theme_of
from app.window.main_window import MainWindow
from solver import SVC, SmoSolver, Status
from solver.kernels.pixels import LEVELS
from tests.copies import replace
from tests.stepped import stepped
from tests.windows import Make, post_late, settle


def document(settings: GeneratorSettings, first: Lane, second: Lane) -> Document:
    points = settings.points()
    return Document(points=points, lanes=(first, second), generator=settings, view=View.fitting(points))


THREE = GeneratorSettings("blobs", 40, 0.35, 1, 0.0, 3)
CASES = {
    "moons": document(GeneratorSettings(), Lane("knn"), Lane("svm")),
    "three": document(THREE, Lane("knn", knn=KnnSettings(4)), Lane("svm", svm=SvmSettings("poly", 10.0))),
    "weighted": document(
        THREE, Lane("knn", knn=KnnSettings(7, "distance", "manhattan")), Lane("svm", svm=SvmSettings("laplacian"))
    ),
    "linear": document(
        GeneratorSettings("line", 30, 0.0, 0, -0.1),
        Lane("svm", svm=SvmSettings("sigmoid", coef0=-1.0)),
        Lane("svm", svm=SvmSettings("linear", C=100.0)),
    ),
}


def sampled(window: MainWindow, lane: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (count, 2) in the plane of pixels well away from points and lines, and their grabbed
    0xffrrggbb.
    """
    canvas = window.canvases[lane]
    image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    grid, area = canvas.grid(), canvas.plot_area()
    picture = window.result(lane).picture
    lines = np.concatenate([picture.boundary, picture.margins])
    obstacles = np.concatenate([lines[np.isfinite(lines).all(axis=1)], window.document.points.xy])
    rng = np.random.default_rng(5)
    unit = (grid.right - grid.left) / grid.width
    where, colours = [], []
    while len(where) < count:
        i, j = int(rng.integers(grid.width)), int(rng.integers(grid.height))
        at = np.array([grid.xs[i], grid.ys[j]])
        # Thinned lines have vertices up to 8 pixels apart.
        if np.hypot(*(obstacles - at).T).min(initial=np.inf) < 17 * unit:
            continue
        pixel = QPoint(int(area.left()) + i, int(area.bottom()) - 1 - j)
        assert window.to_widget(lane, *at) == pixel
        where.append(at)
        colours.append(image.pixel(pixel))
    return np.array(where), np.array(colours, dtype=np.uint32)


#: Each case in one of the two themes, and as a slow test in the other.
GRABBED = [
    pytest.param(name, dark, marks=pytest.mark.soak if (index + dark) % 2 else ())
    for index, name in enumerate(CASES)
    for dark in (False, True)
]


@pytest.mark.parametrize(("name", "dark"), GRABBED)
def test_grabbed_pixels_are_what_the_model_predicts(make: Make, qtbot: QtBot, name: str, dark: bool) -> None:
    window = make(CASES[name])
    window.appearance.choose_theme("dark" if dark else "light")
    window.controller.pan(0.013, -0.027)
    settle(qtbot, window)
    table = colours_of(theme_of(dark).shades)
    present = {len(table) - 1, *(c * LEVELS + level for c in window.document.points.classes for level in range(LEVELS))}
    index = {int(table[row]): row for row in present}
    for lane in (0, 1):
        where, colours = sampled(window, lane, 500)
        model = window.result(lane).model
        rows = np.array([index[int(colour)] for colour in colours])
        tie = rows == len(table) - 1
        np.testing.assert_array_equal(rows[~tie] // LEVELS, model.predict(where[~tie]))
        if isinstance(model, SVC):
            assert not tie.any()
            if len(model.classes_) == 2:
                level = np.minimum(np.abs(model.decision_function(where)) / 2 * (LEVELS - 1) + 0.5, LEVELS - 1)
                assert np.abs(level - rows % LEVELS).max() <= 1.0 + 1e-6
        else:
            shares = np.sort(model.predict_proba(where), axis=1)
            np.testing.assert_array_equal(tie, shares[:, -1] == shares[:, -2])


def test_the_lane_shows_smo_and_its_certificate(make: Make) -> None:
    window = make()
    frame = window.result(1)
    assert frame.phase is Phase.DONE and frame.certificate.status is Status.OPTIMAL
    points, model = window.document.points, frame.model
    reference = stepped(SVC(C=1.0, gamma=1.0, solver="smo"), points.xy, points.labels)
    assert frame.certificate.n_iter == reference.certificates_[0].n_iter
    np.testing.assert_array_equal(model.dual_coef_, reference.dual_coef_)
    assert frame.accuracy == reference.score(points.xy, points.labels)
    alpha = np.zeros(len(points))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_array_equal(np.flatnonzero(alpha == 1.0), frame.marks.bounded)
    np.testing.assert_array_equal(np.flatnonzero((alpha > 0) & (alpha < 1)), frame.marks.free)
    np.testing.assert_array_equal(np.flatnonzero(model.predict(points.xy) != points.labels), frame.marks.wrong)
    headline = window.scene.lanes[1].headline
    assert headline == "Optimal to 1e-3"


def test_lines_lie_where_f_is_0_and_1(make: Make) -> None:
    window = make()
    picture, model = window.result(1).picture, window.result(1).model
    for lines, value in ((picture.boundary, 0.0), (picture.margins, 1.0)):
        at = lines[np.isfinite(lines).all(axis=1)]
        assert len(at) > 20
        assert np.abs(np.abs(model.decision_function(at)) - value).max() < 0.02


EXTREMES = {
    "nothing": (np.empty((0, 2)), [], {}),
    "one point": ([[0.3, 0.2]], [0], {}),
    "one class": ([[0.0, 0.0], [1.0, 1.0]], [2, 2], {}),
    "k above n": ([[0.0, 0.0], [1.0, 1.0]], [0, 1], {}),
    "opposite duplicates": ([[0.5, 0.5]] * 4, [0, 1, 0, 1], {}),
    "opposite duplicates, hard": ([[0.5, 0.5]] * 4 + [[0, 0]], [0, 1, 0, 1, 0], {"hard_margin": True}),
    "all equal, tiny C": ([[0.5, 0.5]] * 6, [0, 0, 0, 1, 1, 1], {"C": 1e-6}),
    "big C": ([[0, 0], [1, 0], [0, 1], [1, 1.0]], [0, 1, 1, 0], {"C": 1e6}),
    "far away": ([[1e12, 1e12], [1e12 + 1, 1e12], [-1e12, 5.0]], [0, 1, 0], {"kernel": "poly", "degree": 9}),
    "far away linear": ([[1e12, 1e12], [1e12 + 1, 1e12], [-1e12, 5.0]], [0, 1, 0], {"kernel": "linear"}),
    "hard sigmoid": ([[0, 0], [1, 1.0]], [0, 1], {"kernel": "sigmoid", "hard_margin": True}),
    "edge of the world": ([[1e15, -1e15], [-1e15, 1e15]], [0, 1], {"gamma": 1e8}),
}


@pytest.mark.slow
def test_extremes_have_a_sentence_or_a_defined_picture(make: Make, qtbot: QtBot) -> None:
    window = make()
    for name, (xy, labels, svm) in EXTREMES.items():
        points = Points.of(xy, labels)
        lanes = (Lane("knn"), Lane("svm", svm=SvmSettings(**svm)))
        window.controller.put(Document(points=points, lanes=lanes, view=View.fitting(points)), None)
        settle(qtbot, window)
        for lane in (0, 1):
            scene, frame = window.scene.lanes[lane], window.result(lane)
            assert frame.points.xy.tolist() == points.xy.tolist(), name
            assert scene.message or frame.picture is not None, name
            words = (scene.message + scene.headline + scene.details).lower()
            assert not re.search(r"\b(nan|inf)\b|internal error", words), name
            assert frame.phase is not Phase.TRAINING, name


@pytest.mark.slow
def test_until_the_loops_are_compiled_the_window_already_learns(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr("app.engine.compile_ahead.compile_all", lambda *_, **__: go.wait(300))
    monkeypatch.setattr("app.engine.compile_ahead.CompileAhead._loaded", False)
    window = make(wait=False)
    try:
        qtbot.waitUntil(lambda: all((f := window.result(i)) and f.picture and f.full for i in (0, 1)))
        assert not window.idle()
        plain_models = [window.result(i).model for i in (0, 1)]
        assert all("Preparing" in window.scene.lanes[i].headline for i in (0, 1))
        plain = window.result(1).certificate
        assert plain.status is Status.OPTIMAL
    finally:
        go.set()
    settle(qtbot, window)
    assert all(window.result(i).model is not plain for i, plain in enumerate(plain_models))
    assert "Preparing" not in window.scene.lanes[1].headline
    assert window.result(1).certificate.dual == pytest.approx(plain.dual, rel=1e-3)


def test_a_failing_worker_is_reported_and_the_next_run_works(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make()

    def explode(self: SVC, *args: object, **kwargs: object) -> None:
        raise RuntimeError("planted")

    with monkeypatch.context() as patch:
        patch.setattr(SVC, "prepare", explode)
        window.controller.set_lane(1, "svm", C=2.0)
        settle(qtbot, window)
        assert "planted" in window.scene.lanes[1].message
        assert window.scene.lanes[1].picture is None
    window.controller.set_lane(1, "svm", C=3.0)
    settle(qtbot, window)
    assert window.scene.lanes[1].message == "" and window.result(1).phase is Phase.DONE


def test_an_old_frame_is_never_drawn_over_a_newer_one(make: Make, qtbot: QtBot) -> None:
    window = make()
    old = window.result(1)
    window.controller.set_lane(1, "svm", C=50.0)
    settle(qtbot, window)
    new = window.result(1)
    assert new.job > old.job
    post_late(window, old)
    settle(qtbot, window)
    assert window.result(1) is new


def test_slow_training_can_be_watched_paused_and_restarted(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make()
    steps_made: list[int] = []
    step = SmoSolver.step
    monkeypatch.setattr(SmoSolver, "step", lambda self, n, stop: (steps_made.append(n), step(self, n, stop))[1])
    window.controller.playback.set_speed(1, 4)  # 10 steps a second
    window.controller.playback.restart(1)
    qtbot.waitUntil(lambda: window.result(1).phase is Phase.TRAINING and window.result(1).certificate.n_iter >= 2)
    assert not window.idle()
    assert set(steps_made) == {1}
    window.controller.toggle_pause()
    settle(qtbot, window)
    paused = window.result(1)
    assert paused.phase is Phase.PAUSED and "Paused" in window.scene.lanes[1].headline
    window.controller.pan(0.1, 0.0)
    settle(qtbot, window)
    assert window.result(1).certificate.n_iter == paused.certificate.n_iter
    window.controller.playback.set_speed(1, 99)
    window.controller.playback.set_replay(1e6)
    window.controller.toggle_pause()
    settle(qtbot, window)
    points = window.document.points
    reference = stepped(SVC(C=1.0, gamma=1.0, solver="smo"), points.xy, points.labels)
    assert window.result(1).certificate.n_iter == reference.n_iter_[0], "slow, paused and resumed: the same steps"
    np.testing.assert_array_equal(window.result(1).model.dual_coef_, reference.dual_coef_)


def test_theme_changes_colours_and_keeps_the_model(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.appearance.choose_theme("light")
    settle(qtbot, window)
    light, n_iter = window.result(1), window.result(1).certificate.n_iter
    window.appearance.choose_theme("dark")
    settle(qtbot, window)
    dark = window.result(1)
    assert (dark.picture.argb != light.picture.argb).all()
    assert dark.certificate.n_iter == n_iter
    assert replace(dark.certificate) == light.certificate


def test_pictures_bring_no_menus_that_nobody_sees(make: Make) -> None:
    make(wait=False)
    assert [each for each in QApplication.topLevelWidgets() if isinstance(each, QMenu) and each.parent() is None] == []
