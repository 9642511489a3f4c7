"""LaneWork: what the background does for one lane's request: train in short pieces, colour pictures, post frames."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.document import SvmSettings
from app.shading import colour, level_lines, region_lines
from solver import SVC, Grid, KNeighborsClassifier, Pair, PairTrainer, RunningExpansion, Status

from .pool import Later, Priority
from .requests import Frame, Marks, Phase, Picture, Request, Wish
from .sources import Source, knn_source, problem_of, svm_source

Array = NDArray[np.float64]
#: Seconds a piece of work aims at; the pool looks around between pieces.
PIECE = 0.006
#: Seconds between two pictures of a training that runs at full speed.
FRAME_INTERVAL = 0.025
#: Updates of one binary problem before it is the turn of the next.
ROUND = 500
#: Ends of line segments in a picture, from which on lines say less than the colours they hide.
MOST_VERTICES = 30_000
#: Points up to which plain numpy stands in while the compiled loops are not ready.
PLAIN_LIMIT = 600
#: Points up to which kNN counts its training accuracy, a search for each of them, before its first picture.
COUNTED_FIRST = 1000

Step = Priority | Later


class LaneWork:
    """The background half of one lane; only the lane's running job touches it, and there is one at a time.

    Parameters
    ----------
    post : callable
        ``post(frame)`` delivers a frame.
    """

    def __init__(self, post: Callable[[Frame], None]) -> None:
        self._post = post
        self._training: _Training | None = None

    def __call__(self, request: Request, overtaken: Callable[[], bool]) -> Generator[Step]:
        """The job of `request`; whatever goes wrong becomes a frame with a sentence; the next request starts anew."""
        wish = request.wish
        frame = Frame(request.number, request.index, wish.points, wish.lane, Phase.DONE, compiled=wish.compiled)
        try:
            if wish.lane.classifier == "knn":
                yield from self._knn(wish, frame, overtaken)
            else:
                yield from self._svm(wish, frame, overtaken)
        except ValueError as error:  # the solver's sentences
            self._training = None
            self._post(replace(frame, phase=Phase.FAILED, message=str(error)))
        except Exception as error:
            self._training = None
            text = f"Stopped by an internal error ({type(error).__name__}: {error}). The next change tries again."
            self._post(replace(frame, phase=Phase.FAILED, message=text))

    def _knn(self, wish: Wish, frame: Frame, overtaken: Callable[[], bool]) -> Generator[Step]:
        points = wish.points
        if len(points) == 0:
            self._post(replace(frame, phase=Phase.EMPTY))
            return
        settings = wish.lane.knn
        start = time.perf_counter()
        model = KNeighborsClassifier(
            min(settings.n_neighbors, len(points)), settings.weights, settings.metric, settings.p
        ).fit(points.xy, points.labels)
        frame = replace(frame, model=model, seconds=time.perf_counter() - start)
        source = knn_source(model, wish.compiled)
        few = len(points) <= COUNTED_FIRST
        if few:
            frame = _marked(frame, model.predict(points.xy, compiled=wish.compiled))
        frame = yield from self._coarse(source, wish, frame)
        frame = yield from self._full(source, wish, frame, overtaken)
        if not few:
            predicted = yield from _predictions(model, points.xy, wish.compiled, overtaken)
            if predicted is not None:
                self._post(_marked(frame, predicted))

    def _svm(self, wish: Wish, frame: Frame, overtaken: Callable[[], bool]) -> Generator[Step]:
        if len(wish.points.classes) < 2:
            self._training = None
            self._post(replace(frame, phase=Phase.EMPTY))
            return
        if not wish.compiled and len(wish.points) > PLAIN_LIMIT:
            self._post(replace(frame, phase=Phase.EMPTY))
            return
        if wish.lane.svm.hard_margin and not wish.lane.svm.as_kernel().is_positive_semidefinite:
            raise ValueError("This kernel is not positive semidefinite, so it has no hard margin: choose a finite C.")
        training = self._training = _Training.continuing(self._training, wish)
        last = -math.inf
        while True:
            stepped = 0 if wish.paused else training.advance(wish.steps_per_second)
            resting = wish.paused or training.finished
            slow = wish.steps_per_second <= 1.0 / FRAME_INTERVAL
            due = time.perf_counter() - last >= FRAME_INTERVAL or (slow and stepped > 0)
            if last < 0 or resting or due:
                frame = training.frame(frame, wish, thorough=resting)
                assert isinstance(frame.model, SVC)
                yield from self._coarse(training.source(frame.model, wish, wish.grid.coarse()), wish, frame)
                last = time.perf_counter()
                source = svm_source(frame.model, wish.lane)
                if not overtaken() and (resting or (slow and wish.steps_per_second <= 10)):
                    yield from self._full(source, wish, frame, overtaken)
            if resting or overtaken():
                return
            pause = training.seconds_to_next_step(wish.steps_per_second)
            yield Later(pause, Priority.TRAINING) if pause > 0 else Priority.TRAINING

    def _coarse(self, source: Source, wish: Wish, frame: Frame) -> Generator[Step, None, Frame]:
        """The promised first picture: nothing stops it."""
        grid = wish.grid.coarse()
        picture = yield from _picture(source, grid, wish, Priority.FIRST_PICTURE, lambda: False)
        frame = replace(frame, picture=picture, full=grid == wish.grid)
        self._post(frame)
        return frame

    def _full(
        self, source: Source, wish: Wish, frame: Frame, overtaken: Callable[[], bool]
    ) -> Generator[Step, None, Frame]:
        if wish.grid.coarse() == wish.grid or overtaken():
            return frame
        picture = yield from _picture(source, wish.grid, wish, Priority.FULL_PICTURE, overtaken)
        if picture is not None:
            frame = replace(frame, picture=picture, full=True)
            self._post(frame)
        return frame


def _marked(frame: Frame, predicted: NDArray[np.int64]) -> Frame:
    """`frame` with what the model's predictions of its own training points come to."""
    wrong = np.flatnonzero(predicted != frame.points.labels)
    return replace(frame, marks=Marks(wrong=wrong), accuracy=1.0 - len(wrong) / len(frame.points))


def _predictions(
    model: KNeighborsClassifier, xy: Array, compiled: bool, overtaken: Callable[[], bool]
) -> Generator[Step, None, NDArray[np.int64] | None]:
    """The classes of all `xy`, in blocks of about `PIECE` seconds each; None when overtaken."""
    parts = []
    done, size = 0, 16
    while done < len(xy):
        yield Priority.BACKGROUND
        if overtaken():
            return None
        begun = time.perf_counter()
        parts.append(model.predict(xy[done : done + size], compiled=compiled))
        done += size
        size = _next_size(size, time.perf_counter() - begun)
    return np.concatenate(parts)


def _next_size(size: int, seconds: float) -> int:
    """How much to do in the next piece when so much took so long."""
    return int(np.clip(size * PIECE / max(seconds, 1e-5), 2, 2 * size))


def _picture(
    source: Source, grid: Grid, wish: Wish, priority: Priority, overtaken: Callable[[], bool]
) -> Generator[Step, None, Picture | None]:
    """Evaluate and colour `grid` in blocks of rows of about `PIECE` seconds each; None when overtaken."""
    ys = grid.ys
    argb = np.empty((grid.height, grid.width), dtype=np.uint32)
    regions = np.empty((grid.height, grid.width), dtype=np.int8)
    f = None
    begun = time.perf_counter()
    rows = source(grid.xs)
    row, height = 0, 16
    while row < grid.height:
        block = slice(row, min(row + height, grid.height))
        values = rows(ys[block])
        argb[::-1][block] = colour(wish.shades, values.classes, values.sureness, values.tie)
        regions[block] = values.classes
        regions[block][values.tie] = -1
        if values.f is not None:
            f = np.empty(regions.shape) if f is None else f
            f[block] = values.f
        row = block.stop
        now = time.perf_counter()
        height = _next_size(height, now - begun)
        if row < grid.height and now - begun > 0.5 * PIECE:
            yield priority
            if overtaken():
                return None
        begun = time.perf_counter()
    if f is not None and len(wish.points.classes) == 2:
        boundary = level_lines(grid, f, (0.0,))
    else:
        boundary = region_lines(grid, regions)
    margins = level_lines(grid, f, (-1.0, 1.0)) if f is not None else np.empty((0, 2))
    return Picture(argb, grid, _unless_too_dense(boundary), _unless_too_dense(margins))


def _unless_too_dense(lines: Array) -> Array:
    """Lines, or none where they would cover the picture: black instead of colours, and seconds to paint."""
    return lines if len(lines) <= MOST_VERTICES else np.empty((0, 2))


def _class_weight(settings: SvmSettings) -> dict[int, float] | str | None:
    """The class weights as SVC takes them."""
    if settings.class_weight == "own":
        return dict(enumerate(settings.own_weights))
    return "balanced" if settings.class_weight == "balanced" else None


class _Training:
    """A trainer, what it was started for, and its pace."""

    def __init__(self, wish: Wish, before: _Training | None) -> None:
        self.points = wish.points
        self.settings = wish.lane.svm
        self.restart = wish.restart
        self.compiled = wish.compiled
        s = self.settings
        self.svc = SVC(
            math.inf if s.hard_margin else s.C, s.kernel, s.degree, s.gamma, s.coef0, s.tol, -1, s.selection, 0,
            class_weight=_class_weight(s), multiclass=s.multiclass,
        )  # fmt: skip
        start = None if before is None else before.multipliers_for(wish)
        begun = time.perf_counter()
        self.trainer: PairTrainer = self.svc.prepare(
            self.points.xy, self.points.labels, start=start, compiled=wish.compiled
        )
        self.seconds = time.perf_counter() - begun
        self._running: RunningExpansion | None = None
        self._next_step_at = time.perf_counter()

    @staticmethod
    def continuing(before: _Training | None, wish: Wish) -> _Training:
        """`before` when it is of this very problem, else a new one, from the old multipliers where they still count."""
        if before is not None:
            same = before.points is wish.points and before.settings == wish.lane.svm
            if same and (before.restart, before.compiled) == (wish.restart, wish.compiled):
                return before
            if (before.restart, before.compiled) != (wish.restart, wish.compiled):
                before = None  # count the steps of the rule that was chosen, from zero
        return _Training(wish, before)

    @property
    def finished(self) -> bool:
        return self.trainer.status is not Status.RUNNING

    def advance(self, steps_per_second: float) -> int:
        """Steps for about `PIECE` seconds, or as many as are due; returns how many were made."""
        if self.finished:
            return 0
        begun = time.perf_counter()

        def late() -> bool:
            return time.perf_counter() - begun >= PIECE

        made = 0
        if math.isinf(steps_per_second):
            while not self.finished and not late():
                made += self.trainer.step(ROUND, late)
        elif begun >= self._next_step_at:
            missed = begun - self._next_step_at
            due = min(1 + int(missed * steps_per_second), max(1, int(steps_per_second * 0.1)))
            made = self.trainer.step(due, late)
            if made:  # else the solver was busy with something else: ask again at once
                self._next_step_at = begun + 1.0 / steps_per_second
        self.seconds += time.perf_counter() - begun
        return made

    def source(self, model: SVC, wish: Wish, grid: Grid) -> Source:
        """Of pictures on `grid`, one after the other: only the multipliers that moved since the last are paid for."""
        kernel = wish.lane.svm.as_kernel()
        if not kernel.kind.pays_per_point:
            return svm_source(model, wish.lane)
        if self._running is None or self._running.grid != grid:
            self._running = RunningExpansion(kernel, self.points.xy, grid)
        return svm_source(model, wish.lane, self._running)

    def seconds_to_next_step(self, steps_per_second: float) -> float:
        if math.isinf(steps_per_second):
            return 0.0
        self._next_step_at = min(self._next_step_at, time.perf_counter() + 1.0 / steps_per_second)
        return max(0.0, self._next_step_at - time.perf_counter())

    def frame(self, frame: Frame, wish: Wish, thorough: bool) -> Frame:
        """`frame` with the present model and its numbers."""
        snapshots = self.trainer.snapshot(thorough)
        model = self.svc.snapshot_model(snapshots)
        n = len(self.points)
        free, bounded = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        for pair, snapshot, solver in zip(model.pairs_, snapshots, self.trainer.solvers, strict=True):
            at_bound = snapshot.alpha == solver.C
            bounded[pair.index[at_bound]] = True
            free[pair.index[(snapshot.alpha > 0) & ~at_bound]] = True
        if len(model.pairs_) == 1:
            f = self.trainer.solvers[0].y - snapshots[0].v + snapshots[0].intercept
            winner = model.winner(f[:, None])
        else:
            winner = model.winner(model.pair_decision_function(self.points.xy))
        wrong = np.flatnonzero(model.classes_[winner] != self.points.labels)
        unfinished = Phase.PAUSED if wish.paused else Phase.TRAINING
        phase = Phase.DONE if self.finished else unfinished
        return replace(
            frame, phase=phase, model=model, certificates=tuple(model.certificates_),
            marks=Marks(np.flatnonzero(free & ~bounded), np.flatnonzero(bounded), wrong),
            accuracy=1.0 - len(wrong) / n, seconds=self.seconds,
        )  # fmt: skip

    def multipliers_for(self, wish: Wish) -> Callable[[Pair, Array], Array | None]:
        """For each binary problem of the new training, this one's multipliers of the points that stayed."""
        # As shares of their bounds: when C or a weight changes, the bounded ones move along.  (Where that breaks the
        # equality constraint the solver mends it.)
        old: dict[tuple[int, int], tuple[NDArray[np.intp], Array, Array]] = {}
        for pair, solver in zip(self.trainer.pairs, self.trainer.solvers, strict=True):
            share = solver.alpha / np.where(np.isfinite(solver.C), solver.C, 1.0)
            old[problem_of(pair, self.points.classes)] = (pair.index, solver.alpha, share)
        new_ids, new_labels = wish.points.ids, wish.points.labels
        old_ids, old_labels = self.points.ids, self.points.labels
        was_hard = self.settings.hard_margin

        def start(pair: Pair, C: Array) -> Array | None:
            known = old.get(problem_of(pair, wish.points.classes))
            if known is None:
                return None
            index, alpha, share = known
            ids = new_ids[pair.index]
            at = np.minimum(np.searchsorted(old_ids[index], ids), len(index) - 1)
            stayed = (old_ids[index][at] == ids) & (old_labels[index][at] == new_labels[pair.index])
            moved = alpha[at] if was_hard or not np.isfinite(C).all() else share[at] * C
            return np.where(stayed, moved, 0.0)

        return start
