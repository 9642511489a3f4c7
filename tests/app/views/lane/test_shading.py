"""The values that a picture shades, f or the probability: chosen in the form, undone, kept in files and share texts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from app.exchange import share_text
from app.state.document import Document, GeneratorSettings, Lane, default_document
from tests import playground_files
from tests.app.views.lane.test_forms import choose, find
from tests.windows import Make, open_settings, settle


def moons(n_classes: int = 2) -> Document:
    name = "moons" if n_classes == 2 else "blobs"
    points = GeneratorSettings(name=name, count=30, noise=0.4, n_classes=n_classes).points()
    return replace(default_document(), points=points, lanes=(Lane("svm"), Lane("knn")), shown=2)


def test_the_probability_is_chosen_shown_and_undone(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    open_settings(window, 0)
    settle(qtbot, window)
    combo = find(window, "lane0.shading")
    assert combo.isVisible() and combo.currentText() == "Value of f"
    open_settings(window, 1)
    assert find(window, "lane1.shading").currentText() == "Probability", "the shade of kNN is its share of votes"
    before = window.result(0)
    choose(window, "lane0.shading", "probability")
    settle(qtbot, window)
    after = window.result(0)
    assert after.probability is not None and after.full
    assert not np.array_equal(before.picture.argb, after.picture.argb)
    assert "probability" in window.scene.legend_kinds and "margin" not in window.scene.legend_kinds
    assert any("50 % at f" in status.text for status in window.scene.lanes[0].scores)
    assert window.controller.store.undo_name == "Shade the probability"
    window.named_actions["undo"].trigger()
    settle(qtbot, window)
    open_settings(window, 0)
    assert window.document.lanes[0].shading is UNSET and combo.currentText() == "Value of f"
    assert np.array_equal(window.result(0).picture.argb, before.picture.argb)


def test_votes_and_a_difference(make: Make, qtbot: QtBot) -> None:
    window = make(moons(3))
    open_settings(window, 1)
    choose(window, "lane1.shading", "probability")
    settle(qtbot, window)
    assert window.result(1).shows_probability and len(window.result(1).picture.margins)
    assert "probability" in window.scene.legend_kinds
    assert window.controller.store.undo_name == "Show lines of probability"
    choose(window, "lane1.classifier", "difference")
    settle(qtbot, window)
    assert not find(window, "lane1.shading").isVisible() and "probability" not in window.scene.legend_kinds


def test_files_and_share_texts_keep_it_and_those_of_f_are_as_before(tmp_path: Path) -> None:
    plain = moons()
    shaded = replace(plain, lanes=(Lane("svm", shading="probability"), *plain.lanes[1:]))
    path = tmp_path / "a.playground"
    for document, shading in ((plain, UNSET), (shaded, "probability")):
        playground_files.write(document, path)
        assert ("shading" in json.dumps(json.loads(path.read_bytes()))) == (shading == "probability")
        assert playground_files.read(path).lanes[0].shading == shading
        assert share_text.decode(share_text.encode(document)).lanes[0].shading == shading
