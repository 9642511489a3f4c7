"""Make .venv with everything that `make run`, `make test`, `make dist` or `make docs` needs, then return.

Usage: python bootstrap.py {run,test,dist,docs}

Nothing is installed twice.  Standard library and old syntax only: this file must also start on a Python that is too
old, to find another one or to report that there is none.
"""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
VENV_PYTHON = os.path.join(VENV, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
# Written after an installation and removed before the next one: without it .venv cannot be trusted.
STAMP = os.path.join(VENV, ".installed")
# The Python behind .venv, which may be the active environment and have to be made anew.
BASE_PYTHON = getattr(sys, "_base_executable", sys.executable)

# Extras of each goal; they include those of the goals before it.
EXTRAS = {"run": "", "test": "[test,bench,dev]", "dist": "[test,bench,dev,dist]", "docs": "[test,bench,dev,dist,docs]"}

# What Qt and its platforms offscreen, X11 and Wayland load, and a font.
QT_PACKAGES = """libegl1 libgl1 libglib2.0-0 libfontconfig1 libdbus-1-3 libxkbcommon0 fonts-dejavu-core libxcb-cursor0
libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-sync1 libxcb-xfixes0
libxcb-xkb1 libx11-xcb1 libxkbcommon-x11-0 libwayland-client0 libwayland-cursor0 libwayland-egl1"""
# Qt starts, and has a font: without one, all texts are empty.
QT_STARTS = (
    "import sys; from PySide6.QtGui import QFontDatabase; from PySide6.QtWidgets import QApplication;"
    "application = QApplication([]); sys.exit(None if QFontDatabase.families() else 'There is no font.')"
)


def say(text):
    print(text, flush=True)


def run(command, **options):
    """Run a command without showing its output; return whether it succeeded, and the output."""
    options.update(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    done = subprocess.run(command, cwd=ROOT, text=True, errors="replace", **options)
    return done.returncode == 0, done.stdout.rstrip()


def read(path):
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
        return file.read()
    return ""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def use_supported_python(goal):
    """Continue with another Python on PATH if this one is not supported."""
    named = re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', read(os.path.join(ROOT, "pyproject.toml")))
    minors = sorted(map(int, named))
    if sys.version_info[:2] >= (3, minors[0]):
        return
    for minor in reversed(minors):
        other = shutil.which(f"python3.{minor}")
        if other:
            sys.exit(subprocess.call([other, os.path.abspath(__file__), goal]))
    sys.exit(
        "Classifier Playground needs Python 3.{} or newer, but {} is Python {}.{}.{}; name a suitable one with "
        "`make ... PYTHON=/path/to/python3`.".format(minors[0], sys.executable, *sys.version_info[:3])
    )


def install_system_packages(packages, why):
    """Install packages, as root on Debian or Ubuntu after a yes, or with CI=true; else end with the command for it."""
    may = sys.platform.startswith("linux") and shutil.which("apt-get") and os.geteuid() == 0
    if may and os.environ.get("CI") != "true":
        question = why + "  Install these system packages with apt-get?  " + packages + "  [y/N] "
        may = sys.stdin.isatty() and input(question).strip().lower() in ("y", "yes")
    if not may:
        line = "apt-get update && apt-get install -y " + packages
        sys.exit(f'{why}  On Debian and Ubuntu this line installs what is missing:\n    sudo sh -c "{line}"')
    say(f"{why}  Installing system packages.")
    apt = ["apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=300"]
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    # After a failed update the lists of before may still do.
    update = run([*apt, "update"], env=environment)[1]
    worked, output = run([*apt, "install", "--no-install-recommends", *packages.split()], env=environment)
    if not worked:
        say(update + "\n" + output)
        sys.exit("Installing system packages failed; the output above says why.")


def create_venv():
    say("Creating .venv with Python {}.{}.{}.".format(*sys.version_info[:3]))
    if os.path.lexists(VENV):
        shutil.rmtree(VENV)
    command = [BASE_PYTHON, "-m", "venv", VENV]
    worked, output = run(command)
    if not worked:  # Debian has a package of its own for the module
        say(output)
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        install_system_packages(package, "This Python cannot create virtual environments.")
        worked, output = run(command)
    if not worked:
        say(output)
        sys.exit("Creating .venv failed; the output above says why.")


def install(goal):
    # The first line of the programs in .venv contains the path of the folder.
    environment = sys.version + ROOT
    asked = "".join(read(os.path.join(ROOT, name)) for name in ("pyproject.toml", "constraints.txt"))
    states = [hashlib.sha256((environment + asked + extras).encode()).hexdigest() for extras in EXTRAS.values()]
    wanted = list(EXTRAS).index(goal)
    made_for, _, state = read(STAMP).rpartition("\n")
    if state in states[wanted:] and os.path.exists(VENV_PYTHON):
        return
    if made_for != environment or not os.path.exists(VENV_PYTHON):
        create_venv()
    else:
        os.remove(STAMP)
    say("Installing packages into .venv (up to a few minutes).")
    command = [VENV_PYTHON, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    worked, output = run([*command, "--constraint", "constraints.txt", "--editable", "." + EXTRAS[goal]])
    if not worked:
        say(output)
        sys.exit("Installing the packages failed; the output above says why.  It needs a connection to PyPI.")
    write(STAMP, environment + "\n" + states[wanted])


def check_qt(goal):
    """Start Qt once after each installation: without a screen, and with one if there is one."""
    screen = goal == "run" and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    stamp = os.path.join(VENV, ".qt-screen" if screen else ".qt-offscreen")
    if not sys.platform.startswith("linux") or read(stamp) == read(STAMP):
        return
    environment = os.environ if screen else dict(os.environ, QT_QPA_PLATFORM="offscreen")
    command = [VENV_PYTHON, "-c", QT_STARTS]
    worked, output = run(command, env=environment)
    if not worked:
        say(output)
        install_system_packages(QT_PACKAGES.replace("\n", " "), "Qt does not start.")
        worked, output = run(command, env=environment)
    if not worked:
        say(output)
        sys.exit("Qt does not start; the output above says why.")
    write(stamp, read(STAMP))


def wait_for_others(file):
    """Lock `file` until it is closed, so that only one process sets this folder up at a time."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)


def main():
    goal = sys.argv[1] if len(sys.argv) == 2 else ""
    if goal not in EXTRAS:
        sys.exit(__doc__)
    use_supported_python(goal)
    with open(os.path.abspath(__file__)) as file:  # always there, and outside .venv
        wait_for_others(file)
        install(goal)
        check_qt(goal)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
