"""Run the measurements, all or those named: ``python -m tests.bench [window] [points] [startup] [svc] [neighbors]``."""

from __future__ import annotations

import importlib
import sys

NAMES = ("window", "points", "startup", "svc", "neighbors")


def main() -> None:
    for name in sys.argv[1:] or NAMES:
        print(f"\n== {name} ==", flush=True)
        importlib.import_module(f"tests.bench.bench_{name}").run()


if __name__ == "__main__":
    main()
