"""Build the bundle, a folder with the program and everything that it needs on this system, and try it.

Usage: python .ci/bundle.py [--only-try]

The bundle is started in two folders, without a Python on PATH: its pictures are those of the checkout, films and
studies start their processes, the window opens and ends by Ctrl+Q, and the second start loads the loops that the first
one compiled.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import time
from importlib.metadata import Distribution, distribution
from pathlib import Path

from environments import (
    DOCUMENTS,
    NAME,
    ROOT,
    Failure,
    draw,
    elsewhere,
    of_checkout,
    open_window,
    outside,
    run,
    same_pixels,
    say,
    size_of,
)

sys.path.insert(0, str(ROOT))
from app.files import licences

HERE, BUNDLE = ROOT / ".ci" / "bundle", ROOT / "dist" / NAME
PROGRAM = f"{NAME}.exe" if sys.platform == "win32" else NAME
#: Licences of Qt, from the first words to the last: its packages lack them, those of numpy and setuptools do not.
GNU = {
    "LGPL-3": r" *GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3, .*?to choose that version for the\s+Library\.\n",
    "GPL-3": r" *GNU GENERAL PUBLIC LICENSE\s+Version 3, .*?<https?://www\.gnu\.org/[a-z/]*why-not-lgpl\.html>\.\n",
}
#: Libraries with tens of megabytes of symbols for debuggers; other libraries have few, and numpy's break without.
HEAVY = ("libllvmlite.so", "libpython3*.so*")


def build() -> None:
    """Build the folder `BUNDLE`."""
    shutil.rmtree(BUNDLE, ignore_errors=True)
    places: list[str | Path] = ["--distpath", BUNDLE.parent, "--workpath", ROOT / "build" / "pyinstaller"]
    run([sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR", *places, HERE / f"{NAME}.spec"])
    if sys.platform.startswith("linux") and shutil.which("strip"):
        for path in (path for pattern in HEAVY for path in BUNDLE.rglob(pattern) if not path.is_symlink()):
            run(["strip", "--strip-unneeded", path])
    _write_licences(BUNDLE / licences.FOLDER)


# -- licences --------------------------------------------------------------------------------------------------------


def _write_licences(folder: Path) -> None:
    """Write the licences of all parts of the bundle, in full."""
    folder.mkdir()
    for package in [*licences.packages(), distribution("pyinstaller")]:
        if text := _texts(package):
            (folder / f"{package.name}.txt").write_text(text, encoding="utf-8")
    for name, words in GNU.items():
        (folder / f"{name}.txt").write_text(_of_others(words), encoding="utf-8")
    for place in (sysconfig.get_path("stdlib"), sys.base_prefix):
        if (Path(place) / "LICENSE.txt").is_file():
            shutil.copy(Path(place) / "LICENSE.txt", folder / "Python.txt")
    for library, owner in sorted(_of_system().items()):
        notice = Path("/usr/share/doc") / owner / "copyright"
        if notice.is_file():
            shutil.copy(notice, folder / f"{owner}.txt")
        else:
            raise Failure(f"{library} is in the bundle, and its licence is unknown.")


def _texts(package: Distribution) -> str:
    """Return the texts of a package's licence files."""
    metadata = package.metadata
    found = []
    for name in metadata.get_all("License-File") or []:
        text = package.read_text(f"licenses/{name}") or package.read_text(name)
        found += [text] if text else []
    return "\n\n".join(found)


def _of_others(words: str) -> str:
    """Return the first text from `words` on in the licences of any installed package."""
    for path in Path(sysconfig.get_path("purelib")).rglob("LICENSE*"):
        if found := re.search(words, path.read_text(encoding="utf-8", errors="replace"), re.DOTALL):
            return found[0]
    raise Failure(f"No installed package has the text of {words.split()[1]}.")


def _of_system() -> dict[str, str]:
    """Return the libraries of this system in the bundle, each with its Debian package; {} without dpkg."""
    if not shutil.which("dpkg"):
        return {}
    table = ROOT / "build" / "pyinstaller" / NAME / "COLLECT-00.toc"
    sources = {
        path for path in re.findall(r"'(/[^']+\.so[^']*)'", table.read_text()) if path.startswith(("/lib", "/usr/lib"))
    }
    owners = {}
    for path in set(sources):
        asked = subprocess.run(["dpkg", "-S", f"*/{Path(path).name}"], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            owners[Path(path).name] = asked.stdout.partition(":")[0].partition(",")[0]
    return owners


# -- trying ----------------------------------------------------------------------------------------------------------


def attempt() -> None:
    """Try the bundle in two folders; raise Failure with a sentence if a check fails."""
    with elsewhere() as folder:
        say("Drawing from the checkout.")
        expected = of_checkout(folder / "checkout")
        first, second = folder / "first place", folder / "zweiter Ort ö"
        known = outside(folder / "home", PATH=str(folder / "no programs"))
        del known["NUMBA_CACHE_DIR"]  # the bundle finds a folder itself
        for place in (first, second):
            place.mkdir()
            shutil.copytree(BUNDLE, place / NAME, symlinks=True)
        one, other = first / NAME / PROGRAM, second / NAME / PROGRAM
        work = folder / "work"
        work.mkdir()
        begun = time.monotonic()
        run([one, "render", "--out", work / "first.png"], cwd=work, env=known)
        cold, kept = time.monotonic() - begun, _machine_code(folder / "home")
        begun = time.monotonic()
        run([other, "render", "--out", work / "second.png"], cwd=work, env=known)
        warm = time.monotonic() - begun
        if not kept or _machine_code(folder / "home") != kept:
            raise Failure("The second start does not find the machine code of the first.")
        say(f"  first start {cold:.1f} s, from another place after that {warm:.1f} s")
        _same_machine_code(kept, folder / "checkout")
        same_pixels(draw([other], work, known), expected)
        say("  same pixels as the checkout")
        _try_processes(other, work, known)
        if "LGPL" not in run([one, "--licences"], env=known, cwd=work):
            raise Failure("The licence of Qt is not named.")
        shown = open_window([one], work, known)
        say("  the window stays open" if shown is None else f"  window after {shown:.1f} s, ended by Ctrl+Q")


def _machine_code(home: Path) -> set[str]:
    return {str(path.relative_to(home)) for path in home.rglob("*.nbc")}


def _same_machine_code(kept: set[str], folder: Path) -> None:
    """Check that checkout and bundle have one compile cache."""
    code = "from solver.core._compile import cache_directory; print(cache_directory().name)"
    name = run([sys.executable, "-c", code], cwd=ROOT, env=outside(folder / "home", PYTHONPATH=str(ROOT))).strip()
    if not all(name in path.replace("\\", "/").split("/") for path in kept):
        raise Failure(f"The bundle compiles into another folder than the checkout, which takes {name}.")


def _try_processes(program: Path, work: Path, known: dict[str, str]) -> None:
    """Try the commands that start processes: films, and studies of the command line and of the window."""
    from PIL import Image

    film = work / "film.gif"
    run(
        [program, "film", f"{DOCUMENTS[0]}.playground", "--out", film, "--pictures", "3", "--size", "320x240"],
        cwd=work,
        env=known,
    )
    with Image.open(film) as pictures:
        if not 1 < getattr(pictures, "n_frames", 1) <= 3:
            raise Failure("The film lacks pictures.")
    study = work / "study.toml"
    run([program, "study", "init", "--preset", "grid", study], cwd=work, env=known)
    # So long that a second process is started.
    study.write_text(study.read_text(encoding="utf-8").replace("repetitions = 1", "repetitions = 40"), encoding="utf-8")
    tables = []
    for jobs in "12":
        results = work / f"results {jobs}"
        printed = run([program, "study", "run", study, "--out", results, "--jobs", jobs], cwd=work, env=known)
        if f"{NAME}:" in printed:
            raise Failure(printed)
        tables.append(run([program, "study", "show", results], cwd=work, env=known))
    if tables[0] != tables[1]:
        raise Failure("A study of two processes has other results than one of one.")
    code = run([program, "code", f"{DOCUMENTS[0]}.playground", "--out", work / "code.py"], cwd=work, env=known)
    if "Wrote" not in code:
        raise Failure("No program was written.")
    _try_worker(program, work, known)
    say("  a film, studies on two processes and in the window, a program of code")


def _try_worker(program: Path, work: Path, known: dict[str, str]) -> None:
    """Send a process of studies the orders that the window sends, and check its results."""
    from app.engine import worker_pipe
    from app.features.study.cells import paths
    from app.features.study.model import Study, StudyAxis
    from app.state.document import GeneratorSettings, Lane

    axes = StudyAxis("gamma", (1.0, 2.0)), StudyAxis("C", (1.0, 2.0))
    study = Study("grid", axes, ("accuracy",), Lane("svm"), GeneratorSettings("moons", 20, 0.3))
    command = [str(program), "-m", "app.features.study.worker", "0"]
    with subprocess.Popen(command, cwd=work, env=known, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        found, over = 0, False
        request: tuple[object, object] = (study, None, float("inf")), paths(study)
        while not over:
            worker_pipe.write(process.stdin, request)
            records, over = worker_pipe.read(process.stdout)[1]
            found, request = found + sum(not record.error for record in records), (None, ())
        process.kill()
    if found < 4:
        raise Failure(f"A process of a study has {found} results in place of four.")


def main() -> None:
    if sys.argv[1:] != ["--only-try"]:
        say("Building the bundle.")
        build()
    files = sum(1 for path in BUNDLE.rglob("*") if path.is_file())
    say(f"  {BUNDLE.relative_to(ROOT)}: {size_of(BUNDLE) / 1e6:.0f} MB in {files} files")
    attempt()


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
