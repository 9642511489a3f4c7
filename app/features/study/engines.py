"""Engines: who computes the paths of a study: this process, processes of this machine, or a Dask cluster.

The one file that uses joblib: it and Dask pass messages between the study's own processes, and unpickle those.  Nothing
that comes from a file, a document or the clipboard goes through them unread.  A Dask scheduler is trusted.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from pathlib import Path as File
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from solver.core.arrays import Array

from .cells import Path
from .computing import Given, Record, compute
from .model import Study
from .results import close_parts, part_of

#: Workers of `--dask local` where --jobs says nothing.
LOCAL_WORKERS = 2
#: Seconds of work after which others are thought of, and those left that are worth starting them.
LOOK, WORTHWHILE = 0.05, 1.0
#: Paths that each of them has, one of them under work; seconds between two looks at signals.
AHEAD, SIGNALS = 2, 0.2
_NONE = np.empty((0, 2))


class EngineError(Exception):
    """An engine cannot be had; the text is one sentence."""


def run(
    study: Study, given: Given | None, todo: Sequence[Path], folder: File | None, jobs: int = 1, dask: str = ""
) -> Iterator[list[Record]]:
    """The results of each path of `todo`, in the order in which they are done.

    Each result is appended to a part in `folder`, if there is one, as soon as it is known.  Who stops asking stops the
    workers; what they had appended stays.

    Parameters
    ----------
    study : Study
    given : Given or None
    todo : sequence of Path
    folder : pathlib.Path or None
    jobs : int
        Processes.
    dask : str
        The address of a Dask scheduler, or "local" for a cluster of this machine.

    Raises
    ------
    EngineError
        Dask is not installed or does not answer.
    """
    if dask:
        yield from _with_dask(study, given, todo, folder, jobs, dask)
    else:
        yield from _Processes(study, given, todo, folder, jobs).run()


def _recorded(study: Study, given: Given | None, path: Path, folder: File | None) -> Iterator[Record]:
    for record in compute(study, path, given):
        if folder is not None:
            part_of(folder, study).add(record)
        yield record


def _work(
    study: Study, path: Path, folder: File | None, xy: Array, labels: Any, test_xy: Array, test_labels: Any
) -> list[Record]:
    """What a worker of Dask does; the points are arguments of their own, which are handed over once."""
    given = Given(xy, labels, test_xy, test_labels) if len(xy) else None
    return list(_recorded(study, given, path, folder))


def _arrays(given: Given | None) -> tuple[Any, ...]:
    if given is None:
        none = np.empty(0, dtype=np.int64)
        return _NONE, none, _NONE, none
    return given.xy, given.labels, given.test_xy, given.test_labels


#: What a process of loky works on: it is told once.
_task: tuple[Study, Given | None, File | None] | None = None


def _begin(study: Study, given: Given | None, folder: File | None) -> None:
    """What a process of loky does first."""
    global _task
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the first process to say what happens then
    _task = study, given, folder


def _go_on(path: Path) -> list[Record]:
    """What it does then."""
    assert _task is not None
    study, given, folder = _task
    return list(_recorded(study, given, path, folder))


class _Processes:
    """This process, and others of loky that take paths from the same list once it is known to be long.

    Starting a process takes about a second: this one does not wait for the others, and does little work alone.
    """

    def __init__(self, study: Study, given: Given | None, todo: Sequence[Path], folder: File | None, jobs: int) -> None:
        self._task, self._others = (study, given, folder), jobs - 1
        self._left, self._n_cells = deque(todo), sum(len(path.cells) for path in todo)
        self._lock = threading.Lock()
        self._executor: Any = None
        #: Paths that others have, and what came of them.
        self._n_out = 0
        self._ended: SimpleQueue[Any] = SimpleQueue()

    def run(self) -> Iterator[list[Record]]:
        """See `run`."""
        try:
            yield from self._here()
            while self._n_out:
                yield from self._from_others(wait=True)
        except BrokenProcessPool:
            raise EngineError("A process of the study has ended by itself, perhaps for want of memory.") from None
        finally:
            if self._executor is not None:
                self._executor.shutdown(kill_workers=True)  # what they have found is written
            close_parts()

    def _here(self) -> Iterator[list[Record]]:
        """The paths that this process takes, and what has come of the others."""
        study, given, folder = self._task
        spent, n_done = 0.0, 0
        while (path := self._next()) is not None:
            records = []
            for record in _recorded(study, given, path, folder):
                records.append(record)
                n_done += 1
                spent += record.seconds  # not those in which compiled code is fetched
                alone = self._executor is None and self._others
                if alone and spent > LOOK and self._n_cells * spent / n_done > WORTHWHILE:
                    self._start()
            yield records
            yield from self._from_others()

    def _next(self, of_others: bool = False) -> Path | None:
        with self._lock:
            if not self._left:
                return None
            path = self._left.popleft()
            self._n_cells -= len(path.cells)
            self._n_out += of_others
            return path

    def _from_others(self, wait: bool = False) -> Iterator[list[Record]]:
        while wait or not self._ended.empty():
            try:
                future = self._ended.get(timeout=SIGNALS)
            except Empty:
                continue
            wait = False
            with self._lock:
                self._n_out -= 1
            yield future.result()

    def _start(self) -> None:
        from joblib.externals.loky import ProcessPoolExecutor, process_executor

        _end_quietly()
        process_executor.kill_process_tree = _end_process
        environment = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")}
        self._executor = ProcessPoolExecutor(self._others, initializer=_begin, initargs=self._task, env=environment)
        for _ in range(AHEAD * self._others):
            self._hand_out()

    def _hand_out(self) -> None:
        """One more path to the others; each that ends brings the next."""
        path = self._next(of_others=True)
        if path is None:
            return
        try:
            self._executor.submit(_go_on, path).add_done_callback(self._has_ended)
        except RuntimeError as error:  # broken, or being shut down
            failed: Any = Future()
            failed.set_exception(error)
            self._ended.put(failed)

    def _has_ended(self, future: Any) -> None:
        self._hand_out()
        self._ended.put(future)


def _end_process(process: Any) -> None:
    """At once.  Loky asks pgrep or psutil for its children, which it has not, and hangs where neither is there."""
    process.terminate()
    process.join()


def _end_quietly() -> None:
    """A process that clears up after this one, when it is stopped, is not to warn of that on the terminal."""
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")


def _with_dask(
    study: Study, given: Given | None, todo: Sequence[Path], folder: File | None, jobs: int, address: str
) -> Iterator[list[Record]]:
    try:
        distributed: Any = import_module("distributed")
        joblib: Any = import_module("joblib")
    except ImportError:
        raise EngineError("Dask is not installed: pip install 'classifier-playground[cluster]'.") from None
    cluster: Any = None
    _end_quietly()
    try:
        if address == "local":
            workers = jobs if jobs > 1 else LOCAL_WORKERS
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
            )
            client = distributed.Client(cluster)
        else:
            client = distributed.Client(address, timeout=10)
    except (OSError, ValueError, TimeoutError, RuntimeError) as error:
        raise EngineError(f"The Dask scheduler at {address} does not answer ({type(error).__name__}).") from None
    arrays = _arrays(given)
    if folder is not None:
        folder = File(os.path.abspath(folder))  # workers have working folders of their own
    try:
        # Joblib hands the very objects that are scattered over by reference.
        with joblib.parallel_config("dask", scatter=list(arrays) if given is not None else None):
            parallel = joblib.Parallel(return_as="generator_unordered")
            yield from parallel(joblib.delayed(_work)(study, path, folder, *arrays) for path in todo)
    finally:
        client.close(timeout=1)
        if cluster is not None:
            cluster.close(timeout=5)
