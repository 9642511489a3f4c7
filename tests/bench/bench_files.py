"""Very many points, and what blocks the window's thread longest: files, the clipboard, selecting and editing.

Then large tables: processor time and memory of reading and importing them, each in a process of its own (Linux);
these alone: ``python -m tests.bench.bench_files tables``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer

from app.core.points import Points
from app.exchange import importing, pairs
from app.exchange.columns import Imported, first_import
from app.main import create_window
from app.state.document import Document, Lane, View
from app.views.application import make_application
from app.window.main_window import MainWindow
from tests import playground_files

SIZES = (100_000, 1_000_000)
#: Time of the event loop that is measured after an action (ms), and longest wait (s).
WATCHED, PATIENCE = 150, 120

#: Sizes of tables (MB), and their columns: a name is of numbers, or of words.
TABLES, KINDS = (50, 190), ("two numbers and a class", "40 numbers", "9999 numbers", "names, towns, numbers")

Act = Callable[[], object]
Result = TypeVar("Result")


def _document(n: int) -> Document:
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 2
    points = Points.of(rng.normal(size=(n, 2)) + 3.0 * labels[:, None], labels)
    return Document(points=points, view=View.fitting(points), shown=1, lanes=(Lane("knn"), Lane("svm")))


def _turns(window: MainWindow, act: Act) -> tuple[float, list[float], list[float]]:
    """Return the CPU time of `act` itself, and CPU and wall time of each later turn of the window's thread (ms)."""
    loop, begun = QEventLoop(), time.perf_counter()
    cpu, wall, busy = [time.thread_time()], [begun], [begun]
    ticker = QTimer()

    def tick() -> None:
        cpu.append(time.thread_time())
        wall.append(time.perf_counter())
        if window.tasks.busy:
            busy.append(wall[-1])
        if wall[-1] - begun > PATIENCE or 1e3 * (wall[-1] - busy[-1]) > WATCHED:
            loop.quit()

    ticker.timeout.connect(tick)
    act()
    own = time.thread_time() - cpu[0]
    ticker.start(0)
    loop.exec()
    ticker.stop()
    return 1e3 * own, (1e3 * np.diff(cpu)).tolist(), (1e3 * np.diff(wall)).tolist()


def _settle(window: MainWindow) -> None:
    deadline = time.perf_counter() + PATIENCE
    loop = QEventLoop()
    while not window.idle() and time.perf_counter() < deadline:
        QTimer.singleShot(20, loop.quit)
        loop.exec()


def _acts(window: MainWindow, folder: Path) -> Iterator[tuple[str, Act]]:
    editing, trigger = window.controller.editing, lambda name: window.named_actions[name].trigger
    path, other = folder / "bench.playground", folder / "other.playground"
    playground_files.write(window.document, other)
    yield "save as", lambda: window.file_dialogs._save_elsewhere(lambda: None, path)
    yield "save", trigger("save")
    yield "revert", window.file_dialogs._reread
    yield "open", lambda: window.file_dialogs._read(other)
    yield "export CSV", lambda: window.import_export.export(folder / "bench.csv")
    yield "select all", trigger("select_all")
    yield "copy", trigger("copy")
    yield "select none", trigger("select_none")
    yield "paste", trigger("paste")
    yield "undo paste", trigger("undo")
    half = window.document.points.ids[::2]
    yield "select half", lambda: editing.select(half)
    yield "invert", trigger("invert")
    yield "relabel", lambda: editing.relabel_selected(3)
    yield "undo", trigger("undo")
    yield "nudge", lambda: editing.nudge(0.01, 0.01)
    yield "undo", trigger("undo")
    yield "duplicate", trigger("duplicate")
    yield "undo", trigger("undo")
    editing.select(half)
    yield "cut", trigger("cut")
    yield "undo", trigger("undo")
    points = window.document.points
    imported = Imported(points.xy, points.labels, ("", ""), ("x", "y"), ("x", "y"))
    yield "import", lambda: window.controller.import_points(imported, add=True)
    yield "undo", trigger("undo")
    yield "clear", trigger("clear")
    yield "undo", trigger("undo")
    yield "new", window.controller.new


def measure(n: int) -> Iterator[tuple[str, float, float, float]]:
    """Return, for each action, its CPU time (ms), and CPU and wall time of the longest turn of the window's thread."""
    with tempfile.TemporaryDirectory() as name:
        window = create_window(_document(n), Path(name))
        window.resize(1280, 800)
        window.show()
        _settle(window)
        for what, act in _acts(window, Path(name)):
            own, cpu, wall = _turns(window, act)
            yield what, own, max(cpu), max(wall)
            _settle(window)
        window.controller.store.reset(window.document, None)
        window.close()


def run() -> None:
    make_application()
    print("milliseconds; one kNN lane in a window of 1280x800; a turn is all that is done between two looks at events,")
    print("painting the picture anew included")
    for n in SIZES:
        for what, own, cpu, wall in measure(n):
            print(
                f"{n:7d} points: {what:11s} itself {own:6.1f}; longest turn {cpu:6.1f} of CPU, {wall:6.1f} of wall",
                flush=True,
            )
    tables()


def _rows(kind: str) -> Iterator[str]:
    """Yield the lines of a table, the header first, without end."""
    rng, n_columns = np.random.default_rng(0), {KINDS[1]: 40, KINDS[2]: 9999}.get(kind, 2)
    yield ",".join(
        [*(f"c{index}" for index in range(n_columns)), *{KINDS[0]: ["kind"], KINDS[3]: ["name", "town"]}.get(kind, [])]
    )
    while True:
        for numbers in rng.normal(size=(max(100_000 // n_columns, 1), n_columns)).tolist():
            first, cells = int(1e9 * abs(numbers[0])), [f"{number:.4f}" for number in numbers]
            words = {KINDS[0]: [f"class {first % 3}"], KINDS[3]: [f"Person {first}", f"Town {first % 5000}"]}
            yield ",".join([*cells, *words.get(kind, [])])


def tables() -> None:
    """Print what reading and importing large tables takes."""
    print("large tables: processor seconds; memory as a multiple of the file, at most and afterwards")
    for kind in KINDS:
        for megabytes in TABLES:
            with tempfile.TemporaryDirectory() as name:
                path, left = Path(name) / "table.csv", megabytes * 1_000_000
                with path.open("w", encoding="utf-8") as file:
                    for row in _rows(kind):
                        left -= file.write(f"{row}\n")
                        if left < 0:
                            break
                print(f"{megabytes:4d} MB, {kind}", flush=True)
                subprocess.run([sys.executable, "-m", "tests.bench.bench_files", str(path)], check=True)


def _memory(key: str) -> float:
    """Return the memory of this process (bytes): VmRSS, or VmHWM for the most since the last reset."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(1024.0 * int(line.split()[1]) for line in status if line.startswith(key))


def measure_table(path: Path) -> None:
    """Print processor time and memory for the table at `path`, in this process."""
    small = importing.decode(b"a,b,c,k\n" + b"1.5,2,4,u\n2.5,7,1,v\n" * 20, "small.csv", ".csv")
    pairs.views(small, first_import(small)[0].label)  # loads what is needed
    before, size = _memory("VmRSS"), path.stat().st_size

    def timed(what: str, act: Callable[[], Result]) -> Result:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # resets the most
        begun = time.thread_time()
        result = act()
        taken = time.thread_time() - begun
        most, held = ((_memory(key) - before) / size for key in ("VmHWM", "VmRSS"))
        print(f"     {what:10s} {taken:6.2f} s  {most:5.2f}  {held:5.2f}", flush=True)
        return result

    timed("first rows", lambda: importing.read(path, beginning=True))
    reports = [time.thread_time()]
    table = timed("all rows", lambda: importing.read(path, progress=lambda share: reports.append(time.thread_time())))
    reports.append(time.thread_time())
    choice, _ = kept = timed("import", lambda: first_import(table))
    timed("views", lambda: pairs.views(table, choice.label))
    print(
        f"     {len(reports)} reports of progress, the longest work between two {max(np.diff(reports)):.2f} s",
        flush=True,
    )
    del kept


if __name__ == "__main__":
    tables() if sys.argv[1:] == ["tables"] else measure_table(Path(sys.argv[1]))
