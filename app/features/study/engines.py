"""Engines: compute the paths of a study for the command line, in processes of this machine or on a Dask cluster.

This is the only file that uses joblib: through it Dask passes messages between the study's own processes, and unpickles
them.  Contents of a file, a document or the clipboard are always parsed before.  A Dask scheduler is trusted; that of
`--dask local` accepts only clients and workers with a certificate of this run.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from importlib import import_module
from pathlib import Path as File
from typing import Any

from app.files import documents
from app.files.documents import FileError

from .cells import Path
from .computing import Given, Record, compute
from .model import Study
from .results import ResultsFile
from .running import StudyProcesses

#: Number of workers of `--dask local` without --jobs.
LOCAL_WORKERS = 2
#: Time (s) that killed processes have to end.
ENDING = 2.0


def run(
    study: Study,
    given: Given | None,
    todo: Sequence[Path],
    folder: File | None,
    jobs: int = 1,
    dask: str = "",
    tls: Sequence[File] = (),
    limit: float = math.inf,
) -> Iterator[tuple[Sequence[Record], int]]:
    """Yield results as they are computed, and the number of paths that are done with them.

    Each result is written into a file in `folder`, if there is one, at once.  If the caller stops iterating, the
    workers stop; what was written stays.

    Parameters
    ----------
    study : Study
    given : Given or None
    todo : sequence of Path
    folder : pathlib.Path or None
    jobs : int
        Number of processes.
    dask : str
        Address of a Dask scheduler, or "local" for a cluster on this machine.
    tls : sequence of pathlib.Path
        PEM files for a scheduler at tls://: certificate authority, certificate and key.  If empty, those of Dask's
        configuration are used.
    limit : float
        Largest time (s) for a cell.

    Raises
    ------
    FileError
        Dask is not installed or does not answer, the TLS files cannot be used, no process can be started, or `folder`
        cannot be written to.
    """
    with _cluster(jobs, dask, tls, given) if dask else nullcontext() as parallel:
        if parallel is None:
            found = _with_processes(study, given, todo, jobs, limit)
        else:
            found = ((records, 1) for records in parallel(_work, ((study, path, given, limit) for path in todo)))
        file = None if folder is None or not todo else ResultsFile(folder, study)
        with closing(found), nullcontext() if file is None else closing(file):
            for records, n_paths in found:
                if file is not None:
                    file.add(*records)
                yield records, n_paths


def _with_processes(
    study: Study, given: Given | None, todo: Sequence[Path], jobs: int, limit: float
) -> Generator[tuple[list[Record], int]]:
    """Compute in this process, and with more `jobs` in others."""
    others = StudyProcesses(study, given, lambda: deque(todo), jobs, limit, 0, here=True)
    n_paths, over = 0, False
    try:
        while not over:
            others.wait()
            over, before = others.state == "ended", n_paths
            found, n_paths = others.take(), others.n_done
            yield found, n_paths - before
    finally:
        others.cancel()
        for thread in others.threads:  # no process outlives the run
            thread.join(ENDING)
    if others.failure:
        raise FileError(others.failure)


def _work(study: Study, path: Path, given: Given | None, limit: float) -> list[Record]:
    """Compute a path in a worker of Dask; the points are an argument of their own, which is sent once."""
    return list(compute(study, path, given, limit))


@contextmanager
def _cluster(
    jobs: int, address: str, tls: Sequence[File], given: Given | None
) -> Iterator[Callable[[Any, Iterable[Any]], Any]]:
    """Connect with Dask; yield a function that calls another one with each tuple of arguments."""
    try:
        import joblib

        distributed: Any = import_module("distributed")
    except ImportError:
        raise FileError("Dask is not installed: pip install 'classifier-playground[cluster]'.") from None
    security = _security(distributed, address, tls)
    cluster: Any = None
    # The process that cleans up after a stopped run must not print warnings in the terminal.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")
    try:
        if address == "local":
            # Dask always opens HTTP servers without certificates: they get no page, and a free local port.
            pages: dict[str, list[str]] = {f"distributed.{each}.http.routes": [] for each in ("scheduler", "worker")}
            with import_module("dask.config").set(pages):
                cluster = distributed.LocalCluster(
                    n_workers=jobs if jobs > 1 else LOCAL_WORKERS,
                    threads_per_worker=1,
                    dashboard_address=None,
                    scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                    silence_logs=50,
                    security=security,
                )
            client = distributed.Client(cluster)
        else:
            client = distributed.Client(address, timeout=10, security=security)
    except (OSError, ValueError, TimeoutError, RuntimeError, AssertionError) as error:  # AssertionError: it expects TLS
        raise FileError(f"The Dask scheduler at {address} does not answer ({type(error).__name__}).") from None
    try:
        # Joblib sends the scattered object itself by reference.
        with joblib.parallel_config("dask", scatter=[given] if given is not None else None):
            parallel = joblib.Parallel(return_as="generator_unordered")
            yield lambda function, calls: parallel(joblib.delayed(function)(*call) for call in calls)
    finally:
        client.close(timeout=1)
        if cluster is not None:
            cluster.close(timeout=5)


def _security(distributed: Any, address: str, tls: Sequence[File]) -> Any:
    """Return the credentials of the connection: new ones for a cluster of this machine, None without TLS.

    Those for tls:// come from the files or, without files, from Dask's configuration.
    """
    if address == "local":
        try:
            return distributed.Security.temporary()
        except ImportError:
            raise FileError(
                "--dask local needs the package cryptography: pip install 'classifier-playground[cluster]'."
            ) from None
    if not address.startswith("tls://"):
        return None
    files = zip(("tls_ca_file", "tls_client_cert", "tls_client_key"), map(str, tls), strict=False)
    security = distributed.Security(**dict(files))
    try:
        context = security.get_connection_args("client").get("ssl_context")
    except OSError as error:
        raise FileError(f"The files of --tls cannot be used: {documents.reason(error)}.") from None
    if context is None:
        raise FileError(f"The Dask scheduler at {address} needs a certificate: --tls CA CERT KEY.")
    return security
