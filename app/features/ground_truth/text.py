"""Text of ground truth and stability: names of boundaries, errors with their intervals, disagreements; no Qt."""

from __future__ import annotations

import math

from app.core.number_format import counted, grouped, percent, share_text, signed
from app.state.document import GeneratorSettings
from solver.data.datasets import DATASETS
from solver.data.distribution import Law, cover_hart, wilson

from .bootstrap import Bootstrap
from .fresh_points import MOST_SHOWN, SIDE, BayesError, FreshTally
from .model import GroundTruthScene

NO_ORIGIN = (
    "No generator made these points, so their true boundary is not known: generate points (G) to compare the models"
    " with the truth."
)
NO_POINTS = "No points: generate some (G) to compare the models with the truth."
EDITED = "Points were edited or added since: the truth is that of the generator."
#: Share below which text says "below".
LEAST_SHOWN = 1e-5
SYMBOLS = (
    f"Small symbols: new points in their true class, crossed out where the model fails; of many, the first"
    f" {grouped(MOST_SHOWN)} failures.  Ties count in parts."
)
WAITING = "The training goes first: counts and resamples follow when it pauses."
NOTHING_THROWN = "Draw new points of the generator to see how often each model fails on points it has not learnt."
BAYES = "Bayes error: the mean over many locations; ± is its standard error."
INTERVAL = "95 %: the interval (Wilson’s) that holds the true error in 95 of 100 such draws."
EXCESS = "Excess: error minus that of the ideal classifier on the same points, in percentage points (pp)."
AREA = "Area: share of the square [{:g}, {:g}]² where model and truth disagree, on a grid of {} × {} locations."
DEFINITION = (
    "Disagreement: the probability that two of the B models, drawn at random, predict different classes at a location,"
    " averaged over locations: mean of (1 − Σ p²) · B / (B − 1), with p the share of the models that predict a class."
)
RESAMPLING = (
    "Each model learns from as many points as there are, drawn from them with replacement; a point drawn twice counts"
    " as two points at one location."
)


def boundary_name(law: Law | None) -> str:
    """Return the name of the boundary that U shows; or why there is none."""
    if law is None:
        return "No true or ideal boundary is known"
    if law.has_truth:
        return f"True boundary: {law.truth.equation}"
    if not law.has_density:
        return "No ideal boundary: without noise, only the points themselves have a class"
    return "Ideal (Bayes) boundary: no classifier does better on average"


def short_name(law: Law) -> str:
    """Return the title of the boundary's switch."""
    return "True boundary" if law.has_truth else "Ideal boundary"


def origin_words(origin: GeneratorSettings, law: Law, edited: bool | None) -> str:
    """Return "Points of Moons, noise 0.2." and whether they have been changed."""
    kind = DATASETS[origin.name]
    own = [f"{origin.rule} on [{law.square[0]:g}, {law.square[1]:g}]²".replace("-", "−")] if origin.own else []
    parts = [kind.title, *own, f"noise {origin.noise:g}"]
    if kind.has_shift:
        parts.append(f"shift {origin.shift:g}".replace("-", "−"))
    if kind.n_classes[1] > 2:
        parts.append(f"{law.n_classes} classes")
    if origin.flipped:
        parts.append(f"{share_text(origin.flipped)} of the labels flipped")
    return f"From the generator: {', '.join(parts)}." + (f" {EDITED}" if edited else "")


def bayes_words(law: Law, bayes: BayesError | None) -> str:
    """Return the error of the ideal classifier, with its accuracy."""
    if bayes is None:
        return "Bayes error: being computed…"
    flips = f" {share_text(law.flipped)} of the labels are flipped, which cannot be predicted." if law.flipped else ""
    if not bayes.n_locations:
        error = percent(bayes.value) if flips else "0"
        return f"Bayes error: {error}.{flips} Without noise, the classes share no location."
    # What is found nevertheless is the tolerance for points that are rounded across an edge.
    known = f" ± {percent(bayes.standard_error)}" if bayes.standard_error >= LEAST_SHOWN else ""
    if law.flipped:
        overlap = " Classes overlap besides." if bayes.value > law.flipped + 3 * max(bayes.standard_error, 1e-4) else ""
        return f"Bayes error: {percent(bayes.value)}{known}.{flips}{overlap}"
    if law.noise == 0 and (bayes.value == 0 or law.shift >= 0):
        return "Bayes error: 0. The classes do not overlap."
    if bayes.value < LEAST_SHOWN:
        return "Bayes error: below 0.001 %. The classes hardly overlap."
    overlap = "Not even the ideal classifier does better: classes overlap."
    return f"Bayes error: {percent(bayes.value)}{known}. {overlap}"


def details(truth: GroundTruthScene) -> list[str]:
    """Return what the boundary is, and what each number of the panel means."""
    if truth.law is None:
        return [RESAMPLING, DEFINITION]
    lines = [f"{boundary_name(truth.law)}.", BAYES]
    if truth.bayes is not None and truth.has_neighbours:
        lines.append(nearest_words(truth.law, truth.bayes))
    area = AREA.format(*truth.law.square, SIDE, SIDE).replace("-", "−")
    return [*lines, SYMBOLS, INTERVAL, EXCESS, *([area] if truth.law.has_truth else []), RESAMPLING, DEFINITION]


def nearest_words(law: Law, bayes: BayesError) -> str:
    """Return the error of 1-NN with ever more points, beside the bound of Cover and Hart."""
    if not bayes.nearest:
        return "1-NN with ever more points: 0, too."
    m = f"{law.n_classes}/{law.n_classes - 1} " if law.n_classes > 2 else "2"
    bound = percent(cover_hart(bayes.value, law.n_classes))
    return (
        f"1-NN with ever more points: {percent(bayes.nearest)}. Cover and Hart: never more than R (2 − {m}R) ="
        f" {bound}, where R is the Bayes error."
    )


def error_words(tally: FreshTally) -> tuple[str, str, str]:
    """Return the number of errors, the error, and its 95 % interval."""
    low, high = wilson(tally.failures, tally.thrown)
    interval = f"{percent(low).removesuffix(' %')} –\u2060 {percent(high)}".replace(" ", "\u00a0")
    return counted(tally.failures), percent(tally.failures / tally.thrown), interval


def excess_words(tally: FreshTally, ideal: FreshTally | None) -> str:
    """Return the error minus that of the ideal classifier on the same points, in percentage points."""
    if ideal is None or ideal.fresh_draw != tally.fresh_draw or ideal.law != tally.law:
        return "…"
    return points_of_percent((tally.failures - ideal.failures) / tally.thrown) + "\u00a0points"


def points_of_percent(difference: float) -> str:
    """Return 0.0123 as "+1.23", with a true minus sign."""
    value = 100.0 * difference
    text = signed(f"{value:+.2f}" if abs(value) < 10 else f"{value:+.1f}")
    return text if text.strip("+−0.") else "0"


def disagreement_words(bootstrap: Bootstrap) -> list[str]:
    """Return the disagreement in the view and at the points."""
    return ["…" if math.isnan(value) else percent(value) for value in (bootstrap.area, bootstrap.at_points)]


def haze_remarks(bootstrap: Bootstrap) -> str:
    """Return remarks on the resamples."""
    remarks = {
        f"In {bootstrap.lost} of them a class was not drawn.": bootstrap.lost,
        f"In {bootstrap.unfinished} of them training ended short of its goal.": bootstrap.unfinished,
        f"Lines of {bootstrap.drawn} are drawn; more would hide everything.": bootstrap.drawn < bootstrap.done,
    }
    return " ".join(remark for remark, holds in remarks.items() if holds)
