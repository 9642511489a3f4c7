"""Same file, same labels: wherever |f| > 1e-6, in any process, on any machine, whatever was open before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, SvmSettings
from app.window.main_window import MainWindow
from tests import playground_files
from tests.app import file_work
from tests.covering import first_of
from tests.windows import Make, settle

ROOT = Path(__file__).parents[3]
SURE = 1e-6


def lesson(name: str, n_classes: int, knn: KnnSettings, svm: SvmSettings, limit: int = 10_000) -> Document:
    points = GeneratorSettings(name, 120, 0.3, 3, 0.0, n_classes).points()
    return Document(points.remove(range(0, 60, 7)), (Lane("knn", knn), Lane("svm", svm=svm)), training_limit=limit)


LESSONS = {
    "moons": lesson("moons", 2, KnnSettings(), SvmSettings()),
    "blobs": lesson("blobs", 4, KnnSettings(7, "distance", "manhattan"), SvmSettings("laplacian", 10.0)),
    "rest": lesson("blobs", 3, KnnSettings(1), SvmSettings("poly", 2.0, multiclass="one-vs-rest")),
    "cheap": lesson("xor", 2, KnnSettings(9), SvmSettings("rbf", 100.0, gamma=5.0, selection="random"), 150),
}


def labels(window: MainWindow) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the predictions of both lanes on a grid, and f of the SVM."""
    view = window.document.view
    half = np.linspace(-0.5, 0.5, 150) * view.span
    grid = np.array([(view.x + dx, view.y + dy) for dx in half for dy in half])
    first, second = window.result(0), window.result(1)
    assert first is not None and second is not None and first.certificates is not None and second.certificates
    values = second.model.decision_function(grid)
    sure = np.abs(values).reshape(len(grid), -1).min(axis=1)
    return first.model.predict(grid), second.model.predict(grid), sure


READER = """
import sys, time, tempfile, numpy as np
from pathlib import Path
from app.main import create_window
from app.views.application import make_application
from tests.app.views.test_same_labels import labels
from tests import playground_files
application = make_application()
told = {}
for path in map(Path, sys.argv[2:]):
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(playground_files.read(path), Path(profile), path)
        window.controller.fit()
        window.resize(1100, 760)
        window.show()
        while not window.idle():
            application.processEvents()
            time.sleep(0.002)
        for name, values in zip(("knn", "svm", "sure"), labels(window)):
            told[f"{path.stem}_{name}"] = values
        window.close()
np.savez(sys.argv[1], **told)
"""


def read(paths: list[Path], out: Path, **environment: str) -> dict[str, np.ndarray]:
    done = subprocess.run(
        [sys.executable, "-c", READER, str(out), *map(str, paths)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT), **environment},
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    return dict(np.load(out))


def compare(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    for name in {each.rpartition("_")[0] for each in first}:
        sure = np.minimum(first[f"{name}_sure"], second[f"{name}_sure"]) > SURE
        assert sure.mean() > 0.9
        svm = first[f"{name}_svm"] != second[f"{name}_svm"]
        assert not (svm & sure).any(), f"{name}: SVM differs at {(svm & sure).sum()} places"
        knn = first[f"{name}_knn"] != second[f"{name}_knn"]
        assert not knn.any(), f"{name}: kNN differs at {knn.sum()} places"


def write(folder: Path) -> list[Path]:
    for name, document in LESSONS.items():
        playground_files.write(document, folder / f"{name}.playground")
    return [folder / f"{name}.playground" for name in LESSONS]


@pytest.mark.slow
@pytest.mark.parametrize("names", first_of([("moons", "cheap"), ("blobs", "rest")], 1), ids="+".join)
def test_two_processes_predict_the_same(tmp_path: Path, names: tuple[str, ...]) -> None:
    paths = [path for path in write(tmp_path) if path.stem in names]
    first = read(paths, tmp_path / "1.npz", PYTHONHASHSEED="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    second = read(paths[::-1], tmp_path / "2.npz", PYTHONHASHSEED="2", OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
    compare(first, second)


@pytest.mark.soak
def test_another_machine_predicts_the_same(tmp_path: Path) -> None:
    """A processor without vector instructions, for the compiled loops, for numpy and for its matrix products."""
    paths = write(tmp_path)
    first = read(paths, tmp_path / "1.npz")
    plain = {
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX",
    }
    compare(first, read(paths, tmp_path / "2.npz", **plain))


@pytest.mark.slow
@pytest.mark.parametrize("name", first_of(reversed(LESSONS), 1))
def test_what_was_open_before_does_not_matter(name: str, make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    paths = {path.stem: path for path in write(tmp_path)}
    reports = []
    for before in ([], [other for other in LESSONS if other != name]):
        window = make(wait=False)
        for other in before:
            assert file_work.open_file(window.controller, paths[other])
            settle(qtbot, window)
            window.controller.set_lane(1, "svm", C=3.0)
            settle(qtbot, window)
            window.controller.clear()
        assert file_work.open_file(window.controller, paths[name])
        assert window.document.training_limit == LESSONS[name].training_limit
        settle(qtbot, window)
        reports.append(labels(window))
    sure = np.minimum(reports[0][2], reports[1][2]) > SURE
    assert (reports[0][0] == reports[1][0]).all() and (reports[0][1] == reports[1][1])[sure].all()
    assert (reports[0][2] == reports[1][2]).all(), "to the last bit: the lanes start from zero"


@pytest.mark.slow
def test_the_file_has_what_was_on_screen_when_it_was_saved(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """The sample of very many points depends on their ids, which the file keeps."""
    window = make(replace(LESSONS["cheap"], training_limit=100))
    assert len(window.document.training_points) < len(window.document.points)
    path = tmp_path / "mine.playground"
    window.controller.fit()
    settle(qtbot, window)
    assert file_work.save(window.controller, path)
    before = labels(window)
    assert file_work.open_file(window.controller, path)
    settle(qtbot, window)
    for old, new in zip(before, labels(window), strict=True):
        assert (old == new).all()
