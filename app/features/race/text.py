"""Text of the race: every sentence and number, made from its frames; no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.number_format import count, grouped, percent, short, span_of_time
from app.learners.svm import STEPPED
from app.scene.status_badge import Badge, Mood
from solver import RULES, Status

from .race_frame import NEAR_GAP, Finish, RaceFrame, RacerFrame

#: Titles of the table's columns, and what they mean.
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
    ("KKT violation", "m − M: at most the tolerance at the finish. Bold: the smallest just now."),
    ("Gap", "(P − D) / P: how much the objective could still improve, at most. Bold: the smallest just now."),
    ("Support vectors", "Free + bounded. At the optimum all rules agree, so none is better."),
)
ORDINALS = ("", "1st", "2nd", "3rd", "4th")
START = "All rules start from zero multipliers. Play starts the race."
TOO_FEW = "Choose two to four rules for a race."
TOO_MANY = "Four rules race at most: take one out first."
TOO_LARGE = f"A race goes step by step, with at most {grouped(STEPPED)} training points: learn from fewer."
PREPARING = "Preparing the fast solver, which all rules but one need…"
NO_LANE = "A race needs a support vector machine trained by SMO: choose it above a picture."


@dataclass(frozen=True)
class Cell:
    """One entry of the table, and whether it is the best of its column."""

    text: str
    best: bool = False


def title(rule: str) -> str:
    """What a rule is called on screen."""
    return RULES[rule].title


def pace(mode: str, value: float) -> str:
    """ "10 steps per picture", "0.5 ms per picture", "full speed"."""
    if math.isinf(value):
        return "full speed"
    return f"{count(int(value), 'step')} per picture" if mode == "steps" else f"{value:g} ms per picture"


def badge(racer: RacerFrame, playing: bool) -> Badge:
    """Return where a racer stands."""
    certificate = racer.certificate
    status, numbers = certificate.status, _numbers(racer)
    if status is Status.RUNNING:
        if playing:
            return Badge(Mood.MOVING, "still moving")
        return Badge(Mood.RESTING, "paused" if racer.steps else "at start")
    place = f"{ORDINALS[racer.finish.place]}, " if racer.finish is not None else ""
    if status is Status.OPTIMAL:
        return Badge(Mood.CERTIFIED, f"{place}optimal: {numbers}")
    if status is Status.STATIONARY:
        return Badge(Mood.CERTIFIED, f"{place}stationary: {numbers}")
    if status is Status.STOPPED_EARLY:
        return Badge(Mood.DOUBTFUL, f"stopped early: {numbers}")
    if status is Status.NOT_SEPARABLE:
        return Badge(Mood.DOUBTFUL, "not separable")
    return Badge(Mood.DOUBTFUL, f"not certified: double precision ends here, {numbers}")


def _numbers(racer: RacerFrame) -> str:
    certificate = racer.certificate
    text = f"KKT {short(max(0.0, certificate.kkt_violation))}"
    return text if math.isnan(certificate.gap) else f"{text}, gap {percent(certificate.gap)}"


# -- the table -----------------------------------------------------------------------------------------------------


def table(frame: RaceFrame) -> list[list[Cell]]:
    """A row for each racer, with the columns `COLUMNS`."""
    racers = frame.racers
    arrived = [racer.finish is not None for racer in racers]
    steps = _best([r.steps for r in racers], arrived)
    evaluations = _best([r.evaluations for r in racers], arrived)
    seconds = _best([r.seconds for r in racers], arrived)
    begun = [frame.begun] * len(racers)
    violation = _best([max(0.0, r.certificate.kkt_violation) for r in racers], begun)
    gap = _best([r.certificate.gap for r in racers], begun)
    rows = []
    for k, racer in enumerate(racers):
        c = racer.certificate
        rows.append(
            [
                Cell(title(racer.rule)),
                Cell(grouped(racer.steps), steps[k]),
                Cell(grouped(racer.evaluations), evaluations[k]),
                Cell(span_of_time(racer.seconds), seconds[k]),
                Cell(short(max(0.0, c.kkt_violation)), violation[k]),
                Cell("unknown" if math.isnan(c.gap) else percent(c.gap).replace("below ", "< "), gap[k]),
                Cell(f"{c.n_free} + {c.n_bounded}"),
            ]
        )
    return rows


def _best(values: Sequence[float], counted: Sequence[bool]) -> list[bool]:
    """Which of the values that count are the least."""
    least = min((v for v, c in zip(values, counted, strict=True) if c and not math.isnan(v)), default=math.nan)
    return [c and v == least for v, c in zip(values, counted, strict=True)]


# -- who wins ------------------------------------------------------------------------------------------------------


def winner(frame: RaceFrame) -> str:
    """Who has won, and by how much; or who leads."""
    if frame.message:
        return frame.message
    if not frame.begun:
        return START
    finished = sorted((r for r in frame.racers if r.finish is not None), key=_place)
    if not finished:
        return _no_winner(frame)
    best = finished[0].finish
    assert best is not None
    first = [racer for racer in finished if _place(racer) == 1]
    amount = _amount(best, frame.mode)
    if len(first) == 1:
        parts = [f"{title(first[0].rule)} wins: {amount}"]
    else:
        parts = [f"{_and([title(racer.rule) for racer in first])} arrive together: {amount}"]
    later = finished[len(first) :]
    if later:
        unit = "as many" if frame.mode == "steps" else "as long"
        ratios = [_times(racer.finish, best, frame.mode) for racer in later]
        named = [f"{title(racer.rule)} {ratio} times" for racer, ratio in zip(later, ratios, strict=True)]
        named[0] = f"{title(later[0].rule)} needs {ratios[0]} times {unit}"
        parts.append(", ".join(named))
    return "; ".join(parts + _others(frame, best)) + "."


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
    """What there is to say of those that have not arrived."""
    said = []
    for racer in frame.racers:
        name, status = title(racer.rule), racer.certificate.status
        if status is Status.RUNNING and best is not None:
            now = Finish(racer.steps, racer.evaluations, racer.seconds)
            said.append(f"{name} is still moving after {_amount(now, frame.mode)}")
        elif status is Status.STOPPED_EARLY:
            said.append(f"{name} stopped early after {count(racer.steps, 'step')}")
        elif status is Status.PRECISION:
            violation = short(racer.certificate.kkt_violation)
            said.append(f"{name} ends at the limit of double precision, KKT violation {violation}")
    return said


def near(frame: RaceFrame) -> str:
    """The order in which the racers came to a small gap, or "" where there is nothing to say."""
    if not frame.begun or frame.message or not any(racer.certificate.gap >= 0 for racer in frame.racers):
        return ""
    arrived = sorted((r for r in frame.racers if r.near is not None), key=_near_place)
    names = []
    for racer in arrived:
        assert racer.near is not None
        names.append(f"{racer.near.place}. {title(racer.rule)} ({_amount(racer.near, frame.mode)})")
    away = [title(racer.rule) for racer in frame.racers if racer.near is None]
    if away:
        names.append(f"not yet: {_and(away)}" if names else "nobody yet")
    return f"Gap at most {NEAR_GAP:.0%}: ".replace("%", "\u202f%") + ",  ".join(names) + "."


def _place(racer: RacerFrame) -> int:
    return racer.finish.place if racer.finish is not None else 99


def _near_place(racer: RacerFrame) -> int:
    return racer.near.place if racer.near is not None else 99


def _amount(finish: Finish, mode: str) -> str:
    return count(finish.steps, "step") if mode == "steps" else span_of_time(finish.seconds)


def _times(finish: Finish | None, best: Finish, mode: str) -> str:
    assert finish is not None
    ratio = finish.spent(mode) / max(best.spent(mode), 1e-9)
    return grouped(round(ratio)) if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1.1 else f"{ratio:.2f}"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
