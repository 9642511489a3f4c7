"""A lesson for tests that asks a question before and after, and another between the two."""

from __future__ import annotations

from app.features.lessons.model import Lesson
from app.features.lessons.reading import parse
from app.features.table import FEATURES

TEXT = """---
title: The price of an error
minutes: 5
---

# At the start
start: example outlier
show: none
measure: before
predict: What does a larger C do?
- It widens the street
  reason: Errors cost more, so the street gives way.
- Each error costs more (right)
- It lets more points be wrong
  reason: A small C does.
because: C is the price of an error.

Guess.

# Two prices
show: none
predict: Which of the two pays more for an error?
- The left one (right)
- The right one
because: Its C is 1000.

Look at both.

# At the end
show: none
measure: after

Once more.
"""
MEASURED: Lesson = parse(FEATURES, TEXT, "measured.lesson.md", None)
