"""Verdicts: what the certificates of a training come to, in words; each kind of learner proves something else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from app.engine.requests import AnyCertificate
from app.state.document import Lane
from app.state.number_format import count, grouped, percent, short
from solver import Certificate, PegasosCertificate, PerceptronCertificate, Status

if TYPE_CHECKING:
    from app.learners.perceptron_orders import Orders

#: Largest relative gap of multipliers that are called optimal where double precision ends.
SMALL_GAP = 0.01
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Verdict:
    """How a finished training ended.

    Attributes
    ----------
    certified : bool
        What the learner set out to find is found, and that is proved.
    text : str
        In one sentence.
    """

    certified: bool
    text: str


def verdict(certificates: Sequence[AnyCertificate], lane: Lane) -> Verdict:
    """What the certificates of all binary problems of a finished training come to."""
    if perceptrons := _all_of(PerceptronCertificate, certificates):
        return _of_perceptron(perceptrons, lane)
    if pegasos := _all_of(PegasosCertificate, certificates):
        return _of_pegasos(pegasos)
    return _of_svm(_all_of(Certificate, certificates), lane)


def so_far(certificates: Sequence[AnyCertificate], lane: Lane) -> str:
    """What can be said of a training that rests on its way."""
    if perceptrons := _all_of(PerceptronCertificate, certificates):
        return f"{count(sum(c.n_wrong for c in perceptrons), 'point')} on the wrong side"
    if pegasos := _all_of(PegasosCertificate, certificates):
        gap = max(c.gap for c in pegasos)
        return "before the first step" if math.isnan(gap) else f"gap {percent(gap)}, proved"
    return _not_yet(_all_of(Certificate, certificates), lane)


def _not_yet(certificates: Sequence[Certificate], lane: Lane) -> str:
    """What is missing of multipliers that nobody has called optimal: it may be no more than a look at all points."""
    there = all(c.kkt_violation <= lane.svm.tol for c in certificates)
    return "not shown optimal yet" if there else "not optimal yet"


def brief(certificates: Sequence[AnyCertificate], lane: Lane) -> Verdict:
    """The verdict on a linear learner in so few words that they can stand on a badge."""
    whole = verdict(certificates, lane)
    if perceptrons := _all_of(PerceptronCertificate, certificates):
        if not whole.certified:
            return Verdict(False, f"still making mistakes after {_passes(max(c.n_epochs for c in perceptrons))}")
        made, bound = sum(c.mistakes for c in perceptrons), sum(c.mistake_bound for c in perceptrons)
        limit = f" of at most {_whole(bound)}" if math.isfinite(bound) else ""
        return Verdict(True, f"no mistakes left: made {grouped(made)}{limit}")
    gap = max((c.gap for c in _all_of(PegasosCertificate, certificates)), default=math.nan)
    if math.isnan(gap):
        return whole
    return Verdict(whole.certified, f"gap {'' if whole.certified else 'still '}{percent(gap)}, proved")


def numbers(certificates: Sequence[AnyCertificate], lane: Lane) -> list[str]:
    """The numbers of a training, each with its name; [] for kNN."""
    if not certificates:
        return []
    noun = "pair" if lane.multiclass == "one-vs-one" else "problem"
    several = f" in {len(certificates)} {noun}s" if len(certificates) > 1 else ""
    if perceptrons := _all_of(PerceptronCertificate, certificates):
        mistakes, bound = sum(c.mistakes for c in perceptrons), sum(c.mistake_bound for c in perceptrons)
        return [
            count(mistakes, "mistake") + several,
            f"at most {_whole(bound)} are possible" if math.isfinite(bound) else "no bound of the mistakes proved",
            _passes(max(c.n_epochs for c in perceptrons)),
        ]
    if pegasos := _all_of(PegasosCertificate, certificates):
        gaps = [c.gap for c in pegasos]
        return [
            count(sum(c.n_iter for c in pegasos), "step") + several,
            "gap unknown" if any(map(math.isnan, gaps)) else f"gap {percent(max(gaps))}",
            f"inside the margin or wrong: {count(sum(c.n_violating for c in pegasos), 'point')}"
            + (f", counted in each {noun}" if several else ""),
        ]
    machines = _all_of(Certificate, certificates)
    gaps = [c.gap for c in machines]
    free, bounded = sum(c.n_free for c in machines), sum(c.n_bounded for c in machines)
    ended = all(c.status in (Status.OPTIMAL, Status.STATIONARY) for c in machines)
    where = " among the points kept" if lane.learner == "lasvm" and not ended else ""
    return [
        count(sum(c.n_iter for c in machines), "step") + several,
        f"KKT violation {short(max(0.0, *(c.kkt_violation for c in machines)))}{where}",
        f"gap {percent(max(gaps))}" if not any(map(math.isnan, gaps)) else "gap unknown",
        f"support vectors: {free} free + {bounded} bounded" + (f", counted in each {noun}" if several else ""),
    ]


def of_orders(orders: Orders) -> str:
    """What a perceptron's runs in other orders come to, in one sentence; "" while nothing is known."""
    n = len(orders.weights)
    if orders.separable is False:
        line = "line" if orders.fit_intercept else "line through the origin"
        return f"No {line} separates the classes: in no order would a perceptron come to rest"
    possible = "possible" if orders.fit_intercept else "through the origin"
    if not n:
        return "" if orders.widest is None else f"the widest margin {possible} is {short(orders.widest_margin)}"
    so_many = f"{n} of {orders.asked}" if n < orders.asked else f"{n}"
    who = f"{so_many} {'order' if orders.asked == 1 else 'orders'}"
    if not orders.rested.any():
        return f"{who}: {'it does not come' if orders.asked == 1 else 'none comes'} to rest in time"
    at_rest = int(orders.rested.sum())
    some = "" if at_rest == n else f", {at_rest} at rest"
    mistakes, margins = orders.mistakes[orders.rested], orders.margins[orders.rested]
    least, most = (grouped(int(number)) for number in (mistakes.min(), mistakes.max()))
    told = [
        f"{least} mistake{'' if least == '1' else 's'}" if least == most else f"{least} to {most} mistakes",
        f"margin {short(margins[0])}" if at_rest == 1 else f"margins {short(margins.min())} to {short(margins.max())}",
    ]
    widest = "" if orders.widest is None else f"; the widest {possible} is {short(orders.widest_margin)}"
    return f"{who}{some}: {', '.join(told)}{widest}"


def _of_svm(certificates: list[Certificate], lane: Lane) -> Verdict:
    by_status = {c.status: c for c in certificates}
    if Status.NOT_SEPARABLE in by_status:
        bound = min(c.margin_bound for c in certificates if c.status is Status.NOT_SEPARABLE)
        return Verdict(False, f"Not separable with a margin above {short(bound)}")
    if Status.STOPPED_EARLY in by_status:
        if lane.learner == "lasvm" and not lane.svm.finish:
            passes, missing = _passes(lane.svm.n_epochs), _not_yet(certificates, lane)
            return Verdict(False, f"Over after {passes}, without FINISH: {missing}")
        steps = grouped(by_status[Status.STOPPED_EARLY].n_iter)
        waiting = ""
        if lane.learner == "smo" and lane.svm.selection == "cyclic":
            waiting = "; in cyclic order late partners may wait very long"
        return Verdict(False, f"Stopped early after {steps} steps: {_not_yet(certificates, lane)}{waiting}")
    if Status.PRECISION in by_status:
        worst = max(0.0, *(c.kkt_violation for c in certificates))
        if all(c.gap <= SMALL_GAP for c in certificates):
            return Verdict(True, f"Optimal to double precision (KKT violation {short(worst)})")
        return Verdict(False, f"Not shown optimal: double precision ends here (KKT violation {short(worst)})")
    if Status.STATIONARY in by_status:
        return Verdict(True, f"Stationary to {short(lane.svm.tol)} (kernel not positive semidefinite)")
    through = " of all f without intercept" if lane.learner == "dual-ascent" and not lane.svm.fit_intercept else ""
    return Verdict(True, f"Optimal to {short(lane.svm.tol)}{through}")


def _of_perceptron(certificates: list[PerceptronCertificate], lane: Lane) -> Verdict:
    made, bound = sum(c.mistakes for c in certificates), sum(c.mistake_bound for c in certificates)
    known = math.isfinite(bound)
    square = "(R² + 1)/γ²" if lane.perceptron.fit_intercept else "R²/γ²"
    theorem = f"{square} = {_whole(bound)}" if len(certificates) == 1 else f"{_whole(bound)} in all"
    if all(c.status is Status.OPTIMAL for c in certificates):
        who = "this line separates" if len(certificates) == 1 else "each line separates its class from the rest"
        what = f"{who}{' the classes' if len(certificates) == 1 else ''}"
        limit = f", at most {theorem} were possible" if known else ""
        return Verdict(True, f"No mistakes left: {what} ({count(made, 'mistake')} made{limit})")
    passes = _passes(max(c.n_epochs for c in certificates))
    if known:
        return Verdict(
            False, f"Stopped after {passes}, too early: the classes are separable, at most {theorem} mistakes in all"
        )
    return Verdict(False, f"Still making mistakes after {passes}: the classes may not be separable by a line")


def _of_pegasos(certificates: list[PegasosCertificate]) -> Verdict:
    gap = max(c.gap for c in certificates)
    line = "the averaged line is" if len(certificates) == 1 else "the averaged lines are"
    if all(c.status is Status.OPTIMAL for c in certificates):
        return Verdict(True, f"Gap {percent(gap)}, proved: {line} that close to the best through the origin")
    steps = grouped(max(c.n_iter for c in certificates))
    return Verdict(False, f"All {steps} steps made: gap {percent(gap)}, proved; more steps make it smaller")


def _all_of(kind: type[Kind], certificates: Sequence[object]) -> list[Kind]:
    return [each for each in certificates if isinstance(each, kind)]


def _passes(number: int) -> str:
    return f"{grouped(number)} {'pass' if number == 1 else 'passes'}"


def _whole(bound: float) -> str:
    """A bound of a whole number, which may be very large."""
    return grouped(math.floor(bound)) if bound < 1e15 else short(bound)
