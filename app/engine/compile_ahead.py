"""CompileAhead: compile the numeric loops on a thread of its own while the window already works.

It compiles the loops that every lane needs, then, at the first start ever, those of the other learners.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

from app.core import log
from solver.core import fast_loops
from solver.warmup import compile_all, complete


class CompileAhead:
    """Compile at once, or when `begin` is called.

    Parameters
    ----------
    done : callable
        Called from the thread when everything is compiled, and when `progress` has changed; must return at once.
    waiting : float, default=0.0
        Longest wait for `begin` (s): loading machine code holds the interpreter for 0.3 s, in which plain numpy can
        already make the first pictures.
    further : callable, optional
        Compiles, at the first start ever, what features need beyond the solver.
    """

    #: Whether machine code is being loaded into this process, and whether it has been.
    loading = _loaded = False

    def __init__(
        self, done: Callable[[], None], waiting: float = 0.0, further: Callable[[], object] = lambda: None
    ) -> None:
        self._further = further
        self._done, self._waiting = done, 0.0 if CompileAhead._loaded else waiting
        self._begun = threading.Event()
        fast_loops.everywhere = CompileAhead._loaded
        #: Sentence that says why compiling failed, or "".
        self.failure = ""
        #: Sentence on the progress of the first compilation ever, or "".
        self.progress = ""
        self._thread = threading.Thread(target=self._work, name="compile", daemon=True)
        self._thread.start()

    def begin(self) -> None:
        """Start now."""
        self._begun.set()

    @property
    def running(self) -> bool:
        """Whether the thread is compiling; it cannot be stopped, so a program that ends abandons it."""
        return self._thread.is_alive()

    def _work(self) -> None:
        self._begun.wait(self._waiting)
        fast_loops.load_on_this_thread()
        CompileAhead.loading = not CompileAhead._loaded
        try:
            # Loading compiled loops takes no time, and reports nothing.
            compile_all((lambda *_: None) if complete(in_window=True) else self._report, in_window=True)
            # Loaded modules are never garbage, and scanning them would stop the window for 0.1 s.  Freeze only once:
            # windows closed since then must still be collected.
            if not CompileAhead._loaded:
                gc.freeze()
            fast_loops.everywhere = CompileAhead._loaded = True
        except Exception as error:  # without a compiler small sets still work
            log.caught("The fast solver could not be compiled.")
            self.failure = f"The fast solver could not be compiled ({type(error).__name__}: {error})."
        finally:  # also if the thread is ended: while `loading`, no garbage is collected
            self.progress = ""
            CompileAhead.loading = False
            self._done()
        if not self.failure and not complete():
            try:
                self._further()
                compile_all()
            except Exception:  # the first use reports the error
                log.caught("What other classifiers need could not be compiled.")

    def _report(self, done: int, total: int, name: str) -> None:
        self.progress = f"First start: preparing faster pictures, {done + 1} of {total}" if done < total else ""
        self._done()
