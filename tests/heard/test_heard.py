"""What a screen reader hears is `heard.txt`, which a person reads: Qt tells AT-SPI, and a second process listens."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from solver.core._compile import cache_directory

HERE = Path(__file__).parent
LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")
NEEDED = [name for name in ("xvfb-run", "xdotool", "dbus-run-session") if shutil.which(name) is None]
SCRIPT = '"$1" --launch-immediately >/dev/null & "$2" -m tests.heard.hear; status=$?; kill %1; exit $status'


def sentences(heard: str) -> list[Counter[str]]:
    """Return how often each sentence is heard in each part: under load, two pictures are told of one by one."""
    parts = heard.split("# ")[1:]
    return [Counter(re.split(r"\s*\n[\s!]*|  ", part.rstrip())) for part in parts]


@pytest.mark.slow
@pytest.mark.skipif(bool(NEEDED) or not LAUNCHER.exists(), reason=f"needs at-spi2-core {' '.join(NEEDED)}".strip())
def test_what_a_screen_reader_hears(tmp_path: Path) -> None:
    pytest.importorskip("jeepney", reason="D-Bus in Python: python -m pip install jeepney")
    home = {
        name: str(tmp_path)
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
    }
    accessible = {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "QT_QPA_PLATFORM": "xcb"}
    kept = {"NUMBA_CACHE_DIR": str(cache_directory().parent)}
    screen = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", "dbus-run-session", "--"]
    done = subprocess.run(
        [*screen, "bash", "-c", SCRIPT, "bash", str(LAUNCHER), sys.executable],
        cwd=HERE.parents[1],
        env=os.environ | home | accessible | kept,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert not done.returncode, done.stdout + done.stderr[-2000:]
    (tmp_path / "heard.txt").write_text(done.stdout, encoding="utf-8")  # for tests/heard/heard.txt, once read
    assert sentences(done.stdout) == sentences((HERE / "heard.txt").read_text(encoding="utf-8")), done.stdout
