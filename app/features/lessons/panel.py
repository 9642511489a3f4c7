"""LessonPanel: what the step of a lesson says and asks, whether its goal is reached, and the ways on and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QMouseEvent, QResizeEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.state.plain_text import plain
from app.views.dialogs.message_box import message_box
from app.views.theme import Theme
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.form_fields import ShortCombo, describe, filled, named, plain_tip, show_text
from app.views.widgets.later import later
from app.views.widgets.scrolling_form import ScrollingForm

from . import text as words
from .controller import LessonController
from .markdown import without_pictures
from .model import Lesson, Prediction
from .scene import LessonScene

if TYPE_CHECKING:
    from .shipped import Row

#: Most answers of a question, and the least height of one, in pixels.
ANSWERS, HIT = 4, 24
#: Letters in a line that the panel likes to have, and the least height of what the step says, in pixels.
LETTERS, LEAST = 38, 120
NOTHING = "No lesson is open.  File > Lessons lists all; File > Open takes a file that ends in .lesson.md."


class LessonText(QTextBrowser):
    """Markdown, as high as it is long; nothing is fetched for it, and its links only ask.

    Parameters
    ----------
    name : str
        Its object name.
    title : str
        What it is called.
    """

    def __init__(self, name: str, title: str) -> None:
        super().__init__()
        describe(self, name, title, "")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self._markdown: str | None = None
        self.anchorClicked.connect(self._ask)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Nothing: a lesson is no reason to read another file, let alone to ask the network."""
        return None

    def show_markdown(self, text: str) -> None:
        """Show `text`; HTML in it is text."""
        if text == self._markdown:
            return
        self._markdown = text
        document = self.document()
        document.setMarkdown(
            without_pictures(text),
            document.MarkdownFeature.MarkdownNoHTML | document.MarkdownFeature.MarkdownDialectGitHub,
        )
        self._let_code_follow()
        self.setAccessibleDescription(self.toPlainText())
        # A stop of the Tab key where there is something to press.
        links = "<a href=" in document.toHtml()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus)
        self._fit()

    def _let_code_follow(self) -> None:
        """Code is as large as the text around it, also where that is larger than usual."""
        block = self.document().begin()
        while block.isValid():
            pieces = block.begin()
            found = []
            while not pieces.atEnd():
                piece = pieces.fragment()
                found.append((piece.position(), piece.length(), piece.charFormat()))
                pieces += 1
            for start, length, format_ in found:
                if format_.fontFixedPitch():
                    for size in (QTextFormat.Property.FontPointSize, QTextFormat.Property.FontPixelSize):
                        format_.clearProperty(size)
                    cursor = QTextCursor(self.document())
                    cursor.setPosition(start)
                    cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
                    cursor.setCharFormat(format_)
            block = block.next()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            later(self, self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 0)

    def _fit(self) -> None:
        document = self.document()
        document.setTextWidth(max(self.viewport().width(), 120))
        height = round(document.size().height()) + 2
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    def _ask(self, url: QUrl) -> None:
        """Whether to open a link."""
        address = url.toString()
        kind = QMessageBox.StandardButton
        if url.scheme() not in ("http", "https"):
            sentence, buttons = f"This link leads to no page of the web: {plain(address)[:200]}", kind.Close
        else:
            sentence, buttons = f"Open this page in the browser?\n{plain(address)[:500]}", kind.Open | kind.Cancel
        box = message_box("question", "lesson_link", "Link", sentence, self.window(), buttons)
        box.finished.connect(lambda button: QDesktopServices.openUrl(url) if button == kind.Open else None)
        box.open()


def _embolden(*labels: QLabel) -> None:
    for label in labels:
        font = label.font()
        font.setBold(True)
        label.setFont(font)


def _next_of(lesson: Lesson) -> Row | None:
    from .shipped import following  # only now: it costs the start nothing

    return following(lesson)


def _whole(text: str) -> str:
    """`text` whose percentages are never torn apart."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


class _Answer(QWidget):
    """A radio button whose text wraps."""

    def __init__(self, place: int, group: QButtonGroup) -> None:
        super().__init__()
        self.button = QRadioButton()
        self.text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        group.addButton(self.button, place)
        self.setMinimumHeight(HIT)
        line = filled(QHBoxLayout(self), self.button, (self.text, 1), margins=0, spacing=4)
        for part in (self.button, self.text):
            line.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        self._level()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._level()

    def _level(self) -> None:
        """The first line of the text as high as the button."""
        above = max(0, (self.button.sizeHint().height() - self.fontMetrics().height()) // 2)
        self.text.setContentsMargins(0, above, 0, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.button.isEnabled():
            self.button.click()

    def show_answer(self, place: int, answer: str, chosen: bool, tried: bool, right: bool | None) -> None:
        """Show the answer; `tried` once it was found wrong, and `right` is known once the picture is shown."""
        sign = "✗  " if tried else "✓  " if right else ""
        show_text(self.text, f"{sign}{plain(answer)}")
        font = self.text.font()
        font.setBold(bool(right))
        self.text.setFont(font)
        said = ", wrong" if tried else ", right" if right else ""
        describe(self.button, f"lesson.answer{place + 1}", f"{place + 1}: {answer}{said}", f"Key {place + 1}.")
        if self.button.isChecked() != chosen:
            group = self.button.group()
            group.setExclusive(False)  # else the last one cannot be left out again
            self.button.setChecked(chosen)
            group.setExclusive(True)
        self.button.setEnabled(right is None and not tried)


class _Question(QFrame):
    """The prediction: question, answers or what to draw, Reveal; then what came of it."""

    def __init__(self, lessons: LessonController) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._question = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "lesson.question")
        self._asked = named(QLabel(wordWrap=True), "lesson.asked")
        self._group = QButtonGroup(self)
        self._answers = [_Answer(place, self._group) for place in range(ANSWERS)]
        self._group.idClicked.connect(lessons.choose)
        self._score = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "lesson.score")
        self._because = LessonText("lesson.because", "Why")
        self._undo = describe(
            QPushButton("Take back"), "lesson.take_back", "Take back", "The last line or point away (Ctrl+Z)."
        )
        self._undo.clicked.connect(lambda: lessons.take_back())
        self.reveal = describe(
            QPushButton("Reveal"), "lesson.reveal", "Reveal", "Show the picture with your guess (PageDown)."
        )
        self.reveal.clicked.connect(lambda: lessons.reveal())
        self._buttons = ButtonRows((self._undo, self.reveal))
        filled(
            QVBoxLayout(self),
            self._question,
            *self._answers,
            self._asked,
            self._buttons,
            self._score,
            self._because,
            margins=8,
            spacing=4,
        )
        _embolden(self._question, self._score)

    @property
    def outcome(self) -> QWidget:
        """The last that is told of the guess."""
        return self._score if self._because.isHidden() else self._because

    def show_prediction(self, prediction: Prediction, lesson: LessonScene, number: int) -> None:
        """Ask, or say what came of it."""
        guess, open_ = lesson.guess, lesson.waiting
        show_text(self._question, plain(prediction.question))
        for place, answer in enumerate(self._answers):
            there = place < len(prediction.answers)
            answer.setVisible(there)
            if there:
                right, tried = None if open_ else place == prediction.right, place in guess.tried
                answer.show_answer(place, prediction.answers[place], place == guess.answer, tried, right)
        asked = words.ASKED[prediction.kind].format(of=words.of_lane(prediction.lane, number))
        show_text(self._asked, asked)
        self._asked.setVisible(bool(asked) and open_)
        self._buttons.setVisible(open_)
        self._undo.setEnabled(bool(guess.lines or guess.pair))
        self._buttons.show_only((self.reveal,) if prediction.kind == "choice" else (self._undo, self.reveal))
        self.reveal.setEnabled(guess.is_made)
        given_up = open_ and guess.answer in guess.tried
        self.reveal.setText("Show the answer" if given_up else "Reveal")
        score = words.outcome(prediction, guess) if prediction.kind == "choice" else "" if open_ else lesson.score
        show_text(self._score, _whole(score))
        self._score.setVisible(bool(score))
        because = words.reason(prediction, guess) if open_ else prediction.because
        self._because.show_markdown(because)
        self._because.setVisible(bool(because))


class LessonPanel(QWidget):
    """The lesson that is open.

    Parameters
    ----------
    window : QMainWindow
        Whose actions its buttons are.
    controller : Controller
    """

    def __init__(self, window: Any, controller: Controller) -> None:
        super().__init__()
        lessons = self._lessons = controller.feature(LessonController)
        describe(self, "lesson", "Lesson", "The text of the step, its question and its goal.")
        self.setToolTip("")
        self._shown: tuple[object, ...] = ()
        self._waiting = False
        # No text that wraps but in the form: the ways on and back are always in sight.
        self._title = named(ElidedLabel(""), "lesson.title")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        _embolden(self._title)
        self.steps = ShortCombo()
        describe(self.steps, "lesson.steps", "Step", "Go to a step; each is kept as you left it.")
        self.steps.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.steps.activated.connect(lessons.go)
        self.text = LessonText("lesson.text", "What the step says")
        self.question = _Question(lessons)
        self._fold = describe(QToolButton(), "lesson.hint", "Hint", "Show the hint, or fold it away.")
        self._fold.setText("Hint")
        self._fold.setAutoRaise(True)
        self._fold.setCheckable(True)
        self._fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._fold.setMinimumHeight(HIT + 2)
        self._fold.clicked.connect(lessons.unfold_hint)
        self._hint = LessonText("lesson.hint_text", "Hint")
        self._goal = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "lesson.goal")
        self._goal.setAccessibleName("Goal")
        self._goal.setContentsMargins(6, 4, 6, 4)
        form = QWidget()
        filled(
            QVBoxLayout(form),
            self.text,
            self.question,
            self._goal,
            self._fold,
            self._hint,
            1,
            margins=(0, 0, 6, 0),
            spacing=8,
        )
        self._back = self._button("lesson.back", "Back", "The step before, as you left it (PageUp).", lessons.back)
        self._next = self._button("lesson.next", "Next", "The next step, or the end (PageDown).", lessons.next)
        self._reset = self._button(
            "lesson.reset", "Reset this step", "As it began; your changes to it are lost.", lessons.reset
        )
        self._leave = self._button(
            "lesson.leave", "Leave", "Close the lesson: your own document is back, as it was.", lessons.leave
        )
        self._list = describe(QPushButton("Lessons…"), "lesson.list", "Lessons", "Choose a lesson.")
        self._list.clicked.connect(lambda: window.named_actions["lessons"].trigger())
        self._onward = describe(QPushButton("Next lesson"), "lesson.onward", "Next lesson", "Open the next lesson.")
        self._onward.clicked.connect(lambda: window.lessons.open_next())
        self._form = ScrollingForm(form)
        self._form.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self._form.setMinimumHeight(LEAST)
        self._ways = ButtonRows((self._back, self._next, self._onward))
        self._others = ButtonRows((self._reset, self._leave, self._list))
        filled(
            QVBoxLayout(self),
            self._title,
            self.steps,
            (self._form, 1),
            self._ways,
            self._others,
            margins=(8, 6, 8, 6),
            spacing=6,
        )
        self.first_stop = self._next

    @staticmethod
    def _button(name: str, title: str, tip: str, run: Any) -> QPushButton:
        button = describe(QPushButton(title), name, title, tip)
        button.clicked.connect(lambda: run())
        return button

    def sizeHint(self) -> QSize:
        """Narrow: the pictures are what it is about."""
        return QSize(LETTERS * self.fontMetrics().averageCharWidth(), 420)

    def minimumSizeHint(self) -> QSize:
        """Room for whole buttons, which a style lets shrink in large text."""
        layout, least = self.layout(), super().minimumSizeHint()
        return least if layout is None else QSize(least.width(), layout.sizeHint().height())

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's lesson."""
        lesson = scene.feature(LessonScene)
        shown = (lesson, scene.shown, theme)
        if shown == self._shown:
            return
        self._shown = shown
        for part in (self.steps, self.question, self._goal, self._fold, self._hint, self._ways):
            part.setVisible(lesson is not None)
        ended = lesson is not None and lesson.ended
        others = (self._list,) if lesson is None else (self._leave, self._list) if ended else (self._reset, self._leave)
        self._others.show_only(others)
        if lesson is None:
            self._title.setText("Lessons")
            self.text.show_markdown(NOTHING)
            return
        step, number = lesson.step, len(lesson.lesson.steps)
        self._title.setText(plain(lesson.lesson.title))
        self._title.setToolTip(plain_tip(f"{lesson.lesson.title}\n{self._about(lesson)}".strip()))
        entries = [f"{place + 1} of {number}: {plain(each.title)}" for place, each in enumerate(lesson.lesson.steps)]
        if entries != [self.steps.itemText(row) for row in range(self.steps.count())]:
            self.steps.clear()
            self.steps.addItems(entries)
        anew = self.steps.currentIndex() != lesson.at or self.text.accessibleName() != step.title
        self.steps.setCurrentIndex(lesson.at)
        self._show_ways(lesson, number)
        if ended:
            self._show_end(lesson)
            return
        self.text.setAccessibleName(step.title)
        self.text.show_markdown(step.text)
        self.text.setVisible(bool(step.text.strip()))
        self.question.setVisible(step.prediction is not None)
        if step.prediction is not None:
            self.question.show_prediction(step.prediction, lesson, scene.shown)
        self._show_goal(lesson, theme)
        self._fold.setVisible(bool(step.hint))
        self._fold.setChecked(lesson.hint)
        self._fold.setText("Hide the hint" if lesson.hint else "Hint")
        self._hint.show_markdown(step.hint if lesson.hint else "")
        self._hint.setVisible(bool(step.hint) and lesson.hint)
        revealed = self._waiting and not lesson.waiting and not anew
        self._waiting = lesson.waiting
        if anew:
            self._form.verticalScrollBar().setValue(0)
        elif revealed:  # what came of it may lie below
            later(self, lambda: self._form.ensureWidgetVisible(self.question.outcome))

    def _show_ways(self, lesson: LessonScene, number: int) -> None:
        """Show the ways on and back that the step, or the end, has."""
        onward = lesson.ended and _next_of(lesson.lesson) is not None
        self._ways.show_only((self._back, self._onward) if onward else (self._back, self._next))
        self._back.setEnabled(lesson.at > 0 or lesson.ended)
        self._next.setEnabled(not lesson.ended)
        self._next.setText("Finish" if lesson.at + 1 == number else "Next")

    def _show_end(self, lesson: LessonScene) -> None:
        """Show what has come of the lesson, in place of a step."""
        for part in (self.question, self._goal, self._fold, self._hint):
            part.hide()
        following = _next_of(lesson.lesson)
        onward = "" if following is None else f"{following.title}, {following.minutes} minutes"
        self.text.setAccessibleName("End of the lesson")
        self.text.show_markdown(words.ending(lesson.lesson, lesson.right, lesson.answered, onward))
        self.text.show()
        self._form.verticalScrollBar().setValue(0)

    @staticmethod
    def _about(lesson: LessonScene) -> str:
        of = lesson.lesson
        parts = (of.author, of.level, f"{of.minutes} minutes" if of.minutes else "")
        return "  ·  ".join(plain(each) for each in parts if each)

    def _show_goal(self, lesson: LessonScene, theme: Theme) -> None:
        self._goal.setVisible(bool(lesson.goal))
        sign = "✓" if lesson.reached else "○"
        show_text(self._goal, _whole(f"{sign}  Goal: {plain(lesson.goal)}") if lesson.goal else "")
        ink, ground = theme.moods["certified"] if lesson.reached else (theme.ink, theme.base)
        style = f"color: rgb{ink}; background-color: rgb{ground}; border-radius: 4px;"
        if self._goal.styleSheet() != style:
            self._goal.setStyleSheet(style)
