"""Use the kernel "exponential", with its parameter tau, everywhere; `test_new_kernel` first adds it to the sources."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QApplication, QWidget

from app.engine.frames import Frame, LaneRequest, LaneSpec
from app.engine.lane_job import LaneJob
from app.engine.shading import Shades
from app.exchange import share_text
from app.features.code.program import program
from app.features.film.plan import SweepFilm, can_film
from app.features.probe.scene import probe_lane
from app.features.probe.tables import NamedPoints
from app.features.race.controller import lanes_of
from app.features.race.race_frame import Course, RaceFrame
from app.features.race.race_run import RaceQuery, RaceRun
from app.features.study import engines
from app.features.study.cells import paths
from app.features.study.model import Study, StudyAxis
from app.features.study.planning import plan_of, titles
from app.features.validation_curves.scene import Curve, CurveQuery, asked_lane
from app.files import documents
from app.learners.scales import LogScale
from app.learners.svm import SvmSettings
from app.main import create_window
from app.state.document import Document, GeneratorSettings, Lane, View
from app.views.application import make_application
from solver import SVC, DualAscentSVC, Grid, Kernel, OnlineSVC
from tests.windows import open_settings

POINTS = GeneratorSettings("moons", 20, 0.3).points()
X, y = POINTS.xy, POINTS.labels
K = np.exp(0.35 * X @ X.T)
SETTINGS = SvmSettings(C=3.0, kernel="exponential", gamma=0.7, tau=2.0, tol=1e-6)  # type: ignore[call-arg]
LANE = Lane("svm", svm=SETTINGS)
GRID = Grid(-2.0, 2.0, -1.5, 1.5, 40, 30)
SHADES = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))


def trained() -> None:
    assert np.allclose(Kernel("exponential", 0.7, tau=2.0).gram(X, X), K)  # type: ignore[call-arg]
    for make in (SVC, OnlineSVC, DualAscentSVC):
        model = make(3.0, "exponential", gamma=0.7, tau=2.0, tol=1e-6).fit(X, y)  # type: ignore[call-arg]
        f = K[:, model.support_] @ model.dual_coef_[0] + model.intercept_[0]
        assert np.allclose(model.decision_function(X), f, atol=1e-8) and model.fit_status_ == 0


def in_a_lane_and_a_probe() -> None:
    assert LANE.title == "SVM, Exponential, C = 3, γ = 0.7, τ = 2"
    frames: list[Frame] = []
    spec = LaneSpec(POINTS, LANE, GRID, SHADES, False, math.inf, 0, True)
    list(LaneJob(frames.append)(LaneRequest(1, 0, spec), bool))
    model = frames[-1].model
    assert model is not None and frames[-1].picture is not None and not frames[-1].message
    probe = probe_lane(model, LANE, NamedPoints(POINTS, POINTS, tuple("abcdefgh")), (0.3, 0.2))
    assert any("add up to f(x)" in line for line in probe.lines) and not probe.message


def in_a_file_and_a_share_text() -> None:
    document = Document(POINTS, (LANE,), 1)
    assert documents.decode(documents.encode(document)).lanes == document.lanes
    assert share_text.decode(share_text.encode(document)).lanes[0] == LANE


def in_a_curve() -> None:
    posted: list[Curve] = []
    query = CurveQuery(POINTS, asked_lane(LANE, "tau"), "tau")
    list(query.answer(posted.append, bool))
    assert posted[-1].complete and not np.isnan(posted[-1].validated).any() and np.ptp(posted[-1].train) > 0


def in_a_race() -> None:
    assert lanes_of(Document(POINTS, (Lane("knn"), LANE))) == (1,)
    frames: list[RaceFrame] = []
    course = Course(POINTS, SETTINGS, (0, 1), ("first-order", "second-order"), lane=1, problems=((0, 1),))
    list(RaceQuery(RaceRun(course), math.inf, GRID, SHADES, True).answer(frames.append, bool))
    assert frames[-1].over and not frames[-1].message


def in_a_study() -> None:
    assert [axis.name for axis in plan_of("grid", LANE, Document(POINTS, (LANE,), 1)).axes] == ["C", "gamma"]
    assert "τ" in titles(LANE, True).values()
    axes = StudyAxis("tau", (0.5, 8.0)), StudyAxis("C", (1.0, 10.0))
    study = Study("grid", axes, lane=LANE, generator=GeneratorSettings("moons", 15, 0.3), folds=3)
    records = [record for found, _ in engines.run(study, None, paths(study), None) for record in found]
    assert len(records) == 12 and not any(record.error for record in records)


def in_a_film_and_a_program() -> None:
    document = Document(POINTS, (LANE,), 1)
    assert "tau" in can_film(document, 0) and SweepFilm(0, "tau", 1, 100, 3).values(document) == (1.0, 10.0, 100.0)
    assert "scikit-learn has nothing like it." in program(document).text


def in_the_form(folder: Path) -> None:
    make_application()
    window = create_window(Document(POINTS, (Lane("knn"), LANE), view=View.fitting(POINTS)), folder)
    window.resize(1280, 900)
    window.show()
    window.controller.prefer_simple(False)
    open_settings(window, 1)
    for _ in range(20):
        QApplication.processEvents()
        window.refreshing.flush()
    slider = window.findChild(QWidget, "lane1.tau.slider")
    assert slider is not None and slider.scale == LogScale(-1, 2)  # type: ignore[attr-defined]
    other = window.findChild(QWidget, "lane1.coef0.slider")
    assert slider.isVisible() and not (other is not None and other.isVisible())
    window.close()


if __name__ == "__main__":
    trained()
    in_a_lane_and_a_probe()
    in_a_file_and_a_share_text()
    in_a_curve()
    in_a_race()
    in_a_study()
    in_a_film_and_a_program()
    in_the_form(Path(sys.argv[1]))
    print("used everywhere")
