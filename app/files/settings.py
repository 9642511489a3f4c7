"""Settings: what the program remembers from one start to the next, in `settings.ini`; never a reason not to start.

The file is of the kind that QSettings writes, and was written by it once.  It is not read by it: Qt takes values such
as ``@Variant(...)`` at their word, and ends the process at a damaged one.  Here each key has a type and a default, and
whatever else the file says about it gives the default.  Keys that are not known stay in the file as they are.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from . import documents

T = TypeVar("T")
#: Characters of the longest value and of the longest path that are believed.
_LONGEST, _LONGEST_PATH = 100_000, 4096
_ESCAPE = re.compile(r"x([0-9a-fA-F]{1,6})|(.)")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_PLAIN = re.compile(r"[\w+./-][\w+./ -]*(?<! )", re.ASCII)


@dataclass(frozen=True)
class Key(ABC, Generic[T]):
    """Where a setting stands, and what it is when nothing sound stands there."""

    name: str
    default: T

    @abstractmethod
    def parse(self, words: list[str]) -> T | None:
        """The value of the words in the file; None when they are not of this type."""

    def words(self, value: T) -> list[str]:
        """What the file says for `value`."""
        return [str(value)]


class Flag(Key[bool]):
    """Yes or no."""

    def parse(self, words: list[str]) -> bool | None:
        return {"true": True, "false": False}.get(words[0]) if len(words) == 1 else None

    def words(self, value: bool) -> list[str]:
        return ["true" if value else "false"]


@dataclass(frozen=True)
class Number(Key[int]):
    """A whole number from `least` to `most`; the default may lie outside, for "none"."""

    least: int
    most: int

    def parse(self, words: list[str]) -> int | None:
        if len(words) != 1 or not re.fullmatch(r"-?[0-9]{1,9}", words[0]):
            return None
        number = int(words[0])
        return number if self.least <= number <= self.most else None


@dataclass(frozen=True)
class Choice(Key[str]):
    """One of a few words."""

    choices: tuple[str, ...]

    def parse(self, words: list[str]) -> str | None:
        return words[0] if len(words) == 1 and words[0] in self.choices else None


class Word(Key[str]):
    """A name of something that may be gone."""

    def parse(self, words: list[str]) -> str | None:
        return words[0] if len(words) == 1 and re.fullmatch(r"\w{1,40}", words[0]) else None


class Folder(Key[str]):
    """A folder's path."""

    def parse(self, words: list[str]) -> str | None:
        return words[0] if len(words) == 1 and _is_path(words[0]) else None


@dataclass(frozen=True)
class Paths(Key[tuple[str, ...]]):
    """Up to `most` paths."""

    most: int

    def parse(self, words: list[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for word in words if _is_path(word)))[: self.most]

    def words(self, value: tuple[str, ...]) -> list[str]:
        return list(value)


class Scores(Key[tuple[tuple[str, int, int], ...]]):
    """Of lessons by name, how many of how many predictions were right: up to 100, "name 3/4" each."""

    def parse(self, words: list[str]) -> tuple[tuple[str, int, int], ...]:
        found: dict[str, tuple[str, int, int]] = {}
        for word in words:
            said = re.fullmatch(r"([a-z][a-z-]{0,39}) ([0-9]{1,2})/([0-9]{1,2})", word)
            if said is not None and int(said[2]) <= int(said[3]):
                found.setdefault(said[1], (said[1], int(said[2]), int(said[3])))
        return tuple(found.values())[:100]

    def words(self, value: tuple[tuple[str, int, int], ...]) -> list[str]:
        return [f"{name} {right}/{asked}" for name, right, asked in value]


class Sealed(Key[bytes]):
    """Bytes that only Qt understands, and that it believes: those of a damaged arrangement end the process.

    So they carry a digest.
    """

    def parse(self, words: list[str]) -> bytes | None:
        try:
            data = base64.b64decode("".join(words), validate=True)
        except (ValueError, binascii.Error):
            return None
        digest, value = data[:_DIGEST], data[_DIGEST:]
        return value if digest == _digest(value) else None

    def words(self, value: bytes) -> list[str]:
        return [base64.b64encode(_digest(value) + value).decode()]


_DIGEST = 16


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()[:_DIGEST]


def _is_path(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_PATH and "\0" not in text


_HOME = os.path.expanduser("~")

THEME = Choice("theme", "system", ("system", "light", "dark"))
SIMPLE = Flag("simple", True)
TEXT_SIZE = Number("text_size", 0, 7, 28)  # points; 0 is the desktop's
GEOMETRY = Sealed("geometry", b"")
DOCKS = Sealed("docks", b"")
RECENT = Paths("recent", (), 10)
FOLDER = Folder("folder", _HOME)
EXCHANGE_FOLDER = Folder("exchange_folder", _HOME)
LESSONS = Scores("lessons", ())
PICTURE_WHAT = Word("picture/what", "window")
PICTURE_PRESET = Word("picture/preset", "screen")
PICTURE_THEME = Word("picture/theme", "window")
PICTURE_LEGEND = Flag("picture/legend", True)
PICTURE_ACCURACIES = Flag("picture/accuracies", False)
PICTURE_WIDTH = Number("picture/width", 0, 1, 100_000)
PICTURE_HEIGHT = Number("picture/height", 0, 1, 100_000)
FILM_KIND = Choice("film/kind", "gif", ("gif", "webp", "png"))
FILM_RATE = Number("film/rate", 10, 1, 60)
FILM_SIZE = Word("film/size", "p540")
FILM_THEME = Word("film/theme", "window")
FILM_LEGEND = Flag("film/legend", True)


class Settings:
    """What stands in the file at `path`, read now; each change is written at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tell: Callable[[str], object] = lambda sentence: None
        self._failure = ""  # why nothing can be written, in a sentence
        self._changed: dict[str, str] = {}  # here, and as far as is known not in the file
        self._texts: dict[str, str] = {}  # what the file says about each key, as it stands there
        with suppress(documents.FileError):
            self._texts = _read(path)

    @property
    def folder(self) -> Path:
        """Where the file stands."""
        return self._path.parent

    def read(self, key: Key[T]) -> T:
        """The setting, or its default."""
        text = self._texts.get(key.name)
        words = _words(text) if text is not None and len(text) <= _LONGEST else None
        value = key.parse(words) if words is not None else None
        return key.default if value is None else value

    def write(self, key: Key[T], value: T) -> None:
        """Remember `value`."""
        if self.read(key) == value and not self._changed:
            return
        self._texts[key.name] = self._changed[key.name] = _text(key.words(value))
        try:
            texts = _read(self._path) | self._changed  # another window may have changed others
            self._path.parent.mkdir(parents=True, exist_ok=True)
            documents.write_pieces([_file(texts)], self._path, lasting=False)
        except (OSError, documents.FileError) as error:
            if not self._failure:
                reason = error.reason.rstrip(".") if isinstance(error, documents.FileError) else documents.reason(error)
                self._failure = f"Settings are not kept: {reason}."
                self._tell(self._failure)
        else:
            self._texts, self._failure = texts, ""
            self._changed.clear()

    def on_failure(self, tell: Callable[[str], object]) -> None:
        """``tell(sentence)`` is called when settings cannot be written, once until they can again."""
        self._tell = tell
        if self._failure:
            tell(self._failure)


def _read(path: Path) -> dict[str, str]:
    """What the file says about each key; FileError when that is not known."""
    try:
        data = documents.read_bytes(path)
    except documents.UnreadError as error:
        if error.missing:
            return {}
        raise
    texts: dict[str, str] = {}
    section = ""
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            section = "" if line == "[General]" else f"{line[1:-1]}/"
        elif line[:1] not in ("", ";", "#"):
            name, _, text = line.partition("=")
            texts[section + name.strip()] = text.strip()
    return texts


def _file(texts: dict[str, str]) -> bytes:
    sections: dict[str, list[str]] = {"General": []}
    for name, text in sorted(texts.items()):
        section, _, own = name.rpartition("/")
        sections.setdefault(section or "General", []).append(f"{own}={text}\n")
    text = "\n".join(f"[{name}]\n{''.join(lines)}" for name, lines in sections.items())
    return text.encode("utf-8", "surrogateescape")


def _words(text: str) -> list[str] | None:
    """The words of a value, as QSettings writes lists and texts; None of what is neither."""
    words, word, solid, quoted, at = [], "", 0, False, 0  # up to `solid` blanks at the end count
    while at < len(text):
        sign = text[at]
        at += 1
        if sign == '"':
            quoted, solid = not quoted, len(word)
        elif sign == "," and not quoted:
            words.append(word[:solid])
            word, solid = "", 0
        elif sign == "\\":
            code = _ESCAPE.match(text, at)
            if code is None or (code[1] and int(code[1], 16) > 0x10FFFF):
                return None
            at = code.end()
            word += chr(int(code[1], 16)) if code[1] else _ESCAPES.get(code[2], code[2])
            solid = len(word)
        elif quoted or word or not sign.isspace():
            word += sign
            solid = len(word) if quoted or not sign.isspace() else solid
    words.append(word[:solid])
    if words[0].startswith("@") and not words[0].startswith("@@"):  # of a type that is none of ours
        return [] if words[0] == "@Invalid()" else None
    return [word[1:] if word.startswith("@@") else word for word in words]


def _text(words: Sequence[str]) -> str:
    return ", ".join(map(_quoted, words)) if words else "@Invalid()"


def _quoted(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    text, hex_before = "", False
    for sign in f"@{word}" if word.startswith("@") else word:
        if sign in '"\\':
            text, hex_before = text + "\\" + sign, False
        elif not sign.isprintable() or (hex_before and sign in "0123456789abcdefABCDEF"):
            text, hex_before = text + f"\\x{ord(sign):x}", True
        else:
            text, hex_before = text + sign, False
    return f'"{text}"'
