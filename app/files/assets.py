"""Assets: where the files are that come with the program."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from .documents import FileError, reason


def assets(name: str) -> Traversable:
    """A folder of assets: inside the package where it is installed, beside it in a source tree."""
    package = files("app")
    installed = package / "assets"
    return (installed if installed.is_dir() else Path(str(package)).parent / "assets") / name


def asset(folder: str, file: str) -> bytes:
    """What stands in a file of a folder of assets; FileError with one sentence when it cannot be read."""
    try:
        return (assets(folder) / file).read_bytes()
    except OSError as error:
        raise FileError(f"{file} cannot be read: {reason(error)}.") from None


def card(folder: str, name: str, dark: bool) -> bytes:
    """The PNG of an example or lesson in the light or the dark theme; empty where there is none."""
    try:
        return asset(folder, f"{name}{'-dark' if dark else ''}.png")
    except FileError:
        return b""
