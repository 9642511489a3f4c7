"""Text of the race: every sentence and number, made from its frames; no Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from msgspec import Struct

from app.core.number_format import count, grouped, percent, short, span_of_time
from app.core.plain_text import listed
from app.learners.svm import STEPPED
from app.scene.status_badge import Badge, Mood
from solver import RULES, Status

from .race_frame import NEAR_GAP, Finish, RaceFrame, RacerFrame

T = TypeVar("T", int, float)
#: Titles and tips of the table's columns.
COLUMNS: tuple[tuple[str, str], ...] = (
    ("Rule", "How the two multipliers of a step are chosen."),
    ("Steps", "Pair updates. Bold: the fewest of those that have arrived."),
    (
        "Kernel evaluations",
        "Values K(xᵢ, xⱼ) computed: whole rows, each once, for they are kept. Bold: the fewest of those that have"
        " arrived.",
    ),
    (
        "Time",
        "Processor time of the solver, measured on a second run of it that is not stopped to be looked at. Bold: the"
        " shortest of those that have arrived.",
    ),
    ("KKT violation", "m − M: at most the tolerance at the finish. Bold: the smallest at present."),
    ("Gap", "(P − D) / P: how much the objective could still improve, at most. Bold: the smallest at present."),
    ("Support vectors", "Free + bounded. At the optimum all rules agree, so none is better."),
)
ORDINALS = ("", "1st", "2nd", "3rd", "4th")
#: Badges of racers that have ended.
ENDS: dict[Status, tuple[Mood, str]] = {
    Status.OPTIMAL: (Mood.CERTIFIED, "{rank}optimal: {numbers}"),
    Status.STATIONARY: (Mood.CERTIFIED, "{rank}stationary: {numbers}"),
    Status.STOPPED_EARLY: (Mood.DOUBTFUL, "stopped early: {numbers}"),
    Status.NOT_SEPARABLE: (Mood.DOUBTFUL, "not separable"),
    Status.PRECISION: (Mood.DOUBTFUL, "not certified: double precision ends here, {numbers}"),
}
START = "All rules start from zero multipliers. Play starts the race."
TOO_FEW = "Choose two to four rules for a race."
TOO_MANY = "Four rules race at most: take one out first."
TOO_LARGE = f"A race goes step by step, with at most {grouped(STEPPED)} training points: learn from fewer."
PREPARING = "Preparing the fast solver, which all rules but one need…"
NO_LANE = "A race needs a support vector machine trained by SMO: choose it above a picture."


class Cell(Struct, frozen=True):
    """An entry of the table; `best` if it is the best of its column."""

    text: str
    best: bool = False


def title(rule: str) -> str:
    """Return the title of a rule."""
    return RULES[rule].title


def pace(mode: str, value: float) -> str:
    """Return "10 steps per picture", "0.5 ms per picture", "full speed"."""
    if math.isinf(value):
        return "full speed"
    return f"{count(int(value), 'step')} per picture" if mode == "steps" else f"{value:g} ms per picture"


def badge(racer: RacerFrame, playing: bool) -> Badge:
    """Return the badge with the state of a racer."""
    certificate = racer.certificate
    if racer.running:
        if playing:
            return Badge(Mood.MOVING, "still moving")
        return Badge(Mood.RESTING, "paused" if racer.steps else "at start")
    rank = f"{ORDINALS[racer.finish.rank]}, " if racer.finish is not None else ""
    gap = "" if math.isnan(certificate.gap) else f", gap {percent(certificate.gap)}"
    mood, words = ENDS[certificate.status]
    return Badge(mood, words.format(rank=rank, numbers=f"KKT {short(max(0.0, certificate.kkt_violation))}{gap}"))


# -- the table -----------------------------------------------------------------------------------------------------


def table(frame: RaceFrame) -> list[list[Cell]]:
    """Return a row for each racer, with the columns `COLUMNS`."""
    racers, certificates = frame.racers, [racer.certificate for racer in frame.racers]
    arrived, begun = [racer.finish is not None for racer in racers], [frame.begun] * len(racers)
    columns = (
        [Cell(title(racer.rule)) for racer in racers],
        _column([racer.steps for racer in racers], grouped, arrived),
        _column([racer.evaluations for racer in racers], grouped, arrived),
        _column([racer.seconds for racer in racers], span_of_time, arrived),
        _column([max(0.0, each.kkt_violation) for each in certificates], short, begun),
        _column([each.gap for each in certificates], _gap, begun),
        [Cell(f"{each.n_free} + {each.n_bounded}") for each in certificates],
    )
    return [list(row) for row in zip(*columns, strict=True)]


def _column(values: Sequence[T], words: Callable[[T], str], counted: Sequence[bool]) -> list[Cell]:
    """Return the entries of a column: `values` in `words`; the least of those that count are the best."""
    least = min((v for v, c in zip(values, counted, strict=True) if c and not math.isnan(v)), default=math.nan)
    return [Cell(words(v), c and v == least) for v, c in zip(values, counted, strict=True)]


def _gap(gap: float) -> str:
    return "unknown" if math.isnan(gap) else percent(gap).replace("below ", "< ")


# -- who wins ------------------------------------------------------------------------------------------------------


def winner(frame: RaceFrame) -> str:
    """Return who has won, and by how much; or who leads."""
    if frame.message:
        return frame.message
    if not frame.begun:
        return START
    finished = _in_order((each.finish, each) for each in frame.racers)
    if not finished:
        return _no_winner(frame)
    best, mode = finished[0][0], frame.mode
    first = [name for finish, name in finished if finish.rank == 1]
    parts = [f"{listed(first)} {'wins' if len(first) == 1 else 'arrive together'}: {_amount(best, mode)}"]
    later = [(name, f"{_times(finish, best, mode)} times") for finish, name in finished[len(first) :]]
    if later:
        (name, times), *others = later
        needs = f"{name} needs {times} {'as many' if mode == 'steps' else 'as long'}"
        parts.append(", ".join([needs, *(f"{name} {times}" for name, times in others)]))
    return "; ".join(parts + _others(frame, best)) + "."


def _in_order(finishes: Iterable[tuple[Finish | None, RacerFrame]]) -> list[tuple[Finish, str]]:
    """Return the finishes of those that have one, with the titles of their rules, by rank."""
    arrived = [(finish, title(racer.rule)) for finish, racer in finishes if finish is not None]
    return sorted(arrived, key=lambda each: each[0].rank)


def _no_winner(frame: RaceFrame) -> str:
    if frame.over:
        return "Nobody wins: " + "; ".join(_others(frame, None)) + "."
    closest = min(frame.racers, key=lambda racer: racer.certificate.kkt_violation)
    violation = short(closest.certificate.kkt_violation)
    return (
        f"Nobody has arrived yet. Closest: {title(closest.rule)}, KKT violation {violation};"
        f" the finish is at {short(frame.tol)}."
    )


def _others(frame: RaceFrame, best: Finish | None) -> list[str]:
    """Return sentences about racers that have not arrived."""
    parts = []
    for racer in frame.racers:
        name, status = title(racer.rule), racer.certificate.status
        if status is Status.RUNNING and best is not None:
            parts.append(f"{name} is still moving after {_amount(racer, frame.mode)}")
        elif status is Status.STOPPED_EARLY:
            parts.append(f"{name} stopped early after {count(racer.steps, 'step')}")
        elif status is Status.PRECISION:
            violation = short(racer.certificate.kkt_violation)
            parts.append(f"{name} ends at the limit of double precision, KKT violation {violation}")
    return parts


def near(frame: RaceFrame) -> str:
    """Return the order in which the racers reached a small gap; "" if there is none."""
    if not frame.begun or frame.message or not any(racer.certificate.gap >= 0 for racer in frame.racers):
        return ""
    arrived = _in_order((each.near, each) for each in frame.racers)
    names = [f"{finish.rank}. {name} ({_amount(finish, frame.mode)})" for finish, name in arrived]
    away = [title(racer.rule) for racer in frame.racers if racer.near is None]
    if away:
        names.append(f"not yet: {listed(away)}" if names else "nobody yet")
    return f"Gap at most {NEAR_GAP:.0%}: ".replace("%", "\u202f%") + ",  ".join(names) + "."


def _amount(spent: Finish | RacerFrame, mode: str) -> str:
    return count(spent.steps, "step") if mode == "steps" else span_of_time(spent.seconds)


def _times(finish: Finish, best: Finish, mode: str) -> str:
    ratio = finish.spent(mode) / max(best.spent(mode), 1e-9)
    return grouped(round(ratio)) if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1.1 else f"{ratio:.2f}"
