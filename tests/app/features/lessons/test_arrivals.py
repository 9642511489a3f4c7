"""Points and documents that arrive while a lesson is open: the lesson ends first, and nothing of one's own is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton, QRadioButton
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.exchange import share_text
from app.exchange.columns import Imported
from app.features.challenges import making
from app.features.lessons.feature import STAGE
from app.features.lessons.model import Lesson, Step
from app.features.lessons.state import LessonSession
from app.features.lessons.view_gallery import Card
from app.files import recovery
from app.files.documents import encode, write_bytes
from app.files.examples import EXAMPLES
from app.state.commands import AddPoints
from app.state.document import Document, default_document
from app.window.dialogs.import_table import ImportDialog
from app.window.main_window import MainWindow
from tests.windows import Make, finish_tasks, settle

pytestmark = pytest.mark.slow

LESSON = Lesson("Small", "Nobody", "beginner", 5, (Step("One", "Text."), Step("Two", "More.")))
OWN = Document(Points.of([(0.0, 0.0), (1.0, 1.0)], [0, 1]))
THEIRS = Document(Points.of([(5.0, 5.0), (6.0, 6.0), (7.0, 5.0)], [0, 1, 2]))
TABLE = "x,y,class\n5,5,1\n6,6,2\n7,5,1\n"
Road = Callable[[MainWindow, QtBot, Path], None]


def accept(window: MainWindow, qtbot: QtBot, add: bool = False) -> None:
    """Confirm the dialog of an import once it shows its points."""
    qtbot.waitUntil(lambda: (dialog := window.findChild(ImportDialog)) is not None and dialog.isVisible())
    dialog = window.findChild(ImportDialog)
    ok = dialog.findChild(QPushButton, "import.import")
    qtbot.waitUntil(ok.isEnabled)
    dialog.findChild(QRadioButton, "import.add" if add else "import.replace").click()
    ok.click()


def dropped(window: MainWindow, data: QMimeData) -> None:
    action, button, key = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(9, 9), action, data, button, key))
    finish_tasks(window)


def import_file(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    (folder / "theirs.csv").write_text(TABLE)
    window.take_files([folder / "theirs.csv"])
    accept(window, qtbot)


def add_file(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    (folder / "theirs.csv").write_text(TABLE)
    window.take_files([folder / "theirs.csv"])
    accept(window, qtbot, add=True)


def drop_table(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    (folder / "theirs.csv").write_text(TABLE)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folder / "theirs.csv"))])
    dropped(window, data)
    accept(window, qtbot)


def import_clipboard(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    QApplication.clipboard().setText(TABLE)
    window.named_actions["import_clipboard"].trigger()
    accept(window, qtbot)


def real_data(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    window.named_actions["real_data"].trigger()
    window.findChild(Card, "data.iris").click()
    accept(window, qtbot)


def paste_in_doubt(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    """The dialog asks how the numbers are read: from there on it is an import."""
    QApplication.clipboard().setText("1,000\t2,500\t1\n")
    window.named_actions["paste"].trigger()
    accept(window, qtbot, add=True)


def paste_share_text(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    QApplication.clipboard().setText(share_text.encode(THEIRS))
    window.named_actions["paste"].trigger()


def drop_share_text(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    data = QMimeData()
    data.setText(share_text.encode(THEIRS))
    dropped(window, data)


def example(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    window.examples.open(EXAMPLES[0])


#: Roads by which points arrive as one undo step of the user's document.
STEPS: list[Road] = [
    import_file,
    add_file,
    drop_table,
    import_clipboard,
    real_data,
    paste_in_doubt,
    paste_share_text,
    drop_share_text,
    example,
]


def open_file(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    write_bytes(encode(THEIRS), folder / "theirs.playground")
    window.take_files([folder / "theirs.playground"])


def drop_file(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    write_bytes(encode(THEIRS), folder / "theirs.playground")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folder / "theirs.playground"))])
    dropped(window, data)


def new(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    window.named_actions["new"].trigger()


#: Roads by which another document replaces the user's, which has no unsaved changes, or after a question.
DOCUMENTS: list[Road] = [open_file, drop_file, new]


def opened(make: Make, qtbot: QtBot) -> MainWindow:
    """Return a window with a point of one's own, and then a lesson with a point drawn in it."""
    window = make(OWN)
    window.controller.dispatch(AddPoints(xy=(0.0, 2.0), labels=1))
    window.surroundings.part(STAGE).begin(LESSON)
    settle(qtbot, window)
    window.controller.dispatch(AddPoints(xy=(0.5, 0.5), labels=0))
    return window


def in_lesson(window: MainWindow) -> bool:
    return window.controller.session.of(LessonSession).lesson is not None


@pytest.mark.parametrize("road", STEPS, ids=lambda road: road.__name__)
def test_points_that_arrive_end_the_lesson_and_are_a_step_of_ones_own_document(
    make: Make, qtbot: QtBot, tmp_path: Path, road: Road
) -> None:
    window = opened(make, qtbot)
    road(window, qtbot, tmp_path)
    finish_tasks(window)
    settle(qtbot, window)
    assert not in_lesson(window)
    arrived, store = window.document.points, window.controller.store
    kept = road in (add_file, paste_in_doubt)
    assert (len(arrived) > 3) == (kept or road in (real_data, example)) and store.position == 2
    assert not window.named_actions["lesson"].isChecked() and window.controller.aside is None
    assert not any(button.isVisible() for button in window.findChildren(QPushButton, "lesson.reset"))
    window.named_actions["undo"].trigger()
    assert window.document.points.xy.tolist() == [[0, 0], [1, 1], [0, 2]], "one's own points, without the lesson's"
    window.named_actions["redo"].trigger()
    assert np.array_equal(window.document.points.xy, arrived.xy)


@pytest.mark.parametrize("road", DOCUMENTS, ids=lambda road: road.__name__)
def test_a_document_that_arrives_asks_about_ones_own_and_ends_the_lesson(
    make: Make, qtbot: QtBot, tmp_path: Path, road: Road
) -> None:
    window, answer = opened(make, qtbot), QMessageBox.StandardButton
    for choice in (answer.Cancel, answer.Discard):
        road(window, qtbot, tmp_path)
        box = window.findChild(QMessageBox, "unsaved")
        assert box is not None and in_lesson(window)
        box.button(choice).click()
        QApplication.sendPostedEvents(box, 52)  # deferred deletion: it is looked for again
        finish_tasks(window)
    assert not in_lesson(window) and window.controller.aside is None
    assert len(window.document.points) == (0 if road is new else 3)


def test_a_challenge_that_arrives_keeps_ones_own_document(make: Make, qtbot: QtBot) -> None:
    window = opened(make, qtbot)
    own = window.controller.own.document
    challenge = making.encode(default_document(), making.Challenge("labels", 0))
    QApplication.clipboard().setText(challenge)
    window.named_actions["paste"].trigger()
    finish_tasks(window)
    settle(qtbot, window)
    assert in_lesson(window) and window.controller.own.document is own
    QTest.mouseClick(window.findChild(QPushButton, "lesson.leave"), Qt.MouseButton.LeftButton)
    assert window.document is own and window.controller.store.position == 1


def test_recovered_work_asks_about_ones_own_and_ends_the_lesson(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = opened(make, qtbot)
    copy = tmp_path / f"work{recovery.SUFFIX}"
    write_bytes(b'{"path": null, "time": 0.0, "points": 3, "on_disk": null}\n' + encode(THEIRS), copy)
    window.take_files([copy])
    window.findChild(QMessageBox, "unsaved").button(QMessageBox.StandardButton.Discard).click()
    finish_tasks(window)
    assert not in_lesson(window) and len(window.document.points) == 3 and window.controller.store.modified


def test_points_that_are_refused_end_no_lesson(make: Make, qtbot: QtBot) -> None:
    """The document has room for eight classes in all."""
    window, report = make(OWN), []
    names = tuple("abcdefgh")
    eight = Imported(
        np.array([(float(x), 0.0) for x in range(8)]), np.arange(8, dtype=np.uint8), names, ("", ""), ("x", "y")
    )
    window.controller.import_points(eight, add=False)
    window.surroundings.part(STAGE).begin(LESSON)
    settle(qtbot, window)
    window.controller.say = report.append
    before = window.document
    ninth = Imported(np.array([(0.0, 1.0)]), np.zeros(1, dtype=np.uint8), ("ninth",), ("", ""), ("x", "y"))
    window.controller.import_points(ninth, add=True)
    assert in_lesson(window) and window.document is before and len(report) == 1 and "class" in report[0]
