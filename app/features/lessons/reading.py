"""Reading: a lesson from its Markdown file, and every fault of it with its line.

Nothing of a lesson is executed or fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.files.documents import FileError, is_share_text, read_bytes
from app.state.document import Document, View
from app.state.edit_struct import changed_struct
from app.state.plain_text import plain

from . import goals, names, starting
from .controls import PLACES
from .model import Goal, Lesson, Prediction, PredictKind, Setting, Start, Step

SUFFIX = ".lesson.md"
#: Bytes of a lesson, its steps and minutes, characters of a title, of a sentence and of a text.
LARGEST, MOST_STEPS, MOST_MINUTES = 1_000_000, 100, 600
LONGEST_TITLE, LONGEST_SENTENCE, LONGEST_TEXT = 80, 600, 20_000
#: Settings of a step, faults that are told, and lines of the front matter.
MOST_SETTINGS, MOST_FAULTS, LONGEST_FRONT = 50, 1000, 20
FRONT = ("title", "author", "level", "minutes")
#: The fields of a step.
FIELDS = ("start", "show", "panel", "layer", "view", "run", "predict", "because", "hint", "goal")
_OTHER_WORDS = {"layers": "layer", "panels": "panel"}
_FENCE = re.compile(r" {0,3}(```|~~~)")
# Of each line in one go: no pattern may try many ways through a long line.
_HEADING = re.compile(r" {0,3}#{1,2}(?:[ \t]+(.*))?")
_ANSWER = re.compile(r"\s*[-*+](?:[ \t]+(.*))?")
_NUMBERED = re.compile(r"([0-9]{1,3}) ?\. ?(.*)")
RIGHT = "(right)"
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_PICTURE = re.compile(r"!\[[^\]]{0,200}\]\(")


@dataclass
class _Entry:
    """A field as it is written: its word, what stands between word and colon, what behind, and where."""

    word: str
    kind: str
    value: str
    line: int
    answers: list[tuple[str, int]] = field(default_factory=list)


@dataclass
class _Part:
    """A heading, with the lines below it."""

    title: str
    line: int
    entries: list[_Entry] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    text_line: int = 0
    #: What an indented line goes on with.
    open: _Entry | None = None


class _Faults:
    """Those found so far: line and sentence."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    def add(self, line: int, sentence: str) -> None:
        if len(self.found) >= MOST_FAULTS:
            return
        shown = plain(sentence)
        self.found.append((line, shown if len(shown) <= 360 else f"{shown[:179]}…{shown[-179:]}"))


def faults(text: str, name: str, folder: Path | None) -> list[str]:
    """What is wrong with a lesson, in the order of its lines: "name:LINE: sentence"."""
    return examined(text, name, folder)[1]


def examined(text: str, name: str, folder: Path | None) -> tuple[Lesson, list[str]]:
    """A lesson as far as it can be read, and what is wrong with it."""
    lesson, found = _read(text, name, folder)
    told = [f"{plain(name)}:{line}: {sentence}" for line, sentence in sorted(found, key=lambda each: each[0])]
    return lesson, told


def parse(text: str, name: str, folder: Path | None) -> Lesson:
    """The lesson; FileError with the first fault where there is one."""
    lesson, found = _read(text, name, folder)
    if found:
        line, sentence = min(found, key=lambda each: each[0])
        raise FileError(f"{name}:{line}: {sentence}")
    return lesson


def read(path: Path) -> Lesson:
    """The lesson in the file at `path`; FileError with one sentence where there is none."""
    return parse(text_of(path), path.name, path.parent)


def text_of(path: Path) -> str:
    """What stands in the file at `path`; FileError with one sentence when it cannot be read."""
    return decoded(read_bytes(path, LARGEST), path.name)


def decoded(data: bytes, name: str) -> str:
    """`data` as text; FileError with one sentence where it is none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileError(f"{name}:{line}: this is not UTF-8 text; save the lesson as UTF-8.") from None


def front_of(text: str) -> dict[str, str]:
    """What the front matter says, as far as it can be read; "" for what it does not say."""
    said = _front(_lines(text), _Faults())[0]
    return {key: said.get(key, "") for key in FRONT}


# -- lines ---------------------------------------------------------------------------------------------------------


def _lines(text: str) -> list[str]:
    return re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))


def _read(text: str, name: str, folder: Path | None) -> tuple[Lesson, list[tuple[int, str]]]:
    found = _Faults()
    lines = _lines(text)
    for number, line in enumerate(lines, 1):
        if sign := _ACTING.search(line):
            found.add(number, f"there is a character that is no text (code {ord(sign.group()):#04x}).")
        lines[number - 1] = _ACTING.sub(" ", line)
    front, begin = _front(lines, found)
    parts = _parts(lines, begin, found)
    if not parts and begin < len(lines):
        found.add(len(lines), "there is no step: each begins with a heading, “# Title”.")
    if len(parts) > MOST_STEPS:
        found.add(parts[MOST_STEPS].line, f"there are more than {MOST_STEPS} steps.")
    steps, document = [], None
    for place, part in enumerate(parts[:MOST_STEPS]):
        step, document = _Reader(part, folder, found).step(document, place == 0)
        steps.append(step)
    lesson = Lesson(
        front.get("title", ""),
        front.get("author", ""),
        front.get("level", ""),
        int(front.get("minutes", "0")),
        tuple(steps),
        Path(name).name.removesuffix(SUFFIX),
        folder,
    )
    return lesson, found.found


def _front(lines: Sequence[str], found: _Faults) -> tuple[dict[str, str], int]:
    """What the front matter says, checked, and the place of the first line behind it."""
    begin = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    if begin == len(lines):
        found.add(1, "the file is empty.")
        return {}, begin
    if lines[begin].strip() != "---":
        found.add(begin + 1, "a lesson begins with “---”, a line “title: …”, “minutes: …”, and “---” again.")
        return {}, begin
    said: dict[str, str] = {}
    near = min(len(lines), begin + LONGEST_FRONT)
    ends = (place for place in range(begin + 1, near) if lines[place].strip() == "---")
    headings = (place for place in range(begin + 1, len(lines)) if _HEADING.fullmatch(lines[place]))
    end = next(ends, next(headings, len(lines)))
    for place in range(begin + 1, end):
        line = lines[place].strip()
        if not line or line.startswith("#"):
            continue
        key, colon, value = line.partition(":")
        key = key.strip().lower()
        if not colon or key not in FRONT:
            what = f"“{key}” is unknown" if colon else "this line is not “key: value”"
            found.add(place + 1, f"{what}; here may stand {', '.join(FRONT)}.")
        elif key in said:
            found.add(place + 1, f"{key} stands here twice.")
        else:
            said[key] = _front_value(key, _unquoted(value.strip()), place + 1, found)
    if end == len(lines) or lines[end].strip() != "---":
        found.add(begin + 1, "the line “---” that ends what begins here is missing.")
    else:
        end += 1
    for key in ("title", "minutes"):
        if key not in said:
            found.add(begin + 1, f"the {key} is missing.")
    return said, end


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _front_value(key: str, value: str, line: int, found: _Faults) -> str:
    if key == "minutes":
        if re.fullmatch("[0-9]{1,4}", value) is None or not 1 <= int(value) <= MOST_MINUTES:
            found.add(line, f"minutes is a whole number of 1 to {MOST_MINUTES}, not “{value}”.")
            return "0"
    elif not value and key == "title":
        found.add(line, "the title is empty.")
    elif len(value) > LONGEST_TITLE:
        found.add(line, f"the {key} has more than {LONGEST_TITLE} characters.")
    return plain(value)


def _parts(lines: Sequence[str], begin: int, found: _Faults) -> list[_Part]:
    """The headings from the line at place `begin` on, with what stands below them."""
    parts: list[_Part] = []
    told = begin == 0 or lines[begin - 1].strip() != "---"  # of text before the first heading
    fence, fence_line, in_fields, spoilt = "", 0, False, False
    for number, line in list(enumerate(lines, 1))[begin:]:
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is not None:
            title = _title(heading.group(1) or "")
            if not title or len(title) > LONGEST_TITLE:
                found.add(number, f"a heading needs a title, of at most {LONGEST_TITLE} characters.")
            parts.append(_Part(plain(title), number))
            in_fields, spoilt = True, False
            continue
        if not parts:
            if line.strip() and not told:
                found.add(number, "text stands before the first heading; a step begins with “# Title”.")
                told = True
            continue
        if in_fields and line.strip() and not spoilt:
            spoilt = not _take(parts[-1], line, number, found)
            continue
        if in_fields and not line.strip():
            in_fields = False
            parts[-1].text_line = number
            continue
        if mark := _FENCE.match(line):
            fence, fence_line = ("", 0) if fence == mark.group(1) else (fence or mark.group(1), fence_line or number)
        elif not fence and not in_fields:
            _warn(line, number, found)
        parts[-1].text.append(line)
    if fence:
        found.add(fence_line, f"the line “{fence}” that ends what begins here is missing.")
    return parts


def _title(written: str) -> str:
    """A heading without the signs that may close it."""
    title = written.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else title


def _take(part: _Part, line: str, number: int, found: _Faults) -> bool:
    """Add a line of the fields to those of `part`; whether it is one."""
    indented, going_on = line[0].isspace(), part.open
    entry = _field_in(line, number)
    if entry is not None and (entry.word in FIELDS or not (indented and going_on)):
        _add_entry(part, entry, found)
    elif answer := _ANSWER.fullmatch(line):
        question = next((each for each in part.entries if each.word == "predict"), None)
        if question is None:
            found.add(number, "an answer stands below its question, “predict: …”.")
        else:
            question.answers.append(((answer.group(1) or "").strip(), number))
            part.open = question
    elif indented and going_on is not None:  # a long sentence goes on
        if going_on.answers:
            text, first = going_on.answers[-1]
            going_on.answers[-1] = (f"{text} {line.strip()}", first)
        else:
            going_on.value = f"{going_on.value} {line.strip()}"
    elif "=" in line:
        _add_setting(part, line, number, found)
    else:
        found.add(number, "this is neither a field nor a setting; an empty line stands before the text.")
        return False
    return True


def _add_entry(part: _Part, entry: _Entry, found: _Faults) -> None:
    part.open = None
    if entry.word not in FIELDS:
        word = f"{entry.word} {entry.kind}".strip()
        found.add(entry.line, f"“{word}:” is unknown; here may stand {', '.join(FIELDS)}, or “name = value”.")
    elif any(each.word == entry.word for each in part.entries):
        found.add(entry.line, f"{entry.word} stands here twice.")
    else:
        part.entries.append(entry)
        part.open = entry if entry.word in ("predict", "because", "hint") else None
        if not entry.value:
            found.add(entry.line, f"“{entry.word}:” says nothing.")


def _add_setting(part: _Part, line: str, number: int, found: _Faults) -> None:
    part.open = None
    name, _, value = (each.strip() for each in line.partition("="))
    lane, numbered = None, _NUMBERED.fullmatch(name)
    if numbered is not None:
        lane, name = int(numbered.group(1)) - 1, numbered.group(2)
    if lane == -1:
        found.add(number, "classifiers are counted from 1.")
    elif not name or not value:
        found.add(number, "a setting is “name = value”.")
    elif len(part.settings) == MOST_SETTINGS:
        found.add(number, f"a step has at most {MOST_SETTINGS} settings.")
    else:
        part.settings.append(Setting(lane, name, value, number))


def _field_in(line: str, number: int) -> _Entry | None:
    """The field that a line begins, known or not; None where it begins none."""
    head, colon, value = line.partition(":")
    words = head.lower().split() if len(head) <= LONGEST_TITLE else []
    if not colon or not words or not all(word.isalnum() for word in words):
        return None
    word = _OTHER_WORDS.get(words[0], words[0])
    if word != "predict" and len(words) > 1:
        word = " ".join(words)  # no field has a second word but that
        return _Entry(word, "", value.strip(), number)
    return _Entry(word, " ".join(words[1:]), value.strip(), number)


def _warn(line: str, number: int, found: _Faults) -> None:
    """What in the text would be overlooked without a word: a field behind an empty line, a picture."""
    entry = None if line.startswith(("    ", "\t")) else _field_in(line, number)
    if entry is not None and entry.word in FIELDS and line.lstrip()[0].islower():
        found.add(number, f"“{entry.word}:” stands in the text; fields stand directly below the heading.")
    if _PICTURE.search(re.sub("`[^`]*`", "", line)):
        found.add(number, "a lesson shows no pictures: the classifiers are its pictures.")


def open_fence(text: str) -> str:
    """The sign that would end the code in which `text` ends; "" where it ends in none."""
    fence = ""
    for line in _lines(text):
        if mark := _FENCE.match(line):
            fence = "" if fence == mark.group(1) else fence or mark.group(1)
    return fence


# -- steps ---------------------------------------------------------------------------------------------------------


class _Reader:
    """Reads the fields of one step."""

    def __init__(self, part: _Part, folder: Path | None, found: _Faults) -> None:
        self.part, self.folder, self.found = part, folder, found
        self.entries = {entry.word: entry for entry in part.entries}

    def step(self, before: Document | None, first: bool) -> tuple[Step, Document | None]:
        """The step, and the document it begins with, if that is known; `before` is that of the step before."""
        part = self.part
        text = "\n".join(part.text).strip("\n")
        if len(text) > LONGEST_TEXT:
            self.found.add(part.text_line or part.line, f"the text has more than {LONGEST_TEXT} characters.")
        start = replace(self._start(), settings=tuple(part.settings))
        document = self._document(start, before, first)
        view = self._view()
        if document is not None and view is not None:
            document = replace(document, view=View(*view))
        show, prediction = self._show(document), self._prediction(document)
        run = self._choice("run", ("paused", "playing"))
        step = Step(
            part.title,
            text,
            start,
            show,
            self._choice("panel", names.panels()),
            tuple(self._list("layer", names.layers())),
            view,
            run == "paused" or (prediction is not None and prediction.kind == "pair"),
            self._sentence("hint"),
            self._goal(document, show),
            prediction,
            part.line,
        )
        return step, document

    def _start(self) -> Start:
        entry = self.entries.get("start")
        if entry is None or not entry.value:
            return Start()
        value = entry.value.strip("`<>")
        if is_share_text(value):
            return Start("share", value)
        word, _, name = value.partition(" ")
        if word.lower() == "example":
            return Start("example", name.strip())
        if value.lower().endswith(".playground"):
            return Start("document", value)
        self.found.add(entry.line, "start is “example NAME”, a .playground file beside the lesson, or a share text.")
        return Start()

    def _document(self, start: Start, before: Document | None, first: bool) -> Document | None:
        if start.kind == "before" and ("start" in self.entries or (before is None and not first)):
            return None  # what is wrong is told where it stands
        try:
            base = starting.base_of(start, self.folder, before)
        except FileError as error:
            self.found.add(self.entries["start"].line, str(error))
            return None
        document, wrong = starting.changed(base, start.settings)
        for line, sentence in wrong:
            self.found.add(line, sentence)
        return document

    def _view(self) -> tuple[float, float, float] | None:
        entry = self.entries.get("view")
        if entry is None or not entry.value:
            return None
        parts = [starting.as_number(part) for part in entry.value.split(",")]
        numbers = [part for part in parts if part is not None]
        if len(numbers) != 3 or len(parts) != 3:
            self.found.add(entry.line, f"view is three numbers, “x, y, span”, not “{entry.value}”.")
            return None
        try:
            changed_struct(View(), dict(zip(["x", "y", "span"], numbers, strict=True)))
        except ValueError:
            self.found.add(entry.line, "view lies too far out, or its span is not above 0.")
            return None
        return numbers[0], numbers[1], numbers[2]

    def _words(self, word: str) -> Iterator[tuple[str, int]]:
        entry = self.entries.get(word)
        for each in entry.value.split(",") if entry is not None else ():
            if entry is not None and each.strip():
                yield each.strip(), entry.line

    def _list(self, word: str, known: Sequence[str]) -> Iterator[str]:
        for each, line in self._words(word):
            if each.lower() in known:
                yield each.lower()
            else:
                self.found.add(line, f"there is no {word} “{each}”; there are {', '.join(known)}.")

    def _choice(self, word: str, known: Sequence[str]) -> str:
        entry = self.entries.get(word)
        if entry is None or not entry.value or entry.value.lower() in known:
            return entry.value.lower() if entry is not None else ""
        self.found.add(entry.line, f"there is no {word} “{entry.value}”; there are {', '.join(known)}.")
        return ""

    def _show(self, document: Document | None) -> tuple[str, ...] | None:
        shown: list[str] = []
        entry = self.entries.get("show")
        if entry is None or entry.value.lower() in ("all", ""):
            return None
        if entry.value.lower() == "none":
            return ()
        for each, line in self._words("show"):
            name = names.control(each)
            if name is None:
                self.found.add(line, f"there is no control “{each}”; {_CONTROLS}.")
            else:
                shown.append(name)
        if document is not None and "classifier" not in shown:
            lanes = document.lanes[: document.shown]
            have = {each.name for lane in lanes for each in lane.family.fields} | set(PLACES)
            for name in shown:
                if name not in have:
                    self.found.add(entry.line, f"no classifier here has the control “{name}”.")
        return tuple(dict.fromkeys(shown))

    def _sentence(self, word: str) -> str:
        entry = self.entries.get(word)
        if entry is None:
            return ""
        if len(entry.value) > LONGEST_SENTENCE:
            self.found.add(entry.line, f"{word} has more than {LONGEST_SENTENCE} characters.")
        return plain(entry.value)

    def _goal(self, document: Document | None, show: tuple[str, ...] | None) -> Goal | None:
        entry = self.entries.get("goal")
        if entry is None or not entry.value:
            return None
        goal = Goal(self._sentence("goal"))
        try:
            goals.clauses(goal.text)
        except ValueError as error:
            self.found.add(entry.line, str(error))
            return None
        can_change = show is None or "classifier" in show or "classifiers" in show
        wrong = "" if document is None else goals.fault(goal, document, can_change)
        if wrong:
            self.found.add(entry.line, wrong)
        return goal

    def _prediction(self, document: Document | None) -> Prediction | None:
        entry = self.entries.get("predict")
        if entry is None:
            if "because" in self.entries:
                self.found.add(self.entries["because"].line, "because belongs to a question, “predict: …”.")
            return None
        made = re.fullmatch(r"(boundary|pair)?(?: ?of (?:classifier )?(\d{1,3}))?", entry.kind)
        if made is None or (made.group(2) and not made.group(1)):
            self.found.add(entry.line, "write “predict: …”, “predict boundary: …”, or “predict pair of 2: …”.")
            return None
        kinds: dict[str | None, PredictKind] = {None: "choice", "boundary": "boundary", "pair": "pair"}
        kind, lane = kinds[made.group(1)], int(made.group(2) or 1) - 1
        question = self._sentence("predict")
        because = self._sentence("because")
        if kind == "choice":
            return self._of_answers(entry, question, because)
        if entry.answers:
            self.found.add(entry.answers[0][1], f"“predict {kind}” has no answers: the student draws or picks.")
        if document is not None:
            self._check_guess(entry.line, kind, lane, document)
        return Prediction(kind, question, because=because, lane=max(lane, 0))

    def _of_answers(self, entry: _Entry, question: str, because: str) -> Prediction:
        right = [place for place, (text, _) in enumerate(entry.answers) if text.lower().endswith(RIGHT)]
        if not 2 <= len(entry.answers) <= 4:
            self.found.add(entry.line, f"a question has 2 to 4 answers, “- …”, not {len(entry.answers)}.")
            return Prediction("choice", question, because=because)
        if len(right) != 1:
            many = "no answer" if not right else "more than one answer"
            self.found.add(entry.line, f"{many} is marked “{RIGHT}”.")
        answers: list[str] = []
        for place, (text, line) in enumerate(entry.answers):
            answer = plain(text[: -len(RIGHT)].rstrip() if place in right else text)
            if not answer or len(answer) > LONGEST_SENTENCE:
                self.found.add(line, f"an answer has 1 to {LONGEST_SENTENCE} characters.")
            elif answer in answers:
                self.found.add(line, "this answer stands here twice.")
            answers.append(answer)
        return Prediction("choice", question, tuple(answers), right[0] if right else -1, because)

    def _check_guess(self, line: int, kind: PredictKind, lane: int, document: Document) -> None:
        if not 0 <= lane < document.shown:
            self.found.add(line, f"there is no classifier {lane + 1} here.")
            return
        asked: Any = document.lanes[lane]
        if kind == "boundary" and asked.is_difference:
            self.found.add(line, "a difference has no boundary of its own to draw.")
        if kind == "pair" and not (asked.trainer is not None and asked.trainer.has_rules):
            self.found.add(line, f"classifier {lane + 1} takes no pairs: “predict pair” is for an SVM trained by SMO.")


_CONTROLS = f"a control is a setting of a classifier, or {', '.join(PLACES)}"
