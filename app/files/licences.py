"""Licences: the packages of the program and their licences, from the metadata of the installed packages."""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

NAME = "classifier-playground"
#: File with the full texts in a bundle, beside the program.
FOLDER = "licences"
QT = """Qt and PySide6 (with shiboken6) are used unmodified, as shared libraries, under the GNU Lesser General Public
License, version 3.  You may replace them by your own builds, and take this program apart as far as that needs.  Their
source is published by the Qt Project under the same version numbers."""


def packages() -> list[Distribution]:
    """Return this program's package and its installed dependencies, by name."""
    found: dict[str, Distribution] = {}
    todo = [NAME]
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # needed on other systems or Pythons only; or the program runs from its sources
            continue
        for line in found[name].requires or []:
            if "extra ==" not in line or re.search(r"extra == .tables\b", line):  # a bundle reads workbooks
                todo += re.findall(r"^[\w.-]+", line)
    return [found[name] for name in sorted(found)]


def licence(package: Distribution) -> str:
    """Return the licence of a package in a few words, by its metadata."""
    fields = package.metadata
    kinds = [line.rpartition(" :: ")[2] for line in fields.get_all("Classifier") or [] if line.startswith("License ::")]
    named = [line for name in ("License-Expression", "License") for line in fields.get_all(name) or []]
    text = next(filter(None, named), " and ".join(kinds) or "see its licence text")
    return str(text).strip().splitlines()[0]


def notice() -> str:
    """Return the text that `--licences` prints."""
    parts = [part for part in packages() if part.name != NAME]
    width = max((len(part.name) + len(part.version) for part in parts), default=0) + 3
    lines = [f"{f'{part.name} {part.version}':<{width}}{licence(part)}" for part in parts]
    python = f"Python {sys.version.split()[0]}, under the Python Software Foundation License, and:"
    lines = ["Classifier Playground, under the MIT License, uses", "", python, "", *lines, "", QT]
    texts = Path(sys.executable).parent / FOLDER
    if getattr(sys, "frozen", False) and texts.is_dir():
        lines += ["", f"The full texts lie in {texts}."]
    return "\n".join(lines) + "\n"
