"""Integration: register the program with a Linux desktop, by files in the user's data folder; and undo that."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from app.core.version import __date__, __version__
from app.files import documents
from app.files.assets import assets

NAME = "classifier-playground"
SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
#: Programs that update the databases of desktops, with the folders that they take.
RENEWING = (
    ("update-mime-database", "mime"),
    ("update-desktop-database", "applications"),
    ("gtk-update-icon-cache", "icons/hicolor"),
)


def data_home() -> Path:
    """Return the user's data folder; raise a FileError on systems whose desktops do not use it."""
    if not sys.platform.startswith("linux"):
        raise documents.FileError("--integrate and --remove are for Linux desktops only.")
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"


def integrate(picture: Callable[[int], bytes]) -> list[Path]:
    """Write all files and return their paths; ``picture(size)`` returns the icon as PNG."""
    home, program = data_home(), _program()
    if any(unicodedata.category(sign) == "Cc" for sign in "".join(program)):  # a line end would begin another key
        raise documents.FileError("A desktop entry cannot name this program: its path has a control character.")
    contents = {name: (assets("desktop") / source).read_bytes() for name, source in _texts().items()}
    contents |= {_icon(size): picture(size) for size in SIZES}
    about_this = {"PROGRAM": " ".join(map(_quoted, program)), "VERSION": __version__, "DATE": __date__}
    for name in _texts():
        for word, meaning in about_this.items():
            contents[name] = contents[name].replace(f"@{word}@".encode(), os.fsencode(meaning))
    for name, content in contents.items():
        try:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise documents.FileError(
                f"{home / name} was not saved: {(error.strerror or str(error)).lower()}."
            ) from None
        documents.write_bytes(content, home / name)
    _renew(home)
    return [home / name for name in contents]


def remove() -> list[Path]:
    """Delete the files that `integrate` writes, and return the paths of those that existed."""
    home, gone = data_home(), []
    for name in (*_texts(), *map(_icon, SIZES)):
        try:
            (home / name).unlink()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise documents.FileError(f"{home / name} was not removed: {(error.strerror or '').lower()}.") from None
        gone.append(home / name)
    if gone:
        _renew(home)
    return gone


def _texts() -> dict[str, str]:
    """Return the paths of the program's files."""
    return {
        f"applications/{NAME}.desktop": f"{NAME}.desktop",
        f"metainfo/{NAME}.metainfo.xml": f"{NAME}.metainfo.xml",
        f"mime/packages/{NAME}.xml": f"{NAME}.mime.xml",
        f"icons/hicolor/scalable/apps/{NAME}.svg": f"{NAME}.svg",
    }


def _icon(size: int) -> str:
    return f"icons/hicolor/{size}x{size}/apps/{NAME}.png"


def _program() -> list[str]:
    """Return the command that starts this program from any folder."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    beside = Path(sys.executable).with_name(NAME)
    return [str(beside)] if os.path.exists(beside) else [sys.executable, "-m", "app"]


def _quoted(word: str) -> str:
    """Return the words, quoted for an Exec line."""
    for sign in '\\"`$':
        word = word.replace(sign, f"\\{sign}")
    # Two backslashes in such a file mean one.
    return '"' + word.replace("\\", "\\\\").replace("%", "%%") + '"'


def _renew(home: Path) -> None:
    for program, folder in RENEWING:
        if (found := shutil.which(program)) and (home / folder).is_dir():
            quiet = ["--quiet"] if program.startswith("update-desktop") else []
            quiet = ["--quiet", "--ignore-theme-index"] if program.startswith("gtk") else quiet
            with suppress(OSError, subprocess.SubprocessError):  # without it, desktops find the files later
                subprocess.run(
                    [found, *quiet, str(home / folder)],
                    timeout=60,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    check=False,
                )
