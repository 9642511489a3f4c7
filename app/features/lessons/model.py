"""Lesson: the contents of a lesson file; values only, no Qt."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from app.engine.cover import Cover

#: Kinds of questions: choose an answer, draw the boundary by hand, or pick the two multipliers that move next.
PredictKind = Literal["choice", "boundary", "pair"]
#: When a question is asked that measures learning; "": it is asked once, and measures nothing.
Measure = Literal["", "before", "after"]
#: Language code of English, which is not part of file names such as "NAME.de.lesson.md".
ENGLISH = "en"


class LessonSetting(Struct, frozen=True):
    """One line such as `k = 15` or `2.C = 10`.

    Attributes
    ----------
    lane : int or None
        Index of the classifier; None: every displayed classifier that has the setting.
    name : str
        A field of a learner, "classifier", "classifiers", or a parameter of the generator.
    value : str
        The value as written.
    line : int
        Line of the file, from 1.
    """

    lane: int | None
    name: str
    value: str
    line: int


class Start(Struct, frozen=True):
    """The document at the beginning of a step.

    Attributes
    ----------
    kind : str
        "before": the start of the previous step; for the first step, the default document.
    source : str
        The share text, the name of a file beside the lesson, or that of an example of the gallery.
    settings : tuple of LessonSetting
        Changes to that document, in this order.
    """

    kind: Literal["before", "share", "document", "example"] = "before"
    source: str = ""
    settings: tuple[LessonSetting, ...] = ()


class Prediction(Struct, frozen=True):
    """The question of a step, answered before the pictures are revealed.

    Attributes
    ----------
    kind : str
    question : str
    answers : tuple of str
        2 to 4 answers of a "choice".
    right : int
        Index of the right answer.
    because : str
        Explanation displayed with the picture.
    lane : int
        Index of the classifier whose boundary or pair is guessed; a choice covers all.
    reasons : tuple of str
        Why each answer is wrong, displayed after it was chosen; "" if none is written.
    """

    kind: PredictKind
    question: str
    answers: tuple[str, ...] = ()
    right: int = -1
    because: str = ""
    lane: int = 0
    reasons: tuple[str, ...] = ()


class Step(Struct, frozen=True):
    """One heading of a lesson, with its fields and text.

    Attributes
    ----------
    title : str
    text : str
        Markdown.
    start : Start
    show : tuple of str or None
        Names of the displayed controls; None: all, (): none.
    panel : str
        The action that opens a panel, or "".
    layers : tuple of str
        Names of checkable actions that are on.
    view : (float, float, float) or None
        x, y and span of the view.
    paused : bool
        Whether runs wait before their first step.
    hint : str
    goal : str
        The goal as written, such as "both above 95 %"; or "".
    prediction : Prediction or None
    line : int
        Line of its heading, from 1.
    cover : Cover
        What is covered while the question is open.
    hide : Cover
        What is covered throughout the step, because a later step asks for it.
    match : str
        Share text of the hidden classifier; "" for none.
    asks : Cover
        Parts of the results that answer the question, which no earlier step may display.
    measure : str
        "before": the question stays open, and a step "after" asks it again.
    """

    title: str
    text: str
    start: Start = Start()
    show: tuple[str, ...] | None = None
    panel: str = ""
    layers: tuple[str, ...] = ()
    view: tuple[float, float, float] | None = None
    paused: bool = False
    hint: str = ""
    goal: str = ""
    prediction: Prediction | None = None
    line: int = 0
    cover: Cover = Cover.PICTURE
    hide: Cover = Cover.NOTHING
    match: str = ""
    asks: Cover = Cover.NOTHING
    measure: Measure = ""


class Lesson(Struct, frozen=True):
    """The contents of a lesson file.

    Attributes
    ----------
    title, author, level : str
    minutes : int
    steps : tuple of Step
    name : str
        Name of its file without ".lesson.md" and the language code.
    folder : Path or None
        Folder of the documents that it names.
    learnt : tuple of str
        At most two sentences for its end.
    digest : str
        Digest of its text: hand-ins belong to one version of a lesson.
    language : str
        Its code, from the name of its file.
    """

    title: str
    author: str
    level: str
    minutes: int
    steps: tuple[Step, ...]
    name: str = ""
    folder: Path | None = None
    learnt: tuple[str, ...] = ()
    digest: str = ""
    language: str = ENGLISH

    @property
    def n_predictions(self) -> int:
        """Number of its steps with a question whose answer is revealed."""
        return sum(step.prediction is not None and step.measure != "before" for step in self.steps)

    @property
    def measured(self) -> dict[int, int]:
        """Index of the step that asks a question before, by that of the step that asks it after."""
        when = [step.measure for step in self.steps]
        before, after = ([at for at, each in enumerate(when) if each == name] for name in ("before", "after"))
        return dict(zip(after, before, strict=False))
