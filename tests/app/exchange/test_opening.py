"""The kind of a file, and what is read of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.exchange import share_text
from app.exchange.opening import Contents, Kind, kind_of, read
from app.files import documents
from app.files.documents import FileError, Fingerprint
from app.state.document import default_document
from tests.app.files.test_files import content

DOCUMENT = documents.encode(default_document())
TEXT = share_text.encode(default_document())


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("x.playground", DOCUMENT, Kind.DOCUMENT),
        ("X.PLAYGROUND", b"{", Kind.DOCUMENT),
        ("x.playground", TEXT.encode(), Kind.SHARE_TEXT),
        ("mail.txt", b"\xef\xbb\xbf \n" + TEXT.encode(), Kind.SHARE_TEXT),
        ("mail", TEXT[:30].encode(), Kind.SHARE_TEXT),
        ("x.recovery", b"{}\n" + DOCUMENT, Kind.RECOVERY_COPY),
        ("x-2.unreadable", b"", Kind.RECOVERY_COPY),
        ("My.Lesson.MD", b"", Kind.LESSON),
        ("points.csv", b"1,2\n3,4\n", Kind.OTHER),
        ("x.json", DOCUMENT, Kind.OTHER),
        ("x.md", b"# title", Kind.OTHER),
        ("", b"", Kind.OTHER),
    ],
)
def test_the_kind_of_a_file(name: str, data: bytes, kind: Kind, tmp_path: Path) -> None:
    path = tmp_path / name
    if name:
        path.write_bytes(data)
    assert kind_of(path) is kind


def test_what_cannot_be_read_has_the_kind_of_its_name(tmp_path: Path) -> None:
    assert kind_of(tmp_path / "no.playground") is Kind.DOCUMENT
    assert kind_of(tmp_path / "no.csv") is kind_of(Path("half\ud800")) is kind_of(Path("\0")) is Kind.OTHER
    assert kind_of(Path(TEXT)) is Kind.SHARE_TEXT, "as on the command line"


def test_only_a_document_has_a_file(tmp_path: Path) -> None:
    names = {"x.playground": DOCUMENT, "x.json": DOCUMENT, "x.txt": TEXT.encode(), "x.recovery": b"{}\n" + DOCUMENT}
    came: dict[str, Contents] = {}
    for name, data in names.items():
        (tmp_path / name).write_bytes(data)
        came[name] = read(tmp_path / name)
    for name in ("x.playground", "x.json"):
        assert (came[name].kind, came[name].path) == (Kind.DOCUMENT, tmp_path / name)
        assert came[name].on_disk == Fingerprint.of(DOCUMENT)
        assert content(came[name].document) == content(default_document())
    for name in ("x.txt", "x.recovery"):
        assert (came[name].path, came[name].on_disk) == (None, None)
    assert content(came["x.txt"].document) == content(read(Path(TEXT)).document)
    with pytest.raises(FileError, match=r"^x\.json is larger than"):
        read(tmp_path / "x.json", most=100)
