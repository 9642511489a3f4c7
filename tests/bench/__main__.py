"""Run the benchmarks, all or those named: ``python -m tests.bench window svc --json FILE``."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import platform
import re
import sys
from pathlib import Path
from typing import Any

NAMES = (
    "window",
    "click",
    "stops",
    "compare",
    "play",
    "scrub",
    "points",
    "files",
    "startup",
    "svc",
    "million",
    "large",
    "gestures",
    "neighbors",
    "relief",
    "film",
    "folds",
    "study",
    "study_click",
)


NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)")


class _Kept(io.TextIOBase):
    """Prints, and keeps every line that contains numbers."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self._begun = ""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)  # type: ignore[union-attr]
        *whole, self._begun = (self._begun + text).split("\n")
        for line in filter(str.strip, whole):
            self.lines.append({"line": line, "numbers": [float(each) for each in NUMBER.findall(line)]})
        return len(text)

    def flush(self) -> None:
        sys.__stdout__.flush()  # type: ignore[union-attr]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--json", type=Path, metavar="FILE", help="every line with its numbers goes there, too")
    options = parser.parse_args()
    for name in set(options.names).difference(NAMES):
        parser.error(f"{name!r} is none of the measurements: {', '.join(NAMES)}")
    found: dict[str, Any] = {"processor": platform.processor(), "cores": os.cpu_count(), "python": sys.version}
    for name in options.names or NAMES:
        print(f"\n== {name} ==", flush=True)
        kept = _Kept()
        with contextlib.redirect_stdout(kept):
            importlib.import_module(f"tests.bench.bench_{name}").run()
        found[name] = kept.lines
        if options.json is not None:  # after each, so that an interruption loses no result
            options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
