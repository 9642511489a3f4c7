"""A rule of one's own, from the form to the picture: typed, refused, drawn, saved, shared, studied, exported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from app.engine.overlays import Lines
from app.exchange import share_text
from app.features.code.program import program
from app.features.ground_truth import text
from app.features.ground_truth.fresh_points import SquareQuery
from app.features.ground_truth.scene import IDEAL
from app.features.lessons import starting
from app.features.lessons.model import LessonSetting
from app.features.study.model import Study, StudyAxis
from app.features.study.reading import examined, written
from app.files import documents
from app.files.documents import FileError
from app.state.document import Document, GeneratorSettings, Lane, View, default_document
from app.state.law import law_of
from app.window.bars.popup import PopupForm
from app.window.main_window import MainWindow
from solver import KNeighborsClassifier
from solver.data.distribution import Law
from tests.windows import Make, settle

DISC = "x^2 + y^2 < 1 and x > 0"
SETTINGS = GeneratorSettings("rule", 60, 0.05, 7, 0.1, flipped=0.05, rule=DISC, square=(-1.5, 2.0))
LEFT = Qt.MouseButton.LeftButton


def document(settings: GeneratorSettings = SETTINGS) -> Document:
    points = settings.points()
    return replace(
        default_document(),
        points=points,
        generator=settings,
        origin=settings,
        view=View.fitting(points),
        lanes=(Lane("knn"),) * 2,
    )


# -- the document ------------------------------------------------------------------------------------------------------


def test_other_data_sets_have_no_rule_and_their_files_are_as_before() -> None:
    assert GeneratorSettings() == GeneratorSettings(rule="x > y", square=(0.0, 3.0))
    assert b"rule" not in msgspec.json.encode(GeneratorSettings())
    assert law_of(GeneratorSettings("line")) == Law("line", 0.2)
    assert GeneratorSettings("rule").rule == "y > sin(3*x)" and GeneratorSettings("rule").square == (-1.0, 1.0)


def test_files_have_the_rule() -> None:
    data = documents.encode(document())
    assert data.count(b'"rule":"x^2 + y^2 < 1 and x > 0","square":[-1.5,2.0]') == 2
    read = documents.decode(data)
    assert read.generator == read.origin == SETTINGS and read.is_generated


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("__import__(x) > y", "“__import__” at character 1 is not known"),
        ("(" * 200, "cannot be read"),
        ("x" * 1_000_000, "The rule has 1000000 characters"),
        ("9^9^9^9 > ", "Its end cannot be read"),
    ],
)
def test_a_hostile_rule_in_a_file_or_a_share_text_is_a_sentence(rule: str, sentence: str) -> None:
    whole = msgspec.json.decode(documents.encode(document()))
    whole["generator"]["rule"] = rule
    with pytest.raises(FileError, match=sentence):
        documents.decode(msgspec.json.encode(whole))


@pytest.mark.parametrize(
    "generator",
    [SETTINGS, replace(SETTINGS, rule="x > y"), replace(SETTINGS, square=(0.0, 1.0)), GeneratorSettings("xor")],
)
def test_share_texts_have_the_rule(generator: GeneratorSettings) -> None:
    for made in (replace(document(), generator=generator), replace(document(generator), generator=SETTINGS)):
        shared = share_text.encode(made)
        assert len(shared) < 450, "the points are not sent, but generated again"
        read = share_text.decode(shared)
        assert (read.generator, read.origin) == (made.generator, made.origin)
        assert np.array_equal(read.points.xy, made.points.xy) and read.is_generated


def test_a_rule_with_one_class_cannot_be_generated_and_is_no_law() -> None:
    settings = GeneratorSettings("rule", rule="x > 5")  # a file may have it: points are in the file
    assert law_of(settings) is None
    with pytest.raises(ValueError, match="nearly nowhere"):
        settings.points()


# -- lessons and studies -----------------------------------------------------------------------------------------------


def _changed(*lines: str) -> tuple[Document, list[tuple[int, str]]]:
    settings = [LessonSetting(None, *line.split(" = ", 1), at) for at, line in enumerate(lines, 1)]  # type: ignore[arg-type]
    return starting.changed(default_document(), settings)


def test_lessons_set_the_rule_and_its_square() -> None:
    made, faults = _changed("own rule = x <= y", "square = -2 to 2.5", "n = 30", "noise = 0")
    assert not faults and made.origin == GeneratorSettings("rule", 30, 0.0, rule="x <= y", square=(-2.0, 2.5))
    assert (made.points.xy[:30, 0] <= made.points.xy[:30, 1]).all()
    _, faults = _changed("own rule = sinn(x) > y")
    assert faults == [(1, "“sinn” at character 1 is not known: sin?")]
    _, faults = _changed("square = 2")
    assert faults[0][1].startswith("The square goes from 2 to nan")


def test_studies_have_the_rule_and_are_tested_on_its_square() -> None:
    study = Study(
        axes=(StudyAxis("k", (1, 5)), StudyAxis("n", (20, 40))), lane=Lane("knn"), generator=SETTINGS, test_on="square"
    )
    toml = written(study, "A study.")
    assert 'rule = "x^2 + y^2 < 1 and x > 0"' in toml and "square = [-1.5, 2.0]" in toml
    read, _, faults = examined(toml, Path(), lambda path: Document())
    assert not faults and read is not None and read.generator == SETTINGS
    _, _, faults = examined(toml.replace("x > 0", "xx > 0"), Path(), lambda path: Document())
    assert len(faults) == 1 and "“xx” at character 19 is not known: x?" in faults[0]


def test_the_area_is_that_of_the_square_of_the_rule() -> None:
    law = Law("rule", rule=DISC, square=(-1.5, 2.0))
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.5, 2.0, (500, 2))
    model = KNeighborsClassifier(n_neighbors=1).fit(X, law.truth.classes(X))
    posted: list[object] = []
    for _ in SquareQuery(law, model).answer(posted.append, lambda: False):  # type: ignore[arg-type]
        pass
    fresh = rng.uniform(-1.5, 2.0, (100_000, 2))
    expected = (model.predict(fresh) != law.truth.classes(fresh)).mean()
    assert posted[-1].share == pytest.approx(expected, abs=0.003)  # type: ignore[attr-defined]


def test_the_words_name_the_rule_and_its_square() -> None:
    law = law_of(SETTINGS)
    assert law is not None
    words = text.origin_words(SETTINGS, law, False)
    assert words.startswith(
        "From the generator: Own rule, x^2 + y^2 < 1 and x > 0 on [−1.5, 2]², noise 0.05, shift 0.1"
    )
    assert text.boundary_name(law) == "True boundary: where the rule x^2 + y^2 < 1 and x > 0 begins to hold"


# -- the exported program ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        GeneratorSettings("rule", 40, 0.0, 3, -0.1, rule="not (0 < x < 0.5 or max(x, y, -y) > 9^9^9^9) and y > log(x)"),
        GeneratorSettings(
            "rule", 40, 0.1, 3, 0.0, rule="+".join(["x*x"] * 20) + " + pi*y^2 < 5 or exp(-x) / x > 2^x + e"
        ),
    ],
    ids=lambda each: each.rule[:12],
)
def test_the_exported_program_makes_the_same_points_in_a_second_process(
    settings: GeneratorSettings, tmp_path: Path
) -> None:
    made = program(document(settings))
    assert max(map(len, made.text.splitlines())) < 100
    asking = f"np.save({str(tmp_path / 'X.npy')!r}, X)\nnp.save({str(tmp_path / 'y.npy')!r}, y)\n"
    path = tmp_path / "exported.py"
    path.write_text(f"{made.text}\n{asking}", encoding="utf-8")
    command = [sys.executable, "-W", "error", str(path)]
    subprocess.run(command, check=True, cwd=tmp_path, env=os.environ | {"MPLBACKEND": "agg"})
    points = settings.points()
    assert np.array_equal(np.load(tmp_path / "X.npy"), points.xy)
    assert np.array_equal(np.load(tmp_path / "y.npy"), points.labels)


# -- the window --------------------------------------------------------------------------------------------------------


def _choose(window: MainWindow, qtbot: QtBot) -> QLineEdit:
    """Choose the data set by the mouse; return the field, which has the focus in its open form."""
    combo = window.findChild(QComboBox, "generator.name")
    assert combo is not None
    combo.showPopup()  # after a press on the list Qt ignores clicks for the time of a double click
    where = combo.view().visualRect(combo.model().index(combo.findData("rule"), 0))
    QTest.mouseClick(combo.view().viewport(), LEFT, Qt.KeyboardModifier.NoModifier, where.center())
    window.refreshing.flush()
    field = window.findChild(QLineEdit, "generator.rule")
    form = QApplication.activePopupWidget()
    assert field is not None and isinstance(form, PopupForm) and form.focusWidget() is field
    return field


def _lines(window: MainWindow, qtbot: QtBot) -> np.ndarray:
    """Return the true boundary of the first lane, as it is drawn."""

    def drawn() -> list[Lines]:
        sheets = window.scene.lanes[0].sheets
        return [each for each in sheets if isinstance(each, Lines) and each.style == IDEAL]

    qtbot.waitUntil(lambda: bool(drawn()))
    settle(qtbot, window)
    return drawn()[0].xy


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_rule_is_typed_and_drawn(make: Make, qtbot: QtBot, theme: str) -> None:
    window = make()
    window.appearance.choose_theme(theme)
    field = _choose(window, qtbot)
    assert field.text() == "y > sin(3*x)" and window.document.generator.name == "rule"
    QTest.keyClicks(field, "x^2 + y^2 < 0.5")
    QTest.keyClick(field, Qt.Key.Key_Return)
    made = window.document
    assert made.generator.rule == "x^2 + y^2 < 0.5" and made.is_generated and QApplication.activePopupWidget() is None
    assert np.array_equal((made.points.xy**2).sum(axis=1) < 0.5, made.points.labels == 0)
    assert window.controller.store.undo_name == "Set the rule to x^2 + y^2 < 0.5"
    QTest.keyClick(window.canvases[0], Qt.Key.Key_U)
    lines = _lines(window, qtbot)
    assert np.nanmax(np.abs(np.hypot(*lines.T) - 0.5**0.5)) < 1e-4
    grabbed = window.canvases[0].grab().toImage()
    there = [window.to_widget(0, *(0.5**0.5 * np.array([np.cos(a), np.sin(a)]))) for a in np.linspace(0, 6.2, 200)]
    window.named_actions["ideal"].trigger()
    settle(qtbot, window)
    without = window.canvases[0].grab().toImage()
    changed = [without.pixel(each) != grabbed.pixel(each) for each in there]
    assert sum(changed) > 100, "dashes of the line are painted where the rule says"


def test_a_wrong_rule_stays_to_be_corrected_and_changes_nothing(make: Make, qtbot: QtBot) -> None:
    window = make()
    field = _choose(window, qtbot)
    before = window.document
    said: list[str] = []
    window.controller.say = said.append  # type: ignore[method-assign]
    for typed, sentence in (
        ("sinn(x) > y", "“sinn” at character 1 is not known: sin?"),
        ("x > 5", "The rule holds nearly nowhere on the square from −1 to 1."),
        ("(" * 40 + "x", "cannot be read"),
        ("x" * 5000, "The rule has 5000 characters"),
    ):
        field.selectAll()
        field.insert(typed) if len(typed) > 100 else QTest.keyClicks(field, typed)
        field.setModified(True)
        QTest.keyClick(field, Qt.Key.Key_Return)
        window.refreshing.flush()
        assert window.document is before and field.text() == typed and field.property("bad")
        assert sentence in said[-1] and isinstance(QApplication.activePopupWidget(), PopupForm)
    field.selectAll()
    QTest.keyClicks(field, "x > y")
    assert not field.property("bad")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.document.generator.rule == "x > y" and QApplication.activePopupWidget() is None
    settle(qtbot, window)


def test_the_square_is_typed(make: Make, qtbot: QtBot) -> None:
    window = make()
    _choose(window, qtbot)
    for name, typed in (("low", "-2"), ("high", "0.5")):
        field = window.findChild(QLineEdit, f"generator.{name}")
        assert field is not None and field.isVisible()
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, typed)
        QTest.keyClick(field, Qt.Key.Key_Tab)
    assert window.document.generator.square == (-2.0, 0.5)
    xy = window.document.points.xy
    assert xy.min() >= -2 and xy.max() <= 0.5 and xy.min() < -1.5
    high = window.findChild(QLineEdit, "generator.high")
    assert high is not None
    high.setFocus()
    high.selectAll()
    QTest.keyClicks(high, "-3")
    QTest.keyClick(high, Qt.Key.Key_Tab)
    assert window.document.generator.square == (-2.0, 0.5) and high.property("bad")
    form = QApplication.activePopupWidget()
    assert form is not None
    form.hide()
    window.controller.choose_generator("moons")
    window.refreshing.flush()
    assert not window.findChild(QLineEdit, "generator.rule").isVisibleTo(form)  # type: ignore[union-attr]
    settle(qtbot, window)


def test_the_audience_sees_the_boundary_of_the_rule(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    QTest.keyClick(window.canvases[0], Qt.Key.Key_U)
    lines = _lines(window, qtbot)
    QTest.keyClick(window.canvases[0], Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: window.audience.view is not None)
    view = window.audience.view
    assert view is not None
    view.resize(1000, 600)
    settle(qtbot, window)
    canvas = view.canvases[0]
    x, y = lines[~np.isnan(lines).any(axis=1)][::5].T
    spots = [canvas.to_widget(*each) for each in zip(x, y, strict=True)]
    with_line = canvas.grab().toImage()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_U)
    settle(qtbot, window)
    without = canvas.grab().toImage()
    inside = [spot for spot in spots if with_line.rect().contains(spot)]
    assert sum(with_line.pixel(spot) != without.pixel(spot) for spot in inside) > 0.3 * len(inside) > 10
