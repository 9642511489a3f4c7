"""Settings: values kept from one start to the next, in `settings.json`, whose faults never prevent the start.

Each field of the file is read by itself: an invalid one has its default, and does not affect the others.  Unknown
fields stay in the file unchanged, since a newer program may have written them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from . import documents

#: Limits of the text size (points), and of the number of recent documents.
LEAST_TEXT, MOST_TEXT, MOST_RECENT = 7, 28, 10
_HOME = os.path.expanduser("~")

_PathText = Annotated[str, Meta(min_length=1, max_length=4096, pattern=r"^[^\0]*\Z")]
#: Key of a choice, which may no longer exist.
_Word = Annotated[str, Meta(pattern=r"^\w{1,40}\Z")]
_Pixels = Annotated[int, Meta(ge=0, le=100_000)]
_Predictions = Annotated[int, Meta(ge=0, le=99)]


class QtState(msgspec.Struct, frozen=True):
    """A Qt state blob (`saveState`) with its digest, because Qt crashes on a damaged one."""

    data: bytes = b""
    digest: str = ""

    def __post_init__(self) -> None:
        if self.data and self.digest != _digest(self.data):
            raise ValueError("its digest is wrong")

    @staticmethod
    def of(data: bytes) -> QtState:
        return QtState(data, _digest(data))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class SettingValues(msgspec.Struct, frozen=True):
    """All settings."""

    theme: Literal["system", "light", "dark"] = "system"
    simple: bool = True
    #: Size of the text in points; None for that of the desktop.
    text_size: Annotated[int, Meta(ge=LEAST_TEXT, le=MOST_TEXT)] | None = None
    geometry: QtState = QtState()
    docks: QtState = QtState()
    #: Paths of recent documents, newest first.
    recent: Annotated[tuple[_PathText, ...], Meta(max_length=MOST_RECENT)] = ()
    folder: _PathText = _HOME
    exchange_folder: _PathText = _HOME
    #: By the name of a lesson, the numbers of correct predictions and of all predictions.
    lessons: dict[Annotated[str, Meta(pattern=r"^[a-z-]{1,40}\Z")], tuple[_Predictions, _Predictions]] = {}
    #: Language code of the shipped lessons; empty or unknown for the system's language.
    lesson_language: Annotated[str, Meta(pattern=r"^[a-z]{0,2}\Z")] = ""
    picture_what: _Word = "window"
    picture_preset: _Word = "screen"
    picture_theme: _Word = "window"
    picture_legend: bool = True
    picture_accuracies: bool = False
    picture_width: _Pixels = 0
    picture_height: _Pixels = 0
    #: Name of the screen for the audience window; "" for any other than the window's own.
    audience_screen: Annotated[str, Meta(max_length=200)] = ""
    film_kind: Literal["gif", "webp", "png"] = "gif"
    film_rate: Annotated[int, Meta(ge=1, le=60)] = 10
    film_size: _Word = "p540"
    film_theme: _Word = "window"
    film_legend: bool = True


class Settings:
    """The settings in the file at `path`, which is read on creation; each change is written immediately.

    Attributes
    ----------
    values : SettingValues
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._alert: Callable[[str], object] = lambda sentence: None
        self._failure = ""  # sentence on the file's fault
        self._changed: dict[str, Any] = {}  # changes that may not be in the file
        self.values = SettingValues()
        with suppress(documents.FileError):
            self.values = _sound(self._read())

    @property
    def folder(self) -> Path:
        """Folder of the file."""
        return self._path.parent

    def write(self, **changes: Any) -> None:
        """Set new values of fields, and write them."""
        values = msgspec.structs.replace(self.values, **changes)
        if values == self.values and not self._changed:
            return
        self.values = values
        self._changed |= msgspec.to_builtins(changes)
        try:
            fields = self._read() | self._changed  # another window may have changed other fields
            self._path.parent.mkdir(parents=True, exist_ok=True)
            documents.write_pieces([json.dumps(fields).encode()], self._path, lasting=False)
        except (OSError, documents.FileError) as error:
            self._report(f"Settings are not kept: {documents.reason(error)}.")
        else:
            self.values, self._failure = _sound(fields), ""
            self._changed.clear()

    def on_failure(self, alert: Callable[[str], object]) -> None:
        """Call ``alert(sentence)`` if settings cannot be read or written, once until they can again."""
        self._alert = alert
        if self._failure:
            alert(self._failure)

    def _report(self, sentence: str) -> None:
        if not self._failure:
            self._failure = sentence
            self._alert(sentence)

    def _read(self) -> dict[str, Any]:
        """Return the content of the file; raise a FileError if it is unknown.  A damaged file is set aside."""
        try:
            data = documents.read_bytes(self._path)
        except documents.UnreadError as error:
            if error.missing:
                return {}
            raise
        # json in place of msgspec: the name of a file need not be sound text.
        with suppress(ValueError, RecursionError):
            fields = json.loads(data)
            if isinstance(fields, dict):
                return fields
        aside = documents.set_aside(self._path)
        if aside == self._path:
            raise documents.FileError(f"{self._path.name} is damaged.")
        self._report(f"The settings were damaged; they are kept as {aside}.")
        return {}


def _sound(fields: dict[str, Any]) -> SettingValues:
    """Return the values of all valid fields, and the defaults of the others."""
    found: dict[str, Any] = {}
    for name in fields.keys() & {*SettingValues.__struct_fields__}:
        with suppress(msgspec.ValidationError, ValueError):  # ValueError: invalid text
            found[name] = getattr(msgspec.convert({name: fields[name]}, SettingValues), name)
    return SettingValues(**found)
