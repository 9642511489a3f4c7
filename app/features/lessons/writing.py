"""Writing: the present state as one more step of a lesson."""

from __future__ import annotations

from collections.abc import Sequence

from app.state.document import Document
from app.state.plain_text import plain

from .parts import LONGEST_TITLE, open_fence

#: A lesson without a step.
NEW = """---
title: {title}
author:
level:
minutes: 5
---
"""
TEXT = "Write here what the student reads: what to look at, and what to try."


def added(text: str | None, document: Document, title: str, show: Sequence[str] | None) -> str:
    """The Markdown of a lesson with the present state as its last step; of a new lesson where `text` is None.

    FileError with one sentence where the state is too large for a share text.

    Parameters
    ----------
    text : str or None
    document : Document
    title : str
        Of the step, and of a new lesson.
    show : sequence of str or None
        The controls that are shown; None: all.
    """
    from app.exchange import share_text

    heading = " ".join(plain(" ".join(title.split())).lstrip("#").split())[:LONGEST_TITLE].rstrip(" #") or "A step"
    before = NEW.format(title=heading) if text is None else text.rstrip() + "\n"
    if fence := open_fence(before):  # else the heading would be code
        before += f"{fence}\n"
    lines = [f"# {heading}", f"start: {share_text.encode(document)}"]
    if show is not None:
        lines.append(f"show: {', '.join(show) or 'none'}")
    return before + "\n" + "\n".join(lines) + f"\n\n{TEXT}\n"
