"""Lesson: what a file says of its steps; values only, no Qt."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from app.engine.cover import Cover

#: How a step is guessed before it is shown: one of its answers, a line drawn by hand, or the two multipliers that move.
PredictKind = Literal["choice", "boundary", "pair"]
#: Languages of lessons by the code in a file's name ("NAME.de.lesson.md"); the name of an English one has no code.
ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}


class Setting(Struct, frozen=True):
    """One line such as `k = 15` or `2.C = 10`.

    Attributes
    ----------
    lane : int or None
        Place from 0; None: every classifier shown that has it.
    name : str
        A field of a learner, "classifier", "classifiers", or a parameter of the generator.
    value : str
        As it is written.
    line : int
        Of the file, from 1.
    """

    lane: int | None
    name: str
    value: str
    line: int


class Start(Struct, frozen=True):
    """What a step begins with.

    Attributes
    ----------
    kind : str
        "before": what the step before began with, for the first step the default document.
    source : str
        The share text, the name of a file beside the lesson, or that of an example of the gallery.
    settings : tuple of Setting
        Changed in it, in this order.
    """

    kind: Literal["before", "share", "document", "example"] = "before"
    source: str = ""
    settings: tuple[Setting, ...] = ()


class Prediction(Struct, frozen=True):
    """What is guessed before the pictures are shown.

    Attributes
    ----------
    kind : str
    question : str
    answers : tuple of str
        2 to 4, of a "choice".
    right : int
        Place of the right one among them.
    because : str
        Told with the picture.
    lane : int
        Place of the classifier whose boundary or pair is guessed; a choice covers all.
    reasons : tuple of str
        Why each answer is wrong, told to whoever chose it; "" where nothing is written.
    """

    kind: PredictKind
    question: str
    answers: tuple[str, ...] = ()
    right: int = -1
    because: str = ""
    lane: int = 0
    reasons: tuple[str, ...] = ()


class Step(Struct, frozen=True):
    """One heading of a lesson.

    Attributes
    ----------
    title : str
    text : str
        Markdown.
    start : Start
    show : tuple of str or None
        Names of the controls that are shown; None: all, (): none.
    panel : str
        The action that opens a panel, or "".
    layers : tuple of str
        Checkable actions that are on.
    view : (float, float, float) or None
        x, y and span.
    paused : bool
        Runs wait before their first step.
    hint : str
    goal : str
        What the student is to reach, as it is written, such as "both above 95 %"; or "".
    prediction : Prediction or None
    line : int
        Of its heading, from 1.
    cover : Cover
        What is covered while the question waits for an answer.
    hide : Cover
        What is covered throughout the step, because a later one asks for it.
    match : str
        The share text whose first classifier is to be found; "" for none.
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


class Lesson(Struct, frozen=True):
    """A lesson.

    Attributes
    ----------
    title, author, level : str
    minutes : int
    steps : tuple of Step
    name : str
        That of its file without ".lesson.md", and without the code of a language.
    folder : Path or None
        Where documents beside it are looked for.
    learnt : tuple of str
        What was learnt, in at most two sentences, for its end.
    digest : str
        Of its text: answers are compared with those to the very same lesson.
    language : str
        Key of `LANGUAGES`, from the name of its file.
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
        """How many of its steps ask something."""
        return sum(step.prediction is not None for step in self.steps)
