"""The log: caught exceptions with their tracebacks, in a file that is created when needed and stays small."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import log
from app.files.background_task import Task
from tests.app.file_work import NoProgress


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    log.start(tmp_path / "state")
    yield tmp_path / "state"
    log.start(tmp_path / "after")


def fail() -> None:
    raise RuntimeError("broken on purpose")


def test_a_caught_exception_is_noted_with_its_traceback(folder: Path) -> None:
    assert log.text() == "" and not folder.exists(), "the file is made when there is something to write"
    Task("Trying", lambda _: fail(), "It was not tried").outcome(NoProgress())
    text = (folder / "log.txt").read_text()
    assert text == log.text() and log.path() == folder / "log.txt"
    assert "It was not tried." in text and "RuntimeError: broken on purpose" in text and "in fail" in text
    assert sys.platform == "win32" or (folder / "log.txt").stat().st_mode & 0o777 == 0o600


def test_it_never_grows_beyond_two_files(folder: Path) -> None:
    for _ in range(30):
        log.LOGGER.error("x" * (log.LARGEST // 10))
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert set(sizes) == {"log.txt", "log.txt.1"} and max(sizes.values()) <= log.LARGEST * 1.2


@pytest.mark.parametrize("what", ["a file", "a folder in its place"])
def test_where_it_cannot_be_written_nothing_happens(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if what == "a file":
        (tmp_path / "state").write_text("not a folder")
    else:
        (tmp_path / "state" / "log.txt").mkdir(parents=True)
    log.start(tmp_path / "state")
    log.LOGGER.error("lost")
    assert log.text() == "" and capsys.readouterr() == ("", "")
    log.start(tmp_path / "after")


def test_what_nothing_catches_is_noted_and_printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    log.take_uncaught()
    try:
        fail()
    except RuntimeError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    thread = threading.Thread(target=fail, name="a thread of its own")
    thread.start()
    thread.join()
    assert log.text().count("RuntimeError: broken on purpose") == 2 and "a thread of its own" in log.text()
    assert capsys.readouterr().err.count("RuntimeError: broken on purpose") == 2
