"""Settings: written values can be read again, an invalid field has its default, and no file is destroyed."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.files import documents
from app.files.settings import MOST_RECENT, QtState, Settings, SettingValues
from tests.app.files.test_files import failing
from tests.examples import examples

NAMES = SettingValues.__struct_fields__
#: Values that have stopped a start, ended the process, or could.
ODD: tuple[Any, ...] = (
    "",
    "99",
    "nan",
    float("nan"),
    float("inf"),
    -1,
    0,
    True,
    None,
    12.0,
    10**30,
    [],
    ["a", "b"],
    {},
    {"a": {"b": [1]}},
    {"data": "AAAA", "digest": ""},
    {"data": "A", "digest": "A"},
    {"data": [1], "digest": 7},
    {"x": [4, 3], "../y": [1, 2]},
    {"x": [1, 10**30]},
    {"x": 5},
    [""],
    ["/a\0b"],
    ["/x"] * 11,
    "/a\0b",
    "\udcff",
    {"\udcff": "\udcff"},
    "x" * 200_000,
    "x\n",
    "<b>",
    "@Variant(garbage)",
    "AAAA",
)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: ascii(odd)[:30])
def test_a_field_that_does_not_hold_what_it_should_has_its_default(odd: Any, tmp_path: Path) -> None:
    path, plain = tmp_path / "settings.json", SettingValues()
    for name in NAMES:
        other = "theme" if name != "theme" else "film_kind"
        value = "dark" if other == "theme" else "png"
        path.write_text(json.dumps({name: odd, other: value, "of-a-newer-program": odd}))
        settings = Settings(path)
        values = settings.values
        assert getattr(values, other) == value, "a damaged field takes no other with it"
        assert values == msgspec.convert(msgspec.to_builtins(values), SettingValues) or odd in ("\udcff", ["\udcff"])
        rest = msgspec.structs.replace(values, **{other: value, name: getattr(plain, name)})
        assert rest == msgspec.structs.replace(plain, **{other: value})
        settings.write(simple=False)
        assert ascii(json.loads(path.read_text())["of-a-newer-program"]) == ascii(odd), "what is unknown stays"
        assert Settings(path).values == msgspec.structs.replace(values, simple=False) or name == "simple"


def test_limits(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for name, bad, good in (
        ("text_size", (6, 29, 12.0, True), (7, 28, None)),
        ("picture_width", (-1, 100_001), (0, 100_000)),
        ("film_rate", (0, 61), (1, 60)),
        ("theme", ("Dark", ""), ("dark",)),
        ("recent", (["/x"] * (MOST_RECENT + 1), "/x"), (("/x", "/y"),)),
        ("folder", ("", "/" * 4097), ("/" * 4096,)),
        ("lessons", ({"A": [1, 2]}, {"a": [100, 1]}), ({"wrong-labels": (0, 0), "neighbours": (3, 4)},)),
    ):
        for value in (*bad, *good):
            path.write_text(json.dumps({name: value}))
            expected = value if value in good else getattr(SettingValues(), name)
            assert getattr(Settings(path).values, name) == expected, (name, value)


@given(st.binary(max_size=300))
@examples(100)
def test_a_damaged_file_results_in_defaults_and_is_kept(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    folder = tmp_path_factory.mktemp("noise")
    path, damaged = folder / "settings.json", b"[" + noise
    path.write_bytes(damaged)
    shown: list[str] = []
    settings = Settings(path)
    settings.on_failure(shown.append)
    assert settings.values == SettingValues()
    assert shown == [f"The settings were damaged; they are kept as {folder / 'settings.unreadable'}."]
    settings.write(recent=("/x",))
    assert Settings(path).values.recent == ("/x",) and len(shown) == 1
    assert (folder / "settings.unreadable").read_bytes() == damaged


def test_a_file_damaged_later_is_kept_too(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    settings = Settings(path)
    shown: list[str] = []
    settings.on_failure(shown.append)
    for text, name in (("{", "settings"), ("[]", "settings-2"), ("7" * 5000, "settings-3"), ("[" * 5000, "settings-4")):
        path.write_text(text)
        settings.write(simple=not settings.values.simple)
        assert shown.pop() == f"The settings were damaged; they are kept as {tmp_path / name}.unreadable." and not shown
        assert (tmp_path / f"{name}.unreadable").read_text() == text
        assert Settings(path).values == settings.values


def test_a_damaged_file_that_cannot_be_renamed_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{")
    shown: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(documents.os, "replace", failing(errno.EACCES))
        settings = Settings(path)
        settings.on_failure(shown.append)
        settings.write(theme="dark")
    assert shown == ["Settings are not kept: settings.json is damaged."] and path.read_text() == "{"
    assert settings.values.theme == "dark"


def test_settings_of_the_program_before_are_left_alone(tmp_path: Path) -> None:
    old = tmp_path / "settings.ini"
    old.write_text("[General]\ntheme=dark\n")
    settings = Settings(tmp_path / "settings.json")
    assert settings.values == SettingValues()
    settings.write(simple=False)
    assert old.read_text() == "[General]\ntheme=dark\n"


TEXT = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=30)


@example("/half \udcff", ['/half \udcff"0'], b"", True, 7)
@given(TEXT, st.lists(TEXT, max_size=10, unique=True), st.binary(max_size=200), st.booleans(), st.integers(7, 28))
@examples(200)
def test_what_is_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, folder: str, recent: list[str], state: bytes, flag: bool, size: int
) -> None:
    path = tmp_path_factory.mktemp("sound") / "settings.json"
    settings = Settings(path)
    settings.write(folder=folder, recent=tuple(recent), docks=QtState.of(state))
    settings.write(simple=flag)
    settings.write(picture_legend=not flag, text_size=size, lessons={"gamma": (1, 2)})
    expected = SettingValues(
        folder=folder,
        recent=tuple(recent),
        docks=QtState.of(state),
        simple=flag,
        picture_legend=not flag,
        text_size=size,
        lessons={"gamma": (1, 2)},
    )
    assert settings.values == Settings(path).values == expected


def test_two_windows_keep_each_others_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    first, second = Settings(path), Settings(path)
    first.write(theme="dark")
    second.write(text_size=12)
    first.write(simple=False)
    assert Settings(path).values == SettingValues(theme="dark", text_size=12, simple=False)


def test_changed_bytes_of_an_arrangement_are_refused(tmp_path: Path) -> None:
    """Qt does not check them, and ends the process."""
    path = tmp_path / "settings.json"
    Settings(path).write(docks=QtState.of(b"\0\0\0\xff" * 20))
    sound = path.read_text()
    begin = sound.index('"data": "') + 9
    for at in range(begin, sound.index("=", begin) - 1):
        path.write_text(sound[:at] + ("A" if sound[at] != "A" else "B") + sound[at + 1 :])
        assert Settings(path).values.docks == QtState(), at


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
@pytest.mark.parametrize("location", ["a folder", "a pipe", "/dev/full", "below a file", "a link to itself"])
def test_settings_that_cannot_be_kept_are_reported_in_one_sentence(location: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    if location == "a folder":
        path.mkdir()
    elif location == "a pipe":
        os.mkfifo(path)
    elif location == "/dev/full":
        path.symlink_to(location)
    elif location == "below a file":
        (tmp_path / "file").touch()
        path = tmp_path / "file" / "settings.json"
    else:
        path.symlink_to(path)
    shown: list[str] = []
    settings = Settings(path)
    settings.on_failure(shown.append)
    settings.write(theme="dark")
    settings.write(simple=False)
    assert settings.values.theme == "dark" and len(shown) == 1
    assert shown[0].startswith("Settings are not kept: ") and shown[0].endswith(".") and shown[0].count(".") <= 2


def test_what_cannot_be_read_for_now_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    Settings(path).write(folder="/kept")
    shown: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(documents.os, "open", failing(errno.EMFILE))
        settings = Settings(path)
        settings.on_failure(shown.append)
        settings.write(theme="dark")
    assert shown == ["Settings are not kept: too many open files."] and settings.values.theme == "dark"
    assert Settings(path).values.folder == "/kept"
    settings.write(simple=False)
    assert Settings(path).values == SettingValues(folder="/kept", theme="dark", simple=False)
