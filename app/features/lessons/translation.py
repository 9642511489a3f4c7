"""Translation: differences between a translated lesson and its original other than language.

Two lessons without faults come in; a sentence for each difference goes out, with the line of its step.
"""

from __future__ import annotations

import re
from collections import Counter

from .model import Lesson, Step

#: A number in a text, with a point or a comma as its decimal sign.
_NUMBER = re.compile(r"\N{MINUS SIGN}?[0-9]+(?:[.,][0-9]+)?")


def differences(lesson: Lesson, original: Lesson) -> list[tuple[int, str]]:
    """Return line and sentence of each difference; lines are those of the translation."""
    found = [(1, f"the {what} is not that of the original.") for what in _changed(_front(lesson), _front(original))]
    texts = {f"sentence {n} of learnt": each for n, each in enumerate(lesson.learnt, 1)}
    originals = {f"sentence {n} of learnt": each for n, each in enumerate(original.learnt, 1)}
    found += [(1, f"{sentence}.") for sentence in _texts_changed(texts, originals)]
    here, there = len(lesson.steps), len(original.steps)
    if here != there:
        found.append((1, f"the number of steps is {here}, in the original {there}."))
    for number, (step, other) in enumerate(zip(lesson.steps, original.steps, strict=False), 1):
        structure = _changed(_structure(step), _structure(other))
        found += [(step.line, f"step {number}: the {what} is not that of the original.") for what in structure]
        changed = _texts_changed(_texts(step), _texts(other))
        found += [(step.line, f"step {number}: {sentence}.") for sentence in changed]
    return found


def _changed(here: dict[str, object], there: dict[str, object]) -> list[str]:
    return [what for what in here if here[what] != there[what]]


def _front(lesson: Lesson) -> dict[str, object]:
    return {"level": lesson.level, "number of minutes": lesson.minutes}


def _structure(step: Step) -> dict[str, object]:
    """Return the parts of a step that are the same in every language, by their names."""
    asked = step.prediction
    return {
        "start": (step.start.kind, step.start.source),
        "list of settings": [(each.lane, each.name, each.value) for each in step.start.settings],
        "show line": step.show,
        "panel": step.panel,
        "layer line": step.layers,
        "view": step.view,
        "run line": step.paused,
        "cover": step.cover,
        "hide line": step.hide,
        "asks line": step.asks,
        "goal": step.goal,
        "kind of question": asked and (asked.kind, asked.lane),
        "number of answers": asked and len(asked.answers),
        "right answer": asked and asked.right,
    }


def _texts(step: Step) -> dict[str, str]:
    """Return the texts of a step by their names; empty ones included."""
    texts = {"title": step.title, "text": step.text, "hint": step.hint}
    if (asked := step.prediction) is not None:
        texts |= {"question": asked.question, "because": asked.because}
        texts |= {f"answer {number}": each for number, each in enumerate(asked.answers, 1)}
        texts |= {f"reason of answer {number}": each for number, each in enumerate(asked.reasons, 1)}
    return texts


def _texts_changed(here: dict[str, str], there: dict[str, str]) -> list[str]:
    """Return a sentence for each text that only one of the two has, or whose numbers differ."""
    found = []
    for what in here | there:
        text, other = here.get(what, ""), there.get(what, "")
        numbers, others = _numbers(text), _numbers(other)
        if bool(text) != bool(other):
            found.append(f"{what} is missing" if other else f"{what} has no counterpart in the original")
        elif numbers != others:
            found.append(f"{what} has {_listed(numbers - others)} where the original has {_listed(others - numbers)}")
    return found


def _numbers(text: str) -> Counter[str]:
    return Counter(each.replace(",", ".") for each in _NUMBER.findall(text))


def _listed(numbers: Counter[str]) -> str:
    return ", ".join(numbers.elements()) or "no number"
