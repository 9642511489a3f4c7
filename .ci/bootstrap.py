"""Prepare everything `make run`, `make test` and the code checks need, then return.

Usage: python bootstrap.py {run,test,dist,tools,suits}

  run    runtime packages, Qt's system libraries, compiled numeric kernels
  test   the same with the packages for tests, benchmarks and code checks
  dist   the same with the packages that build wheels and bundles
  tools  those for tests only: nothing from the system, nothing compiled
  suits  do nothing; exit code 0 if this Python is in the supported range

Work already done is recognised by stamp files inside .venv and costs nothing.
Standard library and old syntax only: on a Python that is too old this file must
still start, to be able to say so.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
VENV_PYTHON = os.path.join(VENV, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
# Lies in .venv while packages are being installed. Still there at the next
# start, it means the installation was cut short and cannot be trusted.
UNFINISHED = os.path.join(VENV, ".unfinished")

THIS_VERSION = "{}.{}.{}".format(*sys.version_info[:3])
# The Python behind a virtual environment, in case .venv is the active one and
# has to be made anew.
BASE_PYTHON = getattr(sys, "_base_executable", sys.executable)

# Each set holds those before it.
EXTRAS = {"runtime": "", "full": "[test,bench,dev]", "dist": "[test,bench,dev,dist]"}

# What importing QtGui needs, and a font: without one, texts come out empty.
QT_PACKAGES = [
    *("libegl1", "libgl1", "libglib2.0-0", "libfontconfig1", "libdbus-1-3", "libxkbcommon0"),
    "fonts-dejavu-core",
]
# What a window needs on top, on X11 and on Wayland.
X11_PACKAGES = [
    *("libxcb-cursor0", "libxcb-icccm4", "libxcb-image0", "libxcb-keysyms1", "libxcb-randr0"),
    *("libxcb-render-util0", "libxcb-shape0", "libxcb-sync1", "libxcb-xfixes0", "libxcb-xkb1"),
    *("libx11-xcb1", "libxkbcommon-x11-0"),
]
WAYLAND_PACKAGES = ["libwayland-client0", "libwayland-cursor0", "libwayland-egl1"]
# Renamed in newer Debian and Ubuntu releases.
RENAMED = {"libglib2.0-0": "libglib2.0-0t64"}

lock_fds = ()


def say(text):
    print(text, flush=True)


def run(command, **options):
    """Run quietly; return (exit code, everything it printed)."""
    # The lock passes on to the child: should this script be killed, the lock
    # stays held until a package installer it started is gone as well.
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        pass_fds=lock_fds,
        **options,
    )
    return done.returncode, done.stdout


def must(command, failure):
    code, output = run(command)
    if code != 0:
        say(output.rstrip())
        sys.exit(failure)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def write_stamp(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)  # in one step: never a partial stamp


# --- Python ---------------------------------------------------------------


def supported_range():
    """(lowest, first unsupported) version, from pyproject.toml."""
    found = re.search(r'requires-python = ">=3\.(\d+),<3\.(\d+)"', read(os.path.join(ROOT, "pyproject.toml")))
    return (3, int(found.group(1))), (3, int(found.group(2)))


def suits():
    low, high = supported_range()
    return low <= sys.version_info[:2] < high


def check_python():
    if not suits():
        low, high = supported_range()
        sys.exit(
            f"Classifier Playground needs Python 3.{low[1]} to 3.{high[1] - 1}, but {sys.executable} is "
            f"Python {THIS_VERSION}; name a suitable one with `make ... PYTHON=/path/to/python3`."
        )


# --- One set-up at a time -------------------------------------------------


def take_lock():
    """Wait until no other set-up of this folder is at work."""
    global lock_fds
    if fcntl is None:
        return
    # This script itself is the lock: always there, and outside .venv.
    fd = os.open(os.path.abspath(__file__), os.O_RDONLY)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up of this folder is running; waiting for it.")
            fcntl.flock(fd, fcntl.LOCK_EX)
    except OSError:
        return  # a file system without locks
    lock_fds = (fd,)


# --- Packages -------------------------------------------------------------


def installation_key():
    """Changes whenever the installed packages would have to change.

    The folder is part of it: programs in .venv name it in their first line.
    """
    parts = [read(os.path.join(ROOT, name)) for name in ("pyproject.toml", "constraints.txt")]
    return hashlib.sha256("\0".join([*parts, sys.version, ROOT]).encode()).hexdigest()


def stamp_path(name):
    return os.path.join(VENV, ".installed-" + name)


def installed(package_set):
    """Is this set, or a larger one, completely installed?"""
    names = list(EXTRAS)[list(EXTRAS).index(package_set) :]
    return (
        os.path.exists(VENV_PYTHON)
        and not os.path.exists(UNFINISHED)
        and any(read(stamp_path(name)) == installation_key() for name in names)
    )


def venv_is_usable(uv):
    if os.path.exists(UNFINISHED) or not os.path.exists(VENV_PYTHON):
        return False
    question = "import sys; print(sys.version)" if uv else "import sys, pip; print(sys.version)"
    code, output = run([VENV_PYTHON, "-c", question])
    return code == 0 and output.strip() == sys.version


def create_venv(uv):
    if not uv:
        have_venv_module()
    say(f"Creating .venv with Python {THIS_VERSION}.")
    if os.path.lexists(VENV):
        shutil.rmtree(VENV)
    os.mkdir(VENV)
    write_stamp(UNFINISHED, "")
    if uv:
        command = [uv, "venv", "--quiet", "--allow-existing", "--python", BASE_PYTHON, VENV]
    else:
        command = [BASE_PYTHON, "-m", "venv", VENV]
    must(command, "Creating .venv failed.")


def have_venv_module():
    """Debian packs venv and ensurepip separately."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        if not can_install_system_packages():
            sys.exit(
                "This Python cannot create virtual environments: install its venv module "
                f"(on Debian and Ubuntu: sudo apt-get install {package}) or uv."
            )
        install_system_packages([package])


def install(package_set):
    if installed(package_set):
        return False
    uv = shutil.which("uv")
    if not venv_is_usable(uv):
        create_venv(uv)
    write_stamp(UNFINISHED, "")
    say(f"Installing packages into .venv with {'uv' if uv else 'pip'} (up to a few minutes).")
    if uv:
        command = [uv, "pip", "install", "--quiet", "--python", VENV_PYTHON]
    else:
        command = [VENV_PYTHON, "-m", "pip", "install", "--quiet", "--no-input"]
        command.append("--disable-pip-version-check")
    command += ["--constraint", "constraints.txt", "--editable", "." + EXTRAS[package_set]]
    must(command, "Installing the packages failed; the output above says why.")
    os.remove(UNFINISHED)
    write_stamp(stamp_path(package_set), installation_key())
    return True


# --- Qt's system libraries (Linux) ----------------------------------------


def can_install_system_packages():
    return sys.platform.startswith("linux") and shutil.which("apt-get") is not None and os.geteuid() == 0


def current_names(packages):
    """The names this release uses, where a package has been renamed."""

    def known(name):
        return shutil.which("apt-cache") is not None and run(["apt-cache", "show", name])[0] == 0

    return [RENAMED[name] if name in RENAMED and known(RENAMED[name]) else name for name in packages]


def install_system_packages(packages):
    say("Installing system packages: {}.".format(" ".join(packages)))
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    apt = ["apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=300"]
    # A failed update may still leave lists that are good enough.
    update = run([*apt, "update"], env=environment)[1]
    apt += ["install", "--no-install-recommends"]
    code, output = run([*apt, *current_names(packages)], env=environment)
    if code != 0:
        say((update + output).rstrip())
        sys.exit("Installing system packages failed; the output above says why.")


def missing_libraries(*files):
    """Names of the shared libraries that these files of PySide6 need and the system lacks."""
    if shutil.which("ldd") is None:
        return []
    python = "python{}.{}".format(*sys.version_info[:2])
    folder = os.path.join(VENV, "lib", python, "site-packages", "PySide6")
    output = run(["ldd"] + [os.path.join(folder, file) for file in files])[1]
    return sorted(set(re.findall(r"^\s*(\S+) => not found", output, re.MULTILINE)))


def has_font():
    if shutil.which("fc-list"):
        return run(["fc-list"])[1].strip() != ""
    home = os.path.expanduser("~")
    folders = ["/usr/share/fonts", "/usr/local/share/fonts", home + "/.fonts", home + "/.local/share/fonts"]
    names = (name for folder in folders for _, _, files in os.walk(folder) for name in files)
    return any(name.lower().endswith((".ttf", ".otf", ".ttc")) for name in names)


def missing_for_qt(window):
    """(what is missing, Debian packages that bring it)."""
    missing = missing_libraries("QtGui.abi3.so", "QtWidgets.abi3.so", "Qt/plugins/platforms/libqoffscreen.so")
    if not has_font():
        missing.append("a font")
    packages = list(QT_PACKAGES) if missing else []

    # Qt takes the first of these that loads, so one complete one will do.
    screens = []
    if window and os.environ.get("DISPLAY"):
        screens.append((missing_libraries("Qt/plugins/platforms/libqxcb.so"), X11_PACKAGES))
    if window and os.environ.get("WAYLAND_DISPLAY"):
        screens.append((missing_libraries("Qt/plugins/platforms/libqwayland.so"), WAYLAND_PACKAGES))
    if screens and all(lacks for lacks, _ in screens):
        lacks, brings = screens[0]
        missing += [name for name in lacks if name not in missing]
        packages += brings
    return missing, packages


def check_qt(window, fresh):
    if not sys.platform.startswith("linux"):
        return
    missing, packages = missing_for_qt(window)
    if missing:
        say("Qt lacks {}.".format(", ".join(missing)))
        if not can_install_system_packages():
            if shutil.which("apt-get"):
                line = "apt-get update && apt-get install -y " + " ".join(current_names(packages))
                sys.exit(f'Install what is missing with this line, then try again:\n    sudo sh -c "{line}"')
            sys.exit("Install what is missing with the system's package manager, then try again.")
        install_system_packages(packages)
        missing, _ = missing_for_qt(window)
        if missing:
            sys.exit("Qt still lacks {}.".format(", ".join(missing)))
        fresh = True
    if fresh:  # the real thing, once: ldd cannot see everything
        command = [VENV_PYTHON, "-c", "from PySide6 import QtGui, QtWidgets"]
        must(command, "Qt does not load; the output above says why.")


# --- Numeric kernels ------------------------------------------------------


def compile_kernels():
    """Compile ahead, so that neither the first click nor the first test waits for it."""
    digest = hashlib.sha256((installation_key() + os.environ.get("NUMBA_CACHE_DIR", "")).encode())
    for folder, folders, files in os.walk(os.path.join(ROOT, "solver")):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".py"):
                digest.update(read(os.path.join(folder, name)).encode())
    stamp = os.path.join(VENV, ".compiled")
    if read(stamp) == digest.hexdigest():
        return
    code = subprocess.call([VENV_PYTHON, "-m", "solver.warmup"], cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=lock_fds)
    if code != 0:
        sys.exit("Compiling the numeric kernels failed; the output above says why.")
    write_stamp(stamp, digest.hexdigest())


def main():
    goal = sys.argv[1] if len(sys.argv) == 2 else ""
    if goal not in ("run", "test", "dist", "tools", "suits"):
        sys.exit(__doc__)
    if goal == "suits":
        sys.exit(not suits())
    check_python()
    take_lock()
    fresh = install({"run": "runtime", "dist": "dist"}.get(goal, "full"))
    if goal != "tools":
        check_qt(window=goal == "run", fresh=fresh)
        compile_kernels()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
