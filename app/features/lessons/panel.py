"""LessonPanel: the text and question of a step, whether its goal is reached, and buttons to go on and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFont, QMouseEvent, QResizeEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
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
from app.core.plain_text import plain
from app.scene.feature import FeatureTable
from app.scene.model import Scene
from app.views.theme import Theme, text_font
from app.views.widgets.announcement import announce
from app.views.widgets.boxes import in_column
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.clickable import clickable
from app.views.widgets.deferred import later
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.fitted import NEW_FONT, FittedWidget
from app.views.widgets.inputs import (
    ShortCombo,
    describe,
    filled,
    named,
    plain_tip,
    show_entries,
    show_or_hide,
    show_text,
)
from app.views.widgets.message_box import message_box
from app.views.widgets.painting import bold
from app.views.widgets.scrolling_form import ScrollingForm

from . import text as words
from .controller import LessonController
from .matching import HINT_AFTER
from .model import Lesson, Prediction
from .phrases import say, unbroken
from .scene import LessonScene
from .state import LessonSession
from .view_phrases import translate

#: Largest number of answers of a question, and least height of one (pixels).
ANSWERS, HIT = 4, 24
#: Preferred line length of the panel (characters), and least height of the text of a step (pixels).
LETTERS, LEAST = 38, 120
#: Width (pixels) from which the panel has been laid out in its column.
LAID_OUT = 240
#: Least size of the text (pixels), outside presenter mode.
SIZE = 14
NOTHING = "No lesson is open.  Lessons > Lessons lists all; File > Open takes a file that ends in .lesson.md."


class LessonText(QTextBrowser):
    """Markdown text as high as its contents; it loads no resources, and asks before it opens a link.

    Parameters
    ----------
    name : str
        Its object name.
    title : str
        Its accessible name.
    """

    def __init__(self, name: str, title: str) -> None:
        super().__init__(openLinks=False)
        describe(self, name, title, "")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self._markdown: str | None = None
        self.anchorClicked.connect(self._ask)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return nothing: a lesson may not read other files or the network."""
        return None

    def show_markdown(self, text: str) -> None:
        """Show `text`, or hide the widget if it is empty; HTML is displayed as text."""
        if text != self._markdown:
            self._markdown = text
            self._render(text)
            announce(self, self.toPlainText())
        self.setVisible(bool(text.strip()))  # last: it appears with its final height

    def _render(self, text: str) -> None:
        document, font = self.document(), self.font()
        font.setPointSizeF(self.fontInfo().pointSizeF())  # with a size in pixels, Qt leaves no space between paragraphs
        document.setDefaultFont(font)
        document.setMarkdown(
            words.without_pictures(text),
            document.MarkdownFeature.MarkdownNoHTML | document.MarkdownFeature.MarkdownDialectGitHub,
        )
        document.setDefaultFont(self.font())
        self._let_code_follow()
        self.setAccessibleDescription(self.toPlainText())
        # Tab stops here only if there is a link.
        links = "<a href=" in document.toHtml()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if links else Qt.FocusPolicy.ClickFocus)
        self.fit()

    def _let_code_follow(self) -> None:
        """Give code the size of the text around it."""
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
        if event.type() in NEW_FONT:
            later(self, self.fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 0)

    def fit(self) -> None:
        """Set the height to that of the text at the present width."""
        document = self.document()
        document.setTextWidth(max(self.viewport().width(), 120))
        height = round(document.size().height()) + 2
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    def _ask(self, url: QUrl) -> None:
        """Ask whether to open a link."""
        address = url.toString()
        kind = QMessageBox.StandardButton
        if url.scheme() not in ("http", "https"):
            sentence, buttons = f"This link leads to no page of the web: {plain(address)[:200]}", kind.Close
        else:
            sentence, buttons = f"Open this page in the browser?\n{plain(address)[:500]}", kind.Open | kind.Cancel
        box = message_box("question", "lesson_link", "Link", sentence, self.window(), buttons)
        box.finished.connect(lambda button: QDesktopServices.openUrl(url) if button == kind.Open else None)
        box.open()


class _AnswerButton(FittedWidget):
    """A radio button with wrapped text."""

    def __init__(self, index: int, group: QButtonGroup) -> None:
        super().__init__()
        self.button = QRadioButton()
        self.text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        group.addButton(self.button, index)
        self.setMinimumHeight(HIT)
        top = Qt.AlignmentFlag.AlignTop
        filled(QHBoxLayout(self), (self.button, 0, top), (self.text, 1, top), margins=0, spacing=4)
        self.fit()

    def fit(self) -> None:
        """Align the first line of the text with the button."""
        above = max(0, (self.button.sizeHint().height() - self.fontMetrics().height()) // 2)
        self.text.setContentsMargins(0, above, 0, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.button.isEnabled():
            self.button.click()

    def show_answer(
        self,
        language: str,
        index: int,
        prediction: Prediction,
        chosen: bool,
        tried: bool,
        right: bool | None,
        lettered: bool,
    ) -> None:
        """Show the answer; `tried` after it was found wrong; `right` is None until the picture is revealed.

        `lettered` adds a letter, for a class that raises its hands for A, B or C.
        """
        answer = prediction.answers[index]
        sign = "✗  " if tried else "✓  " if right else ""
        letter = f"{'ABCD'[index]}  " if lettered else ""
        show_text(self.text, f"{letter}{sign}{unbroken(plain(answer))}")
        self.text.setFont(bold(QFont()) if right else QFont())
        mark = say(language, "mark_wrong" if tried else "mark_right") if tried or right else ""
        # With the question: of all labels, a screen reader reads none before what has the focus.
        tip = f"{prediction.question}  {say(language, 'answer_tip', number=index + 1)}"
        describe(self.button, f"lesson.answer{index + 1}", f"{index + 1}: {answer}{mark}", tip)
        if self.button.isChecked() != chosen:
            group = self.button.group()
            group.setExclusive(False)  # otherwise the last one could not be unchecked
            self.button.setChecked(chosen)
            group.setExclusive(True)
        self.button.setEnabled(right is None and not tried)


class _Question(QFrame):
    """The prediction: question, answers or what to draw, and Reveal; afterwards the result."""

    def __init__(self, lessons: LessonController) -> None:
        super().__init__(frameShape=QFrame.Shape.StyledPanel)
        self._question = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "lesson.question")
        self._asked = named(QLabel(wordWrap=True), "lesson.asked")
        self._group = QButtonGroup(self)
        self._answers = [_AnswerButton(index, self._group) for index in range(ANSWERS)]
        self._group.idClicked.connect(lessons.choose)
        self._score = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "lesson.score")
        self._because = LessonText("lesson.because", "Why")
        self._undo = clickable(QPushButton(), "lesson.take_back", "", "", lessons.take_back)
        self.reveal = clickable(QPushButton(), "lesson.reveal", "", "", lessons.reveal)
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
        for label in (self._question, self._score):
            label.setFont(bold(QFont()))

    @property
    def outcome(self) -> QWidget:
        """The lowest widget that displays the result of the guess."""
        return self._score if self._because.isHidden() else self._because

    def show_prediction(self, prediction: Prediction, lesson: LessonScene, number: int) -> None:
        """Show the question, or the result of the guess."""
        guess, open_, language = lesson.now.state.guess, lesson.now.prediction is not None, lesson.lesson.language
        show_text(self._question, unbroken(plain(prediction.question)))
        for index, answer in enumerate(self._answers):
            offered = index < len(prediction.answers)
            answer.setVisible(offered)
            answer.button.setEnabled(offered)  # otherwise the arrow keys could reach it
            if offered:
                right, tried = None if open_ else index == prediction.right, index in guess.tried
                chosen, lettered = index == guess.answer, lesson.now.for_class
                answer.show_answer(language, index, prediction, chosen, tried, right, lettered)
                answer.button.setEnabled(answer.button.isEnabled() and not lesson.now.is_late)
        asked = words.asked(language, prediction, number)
        if when := lesson.step.measure:
            asked = say(language, "asked_late" if lesson.now.is_late else f"asked_{when}")
        if guess.passed and not guess.is_made:  # in presenter mode there is no status line
            asked = say(language, "pass")
        show_or_hide(self._asked, asked if open_ else "")
        self._buttons.setVisible(open_ and not lesson.now.stays_open)
        self._undo.setEnabled(bool(guess.lines or guess.pair))
        self._buttons.show_only((self.reveal,) if prediction.kind == "choice" else (self._undo, self.reveal))
        self.reveal.setEnabled(guess.is_made or lesson.now.for_class)
        knows = open_ and guess.answer in guess.tried
        self.reveal.setText(say(language, "show_answer" if knows else "lesson.reveal"))
        score = (
            words.outcome(language, prediction, guess) if prediction.kind == "choice" else "" if open_ else lesson.score
        )
        if score != self._score.text():
            announce(self._score, score)
        show_or_hide(self._score, score)
        self._because.show_markdown(words.reason(prediction, guess) if open_ else prediction.because)


class LessonPanel(QWidget):
    """The open lesson.

    Parameters
    ----------
    controller : Controller
    do : callable
        ``do(name)`` runs one of the window's commands.
    features : FeatureTable
        Features that may have a view in the panel.
    """

    def __init__(self, controller: Controller, do: Callable[[str], object], features: FeatureTable) -> None:
        super().__init__()
        lessons = controller.feature(LessonController)
        describe(self, "lesson", "Lesson", "The text of the step, its question and its goal.", hover=False)
        self._shown: tuple[object, ...] = ()
        #: What the size of the text depends on; its last item tells whether the panel is presented.
        self._text_of: tuple[object, ...] = (False,)
        self._waiting = False
        #: Whether the last action revealed the guess: the result is then kept visible.
        self._reveals = False
        # Text wraps only inside the form, so that the buttons are always visible.
        self._title = named(ElidedLabel(textFormat=Qt.TextFormat.PlainText), "lesson.title")
        self._title.setFont(bold(QFont()))
        self._language = ""
        self.steps = describe(ShortCombo(), "lesson.steps", "", "")
        self.steps.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.steps.activated.connect(lessons.go)
        self.text = LessonText("lesson.text", "What the step says")
        self.question = _Question(lessons)
        self._teacher = LessonText("lesson.teacher", "For the teacher")
        self._others: list[Any] = [kind(controller, do) for kind in features.views("lesson")]
        self._fold = describe(
            QToolButton(autoRaise=True, toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
            "lesson.hint",
            "",
            "",
        )
        self._fold.setCheckable(True)
        self._fold.setMinimumHeight(HIT + 2)
        self._fold.clicked.connect(lessons.unfold_hint)
        self._hint = LessonText("lesson.hint_text", "Hint")
        self._goal = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "lesson.goal")
        self._goal.setAccessibleName("Goal")
        self._goal.setContentsMargins(6, 4, 6, 4)
        self._fitted: tuple[object, ...] = ()
        self._useful = 360  # height (pixels), until the panel is laid out
        self._content = form = in_column(
            self.text,
            self.question,
            self._teacher,
            *self._others,
            self._goal,
            self._fold,
            self._hint,
            1,
            margins=(0, 0, 6, 0),
            spacing=8,
        )
        self._form = ScrollingForm(form)
        self._form.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self._form.setMinimumHeight(LEAST)
        self._buttons = self._make_ways(lessons, do)
        filled(
            QVBoxLayout(self), self._title, self.steps, (self._form, 1), self._buttons, margins=(8, 6, 8, 6), spacing=6
        )
        self.first_stop = self._next

    def _make_ways(self, lessons: LessonController, do: Callable[[str], object]) -> ButtonRows:
        """Make the buttons that lead on, back, and out of the lesson."""
        ways: dict[str, Callable[[], object]] = {
            "back": lessons.back,
            "next": lessons.next,
            "onward": lambda: lessons.open_next(),
            "reset": lessons.reset,
            "hand_in": lambda: do("hand_in"),
            "leave": lessons.leave,
            "list": lambda: do("lessons"),
        }
        buttons = [clickable(QPushButton(), f"lesson.{name}", "", "", act) for name, act in ways.items()]
        self._back, self._next, self._onward, self._reset, self._hand_in, self._leave, self._list = buttons
        return ButtonRows(buttons)

    def sizeHint(self) -> QSize:
        """Return a narrow size: the pictures need the room."""
        return QSize(LETTERS * self.fontMetrics().averageCharWidth(), 420)

    def minimumSizeHint(self) -> QSize:
        """Return a size with room for whole buttons, which a style may shrink in large text."""
        layout, least = self.layout(), super().minimumSizeHint()
        return least if layout is None else QSize(least.width(), layout.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        later(self, self._fit_text)

    def _fit_text(self) -> None:
        """Keep the text at its size, and a new result visible."""
        own, presented = self.fontInfo().pixelSize(), self._text_of[-1]
        if (own, presented) != self._fitted and self.isVisible():
            self._fitted = own, presented
            self._content.setFont(text_font(0 if presented or own >= SIZE else SIZE))
            for text in self._content.findChildren(LessonText):
                text.fit()
        if self._reveals:
            self._form.ensureWidgetVisible(self.question.outcome)

    def useful_height(self) -> int:
        """Return the height (pixels) at which nothing of the step scrolls, as it was when last in sight."""
        if not self.isVisible() or self.width() < LAID_OUT:
            return self._useful
        content = cast(QLayout, self._content.layout())
        wanted = content.totalHeightForWidth(self._form.viewport().width())  # below 0: nothing wraps
        wanted = self._content.minimumSizeHint().height() if wanted < 0 else wanted
        self._useful = self.height() - self._form.height() + wanted
        return self._useful

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's lesson."""
        lesson, language = scene.feature(LessonScene), scene.session.of(LessonSession).language
        if language != self._language:
            self._language = language
            translate(self, language)
        for other in self._others:
            other.render_scene(scene, theme)
        presenting = scene.session.presents_here  # presenter mode has its own text size
        text = () if lesson is None else (lesson.step, lesson.now.state, lesson.now.ended, lesson.score)
        text += tuple(other.isHidden() for other in self._others)
        text_of = (*text, scene.session.peeks, presenting)
        if text_of != self._text_of:
            self._text_of = text_of
            later(self, self._fit_text)
        hinted = lesson is not None and (not lesson.step.match or scene.position >= HINT_AFTER)
        shown = (lesson, scene.shown, theme, hinted, scene.session.peeks)
        if shown == self._shown:
            return
        self._shown = shown
        for part in (self.steps, self.question, self._goal, self._fold, self._hint):
            part.setVisible(lesson is not None)
        peeks = lesson is not None and scene.session.peeks and not lesson.now.ended
        self._teacher.show_markdown(words.for_teacher(lesson.now, lesson.lesson) if lesson and peeks else "")
        if lesson is None:
            self._buttons.show_only((self._list,))
            self._title.setText("Lessons")
            self.text.show_markdown(NOTHING)
            return
        self._show_head(lesson.lesson)
        anew = self.steps.currentIndex() != lesson.now.at or self.text.accessibleName() != lesson.step.title
        self.steps.setCurrentIndex(lesson.now.at)
        onward = _onward_of(lesson.lesson)
        self._show_ways(lesson, onward is not None)
        if lesson.now.ended:
            self._show_end(lesson, onward)
        else:
            self._show_step(lesson, scene.shown, theme, hinted)
            self._reveals = lesson.now.state.guess.revealed and not anew and (self._reveals or self._waiting)
            self._waiting = lesson.now.prediction is not None
        if anew or lesson.now.ended:
            self._form.verticalScrollBar().setValue(0)

    def _show_head(self, lesson: Lesson) -> None:
        language, minutes = lesson.language, lesson.minutes
        about = (lesson.author, lesson.level, say(language, "minutes", minutes=minutes) if minutes else "")
        self._title.setText(unbroken(plain(lesson.title)))
        self._title.setToolTip(plain_tip(f"{lesson.title}\n{'  ·  '.join(filter(None, about))}".strip()))
        titles = enumerate(map(plain, (step.title for step in lesson.steps)), 1)
        number = len(lesson.steps)
        show_entries(self.steps, [(say(language, "step", at=at, number=number, title=each), at) for at, each in titles])

    def _show_ways(self, lesson: LessonScene, onward: bool) -> None:
        """Show the buttons of the step, or of the end."""
        now = lesson.now
        of_end = (self._back, *[self._onward] * onward, self._hand_in, self._leave, self._list)
        self._buttons.show_only(of_end if now.ended else (self._back, self._next, self._reset, self._leave))
        self._back.setEnabled(now.at > 0 or now.ended)
        last = now.at + 1 == len(lesson.lesson.steps)
        self._next.setText(say(lesson.lesson.language, "finish" if last else "lesson.next"))

    def _show_end(self, lesson: LessonScene, onward: Lesson | None) -> None:
        """Show the result of the lesson in place of a step."""
        for part in (self.question, self._goal, self._fold, self._hint):
            part.hide()
        self.text.setAccessibleName(say(lesson.lesson.language, "end"))
        self.text.show_markdown(words.ending(lesson.now, lesson.lesson, onward))

    def _show_step(self, lesson: LessonScene, number: int, theme: Theme, hinted: bool) -> None:
        """Show text and question of the step, among that `number` of classifiers; its hint may come later."""
        step, unfolded, language = lesson.step, lesson.now.state.hint, lesson.lesson.language
        self.text.setAccessibleName(step.title)
        self.text.show_markdown(step.text)
        self.question.setVisible(step.prediction is not None)
        if step.prediction is not None:
            self.question.show_prediction(step.prediction, lesson, number)
        goal = f"{'✓' if lesson.reached else '○'}  {say(language, 'goal', goal=lesson.goal)}"
        show_or_hide(self._goal, goal if lesson.goal else "")
        ink, background = theme.moods["certified"] if lesson.reached else (theme.ink, theme.base)
        style = f"color: rgb{ink}; background-color: rgb{background}; border-radius: 4px;"
        if self._goal.styleSheet() != style:
            self._goal.setStyleSheet(style)
        self._fold.setVisible(bool(step.hint) and (hinted or unfolded))
        self._fold.setChecked(unfolded)
        self._fold.setText(say(language, "hide_hint" if unfolded else "lesson.hint"))
        self._hint.show_markdown(step.hint if unfolded else "")


def _onward_of(lesson: Lesson) -> Lesson | None:
    """Return the next lesson; None if there is none."""
    from .shipped import following  # only now: it costs the start nothing

    return following(lesson)
