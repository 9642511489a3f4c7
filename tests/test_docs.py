"""The documentation agrees with the source, and the programs of the gallery run."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Sized
from pathlib import Path

import pytest

import solver
import solver.kernels
from app.features.lessons.shipped import NAMES as LESSONS
from app.features.table import FEATURES
from app.files.examples import BY_NAME
from app.learners.knn import METRICS
from app.learners.passed import PLACEHOLDERS
from app.learners.table import LEARNERS
from app.tools.table import TOOLS
from app.window.actions import every
from solver import KERNELS, RULES
from solver.data.datasets import DATASETS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if not path.relative_to(DOCS).parts[0].startswith("_"))
PROGRAMS = sorted((DOCS / "gallery").glob("*.py"))
#: Words of the numbers of `test_numbers_in_texts_are_those_of_the_tables`.
NUMBERS = {
    **{4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve"},
    **{
        13: "thirteen",
        14: "fourteen",
        15: "fifteen",
        16: "sixteen",
        17: "seventeen",
        18: "eighteen",
        19: "nineteen",
        20: "twenty",
    },
}
PLACEHOLDER_TITLES = {each.title for each in PLACEHOLDERS.values()}
#: Most lines of a program in the gallery: one screen.
LINES = 40


@pytest.fixture
def line_of(monkeypatch: pytest.MonkeyPatch) -> object:
    """Return the function that finds a definition for a page."""
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.delitem(sys.modules, "source_lines", raising=False)
    from source_lines import line_of  # type: ignore[import-not-found]

    return line_of


def test_what_the_architecture_names_is_in_the_source(line_of: object) -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    uses = re.findall(r"\{source\}`([^` ]+) ([^`]+)`", text)
    assert len(uses) > 15 and len(uses) == text.count("{source}")
    for path, name in uses:
        assert callable(line_of) and line_of(path, name) > 0
    with pytest.raises(LookupError):
        assert callable(line_of) and line_of("app/state/store.py", "Store.no_such_method")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_links_of_a_page_lead_to_files(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (page.parent / target).exists(), target
    for target in re.findall(r"\{include\} (\S+)", page.read_text(encoding="utf-8")):
        assert target.startswith("_pictures/") or (page.parent / target).is_file(), target


def test_the_reference_has_every_public_name() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.md"))
    described = re.findall(r"^\.\. auto(?:class|function|data):: solver\.(?:\w+\.)*(\w+)$", text, re.MULTILINE)
    assert sorted(described) == sorted({*solver.__all__, *solver.kernels.__all__})


@pytest.mark.parametrize(
    ("noun", "table"),
    [
        ("tools", TOOLS),
        ("generated data sets", DATASETS),
        ("(?:of five minutes|short lessons)", LESSONS),
        ("metrics", METRICS),
        ("kernels", KERNELS),
        ("working-set rules", RULES),
    ],
)
def test_numbers_in_texts_are_those_of_the_tables(noun: str, table: Sized) -> None:
    files = "README.md", "docs/tour.md", "docs/examples.md", "app/scene/help.py", "app/window/actions.py"
    texts = {file: (ROOT / file).read_text(encoding="utf-8").lower() for file in files}
    named = {
        (file, word)
        for file in files
        for word in re.findall(rf"(\w+)\s+{noun}", texts[file])
        if word in NUMBERS.values()
    }
    assert named, f"no page says how many {noun} there are"
    wrong = sorted(f"{file} says {word} {noun}" for file, word in named if word != NUMBERS[len(table)])
    assert not wrong, f"the table has {NUMBERS[len(table)]}: {wrong}"


def test_the_tour_names_every_kernel_and_classifier_and_its_keys_exist() -> None:
    text = (DOCS / "tour.md").read_text(encoding="utf-8")
    words = " ".join(text.lower().split())
    titles = [kind.title for kind in KERNELS.values()]
    titles += [each.short if each.own_process is False else each.title for each in LEARNERS.values() if each.in_files]
    lacking = [title for title in titles if title not in PLACEHOLDER_TITLES and title.lower() not in words]
    assert not lacking, f"docs/tour.md lacks {lacking}"
    keys = {key.lower() for action in every(FEATURES) for key in action.keys}
    named = re.findall(r"^\| (\S.*?) \| \S", text, re.MULTILINE)
    assert len(named) > 40 and {key for key in named if key.lower() not in keys} == {"key", "1 to 8", "Space"}


def test_pictures_of_pages_that_the_build_makes_are_those_of_examples() -> None:
    for page in PAGES:
        for name in re.findall(r"_pictures/([\w-]+)\.png", page.read_text(encoding="utf-8")):
            assert name in BY_NAME, f"{page.name}: no example {name}"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_of_the_gallery_runs(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each program draws one figure, and its last line asserts what the figure shows."""
    text = program.read_text(encoding="utf-8")
    assert len(text.splitlines()) < LINES and text.splitlines()[-1].startswith("assert ")
    monkeypatch.setenv("MPLBACKEND", "agg")
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    try:
        runpy.run_path(str(program), run_name="__main__")
        assert len(plt.get_fignums()) == 1
    finally:
        plt.close("all")
