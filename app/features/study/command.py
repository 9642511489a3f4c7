"""Command: ``classifier-playground study init | run | status | show | export``."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import msgspec
import numpy as np

from app.core.number_format import count, grouped, short, span_of_time
from app.exchange.opening import is_share_text
from app.files import documents
from app.files.documents import FileError
from app.state.document import Document

from . import engines, reading, results
from .cells import Places, paths, shard
from .computing import Given
from .map_reading import all_rests
from .model import PRESETS, Study
from .planning import Plan, axis_plan, plan_of, planned
from .results import Means

Tell = Callable[[str], None]
Open = Callable[[Path | None], Document]
#: Seconds between two lines of progress: where one replaces the other, and where they stand below each other.
EVERY, EVERY_LINE = 0.2, 10.0
GO_ON = "The same command goes on."
#: Warning about a Dask scheduler without TLS.
OPEN = (
    "Warning: the connection to the Dask scheduler at {} is not encrypted, and anybody who can reach the scheduler can "
    "run programs in your name.  A scheduler at tls://, with --tls, accepts only clients with a certificate."
)
#: Exit code after Ctrl+C, and seconds after which nothing is waited for any more.
STOPPED, PATIENCE = 130, 0.4


def run(options: argparse.Namespace, opener: Open, tell: Tell) -> int:
    """Do what `options` ask for and return the exit code; FileError where a file stops it."""
    actions = {"init": _init, "run": _run, "status": _status, "show": _show, "export": _export}
    return actions[options.action](options, opener, tell)


# -- init --------------------------------------------------------------------------------------------------------------


def _init(options: argparse.Namespace, opener: Open, tell: Tell) -> int:
    path: Path = options.study
    if os.path.lexists(path):
        raise FileError(f"{path.name} is there already; choose another name.")
    if options.source is None:
        study, sentence = PRESETS[options.preset]
        text = reading.written(study, sentence)
    else:
        document = opener(options.source)
        name = str(options.source)
        if not is_share_text(name):
            name = os.path.relpath(options.source, path.parent).replace(os.sep, "/")
        text = reading.written(study_of(document), "The points and the first classifier of a document.", name)
    documents.write_bytes(text.encode(), path)
    tell(f"Wrote {path}\n")
    return 0


def study_of(document: Document) -> Study:
    """The grid that the window proposes for the document's points and its first classifier."""
    lane = reading.lanes_of(document)[0]
    points = document.training_points
    if len(points) < 2:
        raise FileError("The document has fewer than two points to learn from.")
    folds = min(5, max(2, min(number for number in points.counts if number)))
    plan = plan_of("grid", lane, document)
    if plan.generated:  # n alone can be varied
        plan = Plan("learning-curve", axes=(axis_plan("n", lane, document, False),))
    made = planned(replace(plan, folds=str(folds)), lane, document)
    if made.study is None:
        raise FileError(" ".join(made.faults.values()))
    both = {"n", "k"} <= {axis.name for axis in made.study.axes}
    return msgspec.structs.replace(made.study, k_up_to_n=both)


# -- run ---------------------------------------------------------------------------------------------------------------


def _run(options: argparse.Namespace, opener: Open, tell: Tell) -> int:
    try:
        source = None if options.source is None else opener(options.source)
        if options.study is not None:
            study, given = reading.read(options.study, opener, source)
        elif source is not None:
            study, given = study_of(source), Given(source.training_points, source.test_points)
        else:
            raise FileError("Nothing says what to run: name a STUDY.toml, or a document with --from.")
    except reading.StudyError as error:
        _complain("".join(f"{fault}\n" for fault in error.faults))
        return 2
    folder: Path = options.out
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} cannot be made: {documents.reason(error)}.") from None
    everything = paths(study)
    mine = shard(everything, *options.shard)
    missing = {path.number for path in _read(folder, study).missing(mine, options.retry)}
    todo = [path for path in mine if path.number in missing]  # each whole: its cells begin with the first
    progress = _Progress(len(mine), len(todo))
    trainings = study.draws * sum(len(path.cells) for path in todo)
    progress.say(f"{count(trainings, 'training')} in {count(len(todo), 'path')} to do.")
    if options.dask and options.dask != "local" and not options.dask.startswith("tls://"):
        progress.say(OPEN.format(options.dask))
    failed = 0
    if threading.current_thread() is threading.main_thread():
        _stop_on_signals(progress)
    computing = engines.run(study, given, todo, folder, options.jobs, options.dask, options.tls)
    try:
        for records, ended in computing:
            failed += sum(bool(record.error) for record in records)
            progress.more(ended)
    except KeyboardInterrupt:
        return STOPPED
    except OSError as error:
        raise FileError(f"{folder} cannot be written to: {documents.reason(error)}.") from None
    progress.end()
    after = f"; {grouped(failed)} failed, which study run --retry computes once more" if failed else ""
    tell(f"{count(len(mine), 'path')} of {grouped(len(everything))} are in {folder}{after}\n")
    return 1 if failed else 0


def _stop_on_signals(progress: _Progress) -> None:
    """Ctrl+C and the signal of a scheduler: end within a second, whatever libraries do on their way out."""

    def stop(number: int, frame: object) -> NoReturn:
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        watch = threading.Timer(PATIENCE, os._exit, (STOPPED,))
        watch.daemon = True
        watch.start()
        progress.say(f"Stopped: {progress.done} of {count(progress.all, 'path')}.  {GO_ON}")
        # Every finished cell is written already.
        if sys.stderr is not None:  # what libraries say of connections that end is of no use
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


class _Progress:
    """How far it is and how long it will take, on standard error."""

    def __init__(self, whole: int, todo: int) -> None:
        self.all, self.done = whole, whole - todo
        self._todo, self._made = todo, 0
        self._begun = self._first = self._shown = time.monotonic()
        self._replaces = sys.stderr is not None and sys.stderr.isatty()
        self._open = False

    def say(self, text: str) -> None:
        """A line that stays."""
        before = "\n" if self._open else ""
        _complain(f"{before}{text}\n")
        self._open = False

    def more(self, paths: int) -> None:
        """So many further paths are done."""
        self.done, self._made = self.done + paths, self._made + paths
        now = time.monotonic()
        if self._made <= 1:  # what comes before it, such as starting a cluster, comes once
            self._first = now
        if now - self._shown < (EVERY if self._replaces else EVERY_LINE):
            return
        self._shown = now
        text = f"{self.done} of {count(self.all, 'path')}"
        if self._made > 1:
            left = (now - self._first) / (self._made - 1) * (self._todo - self._made)
            text += f", {_duration(left)} left"
        _complain(f"\r{text:<60}" if self._replaces else f"{text}\n")
        self._open = self._replaces

    def end(self) -> None:
        """Nothing is left."""
        if self._made:
            self.say(f"Done in {_duration(time.monotonic() - self._begun)}.")


def _complain(text: str) -> None:
    """To standard error, if there is one."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            print(text, end="", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    if seconds < 100:
        return span_of_time(round(seconds, 1)) if seconds >= 0.1 else "0 s"
    minutes, hours = seconds / 60, seconds / 3600
    return f"{minutes:.0f} min" if minutes < 100 else f"{hours:.1f} h"


def _read(folder: Path, expected: Study | None = None) -> results.StudyResults:
    """Return the results in `folder`, and report its damaged lines."""
    found = results.read(folder, expected)
    if found.damage:
        _complain(f"{found.damage}\n")
    return found


# -- looking -----------------------------------------------------------------------------------------------------------


def _status(options: argparse.Namespace, opener: Open, tell: Tell) -> int:
    found = _read(options.results)
    everything = paths(found.study)
    done, whole = len(everything) - len(found.missing()), sum(len(path.cells) for path in everything)
    tell(
        f"{grouped(done)} of {count(len(everything), 'path')}, "
        f"{grouped(found.done)} of {count(whole, 'result')}, {grouped(len(found.errors))} failed; "
        f"{count(found.n_files, 'part')}, {_duration(float(np.nansum(found.seconds)))} of computing\n"
    )
    tell("".join(f"  {error}\n" for error in sorted(set(found.errors.values()))[:5]))
    return 0


def _show(options: argparse.Namespace, opener: Open, tell: Tell) -> int:
    found = _read(options.results)
    values = found.study.values
    value = options.value or values[0]
    if value not in values:
        raise FileError(f"--value {value} is not of this study; it has {', '.join(values)}.")
    if options.out is None:
        tell(table(found.study, value, found.means(value)))
        return 0
    if options.out.suffix.lower() != ".png":
        raise FileError(f"--out {options.out} must end in .png.")
    from .view_picture import map_bytes

    documents.write_bytes(map_bytes(found, value), options.out)
    tell(f"Wrote {options.out}\n")
    return 0


def _export(options: argparse.Namespace, opener: Open, tell: Tell) -> int:
    found = _read(options.results)
    documents.write_bytes(found.table(), options.csv)
    tell(f"Wrote {options.csv}, {count(found.done, 'result')}\n")
    return 0


def table(study: Study, value: str, means: Means) -> str:
    """Mean and spread of each cell in plain text: the first axis downwards, the second to the right."""
    first, blocks = study.axes[0], []
    heads = [f"{study.head(axis)}={value}" for axis in study.axes[1:2] for value in axis.values] or ["all"]
    for rest in all_rests(study):
        other = [f"{study.head(axis)} = {axis.values[place]}" for axis, place in zip(study.axes[2:], rest, strict=True)]
        rows = [[study.head(first), *heads]]
        for i, at in enumerate(first.values):
            rows.append([str(at), *(_told(means, (i, j, *rest)[: len(study.axes)]) for j in range(len(heads)))])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(each.rjust(width) for each, width in zip(row, widths, strict=True)) for row in rows]
        blocks.append("\n".join([", ".join([value, *other]), *lines]) + "\n")
    return "\n".join(blocks)


def _told(means: Means, places: Places) -> str:
    mean, spread = float(means.mean[places]), float(means.spread[places])
    if math.isnan(mean):
        return "failed" if means.errors[places] else "–"
    return (f"{mean:.4f}" if abs(mean) < 10 else short(mean)) + ("" if math.isnan(spread) else f"±{short(spread)}")
