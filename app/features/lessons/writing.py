"""Writing: add the present state to a lesson as one more step, with its question."""

from __future__ import annotations

import re

from msgspec import Struct

from app.core.plain_text import plain_line
from app.state.document import Document

from .model import PredictKind
from .parts import LONGEST_TITLE, open_fence
from .reading import RIGHT

#: A lesson without steps.
NEW = """---
title: {title}
author:
level:
minutes: 5
---
"""
#: A line that would begin another step.
_HEADING = re.compile(r"^( {0,3})#{1,2}(?=[ \t]|$)", re.MULTILINE)


class WrittenAnswer(Struct, frozen=True):
    """An answer to choose, and why it is wrong; "" if no reason is given."""

    text: str
    reason: str = ""


class NewStep(Struct, frozen=True):
    """A step to be written.

    Attributes
    ----------
    title : str
    text : str
        Markdown.
    show : tuple of str or None
        Names of the displayed controls; None: all.
    kind : str or None
        Kind of the question; None: there is none.
    lane : int
        Index of the classifier whose boundary or pair is guessed.
    question, because : str
    answers : tuple of WrittenAnswer
        Answers of a "choice"; those without a text are left out.
    right : int
        Index of the right answer; -1 for none.
    cover : str
        What is covered while the question is open, as written in a lesson.
    asks : str
        What answers a "choice", as written in a lesson; "" for nothing that is displayed.
    lesson : str
        Title of a new lesson; "": that of the step.
    """

    title: str
    text: str = ""
    show: tuple[str, ...] | None = None
    kind: PredictKind | None = None
    lane: int = 0
    question: str = ""
    because: str = ""
    answers: tuple[WrittenAnswer, ...] = ()
    right: int = -1
    cover: str = "picture"
    asks: str = ""
    lesson: str = ""

    @property
    def heading(self) -> str:
        """The title as it can be written in a heading."""
        return _heading(self.title) or "A step"

    @property
    def missing(self) -> str:
        """What must still be written, in a sentence; "" if nothing is missing."""
        if not self.title.strip():
            return "Write the title of the step."
        if not self.text.strip():
            return "Write the text of the step."
        if self.kind is None:
            return ""
        if not self.question.strip():
            return "Write the question."
        if self.kind != "choice":
            return ""
        texts = [plain_line(answer.text) for answer in self.answers]
        written = [text for text in texts if text]
        if len(written) < 2:
            return "Write at least two answers."
        if len(set(written)) < len(written):
            return "Two answers are the same."
        return "" if self.right >= 0 and texts[self.right] else "Mark the answer that is right."

    @property
    def fields(self) -> list[str]:
        """The lines of the step below `start`."""
        lines = [] if self.show is None else [f"show: {', '.join(self.show) or 'none'}"]
        if self.kind is None:
            return lines
        of = "" if self.kind == "choice" else f" {self.kind} of {self.lane + 1}"
        lines.append(f"predict{of}: {plain_line(self.question)}")
        for index, answer in enumerate(self.answers if self.kind == "choice" else ()):
            right = index == self.right
            if not answer.text.strip():
                continue
            lines.append(f"- {plain_line(answer.text)}{f' {RIGHT}' * right}")
            if answer.reason and not right:
                lines.append(f"  reason: {plain_line(answer.reason)}")
        if self.because:
            lines.append(f"because: {plain_line(self.because)}")
        if self.cover != "picture" and self.kind != "boundary":
            lines.append(f"cover: {self.cover}")
        if self.asks and self.kind == "choice":
            lines.append(f"asks: {self.asks}")
        return lines


def _heading(title: str) -> str:
    return plain_line(plain_line(title).lstrip("#"))[:LONGEST_TITLE].rstrip(" #")


def added(text: str | None, document: Document, step: NewStep) -> str:
    """Return the Markdown of a lesson with the present state as its last step; of a new lesson if `text` is None.

    Raise FileError with one sentence if the state is too large for a share text.

    Parameters
    ----------
    text : str or None
    document : Document
    step : NewStep
    """
    from app.exchange import share_text

    before = NEW.format(title=_heading(step.lesson) or step.heading) if text is None else text.rstrip() + "\n"
    if fence := open_fence(before):  # otherwise the heading would be code
        before += f"{fence}\n"
    lines = [f"# {step.heading}", f"start: {share_text.encode(document)}", *step.fields]
    body = _HEADING.sub(r"\1###", step.text.strip())
    return before + "\n" + "\n".join(lines) + f"\n\n{body}\n"
