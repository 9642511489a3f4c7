"""Worksheet: a lesson as a PDF for paper, or as a quiz for Moodle.

Each step is opened in a window without its question and covers, so that its picture is the one that the program shows.
The picture of the question is composed from the document alone, so that it cannot contain any training.
"""

from __future__ import annotations

import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF, QUrl
from PySide6.QtGui import (
    QFont,
    QGuiApplication,
    QImage,
    QPageLayout,
    QPageSize,
    QPdfWriter,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
)
from PySide6.QtWidgets import QApplication

from app.core.number_format import count
from app.core.plain_text import plain
from app.engine.cover import Cover
from app.engine.export_surface import enlarge
from app.engine.frames import Frame, Picture
from app.engine.results import Results
from app.files import documents
from app.files.documents import FileError
from app.scene.compose import compose
from app.state.document import Document
from app.state.session import Session
from app.views.export.layout import PictureSpec, Sheet, Shot, What, shoot
from app.views.png_bytes import png_bytes
from app.views.widgets.painting import painter_on
from solver import Grid

from . import moodle
from .controller import LessonController
from .goals import sentence
from .model import ENGLISH, Lesson, Step
from .phrases import numeral, say, unbroken
from .starting import start_of
from .text import of_lane, without_pictures

PAGES = {"a4": QPageSize.PageSizeId.A4, "letter": QPageSize.PageSizeId.Letter}
#: Margin of a page (mm), and resolution of its pictures (dots per inch).
MARGIN, DPI = 18.0, 300
#: Sizes of text, of a step's heading and of a title (points).
TEXT_SIZE, STEP_SIZE, TITLE_SIZE = 10.5, 13.0, 18.0
#: Width of a picture of one classifier and of several, their height (pixels), and their scale.  The wider one fits
#: between the margins of both paper sizes, and two of either with their questions mostly fit on a page.
WIDTH_OF_ONE, WIDTH, HEIGHT, SCALE = 1500, 2040, 960, 2.5
#: Greatest height of the picture of a document (pixels), and what is beside its plot, and above and below.
HIGHEST, BESIDE, BELOW = 2200, 160, 260
#: Size of the window: its pictures have a wider aspect than those on paper, so that its overlays cover these.
WINDOW = 1800, 640
#: Longest training time of a step (s).
LONGEST = 120.0


class Exercise(Struct, frozen=True):
    """A step on paper: its number from 1, its picture with the points only, and its picture as the program shows it.

    `pair` is a sentence about the two points that move next, if the step asks for them.
    """

    number: int
    step: Step
    question: QImage
    solution: QImage
    n_classifiers: int
    pair: str = ""
    language: str = ENGLISH

    @property
    def task(self) -> str:
        """What is to be drawn by hand; empty if an answer is chosen."""
        prediction = self.step.prediction
        if prediction is None or prediction.kind == "choice":
            return ""
        of = of_lane(self.language, prediction.lane, self.n_classifiers)
        return say(self.language, f"sheet_{prediction.kind}", of=of)


def render_worksheet(create: Callable[[Document, Path], Any], lesson: Lesson, options: Namespace) -> str:
    """Write `lesson` to the .pdf or .xml file in `options`; return a summary."""
    exercises = list(_exercises(create, lesson))
    if options.out.suffix.lower() == ".xml":
        once = [each for each in exercises if each.step.measure != "before"]
        asked = [_quiz_question(each) for each in once if each.step.prediction is not None]
        documents.write_bytes(moodle.quiz(plain(lesson.title), asked), options.out)
        return f"{plain(lesson.title)}: {count(len(asked), 'question')}"
    documents.write_bytes(pdf(lesson, exercises, options.paper), options.out)
    return f"{plain(lesson.title)}: {count(len(exercises), 'step')}"


# -- pictures ------------------------------------------------------------------------------------------------------


def _exercises(create: Callable[[Document, Path], Any], lesson: Lesson) -> Iterator[Exercise]:
    """Yield the steps with their pictures; all of them are trained in one window."""
    answered = tuple(
        replace(step, prediction=None, hide=Cover.NOTHING, paused=_kind(step) == "pair") for step in lesson.steps
    )
    with tempfile.TemporaryDirectory() as profile, closing(create(start_of(lesson, 0), Path(profile))) as window:
        window.appearance.choose_theme("light")
        window.resize(*WINDOW)
        window.show()
        lessons = window.controller.feature(LessonController)
        lessons.begin(replace(lesson, steps=answered))
        for at, step in enumerate(lesson.steps):
            lessons.go(at)
            _wait(window.idle, step.title)
            one = step.prediction is not None and _kind(step) != "choice"
            what = cast(What, f"lane{step.prediction.lane}" if one and step.prediction is not None else "window")
            shot = window.shoot(what)
            spec = PictureSpec(what, WIDTH if len(shot.lanes) > 1 else WIDTH_OF_ONE, HEIGHT, SCALE, dpi=DPI)
            if not lesson.name:  # a document has the page to itself
                spec = replace(spec, width=WIDTH, height=_height_for(window.document), fitted=True)
            pair = _pair(shot.lanes[0][1], lesson.language) if _kind(step) == "pair" else ""
            yield Exercise(at + 1, step, *pictures(shot, spec), window.document.shown, pair, lesson.language)


def _kind(step: Step) -> str:
    """Return the kind of a step's question; empty if it has none."""
    return "" if step.prediction is None else step.prediction.kind


def _height_for(document: Document) -> int:
    """Return the height of a picture as wide as the text that the points fill."""
    wide, high = np.maximum(np.ptp(document.points.xy, axis=0), 1e-300) if len(document.points) else (1.0, 1.0)
    return round(min(max((WIDTH - BESIDE) * high / document.view.ratio / wide + BELOW, HEIGHT), HIGHEST))


def _pair(frame: Frame | None, language: str) -> str:
    """Return a sentence about the two points that move next; empty if they are unknown."""
    run = None if frame is None else frame.run_state
    if run is None or run.explanation is None:
        return ""
    why, points = run.explanation, run.points.xy[run.index]
    comma = "; " if numeral(language, ".") == "," else ", "
    first, second = (
        f"({numeral(language, f'{x:.3g}')}{comma}{numeral(language, f'{y:.3g}')})"
        for x, y in points[[why.i, why.j]].tolist()
    )
    return say(language, "sheet_moved", first=first, second=second)


def _wait(over: Callable[[], bool], title: str) -> None:
    end = time.monotonic() + LONGEST
    QApplication.processEvents()
    while not over():
        if time.monotonic() > end:
            raise FileError(f"The step “{plain(title)}” was not trained within {LONGEST:g} seconds.")
        QApplication.processEvents()
        time.sleep(0.002)


def pictures(shot: Shot, spec: PictureSpec) -> tuple[QImage, QImage]:
    """Return the picture of `shot` with its points only, and the whole picture, of the same part of the plane."""
    whole = Sheet(shot, spec)
    whole.show([_surface(plot.model_frame, plot.grid, whole) for plot in whole.plots])
    document = replace(shot.scene.document, view=whole.plots[0].scene.document.view)
    scene = compose(document, Session(dark=spec.dark), Results(), shot.features)
    untrained = shoot(shot.features, scene, [None] * scene.shown, spec.what)
    untrained = replace(untrained, headlines={lane.slot: " " for lane in scene.lanes})
    bare = Sheet(untrained, spec)
    # Its legend is shorter; the picture is made shorter, too, so that its plots are as high as those of the whole one.
    longer = round((bare.plots[0].area.height() - whole.plots[0].area.height()) * spec.scale * whole.bands)
    bare.close()
    return _painted(Sheet(untrained, replace(spec, height=spec.height - longer, fitted=False))), _painted(whole)


def _surface(frame: Frame | None, grid: Grid, sheet: Sheet) -> Picture | None:
    """Return the surface of a plot, None if it has none; raise FileError if it cannot be computed."""
    if frame is None:
        return None
    made: list[Picture | str] = []
    for _ in enlarge(frame, grid, sheet.theme.shades, made.append, lambda: False):
        pass
    if isinstance(made[-1], str):
        raise FileError(made[-1])
    return made[-1]


def _painted(sheet: Sheet) -> QImage:
    """Return the picture of a sheet, and close the sheet."""
    spec = sheet.spec
    image = QImage(spec.width, spec.height, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(spec.scale)
    with painter_on(image) as painter:
        sheet.paint(painter)
    sheet.close()
    image.setDevicePixelRatio(1.0)
    return image


# -- paper ---------------------------------------------------------------------------------------------------------


def pdf(lesson: Lesson, exercises: Sequence[Exercise], paper: str) -> bytes:
    """Return the PDF file of a lesson, on `paper` "a4" or "letter"."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(plain(lesson.title))
    writer.setCreator("Classifier Playground")
    writer.setResolution(DPI)
    writer.setPageSize(QPageSize(PAGES[paper]))
    writer.setPageMargins(QMarginsF(MARGIN, MARGIN, MARGIN, MARGIN), QPageLayout.Unit.Millimeter)
    written(lesson, exercises, writer.pageLayout().paintRect(QPageLayout.Unit.Inch).size()).print_(writer)
    buffer.close()
    return bytes(data.data())


def written(lesson: Lesson, exercises: Sequence[Exercise], inches: QSizeF) -> QTextDocument:
    """Return the questions of a lesson and, from a new page on, its solutions, on pages of this size."""
    page = _Page(inches)
    page.heading(plain(lesson.title), TITLE_SIZE)
    language = lesson.language
    page.line(f"{say(language, 'sheet_name')}: {'_' * 40}    {say(language, 'sheet_date')}: {'_' * 16}")
    for each in exercises:
        _put_question(page, each)
    page.heading(say(language, "sheet_solutions", title=plain(lesson.title)), TITLE_SIZE, new_page=True)
    for learnt in lesson.learnt:
        page.markdown(learnt)
    for each in exercises:
        _put_solution(page, each)
    return page.document


def _put_question(page: _Page, exercise: Exercise) -> None:
    step, prediction = exercise.step, exercise.step.prediction
    page.heading(f"{exercise.number}  {plain(step.title)}", STEP_SIZE)
    page.markdown(step.text)
    if prediction is not None:
        if prediction.question != step.title:  # of a document
            page.line(plain(prediction.question), bold=True)
        for letter, answer in zip("ABCD", prediction.answers, strict=False):
            page.line(f"{letter}   {plain(answer)}")
        if exercise.task:
            page.line(exercise.task)
    elif step.goal:
        goal = sentence(step.goal, exercise.language)
        page.line(say(exercise.language, "sheet_goal", goal=goal), bold=True)
    page.picture(exercise.question)


def _put_solution(page: _Page, exercise: Exercise) -> None:
    step, prediction = exercise.step, exercise.step.prediction
    if (prediction is None and not step.hint) or step.measure == "before":
        return
    page.heading(f"{exercise.number}  {plain(step.title)}", STEP_SIZE)
    if prediction is None:
        page.markdown(step.hint)
        return
    if prediction.kind == "choice":
        page.line(f"{'ABCD'[prediction.right]}   {plain(prediction.answers[prediction.right])}", bold=True)
    if exercise.pair:
        page.line(exercise.pair, bold=True)
    page.markdown(prediction.because)
    page.picture(exercise.solution)


class _Page:
    """The text of a PDF file, written from beginning to end."""

    def __init__(self, inches: QSizeF) -> None:
        self.document = QTextDocument()
        self.document.setDocumentMargin(0)
        font = QFont()
        font.setPointSizeF(TEXT_SIZE)
        self.document.setDefaultFont(font)
        #: Units of the document per inch: Qt scales from the screen's resolution to that of the file.
        self._per_inch = QGuiApplication.primaryScreen().logicalDotsPerInchX()
        self.document.setPageSize(inches * self._per_inch)
        self._cursor = QTextCursor(self.document)
        self._heading = self._cursor.block()
        self._n_pictures = 0

    def heading(self, text: str, size: float, new_page: bool = False) -> None:
        self.line(text, True, size, self._block(0 if size > STEP_SIZE else 16, new_page))
        self._heading = self._cursor.block()

    def line(
        self, text: str, bold: bool = False, size: float = TEXT_SIZE, block: QTextBlockFormat | None = None
    ) -> None:
        letters = QTextCharFormat()
        letters.setFontPointSize(size)
        letters.setFontWeight(QFont.Weight.Bold if bold else QFont.Weight.Normal)
        if self._cursor.atStart():
            self._cursor.setBlockFormat(block or self._block())
        else:
            self._cursor.insertBlock(block or self._block(), letters)
        self._cursor.insertText(unbroken(text), letters)

    def markdown(self, text: str) -> None:
        if text.strip():
            self._cursor.insertBlock(self._block(), QTextCharFormat())
            self._cursor.insertMarkdown(without_pictures(text), _FEATURES)

    def picture(self, image: QImage) -> None:
        self._n_pictures += 1
        name = f"picture:{self._n_pictures}"
        self.document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), image)
        size = QTextImageFormat()
        size.setName(name)
        size.setWidth(image.width() * self._per_inch / DPI)
        size.setHeight(image.height() * self._per_inch / DPI)
        self._cursor.insertBlock(self._block(), QTextCharFormat())
        self._cursor.insertImage(size)
        if self._page_of(self._heading) != self._page_of(self._cursor.block()):  # keep a step on one page
            block = QTextBlockFormat()
            block.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
            QTextCursor(self._heading).mergeBlockFormat(block)

    def _page_of(self, block: QTextBlock) -> int:
        rectangle = self.document.documentLayout().blockBoundingRect(block)
        return int((rectangle.bottom() - 1) // self.document.pageSize().height())

    @staticmethod
    def _block(above: float = 0.0, new_page: bool = False) -> QTextBlockFormat:
        block = QTextBlockFormat()
        block.setTopMargin(above)
        block.setBottomMargin(5)
        if new_page:
            block.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
        return block


_FEATURES = QTextDocument.MarkdownFeature.MarkdownNoHTML | QTextDocument.MarkdownFeature.MarkdownDialectGitHub


# -- Moodle --------------------------------------------------------------------------------------------------------


def _quiz_question(exercise: Exercise) -> moodle.QuizQuestion:
    prediction = exercise.step.prediction
    assert prediction is not None
    return moodle.QuizQuestion(
        f"{exercise.number} {plain(exercise.step.title)}",
        _html(exercise.step.text),
        prediction,
        exercise.task,
        _html("\n\n".join(text for text in (exercise.pair, prediction.because) if text)),
        png_bytes(exercise.question),
        png_bytes(exercise.solution),
    )


def _html(markdown: str) -> str:
    """Return `markdown` as a piece of HTML; HTML in it is displayed as text."""
    document = QTextDocument()
    document.setMarkdown(without_pictures(markdown), _FEATURES)
    html = document.toHtml()
    return html[html.index(">", html.index("<body")) + 1 : html.rindex("</body>")].strip() if markdown.strip() else ""
