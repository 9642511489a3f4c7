"""Run the measurements, all or those of `NAMES` that are named: ``python -m tests.bench window svc``."""

from __future__ import annotations

import importlib
import sys

NAMES = (
    "window",
    "click",
    "compare",
    "play",
    "scrub",
    "points",
    "files",
    "startup",
    "svc",
    "million",
    "neighbors",
    "relief",
    "study",
)


def main() -> None:
    for name in sys.argv[1:] or NAMES:
        print(f"\n== {name} ==", flush=True)
        importlib.import_module(f"tests.bench.bench_{name}").run()


if __name__ == "__main__":
    main()
