"""Parts: split a lesson file into front matter, headings, fields, settings and texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

from msgspec import Struct, field
from msgspec.structs import replace

from app.core.plain_text import plain

from .model import LessonSetting

#: Largest number of minutes of a lesson; longest title, sentence of what was learnt, other sentence and text
#: (characters).
MOST_MINUTES = 600
LONGEST_TITLE, LONGEST_LEARNT, LONGEST_SENTENCE, LONGEST_TEXT = 80, 160, 600, 20_000
#: Largest number of settings of a step and of reported faults; longest front matter (lines).
MOST_SETTINGS, MOST_FAULTS, LONGEST_FRONT = 50, 1000, 20
FRONT = ("title", "author", "level", "minutes", "learnt")
#: Largest number of lines of the front matter with the same key.
MOST_LINES = dict.fromkeys(FRONT, 1) | {"learnt": 2}
#: The fields of a step.
FIELDS = (
    *("start", "match", "show", "panel", "layer", "view", "run"),
    *("cover", "hide", "predict", "measure", "asks", "because", "hint", "goal"),
)
_OTHER_WORDS = {"layers": "layer", "panels": "panel"}
_FENCE = re.compile(r" {0,3}(```|~~~)")
# Patterns of whole lines: none may backtrack through a long line.
_HEADING = re.compile(r" {0,3}#{1,2}(?:[ \t]+(.*))?")
_ANSWER = re.compile(r"\s*[-*+](?:[ \t]+(.*))?")
_NUMBERED = re.compile(r"([0-9]{1,3}) ?\. ?(.*)")
#: Words of entries below a question, and below an answer: why it is wrong.
ANSWER, REASON = "answer", "reason"
_PICTURE = re.compile(r"!\[[^\]]{0,200}\]\(")


class Entry(Struct):
    """A field, answer or reason as written: its word, the text before and after the colon, and the line.

    Of an answer, `reason` tells why it is wrong.
    """

    word: str
    kind: str
    value: str
    line: int
    reason: Entry | None = None


class Part(Struct):
    """A heading with the lines below it: fields by their words, answers of the question, settings and text."""

    title: str
    line: int
    entries: dict[str, Entry] = field(default_factory=dict)
    answers: list[Entry] = field(default_factory=list)
    settings: list[LessonSetting] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    text_line: int = 0
    #: Entry that an indented line continues.
    open: Entry | None = None


class _NoFieldError(ValueError):
    """A line among the fields is not a field: the text has begun."""


class Faults:
    """The faults found so far: line and sentence."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    def add(self, line: int, sentence: str) -> None:
        shown = plain(sentence)
        fault = (line, shown if len(shown) <= 360 else f"{shown[:179]}…{shown[-179:]}")
        if len(self.found) < MOST_FAULTS and fault not in self.found:  # a question may be asked twice
            self.found.append(fault)


def lines_of(text: str) -> list[str]:
    return re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))


def front_matter(lines: Sequence[str], found: Faults) -> tuple[dict[str, str], int]:
    """Return the fields of the front matter, checked, "" if missing; and the index of the line after it."""
    front: dict[str, list[str]] = {key: [] for key in FRONT}
    begin = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
    end = begin
    if begin == len(lines):
        found.add(1, "the file is empty.")
    elif lines[begin].strip() != "---":
        found.add(begin + 1, "a lesson begins with “---”, a line “title: …”, “minutes: …”, and “---” again.")
    else:
        near = min(len(lines), begin + LONGEST_FRONT)
        ends = (index for index in range(begin + 1, near) if lines[index].strip() == "---")
        headings = (index for index in range(begin + 1, len(lines)) if _HEADING.fullmatch(lines[index]))
        end = next(ends, next(headings, len(lines)))
        for number, line in enumerate(lines[begin + 1 : end], begin + 2):
            if line.strip() and not line.strip().startswith("#"):
                _add_line(front, line, number, found)
        if end == len(lines) or lines[end].strip() != "---":
            found.add(begin + 1, "the line “---” that ends what begins here is missing.")
        else:
            end += 1
        for key in ("title", "minutes"):
            if not front[key]:
                found.add(begin + 1, f"the {key} is missing.")
    return {key: "\n".join(values) for key, values in front.items()}, end


def _add_line(front: dict[str, list[str]], line: str, number: int, found: Faults) -> None:
    """Add a line of the front matter to its fields."""
    key, colon, value = (each.strip() for each in line.partition(":"))
    key = key.lower()
    if not colon or key not in FRONT:
        what = f"“{key}” is unknown" if colon else "this line is not “key: value”"
        found.add(number, f"{what}; here may stand {', '.join(FRONT)}.")
    elif len(front[key]) == MOST_LINES[key]:
        found.add(number, f"{key} stands here {'twice' if key != 'learnt' else 'more than twice'}.")
    else:
        front[key].append(_front_value(key, _unquoted(value), number, found))


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _front_value(key: str, value: str, line: int, found: Faults) -> str:
    if key == "minutes":
        if re.fullmatch("[0-9]{1,4}", value) is None or not 1 <= int(value) <= MOST_MINUTES:
            found.add(line, f"minutes is a whole number of 1 to {MOST_MINUTES}, not “{value}”.")
            return "0"
    elif not value and key == "title":
        found.add(line, "the title is empty.")
    elif len(value) > (longest := LONGEST_LEARNT if key == "learnt" else LONGEST_TITLE):
        found.add(line, f"the {key} has more than {longest} characters.")
    return plain(value)


def parts_of(lines: Sequence[str], begin: int, found: Faults) -> list[Part]:
    """Return the headings from the line with index `begin` on, with the lines below them."""
    parts: list[Part] = []
    reported = begin == 0 or lines[begin - 1].strip() != "---"  # whether text before the first heading was reported
    fence, fence_line, in_fields, spoilt = "", 0, False, False
    for number, line in enumerate(lines[begin:], begin + 1):
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is not None:
            title = _title(heading.group(1) or "")
            if not title or len(title) > LONGEST_TITLE:
                found.add(number, f"a heading needs a title, of at most {LONGEST_TITLE} characters.")
            parts.append(Part(plain(title), number))
            in_fields, spoilt = True, False
        elif not parts:
            if line.strip() and not reported:
                found.add(number, "text stands before the first heading; a step begins with “# Title”.")
                reported = True
        elif in_fields and not line.strip():
            in_fields = False
            parts[-1].text_line = number
        elif in_fields and not spoilt:
            try:
                _take(parts[-1], line, number)
            except ValueError as error:
                found.add(number, str(error))
                spoilt = isinstance(error, _NoFieldError)
        else:
            before, fence = fence, _fence_after(fence, line)
            if fence and not before:
                fence_line = number
            elif not (fence or before or in_fields):
                _warn(line, number, found)
            parts[-1].text.append(line)
    if fence:
        found.add(fence_line, f"the line “{fence}” that ends what begins here is missing.")
    return parts


def ask_again(parts: Sequence[Part], found: Faults) -> None:
    """Give each step "measure: after" the question of the earliest step "measure: before" that is still to be repeated.

    The answers are rotated, so that none keeps its index; that depends on numbers alone, and is the same in every
    language.  Reasons and explanation belong to the second time.
    """
    waiting: list[Part] = []
    for at, part in enumerate(parts):
        line, when = (entry.line, entry.value.lower()) if (entry := part.entries.get("measure")) else (0, "")
        if when == "before":
            waiting.append(part)
            if not part.answers or "goal" in part.entries:
                found.add(line, "“measure: before” belongs to a question with answers, and its step has no goal.")
        elif when == "after" and "predict" in part.entries:
            found.add(line, "a step “measure: after” asks the earlier question again, and has none of its own.")
        elif when == "after" and not waiting:
            found.add(line, "the question to be asked again is missing: no step before it is “measure: before”.")
        elif when == "after":
            first = waiting.pop(0)
            turn = 1 + at % max(len(first.answers) - 1, 1)
            part.entries |= {word: first.entries[word] for word in ("predict", "because") if word in first.entries}
            part.answers = first.answers[turn:] + first.answers[:turn]
            first.answers = [replace(each, reason=None) for each in first.answers]
            first.entries.pop("because", None)
    for part in waiting:
        found.add(part.entries["measure"].line, "no later step asks it again, with “measure: after”.")


def _title(written: str) -> str:
    """Return a heading without closing "#" signs."""
    title = written.strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else title


def _take(part: Part, line: str, number: int) -> None:
    """Add a line of fields to `part`; raise ValueError with a sentence if it is not allowed there."""
    going_on = part.open if line[0].isspace() else None
    entry = _field_in(line, number)
    if entry is not None and entry.word == REASON:
        _add_reason(part, entry)
    elif entry is not None and (entry.word in FIELDS or going_on is None):
        _add_field(part, entry)
    elif answer := _ANSWER.fullmatch(line):
        if "predict" not in part.entries:
            raise ValueError("an answer stands below its question, “predict: …”.")
        part.open = Entry(ANSWER, "", (answer.group(1) or "").strip(), number)
        part.answers.append(part.open)
    elif going_on is not None:  # continuation of a long sentence
        going_on.value = f"{going_on.value} {line.strip()}"
    elif "=" in line:
        _add_setting(part, line, number)
    else:
        raise _NoFieldError("this is neither a field nor a setting; an empty line stands before the text.")


def _add_field(part: Part, entry: Entry) -> None:
    part.open = None
    if entry.word not in FIELDS:
        raise ValueError(f"“{entry.word}:” is unknown; here may stand {', '.join(FIELDS)}, or “name = value”.")
    if entry.word in part.entries:
        raise ValueError(f"{entry.word} stands here twice.")
    part.entries[entry.word] = entry
    part.open = entry if entry.word in ("predict", "because", "hint") else None
    if not entry.value:
        raise ValueError(f"“{entry.word}:” says nothing.")


def _add_reason(part: Part, entry: Entry) -> None:
    """Add the reason why the answer above is wrong."""
    if part.open is None or part.open.word not in (ANSWER, REASON):
        raise ValueError("a reason stands below the answer that it is about.")
    if part.open.word == REASON:
        raise ValueError("reason stands here twice.")
    if not entry.value:
        raise ValueError("“reason:” says nothing.")
    part.open.reason = entry
    part.open = entry


def _add_setting(part: Part, line: str, number: int) -> None:
    part.open = None
    name, _, value = (each.strip() for each in line.partition("="))
    lane, numbered = None, _NUMBERED.fullmatch(name)
    if numbered is not None:
        lane, name = int(numbered.group(1)) - 1, numbered.group(2)
    if lane == -1:
        raise ValueError("classifiers are counted from 1.")
    if not name or not value:
        raise ValueError("a setting is “name = value”.")
    if len(part.settings) == MOST_SETTINGS:
        raise ValueError(f"a step has at most {MOST_SETTINGS} settings.")
    part.settings.append(LessonSetting(lane, name, value, number))


def _field_in(line: str, number: int) -> Entry | None:
    """Return the field that a line begins, known or not; None if it begins none."""
    head, colon, value = line.partition(":")
    words = head.lower().split() if len(head) <= LONGEST_TITLE else []
    if not colon or not words or not all(word.isalnum() for word in words):
        return None
    word, kind = _OTHER_WORDS.get(words[0], words[0]), " ".join(words[1:])
    if word != "predict" and kind:  # only "predict" has a second word
        word, kind = " ".join(words), ""
    return Entry(word, kind, value.strip(), number)


def _warn(line: str, number: int, found: Faults) -> None:
    """Report what would be overlooked in the text: a field after an empty line, a picture."""
    entry = None if line.startswith(("    ", "\t")) else _field_in(line, number)
    if entry is not None and entry.word in FIELDS and line.lstrip()[0].islower():
        found.add(number, f"“{entry.word}:” stands in the text; fields stand directly below the heading.")
    if _PICTURE.search(re.sub("`[^`]*`", "", line)):
        found.add(number, "a lesson shows no pictures: the classifiers are its pictures.")


def _fence_after(fence: str, line: str) -> str:
    """Return the sign that ends the code block at `line`; "" if that is none, or if the line ends it."""
    mark = _FENCE.match(line)
    if mark is None:
        return fence
    return "" if fence == mark.group(1) else fence or mark.group(1)


def open_fence(text: str) -> str:
    """Return the sign that ends the code block in which `text` ends; "" if it ends in none."""
    return reduce(_fence_after, lines_of(text), "")
