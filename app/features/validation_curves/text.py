"""Wording of the validation curves: the accuracies at a value, and remarks about a whole curve."""

from __future__ import annotations

import math
from functools import lru_cache

from app.core.number_format import count, grouped, percent

from .query import MOST_UPDATES, Curve
from .scene import ValidationCurve

#: Short names of the series, for narrow curves.
SHORT = {"training": "train", "validation": "valid", "test": "test"}


def rows(curve: Curve, index: int) -> list[tuple[str, float]]:
    """Return name and accuracy of each series at `index` of the curve; NaN if unknown."""
    series = [("training", curve.train), ("validation", curve.validated)]
    if curve.total and not all(map(math.isnan, curve.test)):
        series.append(("test", curve.test))
    return [(name, float(values[index])) for name, values in series]


@lru_cache(maxsize=64)
def sentence(curve: Curve, position: int, stale: bool) -> str:
    """Return the accuracies at a position, with remarks on them: "C = 10: training 97.0 %, validation 93.0 %"."""
    scale, field = curve.scale, curve.field
    index = min(max(position, scale.low), scale.high) - scale.low
    head = f"{field.called} = {field.number(scale.value_at(scale.low + index))}"
    values = rows(curve, index)
    if all(math.isnan(value) for _, value in values):
        return f"{head}: not tried yet"
    text = f"{head}: " + ", ".join(f"{name} {percent(value)}" for name, value in values)
    if not curve.finished[index]:
        text += " (stopped early)"
    return text + (" (before the change)" if stale else "")


def remark(curve: Curve) -> str:
    """Return a remark about the whole curve, or ""."""
    if curve.counted < curve.total:
        return f"so far, of {grouped(curve.counted)} of {count(curve.total, 'point')}"
    return f"of a sample of {count(curve.sampled, 'point')}" if curve.sampled < curve.n_points else ""


def notes(strip: ValidationCurve) -> str:
    """Return what the picture may have no room for, and what its symbols mean: a sentence per line, or ""."""
    curve = strip.curve
    if curve is None or strip.message or not len(curve.known):
        return strip.message
    lines = [f"Training: points it was trained on; validation: each of them left out in turn ({curve.method})"]
    if not all(map(math.isnan, curve.test)):
        lines[0] += "; test: the test points" + (
            f", of which {grouped(curve.tested)} are counted" if curve.tested else ""
        )
    lines += [remark(curve).capitalize()] if remark(curve) else []
    if 0 < curve.fewest < curve.folds:
        lines.append(f"The smallest class has {count(curve.fewest, 'point')}: some of {curve.folds} parts have none")
    if not all(curve.finished[curve.known]):
        lines.append(f"Hollow ring: stopped early after {grouped(MOST_UPDATES)} updates, or there is no solution")
    return "\n".join(f"{line}." for line in lines)
