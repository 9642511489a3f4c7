"""Arguments of ``classifier-playground study``; imports nothing of the program, so that its help appears at once."""

from __future__ import annotations

import argparse
from pathlib import Path

PRESETS = ("grid", "knn-notes", "knn-limit", "learning-curve", "rules")


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("the file name is empty")
    return Path(text)


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes; write 1 to 1024")
    return int(text)


def _shard(text: str) -> tuple[int, int]:
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count) <= 1_000_000):
        raise argparse.ArgumentTypeError(f"{text!r} is no shard; write 1/4 to 4/4 for four machines")
    return int(number), int(count)


def _seconds(text: str) -> float:
    seconds = float(text) if text.replace(".", "", 1).isdecimal() else 0.0
    if not 0.0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds; write 60 or 0.5")
    return seconds


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `study` to `parser`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(parser))
    init = actions.add_parser("init", help="write a commented study file", description="Write a commented study file.")
    init.add_argument("study", type=_path, metavar="STUDY.toml")
    init.add_argument("--preset", choices=PRESETS, default="grid", help="default: grid")
    taken = "take points and the settings of the first classifier from a document or a share text"
    init.add_argument("--from", dest="source", type=_path, metavar="FILE", help=taken)
    run = actions.add_parser(
        "run",
        help="compute what is missing",
        description="Compute what is missing of a study.  Ctrl+C stops it; the same command goes on.",
    )
    run.add_argument("study", type=_path, metavar="STUDY.toml", nargs="?")
    alone = "with no STUDY.toml, the study is the one that init --from writes"
    run.add_argument("--from", dest="source", type=_path, metavar="FILE", help=f"{taken}; {alone}")
    run.add_argument("--out", type=_path, required=True, metavar="FOLDER", help="of the results; made if need be")
    run.add_argument("--jobs", type=_jobs, default=1, metavar="N", help="processes; default 1")
    trusted = "workers of a Dask scheduler, which is trusted, or of “local”"
    run.add_argument("--dask", default="", metavar="ADDRESS", help=trusted)
    files = "PEM files for a Dask scheduler at tls://: certificate authority, certificate, key"
    run.add_argument("--tls", type=_path, nargs=3, default=(), metavar=("CA", "CERT", "KEY"), help=files)
    part = "part I of M of the work, for machines that share nothing: copy the results together"
    run.add_argument("--shard", type=_shard, default=(1, 1), metavar="I/M", help=part)
    run.add_argument("--retry", action="store_true", help="compute what has failed once more")
    limit = "give up a cell after SECONDS; it is computed again with a larger limit, or without one"
    run.add_argument("--cell-limit", type=_seconds, default=float("inf"), metavar="SECONDS", help=limit)
    dry = "compute and write nothing; report what there is to do, and about how long it takes"
    run.add_argument("--dry-run", action="store_true", help=dry)
    as_json = "print one JSON object in one line; sentences go to standard error"
    run.add_argument("--json", action="store_true", help=as_json)
    status = actions.add_parser("status", help="how far it is", description="Say how far a study is.")
    status.add_argument("results", type=_path, metavar="FOLDER")
    status.add_argument("--json", action="store_true", help=as_json)
    show = actions.add_parser("show", help="the table or map", description="Print the table, or draw the map.")
    show.add_argument("results", type=_path, metavar="FOLDER")
    form = show.add_mutually_exclusive_group()
    form.add_argument("--out", type=_path, metavar="MAP.png", help="draw the map into this PNG file")
    form.add_argument("--json", action="store_true", help=as_json)
    show.add_argument("--value", default="", metavar="NAME", help="what of; default: the first value of the study")
    all_results = "all results, and the fold of each point, as CSV or JSON"
    export = actions.add_parser("export", help=all_results, description=f"Write {all_results}.")
    export.add_argument("results", type=_path, metavar="FOLDER")
    file = export.add_mutually_exclusive_group(required=True)
    file.add_argument("--csv", type=_path, metavar="FILE", help="the results; FILE-folds.csv beside it has the folds")
    file.add_argument("--json", type=_path, metavar="FILE", help="both in one object")
    points = "the document that has the points of the study, if it has: without it, folds are left out"
    export.add_argument("--from", dest="source", type=_path, metavar="DOCUMENT", help=points)
