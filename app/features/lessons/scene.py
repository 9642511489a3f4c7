"""Lesson scene: what panel and pictures display of a lesson, and how well a guess agrees with the model; no Qt.

A drawn boundary is interpreted as follows: a line whose ends are close together is closed; another line is continued
straight at both ends to the edges of the view.  The lines divide the view into regions.  A region has the class of most
of its points (in a tie the lowest); a region without points has the class that the model predicts in most of it, since
the student cannot tell its class.  The score is the share of the view where the class of the region is that of the
model.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.points import Points
from app.engine.cover import Cover
from app.engine.fitting import predictions
from app.engine.overlays import Sheet
from app.engine.pacing import Pace
from app.engine.pacing import Step as WorkStep
from app.engine.query import Query
from app.engine.results import Results
from app.engine.run_state import RunState
from app.scene.model import Context, LaneScene
from app.state.document import Document
from app.state.session import Session
from solver.core.arrays import Array, Integers, Mask
from solver.core.scaler import Scaler
from solver.kernels.expansion import AnyKernel

from . import matching, text
from .model import Lesson, Prediction, Step
from .state import Box, Guess, LessonSession, Line, ModelBoundary

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


def read(line: Line, box: Box, ratio: float = 1.0) -> Array:
    """Return the corners of `line` as interpreted in the view `box`: closed, or with both ends beyond the edges.

    Lengths are those on screen, where `ratio` units of y are as long as one of x.
    """
    sides = np.array([1.0, ratio])
    xy = np.asarray(line, dtype=np.float64).reshape(-1, 2) / sides
    lengths = np.hypot(*np.diff(xy, axis=0).T) if len(xy) > 1 else np.zeros(0)
    length = float(lengths.sum())
    if length == 0.0:
        return np.empty((0, 2))
    if np.hypot(*(xy[-1] - xy[0])) < CLOSED * length and len(xy) > 2:
        return np.asarray(np.concatenate((xy, xy[:1])) * sides)
    left, right, bottom, top = np.array(box) / (1.0, 1.0, ratio, ratio)
    far = 2.0 * (right - left + top - bottom) + float(np.abs(xy - (left, bottom)).max())
    before = _direction(xy[::-1], END * length)
    after = _direction(xy, END * length)
    return np.asarray(np.concatenate(([xy[0] + far * before], xy, [xy[-1] + far * after])) * sides)


def _direction(xy: Array, length: float) -> Array:
    """Return the direction of the end of a line, from its last part of this length."""
    way, at = 0.0, len(xy) - 1
    while at > 0 and way < length:
        way += float(np.hypot(*(xy[at] - xy[at - 1])))
        at -= 1
    towards = xy[-1] - xy[at]
    norm = float(np.hypot(*towards))
    return towards / norm if norm > 0.0 else np.zeros(2)


def samples(box: Box, ratio: float = 1.0) -> tuple[Array, Array]:
    """Return columns and rows of the samples of a view, the lowest row first: the middles of squares that tile it.

    A square is `ratio` times as high as wide in units of the plane.
    """
    left, right, bottom, top = box
    side = max(right - left, (top - bottom) / ratio) / SAMPLES

    def middles(low: float, high: float, side: float) -> Array:
        number = max(2, round((high - low) / side))
        return np.asarray(low + (np.arange(number) + 0.5) * ((high - low) / number), dtype=np.float64)

    return middles(left, right, side), middles(bottom, top, side * ratio)


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

    def answer(self, post: Callable[[float], None], overtaken: Callable[[], bool]) -> Generator[WorkStep]:
        """Post the share, from 0 to 1."""
        boundary, pace = self.boundary, Pace(overtaken)
        xs, ys = samples(boundary.box, boundary.ratio)
        locations = np.column_stack([each.ravel() for each in np.meshgrid(xs, ys)])
        model = yield from predictions(boundary.model, locations, pace)
        yield from pace.pause()
        model = model.reshape(len(ys), len(xs))
        region = regions([read(line, boundary.box, boundary.ratio) for line in self.lines], xs, ys)
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


class LessonScene(Struct, frozen=True):
    """The displayed state of a lesson.

    Attributes
    ----------
    now : LessonSession
        Current step and what was done in all steps, graded.
    lesson : Lesson
    step : Step
    score : str
        Result of a guess that was drawn or picked.
    reached : bool or None
        Whether the goal is reached; None while that is unknown.
    goal : str
        The goal with the present values.
    covers : dict of int to Cover
        What is covered, by the slots of lanes.
    drawn_on : frozenset of int
        Slots of the lanes over which the guess is drawn.
    pair, taken : tuple of (float, float)
        Locations of the picked points, and of the rule's.
    """

    now: LessonSession
    lesson: Lesson
    step: Step
    score: str
    reached: bool | None
    goal: str
    covers: Mapping[int, Cover]
    drawn_on: frozenset[int]
    pair: tuple[tuple[float, float], ...]
    taken: tuple[tuple[float, float], ...]

    @property
    def covered(self) -> frozenset[int]:
        """Slots of the lanes whose pictures are covered."""
        return frozenset(slot for slot, cover in self.covers.items() if Cover.PAINT in cover)


def covers(document: Document, session: Session) -> dict[int, Cover]:
    """Return what the step hides of every lane, and what its prediction covers of the lanes it is about."""
    now = session.of(LessonSession)
    step, about = now.step, _about(now.prediction, document)
    if step is None:
        return {}
    found = {slot: step.hide | (step.cover if slot in about else 0) for slot in document.slots[: document.shown]}
    return {slot: Cover(cover) for slot, cover in found.items() if cover}


def _about(prediction: Prediction | None, document: Document) -> frozenset[int]:
    """Return the slots of the lanes that a prediction is about."""
    on_screen = document.slots[: document.shown]
    if prediction is None:
        return frozenset()
    if prediction.kind == "choice" or prediction.lane >= len(on_screen):
        return frozenset(on_screen)
    return frozenset({on_screen[prediction.lane]})


def queries(context: Context) -> dict[str, Query]:
    """Return the queries for the agreement of a drawn boundary, and of the first picture with a hidden classifier."""
    now = context.session.of(LessonSession)
    guess, asked = now.state.guess, matching.queries(context, "" if now.step is None else now.step.match)
    return asked if guess.boundary is None else asked | {AGREEMENT: Agreement(guess.lines, guess.boundary)}


def sheets(context: Context, index: int) -> tuple[Sheet, ...]:
    """Return the boundary to be found, over the first picture."""
    step = context.session.of(LessonSession).step
    return () if index or step is None else matching.lines(context, step.match)


def scene(context: Context, lanes: tuple[LaneScene, ...]) -> tuple[LessonScene, ...]:
    """Return the open lesson, if there is one."""
    document, now = context.document, graded(context.session.of(LessonSession), context.results)
    lesson, step, guess = now.lesson, now.step, now.state.guess
    if lesson is None or step is None:
        return ()
    return (
        LessonScene(
            now,
            lesson,
            step,
            _score(lesson.language, document.points, guess),
            *_goal(context, step, lesson.language),
            covers(document, context.session),
            _about(step.prediction, document),
            _locations(document.points, guess.pair),
            _locations(document.points, () if guess.gains is None else guess.gains.taken),
        ),
    )


def _goal(context: Context, step: Step, language: str) -> tuple[bool | None, str]:
    if not step.goal:
        return None, ""
    from .goals import check, sentence

    asked = context.session.of(LessonSession).prediction is not None
    return (None, sentence(step.goal, language)) if asked else check(step.goal, context, language)


def _score(language: str, points: Points, guess: Guess) -> str:
    if guess.gains is not None:
        return text.gains(language, _rows(points, guess.pair), _rows(points, guess.gains.taken), guess.gains)
    return "" if guess.boundary is None else text.agreement(language, guess.agreement)


def _rows(points: Points, ids: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(np.searchsorted(points.ids, each)) + 1 for each in ids)


def _locations(points: Points, ids: tuple[int, ...]) -> tuple[tuple[float, float], ...]:
    """Return the locations of these points, if they still exist."""
    found = [points.xy[points.indices_of(np.array([each]))] for each in ids]
    return tuple((float(xy[0, 0]), float(xy[0, 1])) for xy in found if len(xy))
