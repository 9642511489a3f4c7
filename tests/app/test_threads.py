"""Files that start threads and processes: the table in CONTRIBUTING.md agrees with the source."""

from __future__ import annotations

import ast
import re

from tests.app.test_boundaries import ROOT, SOURCES, name_of, parsed

#: Functions and classes that start a thread or a process, or create an object that does.
STARTERS = {
    *("Thread", "Timer", "ThreadPool", "ThreadPoolExecutor", "start_new_thread", "to_thread", "run_in_executor"),
    *("Popen", "Process", "ProcessPoolExecutor", "get_reusable_executor", "Parallel", "LocalCluster"),
    *("fork", "forkpty", "posix_spawn", "spawnv", "spawnl", "startfile"),
    *("QThread", "QThreadPool", "QRunnable", "QProcess", "startDetached"),
}


def called(node: ast.AST) -> str:
    """Return the last part of the name that `node` calls, or ""."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def starters(tree: ast.AST) -> set[str]:
    """Return the names in a file that start a thread or a process: calls, and base classes."""
    found = {called(node) for node in ast.walk(tree)}
    bases = [base for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases]
    found |= {base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in bases}
    return found & STARTERS


def test_threads_and_processes_have_the_owners_of_the_table() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Threads and processes\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| ")][1:]
    listed = [file for row in rows for file in re.findall(r"`([^`]+)`", row[1])]
    assert 0 < len(rows) <= 5 and len(set(listed)) == len(listed)
    named = [path for path in SOURCES if any(name in path.read_text(encoding="utf-8") for name in STARTERS)]
    assert {name_of(path) for path in named if starters(parsed(path))} == set(listed)


def test_each_way_to_start_one_is_found() -> None:
    for code in (
        "threading.Thread(target=f)",
        "from subprocess import Popen\nPopen(['x'])",
        "class A(QThread): pass",
        "def f():\n    with concurrent.futures.ThreadPoolExecutor(2) as pool: pass",
    ):
        assert starters(ast.parse(code)), code
    assert not starters(ast.parse("subprocess.run(['x'])\nx: threading.Thread | None = None"))
