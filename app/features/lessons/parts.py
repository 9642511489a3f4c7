"""Parts: the lines of a lesson's file, taken apart into front matter, headings, fields, settings and texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.core.plain_text import plain

from .model import Setting

#: Most minutes of a lesson, and characters of a title, of what was learnt, of a sentence and of a text.
MOST_MINUTES = 600
LONGEST_TITLE, LONGEST_LEARNT, LONGEST_SENTENCE, LONGEST_TEXT = 80, 160, 600, 20_000
#: Settings of a step, faults that are told, and lines of the front matter.
MOST_SETTINGS, MOST_FAULTS, LONGEST_FRONT = 50, 1000, 20
FRONT = ("title", "author", "level", "minutes", "learnt")
#: Lines of the front matter about what was learnt.
MOST_LEARNT = 2
#: The fields of a step.
FIELDS = ("start", "show", "panel", "layer", "view", "run", "cover", "hide", "predict", "because", "hint", "goal")
_OTHER_WORDS = {"layers": "layer", "panels": "panel"}
_FENCE = re.compile(r" {0,3}(```|~~~)")
# Of each line in one go: no pattern may try many ways through a long line.
_HEADING = re.compile(r" {0,3}#{1,2}(?:[ \t]+(.*))?")
_ANSWER = re.compile(r"\s*[-*+](?:[ \t]+(.*))?")
_NUMBERED = re.compile(r"([0-9]{1,3}) ?\. ?(.*)")
#: Stands below an answer: why it is wrong.
REASON = "reason"
_PICTURE = re.compile(r"!\[[^\]]{0,200}\]\(")


@dataclass
class Entry:
    """A field as it is written: its word, what stands between word and colon, what behind, and where."""

    word: str
    kind: str
    value: str
    line: int
    answers: list[tuple[str, int]] = field(default_factory=list)
    #: Of answers, by their places: why they are wrong, and the line.
    reasons: dict[int, tuple[str, int]] = field(default_factory=dict)


@dataclass
class Part:
    """A heading, with the lines below it."""

    title: str
    line: int
    entries: list[Entry] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    text_line: int = 0
    #: What an indented line goes on with.
    open: Entry | None = None


class Faults:
    """Those found so far: line and sentence."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    def add(self, line: int, sentence: str) -> None:
        if len(self.found) >= MOST_FAULTS:
            return
        shown = plain(sentence)
        self.found.append((line, shown if len(shown) <= 360 else f"{shown[:179]}…{shown[-179:]}"))


def lines_of(text: str) -> list[str]:
    return re.split("\r\n|\r|\n", text.removeprefix("\ufeff"))


def front_matter(lines: Sequence[str], found: Faults) -> tuple[dict[str, str], int]:
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
        elif key == "learnt" and said.get(key, "").count("\n") < MOST_LEARNT - 1:
            value = _front_value(key, _unquoted(value.strip()), place + 1, found)
            said[key] = f"{said[key]}\n{value}" if key in said else value
        elif key in said:
            found.add(place + 1, f"{key} stands here {'twice' if key != 'learnt' else 'more than twice'}.")
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
    """The headings from the line at place `begin` on, with what stands below them."""
    parts: list[Part] = []
    told = begin == 0 or lines[begin - 1].strip() != "---"  # of text before the first heading
    fence, fence_line, in_fields, spoilt = "", 0, False, False
    for number, line in list(enumerate(lines, 1))[begin:]:
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is not None:
            title = _title(heading.group(1) or "")
            if not title or len(title) > LONGEST_TITLE:
                found.add(number, f"a heading needs a title, of at most {LONGEST_TITLE} characters.")
            parts.append(Part(plain(title), number))
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


def _take(part: Part, line: str, number: int, found: Faults) -> bool:
    """Add a line of the fields to those of `part`; whether it is one."""
    indented, going_on = line[0].isspace(), part.open
    entry = _field_in(line, number)
    if entry is not None and entry.word == REASON:
        _add_reason(part, entry, found)
    elif entry is not None and (entry.word in FIELDS or not (indented and going_on)):
        _add_entry(part, entry, found)
    elif answer := _ANSWER.fullmatch(line):
        question = next((each for each in part.entries if each.word == "predict"), None)
        if question is None:
            found.add(number, "an answer stands below its question, “predict: …”.")
        else:
            question.answers.append(((answer.group(1) or "").strip(), number))
            part.open = question
    elif indented and going_on is not None:  # a long sentence goes on
        if going_on.answers and len(going_on.answers) - 1 in going_on.reasons:
            text, first = going_on.reasons[len(going_on.answers) - 1]
            going_on.reasons[len(going_on.answers) - 1] = (f"{text} {line.strip()}", first)
        elif going_on.answers:
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


def _add_entry(part: Part, entry: Entry, found: Faults) -> None:
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


def _add_reason(part: Part, entry: Entry, found: Faults) -> None:
    """Add the reason why the answer above it is wrong."""
    question = next((each for each in part.entries if each.word == "predict" and each.answers), None)
    if question is None or part.open is not question:
        found.add(entry.line, "a reason stands below the answer that it is about.")
    elif (place := len(question.answers) - 1) in question.reasons:
        found.add(entry.line, "reason stands here twice.")
    elif not entry.value:
        found.add(entry.line, "“reason:” says nothing.")
    else:
        question.reasons[place] = (entry.value, entry.line)


def _add_setting(part: Part, line: str, number: int, found: Faults) -> None:
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


def _field_in(line: str, number: int) -> Entry | None:
    """The field that a line begins, known or not; None where it begins none."""
    head, colon, value = line.partition(":")
    words = head.lower().split() if len(head) <= LONGEST_TITLE else []
    if not colon or not words or not all(word.isalnum() for word in words):
        return None
    word = _OTHER_WORDS.get(words[0], words[0])
    if word != "predict" and len(words) > 1:
        word = " ".join(words)  # no field has a second word but that
        return Entry(word, "", value.strip(), number)
    return Entry(word, " ".join(words[1:]), value.strip(), number)


def _warn(line: str, number: int, found: Faults) -> None:
    """What in the text would be overlooked without a word: a field behind an empty line, a picture."""
    entry = None if line.startswith(("    ", "\t")) else _field_in(line, number)
    if entry is not None and entry.word in FIELDS and line.lstrip()[0].islower():
        found.add(number, f"“{entry.word}:” stands in the text; fields stand directly below the heading.")
    if _PICTURE.search(re.sub("`[^`]*`", "", line)):
        found.add(number, "a lesson shows no pictures: the classifiers are its pictures.")


def open_fence(text: str) -> str:
    """The sign that would end the code in which `text` ends; "" where it ends in none."""
    fence = ""
    for line in lines_of(text):
        if mark := _FENCE.match(line):
            fence = "" if fence == mark.group(1) else fence or mark.group(1)
    return fence
