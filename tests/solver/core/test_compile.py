"""Compiling: a damaged cache costs one compilation and no more; an import compiles nothing and opens no window.

Each case is a process of its own, because numba reads its settings once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from numba.core import config

from solver import warmup
from solver.core import _machine_code

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
{extra}
from solver.core._compile import cache_directory, jit

@jit
def twice(x):
    return x + x

print(twice(eval(sys.argv[1])), sum(twice.stats.cache_hits.values()), cache_directory())
"""


def run(directory: Path, cache: Path, extra: str = "", number: str = "21") -> list[str]:
    """Run PROGRAM as a file (numba caches only files); return its words on standard output."""
    script = directory / "tiny.py"
    text = PROGRAM.format(extra=f"import sys\n{extra}")
    if not script.exists() or script.read_text() != text:
        script.write_text(text)
    return python([str(script), number], cache, directory)


def python(arguments: list[str], cache: Path, directory: Path) -> list[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT), "TMPDIR": str(directory)}
    answer = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, cwd=directory, timeout=600
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    return answer.stdout.split()


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda content: content[: len(content) // 2],
    "garbage": lambda content: b"\x80garbage" * 50,
    "empty": lambda content: b"",
    "changed": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
}


def check_damage(directory: Path, damages: Iterable[str]) -> None:
    cache = directory / "cache"
    assert run(directory, cache)[:2] == ["42", "0"]
    for damage in damages:
        (file,) = cache.rglob("*.nb?")
        file.write_bytes(DAMAGE[damage](file.read_bytes()))
        assert run(directory, cache)[:2] == ["42", "0"], damage
    assert run(directory, cache)[:2] == ["42", "1"], "the damage must heal"


@pytest.mark.slow
def test_a_damaged_cache_costs_one_compilation(tmp_path: Path) -> None:
    check_damage(tmp_path, DAMAGE)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["*.nb?", "compiled-*/*", "compiled-*"])
def test_something_else_in_place_of_a_file_or_folder(what: str, tmp_path: Path) -> None:
    """Neither can be read nor replaced, as without permission, which the administrator always has."""
    cache = tmp_path / "cache"
    assert run(tmp_path, cache)[:2] == ["42", "0"]
    for path in [*cache.rglob(what)]:
        if path.is_dir():
            shutil.rmtree(path)
            path.write_bytes(b"a file where the folder should be")
        else:
            path.unlink()
            (path / "a folder where the file should be").mkdir(parents=True)
    before = sorted(cache.rglob("*"))
    for _ in range(2):
        assert run(tmp_path, cache)[0] == "42"
    assert sorted(cache.rglob("*")) == before, "nothing is left over"


def test_machine_code_with_a_changed_bit_is_not_used(tmp_path: Path) -> None:
    """Run as it is, one in seven such changes ends the process, and one in a hundred changes a number."""
    cached = _machine_code._KeyedFile(str(tmp_path), "twice", "")
    cached.save("key", b"code")
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for path, sound in files.items():
        for bit in range(8 * len(sound)):
            changed = bytearray(sound)
            changed[bit // 8] ^= 1 << bit % 8
            path.write_bytes(changed)
            found = None
            with suppress(Exception):  # which costs a compilation
                found = cached.load("key")
            assert found in (None, b"code"), bit
        path.write_bytes(sound)
    assert cached.load("key") == b"code"


def test_numbas_directory_is_put_back_even_if_the_user_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(function: object) -> None:
        raise KeyboardInterrupt

    before = config.CACHE_DIR
    monkeypatch.setattr(_machine_code, "_ForgivingCache", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _machine_code.jit(lambda x: x)
    after = config.CACHE_DIR
    monkeypatch.setattr(config, "CACHE_DIR", before)
    assert after == before


def test_a_missing_cache_directory_is_made(tmp_path: Path) -> None:
    cache = tmp_path / "not" / "yet" / "there"
    words = run(tmp_path, cache)
    assert words[:2] == ["42", "0"] and Path(words[2]).parent == cache


def test_an_impossible_cache_directory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where the directory should be")
    words = run(tmp_path, blocked)
    assert words[:2] == ["42", "0"] and Path(words[2]).parent == tmp_path
    assert not Path(words[2]).exists(), "the temporary one must not stay"


def test_an_unwritable_cache_directory(tmp_path: Path) -> None:
    # Permissions do not stop root, so the probe itself is made to fail.
    refused = (
        "import tempfile\n"
        "def refuse(dir): raise PermissionError(13, 'Permission denied', str(dir))\n"
        "tempfile.TemporaryFile = refuse\n"
    )
    words = run(tmp_path, tmp_path / "cache", refused)
    assert words[:2] == ["42", "0"] and Path(words[2]).parent == tmp_path


@pytest.mark.slow
def test_a_cache_that_cannot_be_saved(tmp_path: Path) -> None:
    """The disk is full after the probe: saving raises, but the result is returned."""
    full = (
        "from numba.core.caching import IndexDataCacheFile\n"
        "def save(self, key, data): raise OSError(28, 'No space left on device')\n"
        "IndexDataCacheFile.save = save\n"
    )
    assert run(tmp_path, tmp_path / "cache", full)[:2] == ["42", "0"]


@pytest.mark.slow
def test_machine_code_is_used_only_for_its_own_types(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert run(tmp_path, cache)[:2] == ["42", "0"]
    (first,) = cache.rglob("*.nb?")
    assert run(tmp_path, cache, number="1.5")[:2] == ["3.0", "0"]
    (second,) = {*cache.rglob("*.nb?")} - {first}
    second.write_bytes(first.read_bytes())
    assert run(tmp_path, cache, number="1.5")[:2] == ["3.0", "0"]
    assert run(tmp_path, cache, number="1.5")[:2] == ["3.0", "1"], "it heals"
    assert run(tmp_path, cache)[:2] == ["42", "1"]


LEAN = """
import sys
import numpy as np
from solver.core._compile import inlined, jit, lean_part
from solver.svm import _smo_loops

@jit
def square(a, k):
    made = np.empty(2)
    made[:] = a[k]
    return made[0] * made[1]

@inlined
def entry(a, k):
    return a[k]

@lean_part
def lean_sum(a):
    total = 0.0
    for k in range(len(a)):
        total += entry(a, k)
    return total

@lean_part
def lean_squares(a):
    total = 0.0
    for k in range(len(a)):
        total += square(a, k)
    return total

@jit
def of(a):
    return lean_sum(a) + lean_squares(a)

@lean_part
def wasteful(a):
    return np.empty(len(a))[0]

@jit
def refused(a):
    return wasteful(a)

numbers = np.arange(4.0)
before = sys.getrefcount(numbers)
print(of(numbers), sys.getrefcount(numbers) - before)
(code,) = lean_sum.inspect_llvm().values()
body = next(part for part in code.split("define ")[1:] if "lean_sum" in part.partition("\\n")[0])
print(body.partition("\\n}")[0].count("NRT_incref"), _smo_loops.updates.targetoptions["_nrt"])
try:
    refused(numbers)
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.slow
def test_a_lean_loop_counts_no_references_and_makes_no_arrays(tmp_path: Path) -> None:
    """Functions that it calls may make arrays, and its arguments are as alive as before."""
    script = tmp_path / "lean.py"
    script.write_text(LEAN)
    assert python([str(script)], tmp_path / "cache", tmp_path) == ["20.0", "0", "0", "False", "TypingError"]


NOWHERE = """
import tempfile
def refuse(*args, **named): raise OSError(24, 'Too many open files')
tempfile.mkdtemp = tempfile.TemporaryFile = refuse
"""


def test_where_nothing_can_be_written_everything_is_compiled(tmp_path: Path) -> None:
    assert run(tmp_path, tmp_path / "cache", NOWHERE)[:2] == ["42", "0"]


@pytest.mark.slow
def test_what_cannot_be_read_for_now_is_not_thrown_away(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    busy = (
        "from pathlib import Path\n"
        "real = Path.read_bytes\n"
        "def refuse(path):\n"
        "    if path.suffix == '.nbc': raise OSError(24, 'Too many open files')\n"
        "    return real(path)\n"
        "if len(sys.argv) > 2: Path.read_bytes = refuse\n"
    )
    assert run(tmp_path, cache, busy)[:2] == ["42", "0"]
    assert python([str(tmp_path / "tiny.py"), "21", "busy"], cache, tmp_path)[:2] == ["42", "0"]
    assert run(tmp_path, cache, busy)[:2] == ["42", "1"]


OWN = """
import numpy as np
from solver.core._compile import cache_directory
from solver.linear._linear_loops import margin

value = margin(np.array([[3.0, 4.0]]), np.array([1.0]), 1.0, np.array([0.5, 0.5, 0.0]))[1]
print(value, sum(margin.stats.cache_hits.values()), cache_directory())
"""


@pytest.mark.slow
def test_machine_code_outlives_an_update_and_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    """A checkout, an installed package and a bundle of the same loops share it; an update of other loops
    finds it, too.
    """

    def words(location: str) -> list[str]:
        script = tmp_path / "own.py"
        script.write_text(f"import sys; sys.path.insert(0, {str(tmp_path / location)!r})\n{OWN}")
        return python([str(script)], tmp_path / "cache", tmp_path)

    for location in ("a", "b"):
        shutil.copytree(ROOT / "solver", tmp_path / location / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (tmp_path / "b").rglob("*.py"):
        os.utime(path, (10**9, 10**9))
    for name in ("svm/svc.py", "__init__.py"):
        with (tmp_path / "b/solver" / name).open("a") as file:
            file.write("\n# Nothing numeric.\n")
    first, second = words("a"), words("b")
    assert (first[1], second) == ("0", [first[0], "1", first[2]])
    with (tmp_path / "b/solver/svm/_smo_loops.py").open("a") as file:
        file.write("\n# This may change a number.\n")
    third = words("b")
    assert third[:2] == [first[0], "0"] and third[2] != first[2]


def test_importing_compiles_nothing_and_needs_no_window(tmp_path: Path) -> None:
    script = """
import sys
import solver
for name in solver.__all__:
    getattr(solver, name)
deferred = 'numba' not in sys.modules
from numba.core.dispatcher import Dispatcher
from solver.core._compile import settle
settle()
modules = [m for name, m in sys.modules.items() if name.split('.')[0] == 'solver']
jitted = [f for m in modules for f in vars(m).values() if isinstance(f, Dispatcher)]
print(deferred, len(jitted) > 5, sum(len(f.overloads) for f in jitted))
print(any(name.split('.')[0] in ('PySide6', 'PyQt6', 'pyqtgraph', 'app') for name in sys.modules))
"""
    assert python(["-c", script], tmp_path / "cache", tmp_path) == ["True", "True", "0", "False"]
    assert not list((tmp_path / "cache").rglob("*.nb?"))


@pytest.mark.smoke
def test_a_second_process_compiles_only_uncompiled_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    done: list[str] = []
    monkeypatch.setattr(warmup, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(warmup, "_second_process", lambda in_window: begun.append(1))
    monkeypatch.setattr(
        warmup,
        "steps",
        lambda: [
            warmup.CompileStep("kNN", lambda: done.append("kNN")),
            warmup.CompileStep("SVM", lambda: done.append("SVM")),
            warmup.CompileStep("more", lambda: done.append("more"), in_window=False),
        ],
    )
    warmup.compile_all(in_window=True)
    assert done == ["SVM", "kNN"] and len(begun) == 1
    warmup.compile_all(in_window=True)
    assert len(begun) == 1
    warmup.compile_all()
    assert len(begun) == 2 and done[-3:] == ["SVM", "more", "kNN"]
    (tmp_path / "complete-window").unlink()
    warmup.compile_all(in_window=True)
    assert len(begun) == 2, "all of it is there, and so what the window needs"


@pytest.mark.parametrize(("window", "expected"), [(True, ["kNN"]), (False, ["kNN", "kNN cells"])])
def test_while_the_window_waits_the_second_process_compiles_only_what_that_needs(
    monkeypatch: pytest.MonkeyPatch, window: bool, expected: list[str]
) -> None:
    begun: list[list[str]] = []
    done: list[str] = []
    monkeypatch.setattr(warmup, "_others", [])
    monkeypatch.setattr(warmup.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(warmup.subprocess, "Popen", lambda words, **_: begun.append(words))
    warmup._second_process(window)
    parts = [("SVM", True), ("kNN", True), ("kNN cells", False)]
    steps = [warmup.CompileStep(name, lambda name=name: done.append(name), needed) for name, needed in parts]
    monkeypatch.setattr(warmup, "steps", lambda: steps)
    at = begun[0].index("kNN")
    monkeypatch.setattr(warmup.sys, "argv", ["warmup", *begun[0][at:]])
    warmup.main()
    assert done == expected
