"""Build wheel and sdist, and try the wheel in a new environment of every supported Python that is installed.

Usage: python .ci/dist.py [PYTHON...]

In each environment: the window opens, documents are drawn in another folder to the same pixels as by the checkout, and
the tests marked `smoke` test the installed program.
"""

from __future__ import annotations

import sys
import tarfile
import time
import zipfile
from pathlib import Path

from environments import (
    ROOT,
    Environment,
    Failure,
    draw,
    elsewhere,
    of_checkout,
    open_window,
    outside,
    pythons,
    run,
    same_pixels,
    say,
    smoke,
    supported,
)

sys.path.insert(0, str(ROOT))
from solver.version import __version__ as version

DIST = ROOT / "dist"
#: Files that must be in a wheel, and parts of names that must not.
NEEDED = (
    "app/main.py",
    "app/assets/icons/open.svg",
    "app/assets/lessons/margin.de.lesson.md",
    "solver/svm/_smo_loops.py",
)
UNWANTED = ("tests/", "screenshot.png", "growth.png", "film.webp", ".ci/", "__pycache__")


def build() -> tuple[Path, Path]:
    """Build wheel and sdist; the wheel is built from the sdist, which proves that the sdist is complete, too."""
    for old in (*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")):
        old.unlink()
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", DIST, ROOT])
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    with tarfile.open(sdist) as file:
        inside = {name.partition("/")[2] for name in file.getnames()}
    missing = [name for name in NEEDED if name not in names]
    missing += [name for name in ("tests/conftest.py", "Makefile", ".ci/bootstrap.py") if name not in inside]
    surplus = [name for name in names if any(part in name for part in UNWANTED)]
    if missing or surplus or f"-{version}-" not in wheel.name or not sdist.name.endswith(f"-{version}.tar.gz"):
        raise Failure(f"{wheel.name}, {sdist.name}: missing {missing}, not wanted {surplus}, version {version}.")
    for path in (wheel, sdist):
        say(f"  {path.relative_to(ROOT)}, {path.stat().st_size / 1e6:.1f} MB")
    return wheel, sdist


def attempt(wheel: Path, python: Path, expected: list[Path]) -> str:
    """Try the wheel with one Python; return the measurements in words."""
    with elsewhere() as folder:
        begun = time.monotonic()
        environment = Environment(folder / "environment", python)
        environment.install("-c", ROOT / "constraints.txt", wheel)
        took, size = time.monotonic() - begun, environment.size()
        work = folder / "work"
        work.mkdir()
        known = outside(folder / "home")
        program = [environment.programs / "classifier-playground"]
        printed = run([*program, "--version"], env=known, cwd=work).strip()
        if not printed.endswith(f" {version}"):
            raise Failure(f"The installed program prints {printed!r}; the version is {version}.")
        same_pixels(draw(program, work, known), expected)
        shown = open_window(program, work, known)
        environment.install("-c", ROOT / "constraints.txt", f"{wheel}[test]")
        tested = smoke(environment, folder / "smoke")
    window = "the window stays open" if shown is None else f"window after {shown:.1f} s"
    return f"installed in {took:.0f} s, {size / 1e6:.0f} MB; same pixels; {window}; {tested}"


def main() -> None:
    say("Building sdist and wheel.")
    wheel, _ = build()
    found = pythons(sys.argv[1:])
    if not found:
        raise Failure("There is no supported Python that can make environments.")
    with elsewhere() as folder:
        say("Drawing from the checkout.")
        expected = of_checkout(folder / "checkout")
        for (major, minor), python in found.items():
            say(f"Python {major}.{minor}: {attempt(wheel, python, expected)}")
    if lacking := [f"{major}.{minor}" for major, minor in supported() if (major, minor) not in found]:
        say(f"Not installed, so not tried: Python {', '.join(lacking)}.")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
