"""Assets: the files shipped with the program."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from .documents import FileError, reason


@cache  # importlib looks the package up anew for each file
def assets(name: str) -> Traversable:
    """Return a folder of assets: within an installed package, beside the package in a source tree."""
    package = files("app")
    installed = package / "assets"
    return (installed if installed.is_dir() else Path(str(package)).parent / "assets") / name


def asset(folder: str, file: str) -> bytes:
    """Return the content of a file of assets; raise a FileError with one sentence if it cannot be read."""
    try:
        return (assets(folder) / file).read_bytes()
    except OSError as error:
        raise FileError(f"{file} cannot be read: {reason(error)}.") from None


def card(folder: str, name: str, dark: bool) -> bytes:
    """Return the PNG of an example or lesson in the light or the dark theme; empty if there is none."""
    try:
        return asset(folder, f"{name}{'-dark' if dark else ''}.png")
    except FileError:
        return b""
