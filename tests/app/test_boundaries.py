"""Who may import whom: the rules of the two packages, read from the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for package in ("app", "solver") for path in (ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Full names of the modules that `path` imports, at any depth of the code; relative ones made absolute."""
    package = path.relative_to(ROOT).parent.parts
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return names


def tops(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_keep_the_direction(path: Path) -> None:
    name, found = name_of(path), tops(path)
    qt = {top for top in found if top.startswith(("PySide", "PyQt", "shiboken"))}
    drawing = name == "app/main.py" or name.startswith("app/views/")
    assert drawing or not qt
    assert name.startswith("app/views/plot/") or "pyqtgraph" not in found
    assert not {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve"} & found
    if name.startswith("solver/"):
        assert not {"app", "pyqtgraph", "threading"} & found
    if not drawing:
        assert not any(each.startswith("app.views") for each in imported(path))


def test_the_rules_see_relative_imports() -> None:
    assert "app.files" in imported(ROOT / "app/main.py")
    assert "app.shading" in imported(ROOT / "app/jobs/work.py")
    assert any("pyqtgraph" in tops(path) for path in SOURCES)


def test_everything_but_the_views_runs_without_qt() -> None:
    modules = [
        name_of(path).removesuffix(".py").replace("/", ".")
        for path in SOURCES
        if "/views/" not in name_of(path) and path.name not in ("__init__.py", "__main__.py")
    ]
    assert "app.main" in modules and "app.jobs.work" in modules and "solver.smo" in modules
    code = (
        f"import sys\nfor name in {modules!r}:\n    __import__(name)\n"
        "drawing = ('PySide', 'shiboken', 'pyqtgraph', 'app.views')\n"
        "found = [name for name in sys.modules if name.startswith(drawing)]\n"
        "assert not found, found\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_file_has_one_subject(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    assert ast.get_docstring(ast.parse(text)), "its first sentence says what lives in it"


def test_the_window_starts_without_what_only_an_import_needs() -> None:
    code = "import sys, app.views.window\nassert not any(name.startswith('app.exchange') for name in sys.modules)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
