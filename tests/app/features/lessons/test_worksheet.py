"""Worksheets: the questions contain nothing of a solution, and the files are valid for paper and Moodle."""

from __future__ import annotations

import base64
from argparse import Namespace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.features.lessons import moodle, shipped, view_worksheet, worksheet_task
from app.features.lessons.feature import STAGE
from app.features.lessons.model import Lesson, Prediction
from app.features.lessons.view_worksheet import pictures, render_worksheet
from app.features.lessons.worksheet_task import making
from app.features.table import FEATURES
from app.files import documents, file_format
from app.files.background_task import Progress
from app.files.documents import FileError
from app.main import create_window, main
from app.state.document import Document, KnnSettings, Lane, SvmSettings, View
from app.views.export.layout import PictureSpec, Sheet
from tests.windows import Make, finish_tasks, settle

SPEC = PictureSpec("window", 1200, 700, 1.5, legend=False)
POINTS = Document().generator.points()
#: A lesson with each kind of question, whose text is as hostile as a lesson's may be.
LESSON = """---
title: Three <b>questions</b> & more / less
minutes: 1
---

# Choose
start: example circle
classifiers = svm
kernel = linear
predict: Is a < b & c?
- Yes <i>
  reason: Not & so.
- No (right)
because: **Because** <script>alert(1)</script>.

Some *text* with <img src="http://example.org/x.png">.

# Draw
predict boundary: Where is it?
because: Here.

# Do
goal: training accuracy exactly 100 %
hint: Try a kernel.

In the program.
"""


def document(k: int, c: float) -> Document:
    lanes = (Lane("knn", knn=KnnSettings(k)), Lane("svm", svm=SvmSettings("rbf", c)))
    return Document(points=POINTS, lanes=lanes, view=View.fitting(POINTS))


def lesson(tmp_path: Path) -> Lesson:
    path = tmp_path / "three.lesson.md"
    path.write_text(LESSON, encoding="utf-8")
    return worksheet_task.lesson_in(FEATURES, path)


def pixels_of(image: QImage) -> np.ndarray:
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.width()) & 0xFFFFFF


@pytest.mark.slow
def test_the_picture_of_a_question_has_points_only_whatever_was_trained(make: Make, qtbot: QtBot) -> None:
    plots: list[list[np.ndarray]] = []
    for settings in ((1, 1000.0), (25, 0.01)):
        window = make(document(*settings))
        settle(qtbot, window)
        question, solution = map(pixels_of, pictures(window.shoot("window"), SPEC))
        sheet = Sheet(window.shoot("window"), SPEC)
        areas = [plot.area for plot in sheet.plots]
        sheet.close()
        # The same area in both: each is the part of both pictures that the solution shows.
        cut = [tuple(round(SPEC.scale * each) for each in area.getCoords()) for area in areas]
        plots.append(
            [image[top:bottom, left:right] for image in (question, solution) for left, top, right, bottom in cut]
        )
        for bare, whole in zip(plots[-1][:2], plots[-1][2:], strict=True):
            assert (bare == 0xFFFFFF).mean() > 0.6  # paper, apart from the points
            assert (whole == 0xFFFFFF).mean() < 0.1
    for index, (one, other) in enumerate(zip(*plots, strict=True)):
        assert one.shape == other.shape
        assert (one == other).all() == (index < 2)  # the questions are the same, the solutions differ


@pytest.mark.slow
def test_the_questions_come_first_and_the_solutions_begin_a_page(qapp: object, tmp_path: Path) -> None:
    exercises = list(view_worksheet._exercises(create_window, lesson(tmp_path)))
    document = view_worksheet.written(lesson(tmp_path), exercises, QSizeF(6.8, 10.2))
    asked, solved = document.toPlainText().split("Solutions: ")
    for text in ("Is a < b & c?", "A   Yes <i>", "B   No", "Draw the boundary into the picture", "100 %"):
        assert text in asked
    for text in ("Because", "Try a kernel", "Here."):
        assert text in solved and text not in asked
    assert "B   No" in solved and "Yes <i>" not in solved
    block, layout, heads = document.begin(), document.documentLayout(), []
    while block.isValid():
        if block.text().startswith("Solutions: "):
            heads.append(layout.blockBoundingRect(block).top() % document.pageSize().height())
        block = block.next()
    assert len(heads) == 1 and heads[0] < 30
    assert asked.count("\N{OBJECT REPLACEMENT CHARACTER}") == 3  # the pictures
    assert solved.count("\N{OBJECT REPLACEMENT CHARACTER}") == 2


@pytest.mark.parametrize(("paper", "box"), [("a4", b"595 842"), ("letter", b"612 792")])
def test_a_pdf_has_the_size_of_its_paper(qapp: object, paper: str, box: bytes) -> None:
    data = view_worksheet.pdf(Lesson("Title", "", "", 1, ()), [], paper)
    assert data.startswith(b"%PDF-") and data.replace(b".000000", b"").count(b"/MediaBox [0 0 " + box) == 2


@pytest.mark.slow
def test_moodle_gets_each_question_with_its_pictures(qapp: object, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    render_worksheet(create_window, lesson(tmp_path), Namespace(out=path, paper="a4"))
    category, chosen, drawn = ElementTree.fromstring(path.read_bytes())
    assert category.get("type") == "category"
    assert category.findtext("category/text") == "$course$/top/Three <b>questions<//b> & more // less"
    assert (chosen.get("type"), drawn.get("type")) == ("multichoice", "essay")
    assert [each.get("fraction") for each in chosen.findall("answer")] == ["0", "100"]
    assert [each.findtext("text") for each in chosen.findall("answer")] == ["<p>Yes &lt;i&gt;</p>", "<p>No</p>"]
    assert chosen.findtext("answer/feedback/text") == "<p>Not &amp; so.</p>"
    assert (chosen.findtext("single"), drawn.findtext("attachments")) == ("true", "1")
    for question, solutions in ((chosen, ("generalfeedback",)), (drawn, ("generalfeedback", "graderinfo"))):
        assert question.findtext("name/text")
        images = {}
        for name in ("questiontext", *solutions):
            (part,), text = question.findall(name), question.findtext(f"{name}/text") or ""
            (file,) = part.findall("file")
            assert part.get("format") == "html" and file.get("encoding") == "base64" and file.get("path") == "/"
            assert f'src="@@PLUGINFILE@@/{file.get("name")}"' in text
            assert "<script" not in text and '<img src="http' not in text
            images[name] = QImage.fromData(base64.b64decode(file.text or "", validate=True))
            assert images[name].width() > 1000
        bare, whole = (pixels_of(images[name]) for name in ("questiontext", "generalfeedback"))
        assert (bare == 0xFFFFFF).mean() > 0.8 and (whole == 0xFFFFFF).mean() < 0.6


def test_a_quiz_is_xml_whatever_a_text_holds() -> None:
    prediction = Prediction("choice", "a\x01\ud800]]>", ("\x0b", "b"), 1)
    question = moodle.QuizQuestion("n\x00", "<p>x\uffff</p>", prediction, "", "", b"1", b"2")
    root = ElementTree.fromstring(moodle.quiz("t", [question]))
    assert root.findtext("question/name/text") == "n"


def test_a_document_asks_for_the_boundary_of_each_classifier(tmp_path: Path) -> None:
    made = worksheet_task.lesson_in(FEATURES, Path("circle"))
    assert made.title == "The kernel trick" and made.name == "circle"  # the lesson, not the example of this name
    path = tmp_path / "mine.playground"
    documents.write_bytes(documents.encode(document(1, 1.0)), path)
    made = worksheet_task.lesson_in(FEATURES, path)
    assert [step.prediction and (step.prediction.kind, step.prediction.lane) for step in made.steps] == [
        ("boundary", 0),
        ("boundary", 1),
    ]
    with pytest.raises(FileError):
        worksheet_task.lesson_in(FEATURES, tmp_path / "missing.playground")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["circle"], "needs --out, a file that ends in .pdf or .xml"),
        (["circle", "-o", "a.png"], "needs --out, a file that ends in .pdf or .xml"),
        (["circle", "step", "-o", "a.pdf"], "takes one file"),
        (["missing.lesson.md", "-o", "a.pdf"], "missing.lesson.md"),
        (["circle", "-o", "a.pdf", "--csv", "a.csv"], "--csv is for lesson answers"),
    ],
)
def test_what_cannot_be_printed_gets_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["lesson", "worksheet", *arguments])
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".pdf", ".xml"])
def test_the_window_has_one_made_of_the_lesson_or_the_document(
    make: Make, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    window = make()
    settle(qtbot, window)
    for lesson in (None, shipped.lesson(FEATURES, "circle", "de")):
        if lesson is not None:
            window.surroundings.part(STAGE).begin(lesson)
            settle(qtbot, window)
        path = tmp_path / f"sheet{lesson is None}{kind}"
        window.named_actions["worksheet"].trigger()
        dialog = window.findChild(QFileDialog)
        assert dialog is not None and dialog.isVisible()
        dialog.close()
        dialog.fileSelected.emit(str(path))
        finish_tasks(window)
        made = path.read_bytes()
        assert made.startswith(b"%PDF" if kind == ".pdf" else b"<?xml")
        assert "is made" in window.status_line.text()
    assert kind == ".pdf" or b"Der Kern-Trick" in made, "in the language of the lesson"


def test_a_lesson_without_a_file_gets_a_sentence(tmp_path: Path) -> None:
    lesson = replace(shipped.lesson(FEATURES, "circle"), name="none")
    outcome = making(lesson, Document(), "Untitled", tmp_path / "x.pdf").outcome(Progress())
    assert isinstance(outcome, FileError) and "has no file" in str(outcome)


@pytest.mark.slow
def test_the_sentence_is_that_of_the_process(tmp_path: Path) -> None:
    outcome = making(None, Document(), "Untitled", tmp_path / "missing" / "x.pdf").outcome(Progress())
    assert isinstance(outcome, FileError) and str(outcome).endswith(".") and not (tmp_path / "missing").exists()


@pytest.mark.slow
def test_a_document_has_its_name_one_heading_and_a_picture_that_its_points_fill(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "Two groups.playground"
    path.write_bytes(file_format.encode(replace(document(3, 1.0), shown=1)))
    made = worksheet_task.lesson_in(FEATURES, path)
    exercises = list(view_worksheet._exercises(create_window, made))
    page = view_worksheet.written(made, exercises, QSizeF(6.85, 10.28))
    lines = page.toPlainText().splitlines()
    assert lines[0] == "Two groups" and lines.count("1  Where is the boundary?") == 2
    assert not any("kNN" in line for line in lines), "the picture names the classifier"
    image = exercises[0].question
    assert image.width() == view_worksheet.WIDTH
    pixels = pixels_of(image.convertToFormat(QImage.Format.Format_RGB32))
    red, green, blue = (pixels >> shift & 255 for shift in (16, 8, 0))
    marks = (np.maximum(np.maximum(red, green), blue) - np.minimum(np.minimum(red, green), blue) > 60).nonzero()[1]
    assert np.ptp(marks) > 0.8 * image.width()
