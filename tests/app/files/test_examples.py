"""The examples of the gallery: documents with thumbnails, reproduced exactly by their maker."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from app.controllers.controller import Controller
from app.features.lessons.view_gallery import PICTURE
from app.files import assets, documents, examples
from app.files.examples import EXAMPLES, Example
from app.main import render
from app.state.document import default_document
from app.state.session import Session
from app.state.store import Store
from tests import playground_files
from tests.covering import first_of
from tests.make_examples import FOLDER, LARGEST, made


def controller() -> Controller:
    return Controller(Store(default_document()), Session(), lambda: None, lambda text: None, lambda text: None)


def test_there_are_fifteen_and_no_file_too_many() -> None:
    assert len(EXAMPLES) == len({each.name for each in EXAMPLES}) == len({each.title for each in EXAMPLES}) == 15
    wanted = {f"{each.name}{suffix}" for each in EXAMPLES for suffix in (".png", "-dark.png", documents.SUFFIX)}
    assert {path.name for path in FOLDER.iterdir()} == wanted
    for each in EXAMPLES:
        assert each.sentence.endswith(".") and len(each.sentence) <= 115, each.sentence


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.name)
def test_the_documents_are_those_of_the_maker(example: Example) -> None:
    file = FOLDER / f"{example.name}{documents.SUFFIX}"
    assert file.read_bytes() == documents.encode(made(example)), "python -m tests.make_examples"
    assert examples.read(example).notes == example.sentence


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.name)
def test_thumbnails_are_small_and_show_something(example: Example, dark: bool) -> None:
    data = examples.thumbnail(example, dark)
    image = QImage.fromData(data)
    assert (image.width(), image.height()) == PICTURE and len(data) <= LARGEST
    pixels = image.convertToFormat(QImage.Format.Format_RGB32)
    shown = np.frombuffer(pixels.constBits(), np.uint8).reshape(PICTURE[1], PICTURE[0], 4)[..., :3]
    assert shown.std() > 20 and (shown.mean() < 128) == dark


@pytest.mark.parametrize("example", first_of(EXAMPLES, 4), ids=lambda each: each.name)
def test_each_can_be_drawn_without_a_window(qapp: object, tmp_path: Path, example: Example) -> None:
    document = playground_files.read(FOLDER / f"{example.name}{documents.SUFFIX}")
    report = render(document, tmp_path / "out.png", (1024, 768), "light")
    assert (tmp_path / "out.png").stat().st_size > 10_000
    assert report.startswith(f"{len(document.points)} points in 2 classes")


def test_starting_over_is_one_step_back_and_forth() -> None:
    user = controller()
    example = examples.BY_NAME["margin"]
    user.examples.open(example)
    first = user.document
    assert user.store.path is None and not user.store.modified
    user.set_lane(0, "svm", C=3.0, hard_margin=False)
    user.clear()
    before = user.session.restarts
    user.examples.start_over()
    assert all(now > then for now, then in zip(user.session.restarts, before, strict=True)), "every run from zero"
    assert user.document.points.xy.tolist() == first.points.xy.tolist() and user.document.lanes == first.lanes
    assert not user.store.modified and user.examples.present is example
    user.undo()
    assert len(user.document.points) == 0 and user.store.history[-1] == "Start “The widest margin” over"


def test_another_document_is_no_example() -> None:
    user = controller()
    user.examples.open(examples.BY_NAME["step"])
    assert user.session.playing == (False,) * 4
    user.examples.open(examples.BY_NAME["circle"])
    assert user.session.playing == (True,) * 4
    user.new()
    before = user.document
    user.examples.start_over()
    assert user.examples.present is None and user.document is before


def test_one_that_cannot_be_read_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(assets, "assets", lambda name: tmp_path / name)
    with pytest.raises(documents.FileError, match=r"^margin.playground cannot be read: "):
        examples.read(examples.BY_NAME["margin"])
    assert examples.thumbnail(examples.BY_NAME["margin"]) == b""
