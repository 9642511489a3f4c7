"""Second processes end with the first, however that ends and whatever they compute."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

#: Starts a module in a second process, prints its number once that reports, and waits for ever.
PARENT = """import subprocess, sys, threading
from solver.core.own_process import command
sys.path.insert(0, {folder!r})
def start():
    global child
    child = subprocess.Popen(command("odd_work"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
thread = threading.Thread(target=start)
thread.start()
thread.join()
child.stdout.read(1)
print(child.pid, flush=True)
sys.stdin.read()"""
COUNTING = "while True: pass"
#: A sum over an endless iterator of numbers: C code that never gives the interpreter away.
HELD = "import itertools; sum(itertools.repeat(0))"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
@pytest.mark.parametrize(
    "work",
    [
        COUNTING,
        pytest.param(HELD, marks=pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills by a pipe")),
    ],
)
def test_a_second_process_ends_with_a_killed_first_one(tmp_path: Path, work: str) -> None:
    (tmp_path / "odd_work.py").write_text(f"print(1, flush=True)\n{work}\n")
    code = PARENT.format(folder=str(tmp_path))
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe) as parent:
        assert parent.stdout is not None and parent.stderr is not None
        child = int(parent.stdout.readline())
        parent.kill()
        try:
            parent.communicate(timeout=30)  # returns when the second process, too, has closed its standard error
        finally:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
