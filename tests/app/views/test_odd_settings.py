"""Whatever the settings contain, the window starts, works, and closes."""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from app.files.settings import QtState, Settings, SettingValues
from app.main import create_window
from app.state.document import default_document
from app.window.main_window import MainWindow
from tests.covering import first_of
from tests.windows import Make, discard

NAMES = SettingValues.__struct_fields__
ODD: tuple[Any, ...] = (
    99,
    "a text",
    float("nan"),
    -1,
    True,
    False,
    0,
    "",
    None,
    ["a", "b"],
    {"data": "AAAA", "digest": "AAAA"},
    {"x": [3, 1]},
    "x" * 100_000,
    "/a\0b",
    "\ud800",
    ["/nowhere", "/", "/proc/1/mem"],
    "lane3",
    "own",
    "<b>",
)


def damaged(rng: random.Random, good: bytes) -> bytes:
    """Return part of a settings file, or one with changed bytes."""
    data = bytearray(good)
    for _ in range(rng.choice((1, 3, 30))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data))] if rng.random() < 0.3 else data)


def works(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    """Check that everything that reads and writes settings works, and that the window closes."""
    window.show()
    qtbot.waitExposed(window)
    assert window.controller.session.theme in ("system", "light", "dark") and not window.size().isEmpty()
    window.findChild(QMenu, "recent").aboutToShow.emit()
    for name in ("open", "picture", "import", "export"):
        window.named_actions[name].trigger()
        for dialog in window.findChildren(QDialog):
            if dialog.isVisible():
                if isinstance(dialog, QFileDialog) and name == "open":
                    dialog.fileSelected.emit(str(folder / "missing.playground"))
                dialog.close()
    for name in ("larger", "smaller", "theme.dark", "theme.light", "simple", "history", "simple"):
        (
            window.named_actions.get(name) or window.findChild(type(window.named_actions["open"]), f"action.{name}")
        ).trigger()
    QApplication.processEvents()
    discard(window)
    window.deleteLater()
    QApplication.processEvents()


def variant(rng: random.Random, path: Path, good: bytes) -> None:
    """Write odd settings to `path`."""
    if rng.random() < 0.3:
        path.write_bytes(damaged(rng, good))
        return
    fields = {name: rng.choice(ODD) for name in rng.sample(NAMES, rng.choice((1, 2, len(NAMES))))}
    path.write_text(json.dumps(fields | rng.choice(({}, {"other": 1}))))


def settings_of(tmp_path: Path) -> bytes:
    """Return the settings of a window after use."""
    window = create_window(default_document(), tmp_path / "good")
    window.show()
    window.appearance.choose_theme("dark")
    window.named_actions["table"].trigger()
    QApplication.processEvents()
    discard(window)
    window.deleteLater()
    return (tmp_path / "good" / "settings.json").read_bytes()


def campaign(qtbot: QtBot, tmp_path: Path, times: int, seed: int) -> None:
    rng = random.Random(seed)
    good = settings_of(tmp_path)
    assert json.loads(good).keys() >= {"docks", "geometry"} and b'"theme": "dark"' in good
    for number in range(times):
        path = tmp_path / "settings.json"
        variant(rng, path, good)
        kept = path.read_bytes()
        try:
            works(create_window(None, tmp_path), qtbot, tmp_path)
        except BaseException:
            print(f"variant {number} of seed {seed}: {kept[:2000]!r}")
            raise


@pytest.mark.slow
def test_odd_settings(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    campaign(qtbot, tmp_path, 2, 0)


@pytest.mark.soak
def test_200_odd_settings(make: Make, qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    campaign(qtbot, tmp_path, 200, 1)
    with capsys.disabled():
        print("\n200 odd settings: 200 windows started, were used and closed")


@pytest.mark.parametrize(
    "field", first_of([{"geometry": "a text"}, {"docks": {"data": "AAAA"}}, {"theme": 99}, {"text_size": "nan"}], 2)
)
def test_a_start_with_one_odd_setting(field: dict[str, Any], make: Make, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(json.dumps(field))
    window = make(wait=False)
    assert window.isVisible() and window.controller.session.theme == "system"


@pytest.mark.parametrize("name", ["geometry", "docks"])
def test_an_arrangement_that_is_sealed_but_not_qts(name: str, make: Make, tmp_path: Path) -> None:
    Settings(tmp_path / "settings.json").write(**{name: QtState.of(b"\xff" * 300)})
    assert make(wait=False).isVisible()


def test_damaged_settings_are_kept_and_reported_in_one_sentence(make: Make, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"theme": "dark"')
    window = make(wait=False)
    assert window.status_line.text() == f"The settings were damaged; they are kept as {tmp_path}/settings.unreadable."
    assert window.controller.session.theme == "system"
    assert (tmp_path / "settings.unreadable").read_text() == '{"theme": "dark"'


def test_settings_of_the_time_before_are_left_alone(make: Make, tmp_path: Path) -> None:
    (tmp_path / "settings.ini").write_text("[General]\ntheme=dark\n")
    window = make(wait=False)
    window.appearance.choose_theme("light")
    assert (tmp_path / "settings.ini").read_text() == "[General]\ntheme=dark\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize(("what", "choosing"), [("a folder", True), ("a pipe", True), ("a folder", False)])
def test_settings_that_are_no_file(what: str, choosing: bool, make: Make, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.mkdir() if what == "a folder" else os.mkfifo(path)
    window = make(wait=False)
    if choosing:
        window.appearance.choose_theme("dark")
    else:  # the document at the start is a recent one, and is checked before there is a status line
        discard(window)
        window = create_window(default_document(), tmp_path, tmp_path / "mine.playground")
    why = "a folder, not a file" if what == "a folder" else "not an ordinary file"
    assert window.status_line.text() == f"Settings are not kept: settings.json is {why}."
    window.appearance.choose_theme("light")
    discard(window)
    assert Settings(path).values == SettingValues()
