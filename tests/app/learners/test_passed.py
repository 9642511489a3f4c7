"""Classifiers passed from Python: lanes like others, of copies; files contain only their names."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from app.arrays import Arrays, with_classifiers
from app.engine.fitting import BACKGROUND, fitted
from app.engine.frames import Frame, LaneRequest, LaneSpec, Phase
from app.engine.lane_job import LaneJob
from app.engine.pacing import Pace
from app.engine.surface_values import source_of, surface
from app.exchange import share_text
from app.features.code.program import program
from app.features.film.plan import can_film
from app.features.study.planning import PASSED, plan_of, planned
from app.files import documents
from app.learners.passed import NOT_WRITTEN, withdraw
from app.learners.table import LEARNERS
from app.main import create_window
from app.state.document import Document, GeneratorSettings, Lane
from app.state.edit_struct import changed_struct
from tests import playground_files
from tests.app.engine.test_estimator_process import GRID, SHADES, run
from tests.windows import Make, finish_tasks, save_as, settle

POINTS = GeneratorSettings("blobs", 20, 0.5, n_classes=3).points()
DOCUMENT = Document(POINTS, (Lane("knn"),), 1)
PIPELINE = make_pipeline(StandardScaler(), SVC(C=2.0))
ESTIMATORS = [
    RandomForestClassifier(10, random_state=0),
    ExtraTreesClassifier(10, random_state=0),
    AdaBoostClassifier(n_estimators=5, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=2), random_state=0),
    RidgeClassifier(),
    SGDClassifier(random_state=0),
    GaussianNB(),
    KNeighborsClassifier(3),
    NearestCentroid(),
    MLPClassifier((4,), max_iter=50, random_state=0),
    PIPELINE,
]
FRAMES: list[Frame] = []
JOB = LaneJob(FRAMES.append)


@pytest.fixture(autouse=True, scope="module")
def _processes() -> Any:
    known = set(LEARNERS)
    yield
    JOB.close()
    for name in set(LEARNERS) - known:
        del LEARNERS[name]
    BACKGROUND.end()


def lane_of(estimator: Any) -> Lane:
    lane = with_classifiers(DOCUMENT, [estimator]).lanes[1]
    withdraw([lane.family])
    return lane


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
@pytest.mark.filterwarnings("ignore")
def test_a_picture_is_what_its_own_predict_returns(estimator: Any) -> None:
    lane = lane_of(estimator)
    spec = LaneSpec(POINTS, lane, GRID, SHADES, False, math.inf, 0, True)
    run(JOB(LaneRequest(1, 0, spec), lambda: False))
    frame = FRAMES[-1]
    assert frame.phase is Phase.DONE and frame.full and frame.model is not None, frame.message
    found: Any = run(surface(source_of(frame.model, frame.lane), GRID, Pace()))
    assert not hasattr(estimator, "n_features_in_"), "the caller's object is not trained"
    x, y = np.meshgrid(GRID.xs, GRID.ys)
    expected = clone(estimator).fit(POINTS.xy, POINTS.labels)
    assert np.array_equal(found.classes, expected.predict(np.column_stack((x.ravel(), y.ravel()))).reshape(x.shape))


@pytest.mark.slow
def test_parameters_are_a_form_with_the_limits_that_the_class_states() -> None:
    forest = lane_of(RandomForestClassifier(10))
    fields = {each.parameter: each for each in forest.family.fields}
    assert list(fields)[:2] == ["n_estimators", "criterion"] and "max_depth" not in fields, "None has no field"
    assert fields["n_estimators"].kind == "slider" and fields["n_estimators"].limits.least == 1  # type: ignore[union-attr]
    assert [value for _, value, _ in fields["criterion"].choices] == ["gini", "entropy", "log_loss"]
    assert fields["bootstrap"].kind == "check" and "n_jobs" not in fields and "verbose" not in fields
    assert fields["min_samples_split"].limits.least == 2  # type: ignore[union-attr]
    assert sum(each.primary for each in fields.values()) == 3
    pipeline = lane_of(PIPELINE)
    own = {each.parameter: each for each in pipeline.family.fields}
    assert own["svc__C"].kind == "slider" and own["svc__C"].limits.least > 0 and own["svc__gamma"].choices  # type: ignore
    assert pipeline.family.title == "StandardScaler + SVC" and pipeline.family.short == "SVC"
    changed = pipeline.with_value(own["svc__C"], 50.0)
    model = run(fitted(changed, POINTS, Pace())).model
    wanted = make_pipeline(StandardScaler(), SVC(C=50.0)).fit(POINTS.xy, POINTS.labels)
    assert np.array_equal(model.predict(POINTS.xy), wanted.predict(POINTS.xy))
    assert PIPELINE.get_params()["svc__C"] == 2.0
    assert can_film(Document(POINTS, (pipeline,), 1), 0), "a slider can be swept"


class Halves:
    """A classifier without scikit-learn: it has fit and predict, no more."""

    def fit(self, X: Any, y: Any) -> None:
        self.labels = np.unique(y)

    def predict(self, X: Any) -> Any:
        return self.labels[(np.asarray(X)[:, 0] > 0).astype(int)]


@pytest.mark.slow
def test_anything_with_fit_and_predict_is_a_lane() -> None:
    given = Halves()
    lane = lane_of(given)
    model = run(fitted(lane, POINTS, Pace())).model
    assert np.array_equal(model.predict(POINTS.xy), (POINTS.xy[:, 0] > 0).astype(int))
    assert not lane.family.fields and not hasattr(given, "labels")
    text = program(Document(POINTS, (lane,), 1)).text
    assert "It was passed from Python: it is in your own program." in text


class Locked(Halves):
    def __init__(self) -> None:
        self.lock = threading.Lock()


class Kept(Locked):
    def __deepcopy__(self, memo: Any) -> Kept:
        return self


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([object()], r"^classifiers must hold objects with fit and predict; object has no fit\.$"),
        ([SVC], r"^classifiers must hold objects; SVC is a class: pass SVC\(\)\.$"),
        ([Locked()], "^Locked cannot be copied: cannot pickle"),
        ([Kept()], "^Kept cannot be sent to another process: cannot pickle"),
        ([SVC()] * 4, "^A window shows at most 4 lanes; there are 4 classifiers beside 1 lanes"),
        (SVC(), r"^classifiers must be a list of objects with fit and predict; it is SVC\(\)\.$"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_a_lane_is_refused_before_the_window_opens(given: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        create_window(DOCUMENT, Path("/nowhere"), classifiers=given)


def test_lanes_given_come_first() -> None:
    def names(**given: Any) -> list[str]:
        document = Arrays.of([[0, 0], [1, 1]], ["a", "b"], **given).document
        return [lane.family.short for lane in document.lanes[: document.shown]]

    assert names(classifiers=[GaussianNB()]) == ["kNN", "SVM", "GaussianNB"]
    assert names(lanes=["svm"], classifiers=[GaussianNB(), SVC()]) == ["SVM", "GaussianNB", "SVC"]


@pytest.mark.slow
def test_files_and_texts_hold_the_name_alone(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    document = with_classifiers(Document(POINTS, (Lane("svm"),), 1), [RandomForestClassifier(7)])
    assert "Passed" not in [each.short for each in LEARNERS.values() if each.is_available]
    passed = document.lanes[1]
    kept = passed.with_part(passed.classifier, passed.settings)  # as after a change of one of its parameters
    other = changed_struct(kept, {"classifier": "knn"})
    for read in (documents.decode(documents.encode(document)), share_text.decode(share_text.encode(document))):
        assert read.lanes[0] == Lane("svm") and len(read.points) == len(POINTS) and read.shown == 2
        assert read.lanes[1].family.short == "Passed" and "RandomForestClassifier" in read.lanes[1].title
        assert read.lanes[1].filed == read.lanes[1]
    assert documents.decode(documents.encode(Document(POINTS, (other,), 1))).lanes == (Lane("knn"),)
    window = make(document)
    settle(qtbot, window)
    assert window.result(1).phase is Phase.DONE and window.result(1).model is not None
    save_as(window, tmp_path / "passed.playground")
    finish_tasks(window)
    assert NOT_WRITTEN in window.status_line.text()
    window.controller.set_lane(1, classifier="knn")
    window.controller.undo()
    settle(qtbot, window)
    assert window.document.lanes[1] == document.lanes[1] and window.result(1).phase is Phase.DONE
    lost = make(playground_files.read(tmp_path / "passed.playground"))
    settle(qtbot, lost)
    assert lost.result(1).phase is Phase.FAILED and "pass it to app.show again" in lost.result(1).message
    assert lost.result(0).phase is Phase.DONE


def test_a_study_refuses_it_and_a_program_has_it() -> None:
    document = with_classifiers(DOCUMENT, [PIPELINE])
    lane = document.lanes[1]
    assert planned(plan_of("learning-curve", lane, document), lane, document).faults == {"": PASSED}
    text = program(Document(POINTS, (lane,), 1)).text
    assert "from sklearn.preprocessing import StandardScaler" in text and "SVC(C=2.0)" in text
    compile(text, "program.py", "exec")


PROGRAM = """
import sys

import numpy as np

from app.arrays import with_classifiers
from app.engine.fitting import fitted
from app.engine.pacing import Pace
from app.state.document import Document, GeneratorSettings, Lane
from tests.app.engine.test_estimator_process import run

class Mine:
    def fit(self, X, y):
        self.least = y.min()
    def predict(self, X):
        return np.full(len(X), self.least)

points = GeneratorSettings("moons", 20).points()
found = run(fitted(with_classifiers(Document(points, (Lane("knn"),), 1), [Mine()]).lanes[1], points, Pace()))
print(found.model.predict(points.xy).tolist() == [0] * len(points))
"""


@pytest.mark.slow
def test_classes_of_the_program_itself_can_be_passed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PROGRAM)
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "mine.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout.strip() == "True", done.stderr
