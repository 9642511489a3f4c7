"""Text of the reliability panel: numbers as a table, and what is to be known about them."""

from __future__ import annotations

from html import escape

import numpy as np

from app.core.number_format import count, percent

from .scene import LaneReliability, ReliabilityScene

NOTHING = "There are no test points, and no generator made these points: there is nothing to measure on."
MEANING = (
    "A classifier whose 87 % is a promise is on the diagonal: of the points to which it gives 87 %, 87 % are of that"
    " class. Bars: 95 % intervals. Rings: the true probability of the generated data."
).replace(" %", "\u00a0%")
#: What the maps show; without a true probability, why there are none.
MAPS = "Maps: predicted minus true probability {of}. Orange: too high; blue: too low."
NO_MAPS = "There is no map of the error: the true probabilities of these points are not known."
LOSSES = "Log loss and Brier score are means over these points: in the long run, the true probabilities have the least."
#: Errors at the ends of the colours.
SPANS = 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0
STALE = "… is of an earlier model, or still to come."


def axis_titles(scene: ReliabilityScene) -> tuple[str, str]:
    """Return the titles of the axes: whose probability is predicted, and what is observed."""
    labels = {lane.value.label for lane in scene.lanes if lane.value is not None}
    if labels == {None} or not labels:
        return "predicted for the most probable class →", "observed share ↑"
    names = [scene.class_names[label] for label in labels if label is not None]
    return f"predicted for {names[0]} →", "observed share ↑"


def maps(scene: ReliabilityScene) -> str:
    """Return what the maps show, or why there are none; "" until the first one has come."""
    if not scene.truth_known:
        return NO_MAPS
    labels = {lane.errors.label for lane in scene.lanes if lane.errors is not None}
    named = [f"of {scene.class_names[label]}" for label in labels if label is not None]
    several = ["of the most probable class"] if None in labels else []
    return MAPS.format(of=" or ".join(named + several)) if labels else ""


def map_span(scene: ReliabilityScene) -> float:
    """Return the largest error in the maps, rounded up, so that they share their colours."""
    errors = [np.nanmax(np.abs(lane.errors.error), initial=0.0) for lane in scene.lanes if lane.errors is not None]
    return next(span for span in SPANS if span >= min(max(errors, default=0.0), 1.0))


def map_title(lane: LaneReliability) -> str:
    """Return the title of a lane's map."""
    return f"{lane.name}: predicted − true{' …' if lane.errors_stale else ''}"


def map_caption(lane: LaneReliability) -> str:
    """Return the range of a lane's map, in a sentence."""
    assert lane.errors is not None
    known = lane.errors.error[np.isfinite(lane.errors.error)]
    ends = [signed_percent(each) for each in (known.min(initial=0.0), known.max(initial=0.0))]
    mean = percent(float(np.abs(known).sum()) / max(len(known), 1))
    return f"{map_title(lane)}, from {ends[0]} to {ends[1]}, on average {mean} in size."


def signed_percent(value: float) -> str:
    """Return "+12 %", "−12 %" or "0 %"."""
    return f"{100.0 * value:+.0f} %".replace("-", "−").replace("+0 ", "0 ").replace("−0 ", "0 ")


def table(scene: ReliabilityScene) -> str:
    """Return log loss and Brier score of each lane and of the true probabilities, as a table in HTML."""
    rows = ["<tr><th></th><th>log loss</th><th>Brier score</th></tr>"]
    ideal = None
    for lane in scene.lanes:
        value = lane.value
        sign = "…" if lane.stale and not lane.message else ""
        numbers = ["–"] * 2 if value is None else [f"{each:.3f}{sign}" for each in (value.log_loss, value.brier_score)]
        if value is None and sign:
            numbers = [sign] * 2
        rows.append(_row(lane.name, numbers))
        ideal = value.ideal if value is not None and value.ideal is not None else ideal
    if ideal is not None:
        rows.append(_row("true probabilities", [f"{each:.3f}" for each in ideal]))
    return f'<table width="100%">{"".join(rows)}</table>'


def remarks(scene: ReliabilityScene) -> str:
    """Return why lanes have no curve, and whether newer numbers follow."""
    reading = [f"{escape(lane.name)}: {escape(lane.message)}" for lane in scene.lanes if lane.message]
    if any(lane.stale and not lane.message for lane in scene.lanes):
        reading.append(STALE)
    return "<br>".join(reading)


def _row(name: str, numbers: list[str]) -> str:
    cells = "".join(f'<td align="center">{text}</td>' for text in numbers)
    return f"<tr><td>{escape(name)}</td>{cells}</tr>"


def reading(lane: LaneReliability, index: int) -> str:
    """Return what a point of a lane's curve is, in a sentence."""
    assert lane.value is not None
    curve = lane.value.curve
    low, high, n = curve.low[index], curve.high[index], int(curve.counts[index])
    truth = "" if curve.expected is None else f", true {percent(curve.expected[index])}"
    return (
        f"{lane.name}: predicted {percent(curve.predicted[index])}, observed {percent(curve.observed[index])}"
        f" ({percent(low)} to {percent(high)}) of {count(n, 'point')}{truth}"
    )
