"""Reading: make a lesson from its Markdown file, and report every fault with its line.

Nothing in a lesson is executed or fetched.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from app.core.plain_text import plain
from app.engine.cover import Cover
from app.exchange import lesson_text
from app.exchange.opening import LESSON_SUFFIX, Kind, is_share_text, kind_of_text
from app.files.documents import FileError, read_bytes
from app.scene.control_names import WINDOW_CONTROLS
from app.scene.feature import FeatureTable
from app.state.document import Document, View
from app.state.edit_struct import changed_struct

from . import goals, matching, names, starting
from .model import ENGLISH, Lesson, Measure, Prediction, PredictKind, Start, Step
from .parts import (
    FIELDS,
    LONGEST_SENTENCE,
    LONGEST_TEXT,
    Entry,
    Faults,
    Part,
    ask_again,
    front_matter,
    lines_of,
    parts_of,
)
from .phrases import languages

#: Largest file (bytes), and number of steps.
LARGEST, MOST_STEPS = 1_000_000, 100
#: Length of a digest (characters), and file name of a lesson that came as a text.
DIGEST, SHARED = 16, f"shared{LESSON_SUFFIX}"
#: Control characters, which are not text.
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
#: Mark of the right answer.
RIGHT = "(right)"
#: What a step may cover, by its name in lessons.
COVERS = {
    "picture": Cover.PICTURE,
    "numbers": Cover.NUMBERS,
    "marks": Cover.MARKS,
    "test accuracy": Cover.TEST,
    "none": Cover.NOTHING,
}
_CONTROLS = f"a control is a setting of a classifier, or {', '.join(WINDOW_CONTROLS)}"
_PREDICT = re.compile(r"(?:(?P<kind>boundary|pair)(?: ?of (?:classifier )?(?P<lane>\d{1,3}))?)?")
Value = TypeVar("Value")


def words_of(cover: Cover) -> str:
    """Return what is covered, as written in a lesson."""
    words, left = [], cover
    for word, part in COVERS.items():
        if part and part in left:
            words.append(word)
            left &= ~part
    return ", ".join(words)


def parse(features: FeatureTable, text: str, name: str, folder: Path | None) -> Lesson:
    """Return the lesson; raise FileError with the first fault if there is one."""
    lesson, faults = examined(features, text, name, folder)
    if faults:
        raise FileError(faults[0])
    return lesson


def read(features: FeatureTable, path: Path) -> Lesson:
    """Return the lesson in the file at `path`, or in a lesson text given as path; raise FileError if there is none."""
    if is_share_text(str(path)):
        return read_text(features, str(path))
    text = text_of(path)
    if kind_of_text(text) is Kind.LESSON:
        return read_text(features, text)
    return parse(features, text, path.name, path.parent)


def read_text(features: FeatureTable, text: str) -> Lesson:
    """Return the lesson in a lesson text; raise FileError with one sentence if there is none."""
    return parse(features, decoded(lesson_text.decode(text), SHARED), SHARED, None)


def text_of(path: Path) -> str:
    """Return the text of the file at `path`; raise FileError with one sentence if it cannot be read."""
    return decoded(read_bytes(path, LARGEST), path.name)


def decoded(data: bytes, name: str) -> str:
    """Return `data` as text; raise FileError with one sentence if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileError(f"{name}:{line}: this is not UTF-8 text; save the lesson as UTF-8.") from None


def front_of(text: str, file: str) -> Lesson:
    """Return the lesson without its steps, as far as its front matter can be read; `file` is its file name."""
    return _lesson(front_matter(lines_of(text), Faults())[0], file)


def digest_of(text: str) -> str:
    """Return the digest of a lesson's text."""
    return hashlib.sha256("\n".join(lines_of(text)).strip().encode("utf-8", "replace")).hexdigest()[:DIGEST]


def _lesson(
    front: Mapping[str, str], file: str, steps: tuple[Step, ...] = (), folder: Path | None = None, digest: str = ""
) -> Lesson:
    learnt, minutes = tuple(front["learnt"].split("\n")) if front["learnt"] else (), int(front["minutes"] or 0)
    name, language = file.removesuffix(LESSON_SUFFIX), ENGLISH
    stem, dot, code = name.rpartition(".")
    if dot and code in languages():
        name, language = stem, code
    return Lesson(
        front["title"], front["author"], front["level"], minutes, steps, name, folder, learnt, digest, language
    )


def examined(features: FeatureTable, text: str, name: str, folder: Path | None) -> tuple[Lesson, list[str]]:
    """Return a lesson as far as it can be read, and its faults in the order of lines: "name:LINE: sentence"."""
    found = Faults()
    lines = lines_of(text)
    for number, line in enumerate(lines, 1):
        if sign := _ACTING.search(line):
            found.add(number, f"there is a character that is no text (code {ord(sign.group()):#04x}).")
        lines[number - 1] = _ACTING.sub(" ", line)
    front, begin = front_matter(lines, found)
    parts = parts_of(lines, begin, found)
    ask_again(parts, found)
    if not parts and begin < len(lines):
        found.add(len(lines), "there is no step: each begins with a heading, “# Title”.")
    if len(parts) > MOST_STEPS:
        found.add(parts[MOST_STEPS].line, f"there are more than {MOST_STEPS} steps.")
    steps: list[Step] = []
    document = None
    for part in parts[:MOST_STEPS]:
        step, document = StepReader(features, part, folder, found).step(document, not steps)
        steps.append(step)
    lesson = _lesson(front, Path(name).name, tuple(steps), folder, digest_of(text))
    return lesson, [f"{plain(name)}:{line}: {sentence}" for line, sentence in sorted(found.found, key=itemgetter(0))]


class StepReader:
    """Read the fields of one step; a missing field is in `entries` with line 0."""

    def __init__(self, features: FeatureTable, part: Part, folder: Path | None, found: Faults) -> None:
        self.features, self.part, self.folder, self.found = features, part, folder, found
        self.entries = {word: part.entries.get(word, Entry(word, "", "", 0)) for word in FIELDS}

    def step(self, before: Document | None, first: bool) -> tuple[Step, Document | None]:
        """Return the step, and the document at its beginning, if known; `before` is that of the previous step."""
        part = self.part
        text = "\n".join(part.text).strip("\n")
        if len(text) > LONGEST_TEXT:
            self.found.add(part.text_line or part.line, f"the text has more than {LONGEST_TEXT} characters.")
        start = replace(self._value("start", _start_in, Start()), settings=tuple(part.settings))
        view = self._value("view", _view_in, None)
        document = self._document(start, view, before, first)
        show, prediction = self._show(document), self._prediction(document)
        run = self._one("run", ("paused", "playing"))
        step = Step(
            part.title,
            text,
            start,
            show,
            self._one("panel", names.panels(self.features)),
            tuple(self._among("layer", names.layers(self.features), self._words("layer"))),
            view,
            run == "paused" or (prediction is not None and prediction.kind == "pair"),
            self._sentence("hint"),
            self._goal(document, show),
            prediction,
            part.line,
            self._cover(prediction),
            self._hide(),
            self._value("match", _match_in, ""),
            self._asks(prediction),
            cast(Measure, self._one("measure", ("before", "after"))),
        )
        return step, document

    # -- any field -----------------------------------------------------------------------------------------------------

    def _value(self, word: str, read: Callable[[str], Value], otherwise: Value) -> Value:
        """Return what `read` makes of a field; `otherwise` if the field is missing or has a fault."""
        entry = self.entries[word]
        try:
            return read(entry.value) if entry.value else otherwise
        except ValueError as error:
            self.found.add(entry.line, str(error))
            return otherwise

    def _words(self, word: str) -> list[str]:
        return [each.strip() for each in self.entries[word].value.split(",") if each.strip()]

    def _among(self, word: str, known: Iterable[str], words: Iterable[str]) -> Iterator[str]:
        """Yield those of the `words` of a field that are `known`, and report the others."""
        for each in words:
            if each.lower() in known:
                yield each.lower()
            else:
                self.found.add(self.entries[word].line, f"there is no {word} “{each}”; there are {', '.join(known)}.")

    def _one(self, word: str, known: Iterable[str]) -> str:
        """Return the single word of a field if it is `known`."""
        return next(self._among(word, known, filter(None, [self.entries[word].value])), "")

    def _sentence(self, word: str) -> str:
        entry = self.entries[word]
        if len(entry.value) > LONGEST_SENTENCE:
            self.found.add(entry.line, f"{word} has more than {LONGEST_SENTENCE} characters.")
        return plain(entry.value)

    # -- what the step begins with, and shows --------------------------------------------------------------------------

    def _document(
        self, start: Start, view: tuple[float, float, float] | None, before: Document | None, first: bool
    ) -> Document | None:
        line = self.entries["start"].line
        if start.kind == "before" and (line or (before is None and not first)):
            return None  # the fault is reported elsewhere
        try:
            document, wrong = starting.begun(start, view, self.folder, before)
        except FileError as error:
            self.found.add(line, str(error))
            return None
        for line, sentence in wrong:
            self.found.add(line, sentence)
        return document

    def _show(self, document: Document | None) -> tuple[str, ...] | None:
        entry, known = self.entries["show"], names.controls()
        if entry.value.lower() in ("all", ""):
            return None
        words = [] if entry.value.lower() == "none" else self._words("show")
        for each in words:
            if names.folded(each) not in known:
                self.found.add(entry.line, f"there is no control “{each}”; {_CONTROLS}.")
        shown = [known[name] for name in map(names.folded, words) if name in known]
        if document is not None and "classifier" not in shown:
            lanes = document.lanes[: document.shown]
            have = {each.name for lane in lanes for each in lane.family.fields} | set(WINDOW_CONTROLS)
            for name in shown:
                if name not in have:
                    self.found.add(entry.line, f"no classifier here has the control “{name}”.")
        return tuple(dict.fromkeys(shown))

    def _cover(self, prediction: Prediction | None) -> Cover:
        entry = self.entries["cover"]
        if entry.line and not self.entries["predict"].line:
            self.found.add(entry.line, "cover belongs to a question, “predict: …”; hide covers throughout a step.")
        cover = self._covers("cover", Cover.PICTURE)
        if prediction is not None and prediction.kind == "boundary" and cover != Cover.PICTURE:
            self.found.add(entry.line, "a boundary is drawn on a covered picture: cover is picture here.")
        return cover

    def _asks(self, prediction: Prediction | None) -> Cover:
        entry = self.entries["asks"]
        if entry.line and (prediction is None or prediction.kind != "choice"):
            self.found.add(entry.line, "asks belongs to a question with answers, “predict: …”.")
        return self._covers("asks", Cover.NOTHING)

    def _hide(self) -> Cover:
        hidden = self._covers("hide", Cover.NOTHING)
        if goals.reveals(self.entries["goal"].value) & hidden:
            self.found.add(self.entries["hide"].line, "hide and goal: the goal would tell the number that is hidden.")
        return hidden

    def _covers(self, word: str, otherwise: Cover) -> Cover:
        """Return what a field covers, or `otherwise` if it is missing."""
        cover = Cover.NOTHING
        for each in self._among(word, COVERS, self._words(word)):
            cover |= COVERS[each]
        return cover if self.entries[word].line else otherwise

    # -- what it asks --------------------------------------------------------------------------------------------------

    def _goal(self, document: Document | None, show: tuple[str, ...] | None) -> str:
        goal = self._sentence("goal")
        can_change = show is None or "classifier" in show or "classifiers" in show
        wrong = goals.fault(goal, document, can_change) if goal else ""
        if not wrong and goals.compares(goal) and not self.entries["match"].line:
            wrong = f"the goal “{goal}”: agreement is with the classifier of “match: …”, which is missing."
        if wrong:
            self.found.add(self.entries["goal"].line, wrong)
        return goal

    def _prediction(self, document: Document | None) -> Prediction | None:
        entry, made = self.entries["predict"], _PREDICT.fullmatch(self.entries["predict"].kind)
        if not entry.line:
            if line := self.entries["because"].line:
                self.found.add(line, "because belongs to a question, “predict: …”.")
            return None
        if made is None:
            self.found.add(entry.line, "write “predict: …”, “predict boundary: …”, or “predict pair of 2: …”.")
            return None
        lane = int(made["lane"] or 1) - 1
        question, because = self._sentence("predict"), self._sentence("because")
        if made["kind"] is None:
            return self._of_answers(entry, question, because)
        kind: PredictKind = "boundary" if made["kind"] == "boundary" else "pair"
        if self.part.answers:
            line = self.part.answers[0].line
            self.found.add(line, f"“predict {kind}” has no answers: the student draws or picks.")
        if document is not None:
            self._check_guess(entry.line, kind, lane, document)
        return Prediction(kind, question, because=because, lane=max(lane, 0))

    def _of_answers(self, entry: Entry, question: str, because: str) -> Prediction:
        written = self.part.answers
        right = [index for index, each in enumerate(written) if each.value.lower().endswith(RIGHT)]
        if not 2 <= len(written) <= 4:
            self.found.add(entry.line, f"a question has 2 to 4 answers, “- …”, not {len(written)}.")
            return Prediction("choice", question, because=because)
        if len(right) != 1:
            many = "no answer" if not right else "more than one answer"
            self.found.add(entry.line, f"{many} is marked “{RIGHT}”.")
        answers: list[str] = []
        for index, each in enumerate(written):
            answer = plain(each.value[: -len(RIGHT)].rstrip() if index in right else each.value)
            if not answer or len(answer) > LONGEST_SENTENCE:
                self.found.add(each.line, f"an answer has 1 to {LONGEST_SENTENCE} characters.")
            elif answer in answers:
                self.found.add(each.line, "this answer stands here twice.")
            answers.append(answer)
            if each.reason is not None and index in right:
                self.found.add(each.reason.line, "the right answer needs no reason: “because: …” is told with it.")
            elif each.reason is not None and len(each.reason.value) > LONGEST_SENTENCE:
                self.found.add(each.reason.line, f"reason has more than {LONGEST_SENTENCE} characters.")
        reasons = tuple("" if each.reason is None else plain(each.reason.value) for each in written)
        return Prediction(
            "choice",
            question,
            tuple(answers),
            right[0] if right else -1,
            because,
            reasons=reasons if any(reasons) else (),
        )

    def _check_guess(self, line: int, kind: PredictKind, lane: int, document: Document) -> None:
        if not 0 <= lane < document.shown:
            self.found.add(line, f"there is no classifier {lane + 1} here.")
            return
        asked: Any = document.lanes[lane]
        if kind == "boundary" and asked.is_difference:
            self.found.add(line, "a difference has no boundary of its own to draw.")
        if kind == "pair" and not (asked.trainer is not None and asked.trainer.has_rules):
            self.found.add(line, f"classifier {lane + 1} takes no pairs: “predict pair” is for an SVM trained by SMO.")


def _start_in(written: str) -> Start:
    value = written.strip("`<>")
    if is_share_text(value):
        return Start("share", value)
    word, _, name = value.partition(" ")
    if word.lower() == "example":
        return Start("example", name.strip())
    if value.lower().endswith(".playground"):
        return Start("document", value)
    raise ValueError("start is “example NAME”, a .playground file beside the lesson, or a share text.")


def _match_in(written: str) -> str:
    value = written.strip("`<>")
    if not is_share_text(value):
        raise ValueError("match is a share text: its first classifier is to be found.")
    try:
        found = matching.hidden(value)
    except FileError as error:
        raise ValueError(str(error)) from None
    if found.side.lane.is_difference:
        raise ValueError("match: a difference has no picture of its own to find.")
    return value


def _view_in(written: str) -> tuple[float, float, float]:
    numbers = [starting.as_number(part) for part in written.split(",")]
    if len(numbers) != 3 or not all(map(math.isfinite, numbers)):
        raise ValueError(f"view is three numbers, “x, y, span”, not “{written}”.")
    try:
        view = changed_struct(View(), dict(zip(["x", "y", "span"], numbers, strict=True)))
    except ValueError:
        raise ValueError("view lies too far out, or its span is not above 0.") from None
    return view.x, view.y, view.span
