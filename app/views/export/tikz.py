"""TikZ: a picture as a LaTeX document that compiles on its own.

Surfaces are PNG files beside it; lines, points and marks are PGFPlots code.  Hatchings and specks are omitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.number_format import AxisNumbers, count
from app.core.plain_text import plain
from app.core.points import MAX_CLASSES
from app.engine.frames import Picture
from app.files import documents, png
from app.files.background_task import Progress
from app.files.documents import FileError
from app.scene.marks import PointMarks
from app.views.plot.date_ticks import apart, date_ticks
from app.views.plot.layers import NO_PIES
from solver.core.arrays import Array

from .layout import Sheet

#: Largest numbers of points and of line vertices that fit into TeX's memory.
MOST_POINTS, MOST_VERTICES = 5000, 20_000
#: PGFPlots symbols of the classes, as close as possible to those on screen.
SYMBOLS = ("*", "square*", "triangle*", "diamond*", "pentagon*", "oplus*", "star", "x")
#: Half the width of a pie.
PIE = "2.7pt"
#: Most digits of the numbers beside an axis that PGFPlots tells apart.
TEX = 5
#: Height of a plot in print (cm), points in a centimetre, and width of a digit (points).
HEIGHT, POINTS, SIGN = 7.0, 28.45, 5.0
#: Appearance of the marks, by field of `Marks`.
MARKS = {
    "free": "mark=o, mark size=3.4pt",
    "bounded": "mark=o, mark size=2.8pt, densely dotted",
    "wrong": "mark=x, mark size=2.6pt, thick",
    "tied": "mark=+, mark size=2.6pt, thick",
    "kept": "mark=square, mark size=3.4pt",
    "chosen": "mark=diamond, mark size=3.8pt",
}
_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}"},
    **{">": r"\textgreater{}", "−": "$-$", "·": r"$\cdot$", "×": r"$\times$", "∞": r"$\infty$", "²": "$^2$"},
    **{"γ": r"$\gamma$", "ν": r"$\nu$", "λ": r"$\lambda$", "≤": r"$\le$", "≥": r"$\ge$", "₀": "$_0$", "…": r"\dots{}"},
}


def drawing(sheet: Sheet, path: Path) -> tuple[str, list[str]]:
    """Return the LaTeX document of a sheet that shows its surfaces, and the names of their PNG files.

    Raise FileError if it has more points or lines than TeX can hold.
    """
    drawn = [plot.lane.picture for plot in sheet.plots]
    lines = sum(len(each.boundary) + len(each.margins) for each in drawn if each is not None)
    points = sum(len(plot.points) for plot in sheet.plots)
    if points > MOST_POINTS or lines > MOST_VERTICES:
        what = count(points, "point") if points > MOST_POINTS else f"lines of {count(lines, 'end')}"
        raise FileError(f"{plain(path.name)} was not saved: {what} are too many for TeX; choose a PNG picture.")
    files = [f"{_file_stem(path)}-surface-{index}.png" for index, each in enumerate(drawn, 1) if each is not None]
    left = iter(files)
    text = [
        r"\documentclass[border=4pt]{standalone}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage{pgfplots}",
        r"\pgfplotsset{compat=1.16, unbounded coords=jump}",
        *(f"\\definecolor{{class{c}}}{{RGB}}{{{r},{g},{b}}}" for c, (r, g, b) in enumerate(sheet.theme.classes, 1)),
        r"\begin{document}",
    ]
    for index, plot in enumerate(sheet.plots):
        grid = plot.grid
        width, height = HEIGHT * grid.width / grid.height, HEIGHT
        # TeX computes in seven digits: coordinates count from the offset of their axis.
        document = plot.scene.document
        sides = (grid.left, grid.right, width, document.dates[0]), (grid.bottom, grid.top, height, document.dates[1])
        offsets, behind, ticks = zip(
            *(_axis(letter, *side) for letter, side in zip("xy", sides, strict=True)), strict=True
        )
        origin = np.array(offsets)
        ends = f"xmin={grid.left - origin[0]:.8g}, xmax={grid.right - origin[0]:.8g}, "
        ends += f"ymin={grid.bottom - origin[1]:.8g}, ymax={grid.top - origin[1]:.8g}"
        names = [f"{name}  {end}".strip() for name, end in zip(document.axes, behind, strict=True)]
        text += [
            r"\begin{tikzpicture}",
            r"\begin{axis}[scale only axis, enlargelimits=false, axis on top, clip marker paths=true,",
            f"  width={width:.3f}cm, height={height:.3f}cm, title={{{escaped(plot.title)}}},",
            f"  xlabel={{{escaped(names[0])}}}, ylabel={{{escaped(names[1])}}},",
            f"  {''.join(ticks)}{ends}]",
        ]
        picture = drawn[index]
        if picture is not None:
            text.append(f"\\addplot graphics [{ends}] {{{next(left)}}};")
            text += _curve("black, dashed", picture.margins - origin)
            text += _curve("black, very thick", picture.boundary - origin)
        for c in range(len(plot.points.counts)):
            of_class = plot.points.xy[plot.points.labels == c] - origin
            style = f"only marks, mark={SYMBOLS[c]}, mark size=1.8pt, draw=black, fill=class{c + 1}"
            text += _curve(style, of_class)
        text += _pies(plot.scene.pies or NO_PIES, plot.points.xy - origin)
        for name, style in MARKS.items():
            text += _curve(f"only marks, black, {style}", plot.points.xy[getattr(plot.lane.marks, name)] - origin)
        text += [r"\end{axis}", r"\end{tikzpicture}"]
    return "\n".join([*text, r"\end{document}", ""]), files


def _pies(pies: PointMarks, xy: Array) -> Iterator[str]:
    """Yield a symbol of parts for each location of points of several classes, each a sector of its class's symbol."""
    for index, kind in zip(pies.index.tolist(), pies.kind.tolist(), strict=True):
        powers = int(pies.kinds[kind].removeprefix("pie"))
        labels = [label for label in range(MAX_CLASSES) if (powers | powers >> MAX_CLASSES) >> label & 1]
        angle, (x, y) = 360 / len(labels), xy[index].tolist()
        for part, label in enumerate(labels if angle < 360 else ()):
            ends = 90 + part * angle, 90 + part * angle + angle
            sector = f"(0pt,0pt) -- ({ends[0]:g}:9pt) arc ({ends[0]:g}:{ends[1]:g}:9pt)"
            yield rf"\begin{{scope}}[shift={{(axis cs:{x:.6g},{y:.6g})}}]"
            yield rf"\clip {sector} -- cycle; \fill [white] (0pt,0pt) circle ({PIE});"
            mark = f"mark={SYMBOLS[label]}, mark size={PIE}, mark options={{draw=black, fill=class{label + 1}}}"
            yield rf"\path plot [only marks, {mark}] coordinates {{(0pt,0pt)}};\end{{scope}}"


def _axis(letter: str, low: float, high: float, length: float, second: float) -> tuple[float, str, str]:
    """Return how an axis of some length (cm) is drawn, one of dates if `second` is above 0.

    These are the coordinate drawn as 0, the text behind the name, and the ticks if PGFPlots cannot choose them.
    """
    if not second:
        numbers = AxisNumbers.between(low, high, TEX, TEX)
        return numbers.offset, numbers.end, ""
    unit, width = (high - low) / second / (length * POINTS), lambda text: SIGN * (len(text) if letter == "x" else 2)
    ticks, end = date_ticks(low / second, high / second, length * POINTS, width)
    labelled = [(f"{at * second - low:.8g}", text) for at, text in apart(ticks, unit, width)]
    at, texts = (",".join(pair[part] for pair in labelled) for part in (0, 1))
    return low, end, f"scaled {letter} ticks=false, {letter}tick={{{at}}}, {letter}ticklabels={{{texts}}}, "


def write(path: Path, text: str, names: Sequence[str], surfaces: Sequence[Picture], progress: Progress) -> bytes:
    """Write the surfaces beside `path`, and return the document, which has to be written last."""
    for name, surface in zip(names, surfaces, strict=True):
        documents.write_bytes(png.encode(surface.argb, 0, progress), path.with_name(name))
    return text.encode("utf-8")


def escaped(text: str) -> str:
    """Return `text` for LaTeX, without characters that its fonts do not have."""
    return "".join(_SPECIAL.get(sign, sign if sign.isascii() else "?") for sign in plain(text))


def _file_stem(path: Path) -> str:
    """Return a file name that TeX finds, whatever the document is called."""
    return "".join(sign if (sign.isascii() and sign.isalnum()) or sign in "-_" else "-" for sign in path.stem)


def _curve(style: str, xy: Array | NDArray[np.float64]) -> Iterator[str]:
    """Yield a plot of these points, as polylines separated by NaN; nothing if there are no points."""
    if len(xy):
        corners = " ".join(f"({x:.6g},{y:.6g})" for x, y in xy.tolist())
        yield f"\\addplot [{style}] coordinates {{{corners}}};"
