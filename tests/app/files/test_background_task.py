"""Tasks without a window: how they are paced and cancelled; and documents that are decoded in pieces."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from app.core.points import Points
from app.exchange import exporting
from app.files import documents, file_format
from app.files.background_task import CancelledError, Progress, Task
from app.files.documents import FileError
from app.state.document import Document, default_document
from app.state.test_split import IdSet, Split


def document(n: int) -> Document:
    rng = np.random.default_rng(n)
    xy = rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-12, 12, (n, 2))
    points = Points.of(xy, rng.integers(0, 8, n)).remove(np.arange(3, n, 17))
    return Document(points, split=Split("painted", painted=IdSet(points.ids[::5])), notes='"x":[1,2],"y":[')


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_format, "PIECE", 60)


@pytest.mark.usefixtures("small_pieces")
def test_a_document_in_pieces_is_the_same() -> None:
    for n in (4, 5, 40, 300):
        data, shares = documents.encode(document(n)), []
        again = documents.decode(data, step=shares.append)
        assert documents.encode(again) == data and len(shares) > n // 4
        assert shares == sorted(shares) and shares[0] > 0 and shares[-1] < 1
        assert file_format.parted(data, shares.append)[1] is not None


@pytest.mark.usefixtures("small_pieces")
def test_damage_is_told_as_if_it_had_been_decoded_at_once() -> None:
    rng = random.Random(5)
    sound = documents.encode(document(30))
    parts = [b",", b",,", b"]", b"[", b'"', b" ", b"", b"null", b'"a,b"', b"1e999", b"-", b"9", b"{}", b"\n", b"0"]
    files_of_all_kinds = [sound.replace(b'"y":[', b'"y":[,'), sound.replace(b'"x":[', b'"x":[]')]
    files_of_all_kinds += [sound[:-9], sound + b"1"]
    files_of_all_kinds += [json.dumps(json.loads(sound)).encode(), sound.replace(b'"version":3', b'"version":2')]
    for _ in range(1500):
        at = rng.randrange(len(sound) // 2 if rng.random() < 0.8 else len(sound))
        files_of_all_kinds.append(sound[:at] + rng.choice(parts) + sound[at + rng.randrange(3) :])
    told = set()
    for data in files_of_all_kinds:
        outcomes = []
        for size in (60, 10**9):
            file_format.PIECE = size  # the fixture puts it back
            try:
                outcomes.append(documents.encode(documents.decode(data)))
            except FileError as error:
                outcomes.append(str(error).encode())
        assert outcomes[0] == outcomes[1], data
        told.add(outcomes[0])
    assert len(told) > 300


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("end", [b'],"y"', b'],"class"', b'],"ids"'])
def test_a_comma_too_many_is_one_wherever_a_piece_ends(end: bytes) -> None:
    for n in range(5, 60):
        with pytest.raises(FileError, match="damaged"):
            documents.decode(documents.encode(document(n)).replace(end, b"," + end))


def test_all_versions_are_decoded_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.loads(documents.encode(default_document()))
    for name in ("split", "compared", "origin"):
        del data[name]
    old = json.dumps(data | {"version": 2}, separators=(",", ":")).encode()
    whole = documents.encode(documents.decode(old))
    monkeypatch.setattr(file_format, "PIECE", 100)
    seen = []
    assert documents.encode(documents.decode(old, step=seen.append)) == whole and seen
    assert file_format.NEWEST == 3


def test_what_is_exported_in_pieces_is_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for n in (0, 1, 400, 1201):
        xy, labels = rng.normal(size=(n, 2)), rng.integers(0, 8, n).astype(np.uint8)
        names, axes = ("a,b", "", "=c"), ("#x", "y, z")
        for suffix in (".csv", ".tsv", ".svmlight"):
            path = tmp_path / f"x{suffix}"
            pieces = list(exporting.encode_pieces(xy, labels, names, axes, path))
            exporting.export(xy, labels, names, axes, path)
            assert b"".join(piece for piece, _ in pieces) == path.read_bytes()
            assert pieces[-1][1] == 1.0
        text = "".join(piece for piece, _ in exporting.text_pieces(xy, labels, names))
        assert text == exporting.as_text(xy, labels, names)
    with pytest.raises(FileError, match=r"its name must end in"):
        list(exporting.encode_pieces(xy, labels, names, axes, tmp_path / "x.xls"))


def test_cancelling_ends_the_work_between_two_pieces() -> None:
    progress, done = Progress(), []

    def work(progress: Progress) -> str:
        for piece in range(5):
            done.append(piece)
            if piece == 2:
                assert progress.cancel()
            progress(piece / 5)
        return "never"

    outcome = Task("Counting", work, "Nothing was counted").outcome(progress)
    assert isinstance(outcome, CancelledError) and done == [0, 1, 2] and progress.share == 0.2


def test_it_is_either_cancelled_or_done() -> None:
    for _ in range(200):
        progress, committed = Progress(), []

        def work(progress: Progress = progress, committed: list[bool] = committed) -> None:
            try:
                progress.commit()
                committed.append(True)
            except CancelledError:
                committed.append(False)

        thread = threading.Thread(target=work)
        thread.start()
        cancelled = progress.cancel()
        thread.join()
        assert committed == [not cancelled]


def test_a_cancelled_write_leaves_no_trace(tmp_path: Path) -> None:
    path, progress = tmp_path / "x", Progress()
    path.write_bytes(b"old")
    progress.cancel()
    with pytest.raises(CancelledError):
        documents.write_pieces((b"new",), path, progress.commit)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]
