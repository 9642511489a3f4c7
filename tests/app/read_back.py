"""Reading back what is on screen: numbers from texts, and the texts and shapes that a chart draws, by pixel."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.views.chart import saving
from app.views.chart.chart import Chart

Array = NDArray[np.float64]
SVG = "{http://www.w3.org/2000/svg}"
UNITS = {"%": 0.01, "ms": 1e-3, "µs": 1e-6, "s": 1.0}
_DECIMAL = r"-?\d[\d.]*(?:e[-+]?\d+)?"
_NUMBER = re.compile(r"(?P<sign>[−-]?)(?P<digits>∞|[\d\u202f]+(?:\.(?P<part>\d+))?)(?:e(?P<power>[−+-]?\d+))?")


def _parsed(text: str) -> tuple[float, float]:
    """Return the number at the end of a text with its unit, and the value of half a unit of its last digit."""
    found = re.search(rf"{_NUMBER.pattern}[\s\u00a0\u202f]*(?P<unit>%|ms|µs|s)?$", text)
    assert found is not None, f"no number in “{text}”"
    sign, digits, part, power, unit = found.group("sign", "digits", "part", "power", "unit")
    factor = (-1.0 if sign else 1.0) * UNITS.get(unit or "", 1.0)
    exponent = int((power or "0").replace("−", "-"))
    size = math.inf if digits == "∞" else float(f"{digits.replace(chr(0x202F), '')}e{exponent}")
    return factor * size, abs(factor) * 0.5 * 10.0 ** (exponent - len(part or ""))


def number(text: str) -> float:
    """Return the number at the end of a text, with its unit."""
    return _parsed(text)[0]


def agrees(text: str, value: float) -> bool:
    """Return whether a text is the value to its last digit; all is not said of less than all."""
    if math.isnan(value):
        return text == "–"
    found, half = _parsed(re.sub(r"(?<=\d)\+", "", text))  # 99.9+ %
    if text.startswith(("below", "<")):
        return 0.0 < value < found
    if text.startswith("above") or re.search(r"\d\+", text):
        return found <= value < 1.0
    if math.isinf(value):
        return found == value
    whole = text.endswith("%") and found >= 1.0 > value + 1e-12
    return bool(abs(found - value) <= half * (1 + 1e-6) + 1e-12 * abs(value)) and not whole


@dataclass(frozen=True)
class DrawnText:
    """A text with the pixel of its middle."""

    text: str
    x: float
    y: float


@dataclass(frozen=True)
class Drawing:
    """What a chart draws: texts, vertices and middles of shapes (pixels), and the frames of pictures."""

    texts: list[DrawnText]
    spots: Array
    pictures: list[tuple[float, float, float, float]] = field(default_factory=list)


def drawing_of(chart: Chart) -> Drawing:
    """Return what `chart` draws, from its SVG."""
    metrics, texts, pictures = chart.metrics(), list[DrawnText](), list[tuple[float, float, float, float]]()
    spots = [np.empty((0, 2))]
    rise = 0.5 * (metrics.ascent() - metrics.descent())
    for group in ElementTree.fromstring(saving.svg_of(chart)).iter(f"{SVG}g"):
        matrix = re.findall(_DECIMAL, group.get("transform", ""))
        a, b, c, d, dx, dy = map(float, matrix or (1, 0, 0, 1, 0, 0))
        for each in group:
            tag = each.tag.removeprefix(SVG)
            points = re.findall(_DECIMAL, each.get("points") or each.get("d") or "")
            if tag == "text":
                x, y, text = float(each.get("x", 0)), float(each.get("y", 0)), (each.text or "").strip()
                texts.append(DrawnText(text, a * x + dx + 0.5 * metrics.horizontalAdvance(text), d * y + dy - rise))
            elif tag == "image":
                left, top, wide, high = (float(each.get(name, 0)) for name in ("x", "y", "width", "height"))
                pictures.append((a * left + dx, d * top + dy, a * wide, d * high))
            elif tag == "rect":
                left, top, wide, high = (float(each.get(name, 0)) for name in ("x", "y", "width", "height"))
                points = [str(v) for v in (left, top, left + wide, top, left, top + high, left + wide, top + high)]
            if points and len(points) % 2 == 0:
                xy = np.array(points, dtype=float).reshape(-1, 2) @ np.array([[a, b], [c, d]]) + (dx, dy)
                spots += [xy, 0.5 * (xy.min(axis=0) + xy.max(axis=0))[None]]
    return Drawing(texts, np.concatenate(spots), pictures)


def labels_of(chart: Chart, drawing: Drawing, way: int) -> list[DrawnText]:
    """Return the texts drawn along axis 0 (horizontal) or 1, in the order of their pixels."""
    area, title = chart.area(), chart.x.title
    if way == 0:
        row = min((text.y for text in drawing.texts if text.y > area.bottom()), default=0.0)
        found = [text for text in drawing.texts if abs(text.y - row) < 2 and text.text != title]
        return sorted(found, key=lambda text: text.x)
    beside = (lambda x: x > area.right()) if chart.under else (lambda x: x < area.left())
    found = [text for text in drawing.texts if beside(text.x) and area.top() - 2 <= text.y <= area.bottom() + 2]
    return sorted(found, key=lambda text: text.y)


def pixels_of(labels: list[DrawnText], way: int, log: bool, values: ArrayLike) -> Array:
    """Return the pixels of values by the labels of an axis alone; labels off that scale are a failure."""
    along = np.array([(label.x, label.y)[way] for label in labels])
    read = np.array([number(label.text) for label in labels])
    at, of = (np.log10(each) if log else np.asarray(each, dtype=float) for each in (read, values))
    assert len(labels) > 1, ("an axis with one number has no scale", labels)
    assert len({label.text for label in labels}) == len(labels), [label.text for label in labels]
    slope = (along[-1] - along[0]) / (at[-1] - at[0])
    off = along - along[0] - slope * (at - at[0])
    assert np.abs(off).max() < 1.0, [(label.text, each) for label, each in zip(labels, off, strict=True)]
    return along[0] + slope * (of - at[0])


def check_drawn(chart: Chart, x: ArrayLike | None, y: ArrayLike | None, near: float = 1.6) -> Drawing:
    """Check that values are drawn at the pixels that the numbers beside the axes give them; None: without numbers."""
    drawing = drawing_of(chart)
    far = np.zeros((1, 1))
    for way, (values, axis) in enumerate(((x, chart.x), (y, chart.y))):
        if values is not None:
            wanted = pixels_of(labels_of(chart, drawing, way), way, axis.log, values)
            far = np.maximum(far, np.abs(drawing.spots[:, way][None, :] - wanted[:, None]))
    assert far.min(axis=1).max() <= near, f"not drawn where its axis says: {far.min(axis=1)}"
    return drawing


def heirs_of(root: Path, *bases: str) -> set[str]:
    """Return the names of the classes below `root` that are of one of the bases, however far removed."""
    sources = "\n".join(path.read_text(encoding="utf-8") for path in root.rglob("*.py"))
    classes = re.findall(r"^ *class (\w+)\(([^)]*)\)", sources, re.MULTILINE)
    of = {name: set(re.findall(r"(\w+)(?:\[.*?\])?(?:,|$)", inside)) for name, inside in classes}
    found = set(bases)
    while more := {name for name, inside in of.items() if found & inside} - found:
        found |= more
    return found - set(bases)


def callers_of(root: Path, pattern: str) -> set[str]:
    """Return the names of the folders and files below `root` that contain a pattern."""
    return {str(path.relative_to(root)) for path in root.rglob("*.py") if re.search(pattern, path.read_text("utf-8"))}
