"""`app.show`: the caller's arrays go into a window and come back, from a script and within a running application."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton
from sklearn.naive_bayes import GaussianNB

import app
from app.arrays import Arrays
from app.files.documents import encode
from app.learners.knn import KnnSettings
from app.learners.table import LEARNERS
from app.state.document import Document
from app.window.dialogs.recovery import RecoveryDialog
from app.window.main_window import MainWindow
from tests.windows import finish_layout

X = np.array([[0.5, 1.25], [-3.0, 0.1], [1e-9, 7.0], [0.5, 1.25]])
Act = Callable[[MainWindow], Any]


@pytest.fixture
def shown(qapp: QApplication, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    """Return ``shown(X, y, act)``, which calls `app.show`, runs `act` in the window, and closes it."""
    monkeypatch.setattr("platformdirs.user_config_dir", lambda *given: str(tmp_path))
    monkeypatch.setattr("platformdirs.user_state_dir", lambda *given: str(tmp_path))

    def call(X: Any, y: Any, act: Act = lambda window: None, **lanes: Any) -> Any:
        found: list[MainWindow] = []

        def close() -> None:
            there = [
                each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow) and each.isVisible()
            ]
            if not there:
                QTimer.singleShot(5, close)
                return
            (window,) = there
            found.append(window)
            try:
                act(window)
                window.named_actions["quit"].trigger()
                assert window.findChild(QMessageBox) is None and not window.isVisible(), "it asks about unsaved changes"
            except BaseException:  # else `show` would wait
                window.closed.emit()
                raise

        QTimer.singleShot(0, close)
        answer = app.show(X, y, **lanes)
        assert len(found) == 1 and not found[0].isVisible()
        QApplication.sendPostedEvents(found[0])
        return answer

    return call


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, -1, 3, 40]),
        np.array([3, 255, 3, 0], dtype=np.uint8),
        np.array([0.5, 2.0, 2.0, 0.5], dtype=np.float32),
        np.array(["no", "yes", "no", "no"]),
        np.array([True, False, True, True]),
        np.array(["a", "bb", "a", "bb"], dtype=object),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_what_is_not_edited_comes_back_exactly(shown: Callable[..., Any], labels: np.ndarray) -> None:
    locations, y = shown(X, labels)
    assert np.array_equal(locations, X) and locations.dtype == np.float64
    assert np.array_equal(y, labels) and y.dtype == labels.dtype


@pytest.mark.smoke
def test_edits_come_back(shown: Callable[..., Any], tmp_path: Path) -> None:
    documents: list[Document] = []

    def act(window: MainWindow) -> None:
        documents.append(window.document)
        window.named_actions["select_all"].trigger()
        window.controller.set_class(1)
        window.named_actions["relabel"].trigger()

    locations, y = shown(X.tolist(), ["red", "blue", "red", "blue"], act)
    assert np.array_equal(locations, X) and y.tolist() == ["red"] * 4
    assert documents[0].class_names[:2] == ("blue", "red") and documents[0].view.holds(documents[0].points)
    locations, y = shown(X, [7, 8, 7, 8], lambda window: window.controller.clear())
    assert locations.shape == (0, 2) and y.shape == (0,) and y.dtype == np.int64
    assert not list(tmp_path.glob("recovery/*")), "nothing is left to be recovered"


def test_unsaved_work_of_other_windows_is_not_offered(shown: Callable[..., Any], tmp_path: Path) -> None:
    """Recovering it would return another document's points to the caller; the next window of the user offers it."""
    copy = tmp_path / "recovery" / "one.recovery"
    copy.parent.mkdir()
    header = b'{"path": null, "time": 0.0, "points": 4, "on_disk": null}\n'
    copy.write_bytes(header + encode(Arrays.of(X, [0, 1, 0, 1]).document))

    def act(window: MainWindow) -> None:
        finish_layout()
        assert window.findChild(RecoveryDialog) is None

    locations, _ = shown(X + 1.0, [0, 1, 0, 1], act)
    assert np.array_equal(locations, X + 1.0) and copy.exists()


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([5, -2, 5, 5], [5, -2, 5, 7]),
        (np.array([255, 0, 0, 0], dtype=np.uint8), [255, 0, 0, 257]),
        ([0.5, 1.5, 0.5, 0.5], [0.5, 1.5, 0.5, 3.5]),
        ([False, True, True, True], [0, 1, 1, 3]),
        (["a", "b", "b", "b"], ["a", "b", "b", "class 4"]),
        (np.array(["a", "b", "b", "class 4"], dtype=object), ["a", "b", "b", "class 4'"]),
    ],
    ids=str,
)
def test_new_classes_get_labels(labels: Any, expected: list[Any]) -> None:
    arrays = Arrays.of(X, labels)
    points = arrays.document.points.relabel([3], 3)
    _, y = arrays.edited(Document(points, styles=arrays.document.styles))
    number = len(np.unique(labels))
    if number == 3:  # "class 4" is taken, as the third label: the fourth gets another
        assert y.tolist() == expected
    else:
        assert y.tolist() == expected and len(set(y.tolist())) == number + 1


def test_lanes(shown: Callable[..., Any]) -> None:
    documents: list[Document] = []
    wanted = [
        "perceptron",
        {"classifier": "knn", "n_neighbors": 3, "weights": "distance"},
        {"classifier": "svm", "C": 9},
    ]
    shown(X, [0, 1, 0, 1], lambda window: documents.append(window.document), lanes=wanted)
    (document,) = documents
    assert [lane.classifier for lane in document.lanes[: document.shown]] == ["perceptron", "knn", "svm"]
    assert document.lanes[1].knn == KnnSettings(3, "distance") and document.lanes[2].svm.C == 9.0
    assert [lane.classifier for lane in Arrays.of(X, [0, 1, 0, 1]).document.lanes] == ["knn", "svm"]
    assert Arrays.of(X, [0, 1, 0, 1], "svm").document.shown == 1


WRONG: dict[str, tuple[Any, Any, Any, str]] = {
    "one column": ([[1.0], [2.0]], [0, 1], None, r"two columns, shape \(n, 2\); its shape is \(2, 1\)"),
    "one row": ([1.0, 2.0], [0, 1], None, "two columns"),
    "rows of two lengths": ([[1.0], [2.0, 3.0]], [0, 1], None, "different lengths"),
    "nan": ([[0.0, 1.0], [np.nan, 2.0]], [0, 1], None, r"its row 1 is \(nan, 2\)"),
    "too far": ([[0.0, 1.0], [1e16, 2.0]], [0, 1], None, r"up to 1e\+15; its row 1 is"),
    "complex": ([[0.0, 1j]], [0], None, "complex"),
    "texts": ([["a", "b"]], [0], None, "X must hold numbers"),
    "an object": ([[object(), 1.0]], [0], None, "some of what it holds are none"),
    "too few labels": (X, [0, 1], None, r"each of the 4 points; its shape is \(2,\)"),
    "a column of labels": (X, [[0], [1], [0], [1]], None, "one label"),
    "a label that is nan": (X, [0, 1, np.nan, 1], None, "its entry 2 is nan"),
    "complex labels": (X, [0, 1j, 0, 1], None, "complex"),
    "labels of two kinds": (X, np.array([0, "a", None, 1], dtype=object), None, "cannot be compared"),
    "nine classes": (np.zeros((9, 2)), range(9), None, "at most 8 different labels; it holds 9"),
    "no lane": (X, [0, 1, 0, 1], [], "one to 4 classifiers; it names 0"),
    "five lanes": (X, [0, 1, 0, 1], ["knn"] * 5, "it names 5"),
    "an unknown lane": (X, [0, 1, 0, 1], ["jungle"], "There is no classifier 'jungle'; there are knn, svm"),
    "a number as lane": (X, [0, 1, 0, 1], [3], "names or dicts"),
    "a dict without a name": (X, [0, 1, 0, 1], [{"C": 3}], "no classifier None"),
    "an unknown parameter": (X, [0, 1, 0, 1], [{"classifier": "svm", "c": 3}], "svm has no parameter 'c'"),
    "a parameter out of range": (X, [0, 1, 0, 1], [{"classifier": "knn", "n_neighbors": 0}], "n_neighbors"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_shown_is_a_sentence(name: str) -> None:
    locations, labels, lanes, report = WRONG[name]
    with pytest.raises(ValueError, match=report) as error:
        app.show(locations, labels, lanes)
    text = str(error.value)
    assert text.endswith(".") and "\n" not in text and len(text) < 200


def test_an_application_that_runs_goes_on(shown: Callable[..., Any], qapp: QApplication) -> None:
    ended: list[str] = []
    qapp.aboutToQuit.connect(lambda: ended.append("about to quit"))
    host = QPushButton("host")
    answers: list[Any] = []
    host.clicked.connect(lambda: answers.append(shown(X, [0, 1, 0, 1])))
    host.clicked.connect(lambda: QTimer.singleShot(50, lambda: qapp.exit(7)))
    QTimer.singleShot(0, host.click)
    assert qapp.quitOnLastWindowClosed()
    assert qapp.exec() == 7, "what ends the application is its own call, not the window's end"
    assert len(answers) == 1 and qapp.quitOnLastWindowClosed()


SCRIPT = """\
import sys
import app
heavy = {"PySide6", "numpy", "numba", "msgspec"} & set(sys.modules)
assert not heavy, heavy
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.views.application import make_application
if "display" not in sys.argv:
    make = make_application()
    for turn in range(2):
        QTimer.singleShot(0, lambda: [each.close() for each in QApplication.topLevelWidgets() if each.isVisible()])
        X, y = app.show([[0, 1], [2, 3]], ["a", "b"], lanes=["knn"])
        print(X.tolist(), y.tolist())
else:
    try:
        app.show([[0, 1], [2, 3]], ["a", "b"])
    except RuntimeError as error:
        print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("display", [True, False])
def test_from_a_script(tmp_path: Path, display: bool) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name and name[:3] != "QT_"}
    environment |= {"XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[2])} | (
        {"QT_QPA_PLATFORM": "offscreen"} if display else {}
    )
    words = [sys.executable, "script.py", *([] if display else ["display"])]
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    report = "[[0.0, 1.0], [2.0, 3.0]] ['a', 'b']\n" * 2 if display else "There is no display to open a window on.\n"
    assert (done.returncode, done.stdout) == (0, report), done.stderr


@pytest.mark.slow
def test_classifiers_of_ones_own_are_lanes_while_the_window_is_open(shown: Callable[..., Any]) -> None:
    own, titles, processes = GaussianNB(), [], []

    def act(window: MainWindow) -> None:
        deadline = time.monotonic() + 300
        while not (window.idle() and (frame := window.result(1)) is not None and frame.full):
            QApplication.processEvents()
            assert time.monotonic() < deadline
        titles.append([lane.family.title for lane in window.document.lanes])
        processes.extend(frame.model._process for frame in [window.result(1)])  # type: ignore[union-attr]
        assert processes[0]._process.poll() is None

    shown(X, ["a", "b", "a", "b"], act, lanes=["knn"], classifiers=[own])
    assert titles == [["k nearest neighbours", "GaussianNB"]] and processes[0]._process is None
    assert not hasattr(own, "classes_")
    assert "GaussianNB" not in [learner.title for learner in LEARNERS.values() if learner.is_available]


class Frame(dict[str, list[Any]]):
    """A data frame, as far as `show` needs one."""

    @property
    def columns(self) -> list[str]:
        return [*self]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.column_stack([*self.values()]).astype(dtype)


def test_columns_of_a_data_frame_name_the_axes_and_the_classes() -> None:
    frame = Frame(length=[1.5, 2, 3], species=["rose", "pansy", "rose"], width=[4, 5, 6])
    made = Arrays.of(frame, "species")
    assert made.document.axes == ("length", "width") and made.labels.tolist() == ["pansy", "rose"]
    assert made.document.points.xy.tolist() == [[1.5, 4], [2, 5], [3, 6]]
    assert Arrays.of(Frame(a=[1, 2], b=[3, 4]), [0, 1]).document.axes == ("a", "b")
    for given, y, sentence in (
        (frame, "Species", "There is no column 'Species'; X has the columns length, species, width."),
        (X, "species", "There is no column 'species'; X has no named columns."),
        (Frame(a=[1], b=[2]), "b", "X must have two columns beside 'b'; it has a."),
    ):
        with pytest.raises(ValueError) as caught:
            Arrays.of(given, y)
        assert str(caught.value) == sentence


def test_a_parameter_that_is_misspelt_is_answered_with_the_right_names() -> None:
    with pytest.raises(ValueError, match=r"^svm has no parameter 'gama'; it has .*gamma.*\.$"):
        Arrays.of(X, [0, 1, 0, 1], lanes=[{"classifier": "svm", "gama": 1}])
