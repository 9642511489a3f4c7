"""Exported pictures: size, correctness of every sampled pixel, SVG, clipboard, failures, and the window meanwhile."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontInfo, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QMessageBox, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.engine import export_surface
from app.engine.export_surface import enlarge, joined
from app.engine.frames import Phase, Picture
from app.engine.shading import colours_of
from app.features.kkt.scene import KktSession
from app.features.table import FEATURES
from app.files import documents, png
from app.files.background_task import CancelledError, Progress
from app.scene.status_badge import StatusPart
from app.scene.text import LEGEND
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, SvmSettings, View
from app.views.export import flow, maker, tikz
from app.views.export.layout import PRESETS, TEXT, PictureSpec, Sheet, scale_for, screen_size, shoot
from app.views.theme import theme_of
from app.window.dialogs.export_picture import PictureDialog
from app.window.main_window import MainWindow
from solver import Grid
from solver.kernels.pixels import LEVELS
from tests.covering import first_of, first_rows
from tests.windows import Make, settle

THREE = GeneratorSettings("blobs", 40, 0.35, 1, 0.0, 3)


def three() -> Document:
    points = THREE.points()
    lanes = (Lane("knn", knn=KnnSettings(4)), Lane("svm", svm=SvmSettings("poly", 10.0)))
    return Document(points=points, lanes=lanes, view=View.fitting(points))


def export(qtbot: QtBot, window: MainWindow, spec: PictureSpec, path: Path | None) -> None:
    assert window.picture_maker.make(window.shoot(spec.what), spec, path)
    qtbot.waitUntil(lambda: not window.picture_maker.busy)


def pixels_of(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.width()).copy()


def sheet_of(window: MainWindow, spec: PictureSpec) -> Sheet:
    """Return the same layout again, for its positions."""
    return Sheet(window.shoot(spec.what), spec)


def check_surfaces(window: MainWindow, spec: PictureSpec, pixels: np.ndarray, count: int) -> None:
    """Check that sampled pixels away from points and lines have the colour of the model's prediction at their
    middle.
    """
    assert pixels.shape == (spec.height, spec.width)
    table = colours_of(theme_of(spec.dark).shades)
    index = {int(colour): row for row, colour in enumerate(table)}
    sheet = sheet_of(window, spec)
    shades = theme_of(spec.dark).shades
    rng = np.random.default_rng(4)
    for plot in sheet.plots:
        frame, grid = plot.model_frame, plot.grid
        pictures: list[Picture | str] = []
        for _ in enlarge(frame, grid, shades, pictures.append, lambda: False):
            pass
        lines = np.concatenate([pictures[0].boundary, pictures[0].margins])
        obstacles = np.concatenate([lines[np.isfinite(lines).all(axis=1)], frame.points.xy])
        left, top = plot.area.left() * spec.scale, plot.area.top() * spec.scale
        assert left == round(left) and top == round(top)
        assert (plot.area.width() * spec.scale, plot.area.height() * spec.scale) == (grid.width, grid.height)
        where, rows = [], []
        while len(where) < count:
            i, j = int(rng.integers(1, grid.width - 1)), int(rng.integers(1, grid.height - 1))
            at = np.array([grid.xs[i], grid.ys[j]])
            if np.hypot(*((obstacles - at) / grid.pixel).T).min() < 16 * spec.scale:
                continue
            where.append(at)
            rows.append(index[int(pixels[round(top) + grid.height - 1 - j, round(left) + i])])
        levels = np.array(rows)
        tie = levels == len(table) - 1
        predicted = frame.model.predict(np.array(where))
        np.testing.assert_array_equal(levels[~tie] // LEVELS, predicted[~tie])
        assert tie.mean() < 0.2 and len(set(predicted)) > 1
    sheet.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    first_of(
        [
            PictureSpec("window", 1001, 701, 1.25, dark=True),
            PictureSpec("lane1", 640, 480, 1.0, legend=False),
            PictureSpec("lane0", 1203, 900, 2.5),
            PictureSpec("window", 1920, 1080, 1.75),
        ],
        2,
    ),
    ids=["odd", "plain", "print", "projector"],
)
def test_a_png_has_the_requested_size_and_shows_the_predictions(
    make: Make, qtbot: QtBot, tmp_path: Path, spec: PictureSpec
) -> None:
    window = make(three())
    path = tmp_path / "a.png"
    export(qtbot, window, spec, path)
    image = QImage(str(path))
    assert (image.width(), image.height()) == (spec.width, spec.height)
    check_surfaces(window, spec, pixels_of(image), 150)
    assert window.status_line.text() == "Saved a.png."


@pytest.mark.slow
def test_four_classifiers_stand_two_by_two_as_on_screen(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    lanes = (*three().lanes, Lane("knn", knn=KnnSettings(1)), Lane("knn", knn=KnnSettings(9)))
    window = make(replace(three(), lanes=lanes, slots=(0, 1, 2, 3), shown=4), size=(1280, 800))
    path = tmp_path / "a.png"
    for spec in (
        PictureSpec("window", 1200, 900, 1.25),
        PictureSpec("window", *screen_size(window.canvases, "window")),
    ):
        export(qtbot, window, spec, path)
        check_surfaces(window, spec, pixels_of(QImage(str(path))), 40)
        sheet = sheet_of(window, spec)
        areas = [plot.area for plot in sheet.plots]
        assert len({area.left() for area in areas}) == len({area.top() for area in areas}) == 2
        assert min(areas[2].top(), areas[3].top()) > areas[0].bottom() + 2 * TEXT, "words between the rows"
        sheet.close()
    for spec, rows in ((PictureSpec("window", 2400, 600, 1.0), 1), (PictureSpec("window", 700, 2000, 1.0), 2)):
        sheet = sheet_of(window, spec)
        assert len({plot.area.top() for plot in sheet.plots}) == rows, spec
        sheet.close()


def test_points_stand_on_their_pixels_in_the_theme_of_the_picture(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    points = Points.of([[0.0, 0.0], [1.0, 0.5], [0.3, 0.9], [-0.6, 0.2]], [0, 1, 4, 7])
    nearest = Lane("knn", knn=KnnSettings(1))  # no point is wrong, so no cross covers one
    window = make(Document(points=points, lanes=(nearest, nearest), view=View.fitting(points)))
    for dark in (False, True):
        spec = PictureSpec("lane0", 900, 700, 2.25, dark=dark)
        export(qtbot, window, spec, tmp_path / "p.png")
        pixels, theme = pixels_of(QImage(str(tmp_path / "p.png"))), theme_of(dark)
        sheet = sheet_of(window, spec)
        plot = sheet.plots[0]
        area, grid = plot.area, plot.grid
        for (x, y), label in zip(points.xy, points.labels, strict=True):
            column = area.left() * 2.25 + (x - grid.left) / (grid.right - grid.left) * grid.width
            row = area.bottom() * 2.25 - (y - grid.bottom) / (grid.top - grid.bottom) * grid.height
            red, green, blue = theme.classes[label]
            assert pixels[int(row), int(column)] == 0xFF000000 | red << 16 | green << 8 | blue
        red, green, blue = theme.background
        assert pixels[0, 0] == 0xFF000000 | red << 16 | green << 8 | blue
        sheet.close()
    assert not window.scene.session.dark or window.controller.session.theme == "system"


@pytest.mark.parametrize("scale", first_of([1.75, 1.0, 2.5], 1))
def test_strips_make_the_picture_that_one_stroke_would(
    make: Make, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    window = make(three())
    spec = PictureSpec("window", 1100, 800, scale)
    sheet = sheet_of(window, spec)
    shades = theme_of(False).shades
    pictures: list[Picture | str] = []
    for plot in sheet.plots:
        for _ in enlarge(plot.model_frame, plot.grid, shades, pictures.append, lambda: False):
            pass
    sheet.show(pictures)
    found = []
    for most in (10**9, 40_000):
        monkeypatch.setattr(flow, "STRIP_PIXELS", most)
        pixels = np.zeros((spec.height, spec.width), dtype=np.uint32)
        row = strips = 0
        while row < spec.height:
            row = flow.paint_strip(sheet, pixels, row)
            strips += 1
        found.append(pixels)
        assert strips == 1 if most == 10**9 else strips > 10
    steps = [np.abs((found[0] >> s & 255).astype(int) - (found[1] >> s & 255).astype(int)) for s in (0, 8, 16)]
    assert np.max(steps, axis=0).mean() < 0.01 and (np.max(steps, axis=0) > 40).mean() < 1e-4
    sheet.close()


def test_a_picture_shows_the_points_its_model_was_trained_on(make: Make) -> None:
    window = make(three())
    old = window.result(1)
    window.controller.clear()
    window.refreshing.flush()
    sheet = Sheet(shoot(FEATURES, window.scene, [window.result(0), old], "lane1"), PictureSpec("lane1"))
    assert len(window.scene.points.xy) == 0 and sheet.plots[0].scene.points.xy is old.points.xy
    assert sheet.entries[0] == ("0", "Class 1: 40 points")
    sheet.close()


@pytest.mark.parametrize(("width", "height"), first_rows([(600, 1100), (1600, 600), (900, 900)], 1))
def test_points_at_the_sides_of_the_screen_are_not_cut_off(make: Make, width: int, height: int) -> None:
    xy = [[-3.2, 0.0], [3.2, 0.1], [0.2, 0.4], [0.0, -0.5], [900.0, 0.0]]
    points = Points.of(xy, [0, 1, 0, 1, 0])
    lane = Lane("knn", knn=KnnSettings(1))
    window = make(Document(points=points, lanes=(lane,), shown=1, view=View(0.0, 0.0, 3.6)), size=(1500, 700))
    visible = window.canvases[0].grid()
    assert visible.right > 3.2 and window.canvases[0].plot_area().width() > window.canvases[0].plot_area().height()
    sheet = sheet_of(window, PictureSpec("lane0", width, height, 1.0))
    grid = sheet.plots[0].grid
    edge = 9 * (grid.right - grid.left) / grid.width
    assert grid.left + edge < -3.2 and 3.2 + edge < grid.right
    assert grid.right < 100  # parts that were not visible stay so
    assert ((grid.right - grid.left) / grid.width) == pytest.approx((grid.top - grid.bottom) / grid.height)
    sheet.close()


def test_a_picture_of_the_screens_shape_shows_the_same_part(make: Make) -> None:
    window = make(three())
    sheet = sheet_of(window, PictureSpec("window", 1920, 1080, 1.75))
    view = window.document.view
    for plot in sheet.plots:
        assert min(plot.grid.right - plot.grid.left, plot.grid.top - plot.grid.bottom) == pytest.approx(view.span)
    sheet.close()


def test_resolution_for_print_is_in_the_file(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(three())
    export(qtbot, window, PictureSpec("lane0", 600, 400, 1.0, dpi=300), tmp_path / "a.png")
    assert QImage(str(tmp_path / "a.png")).dotsPerMeterX() == 11811


def test_an_svg_has_texts_as_text_and_symbols_as_paths(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(three())
    spec = PictureSpec("window", 1000, 640, 1.0)
    path = tmp_path / "a.svg"
    export(qtbot, window, spec, path)
    root = ElementTree.parse(path).getroot()
    name = "{http://www.w3.org/2000/svg}"
    texts = " ".join("".join(element.itertext()) for element in root.iter(f"{name}text"))
    for words in ("kNN, k = 4", "SVM, polynomial", "Class 3: 40 points", "Decision boundary"):
        assert words.lower() in texts.lower()
    fonts = {value for element in root.iter() if (value := element.get("font-family"))}
    assert fonts == {f"{QFontInfo(QGuiApplication.font()).family()}, sans-serif"}, "any such font elsewhere"
    images = list(root.iter(f"{name}image"))
    sheet = sheet_of(window, spec)
    assert len(images) == 2, "surfaces are the only pictures"
    marks = window.result(1).marks
    symbols = 2 * 120 + sum(map(len, (marks.bounded, marks.free, marks.wrong))) + len(window.result(0).marks.wrong)
    assert len(list(root.iter(f"{name}path"))) >= symbols
    renderer = QSvgRenderer(str(path))
    assert renderer.isValid()
    image = QImage(1000, 640, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    check_surfaces(window, spec, pixels_of(image), 60)
    sheet.close()


def test_an_svg_of_very_many_points_holds_them_as_a_picture(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    points = Points.of(rng.normal(size=(15_000, 2)), rng.integers(0, 2, 15_000))
    window = make(Document(points=points, lanes=(Lane("knn"), Lane("knn")), shown=1, view=View.fitting(points)))
    export(qtbot, window, PictureSpec("lane0", 800, 600, 1.0), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_bytes()
    assert len(re.findall(rb"<image", text)) >= 2 and len(text) < 4_000_000
    assert QSvgRenderer(str(tmp_path / "a.svg")).isValid()


def test_the_clipboard_holds_the_picture(make: Make, qtbot: QtBot) -> None:
    window = make(three())
    spec = PictureSpec("lane0", 500, 400, 1.0, dark=True)
    export(qtbot, window, spec, None)
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (500, 400)
    check_surfaces(window, spec, pixels_of(image), 60)


def alerts(window: MainWindow) -> list[str]:
    return [box.text() for box in window.findChildren(QMessageBox, "alert")]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_full_disk_is_one_sentence_and_leaves_nothing_behind(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    window = make(three())
    folder = tmp_path / "there"
    folder.mkdir()
    path = folder / f"a.{suffix}"
    path.write_bytes(b"old")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        export(qtbot, window, PictureSpec("lane0", 400, 300, 1.0), path)
    assert alerts(window) == [f"a.{suffix} was not saved: no space left on device."]
    assert [each.name for each in folder.iterdir()] == [path.name] and path.read_bytes() == b"old"
    window.findChild(QMessageBox, "alert").close()
    export(qtbot, window, PictureSpec("lane0", 400, 300, 1.0), path)
    assert path.stat().st_size > 1000


@pytest.mark.slow
def test_a_folder_that_vanished_and_a_failing_model_are_sentences(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make(three())
    export(qtbot, window, PictureSpec("lane0", 400, 300, 1.0), tmp_path / "gone" / "a.png")
    assert len(alerts(window)) == 1 and "a.png was not saved" in alerts(window)[0]

    def explode(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr("app.engine.export_surface.source_of", explode)
    export(qtbot, window, PictureSpec("lane1", 400, 300, 1.0), tmp_path / "b.png")
    assert "not enough memory for a picture" in alerts(window)[1]
    assert not (tmp_path / "b.png").exists()
    window.controller.set_lane(1, "svm", C=2.0)
    settle(qtbot, window)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"width": 12_000, "height": 12_000}, "too many"),
        ({"width": 199}, "200 to"),
        ({"height": 12_001}, "200 to"),
        ({"scale": 1.1}, "quarter"),
    ],
)
def test_an_impossible_picture_is_refused_in_a_sentence(changes: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(PictureSpec(), **changes)


def test_presets_and_custom_sizes_are_possible() -> None:
    for preset in PRESETS:
        PictureSpec("window", preset.width, preset.height, preset.scale)
        assert 10 * preset.scale * preset.height / 1080 > 0
        height = 12 * preset.scale / preset.height
        assert height > 0.0165, "text no smaller than a sixtieth of the picture"
        if preset.dpi:
            assert 12 * preset.scale / preset.dpi * 72 > 7, "points on paper"
    for width, height in ((200, 200), (12_000, 200), (200, 12_000), (1234, 987), (10_000, 10_000)):
        PictureSpec("window", width, height, scale_for(width, height))


@pytest.mark.parametrize("size", first_of([(200, 200), (12_000, 200), (200, 3000), (420, 260)], 2))
def test_the_oddest_sizes_have_a_picture(make: Make, qtbot: QtBot, tmp_path: Path, size: tuple[int, int]) -> None:
    window = make(three())
    export(qtbot, window, PictureSpec("window", *size, scale_for(*size)), tmp_path / "a.png")
    image = QImage(str(tmp_path / "a.png"))
    assert (image.width(), image.height()) == size and not alerts(window)


@pytest.mark.slow
def test_an_export_in_the_middle_of_training_shows_and_labels_one_frozen_frame(
    make: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make()
    window.controller.playback.set_speed(1, 4)  # 10 steps a second
    window.controller.playback.restart(1)
    qtbot.waitUntil(lambda: window.result(1).phase is Phase.TRAINING and window.result(1).certificate.n_iter >= 2)
    window.refreshing.flush()
    spec = PictureSpec("lane1", 700, 500, 1.0)
    shot = window.shoot("lane1")
    frame = shot.lanes[0][1]
    sheet = Sheet(shot, spec)
    assert sheet.plots[0].headline == "Training…" and sheet.plots[0].title == frame.lane.title
    sheet.close()
    assert window.picture_maker.make(shot, spec, tmp_path / "a.png")
    qtbot.waitUntil(lambda: not window.picture_maker.busy)
    grown = window.result(1)
    window.controller.playback.set_speed(1, 99)
    settle(qtbot, window)
    pixels = pixels_of(QImage(str(tmp_path / "a.png")))
    sheet = Sheet(shot, spec)
    plot = sheet.plots[0]
    table = {int(colour): row for row, colour in enumerate(colours_of(theme_of(False).shades))}
    grid = plot.grid
    visible = checked = 0
    for j in range(3, grid.height, 9):
        for i in range(3, grid.width, 9):
            row = table.get(int(pixels[round(plot.area.top()) + grid.height - 1 - j, round(plot.area.left()) + i]))
            if row is None:
                continue  # a symbol or a line
            checked += 1
            f = float(frame.model.decision_function(np.array([[grid.xs[i], grid.ys[j]]]))[0])
            visible += row // LEVELS == int(f > 0) and abs(min(abs(f) / 2, 1) * (LEVELS - 1) - row % LEVELS) <= 1.0
    assert checked > 500 and visible == checked, "the frame that was asked for, not a newer one"
    assert grown is not None
    sheet.close()


def test_pictures_explain_an_empty_document_and_a_lone_class(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    for number, points in enumerate((Points(), Points.of([[0, 0], [1, 1.0]], [2, 2]))):
        window = make(Document(points=points, view=View.fitting(points)))
        export(qtbot, window, PictureSpec("window", 800, 500, 1.0), tmp_path / f"{number}.svg")
        root = ElementTree.parse(tmp_path / f"{number}.svg").getroot()
        texts = " ".join(root.itertext())
        assert "Waiting for" in texts and "Click" not in texts and "click" not in texts


def test_a_picture_shows_why_a_lane_failed(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    lane = Lane("svm", svm=SvmSettings(kernel="sigmoid", hard_margin=True))
    window = make(replace(three(), lanes=(Lane("knn"), lane)))
    export(qtbot, window, PictureSpec("lane1", 800, 500, 1.0), tmp_path / "a.svg")
    texts = " ".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    assert "No picture" in texts and "choose a finite C" in " ".join(texts.split())


def test_closing_the_window_while_a_picture_is_made_leaves_nothing_running(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, begun = threading.Event(), threading.Event()
    encode = png.encode

    def slow(pixels: np.ndarray, dpm: int, progress: object) -> bytes:
        begun.set()
        go.wait(300)
        return encode(pixels, dpm)

    monkeypatch.setattr(maker.png, "encode", slow)
    window = make(three())
    path = tmp_path / "a.png"
    assert window.picture_maker.make(window.shoot("window"), PictureSpec("window", 900, 600, 1.0), path)
    qtbot.waitUntil(begun.is_set)
    assert window.close()
    go.set()
    qtbot.waitUntil(lambda: not [thread for thread in threading.enumerate() if thread.name == "task"])
    assert not path.exists() and not window.picture_maker.busy


@pytest.mark.slow
def test_closing_the_window_while_a_surface_is_computed_is_quiet(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(three())
    assert window.picture_maker.make(window.shoot("window"), PictureSpec("window", 6000, 4000, 4.0), tmp_path / "a.png")
    qtbot.wait(300)
    assert window.picture_maker.busy
    assert window.close()
    qtbot.wait(50)
    assert not (tmp_path / "a.png").exists()


@pytest.mark.slow
def test_neither_surface_nor_file_is_made_in_the_windows_thread(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make(three())
    where: dict[str, set[str]] = {}

    def watched(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            where.setdefault(name, set()).add(threading.current_thread().name)
            return function(*arguments)

        return call

    monkeypatch.setattr(export_surface, "colour", watched("surface", export_surface.colour))
    monkeypatch.setattr(maker.png, "encode", watched("png", png.encode))
    monkeypatch.setattr(documents, "write_bytes", watched("file", documents.write_bytes))
    for suffix in ("png", "svg"):
        export(qtbot, window, PictureSpec("window", 600, 400, 1.0), tmp_path / f"a.{suffix}")
    assert {name.partition("-")[0] for name in where.pop("surface")} == {"compute"}
    assert where == {"png": {"task"}, "file": {"task"}}


@pytest.mark.slow
def test_the_window_works_on_and_a_second_picture_waits_its_turn(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(three())
    assert window.picture_maker.make(window.shoot("window"), PictureSpec("window", 3000, 2000, 3.0), tmp_path / "a.png")
    assert not window.picture_maker.make(window.shoot("lane0"), PictureSpec("lane0"), tmp_path / "b.png")
    assert "still being made" in window.status_line.text()
    window.controller.set_lane(0, "knn", n_neighbors=1)
    qtbot.waitUntil(lambda: window.result(0).model.n_neighbors == 1)
    assert window.picture_maker.busy
    qtbot.waitUntil(lambda: not window.picture_maker.busy)
    assert QImage(str(tmp_path / "a.png")).width() == 3000 and not (tmp_path / "b.png").exists()


# -- the dialog --------------------------------------------------------------------------------------------------------


def dialog_of(qtbot: QtBot, window: MainWindow) -> PictureDialog:
    window.named_actions["picture"].trigger()
    dialog = window.findChild(PictureDialog)
    qtbot.waitExposed(dialog)
    return dialog


def choose(dialog: PictureDialog, name: str, data: str) -> None:
    combo = dialog.findChild(QComboBox, f"picture.{name}")
    combo.setCurrentIndex(combo.findData(data))
    combo.activated.emit(combo.currentIndex())


@pytest.mark.slow
def test_the_dialog_saves_what_was_chosen_and_remembers_it(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(three())
    dialog = dialog_of(qtbot, window)
    choose(dialog, "what", "lane1")
    choose(dialog, "preset", "print15")
    choose(dialog, "theme", "dark")
    width, height = dialog.findChild(QSpinBox, "picture.width"), dialog.findChild(QSpinBox, "picture.height")
    assert (width.value(), height.value()) == (1772, 1181)
    assert dialog.spec() == PictureSpec("lane1", 1772, 1181, 2.5, True, True, 300)
    width.setValue(640)
    assert dialog.spec() == PictureSpec("lane1", 640, 1181, scale_for(640, 1181), True, True, 0)
    height.setValue(480)
    qtbot.mouseClick(dialog.findChild(QPushButton, "picture.save"), Qt.MouseButton.LeftButton)
    asked = dialog.findChild(QFileDialog, "picture.path")
    asked.fileSelected.emit(str(tmp_path / "chosen.png"))
    qtbot.waitUntil(lambda: (tmp_path / "chosen.png").exists() and not window.picture_maker.busy)
    image = QImage(str(tmp_path / "chosen.png"))
    assert (image.width(), image.height()) == (640, 480)
    qtbot.waitUntil(lambda: window.findChild(PictureDialog) is None)
    again = dialog_of(qtbot, window)
    assert again.spec() == PictureSpec("lane1", 640, 480, scale_for(640, 480), True, True, 0)
    choose(again, "preset", "screen")
    spec = again.spec()
    canvas = window.canvases[1]
    assert spec.scale == 1.0 and spec.width >= canvas.width() and spec.height > canvas.height()
    again.close()


@pytest.mark.slow
def test_the_dialog_copies_and_refuses(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(three())
    dialog = dialog_of(qtbot, window)
    dialog.findChild(QSpinBox, "picture.width").setValue(12_000)
    dialog.findChild(QSpinBox, "picture.height").setValue(12_000)
    qtbot.mouseClick(dialog.findChild(QPushButton, "picture.copy"), Qt.MouseButton.LeftButton)
    assert "too many" in alerts(window)[0] and not window.picture_maker.busy
    window.findChild(QMessageBox, "alert").close()
    choose(dialog, "preset", "screen")
    qtbot.mouseClick(dialog.findChild(QPushButton, "picture.save"), Qt.MouseButton.LeftButton)
    files = dialog.findChild(QFileDialog)
    files.fileSelected.emit(str(tmp_path / "a.jpg"))
    files.reject()
    assert any("end in .png, .svg or .tex" in text for text in alerts(window)) and not window.picture_maker.busy
    choose(dialog, "preset", "screen")
    QGuiApplication.clipboard().clear()
    qtbot.mouseClick(dialog.findChild(QPushButton, "picture.copy"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.picture_maker.busy)
    assert QGuiApplication.clipboard().image().width() > 800


@pytest.mark.slow
def test_the_dialog_is_named_reachable_by_key_and_large_enough_to_hit(make: Make, qtbot: QtBot) -> None:
    window = make(three())
    dialog = dialog_of(qtbot, window)
    names = ["what", "preset", "width", "height", "theme", "legend", "accuracies", "save", "copy"]
    widgets = [dialog.findChild(QWidget, f"picture.{name}") for name in names]
    for widget in widgets:
        assert widget.accessibleName() and widget.accessibleDescription()
        assert widget.height() >= 24 and widget.width() >= 24
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    widgets[0].setFocus()
    walked = [dialog.focusWidget()]
    for _ in names[1:]:
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        walked.append(dialog.focusWidget())
    assert walked == widgets
    assert dialog.isModal() and window.named_actions["picture"].shortcut().toString() == "Ctrl+E"
    dialog.close()


# -- the parts ---------------------------------------------------------------------------------------------------------


def test_png_round_trip_and_giving_up(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (3, 700), (701, 5), (400, 1300)):
        pixels = rng.integers(0, 2**24, shape, dtype=np.uint32) | np.uint32(0xFF000000)
        image = QImage.fromData(png.encode(pixels), "PNG")
        np.testing.assert_array_equal(pixels_of(image), pixels)
    progress = Progress()
    progress.cancel()
    with pytest.raises(CancelledError):
        png.encode(pixels, 0, progress)


def test_lines_in_bands_come_together_again() -> None:
    t = np.linspace(0, 2 * np.pi, 101)
    circle = np.column_stack([np.cos(t), np.sin(t)])
    cut = [np.concatenate([circle[60:81][::-1], [[np.nan] * 2], circle[:31]]), circle[30:61], circle[80:]]
    whole = joined(cut, (0.01, 0.01))
    assert np.isfinite(whole).all() and len(whole) == len(circle)
    assert np.hypot(*np.diff(whole, axis=0).T).max() < 0.07
    apart = joined([circle[:20], circle[40:60] + 5], (0.01, 0.01))
    assert np.isnan(apart[:, 0]).sum() == 1 and len(apart) == 41
    assert joined([], 0.01).shape == (0, 2)


@pytest.mark.slow
def test_an_enlarged_picture_is_the_lanes_own_at_the_same_size(make: Make) -> None:
    window = make()
    for lane in (0, 1):
        frame = window.result(lane)
        answers: list[Picture | str] = []
        grid: Grid = frame.picture.grid
        for _ in enlarge(frame, grid, theme_of(window.scene.session.dark).shades, answers.append, lambda: False):
            pass
        (picture,) = answers
        differing = (picture.argb != frame.picture.argb).mean()
        assert differing < 1e-3, "but for rounding where the last multipliers were added one by one"
        for found, expected in ((picture.boundary, frame.picture.boundary), (picture.margins, frame.picture.margins)):
            pieces = np.isnan(found[:, 0]).sum() if len(found) else 0
            assert pieces == (np.isnan(expected[:, 0]).sum() if len(expected) else 0)

            def length(lines: np.ndarray) -> float:
                return float(np.nansum(np.hypot(*np.diff(lines, axis=0).T)))

            assert length(found) == pytest.approx(length(expected), rel=0.01)


@pytest.mark.slow
def test_the_legend_names_no_mark_that_the_cases_of_points_replace(make: Make, qtbot: QtBot) -> None:
    window = make(Document(points=THREE.points(), lanes=(Lane("svm"),), shown=1, view=View.fitting(THREE.points())))
    marks = {"free", "bounded"}
    for shown in (marks, set[str]()):
        sheet = sheet_of(window, PictureSpec("lane0"))
        assert marks & dict(sheet.entries).keys() == shown == marks & window.scene.legend_kinds
        sheet.close()
        window.controller.toggle("kkt", KktSession)
        settle(qtbot, window)


@pytest.mark.slow
def test_the_legend_names_what_is_drawn_and_nothing_else(make: Make) -> None:
    window = make(three())
    frames = [window.result(0), window.result(1)]
    of_both = Sheet(shoot(FEATURES, window.scene, frames, "window"), PictureSpec("window"))
    of_knn = Sheet(shoot(FEATURES, window.scene, frames, "lane0"), PictureSpec("lane0"))
    without = Sheet(shoot(FEATURES, window.scene, frames, "lane0"), PictureSpec("lane0", legend=False))
    tiny = Sheet(shoot(FEATURES, window.scene, frames, "window"), PictureSpec("window", 300, 200, 1.0))
    classes = [(str(c), f"Class {c + 1}: 40 points") for c in range(3)]
    absent = ("test", "orders", "second", "chosen", "kept", "probability", "selected", "maybe", "pie3")
    assert of_both.entries == classes + [(kind, text) for kind, text in LEGEND if kind not in absent]
    of_svm = ("margin", "free", "bounded")
    assert of_knn.entries == [entry for entry in of_both.entries if entry[0] not in of_svm]
    assert without.entries == [] == tiny.entries
    lanes = tuple(msgspec.structs.replace(lane, shading="probability") for lane in three().lanes)
    window = make(replace(three(), lanes=lanes))
    shaded = Sheet(shoot(FEATURES, window.scene, [window.result(0), window.result(1)], "window"), PictureSpec("window"))
    kinds = [kind for kind, _ in shaded.entries]
    assert "probability" in kinds and "margin" not in kinds
    lone = Points.of([[0, 0], [1, 1.0]], [2, 2])
    window = make(Document(points=lone, view=View.fitting(lone)))
    of_one = Sheet(shoot(FEATURES, window.scene, [window.result(0), window.result(1)], "window"), PictureSpec("window"))
    assert of_one.entries == [("2", "Class 3: 2 points")], "no line, no mark, no tie"
    tied = Points.of([[0, 0], [0, 0], [1, 1.0], [1, 1.0]], [0, 1, 0, 1])  # each location has equally many of both
    window = make(Document(points=tied, lanes=(Lane("knn", knn=KnnSettings(4)),), shown=1, view=View.fitting(tied)))
    of_tie = Sheet(shoot(FEATURES, window.scene, [window.result(0)], "lane0"), PictureSpec("lane0"))
    kinds = [kind for kind, _ in of_tie.entries]
    assert "tie" in kinds and "boundary" not in kinds and "margin" not in kinds
    window = make(Document(points=THREE.points(), lanes=(Lane("svm"),), shown=1, view=View(0.0, 0.0, 1e-3)))
    untied = Sheet(shoot(FEATURES, window.scene, [window.result(0)], "lane0"), PictureSpec("lane0"))
    assert window.result(0).picture.tied == 0 and "tie" not in dict(untied.entries)
    for sheet in (of_both, of_knn, without, tiny, of_one, of_tie, untied):
        sheet.close()


@pytest.mark.slow
def test_a_picture_has_the_accuracies_if_requested(make: Make, qtbot: QtBot) -> None:
    """Those of the status lines at that time; none while they are being computed."""
    window = make()
    settle(qtbot, window)
    dialog = dialog_of(qtbot, window)
    assert not dialog.spec().accuracies
    dialog.findChild(QCheckBox, "picture.accuracies").setFocus()
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Space)
    spec = dialog.spec()
    qtbot.mouseClick(dialog.findChild(QPushButton, "picture.copy"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.picture_maker.busy)
    with_them, without = sheet_of(window, spec), sheet_of(window, replace(spec, accuracies=False))
    for plot, bare, lane in zip(with_them.plots, without.plots, window.scene.lanes, strict=True):
        training, test = (each.text for each in lane.scores)
        assert plot.headline == f"{bare.headline}\nT{training[1:]} · {test}" and " %" in training and " %" in test
    asking = replace(
        window.scene.lanes[0], scores=(StatusPart("test …", ""), StatusPart("on its own training points", ""))
    )
    waiting = shoot(
        FEATURES, replace(window.scene, lanes=(asking, *window.scene.lanes[1:])), [window.result(0)] * 2, "lane0"
    )
    sheet = Sheet(waiting, spec)
    assert "\n" not in sheet.plots[0].headline
    for each in (with_them, without, sheet):
        each.close()
    again = dialog_of(qtbot, window)
    assert again.spec().accuracies, "it is remembered"
    again.close()


@pytest.mark.slow
def test_a_tex_file_has_points_and_lines_as_code_and_surfaces_beside_it(
    make: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make(three())
    settle(qtbot, window)
    path = tmp_path / "my picture ü.tex"
    export(qtbot, window, PictureSpec("window", 900, 600, 1.0), path)
    text = path.read_text()
    assert text.startswith(r"\documentclass") and text.count(r"\begin{axis}") == text.count(r"\end{axis}") == 2
    names = re.findall(r"addplot graphics \[.*?\] \{(.*?)\}", text)
    assert names == ["my-picture---surface-1.png", "my-picture---surface-2.png"]
    sheet = sheet_of(window, PictureSpec("window", 900, 600, 1.0))
    for name, plot in zip(names, sheet.plots, strict=True):
        image = QImage(str(tmp_path / name))
        assert (image.width(), image.height()) == (plot.grid.width, plot.grid.height)
    sheet.close()
    for x, y in window.document.points.xy:
        assert text.count(f"({x:.6g},{y:.6g})") >= 2  # in both pictures
    assert "(nan,nan)" in text and "black, very thick" in text and "mark=o" in text
    if shutil.which("pdflatex"):
        command = [
            "pdflatex",
            "-interaction=batchmode",
            "-halt-on-error",
            "-output-directory",
            str(tmp_path),
            path.name,
        ]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0


def test_a_tex_file_that_tex_could_not_take_is_refused_in_a_sentence(
    make: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tikz, "MOST_POINTS", 10)
    window = make(three())
    settle(qtbot, window)
    export(qtbot, window, PictureSpec("lane0", 400, 300, 1.0), tmp_path / "a.tex")
    assert any("120 points are too many for TeX" in text for text in alerts(window)) and not list(tmp_path.iterdir())


def test_text_for_latex_has_no_sign_of_its_language() -> None:
    assert tikz.escaped("50 % of a_b & {c} \\") == r"50 \% of a\_b \& \{c\} \textbackslash{}"
    assert tikz.escaped("γ = 1 · 日") == r"$\gamma$ = 1 $\cdot$ ?"
