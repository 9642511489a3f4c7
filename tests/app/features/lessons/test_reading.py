"""Reading lessons: the content of a valid one, every fault with its line, and all kinds of damage."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QTabWidget, QTextBrowser, QWidget

from app.core.points import Points
from app.engine.cover import Cover
from app.features.lessons import names, parts, reading, shipped, starting
from app.features.lessons.check import check
from app.features.lessons.goals import check as reached
from app.features.lessons.model import Lesson, LessonSetting, Prediction, Start, Step
from app.features.lessons.reading import LARGEST, examined, parse, read
from app.features.scores.scene import score
from app.features.table import FEATURES
from app.files import documents, examples
from app.files.assets import assets
from app.files.documents import FileError
from app.learners.passed import PLACEHOLDERS
from app.learners.table import LEARNERS
from app.main import main
from app.scene import control_names
from app.state.document import Document, GeneratorSettings, Lane, View, default_document
from app.window.actions import every
from app.window.dialogs.help import HelpDialog
from app.window.dock_manager import docks
from tests.app.features.lessons.rehearsal import context_of

FRONT = "---\ntitle: T\nminutes: 5\n---\n"  # the heading is then in line 5


def step(*lines: str, text: str = "") -> str:
    return FRONT + "\n".join(["# S", *lines, "", text]) + "\n"


def faults(text: str, folder: Path | None = None) -> list[str]:
    return examined(FEATURES, text, "x.lesson.md", folder)[1]


def only(text: str) -> Step:
    (found,) = parse(FEATURES, text, "x.lesson.md", None).steps
    return found


def begun(*lines: str) -> Document:
    return starting.start_of(parse(FEATURES, step(*lines), "x.lesson.md", None), 0)


def test_a_step_has_the_content_of_its_lines() -> None:
    text = step(
        "start: example neighbours",
        "show: k, Weights, data set",
        "panel: evaluation",
        "layer: differing, legend",
        "view: 0, -0.5, 3",
        "run: paused",
        "k = 1",
        "2.k = 51",
        "predict: Which is better",
        "  on new points?",
        "- k = 1",
        "- k = 51, of course,",
        "  for it asks more (right)",
        "because: A wrong label makes an island.",
        "hint: Drag k.",
        "goal: test accuracy of 2 above 90 %",
        text="**Look** at it.\n\n### More\n\n```\n# no heading\nhint: no field\n```",
    )
    assert replace(parse(FEATURES, text, "dir/k.lesson.md", None), digest="") == Lesson(
        "T",
        "",
        "",
        5,
        (
            Step(
                "S",
                "**Look** at it.\n\n### More\n\n```\n# no heading\nhint: no field\n```",
                Start("example", "neighbours", (LessonSetting(None, "k", "1", 12), LessonSetting(1, "k", "51", 13))),
                ("k", "weights", "data set"),
                "evaluation",
                ("differing", "legend"),
                (0.0, -0.5, 3.0),
                True,
                "Drag k.",
                "test accuracy of 2 above 90 %",
                Prediction(
                    "choice",
                    "Which is better on new points?",
                    ("k = 1", "k = 51, of course, for it asks more"),
                    1,
                    "A wrong label makes an island.",
                ),
                5,
            ),
        ),
        "k",
        None,
    )


def test_white_space_ends_of_lines_and_capitals_are_forgiven() -> None:
    front = ["\ufeff", "  ---  ", " Title :  'T'", "# a comment", "MINUTES:5", "---"]
    text = "\r\n".join([*front, "", " ## S ##", "SHOW:k", "  k=3", "", "Text", ""])
    lesson = parse(FEATURES, text, "x.lesson.md", None)
    assert (lesson.title, lesson.minutes) == ("T", 5)
    (found,) = lesson.steps
    assert (found.title, found.show, found.text, found.line) == ("S", ("k",), "Text", 8)
    assert found.start.settings == (LessonSetting(None, "k", "3", 10),)


def test_the_other_predictions_and_what_follows_from_them() -> None:
    drawn = only(step("predict boundary of 2: Draw it.", "because: It bends.")).prediction
    assert drawn == Prediction("boundary", "Draw it.", because="It bends.", lane=1)
    paired = only(step("start: example step", "predict pair: Which two?"))
    assert paired.prediction == Prediction("pair", "Which two?") and paired.paused
    assert only(step("show: none")).show == () and only(step("show: all")).show is None is only(step()).show


def test_what_is_covered_why_an_answer_is_wrong_and_what_was_learnt() -> None:
    asked = ("predict: Q?", "- a", "  reason: Not a,", "  for it is b.", "- b (right)", "- c")
    found = only(step(*asked))
    assert (found.cover, found.hide) == (Cover.PICTURE, Cover.NOTHING)
    assert found.prediction is not None and found.prediction.reasons == ("Not a, for it is b.", "", "")
    found = only(step("cover: numbers, Marks", "hide: test accuracy", *asked))
    assert (found.cover, found.hide) == (Cover.NUMBERS | Cover.MARKS, Cover.TEST)
    assert only(step("cover: none", *asked)).cover == Cover.NOTHING
    assert only(step("hide: marks")).hide == Cover.MARKS
    assert only(step(*asked)).asks == Cover.NOTHING
    found = only(step("asks: numbers, marks", *asked))
    assert found.asks == Cover.NUMBERS | Cover.MARKS and reading.words_of(found.asks) == "numbers, marks"
    assert reading.words_of(Cover.PICTURE) == "picture" and reading.words_of(Cover.TEST) == "test accuracy"
    front = FRONT.replace("minutes", "learnt: One thing: this.\nlearnt: And that.\nminutes")
    assert parse(FEATURES, front + "# S\n", "x.lesson.md", None).learnt == ("One thing: this.", "And that.")
    assert parse(FEATURES, FRONT + "# S\n", "x.lesson.md", None).learnt == ()


#: A fault, its line, and words of its sentence.
FAULTS: dict[str, tuple[str, int, str]] = {
    "nothing": ("", 1, "the file is empty"),
    "no front matter": ("# S\n\nText\n", 1, "begins with “---”"),
    "front matter without end": ("---\ntitle: T\nminutes: 5\n# S\n", 1, "that ends what begins here is missing"),
    "missing title": ("---\nminutes: 5\n---\n# S\n", 1, "the title is missing"),
    "empty title": ("---\ntitle:\nminutes: 5\n---\n# S\n", 2, "the title is empty"),
    "long title": (f"---\ntitle: {'T' * 81}\nminutes: 5\n---\n# S\n", 2, "more than 80 characters"),
    "missing minutes": ("---\ntitle: T\n---\n# S\n", 1, "the minutes is missing"),
    "minutes not a number": ("---\ntitle: T\nminutes: five\n---\n# S\n", 3, "1 to 600, not “five”"),
    "too many minutes": ("---\ntitle: T\nminutes: 601\n---\n# S\n", 3, "1 to 600, not “601”"),
    "unknown key": ("---\ntitle: T\nminutes: 5\nsubject: M\n---\n# S\n", 4, "“subject” is unknown"),
    "no key": ("---\ntitle: T\nminutes: 5\nhello\n---\n# S\n", 4, "not “key: value”"),
    "a key twice": ("---\ntitle: T\ntitle: U\nminutes: 5\n---\n# S\n", 3, "title stands here twice"),
    "no steps": (FRONT, 5, "there is no step"),
    "text before the steps": (FRONT + "Hello\n# S\n", 5, "before the first heading"),
    "no heading": (FRONT + "#\n", 5, "a heading needs a title"),
    "too many steps": (FRONT + "# S\n" * 101, 105, "more than 100 steps"),
    "no text": (step("show: k\x00"), 6, "no text (code 0x00)"),
    "unknown field": (step("show: k", "colour: red"), 7, "“colour:” is unknown"),
    "unknown field of two words": (step("goal of 2: margin above 1"), 6, "“goal of 2:” is unknown"),
    "a field twice": (step("hint: a", "hint: b"), 7, "hint stands here twice"),
    "an empty field": (step("hint:"), 6, "says nothing"),
    "no field": (step("show: k", "Hello there"), 7, "neither a field nor a setting"),
    "a field in the text": (step("show: k", text="hint: Drag."), 8, "stands in the text"),
    "a picture": (step(text="See ![this](x.png)."), 7, "no pictures"),
    "code without end": (step(text="```\n# T\n"), 7, "that ends what begins here is missing"),
    "unknown control": (step("show: k, knob"), 6, "no control “knob”"),
    "a control that nobody has": (step("show: k, orders"), 6, "no classifier here has the control “orders”"),
    "unknown panel": (step("panel: cockpit"), 6, "no panel “cockpit”"),
    "unknown layer": (step("layer: legend, onion"), 6, "no layer “onion”"),
    "unknown run": (step("run: fast"), 6, "no run “fast”"),
    "half a view": (step("view: 0, 1"), 6, "three numbers"),
    "a view of words": (step("view: 0, 1, wide"), 6, "three numbers"),
    "an empty view": (step("view: 0, 1, 0"), 6, "its span is not above 0"),
    "unknown setting": (step("size = 3"), 6, "no classifier has a setting “size”"),
    "half a setting": (step("k ="), 6, "a setting is “name = value”"),
    "below the range": (step("k = 0"), 6, "k goes from 1 to 9999"),
    "above the range": (step("C = 1e9"), 6, "C goes from 1e-08 to 100000000"),
    "no number": (step("gamma = nan"), 6, "gamma is a number, not “nan”"),
    "no whole number": (step("k = 1.5"), 6, "k is a whole number"),
    "unknown value": (step("kernel = cubic"), 6, "not “cubic”"),
    "neither yes nor no": (step("hard margin = maybe"), 6, "hard_margin is yes or no"),
    "a setting that nobody has": (step("lam = 1"), 6, "none of the classifiers here has “lam”"),
    "a setting that this one has not": (step("1.C = 1"), 6, "classifier 1 has no “C”"),
    "a classifier that is not there": (step("3.k = 1"), 6, "there is no classifier 3 here: there are 2"),
    "classifier 0": (step("0.k = 1"), 6, "counted from 1"),
    "unknown classifier": (step("classifiers = knn, shrub"), 6, "there is no classifier “shrub”"),
    "too many classifiers": (step("classifiers = knn, knn, knn, knn, knn"), 6, "at most 4"),
    "a numbered list": (step("2.classifiers = knn"), 6, "no number stands before it"),
    "unknown data set": (step("data set = iris"), 6, "there is no data set “iris”"),
    "too many points": (step("n = 2001"), 6, "at most 2000"),
    "a seed of two": (step("classifiers = knn, perceptron", "seed = 3"), 7, "“2.seed” is that of classifier 2"),
    "too much noise": (step("noise = 11"), 6, "noise goes from 0 to 10"),
    "a shift without room": (step("data set = circle", "shift = 1"), 7, "shift"),
    "test points of 99 %": (step("test points = 99 %"), 6, "5 % to 95 %"),
    "too many settings": (step(*["k = 1"] * 51), 56, "at most 50 settings"),
    "nothing times x": (step("x times = 0"), 6, "x times is a number above 0"),
    "no such shading": (step("shading = gap"), 6, "there is no shading “gap”; there are f, probability."),
    "half standardised": (step("standardise = half"), 6, "standardise is yes or no"),
    "a classifier times ten": (step("1.x times = 10"), 6, "no classifier has a setting “x times”"),
    "a start of no kind": (step("start: moons"), 6, "“example NAME”"),
    "unknown example": (step("start: example moons"), 6, "there is no example “moons”"),
    "missing document": (step("start: nowhere.playground"), 6, "nowhere.playground cannot be read: no such file"),
    "a folder": (step("start: folder.playground"), 6, "folder.playground is a folder"),
    "a damaged document": (step("start: damaged.playground"), 6, "damaged.playground is damaged"),
    "a large document": (step("start: large.playground"), 6, "large.playground is larger than 1 MB"),
    "a path out of the folder": (step("start: ../x.playground"), 6, "outside the lesson's folder"),
    "a path round about": (step("start: a/../../x.playground"), 6, "outside the lesson's folder"),
    "a path from the root": (step("start: /x.playground"), 6, "outside the lesson's folder"),
    "a path of Windows": (step("start: C:\\x.playground"), 6, "outside the lesson's folder"),
    "a link that leads out": (step("start: link.playground"), 6, "outside the lesson's folder"),
    "one answer": (step("predict: Q?", "- a (right)"), 6, "2 to 4 answers, “- …”, not 1"),
    "five answers": (step("predict: Q?", "- a (right)", "- b", "- c", "- d", "- e"), 6, "not 5"),
    "no right answer": (step("predict: Q?", "- a", "- b"), 6, "no answer is marked"),
    "two right answers": (step("predict: Q?", "- a (right)", "- b (right)"), 6, "more than one answer is marked"),
    "the same answer twice": (step("predict: Q?", "- a (right)", "- a"), 8, "this answer stands here twice"),
    "an empty answer": (step("predict: Q?", "- a (right)", "-"), 8, "an answer has 1 to"),
    "an answer without a question": (step("- a"), 6, "an answer stands below its question"),
    "asks of nothing": (step("asks: marks"), 6, "asks belongs to a question with answers"),
    "a cover of nothing": (step("cover: marks"), 6, "cover belongs to a question"),
    "an unknown cover": (step("hide: the truth"), 6, "there is no hide “the truth”"),
    "a boundary on an open picture": (step("cover: marks", "predict boundary: Q?"), 6, "drawn on a covered picture"),
    "a hidden goal": (step("hide: numbers", "goal: both above 90 %"), 6, "the goal would tell"),
    "a reason of nothing": (step("predict: Q?", "reason: r", "- a (right)", "- b"), 7, "below the answer"),
    "a reason twice": (step("predict: Q?", "- a (right)", "- b", "reason: r", "reason: r"), 10, "reason stands here"),
    "an empty reason": (step("predict: Q?", "- a (right)", "- b", "reason:"), 9, "says nothing"),
    "a reason of the right answer": (step("predict: Q?", "- a (right)", "reason: r", "- b"), 8, "needs no reason"),
    "a long reason": (step("predict: Q?", "- a (right)", "- b", f"reason: {'r' * 601}"), 9, "more than 600"),
    "learnt three times": (
        "---\ntitle: T\nminutes: 5\nlearnt: l\nlearnt: l\nlearnt: l\n---\n# S\n",
        6,
        "more than twice",
    ),
    "much learnt": (f"---\ntitle: T\nminutes: 5\nlearnt: {'l' * 161}\n---\n# S\n", 4, "more than 160 characters"),
    "because of nothing": (step("because: b"), 6, "because belongs to a question"),
    "answers to a drawing": (step("predict boundary: Q?", "- a"), 7, "has no answers"),
    "another prediction": (step("predict colour: Q?"), 6, "write “predict: …”"),
    "a boundary of nobody": (step("predict boundary of 3: Q?"), 6, "there is no classifier 3 here"),
    "a pair of kNN": (step("predict pair of 1: Q?"), 6, "classifier 1 takes no pairs"),
    "a goal not understood": (step("goal: be happy"), 6, "“be happy” is not understood"),
    "a goal beyond 100 %": (step("goal: both above 100 %"), 6, "can never be reached"),
    "a goal of nobody": (step("goal: margin of 3 above 1"), 6, "asks for classifier 3, but there are 2"),
    "a goal that nobody has": (
        step("show: k", "classifiers = knn", "goal: margin above 1"),
        8,
        "no classifier that is meant has a margin",
    ),
    "a long hint": (step(f"hint: {'h' * 601}"), 6, "more than 600 characters"),
    "a long text": (step(text="t" * 20_001), 6, "the text has more than"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with valid and invalid documents beside the lesson."""
    outside = tmp_path_factory.mktemp("outside")
    home = outside / "home"
    home.mkdir()
    (outside / "x.playground").write_bytes(documents.encode(default_document()))
    (home / "link.playground").symlink_to(outside / "x.playground")
    (home / "folder.playground").mkdir()
    (home / "damaged.playground").write_bytes(b"{")
    (home / "large.playground").write_bytes(b" " * 1_000_001)
    (home / "below").mkdir()
    (home / "below" / "good.playground").write_bytes(documents.encode(Document(Points.of([[0, 1], [2, 3]], [0, 1]))))
    return home


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_one_sentence_with_its_line(name: str, folder: Path) -> None:
    text, line, report = FAULTS[name]
    (found,) = faults(text, folder)
    assert found.startswith(f"x.lesson.md:{line}: ") and report in found and found.endswith(".") and "\n" not in found
    with pytest.raises(FileError) as error:
        parse(FEATURES, text, "x.lesson.md", folder)
    assert str(error.value) == found


def test_all_faults_are_reported_in_the_order_of_their_lines() -> None:
    text = "---\ntitle:\nminutes: x\n---\n# S\nshow: knob\nk = 0\ngoal: be happy\n# T\nshow: knob\n"
    found = faults(text)
    assert [int(each.split(":")[1]) for each in found] == [2, 3, 6, 7, 8, 10]


def test_a_document_beside_the_lesson(folder: Path) -> None:
    lesson = parse(FEATURES, step("start: below/good.playground"), "x.lesson.md", folder)
    assert lesson.steps[0].start == Start("document", "below/good.playground")
    assert starting.start_of(lesson, 0).points.xy.tolist() == [[0, 1], [2, 3]]
    with pytest.raises(FileError, match="lies in no folder"):
        starting.start_of(replace(lesson, folder=None), 0)


def test_a_share_text() -> None:
    share_text = pytest.importorskip("app.exchange.share_text")
    text = share_text.encode(replace(default_document(), lanes=(Lane("svm"),), shown=1, compared=(0, 0)))
    assert text.startswith(share_text.PREFIX)
    lesson = parse(FEATURES, step(f"start: {text}"), "x.lesson.md", None)
    assert lesson.steps[0].start == Start("share", text)
    begins = starting.start_of(lesson, 0)
    assert begins.shown == 1 and np.abs(begins.points.xy - default_document().points.xy).max() < 0.001
    for damaged in (text[:-9], text[:60] + "A" + text[61:], "classifier-playground:", share_text.PREFIX + "é"):
        (found,) = faults(step(f"start: {damaged}"))
        assert found.startswith("x.lesson.md:6: ")


# -- starting ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [each.name for each in examples.EXAMPLES])
def test_examples_are_begun_with_as_they_are(name: str) -> None:
    example = examples.read(examples.BY_NAME[name])
    assert documents.encode(begun(f"start: example {name}")) == documents.encode(example)


def test_points_are_put_into_other_units() -> None:
    plain = begun("n = 20")
    wide = begun("n = 20", "y times = 10", "x times = 0.5")
    assert np.allclose(wide.points.xy, plain.points.xy * (0.5, 10)) and wide.view.shows(wide.points)
    assert wide.origin is None and plain.origin is not None, "new points of the generator would be in the old units"
    fair = begun("n = 20", "y times = 10", "standardise = yes", "test points = 30 %")
    assert np.allclose(fair.points.xy.std(axis=0), 1) and fair.axes == ("x (standardised)", "y (standardised)")
    assert fair.scaling is not None and np.allclose(fair.scaling.undo(fair.points.xy), plain.points.xy * (1, 10))
    assert np.array_equal(begun("n = 20", "standardise = no").points.xy, plain.points.xy)


def test_what_pictures_shade_is_a_setting() -> None:
    shaded = begun("classifiers = svm, knn", "2.shading = probability")
    assert [lane.shows_probability for lane in shaded.lanes[:2]] == [False, True]
    assert not any(lane.shows_probability for lane in begun("shading = probability", "shading = F").lanes)


def test_settings_change_those_that_have_them() -> None:
    made = begun("k = 7", "kernel = Linear", "C = inf", "2.class weight = own", "weights_of_classes = 2, 3", "p = 4")
    knn, svm = made.lanes
    assert (knn.knn.n_neighbors, knn.knn.p, svm.svm.kernel, svm.svm.hard_margin) == (7, 4.0, "linear", True)
    assert svm.svm.class_weight == "own" and svm.svm.own_weights[:3] == (2.0, 3.0, 1.0)
    assert made.points.same_as(default_document().points)
    assert begun("C = 10").lanes[1].svm.hard_margin is False
    lanes = begun(
        "classifiers = svm, perceptron, pegasos", "2.seed = 3", "data seed = 9", "rule = random", "shuffle = no"
    ).lanes
    assert [each.classifier for each in lanes] == ["svm", "perceptron", "pegasos"]
    assert begun("1.classifier = pegasos", "data seed = 9").generator.seed == 9
    assert lanes[1].perceptron.random_state == 3 and lanes[2].pegasos.random_state == 0
    assert lanes[0].svm.selection == "random" and not lanes[1].perceptron.shuffle
    more = begun("start: example margin", "classifiers = svm, knn", "2.k = 3")
    assert more.shown == 2 and more.compared == (0, 1) and more.lanes[0].svm.hard_margin
    assert begun("2.classifier = kNN").lanes[1].classifier == "knn"


def test_points_are_generated_first_and_fill_the_view() -> None:
    made = begun("k = 3", "data set = circle", "n = 40", "noise = 0.05", "seed = 4", "flipped = 10 %", "shift = 0.1")
    wanted = GeneratorSettings("circle", 40, 0.05, 4, 0.1, 2, 0.1)
    assert made.origin == made.generator == wanted and made.points.xy.tolist() == wanted.points().xy.tolist()
    assert made.view == View.fitting(made.points) and made.lanes[0].knn.n_neighbors == 3
    kept = begun("start: example wrong-labels", "test points = 20 %")
    assert len(kept.test_points) == 30 and not len(begun("start: example gamma", "test points = none").test_points)


def test_a_step_goes_on_from_what_the_one_before_began_with() -> None:
    text = (
        step("start: example margin", "hard margin = no", "view: 1, 2, 3")
        + "# T\nC = 5\n\n# U\n\n# V\nstart: example step\n"
    )
    lesson = parse(FEATURES, text, "x.lesson.md", None)
    made = [starting.start_of(lesson, index) for index in range(4)]
    assert [each.lanes[0].svm.C for each in made] == [1.0, 5.0, 5.0, 2.0]
    assert [each.view.span for each in made[:3]] == [3.0] * 3 and made[2].lanes[0].svm.hard_margin is False
    assert faults(step("start: example moons") + "# T\nC = 5\nshow: lam\n") == [
        f"x.lesson.md:6: there is no example “moons”; there are {', '.join(examples.BY_NAME)}."
    ]  # nothing is known about the second step that could be wrong


def test_a_setting_that_the_document_no_longer_takes_is_a_sentence(folder: Path) -> None:
    lesson = parse(FEATURES, step("start: below/good.playground", "2.C = 1"), "x.lesson.md", folder)
    only_one = replace(default_document(), lanes=(Lane("knn"),), shown=1, compared=(0, 0))
    (folder / "below" / "good.playground").write_bytes(documents.encode(only_one))
    with pytest.raises(FileError, match=r"^x.lesson.md:7: there is no classifier 2 here: there is 1\.$"):
        starting.start_of(lesson, 0)


def test_panels_and_layers_are_those_of_the_window() -> None:
    actions = {each.name: each for each in every(FEATURES)}
    assert set(names.panels(FEATURES)) == {each.name for each in docks(FEATURES)}
    assert set(names.panels(FEATURES)) | set(names.layers(FEATURES)) <= set(actions)
    assert all(actions[name].checkable for name in names.layers(FEATURES))


# -- files ---------------------------------------------------------------------------------------------------------


def test_files_that_are_no_lessons(tmp_path: Path) -> None:
    good = tmp_path / "good.lesson.md"
    good.write_text(step("k = 3"), encoding="utf-8")
    assert read(FEATURES, good).name == "good" and read(FEATURES, good).folder == tmp_path
    latin = tmp_path / "latin.lesson.md"
    latin.write_bytes((FRONT + "# S\n\nf\u00fcr\n").encode("latin-1"))
    large = tmp_path / "large.lesson.md"
    large.write_bytes(b"\n" * (LARGEST + 1))
    cases = {
        latin: "latin.lesson.md:7: this is not UTF-8 text; save the lesson as UTF-8.",
        large: "large.lesson.md is larger than 1 MB, so it was not read.",
        tmp_path / "no.lesson.md": "no.lesson.md cannot be read: no such file or directory.",
        tmp_path: f"{tmp_path.name} is a folder, not a file.",
    }
    for path, report in cases.items():
        with pytest.raises(FileError) as error:
            read(FEATURES, path)
        assert str(error.value) == report


def test_the_command_prints_a_line_for_each_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.lesson.md").write_text(step("k = 3") + "# T\n", encoding="utf-8")
    Path("bad.lesson.md").write_text(step("k = 0", "show: knob"), encoding="utf-8")
    assert main(["lesson", "check", "good.lesson.md"]) == 0
    assert capsys.readouterr().out == "good.lesson.md: sound, 2 steps\n"
    Path("a").mkdir()
    assert main(["lesson", "check", "bad.lesson.md", "good.lesson.md", "a/no.lesson.md"]) == 1
    report = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in report[:3]] == ["bad.lesson.md:6", "bad.lesson.md:7", "good.lesson.md"]
    assert report[3:] == ["a/no.lesson.md cannot be read: no such file or directory."]
    for words in (["lesson"], ["lesson", "check"], ["lesson", "burn", "good.lesson.md"]):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 2 and capsys.readouterr().err.count("\n") == 1


def test_the_example_of_the_help_is_sound(tmp_path: Path) -> None:
    page = (assets("help") / "lessons.md").read_text(encoding="utf-8")
    example = tmp_path / "example.lesson.md"
    example.write_text(page.split("```\n")[1], encoding="utf-8")
    assert check(FEATURES, [example]) == ([f"{example}: sound, 3 steps"], True)
    lesson = read(FEATURES, example)
    contexts = [context_of(starting.start_of(lesson, index)) for index in (0, 1)]
    asked, goal = lesson.steps[0].prediction, lesson.steps[1].goal
    assert asked is not None and asked.answers[asked.right] == "k = 15" and goal
    one, fifteen = (score(contexts[0], index) for index in (0, 1))
    assert (
        one is not None
        and fifteen is not None
        and one < fifteen
        and reached(goal, contexts[0]).reached is False is reached(goal, contexts[1]).reached
    )


def test_the_example_of_a_question_asked_twice_is_sound(tmp_path: Path) -> None:
    page, example = (assets("help") / "lessons.md").read_text(encoding="utf-8"), tmp_path / "example.lesson.md"
    example.write_text(FRONT + page.partition("### Ask before and after")[2].split("```\n")[1], encoding="utf-8")
    assert check(FEATURES, [example]) == ([f"{example}: sound, 2 steps"], True)
    assert read(FEATURES, example).measured == {1: 0}


def test_help_shows_how_lessons_are_written(qapp: object) -> None:
    parent = QWidget()
    dialog = HelpDialog(parent, FEATURES)
    pages = dialog.findChild(QTabWidget, "help.pages")
    assert pages is not None and [pages.tabText(index) for index in (1, 2)] == ["Mouse and keys", "Writing lessons"]
    page = pages.widget(2)
    assert isinstance(page, QTextBrowser) and "predict boundary of 2" in page.toPlainText()
    assert not page.openExternalLinks() and page.accessibleName() == "Writing lessons"


def test_the_help_has_every_field_and_every_name() -> None:
    page = (assets("help") / "lessons.md").read_text(encoding="utf-8")
    for word in (
        *parts.FIELDS,
        parts.REASON,
        *parts.FRONT,
        *reading.COVERS,
        *names.GENERATOR,
        *names.POINTS,
        *control_names.WINDOW_CONTROLS,
        "classifiers",
        "test points",
    ):
        assert f"`{word}" in page or f"{word}, " in page or f" {word}" in page, word
    for word in (*names.panels(FEATURES), *names.layers(FEATURES), *examples.BY_NAME):
        assert word in page, word
    listed = re.search(r"^- `classifiers = (.*?)^- ", page, re.DOTALL | re.MULTILINE)
    assert listed is not None
    for word in set(LEARNERS) - set(PLACEHOLDERS):
        assert re.search(rf"\b{word}\b", listed.group(1)), f"assets/help/lessons.md lacks the learner {word}"


# -- damage --------------------------------------------------------------------------------------------------------


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return `data` cut, flipped, with lines doubled, shuffled, joined and omitted, or random bytes in it."""
    for _ in range(rng.randint(1, 4)):
        index, lines = rng.randrange(len(data) + 1), data.split(b"\n")
        line = rng.randrange(len(lines))
        kind = rng.randrange(8)
        if kind == 0:
            data = data[:index]
        elif kind == 1 and data:
            index = min(index, len(data) - 1)
            data = data[:index] + bytes([data[index] ^ 1 << rng.randrange(8)]) + data[index + 1 :]
        elif kind == 2:
            data = b"\n".join([*lines[:line], lines[line], *lines[line:]])
        elif kind == 3:
            rng.shuffle(lines)
            data = b"\n".join(lines)
        elif kind == 4:
            data = data[:index] + rng.randbytes(rng.randint(1, 40)) + data[index:]
        elif kind == 5:
            data = b"\n".join([*lines[:line], *lines[line + 1 :]])
        elif kind == 6:
            data = (
                data[:index]
                + rng.choice([b"=", b":", b"- ", b"# ", b"---\n", b"\n", b"```\n", b"9" * 400, b"\0"])
                + data[index:]
            )
        else:
            data = data.replace(*rng.choice([(b"\n\n", b"\n"), (b": ", b" "), (b"\n", b"\r"), (b" ", b"\t")]))
    return data


@pytest.mark.slow
def test_a_thousand_damaged_lessons_are_a_sentence_each_or_sound(seed: int) -> None:
    rng = random.Random(seed)
    sound = [shipped.text(name).encode() for name in shipped.NAMES]
    refused = 0
    for number in range(1000):
        data = damaged(sound[number % len(sound)], rng)
        try:
            text = reading.decoded(data, "x.lesson.md")
            lesson = parse(FEATURES, text, "x.lesson.md", None)
        except FileError as error:
            refused += 1
            report = str(error)
            assert (
                report.startswith("x.lesson.md:") and report.endswith(".") and "\n" not in report and len(report) <= 400
            )
            int(report.split(":")[1])
        else:
            assert faults(text) == [] and lesson.steps
            for index in range(len(lesson.steps)):
                starting.start_of(lesson, index)
    assert refused > 600


@pytest.mark.parametrize(
    "line", ["k = " + "9" * 999_000, "=" * 999_000, " " * 999_000 + "x", "![" * 499_000, "start" + " " * 990_000 + "x"]
)
def test_a_line_of_a_megabyte_is_read_at_once(line: str) -> None:
    for text in (
        step(line),
        step(text=line),
        FRONT + line,
        FRONT + "# " + line,
        step("predict: Q", f"- {line}"),
        step(f"goal: {line}"),
        step(f"show: {line}"),
    ):
        assert all(len(each) < 420 for each in faults(text))


@pytest.mark.slow
def test_a_megabyte_of_short_lines_is_read_at_once() -> None:
    for line in ("k = 1", "# S", "- a", "x", "hint: h", "![a](b)", "```"):
        text = step("predict: Q?", *[line] * (300_000 // (len(line) + 1)))
        assert len(faults(text)) <= parts.MOST_FAULTS
