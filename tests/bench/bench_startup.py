"""Starting the program: until both lanes have painted a trained picture, with warm and with empty compile cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

IMPORTS = "import PySide6.QtWidgets, pyqtgraph, numba"
WARM_UP = "from solver import warmup; warmup.compile_all()"
START = """
import sys
from pathlib import Path
from app.main import create_window
from app.views.application import make_application
application = make_application()
from PySide6.QtCore import QTimer
window = create_window(None, Path(sys.argv[1]))
window.resize(1280, 800)
window.show()
def look():
    frames = [window.result(lane) for lane in (0, 1)]
    if all(f and f.picture and canvas.painted_job == f.job for f, canvas in zip(frames, window.canvases)):
        if sys.argv[2] == "first" or window.idle():
            import os; os._exit(0)
timer = QTimer(); timer.timeout.connect(look); timer.start(2)
application.exec()
"""


def seconds(arguments: list[str], cache: str) -> float:
    """Return the wall time (s) of a Python process with its compiled loops under `cache`."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "QT_QPA_PLATFORM": "offscreen"}
    # As in an installation: byte code exists from the second start on, of these sources, too.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(Path(cache) / "bytecode")
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", *arguments], check=True, env=environment)
    return time.perf_counter() - begun


def run() -> None:
    with tempfile.TemporaryDirectory() as cache:
        print(f"warm-up of the library, empty cache: {seconds([WARM_UP], cache):.1f} s")
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as profile:
        seconds([IMPORTS], cache)
        bare = median(seconds([IMPORTS], cache) for _ in range(3))
        print(f"import PySide6, pyqtgraph, numba alone: {bare:.2f} s")
        numbers = median(seconds(["import numpy, numba"], cache) for _ in range(5))
        library = median(seconds(["import solver"], cache) for _ in range(5))
        print(f"import numpy, numba: {numbers:.2f} s; import solver: {library:.2f} s, {library / numbers:.2f} times")
        cold = seconds([START, profile, "first"], cache)
        print(f"empty compile cache, first trained pictures: {cold:.2f} s, {cold / bare:.1f} times that")
        compiled = seconds([START, profile, "all"], cache)
        print(f"empty compile cache, everything compiled: {compiled:.1f} s")
        warm = median(seconds([START, profile, "first"], cache) for _ in range(3))
        print(f"warm compile cache, first trained pictures: {warm:.2f} s, {warm / bare:.1f} times that")
        full = median(seconds([START, profile, "all"], cache) for _ in range(3))
        print(f"warm compile cache, full resolution by the compiled loops: {full:.2f} s, {full / bare:.1f} times that")
