"""Writing: the present state as one more step of a lesson, with its question."""

from __future__ import annotations

import re

from msgspec import Struct

from app.core.plain_text import plain
from app.state.document import Document

from .model import PredictKind
from .parts import LONGEST_TITLE, open_fence
from .reading import RIGHT

#: A lesson without a step.
NEW = """---
title: {title}
author:
level:
minutes: 5
---
"""
TEXT = "Write here what the student reads: what to look at, and what to try."
#: A line that would begin another step.
_HEADING = re.compile(r"^( {0,3})#{1,2}(?=[ \t]|$)", re.MULTILINE)


class Answer(Struct, frozen=True):
    """An answer to choose, and why it is wrong; "" where nothing is said of that."""

    text: str
    reason: str = ""


class NewStep(Struct, frozen=True):
    """A step that is to be written.

    Attributes
    ----------
    title : str
    text : str
        Markdown; "" leaves a reminder to write it.
    show : tuple of str or None
        The controls that are shown; None: all.
    kind : str or None
        How the question is answered; None: there is none.
    lane : int
        Place of the classifier whose boundary or pair is guessed.
    question, because : str
    answers : tuple of Answer
        Of a "choice"; those without a text are left out.
    right : int
        Place of the right one among them; -1 for none.
    cover : str
        What is covered while the question waits, as a lesson has it.
    """

    title: str
    text: str = ""
    show: tuple[str, ...] | None = None
    kind: PredictKind | None = None
    lane: int = 0
    question: str = ""
    because: str = ""
    answers: tuple[Answer, ...] = ()
    right: int = -1
    cover: str = "picture"

    @property
    def heading(self) -> str:
        """Its title as a heading can hold it."""
        return _one_line(_one_line(self.title).lstrip("#"))[:LONGEST_TITLE].rstrip(" #") or "A step"

    @property
    def missing(self) -> str:
        """What must still be written, in a sentence; "" where nothing is missing."""
        if not self.title.strip():
            return "Write the title of the step."
        if self.kind is None:
            return ""
        if not self.question.strip():
            return "Write the question."
        if self.kind != "choice":
            return ""
        texts = [_one_line(answer.text) for answer in self.answers]
        written = [text for text in texts if text]
        if len(written) < 2:
            return "Write at least two answers."
        if len(set(written)) < len(written):
            return "Two answers are the same."
        return "" if self.right >= 0 and texts[self.right] else "Mark the answer that is right."

    @property
    def fields(self) -> list[str]:
        """Its lines below `start`."""
        lines = [] if self.show is None else [f"show: {', '.join(self.show) or 'none'}"]
        if self.kind is None:
            return lines
        of = "" if self.kind == "choice" else f" {self.kind} of {self.lane + 1}"
        lines.append(f"predict{of}: {_one_line(self.question)}")
        for place, answer in enumerate(self.answers if self.kind == "choice" else ()):
            right = place == self.right
            if not answer.text.strip():
                continue
            lines.append(f"- {_one_line(answer.text)}{f' {RIGHT}' * right}")
            if answer.reason and not right:
                lines.append(f"  reason: {_one_line(answer.reason)}")
        if self.because:
            lines.append(f"because: {_one_line(self.because)}")
        if self.cover != "picture" and self.kind != "boundary":
            lines.append(f"cover: {self.cover}")
        return lines


def _one_line(text: str) -> str:
    return " ".join(plain(" ".join(text.split())).split())


def added(text: str | None, document: Document, step: NewStep) -> str:
    """The Markdown of a lesson with the present state as its last step; of a new lesson where `text` is None.

    FileError with one sentence where the state is too large for a share text.

    Parameters
    ----------
    text : str or None
    document : Document
    step : NewStep
        Its title is that of a new lesson, too.
    """
    from app.exchange import share_text

    before = NEW.format(title=step.heading) if text is None else text.rstrip() + "\n"
    if fence := open_fence(before):  # else the heading would be code
        before += f"{fence}\n"
    lines = [f"# {step.heading}", f"start: {share_text.encode(document)}", *step.fields]
    said = _HEADING.sub(r"\1###", step.text.strip()) or TEXT
    return before + "\n" + "\n".join(lines) + f"\n\n{said}\n"
