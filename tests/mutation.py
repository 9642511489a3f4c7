"""Plant faults in a copy of the program, one at a time, and print which of them the tests catch.

``python -m tests.mutation --seed 1 --count 30``: the seed chooses the faults, so that the tests before and after a
change of theirs are compared by the same ones.  Each fault is tried on the tests of its own room; with ``--wide``, one
that they do not catch is tried on all tests of `make test`.  What none catches may change nothing that can be noticed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("app", "solver", "tests", "assets", "docs", "pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
#: Longest time (s) for the tests of one fault: some faults make a test wait for what never comes.
LONGEST = 900
#: Operators, and what a slip of the hand makes of each.
SLIPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not", "is not": "is"}
SLIPS |= {"in": "not in", "not in": "in", "+": "-", "-": "+", "*": "/", "/": "*", "and": "or", "or": "and"}


@dataclass(frozen=True)
class Fault:
    """A part of a line and what is written in its place.

    Attributes
    ----------
    path : str
        Source file, from the root.
    start, end : int
        Offsets of the part in the file, in bytes.
    line : int
    new : str
    """

    path: str
    start: int
    end: int
    line: int
    new: str

    def planted(self, source: bytes) -> bytes:
        """Return the source with the fault."""
        return source[: self.start] + self.new.encode() + source[self.end :]

    def words(self, source: bytes) -> str:
        """Return a line on the fault."""
        old = " ".join(source[self.start : self.end].decode().split())
        return f"{self.path}:{self.line}: {old} -> {self.new}"


def faults_in(path: str, source: bytes) -> Iterator[Fault]:
    """Yield all faults that may be planted in a file; none in annotations or texts."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def begin(node: ast.expr | ast.stmt) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def end(node: ast.expr | ast.stmt) -> int:
        return starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def between(first: ast.expr, second: ast.expr) -> Iterator[Fault]:
        gap = source[end(first) : begin(second)].strip(b" ()\\\n")
        if new := SLIPS.get(gap.decode()):
            at = source.index(gap, end(first))
            yield Fault(path, at, at + len(gap), first.end_lineno or 0, new)

    for node in _code(ast.parse(source)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between(node.left, node.comparators[0])
        elif isinstance(node, ast.BinOp) and not isinstance(node.left, (ast.Constant, ast.JoinedStr)):
            yield from between(node.left, node.right)
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1])
        elif isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
            new = repr(not node.value if isinstance(node.value, bool) else node.value + 1)
            yield Fault(path, begin(node), end(node), node.lineno, new)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield Fault(path, begin(node), begin(node) + len("not"), node.lineno, "")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield Fault(path, begin(node), end(node), node.lineno, "pass")


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is executed in functions: no annotations, no decorators, no parts of a text."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _code(child)


def tests_of(path: str) -> str:
    """Return the folder of the tests of a source file: that of its room, or of its feature."""
    parts = Path(path).parts[:-1]
    if parts[:2] == ("app", "window"):
        parts = ("app", "views", *parts[2:])
    while parts and not any((ROOT / "tests" / Path(*parts)).glob("test_*.py")):
        parts = parts[:-1]
    return str(Path("tests", *parts))


def chosen(seed: int, count: int, rooms: list[str]) -> list[Fault]:
    """Return `count` faults, each in a room of its own as long as there are rooms: a room is a folder with source."""
    draw = random.Random(seed)
    files: dict[str, list[str]] = {}
    for path in sorted(each for top in ("app", "solver") for each in (ROOT / top).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        room = str(Path(name).parent)
        if any(name.startswith(each) for each in rooms) and tests_of(name) not in (
            "tests",
            "tests/app",
            "tests/solver",
        ):
            files.setdefault(room, []).append(name)
    faults: list[Fault] = []
    while files and len(faults) < count:
        for room in draw.sample(sorted(files), len(files)):
            name = draw.choice(files[room])
            if found := list(faults_in(name, (ROOT / name).read_bytes())):
                faults.append(draw.choice(found))
    return faults[:count]


def first_failure(folder: Path, *tests: str) -> str:
    """Return which of some tests in a copy fails first, or "" if none does."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
    command += ["-m", "not soak and not slow", *tests]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(folder)}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return "it does not end"
    if done.returncode == 0:
        return ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0] if failed else f"it ends with {done.returncode}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 16))
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--rooms", nargs="*", default=[""], help="beginnings of paths, as app/state")
    parser.add_argument("--wide", action="store_true", help="try all tests on what those of its room do not catch")
    options = parser.parse_args()
    faults = chosen(options.seed, options.count, options.rooms)
    print(f"seed {options.seed}: {len(faults)} faults", flush=True)
    caught, before = 0, dict[str, str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for each in COPIED:
            copy = shutil.copytree if (ROOT / each).is_dir() else shutil.copy2
            copy(ROOT / each, folder / each)
        for fault in faults:
            tests, source = tests_of(fault.path), (ROOT / fault.path).read_bytes()
            if tests not in before:
                before[tests] = first_failure(folder, tests)
            if before[tests]:
                print(f"{fault.words(source)}\n    not tried, without a fault there is {before[tests]}", flush=True)
                continue
            (folder / fault.path).write_bytes(fault.planted(source))
            failure = first_failure(folder, tests)
            if options.wide and not failure:
                failure, tests = first_failure(folder, "tests", "-n", "logical"), "tests"
            (folder / fault.path).write_bytes(source)
            caught += bool(failure)
            print(f"{fault.words(source)}\n    {failure or 'NOT CAUGHT by ' + tests}", flush=True)
    print(f"{caught} of {len(faults)} faults caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
