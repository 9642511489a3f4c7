"""Inquiries: which questions the window's state raises: the table of features that ask the background something."""

from __future__ import annotations

from collections.abc import Callable

from app.jobs.inquiry import Question
from app.moment import Moment

from . import difference, evaluation, probe, strips, truths, whatif

#: Each gives its questions of this moment by name; those that are not given any more are dropped.
FEATURES: tuple[Callable[[Moment], dict[str, Question]], ...] = (
    probe.grounds, difference.questions, truths.questions, strips.curve_questions,
    whatif.questions, evaluation.questions,
)  # fmt: skip


def questions(moment: Moment) -> dict[str, Question]:
    """All questions of this moment."""
    return {name: question for feature in FEATURES for name, question in feature(moment).items()}
