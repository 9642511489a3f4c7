"""Recovery and locks: unsaved work is soon on disk, exactly, and its copy is deleted only when it is not needed."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from app.core.points import Points
from app.exchange.opening import Kind, kind_of
from app.files import documents, locks, recovery
from app.files.locks import Claims, Lock
from app.files.recovery import Recorder, UnsavedWork, orphans
from app.state.document import Document, default_document
from tests.app.files.test_files import content, failing, new_document

ROOT = Path(__file__).parents[3]


def wait(what: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


def thread_names() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "recovery"]


class Setup:
    """Recorders in one folder, and their reports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shown: list[str] = []
        self.recorders: list[Recorder] = []

    def recorder(self, name: str = "one") -> Recorder:
        self.recorders.append(Recorder(self.folder, name, self.shown.append))
        return self.recorders[-1]

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir()) if self.folder.exists() else []

    def die(self, recorder: Recorder) -> None:
        """Do what a kill does: the copy stays, the lock ends."""
        wait(lambda: recorder.settled)
        data = recorder.file.read_bytes()
        recorder.close()
        recorder.file.write_bytes(data)


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setup]:
    monkeypatch.setattr(recovery, "INTERVAL", 0.05)
    monkeypatch.setattr(recovery, "DELAY", 0.02)
    monkeypatch.setattr(recovery, "RETRY", 0.05)
    setup = Setup(tmp_path / "recovery")
    yield setup
    for recorder in setup.recorders:
        assert recorder.close()
    assert thread_names() == []


# -- the recorder ------------------------------------------------------------------------------------------------------


def test_nothing_unsaved_makes_no_thread_and_no_file(setup: Setup) -> None:
    recorder = setup.recorder()
    recorder.keep(None)
    assert recorder.settled and thread_names() == [] and setup.names() == []
    assert recorder.close()


def test_a_copy_is_exact_and_goes_when_nothing_is_unsaved(setup: Setup, tmp_path: Path) -> None:
    recorder = setup.recorder()
    print_of = documents.Fingerprint.of(b"old")
    before = time.time()
    recorder.keep(UnsavedWork(new_document(), tmp_path / "mine.playground", print_of))
    wait(lambda: recorder.settled and recorder.file.exists())
    assert setup.names() == ["one.lock", "one.recovery"]
    setup.die(recorder)
    (copy,), sentences = orphans(setup.folder)
    assert sentences == [] and (copy.title, copy.points) == ("mine.playground", 10)
    assert before <= copy.time <= time.time()
    assert copy.words == f"mine.playground, {recovery.when(copy.time, time.time())}, 10 points"
    work = copy.read()
    assert content(work.document) == content(new_document())
    assert (work.path, work.on_disk) == (tmp_path / "mine.playground", print_of)
    copy.remove()
    assert setup.names() == []


def test_a_copy_of_an_open_window_is_never_offered(setup: Setup) -> None:
    recorder = setup.recorder()
    recorder.keep(UnsavedWork(default_document(), None))
    wait(lambda: recorder.settled)
    assert orphans(setup.folder) == ([], [])
    assert setup.names() == ["one.lock", "one.recovery"]
    recorder.keep(None)
    wait(lambda: setup.names() == ["one.lock"])
    assert orphans(setup.folder) == ([], [])
    recorder.keep(UnsavedWork(default_document(), None))
    wait(lambda: "one.recovery" in setup.names())
    assert recorder.close() and setup.names() == []


def test_two_starts_do_not_offer_the_same_copy(setup: Setup) -> None:
    recorder = setup.recorder()
    recorder.keep(UnsavedWork(default_document(), None))
    setup.die(recorder)
    first, second = orphans(setup.folder)[0], orphans(setup.folder)[0]
    assert len(first) == 1 and second == []
    first[0].lock.release()
    (again,), _ = orphans(setup.folder)
    assert again.title == "Untitled"
    again.remove()


def test_the_newest_is_kept_and_not_every_edit_written(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "INTERVAL", 0.2)
    writes: list[float] = []
    real = documents.write_pieces

    def write(pieces: object, path: Path, **how: bool) -> None:
        writes.append(recorder._started)  # on a busy machine the present time may be later
        real(pieces, path, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(documents, "write_pieces", write)
    recorder = setup.recorder()
    document = Document()
    while len(writes) < 3:
        document = replace(document, points=document.points.append([(1.0, 2.0)], 1))
        recorder.keep(UnsavedWork(document, None))
        time.sleep(0.002)
    wait(lambda: recorder.settled)
    assert len(writes) in (3, 4) and min(np.diff(writes)) > 0.19
    setup.die(recorder)
    (copy,), _ = orphans(setup.folder)
    assert content(copy.read().document) == content(document)
    copy.remove()


def test_the_times_are_those_that_are_promised() -> None:
    assert recovery.DELAY <= 2.0 and recovery.INTERVAL <= 2.0


@pytest.mark.parametrize("operation", ["mkdir", "mkstemp", "write", "fsync", "replace"])
def test_a_failure_is_reported_once_and_tried_again(
    operation: str, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = setup.recorder()
    with monkeypatch.context() as patched:
        fail = failing(errno.ENOSPC)
        if operation == "mkdir":
            patched.setattr(Path, "mkdir", fail)
        elif operation == "mkstemp":
            patched.setattr(documents.tempfile, "mkstemp", fail)
        elif operation == "write":
            patched.setattr(documents, "encode", lambda document: fail())
        else:
            patched.setattr(documents.os, operation, fail)
        for _ in range(5):
            recorder.keep(UnsavedWork(default_document(), None))
            time.sleep(0.06)
        wait(lambda: setup.shown)
        assert setup.shown == ["Recovery copies cannot be written: no space left on device."]
        assert not recorder.settled
        wait(lambda: setup.names() in ([], ["one.lock"]))  # that is, between two tries
    wait(lambda: recorder.settled)
    assert "one.recovery" in setup.names() and len(setup.shown) == 1


def test_an_old_copy_outlives_a_failure(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = setup.recorder()
    recorder.keep(UnsavedWork(default_document(), None))
    wait(lambda: recorder.settled)
    old = recorder.file.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(documents.os, "replace", failing(errno.EROFS))
        recorder.keep(UnsavedWork(new_document(), None))
        wait(lambda: setup.shown)
        assert recorder.file.read_bytes() == old
    wait(lambda: recorder.settled)
    assert recorder.file.read_bytes() != old


def test_an_unexpected_error_does_not_end_the_thread(
    setup: Setup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = setup.recorder()
    with monkeypatch.context() as patched:
        patched.setattr(documents, "encode", lambda document: 1 / 0)
        recorder.keep(UnsavedWork(default_document(), None))
        wait(lambda: setup.shown)
        assert setup.shown == ["Recovery copies cannot be written: ZeroDivisionError."]
        assert [record.exc_info[0] for record in caplog.records] == [ZeroDivisionError]
    wait(lambda: recorder.settled)


def test_closing_in_the_middle_of_a_write_leaves_nothing(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    recorder = setup.recorder()

    def encode(document: Document) -> bytes:
        begun.set()
        wait(lambda: recorder._closing)
        return b"x"

    monkeypatch.setattr(documents, "encode", encode)
    recorder.keep(UnsavedWork(default_document(), None))
    assert begun.wait(300)
    assert recorder.close() and setup.names() == [] and setup.shown == []
    recorder.keep(UnsavedWork(default_document(), None))  # too late
    assert thread_names() == []


def test_a_folder_taken_away_comes_back_with_its_lock(setup: Setup) -> None:
    recorder = setup.recorder()
    recorder.keep(UnsavedWork(default_document(), None))
    wait(lambda: recorder.settled)
    for path in list(setup.folder.iterdir()):
        path.unlink()
    setup.folder.rmdir()
    recorder.keep(UnsavedWork(new_document(), None))
    wait(lambda: recorder.settled)
    assert setup.names() == ["one.lock", "one.recovery"] and orphans(setup.folder) == ([], [])


def test_recovered_work_stays_protected(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = setup.recorder("first"), setup.recorder("second")
    first.keep(UnsavedWork(new_document(), None))
    setup.die(first)
    (copy,), _ = orphans(setup.folder)
    with monkeypatch.context() as patched:
        patched.setattr(documents.os, "replace", failing(errno.ENOSPC))
        second.keep(UnsavedWork(copy.read().document, None))
        second.replaces(copy)
        wait(lambda: setup.shown)
        assert copy.file.exists(), "nothing stands in its place yet"
    wait(lambda: second.settled and not copy.file.exists())
    assert setup.names() == ["second.lock", "second.recovery"]
    assert content(documents.decode(second.file.read_bytes().partition(b"\n")[2])) == content(new_document())


def test_a_write_under_way_does_not_stand_for_recovered_work(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = setup.recorder("first"), setup.recorder("second")
    first.keep(UnsavedWork(new_document(), None))
    setup.die(first)
    (copy,), _ = orphans(setup.folder)
    writing, go_on = threading.Event(), threading.Event()
    real = documents.write_pieces

    def held_up(pieces: object, path: Path, **how: bool) -> None:
        writing.set()
        assert go_on.wait(300)
        real(pieces, path, **how)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(documents, "write_pieces", held_up)
        second.keep(UnsavedWork(Document(), None))
        assert writing.wait(300)
        writing.clear()
        second.keep(UnsavedWork(copy.read().document, None))
        second.replaces(copy)
        go_on.set()
        assert writing.wait(300) and copy.file.exists()
    wait(lambda: second.settled and not copy.file.exists())


def test_work_that_is_recovered_while_it_is_written_takes_the_old_copy_away(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = setup.recorder("first"), setup.recorder("second")
    first.keep(UnsavedWork(new_document(), None))
    setup.die(first)
    (copy,), _ = orphans(setup.folder)
    writing, go_on = threading.Event(), threading.Event()
    real = documents.write_pieces

    def held_up(pieces: object, path: Path, **how: bool) -> None:
        writing.set()
        assert go_on.wait(300)
        real(pieces, path, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(documents, "write_pieces", held_up)
    second.keep(UnsavedWork(copy.read().document, None))
    assert writing.wait(300)
    second.replaces(copy)
    go_on.set()
    wait(lambda: second.settled and setup.names() == ["second.lock", "second.recovery"])


def test_saving_recovered_work_at_once_takes_the_old_copy_away(setup: Setup) -> None:
    first, second = setup.recorder("first"), setup.recorder("second")
    first.keep(UnsavedWork(new_document(), None))
    setup.die(first)
    (copy,), _ = orphans(setup.folder)
    second.keep(UnsavedWork(copy.read().document, None))
    second.replaces(copy)
    second.keep(None)
    wait(lambda: setup.names() == ["second.lock"] or setup.names() == [])


# -- offered copies ----------------------------------------------------------------------------------------------------


BAD: dict[str, bytes] = {
    "empty": b"",
    "no header": b"\n" + documents.encode(default_document()),
    "noise": bytes(range(256)) * 100,
    "a list": b"[]\n",
    "deep": b"[" * 90_000 + b"\n",
    "endless line": b"{" * 200_000,
    "wrong types": b'{"time": "now", "points": 1}\n',
    "no time": b'{"points": 1}\n',
    "latin 1": b'{"time": 1, "points": 1, "path": "\xe9"}\n',
}


@pytest.mark.parametrize("name", BAD)
def test_a_copy_that_cannot_be_read_is_kept_aside(name: str, setup: Setup) -> None:
    setup.folder.mkdir()
    (setup.folder / "bad.recovery").write_bytes(BAD[name])
    (setup.folder / "good.recovery").write_bytes(b'{"time": 1, "points": 1}\n')
    (copy,), (sentence,) = orphans(setup.folder)
    assert copy.file.name == "good.recovery"
    aside = setup.folder / "bad.unreadable"
    assert sentence == f"A recovery copy cannot be read; it is kept as {aside}."
    assert aside.read_bytes() == BAD[name]
    with pytest.raises(documents.FileError, match=r"The recovery copy of Untitled is (empty|damaged)"):
        copy.read()
    assert copy.set_aside().read_bytes() == b'{"time": 1, "points": 1}\n'
    assert orphans(setup.folder) == ([], []) and setup.names() == ["bad.unreadable", "good.unreadable"]


def copy_of(moment: str, document: Document | None = None, path: str = "null") -> bytes:
    """Return the content of a copy written at `moment`."""
    header = f'{{"time": {moment}, "points": 10, "path": {path}}}\n'
    return header.encode() + documents.encode(document or new_document())


@pytest.mark.parametrize("moment", ["NaN", "Infinity", "-Infinity", "1e999", "1e300", "-1e15", "253402300800"])
def test_an_odd_clock_makes_no_copy_unreadable(moment: str, setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    setup.folder.mkdir()
    for name in ("a", "b", "c"):
        (setup.folder / f"{name}.recovery").write_bytes(copy_of("1000" if name == "b" else moment))
    copies, sentences = orphans(setup.folder)
    assert sentences == [] and len(copies) == 3
    for copy in copies:
        assert copy.words == "Untitled, 1 January 1970 0:16, 10 points" or copy.file.stem != "b"
        assert copy.words == "Untitled, at an unknown time, 10 points" or copy.file.stem == "b"
        assert content(copy.read().document) == content(new_document())
        copy.remove()
    monkeypatch.setattr(time, "time", lambda: float(moment))
    assert recovery.when(1000.0, time.time()).startswith(("1 January 1970", "at an unknown time"))
    recorder = setup.recorder()
    recorder.keep(UnsavedWork(new_document(), None))
    setup.die(recorder)
    (copy,), sentences = orphans(setup.folder)
    assert sentences == [] and content(copy.read().document) == content(new_document())
    copy.remove()


@pytest.mark.parametrize("code", [errno.EMFILE, errno.EIO, errno.ESTALE, errno.EACCES])
@pytest.mark.parametrize("operation", ["open", "stat", "fstat"])
def test_a_copy_that_cannot_be_read_for_now_is_offered_another_time(
    operation: str, code: int, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup.folder.mkdir()
    for name in ("bad", "good", "worse"):
        (setup.folder / f"{name}.recovery").write_bytes(copy_of("1"))
    real = getattr(os, operation)

    def sometimes(what: object, *rest: object, **named: object) -> object:
        name = os.readlink(f"/proc/self/fd/{what}") if isinstance(what, int) else str(what)
        if name.endswith(("bad.recovery", "worse.recovery")):
            raise OSError(code, os.strerror(code))
        return real(what, *rest, **named)

    with monkeypatch.context() as patched:
        patched.setattr(os, operation, sometimes)
        (copy,), (sentence,) = orphans(setup.folder)
    assert copy.file.name == "good.recovery"
    assert sentence == (
        f"2 recovery copies cannot be read for now ({os.strerror(code).lower()}); "
        f"they stay in {setup.folder} for the next start."
    )
    copy.lock.release()
    copies, sentences = orphans(setup.folder)
    assert len(copies) == 3 and sentences == []
    with monkeypatch.context() as patched:
        patched.setattr(os, operation, failing(code))
        with pytest.raises(documents.UnreadError, match="The recovery copy of Untitled cannot be read: "):
            copies[0].read()
    for copy in copies:
        copy.remove()


def test_a_folder_that_cannot_be_looked_into_is_one_sentence(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    setup.folder.mkdir()
    for number in range(5):
        (setup.folder / f"{number}.recovery").write_bytes(copy_of("1"))
        (setup.folder / f"{number}.lock").touch()
    for operations in (("listdir",), ("stat", "open")):
        with monkeypatch.context() as patched:
            for operation in operations:
                patched.setattr(os, operation, failing(errno.EACCES))
            copies, sentences = orphans(setup.folder)
        assert copies == [] and len(sentences) == 1 and "permission denied" in sentences[0]
    copies, sentences = orphans(setup.folder)
    assert len(copies) == 5 and sentences == []
    for copy in copies:
        copy.remove()


@pytest.mark.skipif(sys.platform == "win32", reason="another user of POSIX")
def test_a_folder_that_may_be_listed_but_not_entered() -> None:
    """As a user without permission, in a folder that such a user may enter."""
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom app.files.recovery import orphans\n"
        "if os.getuid() == 0: os.setuid(65534)\n"
        "entered = os.access(sys.argv[1] + '/one.recovery', os.F_OK)\n"
        "print('skip' if entered else orphans(Path(sys.argv[1])))\n"
    )
    with tempfile.TemporaryDirectory() as location:
        folder = Path(location) / "recovery"
        folder.mkdir()
        (folder / "one.recovery").write_bytes(copy_of("1"))
        Path(location).chmod(0o755)
        folder.chmod(0o444)
        answer = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, cwd=ROOT)
        folder.chmod(0o700)
    if answer.stdout == "skip\n":
        pytest.skip("permissions stop nobody here")
    assert "permission denied" in answer.stdout and answer.stdout.startswith("([], ["), answer.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_pipe_is_not_waited_for(setup: Setup) -> None:
    setup.folder.mkdir()
    for name in ("x.recovery", "x.lock", "y.lock", ".x.recovery.abcdefgh.tmp"):
        os.mkfifo(setup.folder / name)
    (setup.folder / "good.recovery").write_bytes(copy_of("1"))
    (setup.folder / "folder.recovery").mkdir()
    found: list[tuple[list[recovery.Copy], list[str]]] = []
    search = threading.Thread(target=lambda: found.append(orphans(setup.folder)), daemon=True)
    search.start()
    search.join(300)
    ((copy,), sentences) = found[0]
    assert copy.file.name == "good.recovery"
    assert sentences == [f"2 recovery copies cannot be read; they are kept in {setup.folder}."]
    copy.remove()
    assert orphans(setup.folder) == ([], []), "told once"


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_copies_are_readable_for_the_owner_only(setup: Setup) -> None:
    recorder = setup.recorder()
    recorder.keep(UnsavedWork(default_document(), None))
    wait(lambda: recorder.settled)
    assert recorder.file.stat().st_mode & 0o777 == 0o600 and setup.folder.stat().st_mode & 0o777 == 0o700
    recorder.file.chmod(0o644)
    recorder.keep(UnsavedWork(new_document(), None))
    wait(lambda: recorder.settled)
    assert recorder.file.stat().st_mode & 0o777 == 0o600


def test_what_is_set_aside_replaces_nothing_and_can_be_read(setup: Setup) -> None:
    setup.folder.mkdir()
    for header in (b"", b'{"time": "now", "points": 1}', b"noise " * 40_000):
        (setup.folder / "one.recovery").write_bytes(header + b"\n" + documents.encode(new_document()))
        assert orphans(setup.folder)[0] == []
    asides = sorted(setup.folder.glob("*.unreadable"))
    assert [path.name for path in asides] == ["one-2.unreadable", "one-3.unreadable", "one.unreadable"]
    for path in asides:
        assert kind_of(path) is Kind.RECOVERY_COPY and content(recovery.read(path)) == content(new_document())
    asides[0].write_bytes(b"{}\n{")
    with pytest.raises(documents.FileError, match=r"one-2\.unreadable is damaged"):
        recovery.read(asides[0])


@pytest.mark.parametrize("version", [1, 2, 99])
def test_a_copy_of_another_program_is_not_called_damaged_and_stays(version: int, setup: Setup) -> None:
    setup.folder.mkdir()
    header = copy_of("1").partition(b"\n")[0]
    other = header + f'\n{{"format": "classifier-playground", "version": {version}}}'.encode()
    (setup.folder / "one.recovery").write_bytes(other)
    (copy,), _ = orphans(setup.folder)
    with pytest.raises(documents.UnreadError, match=f"of version {version}"):
        copy.read()
    copy.lock.release()
    assert copy.file.read_bytes() == other


def test_without_a_free_thread_the_next_change_tries_again(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = setup.recorder()
    with monkeypatch.context() as patched:

        def refuse(thread: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        patched.setattr(threading.Thread, "start", refuse)
        for _ in range(2):
            recorder.keep(UnsavedWork(default_document(), None))
    assert setup.shown == ["Recovery copies cannot be written: the system starts no more threads."]
    recorder.keep(UnsavedWork(new_document(), None))
    wait(lambda: recorder.settled)
    assert recorder.file.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a working folder that is gone")
def test_copies_and_claims_work_without_a_working_folder(
    setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    recorder = setup.recorder()
    recorder.keep(UnsavedWork(new_document(), Path("mine.playground")))
    setup.die(recorder)
    (copy,), _ = orphans(setup.folder)
    assert copy.title == "mine.playground" and setup.shown == []
    copy.remove()
    claims = Claims(tmp_path / "open", "me")
    for path in (Path("mine.playground"), Path("half \ud800"), Path("zero \0")):
        claims.follow(path)
        assert not claims.elsewhere(path)
    claims.release()


def test_copies_come_newest_first_and_leftovers_go(setup: Setup) -> None:
    assert orphans(setup.folder) == ([], [])
    setup.folder.mkdir()
    for name, moment in (("a", 10.0), ("b", 30.0), ("c", 20.0)):
        (setup.folder / f"{name}.recovery").write_bytes(json.dumps({"time": moment, "points": 1}).encode())
    (setup.folder / "gone.lock").touch()
    (setup.folder / ".a.recovery.x1.tmp").touch()
    (setup.folder / "notes.txt").touch()
    copies, _ = orphans(setup.folder)
    assert [copy.file.stem for copy in copies] == ["b", "c", "a"]
    for copy in copies:
        copy.lock.release()
    assert setup.names() == ["a.recovery", "b.recovery", "c.recovery", "notes.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_a_file_name_of_any_bytes_comes_back(setup: Setup, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe \n.playground"))
    recorder = setup.recorder()
    recorder.keep(UnsavedWork(default_document(), path))
    setup.die(recorder)
    (copy,), _ = orphans(setup.folder)
    assert copy.path == path
    copy.remove()


def test_times_in_words() -> None:
    def moment(day: int, hour: int, minute: int, month: int = 3) -> float:
        return time.mktime((2026, month, day, hour, minute, 0, 0, 0, -1))

    now = moment(3, 14, 40)
    assert recovery.when(moment(3, 14, 32), now) == "today 14:32"
    assert recovery.when(moment(2, 23, 5), now) == "yesterday 23:05"
    assert recovery.when(moment(1, 0, 0), now) == "1 March 2026 0:00"
    assert recovery.when(moment(28, 9, 0, month=2), now) == "28 February 2026 9:00"
    assert recovery.when(moment(4, 9, 0), now) == "4 March 2026 9:00"


WRITER = """
import sys
from pathlib import Path
import numpy as np
from app.files import recovery
from app.state.document import Document
from app.core.points import Points
recovery.INTERVAL = recovery.DELAY = 0.0
recorder = recovery.Recorder(Path(sys.argv[1]), sys.argv[2], print)
turn = 0
while True:
    if recorder.settled:
        turn += 1
        xy = np.full((5000, 2), float(turn))
        recorder.keep(recovery.UnsavedWork(Document(Points.of(xy, np.zeros(5000, int)), notes=str(turn)), None))
        if turn == 2:
            print("writing", flush=True)
"""


def kill_while_writing_copies(times: int, folder: Path) -> tuple[int, int]:
    """Kill writers of copies; return the number of temporary files they left, and of complete copies."""
    rng = random.Random(times)
    left = whole = 0
    for number in range(times):
        arguments = [sys.executable, "-c", WRITER, str(folder), f"w{number}"]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=ROOT) as writer:
            assert writer.stdout is not None and writer.stdout.readline() == b"writing\n"
            time.sleep(rng.uniform(0.0, 0.05))
            writer.kill()
        left += len(list(folder.glob(".*.tmp")))
        (copy,), sentences = orphans(folder)
        document = copy.read().document
        assert sentences == [] and len(document.points) == copy.points == 5000
        assert (document.points.xy == float(document.notes)).all(), "all of one moment"
        whole += 1
        copy.remove()
        assert list(folder.iterdir()) == []
    return left, whole


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_while_writing_a_copy(tmp_path: Path) -> None:
    assert kill_while_writing_copies(2, tmp_path)[1] == 2


@pytest.mark.soak
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_while_writing_a_copy_many_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left, whole = kill_while_writing_copies(50, tmp_path)
    with capsys.disabled():
        print(f"\n50 kills while copies were written: {left} temporary files left and swept, {whole} copies whole")
    assert left > 10, "the kills must have met the writing"


# -- locks -------------------------------------------------------------------------------------------------------------


def test_a_lock_excludes_and_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    first, second = Lock(path), Lock(path)
    assert not locks.held(path) and first.acquire() and first.held
    assert not second.acquire() and not second.acquire(0.02) and locks.held(path)
    first.release()
    first.release()
    assert not path.exists() and second.acquire()
    path.unlink()
    assert not second.held and first.acquire(), "a file taken away by hand is no lock any more"
    second.release()
    assert first.held, "and its old holder does not take the new one away"
    first.release()
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    code = f"from app.files.locks import Lock; from pathlib import Path; assert Lock(Path({str(path)!r})).acquire()"
    code += "; print('held', flush=True); import time; time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        assert locks.held(path)
        other.kill()
    assert path.exists() and not locks.held(path) and not path.exists()


def test_where_nothing_can_be_locked_copies_are_still_written_and_found(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "take", failing(errno.ENOLCK))
    recorder = setup.recorder()
    recorder.keep(UnsavedWork(default_document(), None))
    setup.die(recorder)
    (copy,), sentences = orphans(setup.folder)
    assert sentences == [] and content(copy.read().document) == content(default_document())
    claims = Claims(setup.folder / "open", "me")
    claims.follow(copy.file)
    assert not Claims(setup.folder / "open", "you").elsewhere(copy.file)
    claims.release()


def test_claims_identify_a_file_by_any_of_its_names(tmp_path: Path) -> None:
    path, link = tmp_path / "mine.playground", tmp_path / "link.playground"
    path.touch()
    link.symlink_to(path)
    mine, yours = Claims(tmp_path / "open", "me"), Claims(tmp_path / "open", "you")
    assert not mine.elsewhere(path)
    mine.follow(path)
    assert not mine.elsewhere(path) and yours.elsewhere(path) and yours.elsewhere(link)
    assert yours.elsewhere(tmp_path / "open" / ".." / "mine.playground")
    yours.follow(link)
    assert mine.elsewhere(path)
    mine.follow(tmp_path / "other.playground")
    assert not yours.elsewhere(path) and yours.elsewhere(tmp_path / "other.playground")
    mine.follow(None)
    yours.release()
    assert list((tmp_path / "open").iterdir()) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.playground", "mine.playground", "open"]


def test_claims_without_a_folder_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    claims = Claims(tmp_path / "file", "me")
    claims.follow(tmp_path / "mine.playground")
    assert not claims.elsewhere(tmp_path / "mine.playground")
    claims.release()


# -- duration ----------------------------------------------------------------------------------------------------------


def own_clocks() -> tuple[float, float]:
    """Seconds, without those in which this thread was ready and other processes had the processors; and seconds of the
    processors that this process has had."""
    try:
        queued = int(Path("/proc/thread-self/schedstat").read_text().split()[1])
    except OSError:  # not Linux: the whole time counts
        queued = 0
    return time.perf_counter() - 1e-9 * queued, time.process_time()


def longest_pause(folder: Path, writes: int) -> float:
    """Return the longest time (s) for which a thread that only reads the clock is blocked while copies are written."""
    rng = np.random.default_rng(0)
    document = Document(Points.of(rng.normal(size=(100_000, 2)), rng.integers(0, 8, 100_000)))
    recorder = Recorder(folder, "one", lambda sentence: None)
    turns = []
    for _ in range(writes):
        recorder.keep(UnsavedWork(document, None))
        turns.append(own_clocks())
        while not recorder.settled:
            time.sleep(0.0005)
            turns.append(own_clocks())
        assert recorder.file.stat().st_size > 10**6
        recorder.file.unlink()
    assert recorder.close()
    # A blocked thread gets no processor and sees no progress of others: of the two clocks, the lesser counts.
    return float(np.diff(turns, axis=0).min(axis=1).max())


def test_writing_100_000_points_leaves_room_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound on blocking, not on speed: encoding them in one go would block the window for far longer."""
    monkeypatch.setattr(recovery, "INTERVAL", 0.02)
    monkeypatch.setattr(recovery, "DELAY", 0.01)
    pauses = [longest_pause(tmp_path, 2)]
    while pauses[-1] > 0.1 and len(pauses) < 5:  # the host of a virtual machine may take time invisibly
        pauses.append(longest_pause(tmp_path, 2))
    assert pauses[-1] < 0.1, pauses
