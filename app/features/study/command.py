"""Command: the subcommands ``classifier-playground study init | run | status | show | export``."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.csv_text import csv_text
from app.core.number_format import about, count, grouped, short, span_of_time
from app.exchange.opening import is_share_text
from app.files import documents
from app.files.documents import FileError
from app.state.document import Document

from . import engines, reading, results
from .cells import CellIndex, digest_of, paths, shard
from .cells import Path as CellPath
from .computing import NOT_DEFINED, TOOK_LONGER, Given
from .folds import folds_of_study, rows_of
from .map_reading import all_further
from .model import PRESETS, Study, existing_cells
from .planning import StudyPlan, axis_plan, costs_of, plan_of, planned
from .results import FAILED, NAMED, Means, StudyResults, status_of
from .timing import BEGINNING, ENOUGH, LONGEST, Trial

Report = Callable[[str], None]
Open = Callable[[Path | None], Document]
#: Interval (s) between two lines of progress: where one replaces the other, and where each is printed below the last.
EVERY, EVERY_LINE = 0.2, 10.0
GO_ON = "The same command goes on."
#: Warning about a Dask scheduler without TLS.
OPEN = (
    "Warning: the connection to the Dask scheduler at {} is not encrypted, and anybody who can reach the scheduler can "
    "run programs in your name.  A scheduler at tls://, with --tls, accepts only clients with a certificate."
)
#: Words of `status` for results without a value, if there are any.
MORE = {"took_longer": "took longer than their limit", "not_defined": "not defined"}
#: Interval (s) between two checks of cells being timed.
SHORTLY = 0.05
#: Signals that stop a run: Ctrl+C, that of a scheduler, and that of a terminal that closes (not on Windows).
ENDING = {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
#: Exit code after Ctrl+C, and time (s) after which the process ends without waiting for anything.
STOPPED, PATIENCE = 130, 0.4


def run(options: argparse.Namespace, opener: Open, report: Report) -> int:
    """Execute `options` and return the exit code; raise FileError if a file prevents it."""
    actions = {"init": _init, "run": _run, "status": _status, "show": _show, "export": _export}
    return actions[options.action](options, opener, report)


# -- init --------------------------------------------------------------------------------------------------------------


def _init(options: argparse.Namespace, opener: Open, report: Report) -> int:
    path: Path = options.study
    if path.suffix.lower() != ".toml":
        raise FileError(f"{path.name} was not written: the name of a study ends in .toml.")
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
    report(f"Wrote {path}\n")
    return 0


def study_of(document: Document) -> Study:
    """Return the grid that the window proposes for the document's points and its first classifier."""
    lane = reading.lanes_of(document)[0]
    points = document.training_points
    if len(points) < 2:
        raise FileError("The document has fewer than two points to learn from.")
    folds = min(5, max(2, min(number for number in points.counts if number)))
    plan = plan_of("grid", lane, document)
    if plan.generated:  # of given points, only n can be varied
        plan = StudyPlan("learning-curve", axes=(axis_plan("n", lane, document, False),))
    made = planned(replace(plan, folds=str(folds)), lane, document)
    if made.study is None:
        raise FileError(" ".join(made.faults.values()))
    return msgspec.structs.replace(made.study, k_up_to_n={"n", "k"} <= {axis.name for axis in made.study.axes})


# -- run ---------------------------------------------------------------------------------------------------------------


def _run(options: argparse.Namespace, opener: Open, report: Report) -> int:
    if options.tls and not options.dask.startswith("tls://"):
        raise FileError("--tls is for a Dask scheduler at tls://…: --dask names none.")
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
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise FileError(f"{folder} cannot be made: there is a file of this name.")
    everything = paths(study)
    mine = shard(everything, *options.shard)
    found = _read(folder, study)
    todo = found.todo(mine, options.retry, options.cell_limit)
    progress = _Progress(len(mine), len(todo))
    if threading.current_thread() is threading.main_thread():
        _stop_on_signals(progress)
    try:
        if options.dry_run:
            return _estimate(options, found, given, todo, report)
        ended = _compute(options, found, given, todo, progress)
        if not (todo or found.n_files):  # every first line is damaged
            results.ResultsFile(folder, study).close()
    except KeyboardInterrupt:
        return STOPPED
    except OSError as error:
        raise FileError(f"{folder} cannot be written to: {documents.reason(error)}.") from None
    text = f"{count(len(mine), 'path')} of {grouped(len(everything))} are in {folder}"
    if late := ended[TOOK_LONGER]:
        text += (
            f"; {grouped(late)} took longer than {options.cell_limit:g} s, which a larger --cell-limit computes again"
        )
    if failed := ended[FAILED]:
        text += f"; {grouped(failed)} failed, which study run --retry computes once more"
    _report(options, report, text, {"folder": str(folder), "computed": ended.total(), **_numbers(found)})
    return 1 if failed else 0


def _compute(
    options: argparse.Namespace, found: StudyResults, given: Given | None, todo: list[CellPath], progress: _Progress
) -> Counter[str]:
    """Compute `todo` into the folder and into `found`; return the number of results with each status."""
    trainings, ended = found.study.draws * sum(len(path.cells) for path in todo), Counter[str]()
    progress.say(f"{count(trainings, 'training')} in {count(len(todo), 'path')} to do.")
    if options.dask and options.dask != "local" and not options.dask.startswith("tls://"):
        progress.say(OPEN.format(options.dask))
    where = options.out, options.jobs, options.dask, options.tls, options.cell_limit
    for records, n_paths in engines.run(found.study, given, todo, *where):
        for record in records:
            found.add(record)
        ended.update(map(status_of, records))
        progress.more(n_paths)
    progress.end()
    return ended


def _estimate(
    options: argparse.Namespace, found: StudyResults, given: Given | None, todo: list[CellPath], report: Report
) -> int:
    """Report the work of a run and its duration, by the model of costs and the measured speed of this machine."""
    study, costs, known = found.study, costs_of(found.study, given), ~(np.isnan(found.seconds) | found.ended(FAILED))
    took, cost = float(found.seconds[known].sum()), float((known.sum(axis=(-2, -1)) * costs).sum())
    source, beginning = "the results that are there", BEGINNING
    if took < ENOUGH and todo:
        trial, source = Trial(study, given, niceness=0), "some cells timed for this"
        while not trial.ended:
            time.sleep(SHORTLY)
            trial.collect()
        if trial.run.failure:
            raise FileError(trial.run.failure)
        took, cost, beginning = trial.took, trial.cost, trial.beginning
    each = np.minimum(costs * took / cost, options.cell_limit) if took else costs
    processes = 1 if options.dask else max(1, min(options.jobs, os.cpu_count() or 1, len(todo)))
    to_do = [cell for path in todo for cell in path.cells]
    seconds = beginning + float(sum(each[cell] for cell in to_do)) / processes
    numbers = {"folder": str(options.out), **_numbers(found), "to_do": len(to_do)}
    text = (
        f"{count(numbers['cells'], 'cell')}, {count(study.folds, 'fold')}, {count(study.repetitions, 'repetition')}, "
        f"{count(study.draws, 'draw')}: {count(numbers['trainings'], 'training')}.\n"
        f"{grouped(found.done)} of {count(numbers['results'], 'result')} are there already, "
        f"{grouped(len(to_do))} in {count(len(todo), 'path')} are to be computed."
    )
    if todo:
        with_all = "one process" if processes == 1 else f"{processes} processes"
        takes = f"That takes {about(seconds)} with {with_all}, estimated from {source}"
        if not took:
            takes = f"How long that takes is not known yet: no cell was finished within {LONGEST:g} s"
        text += f"\n{takes}; a new file in {options.out} is written."
        numbers |= {"estimate": {"seconds": seconds if took else None, "processes": processes, "source": source}}
    _report(options, report, text, numbers)
    return 0


def _numbers(found: StudyResults) -> dict[str, Any]:
    """Return the numbers of cells and results of a study, for `--json`."""
    study, cells = found.study, int(existing_cells(found.study).sum())
    results = cells * study.repetitions * max(1, study.folds)
    return {
        "cells": cells,
        "folds": study.folds,
        "repetitions": study.repetitions,
        "draws": study.draws,
        "results": results,
        "trainings": results * study.draws,
        "there": found.done,
        "failed": int(found.ended(FAILED).sum()),
        "took_longer": int(found.ended(TOOK_LONGER).sum()),
        "not_defined": int(found.ended(NOT_DEFINED).sum()),
        "seconds": float(np.nansum(found.seconds)),
        "damaged": found.damaged,
    }


def _report(options: argparse.Namespace, report: Report, text: str, content: dict[str, Any]) -> None:
    """Print `text`; with `--json` on standard error, and `content` on standard output as an object in one line."""
    if options.json:
        _complain(f"{text}\n")
        text = msgspec.json.encode(content).decode()
    report(f"{text}\n")


def _stop_on_signals(progress: _Progress) -> None:
    """End the run within a second after Ctrl+C, the signal of a scheduler, or a closed terminal."""
    numbers = [each for each in ENDING if signal.getsignal(each) is not signal.SIG_IGN]  # nohup ignores one

    def stop(number: int, frame: object) -> NoReturn:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        watch = threading.Timer(PATIENCE, os._exit, (STOPPED,))
        watch.daemon = True
        watch.start()
        progress.say(f"Stopped: {progress.done} of {count(progress.all, 'path')}.  {GO_ON}")
        # Every finished cell has been written.
        if sys.stderr is not None:  # libraries report closed connections, which is of no use
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        raise KeyboardInterrupt

    for each in numbers:
        signal.signal(each, stop)


class _Progress:
    """Report progress and the time left on standard error."""

    def __init__(self, whole: int, todo: int) -> None:
        self.all, self.done = whole, whole - todo
        self._todo, self._made = todo, 0
        self._begun = self._first = self._shown = time.monotonic()
        self._replaces = sys.stderr is not None and sys.stderr.isatty()
        self._open = False

    def say(self, text: str) -> None:
        """Print a line that stays."""
        before = "\n" if self._open else ""
        _complain(f"{before}{text}\n")
        self._open = False

    def more(self, paths: int) -> None:
        """Count `paths` as done, and print the progress if it is time."""
        self.done, self._made = self.done + paths, self._made + paths
        now = time.monotonic()
        if self._made <= 1:  # a start-up before it, such as that of a cluster, occurs once
            self._first = now
        if now - self._shown < (EVERY if self._replaces else EVERY_LINE):
            return
        self._shown = now
        text = f"{self.done} of {count(self.all, 'path')}"
        if self._made > 1:
            left = (now - self._first) / (self._made - 1) * (self._todo - self._made)
            text += f", {about(left)} left"
        _complain(f"\r{text:<60}" if self._replaces else f"{text}\n")
        self._open = self._replaces

    def end(self) -> None:
        """Print the total time."""
        if self._made:
            self.say(f"Done in {_duration(time.monotonic() - self._begun)}.")


def _complain(text: str) -> None:
    """Print on standard error, if there is one."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            print(text, end="", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    return span_of_time(seconds) if seconds < 100 else about(seconds)


def _read(folder: Path, expected: Study | None = None) -> StudyResults:
    """Return the results in `folder`, and report its damaged lines."""
    found = results.read(folder, expected)
    if found.damage:
        _complain(f"{found.damage}\n")
    return found


# -- looking -----------------------------------------------------------------------------------------------------------


def _status(options: argparse.Namespace, opener: Open, report: Report) -> int:
    found = _read(options.results)
    numbers, whole = _numbers(found), len(paths(found.study))
    errors = sorted(set(found.errors.values()))[:NAMED]
    more = "".join(f", {grouped(numbers[key])} {words}" for key, words in MORE.items() if numbers[key])
    text = (
        f"{grouped(whole - len(found.missing()))} of {count(whole, 'path')}, "
        f"{grouped(found.done)} of {count(numbers['results'], 'result')}, {grouped(numbers['failed'])} failed{more}; "
        f"{count(found.n_files, 'part')}, {_duration(numbers['seconds'])} of computing"
    )
    _report(options, report, "\n  ".join([text, *errors]), numbers | {"errors": errors})
    return 0


def _show(options: argparse.Namespace, opener: Open, report: Report) -> int:
    found = _read(options.results)
    values = found.study.values
    value = options.value or values[0]
    if value not in values:
        raise FileError(f"--value {value} is not of this study; it has {', '.join(values)}.")
    if options.json:
        means, states, study = found.means(value), found.states, found.study
        numbers = [("mean", means.mean), ("spread", means.spread), ("results", means.count), ("state", states)]
        cells = [
            study.choice(cell) | {name: array[cell].item() for name, array in numbers}
            for cell in np.ndindex(study.shape)
        ]
        report(msgspec.json.encode({"value": value, "study": study, "cells": cells}).decode() + "\n")
        return 0
    if options.out is None:
        report(table(found, value))
        return 0
    if options.out.suffix.lower() != ".png":
        raise FileError(f"--out {options.out} must end in .png.")
    from .view_picture import map_bytes

    documents.write_bytes(map_bytes(found, value), options.out)
    report(f"Wrote {options.out}\n")
    return 0


def _export(options: argparse.Namespace, opener: Open, report: Report) -> int:
    found = _read(options.results)
    study, given, dealt = found.study, None, found.study.folds > 0
    if study.digest and options.source is not None:
        document = opener(options.source)
        given = Given(document.training_points, document.test_points)
        if digest_of(given.points, given.tests) != study.digest:
            raise FileError(f"{options.source} has other points than the study.")
    elif study.digest and dealt:
        _complain("The folds are left out: name the document that has the points with --from.\n")
        dealt = False
    sets = list(folds_of_study(study, given)) if dealt else []
    if options.csv is not None:
        beside = options.csv.with_name(f"{options.csv.stem}-folds.csv")
        files = {options.csv: found.table(), **({beside: csv_text(rows_of(sets)).encode()} if sets else {})}
    else:
        heads, *rows = found.rows()
        content = {"study": study, "results": [dict(zip(heads, row, strict=True)) for row in rows], "folds": sets}
        files = {options.json: msgspec.json.encode(content)}
    for path, data in files.items():
        documents.write_bytes(data, path)
        report(f"Wrote {path}\n")
    return 0


def table(found: StudyResults, value: str) -> str:
    """Return mean and spread of each cell as plain text: the first axis downwards, the second to the right."""
    study, means, states = found.study, found.means(value), found.states
    first, blocks = study.axes[0], []
    heads = [f"{study.head(axis)}={value}" for axis in study.axes[1:2] for value in axis.values] or ["all"]
    for rest in all_further(study):
        other = [f"{study.head(axis)} = {axis.values[index]}" for axis, index in zip(study.axes[2:], rest, strict=True)]
        rows = [[study.head(first), *heads]]
        for i, at in enumerate(first.values):
            rows.append(
                [str(at), *(_cell_text(means, states, (i, j, *rest)[: len(study.axes)]) for j in range(len(heads)))]
            )
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(each.rjust(width) for each, width in zip(row, widths, strict=True)) for row in rows]
        blocks.append("\n".join([", ".join([value, *other]), *lines]) + "\n")
    return "\n".join(blocks)


def _cell_text(means: Means, states: NDArray[np.str_], cell: CellIndex) -> str:
    mean, spread = float(means.mean[cell]), float(means.spread[cell])
    if math.isnan(mean):
        return str(states[cell]) or "–"
    return (f"{mean:.4f}" if abs(mean) < 10 else short(mean)) + ("" if math.isnan(spread) else f"±{short(spread)}")
