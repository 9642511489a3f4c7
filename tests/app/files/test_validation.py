"""Damaged content of every kind is refused in plain sentences, without the words of the library that reads it."""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import app
from app import arrays
from app.core.validation import reason_of
from app.exchange import share_text
from app.features.study import reading
from app.features.study.model import Study, StudyAxis
from app.features.study.results import StudyResults
from app.files import documents
from app.files.documents import FileError
from app.state.document import GeneratorSettings, Lane, default_document
from app.state.edit_struct import changed_struct

JARGON = re.compile(
    r"[$`]|\b(?:int|float|str|bool|null|array|object|enum|regex|codec|JSON|Struct|Error|MessagePack|Expected)\b"
)
#: Values of wrong types, out of range, unknown or too long, to be put in place of each value of a file.
WRONG: tuple[Any, ...] = (
    None,
    True,
    "x",
    "",
    "x" * 200_000,
    -1,
    0,
    10**30,
    2.5,
    -1e300,
    [],
    [1],
    [1, 2, 3],
    {},
    {"x": 1},
)


def walk(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values; of a list the first two."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from walk(inner, (*path, key))


def damaged(whole: Any) -> Iterator[bytes]:
    """Yield the content cut, not text, too deep, and with each value replaced or missing, or another beside it."""
    text = json.dumps(whole)
    yield from (text.encode()[:cut] for cut in (0, 1, len(text) // 2, len(text) - 1))
    yield from (b"\xff", b"nan", b"[" * 100_000, text.encode() + b"x", text.replace('"', '"\xff', 1).encode("latin-1"))
    for path in walk(whole):
        for wrong in (*WRONG, "1e999"):
            yield json.dumps(changed(whole, path, wrong)).replace('"1e999"', "1e999").encode()
        if path and isinstance(path[-1], str):
            yield json.dumps(changed(whole, path, ...)).encode()
            yield json.dumps(changed(whole, (*path[:-1], "strange"), 1)).encode()


def changed(whole: Any, path: tuple[Any, ...], wrong: Any) -> Any:
    if not path:
        return wrong
    result = copy.deepcopy(whole)
    inner = result
    for key in path[:-1]:
        inner = inner[key]
    if wrong is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = wrong
    return result


def plain(sentence: str) -> str:
    assert not (found := JARGON.search(sentence)), (found, sentence)
    assert sentence.endswith(".") and len(sentence) <= 360, sentence
    return sentence


def rich() -> dict[str, Any]:
    """Return a document with optional parts, and few points."""
    file: dict[str, Any] = json.loads(documents.encode(default_document()))
    file["points"] = {"x": [0.5, 1.5, 2.5], "y": [1.0, 2.0, 3.0], "class": [1, 2, 3], "ids": [[0, 3]]}
    file["lanes"] = [{**file["lanes"][0], "others": [["forest", {}]]}]
    file |= {"origin": file["generator"], "units": [1.0, 2.0], "attached": {"strange": {"x": 1}}, "shown": 1}
    return file


@pytest.mark.slow
def test_damaged_documents_are_refused_in_plain_sentences() -> None:
    refused = set()
    for data in damaged(rich()):
        try:
            documents.decode(data, "mine.playground")
        except FileError as error:
            refused.add(plain(str(error)))
    assert len(refused) > 300


SENTENCES = {
    '"classifier-playground"|"classifier-playground","format":"other"': "mine.playground is not a .playground file",
    '{"format"|{"format":"other","format"': "mine.playground holds the key 'format' twice in one place.",
    '"shown":1|"shown":"two"': "mine.playground cannot be used: shown: a whole number is expected, not text.",
    '"shown":1|"shown":7': "mine.playground cannot be used: shown: a whole number, at most 4, is expected.",
    '"kind":"none"|"kind":"new"': "cannot be used: split, kind: “new” is not one of the possible values.",
    '"shown":1|"shown":1,"strange":1': "mine.playground has “strange”, which this program does not know: a newer one",
    '"version":3|"version":"3"': "a .playground file (version: a whole number is expected, not text).",
    '"version":3,|': "mine.playground is damaged, or not a .playground file (“version” is missing).",
}


@pytest.mark.parametrize("change", SENTENCES)
def test_sentences_say_what_and_where(change: str) -> None:
    before, after = change.split("|")
    whole = json.dumps(rich(), separators=(",", ":"))
    assert before in whole
    with pytest.raises(FileError) as caught:
        documents.decode(whole.replace(before, after, 1).encode(), "mine.playground")
    assert SENTENCES[change] in plain(str(caught.value))


def test_a_name_that_is_too_long_and_settings_of_other_learners_are_located() -> None:
    file = rich()
    file["styles"][1]["name"] = "x" * 41
    with pytest.raises(FileError, match=r": styles, entry 2, name: text of at most 40 characters is expected\.$"):
        documents.decode(json.dumps(file).encode())
    file = rich()
    file["lanes"][0]["others"] = [["forest", {"n_estimators": "many"}]]
    with pytest.raises(FileError, match=r": forest, n_estimators: a whole number is expected, not text\.$"):
        documents.decode(json.dumps(file).encode())
    file["lanes"][0]["others"] = [["forest", {"strange": 1}]]
    with pytest.raises(documents.UnreadError, match=r"has “strange” \(in forest\), which this program does not know"):
        documents.decode(json.dumps(file).encode())


@pytest.mark.slow
def test_damaged_share_texts_and_studies_in_documents_are_refused_in_plain_sentences() -> None:
    study = Study(axes=(StudyAxis("C", (1.0, 10.0)), StudyAxis("gamma", (1.0, 2.0))), generator=GeneratorSettings())
    for data in damaged(json.loads(StudyResults(study).encode())):
        try:
            StudyResults.decode(data)
        except FileError as error:
            plain(str(error))
    text = share_text.encode(default_document())
    for cut in range(0, len(text), 7):
        for wrong in (text[:cut], text[:cut] + "A" + text[cut + 1 :]):
            try:
                share_text.decode(wrong)
            except FileError as error:
                plain(str(error))


def test_settings_and_study_files_are_refused_in_plain_sentences() -> None:
    for value in WRONG:
        for field in ("C", "kernel", "degree", "class_weight"):
            for change in (
                lambda field=field, value=value: arrays._lane({"classifier": "svm", field: value}),
                lambda field=field, value=value: changed_struct(Lane().svm, {"C": value} if field == "C" else {}),
            ):
                try:
                    change()
                except ValueError as error:
                    assert not JARGON.search(str(error)), error
        for name in ("folds", "kind", "repetitions", "values"):
            text = f"{name} = {'inf' if value is None else json.dumps(value)}\n[axes]\nC = [1]\n"
            for fault in reading.examined(text, Path(), lambda path: default_document())[2]:
                assert "This is not TOML" in str(fault) or not JARGON.search(str(fault)), fault


def test_every_place_that_words_an_error_of_the_reader_translates_it() -> None:
    """An error of msgspec that is caught by name is not put into a sentence as it is."""
    found = []
    for file in Path(app.__path__[0]).rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if "msgspec." in source else ():
            if isinstance(node, ast.ExceptHandler) and node.name and "msgspec." in ast.unparse(node.type or node):
                body = "\n".join(map(ast.unparse, node.body))
                bare = re.findall(rf"\{{{node.name}\}}|str\({node.name}\)(?!\.startswith)", body)
                again = re.search(r"raise (msgspec\.ValidationError|type\(error\))\(", body)  # to who translates it
                if bare and not again:
                    found.append(f"{file}:{node.lineno}")
    assert not found


def test_the_words_of_each_message() -> None:
    kinds: Any = msgspec.defstruct("kinds", [("a", int | None), ("b", list[bytes])])
    for data, words in (
        ('{"a": "x", "b": []}', "a: a whole number or nothing is expected, not text"),
        ('{"a": 1, "b": ["?"]}', "b, entry 1: text in base 64 is expected"),
        ('{"a": 1.5, "b": []}', "a: a whole number or nothing is expected"),
        ('{"b": []}', "“a” is missing"),
        ('{"a" 1}', "byte 5 fits nowhere"),
        ('{"a": 1', "its end is missing"),
    ):
        with pytest.raises(msgspec.DecodeError) as caught:
            msgspec.json.decode(data, type=kinds)
        assert reason_of(caught.value) == words
