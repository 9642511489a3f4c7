"""Damaged files of studies, their results, answers and challenges: each is read, or refused in one plain sentence."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from app.core.plain_text import plain
from app.core.points import Points
from app.exchange.opening import LESSON_PREFIX
from app.exchange.packed_text import packed
from app.features.answers.hand_in import collected, encode, sources_in
from app.features.challenges.making import Challenge, markdown
from app.features.lessons.reading import read_text
from app.features.lessons.starting import start_of
from app.features.study import reading, results
from app.features.study.model import Study, StudyAxis
from app.features.study.results import StudyResults
from app.features.table import FEATURES
from app.files.documents import FileError
from app.state.document import Document, GeneratorSettings, Lane, View
from tests.app.features.answers.classes import SMALL, as_text, hand_in
from tests.app.features.study.studies import GRID, KNN, computed

TINY = Study(
    "efficiency",
    (StudyAxis("n", (5, 10)), StudyAxis("k", (1, 5))),
    ("accuracy",),
    Lane("knn"),
    GeneratorSettings("line", 5, 0.0),
    draws=2,
    test=10,
)

#: What is put in place of a value: other types, huge and impossible numbers, other characters, deep nesting.
OTHERS = [
    *(b"true null [] {} {} \"x\" 'x' -1 0 1.5 nan inf -inf 1e400 1e-400 -0.0 0x7f 1979-05-27 12:00".split()),
    b"9" * 20,
    b"9" * 99,
    b"9" * 5000,
    b"0x" + b"f" * 5000,
    b"1e308",
    b"[" * 3000,
    b"{" * 3000,
    b"[" * 3000 + b"]" * 3000,
    b'{"a":' * 3000,
    b"a.b" * 500 + b" = 1",
    "\N{RIGHT-TO-LEFT OVERRIDE}\N{BELL}\N{LINE SEPARATOR}é".encode(),
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\r",
    b"x" * 3000,
]
SIGNS = b"[]{}\"',:=.-#\n\\ "


def damaged(sound: bytes, rng: random.Random) -> bytes:
    """Return `sound` with one to four changes."""
    data = bytearray(sound)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        start = rng.randrange(len(data) + 1)
        end = min(start + rng.choice([1, 3, 10, 100]), len(data))
        words = [*_words(data)] or [(start, end)]
        word, other = slice(*rng.choice(words)), slice(*rng.choice(words))
        lines = bytes(data).splitlines(keepends=True) or [b""]
        kind = rng.choice([*range(8), *[8] * 4])
        if kind == 0:
            data[start:end] = bytes(byte ^ 1 << rng.randrange(8) for byte in data[start:end])
        elif kind == 1:
            del data[start:]
        elif kind == 2:
            del data[start:end]
        elif kind == 3:
            data[start:start] = data[start:end] * rng.choice([1, 2, 50])
        elif kind == 4:  # repeated keys
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
            data[:] = b"".join(lines)
        elif kind == 5:
            data[start:start] = bytes(rng.choice(SIGNS) for _ in range(rng.choice([1, 2])))
        elif kind == 6:
            data[word] = data[other]
        elif kind == 7:
            rng.shuffle(lines)
            data[:] = b"".join(lines)
        else:
            data[word] = rng.choice(OTHERS)
    return bytes(data)


def _words(data: bytearray) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each value or name."""
    start = 0
    for end, byte in enumerate([*data, 0]):
        if byte in SIGNS + b"\0":
            if end > start:
                yield start, end
            start = end + 1


def check_sentence(sentence: object) -> None:
    text = str(sentence)
    assert text.endswith(".") and "\n" not in text and len(text) < 500 and plain(text) == text, text


def no_document(path: Path) -> Document:
    raise FileError(f"{plain(str(path))} is not there.")


def try_study(data: bytes, folder: Path) -> None:
    path = folder / "study.toml"
    path.write_bytes(data)
    try:
        study, given = reading.read(path, no_document)
    except reading.StudyError as error:
        assert error.faults
        for fault in error.faults:
            check_sentence(fault)
        raise
    assert given is None
    if study.generator is not None:
        text = reading.written(study, "A study.")
        assert reading.examined(text, folder, no_document) == (study, None, []), "what is read can be written"


def try_results(data: bytes, folder: Path, expected: Study | None = None) -> None:
    (folder / "part-a.jsonl").write_bytes(data)
    found = results.read(folder, expected)
    n_cells = len(list(found.records()))
    assert n_cells == found.done and len(found.table().splitlines()) >= 1
    for name in found.study.values:
        values = found.means(name).mean
        assert values.shape == found.study.shape and not np.isinf(values).any()
    if found.damaged:
        check_sentence(found.damage)


def try_kept_results(data: bytes, folder: Path) -> None:
    found = StudyResults.decode(data)
    assert len(list(found.records())) == found.done
    assert StudyResults.decode(found.encode()).table() == found.table()


def try_answers(text: bytes, folder: Path) -> None:
    found = collected(SMALL, sources_in(text.decode("utf-8", "replace"), "class.txt"))
    for sentence in found.left_out:
        check_sentence(sentence)
    for each in found.hand_ins:
        encode(each)
    if not found.hand_ins:
        raise FileError(found.left_out[0])


def try_challenge(text: bytes, folder: Path) -> None:
    lesson = read_text(FEATURES, text.decode("utf-8", "replace"))
    for index in range(len(lesson.steps)):
        start_of(lesson, index)


def challenge() -> bytes:
    rng = np.random.default_rng(3)
    xy = np.concatenate((rng.normal((-1, 0), 0.5, (20, 2)), rng.normal((1, 0), 0.5, (20, 2))))
    points = Points.of(xy, np.repeat([0, 1], 20))
    made = Document(points, (Lane("knn"), Lane("svm")), 2, view=View.fitting(points))
    return markdown(made, Challenge("settings", 1, ("C", "gamma"))).encode()


def study_file(study: Study) -> bytes:
    """Return the file of a study without its comments, whose damage is none."""
    lines = reading.written(study, "A study.").splitlines()
    return "\n".join(line for line in lines if not line.startswith("#")).encode()


def results_file(checksums: bool) -> bytes:
    lines = [{"manifest": results.manifest(TINY)}, *map(msgspec.to_builtins, computed(TINY))]
    seed = results._seed(results.manifest(TINY))
    if checksums:
        return b"".join(results._line(line, seed if n else 0) for n, line in enumerate(lines))
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def kept_results() -> bytes:
    found = StudyResults(TINY)
    for record in computed(TINY):
        found.add(record)
    return found.encode()


#: For each kind of file: sound content, and how damaged content becomes a file that is read.
Try = Callable[[bytes, Path], None]
FILES: dict[str, tuple[Callable[[], bytes], Try]] = {
    "study": (lambda: study_file(GRID), try_study),
    "another study": (lambda: study_file(KNN), try_study),
    "results": (lambda: results_file(True), try_results),
    "results without checksums": (lambda: results_file(False), try_results),
    "results of a known study": (lambda: results_file(False), lambda data, to: try_results(data, to, TINY)),
    "results in a document": (kept_results, try_kept_results),
    "answers": (lambda: "\n".join(encode(hand_in(seed)) for seed in range(3)).encode(), try_answers),
    "answers within": (
        lambda: msgspec.json.encode(hand_in(1)),
        lambda data, to: try_answers(as_text(data).encode(), to),
    ),
    "challenge": (lambda: f"{LESSON_PREFIX}{packed(challenge())}".encode(), try_challenge),
    "challenge within": (challenge, lambda data, to: try_challenge(f"{LESSON_PREFIX}{packed(data)}".encode(), to)),
}


def check_kind(name: str, number: int, folder: Path) -> tuple[int, int]:
    """Try `number` damaged files; return how many were read and how many refused."""
    make, attempt = FILES[name]
    sound, rng, n_refused = make(), random.Random(number), 0
    attempt(sound, folder)
    for at in range(number):
        data = damaged(sound, rng)
        try:
            attempt(data, folder)
        except FileError as error:
            check_sentence(error)
            n_refused += 1
        except BaseException:
            (folder / "found.bin").write_bytes(data)
            print(f"{name}, case {at}: {data[:2000]!r}")
            raise
    return number - n_refused, n_refused


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    check_kind(name, 100, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("name", FILES)
def test_many_damaged_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    check_kind(name, 2_000, tmp_path)
