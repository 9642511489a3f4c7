"""Packages, workflows and citations agree with the version, the dependencies and the assets."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from app import __date__, __version__
from app.files import licences
from app.main import main

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_in_one_file() -> None:
    assert "version" not in PROJECT["project"] and PROJECT["tool"]["hatch"]["version"]["path"] == "solver/version.py"
    for name in ("CITATION.cff", "pyproject.toml", "assets/desktop/classifier-playground.metainfo.xml"):
        text = (ROOT / name).read_text(encoding="utf-8").replace(f"python-{__version__}", "")
        assert __version__ not in text and __date__ not in text


@pytest.fixture
def bootstrap() -> Any:
    """Return the module of the program that prepares .venv."""
    spec = spec_from_file_location("bootstrap", ROOT / ".ci" / "bootstrap.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_installation_is_done_once_and_one_that_failed_is_made_anew(
    bootstrap: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    venv = tmp_path / ".venv"
    python, done, works = venv / "python", list[str](), True

    def run(command: list[str], **options: object) -> tuple[bool, str]:
        done.append(command[2])
        assert not (venv / ".installed").exists(), "killed here, it is known to be unfinished"
        if command[2] == "venv":
            assert not venv.exists()
            venv.mkdir()
            python.touch()
        return works, "" if works else "no network"

    for name, value in {"VENV": venv, "VENV_PYTHON": python, "STAMP": venv / ".installed", "run": run}.items():
        monkeypatch.setattr(bootstrap, name, value if name == "run" else str(value))

    def made(goal: str) -> list[str]:
        done.clear()
        bootstrap.install(goal)
        return done

    assert made("run") == ["venv", "pip"] and made("run") == []
    assert made("test") == ["pip"] and made("run") == made("test") == []
    works = False
    with pytest.raises(SystemExit, match="the output above says why"):
        made("dist")
    assert "no network" in capsys.readouterr().out
    works = True
    assert made("run") == ["venv", "pip"], "half an installation is not gone on with"
    python.unlink()
    assert made("run") == ["venv", "pip"]


def test_another_python_is_looked_for_where_this_one_is_not_supported(
    bootstrap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap.use_supported_python("run")
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: f"/bin/{name}" if name == "python3.12" else None)
    called: list[list[str]] = []
    monkeypatch.setattr(bootstrap.subprocess, "call", lambda command: called.append(command))
    with pytest.raises(SystemExit):
        bootstrap.use_supported_python("run")
    assert [[command[0], command[2]] for command in called] == [["/bin/python3.12", "run"]]
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer, but .* is Python 3\.9\.2; name a suitable one"):
        bootstrap.use_supported_python("run")


def test_the_workflow_tries_every_python() -> None:
    listed = [
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in PROJECT["project"]["classifiers"]
    ]
    workflow = (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
    tried = re.search(r"python: \[(.+)\]", workflow)
    assert tried is not None
    versions = [each[1] for each in listed if each is not None]
    assert re.findall(r'"(3\.\d+)"', tried[1]) == versions
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}", "no ceiling"


def test_all_that_is_needed_has_a_lowest_and_a_pinned_version() -> None:
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower()
    extras = PROJECT["project"]["optional-dependencies"]
    for line in (*PROJECT["project"]["dependencies"], *(each for name in extras for each in extras[name])):
        name = re.match(r"([\w.-]+)(?:\[[^]]*\])?>=\d", line)
        assert name is not None, f"{line} has no lowest version"
        assert re.search(rf"^{re.escape(name[1].lower())}==", pinned, re.MULTILINE), f"{name[1]} is not pinned"


def test_every_folder_of_assets_that_is_used_is_packed() -> None:
    used = {
        name
        for path in (ROOT / "app").rglob("*.py")
        for name in re.findall(r'\bassets?\("(\w+)"', path.read_text(encoding="utf-8"))
    }
    packed = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {f"assets/{name}": f"app/assets/{name}" for name in used} == packed
    spec = (ROOT / ".ci" / "bundle" / "classifier-playground.spec").read_text(encoding="utf-8")
    (packed_words,) = re.findall(r'for part in "([\w ]+)"', spec)
    assert {*packed_words.split()} == used


@cache
def _trees() -> dict[Path, ast.Module]:
    """Return the syntax trees of the programs in .ci and docs, and of the code that stands in their texts."""
    files = [path for room in (".ci", "docs") for path in (ROOT / room).rglob("*") if path.suffix in (".py", ".spec")]
    found = {}
    for path in files:
        found[path] = tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        for text in texts:
            if re.match(r"(from|import) (app|solver)\b", text):
                tree.body += ast.parse(text).body
    return found


PROGRAMS = sorted((ROOT / ".ci").glob("*.py"))


@pytest.fixture
def no_hatchling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace hatchling, which is there only for `make dist`."""
    plugin = ModuleType("hatchling.metadata.plugin.interface")
    plugin.MetadataHookInterface = object  # type: ignore[attr-defined]
    for name in ("hatchling", "hatchling.metadata", "hatchling.metadata.plugin"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, plugin.__name__, plugin)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.name))
def test_every_program_of_ci_can_be_imported(path: Path, monkeypatch: pytest.MonkeyPatch, no_hatchling: None) -> None:
    monkeypatch.setattr(sys, "path", [str(path.parent), *sys.path])
    spec = spec_from_file_location(f"ci_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.__doc__


def test_every_name_taken_from_the_packages_exists() -> None:
    """Builds and documents import names in functions, too, where only a build would find them missing."""
    taken, lacking = 0, []
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and re.match(r"(app|solver)\b", node.module or ""):
                module = import_module(str(node.module))
                for alias in node.names:
                    taken += 1
                    inside = hasattr(module, "__path__") and find_spec(f"{node.module}.{alias.name}")
                    if not (hasattr(module, alias.name) or inside):
                        lacking.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.module}.{alias.name}")
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if re.match(r"(app|solver)\b", alias.name) and not find_spec(alias.name):
                        lacking.append(f"{path.relative_to(ROOT)}:{node.lineno} {alias.name}")
    assert taken > 10 and not lacking


@pytest.mark.slow
def test_the_bundle_starts_known_processes_only(tmp_path: Path) -> None:
    """Every module that is started as a process is known to the start of the bundle."""
    begin = (ROOT / ".ci" / "bundle" / "start.py").read_text(encoding="utf-8")
    started = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
        for room in ("app", "solver")
        for path in (ROOT / room).rglob("*.py")
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    assert {"app.features.study.worker", "app.engine.estimator_worker", "solver.warmup"} <= started
    for module in started:
        assert f'"{module}"' in begin, module
    (tmp_path / "json.py").write_text("raise SystemExit('found in the working folder')")
    code = (
        "import subprocess, sys\nfrom solver.core.own_process import command\n"
        "sys.exit(subprocess.run(command('app.features.study.worker', '0'), stdin=subprocess.DEVNULL).returncode)"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0 and b"working folder" not in done.stderr


def test_licences_name_everything_and_the_terms_of_qt(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--licences"])
    shown = capsys.readouterr().out
    assert not end.value.code and "GNU Lesser General Public\nLicense, version 3" in shown
    installed = [part.name for part in licences.packages()]
    assert {"PySide6_Essentials", "numba", "numpy"} <= set(installed)
    for name in installed:
        assert name == licences.NAME or re.search(rf"^{re.escape(name)} +\d", shown, re.MULTILINE), name


def workflows() -> dict[str, str]:
    """Return the texts of the workflows, by name."""
    return {
        path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    }


def test_actions_are_pinned_to_a_commit_with_the_version_beside_it() -> None:
    for name, text in workflows().items():
        uses = re.findall(r"uses: (.+)", text)
        assert uses and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in uses), name
        assert text.count("actions/checkout@") == text.count("persist-credentials: false"), name


def test_the_hooks_have_the_versions_of_make_lint() -> None:
    hooks = re.findall(r"- repo: \S+/(\S+)\n +rev: v(\S+)  #", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert len(hooks) == 3
    for name, version in hooks:
        assert f"\n{name.removesuffix('-pre-commit')}=={version}\n" in pinned


def test_a_tag_builds_everything_on_three_systems() -> None:
    build = workflows()["build"]
    assert 'tags: ["v*"]' in build and "system: [ubuntu-latest, macos-latest, windows-latest]" in build
    assert "goal: [dist, bundle]" in build and "goal: docs" in build
    assert "run: .ci/run" in workflows()["check"] and "make check" not in workflows()["check"]


@pytest.mark.skipif(os.name == "nt", reason="the tools are shell scripts")
def test_lint_runs_all_its_tools_then_fails(tmp_path: Path) -> None:
    for name in ("python", "ruff", "lint-imports", "codespell", "zizmor"):
        tool = tmp_path / name
        tool.write_text(f"#!/bin/sh\necho {name} $1 >>'{tmp_path}/log'\n[ {name} != ruff ]\n", encoding="utf-8")
        tool.chmod(0o755)
    done = subprocess.run(
        ["make", "lint", "PYTHON=true", f"BIN={tmp_path}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    ran = (tmp_path / "log").read_text(encoding="utf-8").split("\n")[:-1]
    assert ran == [
        "ruff check",
        "ruff format",
        "lint-imports --no-logo",
        "python .ci/words.py",
        "python .ci/budget.py",
        "codespell app",
        "zizmor --offline",
    ]
    assert done.returncode and "these failed: ruff check, ruff format\n" in done.stdout


@pytest.fixture
def for_index(no_hatchling: None) -> Callable[[str, str, str], str]:
    """Return the function that makes the README for an index."""
    spec = spec_from_file_location("index_readme", ROOT / ".ci" / "index_readme.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[str, str, str], str] = module.for_index
    return found


def test_the_readme_of_an_index_has_no_broken_link(for_index: Callable[[str, str, str], str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    published = for_index(readme, "someone/classifier-playground", "v1.2.3")
    links = re.findall(r"\]\(([^)]+)\)", published)
    assert len(links) == len(re.findall(r"\]\(([^)]+)\)", readme)) and all(
        each.startswith("https://") for each in links
    )
    start = "https://github.com/someone/classifier-playground/"
    assert (
        f"]({start}raw/v1.2.3/docs/pictures/step.png)" in published
        and f"]({start}blob/v1.2.3/docs/tour.md)" in published
    )
    alone = for_index(readme, "", "main")
    assert (
        "](docs" not in alone and "](assets" not in alone and "![" not in alone and "The tour lists everything" in alone
    )


@pytest.mark.parametrize("answer", ["y", "n", "nobody", "CI"])
def test_root_is_asked_before_system_packages_are_installed(
    bootstrap: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    done: list[str] = []
    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(bootstrap.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(bootstrap, "run", lambda command, **options: (done.append(command[-1]), (True, ""))[1])
    monkeypatch.setenv("CI", "true" if answer == "CI" else "")
    monkeypatch.setattr(bootstrap.sys, "stdin", SimpleNamespace(isatty=lambda: answer in "yn"))
    monkeypatch.setattr("builtins.input", lambda text: answer)
    if answer in ("y", "CI"):
        bootstrap.install_system_packages("libone libtwo", "Qt does not start.")
        assert done == ["update", "libtwo"]
    else:
        with pytest.raises(SystemExit, match="apt-get install -y libone libtwo"):
            bootstrap.install_system_packages("libone libtwo", "Qt does not start.")
        assert not done
