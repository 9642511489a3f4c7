"""Check: the output of `classifier-playground lesson check FILE...`: faults, spoilers, and faults of a translation.

A spoiler is a question whose answer is displayed before it is asked: the parts of the results that it asks for
(`Step.asks`) are in sight of the same classifier on the same points, in an earlier step or beside the question.  A
translation may differ from its original in language only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from app.core.number_format import count
from app.core.plain_text import plain
from app.engine.cover import Cover
from app.files.documents import FileError
from app.scene.feature import FeatureTable
from app.state.document import Document, Lane

from . import starting
from .model import Lesson, Prediction, Step
from .reading import examined, read, text_of, words_of


def check(features: FeatureTable, files: Sequence[Path], against: Path | None = None) -> tuple[list[str], bool]:
    """Return a line for each fault, or a line for each sound file; and whether all files are sound.

    Each file is compared with the lesson `against`, of which it is a translation, if that is given; raise FileError if
    `against` has a fault.
    """
    lines, sound = [], True
    original = None if against is None else read(features, against)
    for path in files:
        name = plain(str(path))
        try:
            lesson, found = examined(features, text_of(path), name, path.parent)
        except FileError as error:
            found = [f"{name}{str(error).removeprefix(plain(path.name))}"]
        else:
            if not found:
                wrong = spoilers(lesson)
                wrong += [] if original is None else differences(lesson, original)
                found = [f"{name}:{line}: {plain(sentence)}" for line, sentence in sorted(wrong, key=itemgetter(0))]
        lines += found or [f"{name}: sound, {count(len(lesson.steps), 'step')}"]
        sound &= not found
    return lines, sound


class Sight(Struct, frozen=True, eq=False):
    """What a step displays of one classifier.

    Attributes
    ----------
    step : int
        Index of the step.
    document : Document
    lane : Lane
    shown : Cover
        The parts of the results that are displayed.
    waits : bool
        Whether the training waits before a step, whose pair is marked; else it has ended.
    """

    step: int
    document: Document
    lane: Lane
    shown: Cover
    waits: bool

    def is_of(self, other: Sight) -> bool:
        """Whether both are of one classifier, trained on the same points."""
        points, others = self.document.training_points, other.document.training_points
        mine, theirs = (_settings(each.lane, points.classes) for each in (self, other))
        return mine == theirs and points.same_as(others)


def _settings(lane: Lane, classes: Sequence[int]) -> tuple[object, ...]:
    """Return the classifier of a lane, and those of its settings that have an effect."""
    fields = [field for field in lane.family.fields if field.kind != "text" and field.shown(lane.settings, classes)]
    names = {name for field in fields for name in (field.parameter, field.end) if name}
    return lane.classifier, lane.standardises, *sorted((name, str(getattr(lane.settings, name))) for name in names)


def spoilers(lesson: Lesson) -> list[tuple[int, str]]:
    """Return line and sentence of each question that is answered before it is asked."""
    found: list[tuple[int, str]] = []
    earlier: list[Sight] = []
    for at, step in enumerate(lesson.steps):
        try:
            document = starting.start_of(lesson, at)
        except FileError:
            return found
        asked = list(_sights(at, step, document, step.prediction))
        # What is asked after is what the steps between teach.
        spoils = step.prediction is not None and step.measure != "after"
        if (
            step.prediction is not None
            and spoils
            and (sentence := _spoiler(lesson, at, step.prediction, earlier, asked))
        ):
            found.append((step.line, sentence))
        earlier += _sights(at, step, document, step.prediction if step.measure == "before" else None)
        if step.paused and step.show is not None and "playback" in step.show:  # the student may play the run to its end
            earlier += _sights(at, replace(step, paused=False), document)
    return found


def _sights(at: int, step: Step, document: Document, asked: Prediction | None = None) -> Iterator[Sight]:
    """Yield what the step displays of each classifier, while the question `asked` is open, or after it."""
    for index, lane in enumerate(document.lanes[: document.shown]):
        about = asked is not None and (asked.kind == "choice" or asked.lane == index)
        covered = step.hide | (step.cover if about else Cover.NOTHING)
        yield Sight(at, document, lane, Cover.PICTURE & ~covered, step.paused and lane.trainer is not None)


def _spoiler(lesson: Lesson, at: int, prediction: Prediction, earlier: list[Sight], asked: list[Sight]) -> str:
    """Return a sentence about how the question of step `at` is answered beforehand; "" if it is not."""
    kind = prediction.kind
    asks = {"boundary": Cover.PICTURE, "pair": Cover.MARKS}.get(kind, lesson.steps[at].asks)
    # A difference has no numbers.
    about = [each for each in asked if not each.lane.is_difference] if kind == "choice" else [asked[prediction.lane]]
    able = [each for each in (*earlier, *asked) if each.shown & asks and each.waits == (kind == "pair")]
    found = [[each for each in able if each.is_of(other)] for other in about]
    if found and all(found):
        latest = max((each[0] for each in found), key=lambda sight: sight.step)
        what = {"boundary": "this boundary", "pair": "the pair that moves"}.get(kind, f"the {words_of(asks)}")
        where, word = ("its own step", "cover") if latest.step == at else (f"step {latest.step + 1}", "hide")
        return f"{where} shows {what}; write “{word}: {words_of(asks)}” there."
    right = _plain(prediction.answers[prediction.right]) if kind == "choice" else ""
    for index in range(at + 1) if len(right) > 12 else ():
        if right in _plain(_words_of(lesson.steps[index], index < at)):
            return f"the words of step {index + 1} give the answer away."
    return ""


def _words_of(step: Step, whole: bool) -> str:
    """Return the words of a step, and those after its reveal if `whole`."""
    texts = [step.title, step.text, step.hint]
    if whole and step.prediction is not None:
        texts.append(step.prediction.because)
    return " ".join(texts)


def _plain(text: str) -> str:
    """Return `text` in lower case without punctuation."""
    return " ".join(re.findall(r"[\w₀-₉²³]+", text.lower()))


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
        "measure line": step.measure,
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
