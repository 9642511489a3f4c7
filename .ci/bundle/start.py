"""Where a bundle begins: the program, or one of the processes of its own that it starts, by ``-m`` as with Python."""

import os
import runpy
import sys

#: What runs as a process of its own.
MODULES = ("app", "solver.warmup", "app.features.study.worker", "app.engine.estimator_worker")


def begin() -> int:
    """Do what the command line asks for; returns the exit code."""
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
    # Else those processes would look for this file.
    del globals()["__file__"]
    sys.exit(begin())
