"""Engines: who computes the paths of a study: this process, processes of this machine, or a Dask cluster.

The one file that uses joblib: it and Dask pass messages between the study's own processes, and unpickle those.  Nothing
that comes from a file, a document or the clipboard goes through them unread.  A Dask scheduler is trusted.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path as File
from typing import Any

import numpy as np

from solver.core.arrays import Array

from .cells import Path
from .computing import Given, Record, compute
from .model import Study
from .results import close_parts, part_of

#: Workers of `--dask local` where --jobs says nothing.
LOCAL_WORKERS = 2
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
    elif jobs == 1 or len(todo) < 2:
        try:
            for path in todo:
                yield list(_recorded(study, given, path, folder))
        finally:
            close_parts()
    else:
        yield from _with_loky(study, given, todo, folder, jobs)


def _recorded(study: Study, given: Given | None, path: Path, folder: File | None) -> Iterator[Record]:
    for record in compute(study, path, given):
        if folder is not None:
            part_of(folder, study).add(record)
        yield record


def _work(
    study: Study, path: Path, folder: File | None, xy: Array, labels: Any, test_xy: Array, test_labels: Any
) -> list[Record]:
    """What a worker does; the points are arguments of their own, which engines hand over once when they are large."""
    given = Given(xy, labels, test_xy, test_labels) if len(xy) else None
    return list(_recorded(study, given, path, folder))


def _work_alone(*arguments: Any) -> list[Record]:
    """The same in a process that Ctrl+C reaches: it is for the first process to say what happens then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return _work(*arguments)


def _arrays(given: Given | None) -> tuple[Any, ...]:
    if given is None:
        none = np.empty(0, dtype=np.int64)
        return _NONE, none, _NONE, none
    return given.xy, given.labels, given.test_xy, given.test_labels


def _with_loky(
    study: Study, given: Given | None, todo: Sequence[Path], folder: File | None, jobs: int
) -> Iterator[list[Record]]:
    import joblib
    from joblib.externals.loky import get_reusable_executor

    arrays = _arrays(given)
    done = False
    try:
        with joblib.parallel_config("loky", inner_max_num_threads=1):
            parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="3*n_jobs")
            yield from parallel(joblib.delayed(_work_alone)(study, path, folder, *arrays) for path in todo)
        done = True
    finally:
        get_reusable_executor().shutdown(wait=done, kill_workers=not done)


def _with_dask(
    study: Study, given: Given | None, todo: Sequence[Path], folder: File | None, jobs: int, address: str
) -> Iterator[list[Record]]:
    try:
        distributed: Any = import_module("distributed")
        joblib: Any = import_module("joblib")
    except ImportError:
        raise EngineError("Dask is not installed: pip install 'classifier-playground[cluster]'.") from None
    cluster: Any = None
    try:
        if address == "local":
            workers = jobs if jobs > 1 else LOCAL_WORKERS
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
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
