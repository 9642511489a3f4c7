"""Name and version of the program, and the day of its release."""

from __future__ import annotations

#: Name of the command, of the settings' folder and of the desktop entry.
NAME = "classifier-playground"
__version__ = "1.0.0"
#: The day of its release.
__date__ = "2026-11-22"
