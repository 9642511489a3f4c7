"""Predicting: how well a guess agrees with the model: the area that a drawn boundary gets right, the gain of a pair.

A drawn boundary is interpreted as follows: a line whose ends are close together is closed; another line is continued
straight at both ends to the edges of the view.  The lines divide the view into regions.  A region has the class of most
of its points (in a tie the lowest); a region without points has the class that the model predicts in most of it, since
the student cannot tell its class.  The score is the share of the view where the class of the region is that of the
model.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.points import Points
from app.engine.cover import Cover
from app.engine.fitting import predictions
from app.engine.pacing import Pace, Step
from app.engine.results import Results
from app.engine.run_state import RunState
from solver.core.arrays import Array, Integers, Mask
from solver.core.scaler import Scaler
from solver.kernels.expansion import AnyKernel

from .state import Box, LessonSession, Line, ModelBoundary

#: Name of the query `Agreement`.
AGREEMENT = "lesson agreement"
#: Samples along the longer side of the view.
SAMPLES = 160
#: Largest distance of the ends of a closed line, as a share of its length.
CLOSED = 0.15
#: Offsets of the lines, as shares of the distance between two samples.
PAST = (1.3e-6, 2.9e-6)
#: Share of a line's length that determines the direction of its end, since the hand trembles.
END = 0.15


def read(line: Line, box: Box) -> Array:
    """Return the corners of `line` as interpreted in the view `box`: closed, or with both ends beyond the edges."""
    xy = np.asarray(line, dtype=np.float64).reshape(-1, 2)
    lengths = np.hypot(*np.diff(xy, axis=0).T) if len(xy) > 1 else np.zeros(0)
    length = float(lengths.sum())
    if length == 0.0:
        return np.empty((0, 2))
    if np.hypot(*(xy[-1] - xy[0])) < CLOSED * length and len(xy) > 2:
        return np.concatenate((xy, xy[:1]))
    left, right, bottom, top = box
    far = 2.0 * (right - left + top - bottom) + float(np.abs(xy - (left, bottom)).max())
    before = _direction(xy[::-1], END * length)
    after = _direction(xy, END * length)
    return np.concatenate(([xy[0] + far * before], xy, [xy[-1] + far * after]))


def _direction(xy: Array, length: float) -> Array:
    """Return the direction of the end of a line, from its last part of this length."""
    way, at = 0.0, len(xy) - 1
    while at > 0 and way < length:
        way += float(np.hypot(*(xy[at] - xy[at - 1])))
        at -= 1
    towards = xy[-1] - xy[at]
    norm = float(np.hypot(*towards))
    return towards / norm if norm > 0.0 else np.zeros(2)


def samples(box: Box) -> tuple[Array, Array]:
    """Return columns and rows of the samples of a view, the lowest row first: the middles of squares that tile it."""
    left, right, bottom, top = box
    side = max(right - left, top - bottom) / SAMPLES

    def middles(low: float, high: float) -> Array:
        number = max(2, round((high - low) / side))
        return np.asarray(low + (np.arange(number) + 0.5) * ((high - low) / number), dtype=np.float64)

    return middles(left, right), middles(bottom, top)


def regions(lines: Sequence[Array], xs: Array, ys: Array) -> Integers:
    """Return the region of each sample, shape (len(ys), len(xs)), numbered from 0.

    Neighbouring samples are in one region unless a line passes between them.
    """
    beside = np.ones((len(ys), len(xs) - 1), dtype=bool)  # no line between column c and c + 1
    above = np.ones((len(ys) - 1, len(xs)), dtype=bool)
    for line in lines:
        # A line exactly through samples would be on neither side of them, so it is moved a little.
        line = line + np.array([PAST[0] * (xs[1] - xs[0]), PAST[1] * (ys[1] - ys[0])])
        _close(beside, line, xs, ys)
        _close(above.T, line[:, ::-1], ys, xs)
    return _parts(beside, above)


def _close(ways: Mask, line: Array, along: Array, across: Array) -> None:
    """Mark the gaps that `line` crosses, shape (len(across), len(along) - 1), from each sample along to the next."""
    for (ax, ay), (bx, by) in pairwise(line.tolist()):
        rows = np.arange(*np.searchsorted(across, (min(ay, by), max(ay, by))))
        if len(rows):
            x = ax + (across[rows] - ay) * ((bx - ax) / (by - ay))
            column = np.floor((x - along[0]) / (along[1] - along[0]))
            inside = (column >= 0) & (column < len(along) - 1)
            ways[rows[inside], column[inside].astype(np.intp)] = False


def _parts(beside: Mask, above: Mask) -> Integers:
    """Return the connected parts of a grid in which some neighbours are separated."""
    shape = (beside.shape[0], above.shape[1])
    number = np.arange(shape[0] * shape[1]).reshape(shape)
    first = np.concatenate((number[:, :-1][beside], number[:-1][above]))
    second = np.concatenate((number[:, 1:][beside], number[1:][above]))
    part = number.ravel().copy()
    while ((a := part[first]) != (b := part[second])).any():  # each part gets the number of its lowest neighbour
        np.minimum.at(part, np.maximum(a, b), np.minimum(a, b))
        part = part[part]
    found: Integers = np.unique(part, return_inverse=True)[1].reshape(shape)
    return found


def classes_of(region: Integers, xs: Array, ys: Array, points: Points, model: Integers) -> Integers:
    """Return the guessed class of each sample, where `model` are the predictions of the model."""
    number = int(region.max()) + 1
    n_classes = int(max(model.max(), points.labels.max() if len(points) else 0)) + 1
    votes, area = np.zeros((number, n_classes), dtype=np.int64), np.zeros((number, n_classes), dtype=np.int64)
    np.add.at(area, (region.ravel(), model.ravel()), 1)
    column = np.floor((points.xy[:, 0] - xs[0]) / (xs[1] - xs[0]) + 0.5)
    row = np.floor((points.xy[:, 1] - ys[0]) / (ys[1] - ys[0]) + 0.5)
    inside = (column >= 0) & (column < len(xs)) & (row >= 0) & (row < len(ys))
    at = region[row[inside].astype(np.intp), column[inside].astype(np.intp)]
    np.add.at(votes, (at, points.labels[inside].astype(np.intp)), 1)
    chosen = np.where(votes.any(axis=1), votes.argmax(axis=1), area.argmax(axis=1))
    guessed: Integers = chosen[region]
    return guessed


class Agreement(Struct, frozen=True):
    """Query: the share of the view in which a drawn boundary and the model agree.

    Parameters
    ----------
    lines : tuple of Line
    boundary : ModelBoundary
    """

    lines: tuple[Line, ...]
    boundary: ModelBoundary
    reveals: ClassVar[Cover] = Cover.PAINT

    def answer(self, post: Callable[[float], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post the share, from 0 to 1."""
        boundary, pace = self.boundary, Pace(overtaken)
        xs, ys = samples(boundary.box)
        locations = np.column_stack([each.ravel() for each in np.meshgrid(xs, ys)])
        model = yield from predictions(boundary.model, locations, pace)
        yield from pace.pause()
        model = model.reshape(len(ys), len(xs))
        region = regions([read(line, boundary.box) for line in self.lines], xs, ys)
        yield from pace.pause()
        post(float((classes_of(region, xs, ys, boundary.points, model) == model).mean()))


def graded(now: LessonSession, results: Results) -> LessonSession:
    """Return `now` with the agreement of a drawn boundary, which is computed only while its step is open."""
    guess, answer = now.state.guess, results.answer(AGREEMENT)
    if guess.boundary is None or guess.agreement is not None or answer is None or answer.value is None:
        return now
    if answer.query != Agreement(guess.lines, guess.boundary):
        return now
    return now.with_state(guess=replace(guess, agreement=float(answer.value)))


def gain_of(run_state: RunState, kernel: AnyKernel, first: int, second: int, scaler: Scaler | None = None) -> float:
    """Return the increase of the dual objective by one SMO step with two points; 0 if they cannot move.

    With lambda = (v_i - v_j) / (K_ii + K_jj - 2 K_ij), clipped to the box, the gain is
    lambda (v_i - v_j) - (K_ii + K_jj - 2 K_ij) lambda^2 / 2; i is the point of the larger v.

    Parameters
    ----------
    run_state : RunState
        State before the step, of a run with alpha, C and v.
    kernel : AnyKernel
    first, second : int
        Indices in `run_state.y` of the two points.
    scaler : Scaler, optional
        Transformation of the points.
    """
    alpha, C, v, y = run_state.alpha, run_state.C, run_state.v, run_state.y
    assert alpha is not None and C is not None and v is not None
    i, j = (first, second) if v[first] >= v[second] else (second, first)
    rise = float(v[i] - v[j])
    room_i = C[i] - alpha[i] if y[i] > 0 else alpha[i]
    room_j = alpha[j] if y[j] > 0 else C[j] - alpha[j]
    longest = float(min(room_i, room_j))
    xy = run_state.points.xy[run_state.index[[i, j]]]
    xy = xy if scaler is None else scaler.transform(xy)
    (k_ii, k_ij), (_, k_jj) = kernel.gram(xy, xy).tolist()
    curvature = k_ii + k_jj - 2.0 * k_ij
    curved = curvature > 1e-12 * (abs(k_ii) + abs(k_jj))
    step = min(rise / curvature, longest) if curved else longest
    if not (step > 0.0 and rise > 0.0):
        return 0.0
    return step * (rise - 0.5 * curvature * step) if step < np.inf else np.inf
