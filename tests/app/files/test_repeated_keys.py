"""A key that occurs twice in a document is refused, at any depth; a decoder would silently take the last."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.points import Points
from app.files import documents, file_format
from app.files.documents import FileError
from app.state.document import Document
from tests import playground_files
from tests.counting import calls_of

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*3.playground"))
#: Keys as JSON may write them; the last two are "x" and "a:" again.
KEYS = st.sampled_from(["x", "y", "", "a:", '{"x":1}', "\\", '"', "é", "x", "a:"])
#: JSON as text, in which objects may hold a key twice.
VALUES = st.recursive(
    st.sampled_from(["1", "-2.5e3", "null", "true", '"x"', '"}"', '"\\u0078"', r'"\\"', r'"\":{"', "[]", "{}"]),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda each: f"[{', '.join(each)}]")
        | st.lists(
            st.tuples(KEYS, st.booleans(), inner, st.sampled_from([":", " : ", "\n:" + " " * 30])), max_size=4
        ).map(
            lambda pairs: "{" + ",".join(_key(key, ascii) + colon + value for key, ascii, value, colon in pairs) + "}"
        )
    ),
    max_leaves=12,
)


def _key(key: str, escaped: bool) -> str:
    return '"' + "".join(f"\\u{ord(sign):04x}" for sign in key) + '"' if escaped else json.dumps(key)


def repeated(data: str) -> set[str]:
    """Return, as a reference, the keys that Python's own reader finds twice in one object."""
    found: set[str] = set()

    def look(pairs: list[tuple[str, Any]]) -> None:
        keys = [key for key, _ in pairs]
        found.update(key for key in keys if keys.count(key) > 1)

    json.loads(data, object_pairs_hook=look)
    return found


repeated_key = file_format._repeated_key


@given(VALUES)
@example('{"a": {"x": 1}, "b": {"x": 1}, "x": [{"x": 1}, {"x": 1}]}')
@example('{"x": [{"y": 1}], "\\u0078": 2}')
def test_as_pythons_reader_finds_them(data: str) -> None:
    expected = repeated(data)
    shown = repeated_key(data.encode())
    assert shown in expected if expected else shown is None


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_every_key_of_every_version(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not repeated(text) and playground_files.read(path)
    for colon in re.finditer(r'"(\w+)": ?', text):
        again = f"{text[: colon.start()]}{colon[0]}null, {text[colon.start() :]}"
        try:
            assert repeated(again) == {colon[1]}
        except json.JSONDecodeError:  # the key was inside a text
            continue
        # The decoder checks both, so null is refused, too; the value itself is not.
        value = json.JSONDecoder().raw_decode(text, colon.end())[1]
        twice = f"{text[: colon.start()]}{text[colon.start() : value]}, {text[colon.start() :]}"
        with pytest.raises(FileError) as caught:
            documents.decode(twice.encode(), "drawing.playground")
        assert str(caught.value) == f"drawing.playground holds the key {colon[1]!r} twice in one place."


def test_keys_of_a_large_document_are_found_without_a_loop_over_its_numbers() -> None:
    rng = np.random.default_rng(0)
    data = documents.encode(Document(Points.of(rng.normal(size=(200_000, 2)), rng.integers(0, 8, 200_000))))
    assert calls_of(lambda: repeated_key(data)) < 10_000
