"""Text of the reliability panel: numbers as a table, and what is to be known about them."""

from __future__ import annotations

from html import escape

from app.core.number_format import count

from .scene import LaneReliability, ReliabilityScene

NOTHING = "There are no test points, and no generator made these points: there is nothing to measure on."
MEANING = (
    "A classifier whose 87 % is a promise is on the diagonal: of the points to which it gives 87 %, 87 % are of that"
    " class. Bars: 95 % intervals. Rings: the true probability of the generated data."
).replace(" %", "\u00a0%")
LOSSES = "Log loss and Brier score are means over these points: in the long run, the true probabilities have the least."
STALE = "… is of an earlier model, or still to come."


def axis_titles(scene: ReliabilityScene) -> tuple[str, str]:
    """Return the titles of the axes: whose probability is predicted, and what is observed."""
    labels = {lane.value.label for lane in scene.lanes if lane.value is not None}
    if labels == {None} or not labels:
        return "predicted for the most probable class →", "observed share ↑"
    names = [scene.class_names[label] for label in labels if label is not None]
    return f"predicted for {names[0]} →", "observed share ↑"


def table(scene: ReliabilityScene) -> str:
    """Return log loss and Brier score of each lane and of the true probabilities, as a table in HTML."""
    rows = ["<tr><th></th><th>log loss</th><th>Brier score</th></tr>"]
    ideal = None
    for lane in scene.lanes:
        value = lane.value
        sign = "…" if lane.stale and not lane.message else ""
        numbers = ["–"] * 2 if value is None else [_number(value.log_loss) + sign, _number(value.brier_score) + sign]
        if value is None and sign:
            numbers = [sign] * 2
        rows.append(_row(lane.name, numbers))
        ideal = value.ideal if value is not None and value.ideal is not None else ideal
    if ideal is not None:
        rows.append(_row("true probabilities", [_number(each) for each in ideal]))
    return f'<table width="100%">{"".join(rows)}</table>'


def remarks(scene: ReliabilityScene) -> str:
    """Return why lanes have no curve, and whether newer numbers follow."""
    reading = [f"{escape(lane.name)}: {escape(lane.message)}" for lane in scene.lanes if lane.message]
    if any(lane.stale and not lane.message for lane in scene.lanes):
        reading.append(STALE)
    return "<br>".join(reading)


def _number(value: float) -> str:
    return f"{value:.3f}"


def _row(name: str, numbers: list[str]) -> str:
    cells = "".join(f'<td align="center">{text}</td>' for text in numbers)
    return f"<tr><td>{escape(name)}</td>{cells}</tr>"


def reading(lane: LaneReliability, place: int) -> str:
    """Return what a point of a lane's curve is, in a sentence."""
    assert lane.value is not None
    curve = lane.value.curve
    low, high, n = curve.low[place], curve.high[place], int(curve.counts[place])
    truth = "" if curve.expected is None else f", true {curve.expected[place]:.1%}"
    return (
        f"{lane.name}: predicted {curve.predicted[place]:.1%}, observed {curve.observed[place]:.1%}"
        f" ({low:.1%} to {high:.1%}) of {count(n, 'point')}{truth}"
    ).replace("%", " %")
