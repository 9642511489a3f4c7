"""Every operation of every file action fails once: the file is the old one or the new one, and a sentence
reports it.
"""

from __future__ import annotations

import errno
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.exchange import importing
from app.files import documents, locks, recovery
from app.files.documents import FileError
from app.files.locks import Claims, Lock
from app.files.recovery import Recorder, UnsavedWork, orphans
from app.files.settings import Settings
from app.state.document import default_document
from solver.core import _compile
from tests.app import file_work
from tests.app.files.faulty_disk import CODES, FaultyDisk, Tally
from tests.app.files.test_files import Open, check, content, new_document

SOUND = documents.encode(default_document())
OTHER = documents.encode(new_document())

Campaign = Callable[[Tally, Path, tuple[int, ...], int], None]


def empty(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for path in list(folder.rglob("*"))[::-1]:
        path.rmdir() if path.is_dir() else path.unlink()


def sentence(text: str, name: str) -> None:
    check(FileError(text), name)


def saving(tally: Tally, folder: Path, codes: tuple[int, ...], step: int) -> None:
    path = folder / "mine.playground"
    for existing in (True, False):

        def prepare(existing: bool = existing) -> None:
            empty(folder)
            if existing:
                path.write_bytes(SOUND)
            (folder / ".mine.playground.abcdefgh.tmp").touch()  # of a save that was killed

        def act(disk: FaultyDisk, existing: bool = existing) -> None:
            table = Open()
            new = documents.encode(table.store.document)
            with disk:
                failure = file_work.try_save(table.user, path)
            now = path.read_bytes() if path.exists() else None
            if failure:
                sentence(failure, "mine.playground was not saved")
                assert disk.reached and table.unharmed() and now in (SOUND if existing else None, new)
            else:
                assert now == new and not table.store.modified
            assert file_work.try_save(table.user, path) == "" and path.read_bytes() == new
            assert [each.name for each in folder.iterdir()] == ["mine.playground"], "nothing is left lying about"

        tally.every_fault("save" if existing else "save as", folder, prepare, act, codes, step)


def opening(tally: Tally, folder: Path, codes: tuple[int, ...], step: int) -> None:
    path = folder / "mine.playground"

    def prepare() -> None:
        empty(folder)
        path.write_bytes(SOUND)

    def act(disk: FaultyDisk) -> None:
        table = Open()
        with disk:
            opened = file_work.open_file(table.user, path, table.alerts.append)
        if opened:
            assert not table.alerts and content(table.store.document) == content(default_document())
            assert table.store.path == path and not table.store.modified
        else:
            sentence(table.alerts[-1], "mine.playground cannot be read")
            assert disk.reached and table.unharmed()
        assert path.read_bytes() == SOUND and file_work.open_file(table.user, path)

    tally.every_fault("open", folder, prepare, act, codes, step)

    def revert(disk: FaultyDisk) -> None:
        table = Open()
        assert file_work.open_file(table.user, path)
        table.user.set_notes("edited")
        with disk:
            back = file_work.revert(table.user, table.alerts.append)
        assert back == (not table.store.modified) == (not table.alerts)
        assert table.store.document.notes == ("" if back else "edited")

    tally.every_fault("revert", folder, prepare, revert, codes, step)

    def changed(disk: FaultyDisk) -> None:
        table = Open()
        assert file_work.open_file(table.user, path, table.alerts.append)
        with disk:
            assert not table.user.file_tasks.changed_on_disk(path)
        path.write_bytes(OTHER)
        assert table.user.file_tasks.changed_on_disk(path)

    tally.every_fault("changed on disk", folder, prepare, changed, codes, step)


def exchanging(tally: Tally, folder: Path, codes: tuple[int, ...], step: int) -> None:
    path = folder / "points.csv"
    table = Open()
    assert file_work.export(table.user, path.parent.parent / "sound.csv")
    sound = (path.parent.parent / "sound.csv").read_bytes()

    def prepare() -> None:
        empty(folder)
        path.write_bytes(sound)

    def export(disk: FaultyDisk) -> None:
        path.write_bytes(b"old")
        table.alerts.clear()
        with disk:
            written = file_work.export(table.user, path, table.alerts.append)
        assert written == (not table.alerts) and path.read_bytes() in ((sound,) if written else (sound, b"old"))
        if not written:
            sentence(table.alerts[0], "points.csv was not saved")

    tally.every_fault("export", folder, prepare, export, codes, step)

    def load(disk: FaultyDisk) -> None:
        failure, read = "", None
        with disk:
            try:
                read = importing.read(path)
            except FileError as error:
                failure = str(error)
        assert (read is not None) != bool(failure)
        if failure:
            sentence(failure, "points.csv cannot be read")

    tally.every_fault("import", folder, prepare, load, codes, step)


def recording(tally: Tally, folder: Path, codes: tuple[int, ...], step: int) -> None:
    def act(disk: FaultyDisk) -> None:
        shown: list[str] = []
        recorder = Recorder(folder / "recovery", "one", shown.append)
        with disk:
            recorder.keep(UnsavedWork(new_document(), folder / "mine.playground"))
            until(lambda: recorder.settled or shown)
        until(lambda: recorder.settled)
        assert len(shown) <= 1 and (not shown or disk.reached)
        if shown:
            sentence(shown[0], "Recovery copies cannot be written")
        assert recorder.file.stat().st_mode & 0o777 == 0o600
        assert content(recovery.read(recorder.file)) == content(new_document())
        recorder.keep(None)
        assert recorder.close()
        assert [path.name for path in (folder / "recovery").iterdir() if path.suffix == ".recovery"] == []

    tally.every_fault("recovery copy", folder, lambda: empty(folder), act, codes, step)

    def prepare() -> None:
        empty(folder)
        for name in ("one", "two"):
            (folder / f"{name}.recovery").write_bytes(b'{"time": 1, "points": 10, "version": 2}\n' + OTHER)
        (folder / "bad.recovery").write_bytes(b"noise")
        (folder / ".three.recovery.abcdefgh.tmp").touch()
        (folder / "old.lock").touch()

    def look(disk: FaultyDisk) -> None:
        with disk:
            copies, sentences = orphans(folder)
            read = {}
            for copy in copies:
                try:
                    read[copy.file.stem] = copy.read()
                except documents.UnreadError as error:
                    sentence(str(error), "The recovery copy of Untitled cannot be read")
                copy.lock.release()
        assert all(content(work.document) == content(new_document()) for work in read.values())
        assert disk.reached or sorted(read) == ["one", "two"]
        for text in sentences:
            assert text.endswith(".") and len(text) < 400 and "\n" not in text
        assert len(sentences) <= 2
        again, _ = orphans(folder)
        assert sorted(copy.file.stem for copy in again) == ["one", "two"], "what is sound is offered another time"
        for copy in again:
            assert content(copy.read().document) == content(new_document())
            copy.lock.release()
        assert b"noise" in {path.read_bytes() for path in folder.iterdir()}

    tally.every_fault("search for copies", folder, prepare, look, codes, step)

    def taken(disk: FaultyDisk) -> None:
        """A copy of an open window is never offered, whatever fails."""
        lock = Lock(folder / "one.lock")
        assert lock.acquire()
        with disk:
            copies, _ = orphans(folder)
        assert "one" not in {copy.file.stem for copy in copies} and lock.held
        for copy in copies:
            copy.lock.release()
        lock.release()

    if codes != (errno.ENOSPC,):
        passing = tuple(code for code in codes if code != errno.ENOSPC)  # an existing lock takes no space
        tally.every_fault("search beside a window", folder, prepare, taken, passing, step)


def claiming(tally: Tally, folder: Path, codes: tuple[int, ...], step: int) -> None:
    path, link = folder / "mine.playground", folder / "link.playground"

    def prepare() -> None:
        empty(folder)
        path.write_bytes(SOUND)
        link.symlink_to(path)

    def act(disk: FaultyDisk) -> None:
        mine, yours = Claims(folder / "open", "me"), Claims(folder / "open", "you")
        with disk:
            mine.follow(link)
            yours.elsewhere(path)
            yours.follow(path)
            mine.sweep()
            mine.follow(None)
            yours.release()
        mine.follow(path)
        assert yours.elsewhere(link)
        mine.release()
        assert not yours.elsewhere(path)
        yours.sweep()
        assert list((folder / "open").iterdir()) == []

    tally.every_fault("claims", folder, prepare, act, codes, step)

    def lock(disk: FaultyDisk) -> None:
        first, second = Lock(folder / "x.lock"), Lock(folder / "x.lock")
        with disk:
            for each in (first, second):
                try:
                    each.acquire()
                except OSError as error:
                    assert error.errno in CODES
            assert not (first.held and second.held)
            locks.held(folder / "x.lock")
            first.release()
            second.release()
        assert not locks.held(folder / "x.lock") and not (folder / "x.lock").exists()

    tally.every_fault("lock", folder, prepare, lock, codes, step)


def remembering(tally: Tally, folder: Path, codes: tuple[int, ...], step: int) -> None:
    path = folder / "profile" / "settings.json"
    for existing in (True, False):

        def prepare(existing: bool = existing) -> None:
            empty(folder)
            if existing:
                path.parent.mkdir()
                path.write_text('{"theme": "light", "folder": "/a b", "others": 7}')

        def act(disk: FaultyDisk, existing: bool = existing) -> None:
            shown: list[str] = []
            with disk:
                settings = Settings(path)
                settings.on_failure(shown.append)
                settings.write(theme="dark")
                assert settings.values.theme == "dark" and settings.values.folder
            now = path.read_text() if path.exists() else ""
            assert len(shown) <= 1 and (not shown or disk.reached)
            if shown:
                sentence(shown[0], "Settings are not kept")
                assert not existing or ("folder" in now and '"others": 7' in now)
            assert shown or '"theme": "dark"' in now
            settings.write(recent=("/a, b.playground",))
            again = Settings(path).values
            assert (again.theme, again.recent) == ("dark", ("/a, b.playground",))
            assert not existing or (again.folder == "/a b" and '"others": 7' in path.read_text())

        tally.every_fault("settings" if existing else "new settings", folder, prepare, act, codes, step)


def compiling(tally: Tally, folder: Path, codes: tuple[int, ...], step: int) -> None:
    (folder.parent / "tiny_module.py").write_text("def twice(x):\n    return x + x\n")
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(folder.parent)
        tiny = importlib.import_module("tiny_module")

        def compiled() -> Callable[[float], float]:
            _compile.cache_directory.cache_clear()
            return _compile.jit(tiny.twice)

        patched.setenv("NUMBA_CACHE_DIR", str(folder / "cache"))
        for stored in (False, True):

            def prepare(stored: bool = stored) -> None:
                empty(folder)
                if stored:
                    assert compiled()(21) == 42

            def act(disk: FaultyDisk) -> None:
                with disk:
                    function = compiled()
                    assert function(21) == 42 and function(1.5) == 3.0
                for _ in range(2):
                    function = compiled()
                    assert function(1.5) == 3.0 and function(21) == 42
                hits = function.stats.cache_hits  # type: ignore[attr-defined]
                assert sum(hits.values()) == 2, "it heals"

            tally.every_fault("compile cache" if stored else "empty compile cache", folder, prepare, act, codes, step)
    del sys.modules["tiny_module"]
    _compile.cache_directory.cache_clear()


CAMPAIGNS: tuple[Campaign, ...] = (saving, opening, exchanging, recording, claiming, remembering, compiling)


def until(what: Callable[[], object], seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.001)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(recovery, "INTERVAL", 0.0)
    monkeypatch.setattr(recovery, "DELAY", 0.0)
    monkeypatch.setattr(recovery, "RETRY", 0.02)
    monkeypatch.setattr(recovery, "PATIENCE", 0.0)
    yield


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names and locks of POSIX")


@pytest.mark.slow
@pytest.mark.parametrize("campaign", CAMPAIGNS[:-1], ids=lambda each: each.__name__)
def test_a_fault_in_any_operation(campaign: Campaign, tmp_path: Path) -> None:
    tally = Tally()
    campaign(tally, tmp_path / "disk", (errno.EIO,), 1)
    assert all(count > 3 for count in tally.counts.values()), "the disk must have been met"


@pytest.mark.soak
def test_every_fault_in_every_operation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    for campaign in CAMPAIGNS:
        campaign(tally, tmp_path / "disk", CODES, 1)
    with capsys.disabled():
        print(f"\n{tally.table()}")
