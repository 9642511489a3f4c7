"""The test accuracy in the status lines, against points drawn and predicted independently."""

from __future__ import annotations

import re

import numpy as np
import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot
from sklearn.neighbors import KNeighborsClassifier

from app.features.ground_truth.scene import law_of
from app.features.scores.scene import fresh_points
from app.learners.knn import KnnSettings
from app.state.commands import MovePoints
from app.state.document import Document, GeneratorSettings, Lane, default_document
from app.state.split import Split
from app.window.main_window import MainWindow
from solver.data.datasets import generate
from tests.windows import Make, settle


def noisy(**fields: object) -> Document:
    made = GeneratorSettings("moons", 100, 0.4, 3)
    lanes = (Lane("knn", knn=KnnSettings(n_neighbors=1)), Lane("knn", knn=KnnSettings(n_neighbors=25)))
    document = replace(default_document(), points=made.points(), generator=made, origin=made, lanes=lanes)
    return replace(document, **fields)  # type: ignore[arg-type]


def line(window: MainWindow, lane: int) -> str:
    return re.sub("<[^>]*>", "", window.lanes_view.strips[lane].label.text()).replace("\xa0", " ")


def accuracy_on_test(window: MainWindow, lane: int) -> float:
    found = re.search(r"test ([\d.]+) %", line(window, lane))
    assert found is not None, line(window, lane)
    return float(found[1]) / 100


def test_generated_data_is_tested_on_new_points_of_the_generator(make: Make) -> None:
    window = make(noisy())
    X, y = generate("moons", 20_000, noise=0.4, seed=99)
    law = law_of(window.document.origin)
    assert law is not None and len(fresh_points(law)[1]) == 1000
    truths = []
    for lane, k in enumerate((1, 25)):
        points = window.document.points
        truth = KNeighborsClassifier(k).fit(points.xy, points.labels).score(X, y)
        assert abs(accuracy_on_test(window, lane) - truth) < 4 * np.sqrt(truth * (1 - truth) / 1000)
        truths.append(truth)
    assert truths[0] < truths[1] - 0.02 and accuracy_on_test(window, 0) < accuracy_on_test(window, 1), (
        "k = 1 does not look best"
    )
    assert "training 100" in line(window, 0) and len(window.document.test_points) == 0
    assert "1 000 new points of the generator" in window.lanes_view.strips[0].label.toolTip().replace("\u202f", " ")


def test_test_points_come_first(make: Make) -> None:
    window = make(noisy(split=Split("ratio", 0.3)))
    parts = window.document.parts
    for lane, k in enumerate((1, 25)):
        model = KNeighborsClassifier(k).fit(parts.training.xy, parts.training.labels)
        assert accuracy_on_test(window, lane) == pytest.approx(model.score(parts.test.xy, parts.test.labels), abs=6e-4)
    assert "60 test points" in window.lanes_view.strips[0].label.toolTip()


def test_without_either_the_line_names_the_points_of_its_number(make: Make) -> None:
    window = make(noisy(origin=None))
    for lane in range(2):
        assert "no test points" in line(window, lane) and "test accuracy" not in line(window, lane)


def test_a_number_is_of_the_model_in_sight(make: Make, qtbot: QtBot) -> None:
    window = make(noisy())
    before = accuracy_on_test(window, 0)
    points = window.document.points
    window.controller.dispatch(MovePoints(ids=points.ids[:40], xy=points.xy[:40] + 0.7))
    window.refresh()
    assert "test …" in line(window, 0), "not the number of the model before"
    settle(qtbot, window)
    assert accuracy_on_test(window, 0) != before
