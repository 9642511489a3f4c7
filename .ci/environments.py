"""Virtual environments outside the checkout, and the checks of everything that is installed into them.

Everything runs in a folder of its own with a home of its own, so that nothing of the checkout is found by chance.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Names of the program: of its command and files, and of its window.
NAME, TITLE = "classifier-playground", "Classifier Playground"
#: Examples whose pictures are compared: kNN, an SVM and their difference; several classes; an indefinite kernel.
DOCUMENTS = ("differ", "weights", "circle")
#: Compile cache shared by all environments, as by all installations of a user.
CACHE = ROOT / "build" / "cache"
#: Longest duration of a command (s): the first start compiles for minutes.
PATIENCE = 600


class Failure(Exception):  # noqa: N818
    """A check has failed; the text is a sentence on it."""


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


def run(command: Sequence[str | Path], **options: object) -> str:
    """Return the output of a command; raise Failure with the output if it fails."""
    words = [str(word) for word in command]
    settings: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True} | options
    done = subprocess.run(words, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False, **settings)  # type: ignore[call-overload]
    if done.returncode:
        raise Failure(f"{done.stdout or ''}\n{' '.join(words)} ended with {done.returncode}.")
    return str(done.stdout)


def supported() -> list[tuple[int, int]]:
    """Return the versions of Python that pyproject.toml lists, from the lowest."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = (line.removeprefix("Programming Language :: Python :: 3.") for line in project["classifiers"])
    return sorted((3, int(minor)) for minor in listed if minor.isdecimal())


def pythons(named: Sequence[str] = ()) -> dict[tuple[int, int], Path]:
    """Return a Python of each supported version that is installed, from the lowest.

    Parameters
    ----------
    named : sequence of str
        Names or paths to try; by default names on PATH, and the Python that runs this file.
    """
    found: dict[tuple[int, int], Path] = {}
    names = [f"python{major}.{minor}" for major, minor in supported()]
    candidates = named or [*names, "python3", "python", getattr(sys, "_base_executable", sys.executable)]
    question = "import sys, venv, ensurepip; print(*sys.version_info[:2], sys.executable)"
    for name in candidates:
        try:
            major, minor, path = run([name, "-c", question]).strip().split(maxsplit=2)
        except (Failure, OSError, ValueError):
            if named:
                raise Failure(f"{name} is no Python that can make environments.") from None
            continue
        if (int(major), int(minor)) in supported():
            found.setdefault((int(major), int(minor)), Path(path))
    return dict(sorted(found.items()))


class Environment:
    """A new virtual environment in `folder`."""

    def __init__(self, folder: Path, python: Path) -> None:
        self.folder = folder
        run([python, "-m", "venv", folder])
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.programs / ("python.exe" if os.name == "nt" else "python")

    def install(self, *words: str | Path) -> None:
        """Install packages with pip; `words` are its arguments."""
        run([self.python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", *words])

    def packages(self) -> dict[str, str]:
        """Return the names and versions of the installed packages."""
        code = "from importlib.metadata import distributions as d; print(*(f'{x.name}=={x.version}' for x in d()))"
        return dict(word.split("==", 1) for word in run([self.python, "-I", "-c", code]).split())

    def size(self) -> int:
        """Return the size of all its files (bytes)."""
        return size_of(self.folder)


def size_of(folder: Path) -> int:
    """Return the size of all files in a folder (bytes), without links."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def outside(home: Path, **more: str) -> dict[str, str]:
    """Return environment variables: without those of the checkout, with another home, no screen, and `CACHE`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "XDG_"))}
    home.mkdir(parents=True, exist_ok=True)
    places = {"HOME": str(home), "USERPROFILE": str(home), "NUMBA_CACHE_DIR": str(CACHE)}
    return kept | places | {"QT_QPA_PLATFORM": "offscreen"} | more


@contextmanager
def elsewhere() -> Iterator[Path]:
    """Yield a new folder outside the checkout."""
    with tempfile.TemporaryDirectory(prefix="playground ", ignore_cleanup_errors=True) as name:
        yield Path(name)


# -- checks ----------------------------------------------------------------------------------------------------------


def draw(program: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> list[Path]:
    """Draw copies of `DOCUMENTS` in `folder`, and a share text that the program has printed; return the pictures."""
    pictures = []
    for name in DOCUMENTS:
        shutil.copy(ROOT / "assets" / "examples" / f"{name}.playground", folder)
        picture = folder / f"{name}.png"
        words: list[str | Path] = ["render", f"{name}.playground", "--out", picture, "--size", "1280x800"]
        run([*program, *words], cwd=folder, env=environment)
        pictures.append(picture)
    text = run([*program, "share", f"{DOCUMENTS[0]}.playground"], cwd=folder, env=environment, stderr=None)
    run([*program, "render", text, "--out", folder / "shared.png"], cwd=folder, env=environment)
    return [*pictures, folder / "shared.png"]


def same_pixels(pictures: Sequence[Path], others: Sequence[Path]) -> None:
    """Raise Failure if two pictures differ in a pixel."""
    from PIL import Image, ImageChops

    for one, other in zip(pictures, others, strict=True):
        with Image.open(one) as a, Image.open(other) as b:
            box = ImageChops.difference(a.convert("RGB"), b.convert("RGB")).getbbox() if a.size == b.size else a.size
        if box is not None:
            raise Failure(f"{one} and {other} differ at {box}.")


def of_checkout(folder: Path) -> list[Path]:
    """Draw `DOCUMENTS` with the checkout; return the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = outside(folder / "home", PYTHONPATH=str(ROOT))
    return draw([sys.executable, "-P", "-m", "app"], folder, environment)


def open_window(program: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> float | None:
    """Open a document in a window, end the program by Ctrl+Q, and return the time until the window is visible (s).

    Without Xvfb or xdotool, return None after checking that the program runs for some seconds.
    """
    words = [str(word) for word in (*program, f"{DOCUMENTS[0]}.playground")]
    tools = all(map(shutil.which, ("Xvfb", "xdotool")))
    with _screen() if tools else nullcontext("") as display:
        known = environment | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"} if tools else environment
        begun = time.monotonic()
        with subprocess.Popen(words, cwd=folder, env=known, stdin=subprocess.DEVNULL) as process:
            try:
                took = _until_shown(process, display, begun) if tools else _living(process)
                if tools:
                    _quit(process, display)
                return took
            finally:
                process.kill()


def _living(process: subprocess.Popen[bytes]) -> float | None:
    try:
        code = process.wait(8)
    except subprocess.TimeoutExpired:
        return None
    raise Failure(f"The program ended at once, with {code}.")


def _search(display: str, *words: str) -> list[str]:
    command = ["xdotool", "search", "--onlyvisible", *words]
    found = subprocess.run(command, env=os.environ | {"DISPLAY": display}, capture_output=True, text=True, check=False)
    return found.stdout.split()


def _until_shown(process: subprocess.Popen[bytes], display: str, begun: float) -> float:
    while not _search(display, "--name", f"{DOCUMENTS[0]}.*{TITLE}"):
        if process.poll() is not None or time.monotonic() - begun > PATIENCE:
            raise Failure(f"No window came; the program ended with {process.returncode}.")
        time.sleep(0.05)
    return time.monotonic() - begun


def _quit(process: subprocess.Popen[bytes], display: str) -> None:
    (window,) = _search(display, "--name", f"{DOCUMENTS[0]}.*{TITLE}")
    environment = os.environ | {"DISPLAY": display}
    for _ in range(40):
        # Without a window manager no window gets the keys by itself.
        subprocess.run(["xdotool", "windowfocus", "--sync", window, "key", "ctrl+q"], env=environment, check=False)
        try:
            code = process.wait(3)
        except subprocess.TimeoutExpired:
            continue
        if code:
            raise Failure(f"Ctrl+Q ended the program with {code}.")
        return
    raise Failure("Ctrl+Q does not end the program.")


@contextmanager
def _screen() -> Iterator[str]:
    """Run a virtual screen (Xvfb) and yield its display."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        try:
            yield f":{number}"
        finally:
            server.terminate()


def smoke(environment: Environment, folder: Path, words: Sequence[str] = ()) -> str:
    """Test the installed program with the tests marked `smoke`, or chosen by `words`, arguments of pytest.

    Return the last line that pytest printed.
    """
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    marked = [
        path.relative_to(ROOT)
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if "mark.smoke" in path.read_text(encoding="utf-8")
    ]
    chosen = [*words] if words else ["-m", "smoke", *marked]
    command = [environment.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]
    printed = run(command, cwd=folder, env=outside(folder / "home"))
    return printed.strip().splitlines()[-1]
