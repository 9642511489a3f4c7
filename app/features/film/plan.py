"""Plan: what a film shows, picture by picture: steps of a training, values of a parameter, or views of a relief.

No Qt.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.number_format import count, grouped, short
from app.core.plain_text import listed
from app.engine.run_state import RunState
from app.engine.training_run import LAST
from app.features.relief import text
from app.features.relief.geometry import Camera
from app.features.relief.query import has_map
from app.learners.fields import Field
from app.scene.text import NO_STEPS, empty_sentence
from app.state.document import Document

#: Formats, by the end of the file's name.
KINDS = {".gif": "gif", ".webp": "webp", ".png": "png"}
#: Titles of the formats.
TITLES = {"gif": "GIF: everywhere, 256 colours", "webp": "WebP: small, exact colours", "png": "APNG: exact colours"}
#: Pictures per second to choose from; a GIF counts in hundredths of a second.
RATES = (1, 2, 4, 5, 10, 12, 15, 20, 24, 25, 30, 50, 60)
#: Display time (s) of the last picture.
HELD = 2.0
#: Limits of each side (pixels).
LEAST_SIDE, LARGEST_SIDE = 200, 4096
#: Largest number of pictures, and of pixels of all pictures together.
MOST_PICTURES, MOST_PIXELS = 1000, 2_500_000_000


def rates(kind: str) -> tuple[int, ...]:
    """Return the pictures per second that a format can represent exactly."""
    return tuple(rate for rate in RATES if kind != "gif" or 100 % rate == 0)


def times(n_pictures: int, rate: int) -> tuple[int, ...]:
    """Return the display time of each picture (ms), without rounding errors in the sum; the last one is held."""
    starts = [round(1000 * number / rate) for number in range(n_pictures)]
    return (*(after - before for before, after in pairwise(starts)), round(1000 * HELD))


class TrainingFilm(Struct, frozen=True):
    """Film of the training of a lane, from its recording.

    Attributes
    ----------
    lane : int
        Index of the lane.
    first : int
        Step of the first picture.
    last : int or None
        Step of the last picture; None for the end of the run.
    pictures : int
        Largest number of pictures, evenly spaced over these steps.
    changes : bool
        One picture for each change of the support vectors, and for both ends, instead.
    relief : bool
        The relief of f replaces the flat picture.
    """

    lane: int
    first: int = 0
    last: int | None = None
    pictures: int = 60
    changes: bool = False
    relief: bool = False

    def steps(self, run: RunState) -> tuple[int, ...]:
        """Return the steps of its pictures, after the run has been made; raise ValueError if there are none."""
        last = run.length if self.last is None else min(self.last, run.length)
        if self.first > last:
            raise ValueError(
                f"The training has {count(run.length, 'step')}, so that none begins at {grouped(self.first)}."
            )
        if not self.changes:
            even = np.linspace(self.first, last, min(self.pictures, last - self.first + 1))
            return tuple(int(step) for step in np.round(even))
        if run.trace.bucket > 1:
            raise ValueError(
                f"In a run of {count(run.length, 'step')} no change is looked for: choose pictures evenly."
            )
        steps, at = [self.first], run.trace.next_change(self.first)
        while at is not None and at[0] <= last:
            steps.append(at[0])
            at = run.trace.next_change(at[0])
        return tuple(dict.fromkeys([*steps, last]))


class SweepFilm(Struct, frozen=True):
    """Film of a parameter that moves evenly along its slider, each picture trained to its end.

    Attributes
    ----------
    lane : int
        Index of the lane.
    control : str
        Name of the slider.
    start, stop : float
    pictures : int
        Largest number of pictures.
    relief : bool
        The relief of f replaces the flat picture.
    """

    lane: int
    control: str
    start: float
    stop: float
    pictures: int = 60
    relief: bool = False

    def values(self, document: Document) -> tuple[float, ...]:
        """Return the values of its pictures."""
        scale = field_of(document, self.lane, self.control).scale(len(document.training_points))
        ends = scale.position_of(self.start), scale.position_of(self.stop)
        positions = np.linspace(*ends, min(self.pictures, abs(ends[1] - ends[0]) + 1))
        return tuple(scale.value_at(int(position)) for position in np.round(positions))


class ReliefView(Struct, frozen=True):
    """How a picture shows the relief: camera, and morph of the kernel trick, as in `relief_image`."""

    camera: Camera = Camera()
    morph: float | None = None


class TurnFilm(Struct, frozen=True):
    """Film of the relief of a lane, turned once around."""

    lane: int
    pictures: int = 60
    relief: ClassVar[bool] = True

    def views(self) -> tuple[ReliefView, ...]:
        """Return the views of its pictures; the next one would be the first again."""
        turns = np.linspace(0.0, 360.0, self.pictures, endpoint=False)
        return tuple(ReliefView(Camera().turned(float(turn), 0.0)) for turn in turns)


class LiftFilm(Struct, frozen=True):
    """Film of the kernel trick of a lane: from the plane to its map, and back."""

    lane: int
    pictures: int = 60
    relief: ClassVar[bool] = True

    def views(self) -> tuple[ReliefView, ...]:
        """Return the views of its pictures: an odd number, so that one shows the map."""
        up = [float(morph) for morph in np.linspace(0.0, 1.0, (self.pictures + 1) // 2)]
        return tuple(ReliefView(morph=morph) for morph in (*up, *up[-2::-1]))


Content = TrainingFilm | SweepFilm | TurnFilm | LiftFilm


def field_of(document: Document, index: int, control: str) -> Field:
    """Return the field of a slider of one of the document's lanes."""
    return document.lanes[index].family.field(control)


def document_with(document: Document, index: int, control: str, value: float) -> Document:
    """Return the document with the slider of one of its lanes at another value."""
    lanes = list(document.lanes)
    lanes[index] = lanes[index].with_value(field_of(document, index, control), value)
    return replace(document, lanes=tuple(lanes))


def swept(document: Document, index: int) -> tuple[str, ...]:
    """Return the sliders of a lane that can move in a film."""
    if index >= document.shown:
        return ()
    lane = document.lanes[index]
    return tuple(field.name for field in lane.family.curves(lane.settings))


def can_film(document: Document, index: int) -> tuple[str, ...]:
    """Return the possible films of a lane: "training", sliders, "turn" and "lift"."""
    if index >= document.shown or document.lanes[index].is_difference:
        return ()
    lane = document.lanes[index]
    lift = ("lift",) if has_map(lane) else ()
    if lane.trainer is None:
        return swept(document, index)
    stepped = () if lane.trains_fast(len(document.training_points)) else ("training",)
    turn = ("turn",) if lane.has_f else ()
    return (*stepped, *swept(document, index), *turn, *lift)


def check(document: Document, content: Content) -> None:
    """Raise ValueError with one sentence if the film cannot be made."""
    if not 0 <= content.lane < document.shown:
        shown = document.shown
        number = f"is only {shown} classifier" if shown == 1 else f"are only {shown} classifiers"
        raise ValueError(f"There is no classifier {content.lane + 1}: there {number} on screen.")
    lane, points = document.lanes[content.lane], document.training_points
    who, able = f"Classifier {content.lane + 1} ({lane.title})", swept(document, content.lane)
    if content.relief and not lane.has_f:
        raise ValueError(text.without(lane))
    if isinstance(content, LiftFilm) and not has_map(lane):
        raise ValueError(text.NO_MAP)
    if isinstance(content, TrainingFilm) and lane.trainer is None:
        instead = f"; its {listed(able)} can be swept" if able else ""
        raise ValueError(f"{who} does not train{instead}.")
    if isinstance(content, SweepFilm) and content.control not in able:
        there = f"it has {listed(able)}" if able else "nor anything else"
        raise ValueError(f"{who} has no {content.control} to be swept; {there}.")
    if isinstance(content, TrainingFilm) and lane.trains_fast(len(points)):
        raise ValueError(f"{who} has no steps to film. {NO_STEPS}")
    if empty_sentence(lane, points.classes, len(points), document.class_names, len(document.test_points)):
        raise ValueError(f"There is nothing to film: {_reason(document)}.")
    if isinstance(content, SweepFilm):
        _check_range(document, content)
    if not 1 <= content.pictures <= MOST_PICTURES:
        raise ValueError(f"A film has 1 to {grouped(MOST_PICTURES)} pictures, not {grouped(content.pictures)}.")
    if isinstance(content, TrainingFilm) and not 0 <= content.first <= (LAST if content.last is None else content.last):
        end = "the end" if content.last is None else f"step {grouped(content.last)}"
        raise ValueError(f"A film goes forward from step 0 on, not from step {grouped(content.first)} to {end}.")


def _reason(document: Document) -> str:
    if not len(document.points):
        return "there are no points"
    if not len(document.training_points):
        return "all points are test points"
    return "all points to learn from are of one class"


def _check_range(document: Document, sweep: SweepFilm) -> None:
    field = field_of(document, sweep.lane, sweep.control)
    scale = field.scale(len(document.training_points))
    least, most = scale.value_at(scale.low), scale.value_at(scale.high)
    for value in (sweep.start, sweep.stop):
        if not least <= value <= most:
            raise ValueError(
                f"{field.label} can be swept from {short(least)} to {short(most)}; {value:g} is not between."
            )


def check_size(n_pictures: int, width: int, height: int) -> None:
    """Raise ValueError with one sentence if this many pictures of this size are too many."""
    if not all(LEAST_SIDE <= side <= LARGEST_SIDE for side in (width, height)):
        raise ValueError(
            f"A film has {LEAST_SIDE} to {LARGEST_SIDE} pixels on each side; {width} × {height} do not lie between."
        )
    if n_pictures > MOST_PICTURES:
        raise ValueError(
            f"{grouped(n_pictures)} pictures are too many for one film: the most are {grouped(MOST_PICTURES)};"
            " choose fewer steps, or pictures evenly."
        )
    if n_pictures * width * height > MOST_PIXELS:
        raise ValueError(
            f"{grouped(n_pictures)} pictures of {width} × {height} pixels are too large for one film: make fewer or"
            " smaller ones."
        )


def check_kind(path: Path) -> str:
    """Return the format for the name of a file; raise ValueError with one sentence if there is none."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"The name of a film must end in .gif, .webp or .png; {path.name or path} does not.")
    return kind


def check_rate(kind: str, rate: int) -> None:
    """Raise ValueError with one sentence if a format cannot have this rate."""
    if rate not in rates(kind):
        offered = ", ".join(map(str, rates(kind)))
        raise ValueError(
            f"{TITLES[kind].split(':')[0]} can have {offered} pictures a second; {rate} is not among them."
        )


def content_of(
    document: Document,
    number: int | None,
    steps: tuple[int, int | None] | None,
    sweep: tuple[str, float, float] | None,
    pictures: int,
    relief: str = "",
) -> Content:
    """Return the film of these options; raise ValueError with one sentence if that is impossible.

    Parameters
    ----------
    number : int or None
        Number of the classifier, from 1; None for the first one that has such a film.
    steps, sweep : tuple or None
    pictures : int
        Largest number of pictures; 0 for one at each change of the support vectors.
    relief : {"", "relief", "turn", "lift"}
        The flat picture, the relief instead of it, or one of the films of the relief alone.
    """
    alone = relief in ("turn", "lift")
    if alone and (steps is not None or sweep is not None or not pictures):
        raise ValueError(f"--{relief} shows one training at its end: leave --steps, --sweep and changes out.")
    if sweep is not None and (steps is not None or not pictures):
        raise ValueError("A sweep has no steps to choose from: leave --steps and changes out.")
    if sweep is not None:
        sweep = (_slider(document, number, sweep[0]), *sweep[1:])
    what = relief if alone else "training" if sweep is None else sweep[0]
    lanes = (index for index in range(document.shown) if what in can_film(document, index))
    able = next(lanes, None) if number is None else number - 1
    if able is None and alone:
        raise ValueError(text.NO_MAP if relief == "lift" else text.without(document.lanes[0]))
    if able is None:
        does = "trains" if sweep is None else f"has a {what} to be swept"
        raise ValueError(f"No classifier on screen {does}.")
    if alone:
        return (TurnFilm if relief == "turn" else LiftFilm)(able, pictures)
    if sweep is not None:
        return SweepFilm(able, *sweep, pictures, bool(relief))
    first, last = steps or (0, None)
    return TrainingFilm(able, first, last, pictures or MOST_PICTURES, not pictures, bool(relief))


def _slider(document: Document, number: int | None, name: str) -> str:
    """Return the name of the slider with this name or parameter, of one classifier or of the first that has it."""
    lanes = document.lanes[: document.shown] if number is None else document.lanes[number - 1 : number]
    fields = [field for lane in lanes for field in lane.family.fields if name in (field.name, field.parameter)]
    return fields[0].name if fields else name


def sampled(n_pictures: int) -> tuple[int, ...]:
    """Return the indices of representative pictures: the first, the last, and pairs of neighbours at four positions."""
    pairs = [(n_pictures * eighths // 8, n_pictures * eighths // 8 + 1) for eighths in (1, 3, 5, 7)]
    chosen = {0, n_pictures - 1, *(number for pair in pairs for number in pair)}
    return tuple(sorted(number for number in chosen if number < n_pictures))
