"""Make the cards of the gallery: ``python -m tests.make_examples`` writes documents and thumbnails.

The documents are defined here, point by point or by generator and seed; a test compares them with the files.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractButton, QApplication

from app.core.points import Points
from app.exchange.columns import convert
from app.exchange.real_data import TABLES, RealTable
from app.features.lessons import shipped, starting
from app.features.lessons.view_gallery import PICTURE
from app.features.race.view_board import RacePicture
from app.features.step.view_box import BoxView
from app.features.table import FEATURES
from app.files import documents
from app.files.examples import EXAMPLES, Example
from app.learners.knn import KnnSettings
from app.learners.online import PerceptronSettings
from app.learners.svm import SvmSettings
from app.main import create_window
from app.state.commands import SetUnits
from app.state.document import Document, GeneratorSettings, Lane, View
from app.state.split import Split
from app.views.application import make_application
from app.views.theme import theme_of
from app.window.main_window import MainWindow
from tests import playground_files

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "examples"
LESSONS, DATA = FOLDER.parent / "lessons", FOLDER.parent / "data"
#: Lessons without an example of their name, and the index of the step in their thumbnail.
LESSON_STEPS = {"whose": 0, "validation": 0, "units": 3, "idle": 0, "promise": 3, "rule": 0}
#: Largest file of a thumbnail (bytes).
LARGEST = 12 * 1024
#: Size of the window that thumbnails show (pixels).
STAGE = (760, 520)


def knn(k: int, weights: str = "uniform") -> Lane:
    return Lane("knn", knn=KnnSettings(n_neighbors=k, weights=weights))  # type: ignore[arg-type]


def svm(kernel: str = "linear", **settings: object) -> Lane:
    return Lane("svm", svm=SvmSettings(kernel=kernel, **settings))  # type: ignore[arg-type]


def document(points: Points, *lanes: Lane, origin: GeneratorSettings | None = None, **fields: object) -> Document:
    """Return a document with these lanes, all on screen, and the generator's settings of `origin`."""
    compared = (0, min(1, len(lanes) - 1))
    made = Document(
        points=points,
        lanes=lanes,
        shown=len(lanes),
        generator=origin or GeneratorSettings(),
        view=View.fitting(points),
        origin=origin,
        compared=compared,
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def generated(settings: GeneratorSettings, *lanes: Lane, **fields: object) -> Document:
    return document(settings.points(), *lanes, origin=settings, **fields)


def by_hand(first: list[tuple[float, float]], second: list[tuple[float, float]]) -> Points:
    return Points.of(np.array(first + second), np.repeat([0, 1], [len(first), len(second)]))


#: Two classes with a street between them, from the lower left to the upper right.
LEFT = [(-1.2, -0.3), (-1.0, 0.7), (-0.6, 1.1), (-0.3, 0.5), (-0.9, 0.2), (-0.1, 1.2)]
RIGHT = [(0.2, -0.7), (0.9, -0.3), (0.6, -1.0), (1.2, 0.4), (0.5, -0.2), (1.1, -0.8)]


def separable(count: int, seed: int = 3) -> Points:
    """Return two clusters that a line separates."""
    random = np.random.default_rng(seed)
    xy = np.round(random.normal(0.0, 0.3, (2, count, 2)).clip(-0.75, 0.75), 3)
    return by_hand(*[[tuple(p) for p in xy[c] + (2 * c - 1) * np.array([0.8, -0.65])] for c in (0, 1)])


def outlier() -> Document:
    points = separable(14)
    points = by_hand([*map(tuple, points.xy[points.labels == 0]), (0.45, -0.15)], [*map(tuple, points.xy[14:])])
    return document(points, svm(C=1000.0), svm(C=0.1))


def wrong_labels() -> Document:
    settings = GeneratorSettings("moons", 75, 0.15, 4)
    points = settings.points()
    flipped = np.random.default_rng(2).choice(len(points), len(points) // 10, replace=False)
    labels = points.labels.astype(np.int64)
    labels[flipped] = 1 - labels[flipped]
    return document(Points.of(points.xy, labels), knn(1), knn(15), origin=settings)


MAKERS: dict[str, Callable[[], Document]] = {
    "neighbours": lambda: generated(GeneratorSettings("moons", 100, 0.35, 1), knn(1), knn(51)),
    "weights": lambda: generated(GeneratorSettings("spirals", 50, 0.03, 2), knn(15), knn(15, "distance-squared")),
    "scaling": lambda: SetUnits(units=(10.0, 1.0)).apply(
        generated(GeneratorSettings("moons", 100, 0.1, 1), knn(15), replace(knn(15), standardise=True))
    ),
    "cells": lambda: generated(GeneratorSettings("moons", 10, 0.3, 47), knn(1)),
    "kept": lambda: generated(GeneratorSettings("moons", 30, 0.15, 2), knn(1)),
    "margin": lambda: document(by_hand(LEFT, RIGHT), svm(hard_margin=True)),
    "support-vectors": lambda: document(separable(30), svm(hard_margin=True)),
    "outlier": outlier,
    "circle": lambda: generated(
        GeneratorSettings("circle", 100, 0.0, 1, 0.08), svm(C=10.0), svm("poly", C=10.0, degree=2)
    ),
    "gamma": lambda: generated(
        GeneratorSettings("moons", 100, 0.3, 5),
        svm("rbf", C=10.0, gamma=1.0),
        svm("rbf", C=10.0, gamma=100.0),
        split=Split("ratio", 0.3),
    ),
    "step": lambda: document(by_hand(LEFT, [*RIGHT, (-0.5, -0.1)]), svm(C=2.0)),
    "race": lambda: generated(GeneratorSettings("moons", 60, 0.25, 2), svm("rbf", C=100.0, gamma=2.0)),
    "differ": lambda: generated(GeneratorSettings("moons", 60, 0.3, 7), knn(5), svm("rbf", C=10.0)),
    "wrong-labels": wrong_labels,
    "perceptron": lambda: document(
        separable(16, 8), Lane("perceptron", perceptron=PerceptronSettings(orders=20)), svm(hard_margin=True)
    ),
}


def made(example: Example) -> Document:
    """Return the document of an example, with its sentence as notes."""
    return replace(MAKERS[example.name](), notes=example.sentence)


def settle(window: MainWindow) -> None:
    """Wait until all lanes have learnt and are painted."""
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        QApplication.processEvents()
        if window.idle():
            return
        time.sleep(0.002)
    raise TimeoutError("the example does not come to rest")


def pictures(window: MainWindow, name: str) -> list[QPixmap]:
    """Return the parts of the thumbnail, from left to right: the pictures, and the drawing of a panel."""
    parts = []
    for canvas in window.canvases[: window.document.shown]:
        parts.append(canvas.grab(canvas.plot_area().toAlignedRect()))
    if name == "step":
        parts.append(window.findChild(BoxView).grab())
    if name == "race":
        race = window.dock_manager.panel("race")
        race.findChild(QAbstractButton, "race.play").click()
        end = time.monotonic() + 3.0  # by then one run has ended, and the other has not
        while time.monotonic() < end:
            QApplication.processEvents()
            time.sleep(0.002)
        parts = [each.grab() for each in race.findChildren(RacePicture) if each.isVisible()]
    return parts


def colours_of(image: QImage, number: int = 80) -> list[int]:
    """Return `number` colours that represent an image, by a few rounds of k-means."""
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height() * image.width(), 4)[:, 2::-1]
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    order = np.lexsort(colours.T)
    means = colours[order[np.linspace(0, len(order) - 1, min(number, len(order))).astype(int)]].astype(float)
    for _ in range(12):
        nearest = ((colours[:, None, :] - means[None]) ** 2).sum(axis=2).argmin(axis=1)
        for k in range(len(means)):
            mine = nearest == k
            if mine.any():
                means[k] = np.average(colours[mine], axis=0, weights=counts[mine])
    return [0xFF000000 | int(r) << 16 | int(g) << 8 | int(b) for r, g, b in np.round(means)]


def thumbnail(window: MainWindow, name: str, dark: bool) -> bytes:
    """Return the PNG of an example or a lesson, with few colours to make it small."""
    parts = pictures(window, name)
    width, height = PICTURE
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(*theme_of(dark).background))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    each = (width - 2 * (len(parts) - 1)) // len(parts)
    for index, part in enumerate(parts):
        scaled = part.toImage().scaled(
            each, height, Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
        )
        left, top = (scaled.width() - each) // 2, (scaled.height() - height) // 2
        painter.drawImage(index * (each + 2), 0, scaled.copy(QRect(left, top, each, height)))
    painter.end()
    few = image.convertToFormat(
        QImage.Format.Format_Indexed8, colours_of(image), Qt.ImageConversionFlag.ThresholdDither
    )
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    few.save(buffer, "PNG", 0)
    return bytes(data.data())


def main() -> None:
    """Write all files, or those of the examples and lessons named in the arguments."""
    make_application()
    tables = {table.name: table for table in TABLES}
    wanted = sys.argv[1:] or [*(example.name for example in EXAMPLES), *LESSON_STEPS, *tables]
    FOLDER.mkdir(exist_ok=True)
    for example in EXAMPLES:
        if example.name not in wanted:
            continue
        playground_files.write(made(example), FOLDER / f"{example.name}{documents.SUFFIX}")
        for dark in (False, True):
            data = made_thumbnail(example, dark)
            assert len(data) <= LARGEST, (example.name, len(data))
            (FOLDER / f"{example.name}{'-dark' if dark else ''}.png").write_bytes(data)
            print(example.name, len(data))
    for name in LESSON_STEPS.keys() & set(wanted):
        for dark in (False, True):
            data = made_lesson_thumbnail(name, dark)
            assert len(data) <= LARGEST, (name, len(data))
            (LESSONS / f"{name}{'-dark' if dark else ''}.png").write_bytes(data)
            print(name, len(data))
    for name in tables.keys() & set(wanted):
        for dark in (False, True):
            data = made_data_thumbnail(tables[name], dark)
            assert len(data) <= LARGEST, (name, len(data))
            (DATA / f"{name}{'-dark' if dark else ''}.png").write_bytes(data)
            print(name, len(data))


def made_lesson_thumbnail(name: str, dark: bool) -> bytes:
    """Return the PNG of a lesson without an example of its own."""
    lesson, index = shipped.lesson(FEATURES, name), LESSON_STEPS[name]
    document = starting.start_of(lesson, index)
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(document, Path(profile))
        window.appearance.choose_theme("dark" if dark else "light")
        window.resize(*STAGE)
        window.show()
        window.switch(lesson.steps[index].layers, lesson.steps[index].layers)
        settle(window)
        data = thumbnail(window, name, dark)
        window.close()
    return data


def made_data_thumbnail(table: RealTable, dark: bool) -> bytes:
    """Return the PNG of a table: its points as they are imported first, and the classes of 15 neighbours."""
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(Document(lanes=(replace(knn(15), standardise=True),), shown=1), Path(profile))
        window.appearance.choose_theme("dark" if dark else "light")
        window.resize(*STAGE)
        window.show()
        read = table.read()
        window.controller.import_points(convert(read, table.first_choice(read)), add=False)
        settle(window)
        data = thumbnail(window, table.name, dark)
        window.controller.store.reset(window.document, None)
        window.close()
    return data


def made_thumbnail(example: Example, dark: bool) -> bytes:
    """Return the PNG of an example, drawn in a window of its own."""
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(None, Path(profile))
        window.appearance.choose_theme("dark" if dark else "light")
        window.resize(*STAGE)
        window.show()
        settle(window)
        window.examples.open(example)
        settle(window)
        if example.steps:
            for _ in range(4):
                window.named_actions["step_forward"].trigger()
                settle(window)
        data = thumbnail(window, example.name, dark)
        window.controller.store.reset(window.document, None)
        window.close()
    return data


if __name__ == "__main__":
    main()
