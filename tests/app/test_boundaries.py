"""Import rules of the two packages, checked in the source."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for package in ("app", "solver") for path in (ROOT / package).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def names_in(nodes: Iterable[ast.AST], path: Path) -> set[str]:
    """Return absolute names of the imports in `nodes` of the file at `path`."""
    package = path.relative_to(ROOT).parent.parts
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return names


@cache
def imported(path: Path) -> set[str]:
    """Return absolute names of the modules that `path` imports, at any depth of the code."""
    return names_in(ast.walk(parsed(path)), path)


def tops(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def draws(path: Path) -> bool:
    """Return whether the file may use Qt: in `views` and `window`, and in features by its name."""
    name = name_of(path)
    of_a_feature = name.startswith("app/features/") and path.stem.startswith(("panel", "overlay", "window", "view"))
    return name.startswith(("app/views/", "app/window/")) or (of_a_feature and path.parent.name != "features")


@pytest.mark.slow
def test_imports_keep_the_direction() -> None:
    assert not [sentence for path in SOURCES for sentence in forbidden(path)]


def forbidden(path: Path) -> Iterator[str]:
    """Yield sentences on imports that break the rules."""
    name, found = name_of(path), tops(path)
    qt = {top for top in found if top.startswith(("PySide", "PyQt", "shiboken"))}
    drawing = name == "app/main.py" or draws(path)
    if qt and not drawing:
        yield f"{name} imports {qt}"
    if "pyqtgraph" in found and not draws(path):
        yield f"{name} imports pyqtgraph"
    # These files pass objects between processes of the program, or keep machine code in numba's format in the folder of
    # the user's caches, as numba itself does; none reads data from elsewhere with these modules.
    engine = {
        "app/features/study/engines.py": {"joblib"},
        "app/engine/estimator_worker.py": {"pickle"},
        "app/engine/worker_pipe.py": {"pickle"},
        "app/learners/passed.py": {"cloudpickle"},
        "solver/core/_machine_code.py": {"pickle"},
    }
    if wrong := {
        "pickle",
        "cPickle",
        "dill",
        "joblib",
        "cloudpickle",
        "dask",
        "distributed",
        "marshal",
        "shelve",
    } & found - engine.get(name, set()):
        yield f"{name} imports {wrong}"
    # A process that waits for its parent's end does so beside its work; nothing else in the solver starts a thread.
    alone = {"app", "pyqtgraph"} if name == "solver/core/own_process.py" else {"app", "pyqtgraph", "threading"}
    if name.startswith("solver/") and (wrong := alone & found):
        yield f"{name} imports {wrong}"
    if not drawing and any(each.startswith(("app.views", "app.window")) for each in imported(path)):
        yield f"{name} imports views"


@pytest.mark.slow
def test_the_window_knows_no_feature() -> None:
    """Beside the menu of a picture, which asks the probe about a point."""
    found = {name_of(path) for path in SOURCES if name_of(path).startswith("app/window/")}
    found = {name for name in found if any(each.startswith("app.features") for each in imported(ROOT / name))}
    assert found == {"app/window/picture_menu.py"}


@pytest.mark.slow
def test_the_rules_see_relative_imports() -> None:
    assert "app.files.documents" in imported(ROOT / "app/main.py")
    assert "app.engine.training_run" in imported(ROOT / "app/engine/lane_job.py")
    assert any("pyqtgraph" in tops(path) for path in SOURCES)


CONTRACT = "Rooms of app: each imports those below it only, in functions and for types, too"


@cache
def floors() -> dict[str, int]:
    """Return the rooms of `app`, each with its layer in the contract; 0 is the highest."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(each["layers"] for each in linter["contracts"] if each["name"] == CONTRACT)
    return {room.strip(): floor for floor, layer in enumerate(layers) for room in layer.split("|")}


def rooms_used(path: Path) -> set[str]:
    """Return the rooms of `app` that the file at `path` imports, at any depth of the code."""
    return {name.split(".")[1] for name in imported(path) if name.startswith("app.")} & floors().keys()


@pytest.mark.slow
def test_the_rooms_of_app_are_free_of_circles() -> None:
    """Checked without the linter: lazy imports and those for types count, without exceptions."""
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[0] == "app" and parts[1] != "__init__":
            found.setdefault(parts[1], set()).update(rooms_used(path) - {parts[1]})
    assert found.keys() == floors().keys() and "learners" in found["engine"]
    for room, used in found.items():
        assert not [each for each in used if floors()[each] <= floors()[room]], room


def test_the_map_has_the_rooms_in_the_order_of_the_contract() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `app/")]
    rooms = [name for row in rows for name in re.findall(r"`app/(\w+)", row)]
    highest_last = sorted(rooms, key=lambda room: -floors()[room])
    assert rooms == highest_last and {*rooms} == floors().keys() - {"__main__", "main", "arrays"}


@pytest.mark.slow
def test_everything_but_the_views_runs_without_qt() -> None:
    modules = [
        name_of(path).removesuffix(".py").replace("/", ".")
        for path in SOURCES
        if not draws(path) and path.name not in ("__init__.py", "__main__.py")
    ]
    assert "app.main" in modules and "app.engine.lane_job" in modules and "solver.svm.smo" in modules
    code = (
        f"import sys\nfor name in {modules!r}:\n    __import__(name)\n"
        "drawing = ('PySide', 'shiboken', 'pyqtgraph', 'app.views', 'app.window')\n"
        "found = [name for name in sys.modules if name.startswith(drawing)]\n"
        "assert not found, found\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_every_file_says_first_what_lives_in_it() -> None:
    assert not [name_of(path) for path in SOURCES if not ast.get_docstring(parsed(path))]


@pytest.mark.slow
def test_the_window_starts_without_what_only_an_import_needs() -> None:
    needless = ("app.exchange.columns", "app.exchange.share_text")
    code = f"import sys, app.window.main_window\nassert not any(name in sys.modules for name in {needless})\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
