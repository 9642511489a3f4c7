"""The size of the program is counted by one rule, and fails where it has grown."""

from __future__ import annotations

import runpy
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return `.ci/budget.py`, measuring a program of one file with the given limits."""
    spec = spec_from_file_location("budget", ROOT / ".ci" / "budget.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "app" / "core").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(
        "[tool.budget]\nlongest_function = 3\nmost_parameters = 2\nmost_methods = 1\n\n"
        '[tool.budget.rooms]\n"app/core" = [3, 17]\n'
    )
    return module


SMALL = '''"""A docstring of many words."""

def add(a, b):  # a comment
    """Return the sum."""
    return a + b

TEXT = "one two"
'''


def test_comments_and_docstrings_are_free(budget: ModuleType) -> None:
    # def add ( a , b ) : return a + b TEXT = one two
    assert budget.size_of(SMALL) == (3, 16)


@pytest.mark.parametrize(
    ("added", "sentence"),
    [
        ("", ""),
        ("a = 1\n", "app/core has 4 statements and 19 tokens, allowed are [3, 17]."),
        ("TEXT = 'one two three four'\n", "app/core has 4 statements and 22 tokens, allowed are [3, 17]."),
        ("def f(a, b, c): ...\n", "most parameters: app/core/file.py: f has 3, allowed are 2."),
        ("def f():\n\n\n    pass\n", "longest function: app/core/file.py: f has 4, allowed are 3."),
        ("class A:\n    def f(): ...\n    def g(): ...\n", "most methods: app/core/file.py: A has 2, allowed are 1."),
        ("@jit\ndef f(a, b, c):\n\n\n    pass\n", "app/core has 5 statements"),
    ],
)
def test_what_has_grown_is_named(budget: ModuleType, added: str, sentence: str) -> None:
    (budget.ROOT / "app" / "core" / "file.py").write_text(SMALL + added)
    found = budget.faults()
    assert any(each.startswith(sentence) for each in found) if sentence else not found
    assert not any(each.startswith(("most", "longest")) for each in found) or sentence.startswith(("most", "longest"))


def test_the_last_line_says_what_to_do(budget: ModuleType) -> None:
    (budget.ROOT / "app" / "core" / "file.py").write_text(SMALL + "a = 1\n")
    (budget.ROOT / ".ci").mkdir()
    program = Path(shutil.copy(ROOT / ".ci" / "budget.py", budget.ROOT / ".ci" / "budget.py"))
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(program), run_name="__main__")
    *_, fault, advice = str(ended.value).splitlines()
    assert fault.endswith("allowed are None.") and "in the same room: docs/budget.md" in advice
    page = (ROOT / "docs" / "budget.md").read_text(encoding="utf-8")
    assert "## How to give statements back" in page and "raises a number" in page


def test_numbers_are_lowered_and_never_raised(budget: ModuleType) -> None:
    words = " ".join(["word"] * 11)
    (budget.ROOT / "app" / "core" / "file.py").write_text(f"a = 1\nb = '{words}'\n")
    (budget.ROOT / "app" / "file.py").write_text("a = 1\n")
    budget.lower()
    text = (budget.ROOT / "pyproject.toml").read_text()
    assert '"app/core" = [2, 16]' in text and '"app" = [1, 3]' in text and "longest_function = 0" in text
    (budget.ROOT / "app" / "core" / "file.py").write_text(SMALL)
    budget.lower()
    assert (budget.ROOT / "pyproject.toml").read_text() == text
