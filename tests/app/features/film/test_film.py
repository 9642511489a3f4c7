"""Films of the window: each picture against exports and independent solvers, cancelling, failing, and the dialog."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QMessageBox, QProgressBar, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.engine.shading import FULL_VALUE, colours_of
from app.features.film import plan, view_maker
from app.features.film.encoder import Pixels
from app.features.film.plan import Content, LiftFilm, SweepFilm, TrainingFilm, TurnFilm
from app.features.film.view_maker import FilmMaker, FilmSpec, band, moment_of
from app.features.film.window import FilmDialog
from app.features.relief import text
from app.features.relief.geometry import Camera, limit_of
from app.features.relief.query import Relief, relief_of
from app.features.relief.view_image import relief_image
from app.scene.model import Context, is_present
from app.state.commands import SetLane, SetView
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, SvmSettings, View
from app.views.export.layout import TEXT, PictureSpec, Sheet
from app.views.theme import text_font, theme_of
from app.window.main_window import MainWindow
from solver import SVC, Grid
from solver.kernels.pixels import LEVELS
from tests.app.features.film.decoding import decoded, played
from tests.windows import Make, settle

SIZE = (320, 260)


def moment_now(window: MainWindow) -> Context:
    """Return the present state of `window`."""
    now = window.controller
    return moment_of(now.document, now.session, window.scheduler.results, window.surroundings.grids())


def two() -> Document:
    points = GeneratorSettings("moons", 20, 0.2, 1).points()
    lanes = (Lane("knn", knn=KnnSettings(3)), Lane("svm", svm=SvmSettings("rbf", C=5.0)))
    return Document(points=points, lanes=lanes, view=View.fitting(points))


def spec_of(content: Content, kind: str = "png", rate: int = 10, legend: bool = False) -> FilmSpec:
    lane = PictureSpec(f"lane{content.lane}", *SIZE, 1.0, legend=legend)  # type: ignore[arg-type]
    return FilmSpec(content, lane, kind, rate)


def film(qtbot: QtBot, window: MainWindow, spec: FilmSpec, path: Path) -> list[np.ndarray]:
    """Return the film's pictures, decoded; their durations are those of its plan."""
    maker = FilmMaker(window.scheduler, window.features, window)
    failures: list[str] = []
    maker.failed.connect(failures.append)
    maker.make(moment_now(window), spec, path)
    qtbot.waitUntil(lambda: not maker.busy)
    maker.close()
    assert not failures, failures
    return pictures_in(path, spec.rate)


def pictures_in(path: Path, rate: int) -> list[np.ndarray]:
    found, seconds, _ = decoded(path)
    times = plan.times(1 + round((sum(seconds) - 2000) * rate / 1000), rate)
    return played(found, seconds, times)


def exported(qtbot: QtBot, window: MainWindow, spec: PictureSpec, path: Path, words: str | None = None) -> np.ndarray:
    """Return the export (File > Export picture) of the present window, with other texts above it if given."""
    shot = window.shoot(spec.what)
    if words is not None:
        shot = replace(shot, headlines={shot.lanes[0][0].slot: words})
    assert window.picture_maker.make(shot, spec, path)
    qtbot.waitUntil(lambda: not window.picture_maker.busy)
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return lines[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def rest_at(qtbot: QtBot, window: MainWindow, step: int) -> None:
    window.controller.playback.seek(1, step)
    settle(qtbot, window)
    assert window.result(1).run_state.step == step


def check_against_the_window(
    qtbot: QtBot, window: MainWindow, found: list[np.ndarray], steps: tuple[int, ...], spec: FilmSpec, folder: Path
) -> None:
    length = window.result(1).run_state.length
    for step, picture in zip(steps, found, strict=True):
        rest_at(qtbot, window, step)
        report = "not optimal yet" if step < length else "Optimal to 1e-3"
        words = f"Pair update {step} of {length}: {report}"
        shown = exported(qtbot, window, spec.picture, folder / "one.png", words)
        np.testing.assert_array_equal(picture, shown, err_msg=str(step))


@pytest.mark.slow
def test_each_picture_of_a_training_is_the_export_of_that_step(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(two())
    length = window.result(1).run_state.length
    spec = spec_of(TrainingFilm(1, 2, None, 5), rate=30)
    found = film(qtbot, window, spec, tmp_path / "run.png")
    steps = tuple(int(step) for step in np.round(np.linspace(2, length, 5)))
    check_against_the_window(qtbot, window, found, steps, spec, tmp_path)


def test_pictures_are_of_the_requested_steps(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """By the colours in the file alone, against an independently stepped solver."""
    window = make(two())
    spec, points = spec_of(TrainingFilm(1, 3, 6, 60)), window.document.points
    found = film(qtbot, window, spec, tmp_path / "run.png")
    assert len(found) == 4
    sheet = Sheet(window.shoot("lane1"), spec.picture)
    plot = sheet.plots[0]
    grid, left, top = plot.grid, round(plot.area.left()), round(plot.area.top())
    sheet.close()
    table = colours_of(theme_of(False).shades)
    location = {int(colour) & 0xFFFFFF: row for row, colour in enumerate(table)}
    locations = np.stack(np.meshgrid(grid.xs, grid.ys[::-1]), axis=-1)

    def wrong(picture: np.ndarray, step: int) -> float:
        """Return the share of the pixels of plain colour that a model after `step` steps would colour differently."""
        estimator = SVC(5.0, kernel="rbf", gamma=1.0, random_state=0, solver="smo")
        trainer = estimator.prepare(points.xy, points.labels, shrinking=False)
        trainer.solvers[0].step(step)
        f = (
            estimator.adopt(trainer.snapshot(True))
            .decision_function(locations.reshape(-1, 2))
            .reshape(locations.shape[:2])
        )
        levels = np.minimum(np.minimum(np.abs(f) / FULL_VALUE, 1) * (LEVELS - 1) + 0.5, LEVELS - 1).astype(int)
        inside = picture[top : top + grid.height, left : left + grid.width].astype(int)
        packed = inside[..., 0] << 16 | inside[..., 1] << 8 | inside[..., 2]
        rows = np.vectorize(lambda colour: location.get(int(colour), -1))(packed)
        plain = rows >= 0
        assert plain.mean() > 0.3
        return float((rows != levels + LEVELS * (f > 0))[plain].mean())

    for step, picture in zip(range(3, 7), found, strict=True):
        assert wrong(picture, step) < 0.01 < 0.1 < min(wrong(picture, step - 1), wrong(picture, step + 1))


@pytest.mark.slow
@pytest.mark.smoke
def test_a_film_by_changes_has_each_of_them(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(two())
    found = film(qtbot, window, spec_of(TrainingFilm(1, 0, None, 1000, True)), tmp_path / "run.png")
    points = window.document.points
    machine = SVC(5.0, kernel="rbf", gamma=1.0, random_state=0, solver="smo")
    trainer = machine.prepare(points.xy, points.labels, shrinking=False)
    solver, sets = trainer.solvers[0], []
    while solver.status.name == "RUNNING":
        sets.append(frozenset(np.flatnonzero(solver.alpha)))
        solver.step(1)
    changes = [step for step in range(1, len(sets)) if sets[step] != sets[step - 1]]
    steps = tuple(dict.fromkeys([0, *changes, window.result(1).run_state.length]))
    assert 3 < len(steps) < len(sets)
    check_against_the_window(qtbot, window, found, steps, spec_of(TrainingFilm(1)), tmp_path)


@pytest.mark.slow
def test_a_run_that_began_where_another_ended_is_filmed_as_it_was(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(two())
    fresh = window.result(1).run_state.length
    window.controller.dispatch(SetLane(index=1, lane=Lane("svm", svm=SvmSettings("rbf", C=4.0))))
    settle(qtbot, window)
    length = window.result(1).run_state.length
    assert 0 < length != fresh
    spec = spec_of(TrainingFilm(1, 0, None, 3))
    found = film(qtbot, window, spec, tmp_path / "run.png")
    check_against_the_window(qtbot, window, found, (0, round(length / 2), length), spec, tmp_path)


@pytest.mark.slow
def test_pictures_of_a_sweep_are_exports_of_documents_with_those_values(
    make: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make(two())
    of_k = film(qtbot, window, spec_of(SweepFilm(0, "k", 7, 5, 60)), tmp_path / "k.png")
    of_C = spec_of(SweepFilm(1, "C", 0.1, 100, 2), "webp", legend=True)
    found = film(qtbot, window, of_C, tmp_path / "C.webp")
    assert window.document.lanes == two().lanes
    for k, picture in zip((7, 6, 5), of_k, strict=True):
        window.controller.dispatch(SetLane(index=0, lane=Lane("knn", knn=KnnSettings(k))))
        settle(qtbot, window)
        np.testing.assert_array_equal(
            picture, exported(qtbot, window, PictureSpec("lane0", *SIZE, 1.0, legend=False), tmp_path / "a.png")
        )
    for C, picture in zip((0.1, 100.0), found, strict=True):
        other = make(plan.document_with(two(), 1, "C", C))
        shown = exported(qtbot, other, of_C.picture, tmp_path / "a.png")
        entries = 40  # of the legend below them, which is that of all pictures
        np.testing.assert_array_equal(picture[:-entries], shown[:-entries])


@pytest.mark.slow
def test_a_film_of_all_lanes_leaves_the_others_as_they_are(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(two())
    spec = FilmSpec(TrainingFilm(1, 0, None, 2), PictureSpec("window", 640, 300, 1.0, True, True), "webp", 4)
    found = film(qtbot, window, spec, tmp_path / "all.webp")
    np.testing.assert_array_equal(found[0][40:-90, :310], found[1][40:-90, :310])
    assert (found[0][:-90, 330:] != found[1][:-90, 330:]).any()
    np.testing.assert_array_equal(found[0][-60:], found[1][-60:])  # the legend does not jump
    # The film's legend has the entries of all its pictures.
    bare = replace(spec, picture=replace(spec.picture, legend=False))
    shown = exported(qtbot, window, bare.picture, tmp_path / "a.png")
    for picture in film(qtbot, window, bare, tmp_path / "bare.webp"):
        np.testing.assert_array_equal(picture[40:, :310], shown[40:, :310])


def test_a_film_fits_the_points_in_its_own_shape_where_the_window_shows_them_all(make: Make, qtbot: QtBot) -> None:
    """Else it shows the same as the window: a detail, or a large area."""
    window = make(two(), size=(1280, 800))
    spec = PictureSpec("lane1", 960, 540, 1.25, fitted=True)

    def visible(spec: PictureSpec = spec) -> tuple[Grid, float]:
        sheet = Sheet(window.shoot("lane1"), spec)
        grid = sheet.plots[0].grid
        sheet.close()
        return grid, grid.top - grid.bottom

    points, whole = window.document.points.xy, View.fitting(window.document.points)
    low, high = points.min(axis=0), points.max(axis=0)
    grid, height = visible()
    assert (grid.left, grid.bottom) < tuple(low) and (grid.right, grid.top) > tuple(high)
    assert height == pytest.approx(1.2 * (high - low)[1], rel=0.02), "no more room than round any fitted points"
    assert height < 0.8 * visible(replace(spec, fitted=False))[1]
    tall = Sheet(window.shoot("lane1"), replace(spec, width=540, height=960))
    assert tall.plots[0].grid.right - tall.plots[0].grid.left == pytest.approx(whole.span, rel=0.02)
    tall.close()
    for span in (0.5 * whole.span, 2 * whole.span):
        window.controller.dispatch(SetView(View(whole.x, whole.y, span)))
        settle(qtbot, window)
        assert visible()[0] == visible(replace(spec, fitted=False))[0]
    assert opened(qtbot, window).spec().picture.fitted


@pytest.mark.slow
def test_a_cancelled_film_leaves_nothing(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(two())
    folder, old = tmp_path / "films", b"an older film"
    folder.mkdir()
    (folder / "b.gif").write_bytes(old)
    maker = FilmMaker(window.scheduler, window.features, window)
    visible: list[int] = []
    maker.progressed.connect(lambda done, of, left: visible.append(done))
    for name in ("a.gif", "b.gif"):
        visible.clear()
        maker.make(moment_now(window), spec_of(SweepFilm(1, "C", 0.01, 1000), "gif"), folder / name)
        qtbot.waitUntil(lambda: bool(visible) and visible[-1] > 2)
        encoders = [thread for thread in threading.enumerate() if thread.name == "task"]
        assert maker.cancel() and not maker.busy and encoders
        for thread in encoders:
            thread.join(300)
            assert not thread.is_alive()
        settle(qtbot, window)
        assert [path.name for path in folder.iterdir()] == ["b.gif"] and (folder / "b.gif").read_bytes() == old
    maker.close()


FAULTS = {
    "the encoder fails": (RuntimeError("no colours left"), "(RuntimeError: no colours left)"),
    "there is no memory": (MemoryError(), "not enough memory"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_an_encoder_that_fails_is_a_sentence(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    fault, report = FAULTS[name]

    def fail(kind: str, times: tuple[int, ...], palette: object, pictures: Iterator[Pixels]) -> bytes:
        next(pictures)
        raise fault

    monkeypatch.setattr(view_maker, "encode", fail)
    window = make(two())
    maker = FilmMaker(window.scheduler, window.features, window)
    failures: list[str] = []
    maker.failed.connect(failures.append)
    maker.make(moment_now(window), spec_of(TrainingFilm(1, 0, 3)), tmp_path / "a.png")
    qtbot.waitUntil(lambda: not maker.busy)
    assert len(failures) == 1 and report in failures[0] and failures[0].startswith("The film was not made")
    assert not (tmp_path / "a.png").exists()


def test_a_folder_that_is_not_there_is_a_sentence(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(two())
    maker = FilmMaker(window.scheduler, window.features, window)
    failures: list[str] = []
    maker.failed.connect(failures.append)
    maker.make(moment_now(window), spec_of(TrainingFilm(1, 0, 3)), tmp_path / "nowhere" / "a.png")
    qtbot.waitUntil(lambda: not maker.busy)
    assert len(failures) == 1 and "a.png was not saved" in failures[0]


# -- the dialog --------------------------------------------------------------------------------------------------------


def opened(qtbot: QtBot, window: MainWindow) -> FilmDialog:
    window.named_actions["film"].trigger()
    dialog = window.dock_manager.windows["film"]
    assert isinstance(dialog, FilmDialog)
    choose(dialog, "size", "p360")
    return dialog


def field(dialog: FilmDialog, kind: type, name: str) -> object:
    found = dialog.findChild(kind, f"film.{name}")
    assert found is not None, name
    return found


def choose(dialog: FilmDialog, name: str, data: object) -> None:
    combo = field(dialog, QComboBox, name)
    index = next(index for index in range(combo.count()) if combo.itemData(index) == data)
    combo.setCurrentIndex(index)
    combo.activated.emit(index)


def reports(qtbot: QtBot, dialog: FilmDialog, report: str) -> str:
    label = field(dialog, QLabel, "summary")
    qtbot.waitUntil(lambda: report in label.text())
    return label.text()


@pytest.mark.slow
def test_the_dialog_reports_the_size_of_a_film_and_makes_it(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(two())
    length = window.result(1).run_state.length
    dialog = opened(qtbot, window)
    what = field(dialog, QComboBox, "what")
    assert [what.itemData(index) for index in range(what.count())] == [
        (0, "k"),
        (1, "training"),
        (1, "C"),
        (1, "gamma"),
        (1, "turn"),
    ]
    assert what.currentData() == (1, "training") and field(dialog, QSpinBox, "last").value() == length
    choose(dialog, "rate", 25)
    assert reports(qtbot, dialog, "about").startswith(
        f"{min(60, length + 1)} pictures, {min(59, length) / 25 + 2:.1f} s, about "
    )
    assert not field(dialog, QLabel, "still").pixmap().isNull()
    choose(dialog, "kind", "png")
    choose(dialog, "rate", 30)
    choose(dialog, "kind", "gif")  # which has no rate of 30
    assert field(dialog, QComboBox, "rate").currentData() == 25
    field(dialog, QSpinBox, "count").setValue(12)
    estimate = reports(qtbot, dialog, "12 pictures, ")
    number, unit = estimate.rstrip(".").split("about ")[1].split()
    guessed = float(number) * {"kB": 1e3, "MB": 1e6}[unit]
    save(qtbot, dialog, tmp_path / "a.gif")
    reports(qtbot, dialog, "Saved a.gif")
    found = pictures_in(tmp_path / "a.gif", 25)
    assert len(found) == 12 and found[0].shape == (360, 640, 3)
    assert guessed == pytest.approx((tmp_path / "a.gif").stat().st_size, rel=0.25)
    assert window.status_line.text() == "Saved a.gif." and dialog.isVisible()


def save(qtbot: QtBot, dialog: FilmDialog, path: Path) -> None:
    qtbot.mouseClick(field(dialog, QPushButton, "save"), Qt.MouseButton.LeftButton)
    question = dialog.findChild(QFileDialog, "film.path")
    assert question is not None
    question.fileSelected.emit(str(path))
    question.close()


@pytest.mark.slow
def test_the_dialog_cancels(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(two())
    dialog = opened(qtbot, window)
    choose(dialog, "what", (1, "C"))
    save(qtbot, dialog, tmp_path / "a.gif")
    bar, cancel = field(dialog, QProgressBar, "progress"), field(dialog, QPushButton, "cancel")
    assert not field(dialog, QPushButton, "save").isEnabled() and bar.isVisible()
    assert "left…" in reports(qtbot, dialog, "Picture 2 of 60")
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert "cancelled" in field(dialog, QLabel, "summary").text() and not bar.isVisible()
    save(qtbot, dialog, tmp_path / "b.gif")  # the window is closed while the film is made
    reports(qtbot, dialog, "Picture 1 of 60")
    window.close()
    assert not dialog._maker.busy and not list(tmp_path.glob("*.gif"))


@pytest.mark.slow
def test_the_dialog_follows_the_document_and_refuses(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(two())
    dialog = opened(qtbot, window)
    reports(qtbot, dialog, "about")
    window.controller.dispatch(SetLane(index=1, lane=Lane("knn", knn=KnnSettings(9))))
    settle(qtbot, window)
    what = field(dialog, QComboBox, "what")
    assert [what.itemData(row) for row in range(what.count())] == [(0, "k"), (1, "k")]
    start, stop = field(dialog, QSpinBox, "start"), field(dialog, QSpinBox, "stop")
    assert (start.text(), stop.text()) == ("1", "39")
    start.lineEdit().setText("12")  # typed: exact if the slider has it, else the nearest of its numbers
    stop.lineEdit().setText("1000")
    start.interpretText()
    stop.interpretText()
    assert dialog.content() == SweepFilm(0, "k", 12, 39, 60)
    save(qtbot, dialog, tmp_path / "a.webm")
    alert = window.findChild(QMessageBox)
    assert alert is not None and "must end in .gif, .webp or .png" in alert.text()
    alert.close()
    choose(dialog, "what", (0, "k"))
    reports(qtbot, dialog, "about")
    window.named_actions["marks"].trigger()
    assert reports(qtbot, dialog, "Estimating"), "the pictures look otherwise without marks"
    save(qtbot, dialog, tmp_path / "a.gif")  # the document is replaced while the film is made
    window.controller.dispatch(SetLane(index=1, lane=Lane("svm")))
    settle(qtbot, window)
    reports(qtbot, dialog, "Saved a.gif")
    assert what.currentData() == (0, "k"), "what was chosen stays, though another entry has another name"
    assert [what.itemData(row) for row in range(what.count())][-1] == (1, "turn"), "that of now"
    window.controller.clear()
    settle(qtbot, window)
    assert reports(qtbot, dialog, "nothing to film") == "There is nothing to film: there are no points."
    dialog.close()
    assert "film" not in window.dock_manager.windows


def test_fields_have_names_and_keys_lead_to_them(make: Make, qtbot: QtBot) -> None:
    window = make(two())
    window.controller.lanes.add(1)
    settle(qtbot, window)
    dialog = opened(qtbot, window)
    widget = field(dialog, QComboBox, "what")
    chain = [widget]
    while (widget := widget.nextInFocusChain()) is not chain[0]:
        chain.append(widget)
    wanted = [
        "what",
        "relief",
        "lanes",
        "first",
        "last",
        "places",
        "count",
        "kind",
        "rate",
        "size",
        "width",
        "height",
        "theme",
    ]
    names = [each.objectName().removeprefix("film.") for each in chain if each.objectName().startswith("film.")]
    assert [name for name in names if name in wanted] == wanted
    for name in wanted:
        each = dialog.findChild(QComboBox, f"film.{name}") or dialog.findChild(QSpinBox, f"film.{name}")
        assert each.accessibleName() and each.accessibleDescription() and each.height() >= 24


# -- the relief --------------------------------------------------------------------------------------------------------


def squares() -> Document:
    points = GeneratorSettings("circle", 24, 0.05, 1).points()
    lanes = (Lane("knn", knn=KnnSettings(3)), Lane("svm", svm=SvmSettings("poly", C=5.0, degree=2)))
    return Document(points=points, lanes=lanes, view=View.fitting(points), axes=("length", ""))


def model_after(document: Document, step: int) -> SVC:
    """Return the model of the second lane, stepped independently."""
    svm, points = document.lanes[1].svm, document.points
    estimator = SVC(
        svm.C, kernel=svm.kernel, degree=svm.degree, gamma=svm.gamma, coef0=svm.coef0, random_state=0, solver="smo"
    )
    trainer = estimator.prepare(points.xy, points.labels, shrinking=False)
    if step:
        trainer.solvers[0].step(step)
    return estimator.adopt(trainer.snapshot(True))


def reliefs(window: MainWindow, models: list[SVC], lanes: list[Lane] | None = None) -> list[Relief]:
    document, grid = window.document, window.canvases[1].grid()
    area = grid.left, grid.right, grid.bottom, grid.top
    own = lanes or [document.lanes[1]] * len(models)
    return [relief_of(model, lane, document.points, area) for model, lane in zip(models, own, strict=True)]


def check_reliefs(found: list[np.ndarray], expected: list[Relief], spec: FilmSpec, **views: list[float]) -> None:
    """Below the texts, each picture is exactly `relief_image`, cut off at one height for all of them."""
    top, limit = band(spec.picture), max(limit_of(relief) for relief in expected)
    assert 30 < top < 60 and len(found) == len(expected)
    for number, (picture, relief) in enumerate(zip(found, expected, strict=True)):
        view = {name: values[number] for name, values in views.items()}
        size = SIZE[0], SIZE[1] - top
        own = relief_image(relief, *size, font=text_font(TEXT), names=("length", "x₂"), limit=limit, **view)  # type: ignore[arg-type]
        shown = picture[top:].astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)
        np.testing.assert_array_equal(shown, own & 0xFFFFFF, err_msg=str(number))
        for rows in (picture[10:26], picture[30:top]):  # the classifier, and the step of its training
            assert (rows < 100).any()
        assert (picture[:10] == 255).all()


@pytest.mark.slow
def test_a_training_as_the_relief(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(squares())
    length = window.result(1).run_state.length
    steps = tuple(int(step) for step in np.round(np.linspace(0, length, 4)))
    expected = reliefs(window, [model_after(window.document, step) for step in steps])
    assert len({limit_of(relief) for relief in expected}) > 1
    for kind in ("png", "webp"):
        spec = spec_of(TrainingFilm(1, 0, None, 4, relief=True), kind)
        found = film(qtbot, window, spec, tmp_path / f"run.{kind}")
        check_reliefs(found, expected, spec)
    top = band(spec.picture)
    for before, after in pairwise(found):  # the classifier stays; the step does not
        assert (before[: top // 2] == after[: top // 2]).all() and (
            before[top // 2 : top] != after[top // 2 : top]
        ).any()


@pytest.mark.soak  # its parts are those of a training as the relief and of a flat sweep
def test_a_sweep_as_the_relief(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(squares())
    spec = spec_of(SweepFilm(1, "C", 0.1, 100, 2, relief=True))
    found = film(qtbot, window, spec, tmp_path / "C.png")
    lanes = [plan.document_with(squares(), 1, "C", C).lanes[1] for C in (0.1, 100.0)]
    models = [make(plan.document_with(squares(), 1, "C", C)).result(1).model for C in (0.1, 100.0)]
    check_reliefs(found, reliefs(window, models, lanes), spec)


def test_a_turn_and_a_lift_of_the_lane_as_it_is(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(squares())
    rest_at(qtbot, window, 3)
    turn, lift = spec_of(TurnFilm(1, 4), "webp"), spec_of(LiftFilm(1, 6))
    (relief,) = reliefs(window, [model_after(window.document, 3)])
    found = film(qtbot, window, turn, tmp_path / "turn.webp")
    check_reliefs(found, [relief] * 4, turn, camera=[Camera(azimuth) for azimuth in (325.0, 55.0, 145.0, 235.0)])
    found = film(qtbot, window, lift, tmp_path / "lift.png")
    check_reliefs(found, [relief] * 5, lift, morph=[0.0, 0.5, 1.0, 0.5, 0.0])
    # A relief of a discarded training would be wrong: it is trained anew.
    window.controller.dispatch(SetLane(index=1, lane=Lane("svm", svm=SvmSettings("linear"))))
    moment = moment_now(window)
    frame = moment.results.frame(moment.document.slots[1])
    assert frame is not None and not is_present(moment.document, 1, frame)


@pytest.mark.slow
def test_the_dialog_offers_the_relief(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(squares())
    dialog = opened(qtbot, window)
    what = field(dialog, QComboBox, "what")
    able = [what.itemData(index) for index in range(what.count())]
    assert able[-2:] == [(1, "turn"), (1, "lift")] and what.currentData() == (1, "training")
    picture, lanes, legend = (field(dialog, QWidget, name) for name in ("relief", "lanes", "legend"))
    assert picture.isVisible() and lanes.isVisible() and legend.isVisible()
    choose(dialog, "lanes", True)
    choose(dialog, "relief", True)
    assert dialog.content() == replace(dialog.content(), relief=True) and dialog.spec().picture.what == "lane1"
    assert not lanes.isVisible() and not legend.isVisible()
    field(dialog, QSpinBox, "count").setValue(2)
    reports(qtbot, dialog, "2 pictures, 2.1 s, about")
    assert not field(dialog, QLabel, "still").pixmap().isNull()
    choose(dialog, "what", (0, "k"))
    assert reports(qtbot, dialog, "no f") == text.without(window.document.lanes[0])
    choose(dialog, "what", (1, "lift"))
    assert dialog.content() == LiftFilm(1, 2) and not picture.isVisible()
    assert not field(dialog, QSpinBox, "first").isVisible() and not field(dialog, QSpinBox, "start").isVisible()
    field(dialog, QSpinBox, "count").setValue(6)
    reports(qtbot, dialog, "5 pictures, 2.4 s")
    choose(dialog, "kind", "webp")
    save(qtbot, dialog, tmp_path / "lift.webp")
    reports(qtbot, dialog, "Saved lift.webp")
    found = pictures_in(tmp_path / "lift.webp", 10)
    assert len(found) == 5 and (found[0] == found[4]).all() and (found[0] != found[2]).any()
