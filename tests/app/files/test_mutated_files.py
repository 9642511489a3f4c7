"""Mutated files of every kind that is read: each is a valid value or one sentence, and quickly."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from app.core.plain_text import plain
from app.core.points import LIMIT, Points
from app.exchange.exporting import as_text, from_text
from app.files import documents, recovery
from app.files.documents import FileError
from app.files.recovery import Recorder, UnsavedWork
from app.state.document import ClassStyle, Document
from app.state.split import IdSet, Split
from tests.app.exchange.test_exchange_damage import attempt
from tests.app.exchange.written import encode
from tests.app.files.test_files import content
from tests.counting import calls_of

FIXTURES = Path(__file__).parent / "fixtures"
#: Most calls for any of these small files.
MOST_CALLS = 200_000
#: Texts with a meaning to one of the readers.
TOKENS = [
    *(b"0 -0 1 9 8 -1 1e999 -1e308 NaN nan Infinity -inf 1_000 0x10 1.5 1,5 1,000 1.000 99999999999999999999".split()),
    *(b'" \\ \\" "" , ; : | [ ] { } {} [] null true false " " \\u0000 \\ud800 # = =cmd() \'=x sep=;'.split()),
    *(b'class qid:1 "x" "version":2 "version":99 "points": "class" "shown":4, "lanes":[] 1:1 0:1 10001:1'.split()),
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xe2\x80\xae",
    b"\xff",
    b"\n\n",
    b"PK\x03\x04",
    b"(" * 200,
    b"[" * 3000,
    b'{"a":' * 3000,
    b'"' * 7,
    b"9" * 400,
    b"," * 300,
]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return `data` after one to four accidents."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        size = len(out)
        start = rng.randrange(size + 1)
        end = min(size, start + rng.choice([1, 2, 8, 64, size]))
        what = rng.randrange(8)
        if what == 0 and size:
            out[rng.randrange(size)] ^= 1 << rng.randrange(8)
        elif what == 1:
            del out[start:]
        elif what == 2:
            del out[start:end]
        elif what == 3:
            out[start:start] = out[start:end] * rng.choice([1, 2, 5])
        elif what == 4:
            out[start:start] = rng.choice(TOKENS)
        elif what == 5:
            out[start:end] = rng.choice(TOKENS)
        elif what == 6:
            lines = bytes(out).split(b"\n")
            rng.shuffle(lines)
            out = bytearray(b"\n".join(lines))
        else:
            out[start:end] = rng.randbytes(end - start)
    return bytes(out[:200_000])


RNG = np.random.default_rng(0)
XY, LABELS = RNG.normal(size=(30, 2)), RNG.integers(0, 3, 30).astype(np.uint8)
NAMES, AXES = ("one", "=two", "three, four"), ("class", "the\ty")
DOCUMENT = Document(
    Points.of(XY, LABELS).remove([3, 4, 9]),
    split=Split("painted", 0.3, 1, IdSet([1, 5, 6])),
    notes='a "b" \\ c\nü',
    styles=tuple(ClassStyle(name) for name in (*NAMES, "", "", "", "", "")),
    axes=AXES,
)
Check = Callable[[bytes], bool]


def check_sentence(error: FileError, name: str) -> None:
    report = str(error)
    assert report.startswith(name) and report.endswith(".") and plain(report) == report and len(report) < 400, report


def check_document(data: bytes) -> bool:
    try:
        document = documents.decode(data, "drawing.playground")
    except FileError as error:
        check_sentence(error, "drawing.playground")
        return False
    assert content(documents.decode(documents.encode(document))) == content(document)
    assert np.isfinite(document.points.xy).all() and np.abs(document.points.xy).max(initial=0.0) <= LIMIT
    assert document.points.labels.max(initial=0) < 8 and 1 <= document.shown <= len(document.lanes) <= 4
    return True


def check_clipboard(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    attempt(text.encode(), "The clipboard")
    try:
        xy, labels, names = from_text(text, NAMES, 1, {0, 1})
    except FileError as error:
        check_sentence(error, "The clipboard")
        return False
    assert len(xy) == len(labels) > 0 and np.isfinite(xy).all() and len(names) == 8
    return True


def check_recovery(folder: Path) -> Check:
    """Whatever is wrong with a copy, its content stays in the folder until the user decides otherwise."""

    def check(data: bytes) -> bool:
        file = folder / "left.recovery"
        file.write_bytes(data)
        copies, sentences = recovery.orphans(folder)
        assert len(copies) + len(sentences) == 1
        assert data in [path.read_bytes() for path in folder.iterdir()]
        sound = False
        for copy in copies:
            assert plain(copy.words) == copy.words
            try:
                sound = check_document(documents.encode(copy.read().document))
            except FileError as error:
                check_sentence(error, "The recovery copy of ")
            copy.remove()
        for path in folder.iterdir():
            path.unlink()
        return sound

    return check


def recovery_copy(folder: Path) -> bytes:
    recorder = Recorder(folder, "one", pytest.fail)
    work = UnsavedWork(DOCUMENT, folder / "mine.playground", documents.Fingerprint(5, "abc"))
    data = b"".join(recorder._pieces(work))
    recorder.close()
    return data


KINDS = ["version 3", "newest", ".csv", ".tsv", ".svmlight", ".npz", "clipboard", "recovery"]


def subject(kind: str, folder: Path) -> tuple[bytes, Check]:
    """Return a valid file of this kind, and the function that checks a damaged one."""
    if kind.startswith("version"):
        return (FIXTURES / f"{kind.replace(' ', '')}.playground").read_bytes(), check_document
    if kind == "newest":
        return documents.encode(DOCUMENT), check_document
    if kind == "recovery":
        return recovery_copy(folder), check_recovery(folder)
    if kind == "clipboard":
        return as_text(XY, LABELS, NAMES).encode(), check_clipboard
    return encode(XY, LABELS, NAMES, AXES, Path(f"a{kind}")), lambda data: attempt(data, f"drawing{kind}")


def campaign(kind: str, folder: Path, seed: int, times: int) -> int:
    """Return the number of mutated files that were still valid."""
    (folder / "files").mkdir()
    data, check = subject(kind, folder / "files")
    assert check(data), "it is sound to begin with"
    rng, verdicts = random.Random(f"{seed} {kind}"), list[bool]()
    for number in range(times):
        damaged = mutated(data, rng)
        try:
            calls = calls_of(lambda damaged=damaged: verdicts.append(check(damaged)))
            assert calls < MOST_CALLS
        except BaseException:
            (folder / "damaged").write_bytes(damaged)
            print(f"{kind}, seed {seed}, file {number}: {folder / 'damaged'}")
            raise
    sound = sum(verdicts)
    print(f"{kind}: {times} files, {sound} sound, {times - sound} refused")
    return sound


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_some_mutated_files(kind: str, tmp_path: Path) -> None:
    assert 0 < campaign(kind, tmp_path, 0, 150) < 150


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_five_thousand_mutated_files(kind: str, tmp_path: Path, seed: int) -> None:
    assert 0 < campaign(kind, tmp_path, seed, 5000) < 5000


def test_the_campaign_sees_what_should_not_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that accepts NaN, or reports two lines, or raises anything but a sentence, is detected."""
    real, sound = documents.decode, documents.encode(DOCUMENT)

    def faulty(data: bytes, name: str = "The file") -> Document:
        document = real(data, name)
        return document if data == sound else replace(document, points=Points.of([(np.nan, 0.0)], 0))

    for index, fault in enumerate(
        [faulty, lambda data, name="": 1 / 0, lambda data, name="": (_ for _ in ()).throw(FileError("No name"))]
    ):
        monkeypatch.setattr(documents, "decode", fault)
        (tmp_path / str(index)).mkdir()
        with pytest.raises((AssertionError, FileError, ZeroDivisionError)):
            campaign("newest", tmp_path / str(index), 0, 50)
