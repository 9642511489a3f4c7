"""Damaged, hostile and huge files of points: one sentence that begins with the file's name, or a sound table."""

from __future__ import annotations

import io
import pickle
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.core.points import LIMIT, MAX_CLASSES
from app.exchange.columns import Choice, convert, default_choice
from app.exchange.exporting import EXPORTS
from app.exchange.importing import decode, read_text
from app.exchange.npz import read_archive
from app.exchange.table import Dialect
from app.files import documents
from app.files.documents import FileError
from tests.app.exchange.written import encode
from tests.examples import examples

RNG = np.random.default_rng(0)
XY = RNG.normal(size=(40, 2))
LABELS = RNG.integers(0, 3, 40).astype(np.uint8)
SUFFIXES = list(EXPORTS)
SOUND = {s: encode(XY, LABELS, ("one", "two", "three, four"), ("u", "v"), Path(f"drawing{s}")) for s in SUFFIXES}


def attempt(data: bytes, name: str) -> bool:
    """Read and convert; return True for valid points, False for one sentence."""
    return not refusal(data, name)


def refusal(data: bytes, name: str) -> str:
    """Read and convert; return the sentence of a refusal, "" for valid points."""
    try:
        table = decode(data, name, Path(name).suffix)
        for column in table.columns:
            assert len(column.values) == len(table.lines) == len(table) > 0
            assert all(np.isfinite(value) == (column.word(row) is None) for row, value in enumerate(column.values))
            assert column.cell(0) is not None
        found = convert(table, default_choice(table))
    except FileError as error:
        shown = str(error)
        assert shown.startswith(name) and shown.endswith(".") and "\n" not in shown and len(shown) < 400, shown
        return shown
    assert found.xy.shape == (len(table), 2) and found.labels.shape == (len(table),)
    assert np.abs(found.xy).max() <= LIMIT and found.labels.max() < MAX_CLASSES
    assert len(found.class_names) > found.labels.max() and found.summary.endswith(".")
    return ""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_sound_file_is_sound(suffix: str) -> None:
    """What a row of EXPORTS writes, an import reads; else the row needs an import, or is no export of points."""
    assert refusal(SOUND[suffix], f"drawing{suffix}") == "", "each export of EXPORTS must be readable by an import"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_truncated(suffix: str) -> None:
    data = SOUND[suffix]
    for end in range(0, len(data), 7):
        sound = attempt(data[:end], f"drawing{suffix}")
        assert not (sound and suffix == ".npz")


def flip_bits(suffix: str, times: int) -> None:
    rng = random.Random(times)
    for _ in range(times):
        damaged = bytearray(SOUND[suffix])
        for _ in range(rng.choice([1, 1, 4, 40])):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        attempt(bytes(damaged), f"drawing{suffix}")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_flipped_bits(suffix: str) -> None:
    flip_bits(suffix, 400)


@pytest.mark.soak
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_flipped_bits_many_times(suffix: str) -> None:
    flip_bits(suffix, 20_000)


@given(st.binary(max_size=300), st.sampled_from([*SUFFIXES, ".txt", ""]))
@examples(500)
def test_noise(data: bytes, suffix: str) -> None:
    attempt(data, f"drawing{suffix}")


@given(st.text(alphabet='0123456789.,;|\t "\n\r#-+enaif:_x', max_size=120), st.sampled_from([".csv", ".txt", ".svm"]))
@examples(1500)
def test_noise_that_looks_like_a_table(text: str, suffix: str) -> None:
    attempt(text.encode(), f"drawing{suffix}")


@given(
    st.text(alphabet='01.,;"\n', max_size=60),
    st.builds(Dialect, st.sampled_from(",;\t| "), st.sampled_from(".,"), st.booleans()),
)
@examples(500)
def test_any_choice_on_any_text(text: str, spec: Dialect) -> None:
    try:
        table = read_text(text, dialect=spec)
    except FileError as error:
        assert str(error).startswith("The clipboard") and str(error).endswith(".")
    else:
        assert table.dialect == spec


@pytest.mark.slow
def test_twenty_megabytes_of_noise_end_soon() -> None:
    noise = np.random.default_rng(3).integers(1, 128, 20_000_000, dtype=np.uint8).tobytes()
    for suffix in (".csv", ".txt", ".svm", ".npz"):
        assert not attempt(noise, f"noise{suffix}")


@pytest.mark.parametrize(
    "text",
    ["1" * 150_000 + "x", "1:" * 70_000, " " * 150_000 + "x", "1." * 70_000, '"' * 131_000],
    ids=["digits", "colons", "blanks", "points", "quotes"],
)
def test_no_pattern_takes_for_ever(text: str) -> None:
    for suffix in (".csv", ".txt", ".svm"):
        attempt(f"1,2\n{text}\n{text},3\n".encode(), f"drawing{suffix}")
        attempt(f"1 1:{text}\n".encode(), f"drawing{suffix}")


# -- NumPy archives ------------------------------------------------------------------------------------------------


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


X = np.array([[1.0, 2.0, 9.0], [3.0, 4.0, 9.0], [5.0, 6.0, 9.0]])


@pytest.mark.parametrize(
    "arrays",
    [
        {"X": X, "y": [0, 1, 0]},
        {"xy": X, "labels": [0, 1, 0]},
        {"data": X, "target": [0, 1, 0]},
        {"data": X, "target": [0, 1, 0], "other": X, "more": [1, 2, 3]},
        {"points": X, "kind": [0, 1, 0], "short": [1, 2]},
        {"X": X.astype(np.float32), "y": np.array([[0], [1], [0]])},
        {"X": np.asfortranarray(X.astype(">i4")), "y": np.array([False, True, False])},
        {"X": X.astype(np.float16), "y": np.array(["0", "1", "0"])},
        {"X": X.astype(np.longdouble), "y": np.array([b"0", b"1", b"0"])},
    ],
)
def test_arrays_by_their_names(arrays: dict[str, Any]) -> None:
    table = read_archive(npz(**arrays), "a.npz")
    found = convert(table, default_choice(table))
    assert found.xy.tolist() == [[1, 2], [3, 4], [5, 6]] and found.axes == ("x1", "x2")
    assert found.labels.tolist() == [0, 1, 0] and found.class_names == ("0", "1")


def test_arrays_with_names() -> None:
    names = {"target_names": ["b", "a", "unused"], "feature_names": ["u", "v", "w"]}
    table = read_archive(npz(X=X, y=[1, 0, 1], **names), "a.npz")
    found = convert(table, default_choice(table))
    assert found.labels.tolist() == [1, 0, 1] and found.class_names == ("b", "a", "unused") and found.axes == ("u", "v")
    assert [table.columns[3].cell(row) for row in range(3)] == ["a", "b", "a"]
    with pytest.raises(FileError, match="holds names, not numbers"):
        convert(table, Choice(0, 3))
    many = read_archive(npz(X=X, y=[9, 0, 9], class_names=[f"c{k}" for k in range(10)]), "a.npz")
    assert convert(many, default_choice(many)).class_names == ("c0", "c9")
    outside = read_archive(npz(X=X, y=[3, 0, 3], class_names=["p", "q"]), "a.npz")
    assert convert(outside, default_choice(outside)).class_names == ("0", "3")


def test_arrays_without_classes() -> None:
    table = read_archive(npz(anything=X[:, :2]), "a.npz")
    assert replace(default_choice(table), why="") == Choice(0, 1) and len(convert(table, Choice(0, 1)).xy) == 3


def bomb() -> bytes:
    """Return half a megabyte that unpacks to 500 MB."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("X.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (31_250_000, 2)})
        for _ in range(500):
            member.write(bytes(1_000_000))
    return file.getvalue()


def lying(header: str, body: bytes = b"", version: int = 1) -> bytes:
    """Return an array whose header is wrong."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        text = header.encode() + b"\n"
        archive.writestr("X.npy", b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2, "little") + text + body)
    return file.getvalue()


def shape_of(text: str, kind: str = "'<f8'") -> str:
    return f"{{'descr': {kind}, 'fortran_order': False, 'shape': {text}}}"


class Trap:
    """An object that fails the test if it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("it was unpickled",)


BAD: dict[str, tuple[bytes, str]] = {
    "no zip": (b"1,2\n3,4\n", "not a sound .npz or .npy file"),
    "a pickle": (pickle.dumps(X), "not a sound .npz or .npy file"),
    "a single array": (SOUND[".npz"][:4] + b"x" * 100, "not a sound .npz or .npy file"),
    "objects": (npz(X=np.array([[Trap(), 1], [2, 3]], dtype=object)), "Python objects"),
    "classes that are objects": (npz(X=X, y=np.array([Trap(), 1, 2], dtype=object)), "Python objects"),
    "a bomb": (bomb(), "unpacks to more than 200 MB"),
    "a shape beyond the file": (lying(shape_of("(10**9, 2)".replace("10**9", "1000000000"))), "not as long as it says"),
    "a shape beyond all": (lying(shape_of("(99999999999999999999, 2)")), "not as long as it says"),
    "a negative shape": (lying(shape_of("(-1, -2)"), bytes(16)), "not as long as it says"),
    "no shape": (lying("{'descr': '<f8'}"), "no sound header"),
    "no header": (lying("hello"), "no sound header"),
    "a deep header": (lying("(" * 5000), "no sound header"),
    "a later version": (lying(shape_of("(1, 2)"), bytes(16), 9), "no sound header"),
    "nothing two-dimensional": (npz(a=[1.0, 2.0]), "no two-dimensional arrays"),
    "two of them": (npz(a=X, b=X), "2 two-dimensional arrays"),
    "one column": (npz(X=X[:, :1]), "has the shape (3, 1)"),
    "a list": (npz(X=[1.0, 2.0]), "has the shape (2,)"),
    "three dimensions": (npz(X=np.zeros((2, 2, 2))), "has the shape (2, 2, 2)"),
    "no rows": (npz(X=np.zeros((0, 2))), "no rows"),
    "complex": (npz(X=X * 1j), "holds no numbers"),
    "words for numbers": (npz(X=X.astype(str)), "holds no numbers"),
    "records": (npz(X=np.zeros((2, 2), dtype=[("a", float)])), "holds no numbers"),
    "dates for classes": (npz(X=X, y=np.zeros(3, dtype="M8[s]")), "neither numbers nor words"),
    "other lengths": (npz(X=X, y=[0, 1]), "has the shape (2,), not (3,)"),
    "NaN": (npz(X=np.where(X == 4, np.nan, X)), "row 2: 'nan' in column 'x2' is not a finite number"),
    "infinite": (npz(X=np.where(X == 3, -np.inf, X)), "row 2: '-inf' in column 'x1' is not a finite number"),
    "beyond a double": (npz(X=X.astype(np.longdouble) * np.longdouble("1e4000")), "is not a finite number"),
    "no class": (npz(X=X, y=[0.0, np.nan, 1.0]), "row 2: column 'class' has no class"),
    "a long list": (npz(**{f"a{k}": [1] for k in range(1001)}), "more than 1000 arrays"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_archives_are_one_sentence(case: str) -> None:
    data, reason = BAD[case]
    with pytest.raises(FileError) as caught:
        table = decode(data, "arrays.npz", ".npz")
        convert(table, default_choice(table))
    shown = str(caught.value)
    assert reason in shown and shown.startswith("arrays.npz") and shown.endswith(".") and "\n" not in shown
    assert not attempt(data, "arrays.npz")


def test_an_array_is_measured_before_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_BYTES", 1000)
    data = npz(X=np.zeros((1000, 2)))
    monkeypatch.setattr(np.lib.format, "read_array", lambda *args, **named: pytest.fail("it was loaded"))
    with pytest.raises(FileError, match="unpacks to more"):
        read_archive(data, "a.npz")
