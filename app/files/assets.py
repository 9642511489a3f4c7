"""Assets: where the files are that come with the program."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def assets(name: str) -> Traversable:
    """A folder of assets: inside the package where it is installed, beside it in a source tree."""
    package = files("app")
    installed = package / "assets"
    return (installed if installed.is_dir() else Path(str(package)).parent / "assets") / name
