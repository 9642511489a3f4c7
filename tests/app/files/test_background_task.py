"""Tasks without a window: their pauses and their cancelling."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from app.exchange import exporting
from app.files import documents
from app.files.background_task import CancelledError, Progress, Task
from app.files.documents import FileError


def test_what_is_exported_in_pieces_is_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for n in (0, 1, 400, 1201):
        xy, labels = rng.normal(size=(n, 2)), rng.integers(0, 8, n).astype(np.uint8)
        names, axes = ("a,b", "", "=c"), ("#x", "y, z")
        for suffix in (".csv", ".tsv", ".svmlight"):
            path = tmp_path / f"x{suffix}"
            pieces = list(exporting.encode_pieces(xy, labels, names, axes, path))
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(exporting, "_TOGETHER", 10**6)
                (whole,) = exporting.encode_pieces(xy, labels, names, axes, path)
            assert b"".join(piece for piece, _ in pieces) == whole[0]
            assert pieces[-1][1] == whole[1] == 1.0 and len(pieces) == max(1, -(-n // 400))
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
