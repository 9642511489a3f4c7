"""CompileAhead: compiling the numeric kernels on a thread of its own while the window already works.

First what every lane needs; then, if that has never been done, what the other learners need.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

from app.core import log
from solver.core import fast_loops
from solver.warmup import compile_all, complete


class CompileAhead:
    """Starts compiling at once, or when it is told to.

    Parameters
    ----------
    done : callable
        Called from the thread when everything is compiled, and when there is something else to tell; must return at
        once.
    waiting : float, default=0.0
        Seconds after which it starts if `begin` was not called: loading machine code takes the interpreter for 0.3 s,
        and meanwhile plain numpy can have made the first pictures.
    """

    #: Machine code has been loaded into this process.
    _loaded = False

    def __init__(self, done: Callable[[], None], waiting: float = 0.0) -> None:
        self._done, self._waiting = done, 0.0 if CompileAhead._loaded else waiting
        self._begun = threading.Event()
        fast_loops.everywhere = CompileAhead._loaded
        #: Why they never will be, or "".
        self.failure = ""
        #: How far the first compilation ever is, in words, or "".
        self.progress = ""
        self._thread = threading.Thread(target=self._work, name="compile", daemon=True)
        self._thread.start()

    def begin(self) -> None:
        """Start now."""
        self._begun.set()

    @property
    def running(self) -> bool:
        """True while compiling; such a thread cannot be stopped, only left behind."""
        return self._thread.is_alive()

    def _work(self) -> None:
        self._begun.wait(self._waiting)
        fast_loops.load_on_this_thread()
        try:
            compile_all(self._report if not complete(in_window=True) else _nobody, in_window=True)
            # What is loaded by now stays for good: looking through it for garbage would stop the window for 0.1 s.
            # Only once: windows that were closed since the first must be found to be garbage.
            if not CompileAhead._loaded:
                gc.freeze()
            fast_loops.everywhere = CompileAhead._loaded = True
        except Exception as error:  # without a compiler small sets still work
            log.caught("The fast solver could not be compiled.")
            self.failure = f"The fast solver could not be compiled ({type(error).__name__}: {error})."
        self.progress = ""
        self._done()
        if not self.failure and not complete():
            try:
                compile_all()
            except Exception:  # the first use says what is wrong
                log.caught("What other classifiers need could not be compiled.")

    def _report(self, done: int, total: int, name: str) -> None:
        self.progress = f"First start: preparing faster pictures, {done + 1} of {total}" if done < total else ""
        self._done()


def _nobody(done: int, total: int, name: str) -> None:
    """What is there already is loaded in no time."""
