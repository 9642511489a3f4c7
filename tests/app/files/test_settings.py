"""Settings: what is written comes back, whatever else the file says gives the default, and Qt's own files are read."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QSettings

from app.files import documents
from app.files import settings as s
from app.files.settings import Key, Settings
from tests.app.files.test_files import failing
from tests.examples import examples

KEYS: dict[str, Key[Any]] = {key.name: key for key in vars(s).values() if isinstance(key, Key)}
#: What has stopped a start, ended the process, or could.
ODD = (
    "",
    "99",
    "nan",
    "inf",
    "1e400",
    "-1",
    "0",
    "true",
    "yes",
    "12.0",
    "0x10",
    "+9",
    "٣",
    "9" * 30,
    "-" + "9" * 5000,
    "a, b",
    ",",
    '""',
    '"',
    '"unended',
    "\\",
    "\\x",
    "\\x110000",
    "\\xd800",
    "\\0",
    '"a\\0b"',
    "@",
    "@@",
    "@Invalid()",
    "@Variant(garbage)",
    r"@Variant(\0\0\0\t\xff\xff\xff\xff)",
    r"@Variant(\0\0\0\x7f\0\0\0\x5X::Y\0)",
    r"@Variant(\0\0\0\f\x7f\xff\xff\xff)",
    "@DateTime(x)",
    "@ByteArray(abc)",
    "@ByteArray()",
    "@Size(1 2)",
    "@Rect(a b c d)",
    "@Point(1)",
    "@String(x)",
    "None",
    "[1, 2]",
    "{}",
    "<b>",
    "x" * 200_000,
    "/" * 5000,
    "x, " * 50_000,
    "\t",
    "\x00",
    "\ufeff",
    "\u202e",
    "=",
    "[General]",
    "AAAA",
    "A" * 401,
    r'/nowhere/x.playground, , relative, \xdcff, "/a\0b"',
)


def sound(key: Key[Any], value: Any) -> bool:
    """`value` is one that the program can work with."""
    if isinstance(key, s.Flag):
        return isinstance(value, bool)
    if isinstance(key, s.Number):
        return type(value) is int and (value == key.default or key.least <= value <= key.most)
    if isinstance(key, s.Choice):
        return value in key.choices
    if isinstance(key, s.Sealed):
        return value == b""
    if isinstance(key, s.Paths):
        return len(value) <= key.most and all(type(each) is str and each and "\0" not in each for each in value)
    if isinstance(key, s.Scores):
        return len(value) <= 100 and all(0 <= right <= asked < 100 for _, right, asked in value)
    return type(value) is str and value != "" and "\0" not in value


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: ascii(odd)[:30])
def test_whatever_the_file_says_gives_a_value_of_the_key(odd: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    for name, key in KEYS.items():
        section, _, own = name.rpartition("/")
        path.write_bytes(f"[{section or 'General'}]\n{own}={odd}\nother={odd}\n".encode("utf-8", "surrogatepass"))
        settings = Settings(path)
        assert sound(key, settings.read(key)), name
        settings.write(key, key.default)
        settings.write(s.THEME, "dark")
        settings.write(s.THEME, "light")
        again = Settings(path)
        assert again.read(s.THEME) == "light" and sound(key, again.read(key))
    assert "other=" in path.read_bytes().decode("utf-8", "replace")


def test_scores_of_lessons_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    settings = Settings(path)
    kept = (("neighbours", 3, 4), ("wrong-labels", 0, 0))
    settings.write(s.LESSONS, kept)
    assert Settings(path).read(s.LESSONS) == kept
    path.write_text("[General]\nlessons=a 3/4, b 5/4, ../c 1/2, d 1/999, e -1/2, a 1/4, f 1/2/3, g 2/2\n")
    assert Settings(path).read(s.LESSONS) == (("a", 3, 4), ("g", 2, 2))


@given(st.binary(max_size=300))
@examples(100)
def test_noise_gives_defaults(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    path = tmp_path_factory.mktemp("noise") / "settings.ini"
    path.write_bytes(b"[General]\n" + noise)
    settings = Settings(path)
    assert all(sound(key, settings.read(key)) for key in KEYS.values())
    settings.write(s.RECENT, ("/x",))
    assert Settings(path).read(s.RECENT) == ("/x",)


TEXT = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=30)


@example("/half \udcff", ['/half \udcff"0'], b"", True, 7)
@given(TEXT, st.lists(TEXT, max_size=10, unique=True), st.binary(max_size=200), st.booleans(), st.integers(7, 28))
@examples(200)
def test_what_is_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, folder: str, recent: list[str], state: bytes, flag: bool, size: int
) -> None:
    path = tmp_path_factory.mktemp("sound") / "settings.ini"
    wanted = (
        (s.FOLDER, folder),
        (s.RECENT, tuple(recent)),
        (s.DOCKS, state),
        (s.SIMPLE, flag),
        (s.PICTURE_LEGEND, not flag),
        (s.TEXT_SIZE, size),
    )
    settings = Settings(path)
    for key, value in wanted:
        settings.write(key, value)
    again = Settings(path)
    for key, value in wanted:
        assert settings.read(key) == again.read(key) == value
    if not any(ord(sign) > 0xFFFF or 0xD800 <= ord(sign) < 0xE000 for sign in folder):
        assert QSettings(str(path), QSettings.Format.IniFormat).value("folder") == folder, "Qt reads it alike"


def test_what_qt_has_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    recent = ["/a b/ü, ö.playground", "/" + '"quoted"; \\ 漢\t', " /blank "]
    qt = QSettings(str(path), QSettings.Format.IniFormat)
    for name, value in (
        ("theme", "dark"),
        ("text_size", 14),
        ("simple", False),
        ("recent", recent),
        ("folder", "/x, y=z"),
        ("picture/legend", False),
        ("picture/width", 800),
        ("geometry", QByteArray(b"\x01\xd9 noise")),
        ("own/key", 7),
    ):
        qt.setValue(name, value)
    qt.sync()
    settings = Settings(path)
    read = settings.read
    assert (read(s.THEME), read(s.TEXT_SIZE), read(s.SIMPLE)) == ("dark", 14, False)
    assert (read(s.FOLDER), read(s.PICTURE_LEGEND), read(s.PICTURE_WIDTH)) == ("/x, y=z", False, 800)
    assert read(s.RECENT) == tuple(recent) and read(s.GEOMETRY) == b""
    settings.write(s.THEME, "light")
    settings.write(s.RECENT, ())
    again = QSettings(str(path), QSettings.Format.IniFormat)
    assert (again.value("theme"), again.value("own/key"), again.value("text_size")) == ("light", "7", "14")
    assert Settings(path).read(s.RECENT) == ()


def test_two_windows_keep_each_others_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    first, second = Settings(path), Settings(path)
    first.write(s.THEME, "dark")
    second.write(s.TEXT_SIZE, 12)
    first.write(s.SIMPLE, False)
    settings = Settings(path)
    assert (settings.read(s.THEME), settings.read(s.TEXT_SIZE), settings.read(s.SIMPLE)) == ("dark", 12, False)


def test_changed_bytes_of_an_arrangement_are_refused(tmp_path: Path) -> None:
    """Qt believes them, and ends the process."""
    path = tmp_path / "settings.ini"
    Settings(path).write(s.DOCKS, b"\0\0\0\xff" * 20)
    sound = path.read_text()
    for at in range(sound.index("docks=") + 7, len(sound) - 3):
        path.write_text(sound[:at] + ("A" if sound[at] != "A" else "B") + sound[at + 1 :])
        assert Settings(path).read(s.DOCKS) == b""
        path.write_text(sound[:at])
        assert Settings(path).read(s.DOCKS) == b""


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
@pytest.mark.parametrize("place", ["a folder", "a pipe", "/dev/full", "below a file", "a link to itself"])
def test_where_settings_cannot_be_kept_one_sentence_says_so(place: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    if place == "a folder":
        path.mkdir()
    elif place == "a pipe":
        os.mkfifo(path)
    elif place == "/dev/full":
        path.symlink_to(place)
    elif place == "below a file":
        (tmp_path / "file").touch()
        path = tmp_path / "file" / "settings.ini"
    else:
        path.symlink_to(path)
    said: list[str] = []
    settings = Settings(path)
    settings.on_failure(said.append)
    settings.write(s.THEME, "dark")
    settings.write(s.SIMPLE, False)
    assert settings.read(s.THEME) == "dark" and len(said) == 1
    assert said[0].startswith("Settings are not kept: ") and said[0].endswith(".") and said[0].count(".") <= 2


def test_what_cannot_be_read_for_now_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.ini"
    Settings(path).write(s.FOLDER, "/kept")
    said: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(documents.os, "open", failing(errno.EMFILE))
        settings = Settings(path)
        settings.on_failure(said.append)
        settings.write(s.THEME, "dark")
    assert said == ["Settings are not kept: too many open files."] and settings.read(s.THEME) == "dark"
    assert Settings(path).read(s.FOLDER) == "/kept"
    settings.write(s.SIMPLE, False)
    again = Settings(path)
    assert (again.read(s.FOLDER), again.read(s.THEME), again.read(s.SIMPLE)) == ("/kept", "dark", False)
