"""Start of the bundle: run the program, or, with ``-m`` and a module as in Python, one of its processes."""

import os
import runpy
import sys

#: Modules that run in processes of their own.
MODULES = {
    *("app", "solver.warmup", "app.features.study.worker", "app.engine.estimator_worker", "app.exchange.sheet_process")
}


def begin() -> int:
    """Run the command line; return the exit code."""
    words = sys.argv[1:]
    if words[:1] == ["-m"] and words[1:2] and words[1] in MODULES:
        sys.argv[1:] = words[2:]
        from solver.core import own_process

        own_process.end_with(os.getppid())
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return 0
    from app.__main__ import main

    return main()


if __name__ == "__main__":
    # With a name in `__file__`, the processes would be started with this file.
    del globals()["__file__"]
    sys.exit(begin())
