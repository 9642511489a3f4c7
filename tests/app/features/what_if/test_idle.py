"""Removing idle points: no pixel changes class, no further point can be removed, and the question precedes it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.what_if.controller import WhatIf, removal
from app.files.background_task import CancelledError, Progress
from app.state.commands import AddPoints, SetLane
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, View
from app.window.main_window import MainWindow
from solver import Grid, KNeighborsClassifier
from solver.knn.neighbors import METRICS
from tests.windows import Make, finish_tasks, settle

GRID = Grid(-3.0, 3.0, -3.0, 3.0, 60, 50)
KNN = Lane("knn", KnnSettings(n_neighbors=3))


def picture(model: KNeighborsClassifier, grid: Grid) -> tuple[bytes, bytes]:
    found = model.surface_classes_on(grid.xs)(grid.ys)
    return model.classes_[found.top].tobytes(), found.tie.tobytes()


def left_of(model: KNeighborsClassifier, points: Points) -> np.ndarray:
    found = removal(model, points, GRID).work(Progress())
    assert found.points is points
    return ~np.isin(points.ids, found.ids)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("metric", METRICS)
def test_nothing_moves_and_none_that_is_left_is_idle(metric: str, k: int, weights: str) -> None:
    rng = np.random.default_rng(k)
    xy, labels = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    labels[rng.random(40) < 0.8] = 0
    xy[35:] = xy[:5]
    points = Points.of(xy, labels)
    model = KNeighborsClassifier(k, weights, metric, 3.0 if metric == "minkowski" else 2.0)
    left = left_of(model.fit(points.xy, points.labels), points)
    assert k <= left.sum() < 40
    rest = KNeighborsClassifier(**model.get_params()).fit(points.xy[left], points.labels[left])
    assert picture(rest, GRID) == picture(model, GRID)
    if left.sum() > k:
        alone = np.bincount(points.labels[left])[points.labels[left]] == 1
        assert (rest.kept_on(GRID.xs)(GRID.ys) | alone).all()


def test_k_points_and_one_of_each_class_stay() -> None:
    xy = np.random.default_rng(1).normal(size=(12, 2))
    one = Points.of(xy, np.zeros(12))
    assert left_of(KNeighborsClassifier(5).fit(one.xy, one.labels), one).sum() == 5
    for at in (0, 11):  # the first one that is checked, and the last
        labels = np.arange(12) == at
        lone = Points.of(xy, labels)
        left = left_of(KNeighborsClassifier(5).fit(lone.xy, lone.labels), lone)
        assert left[at] and left.sum() == 5


def test_stopping_changes_nothing() -> None:
    points = GeneratorSettings(count=40).points()
    progress = Progress()
    progress.cancel()
    with pytest.raises(CancelledError):
        removal(KNeighborsClassifier(3).fit(points.xy, points.labels), points, GRID).work(progress)


def opened(make: Make, qtbot: QtBot, *lanes: Lane, n: int = 30) -> MainWindow:
    points = GeneratorSettings(count=n, noise=0.15).points()
    window = make(Document(points, lanes, len(lanes), view=View.fitting(points)))
    window.named_actions["whatif"].trigger()
    settle(qtbot, window)
    return window


def button(window: MainWindow, name: str) -> QPushButton:
    found = window.findChild(QPushButton, name)
    assert found is not None
    return found


def test_the_button_removes_them_as_one_step(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, KNN, Lane("svm"))
    before, model = window.document, window.result(0).model  # type: ignore[union-attr]
    assert isinstance(model, KNeighborsClassifier)
    grid = window.result(0).picture.grid  # type: ignore[union-attr]
    idle, others = (button(window, f"whatif.lane{lane}.remove_idle") for lane in (0, 1))
    assert idle.isVisible() and idle.isEnabled() and not others.isVisible()
    assert not button(window, "whatif.lane0.remove_others").isVisible()
    idle.click()
    finish_tasks(window)
    settle(qtbot, window)
    removed = len(before.points) - len(window.document.points)
    assert removed > 10
    after = window.result(0).model  # type: ignore[union-attr]
    assert isinstance(after, KNeighborsClassifier) and picture(after, grid) == picture(model, grid)
    assert f"{removed} idle points removed, nothing moved" in window.status_line.text()
    assert window.controller.store.undo_name == f"Remove {removed} idle points"
    idle.click()
    finish_tasks(window)
    assert "No idle point can go" in window.status_line.text() and window.controller.store.position == 1
    window.named_actions["undo"].trigger()
    assert window.document.points is before.points


def test_points_that_have_changed_meanwhile_stay(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, KNN)
    what_if = window.controller.feature(WhatIf)
    task = what_if.idle_removal(0, GRID)
    assert task is not None
    found = task.work(Progress())
    window.controller.dispatch(AddPoints(xy=[[0.0, 0.0]]))
    what_if.take_idle(found)
    assert "changed meanwhile" in window.status_line.text() and len(window.document.points) == 61


def test_without_removable_points_the_button_explains_why(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot, KNN, n=4)
    window.controller.dispatch(SetLane(index=0, lane=Lane("knn", KnnSettings(n_neighbors=9))))
    settle(qtbot, window)
    window.refresh()
    assert not button(window, "whatif.lane0.remove_idle").isEnabled()
    assert window.controller.feature(WhatIf).idle_removal(0, GRID) is None
