"""Name and version of the program; the version is that of `solver`."""

from __future__ import annotations

from solver.version import __date__, __version__

__all__ = ["NAME", "__date__", "__version__"]

#: Name of the command, of the settings' folder and of the desktop entry.
NAME = "classifier-playground"
