"""FilmMaker: train, compute, paint and encode the pictures of a film without blocking the window.

Each picture is the exported picture of the lane at that step or with that value; or its relief.
`render_film` makes a film without a window on screen.
"""

from __future__ import annotations

import itertools
import math
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Generator, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage
from PySide6.QtWidgets import QApplication

from app.core import log
from app.core.number_format import count, grouped, span_of_time
from app.engine.frames import Frame, LaneRequest, LaneSpec, Phase
from app.engine.lane_job import LaneJob
from app.engine.pool import Job, LatestQueue, Priority
from app.engine.results import Results
from app.engine.run_state import RunState
from app.engine.scheduler import Scheduler
from app.engine.training_run import PROBLEMS
from app.features.relief import text
from app.features.relief.geometry import limit_of
from app.features.relief.query import Relief, relief_of
from app.features.relief.view_image import relief_image
from app.files.background_task import Progress, Task, saving
from app.files.documents import FileError
from app.scene.compose import compose
from app.scene.feature import FeatureTable
from app.scene.model import Context, is_present
from app.scene.text import headline, sampled
from app.state.document import MAX_LANES, Document
from app.state.session import Seek, Session
from app.views import theme
from app.views.export.flow import Flow, PictureFlow
from app.views.export.layout import GAP, TEXT, TITLE, PictureSpec, Sheet, What, scale_for, shoot
from app.views.plot.picture import image_of
from app.views.theme import dressed, text_font, theme_of
from app.views.widgets.painting import bold, painter_on
from solver import Grid

from . import plan
from .encoder import Feed, Pixels, encode, estimated, palette_of
from .plan import Content, ReliefView, SweepFilm, TrainingFilm

AS_IT_IS = ReliefView()


class ReliefShot(Struct, frozen=True, eq=False):
    """The data of a picture.

    Attributes
    ----------
    relief : Relief
    words : str
        State of the training.
    document : Document
        Provides names and colours.
    view : ReliefView
    """

    relief: Relief
    words: str
    document: Document
    view: ReliefView = AS_IT_IS


def relief_shot(frame: Frame, words: str, document: Document, grid: Grid) -> ReliefShot:
    """Return the relief of a frame over `grid`; raise ValueError with a sentence if the frame has no f."""
    if frame.model is None:
        raise ValueError(text.without(frame.lane))
    points = frame.points if frame.run_state is None else frame.run_state.points
    area = grid.left, grid.right, grid.bottom, grid.top
    relief = relief_of(frame.model, frame.lane, points, area, ratio=document.view.ratio)
    return ReliefShot(relief, words, document)


def band(spec: PictureSpec) -> int:
    """Return the height (pixels) of the words above the relief."""
    lines = (QFontMetricsF(text_font(size)).height() for size in (TITLE, TEXT))
    return round((2 * GAP + math.ceil(sum(lines))) * spec.scale)


def painted(shot: ReliefShot, spec: PictureSpec, limit: float) -> NDArray[np.uint32]:
    """Return the pixels, 0xffrrggbb, shape (height, width)."""
    relief, document, view = shot.relief, shot.document, shot.view
    if view.morph is not None and relief.map is None:
        raise ValueError(text.NO_MAP)
    pixels = np.empty((spec.height, spec.width), dtype=np.uint32)
    theme, top, width = dressed(theme_of(spec.dark), document.styles), band(spec), spec.width
    pixels[top:] = relief_image(
        relief,
        width,
        spec.height - top,
        camera=view.camera,
        theme=theme,
        morph=view.morph,
        ratio=spec.scale,
        font=text_font(TEXT),
        names=(document.axes[0] or "x₁", document.axes[1] or "x₂"),
        limit=limit,
    )
    image = image_of(pixels[:top])
    image.fill(QColor(*theme.background))
    with painter_on(image) as painter:
        painter.scale(spec.scale, spec.scale)
        painter.setPen(QColor(*theme.ink))
        y, room = float(GAP), width / spec.scale - 2 * GAP
        for font, words in ((bold(text_font(TITLE)), relief.title), (text_font(TEXT), shot.words)):
            metrics = QFontMetricsF(font)
            painter.setFont(font)
            line = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(GAP, y, room, metrics.height()), Qt.AlignmentFlag.AlignLeft, line)
            y += metrics.height()
    return pixels


#: Answers painted over pictures that depend on no model: the ideal boundary, and the boundary before an edit.
LAID_OVER = ("boundary", "ghost")


class FilmSpec(Struct, frozen=True):
    """A film: its content, the look of its pictures, its format, and its pictures per second."""

    content: Content
    picture: PictureSpec
    kind: str
    rate: int


def moment_of(document: Document, session: Session, known: Results, grids: tuple[Grid, ...]) -> Context:
    """Return the state that a film is made from: what is displayed now, frozen."""
    frames = [known.frame(slot) for slot in document.slots[: document.shown]]
    return Context(document, session, _with_frames(known, frames), grids)


def _frame_of(moment: Context, index: int) -> Frame | None:
    """Return the newest frame of a lane, if it belongs to the present lane and points."""
    known = moment.results.frame(moment.document.slots[index])
    return known if is_present(moment.document, index, known) else None


def _with_frames(known: Results, frames: Iterable[Frame | None]) -> Results:
    """Return results with these frames, and with the answers painted over pictures."""
    kept = Results()
    for frame in frames:
        if frame is not None:
            kept.accept(frame)
    for name, number in itertools.product(LAID_OVER, range(MAX_LANES)):
        if (answer := known.answer(f"{name}{number}")) is not None:
            kept.accept(answer)
    return kept


#: Makes the shot of a picture: a `Shot`, or a `ReliefShot`.
Take = Callable[[], Flow]


class FilmMaker(PictureFlow):
    """Make one film, or one estimate, at a time; a new one cancels the one before.

    Parameters
    ----------
    scheduler : Scheduler
    features : FeatureTable
    parent : QObject

    Signals
    -------
    progressed : (int, int, float)
        Number of finished pictures, number of all (0: not known yet), and seconds left (NaN: not known yet).
    made : ()
        The file is complete.
    estimated : (int, float, float, QImage)
        Number of pictures, seconds, approximate size of the file (bytes), and one of the pictures.
    failed : (str)
        Why there is no film.
    """

    progressed = Signal(int, int, float)
    made = Signal()
    estimated = Signal(int, float, float, QImage)
    failed = Signal(str)

    def __init__(self, scheduler: Scheduler, features: FeatureTable, parent: QObject | None = None) -> None:
        super().__init__(scheduler, "The film was not made", parent)
        self._features = features
        self._feed: Feed | None = None
        self._limit = math.inf  # common limit of f for all pictures of the relief
        self._queue: LatestQueue[Callable[[Callable[[], bool]], Job]]
        self._queue = scheduler.queue(lambda make, overtaken: make(overtaken), Priority.BACKGROUND)

    def make(self, moment: Context, spec: FilmSpec, path: Path) -> None:
        """Begin a film; raise ValueError with one sentence if it cannot be made."""
        plan.check(moment.document, spec.content)
        plan.check_rate(spec.kind, spec.rate)
        self.begin(self._film(moment, spec, path))

    def estimate(self, moment: Context, spec: FilmSpec) -> None:
        """Begin an estimate; raise ValueError with one sentence if the film cannot be made."""
        plan.check(moment.document, spec.content)
        plan.check_rate(spec.kind, spec.rate)
        self.begin(self._try_out(moment, spec))

    def end(self) -> None:
        super().end()
        if self._feed is not None:
            self._feed.close()
            self._feed = None
        self._queue.cancel()

    def report(self, sentence: str) -> None:
        self.failed.emit(sentence)

    def sentence(self, error: Exception) -> str:
        if not isinstance(error, ValueError):
            return super().sentence(error)
        log.caught(f"{self.failure}.", error)  # a fault of the program may look like an error with a sentence
        return str(error)

    # -- a film ----------------------------------------------------------------------------------------------------

    def _film(self, moment: Context, spec: FilmSpec, path: Path) -> Flow:
        self.progressed.emit(0, 0, math.nan)
        takes = yield from self._takes(moment, spec)
        samples = yield from self._samples(takes, spec)
        times = plan.times(len(takes), spec.rate)
        feed, first = Feed(), [*samples.values()]
        self._feed = feed

        def encoded(progress: Progress) -> bytes:
            palette = palette_of(spec.kind, first)
            first.clear()  # they may be large
            return encode(spec.kind, times, palette, feed.take(len(takes)))

        def written(sentence: str) -> None:
            self.end()
            self.made.emit()

        self.tasks.run(saving(path, encoded, self.failure), written, self.fail)
        begun = time.perf_counter()
        for number, take in enumerate(takes):
            pixels = samples.pop(number, None)
            if pixels is None:
                pixels = yield from self._pixels(take, spec)
            yield from self.wait_for(partial(feed.put, pixels))
            left = (time.perf_counter() - begun) / (number + 1) * (len(takes) - number - 1)
            self.progressed.emit(number + 1, len(takes), left)

    def _try_out(self, moment: Context, spec: FilmSpec) -> Flow:
        takes = yield from self._takes(moment, spec)
        samples = yield from self._samples(takes, spec)
        times = plan.times(len(takes), spec.rate)
        image = image_of([*samples.values()][len(samples) // 2]).copy()

        def done(n_bytes: int) -> None:
            self.end()
            self.estimated.emit(len(takes), sum(times) / 1000, float(n_bytes), image)

        work = partial(estimated, spec.kind, times, samples)
        self.tasks.run(Task("Estimating a film", work, self.failure, kept=False), done, self.fail)

    # -- its pictures ----------------------------------------------------------------------------------------------

    def _takes(self, moment: Context, spec: FilmSpec) -> Generator[None, Any, list[Take]]:
        """Return a function for each picture that makes its shot."""
        content, document = spec.content, moment.document
        takes: list[Take]
        if isinstance(content, SweepFilm):
            values = content.values(document)
            documents = [plan.document_with(document, content.lane, content.control, value) for value in values]
            takes = [partial(self._at_the_end, moment, each, spec) for each in documents]
        elif isinstance(content, TrainingFilm):
            takes = yield from self._step_by_step(moment, spec, content)
        else:
            shot = yield from self._at_the_end(moment, document, spec)
            takes = [partial(self._known, replace(shot, view=view)) for view in content.views()]
        plan.check_size(len(takes), spec.picture.width, spec.picture.height)
        return takes

    def _at_the_end(self, moment: Context, document: Document, spec: FilmSpec) -> Flow:
        """Return the shot of the lane at the end of its training: the displayed one, or one from zero."""
        frame = _frame_of(moment, spec.content.lane) if document is moment.document else None
        if frame is None or frame.model is None:
            newest: list[Frame] = []
            request = _request(moment, document, spec, next(self._numbers))
            frame = yield from self._frame(LaneJob(newest.append), newest, request)
        return (yield from self._shot(moment, document, spec, frame))

    @staticmethod
    def _known(shot: ReliefShot) -> Flow:
        """Return a shot that is already known."""
        yield from ()
        return shot

    def _step_by_step(self, moment: Context, spec: FilmSpec, content: TrainingFilm) -> Generator[None, Any, list[Take]]:
        """Return the functions for the pictures of a training, which is repeated from its start."""
        known, last, newest = _frame_of(moment, content.lane), content.last, list[Frame]()
        run: RunState | None = None if known is None else known.run_state
        problem = PROBLEMS + (0 if run is None else run.recording % PROBLEMS)
        job, numbers = LaneJob(newest.append), itertools.count(1)

        def frame_at(step: int, way: Literal["step", "end"]) -> Flow:
            number = next(numbers)  # the first request is the training itself
            seek = Seek(problem, step, way, number)
            return self._frame(job, newest, _request(moment, moment.document, spec, number, seek, known))

        to_end = last is None or (run is not None and run.ended and last >= run.length)
        made: RunState = (yield from frame_at(last or 0, "end" if to_end else "step")).run_state
        of = f" of {grouped(made.length)}" if made.ended and made.length else ""

        def shot_at(step: int) -> Flow:
            frame = yield from frame_at(step, "step")
            lane, proved, done = frame.lane, frame.certificates, frame.phase is Phase.DONE
            family, settings = lane.family, lane.settings
            state = family.verdict(proved, settings).text if done else family.so_far(proved, settings)
            words = f"{lane.trainer.step.capitalize()} {grouped(step)}{of}: {state}"
            return (yield from self._shot(moment, moment.document, spec, frame, words))

        return [partial(shot_at, step) for step in content.steps(made)]

    def _shot(self, moment: Context, document: Document, spec: FilmSpec, frame: Frame, words: str = "") -> Flow:
        """Return the shot of a picture with `frame` in its lane, under `words` if there are any."""
        index = spec.content.lane
        if not spec.content.relief:
            slots = enumerate(document.slots[: document.shown])
            frames = [frame if each == index else moment.results.frame(slot) for each, slot in slots]
            scene = compose(document, moment.session, _with_frames(moment.results, frames), self._features)
            shot = shoot(self._features, scene, frames, spec.picture.what)
            return replace(shot, headlines={document.slots[index]: words} if words else {})
        words = words or headline(frame, frame.lane)
        words += sampled(frame, document.parts.n_trainable, document.training_limit)
        return (yield from self._work(partial(relief_shot, frame, words, document, moment.grids[index])))

    def _work(self, act: Callable[[], Any]) -> Flow:
        """Return the result of `act`, run when nothing else is requested; raise ValueError if it does."""
        return self.wait_for(lambda done: self._queue.submit(partial(_drawn, act, done)))

    def _frame(self, job: LaneJob, newest: list[Frame], request: LaneRequest) -> Flow:
        """Return the last frame of a request; raise ValueError with its sentence if there is none."""
        frame = yield from self.wait_for(lambda done: self._queue.submit(partial(_trained, job, newest, request, done)))
        if frame is None or frame.phase in (Phase.EMPTY, Phase.FAILED):
            raise ValueError(f"The film was not made: {frame.message if frame else 'there is no picture of it'}")
        return frame

    def _samples(self, takes: list[Take], spec: FilmSpec) -> Generator[None, Any, dict[int, Pixels]]:
        """Return representative pictures by their indices."""
        chosen, samples = plan.sampled(len(takes)), {}
        self._limit = 0.0
        for number in chosen:  # before painting: the largest f of all reliefs, and the room for words and legend
            shot = yield from takes[number]()
            if spec.content.relief:
                self._limit = max(self._limit, limit_of(shot.relief))
            else:
                self.sheet = Sheet(shot, spec.picture, self.sheet)
        for number in chosen:
            samples[number] = yield from self._pixels(takes[number], spec)
        return samples

    def _pixels(self, take: Take, spec: FilmSpec) -> Flow:
        """Return a picture: of the relief, or painted as `PictureMaker` would paint it."""
        shot = yield from take()
        if spec.content.relief:
            return (yield from self._work(partial(painted, shot, spec.picture, self._limit)))
        sheet = self.sheet = Sheet(shot, spec.picture, self.sheet)
        yield from self.show_surfaces(sheet)
        return (yield from self.painted(sheet))


def _request(
    moment: Context,
    document: Document,
    spec: FilmSpec,
    number: int,
    seek: Seek | None = None,
    known: Frame | None = None,
) -> LaneRequest:
    """Return the request for a lane's frame: at the end of a training from zero, or where `seek` leads in that of
    `known`.
    """
    index, look = spec.content.lane, theme.dressed(theme.theme_of(spec.picture.dark), document.styles)
    lane_spec = LaneSpec(
        document.training_points,
        document.lanes[index],
        moment.grids[index],
        look.shades,
        paused=seek is not None,
        steps_per_second=math.inf,
        restart=0,
        compiled=True,
        seek=seek,
        starts=None if known is None else known.starts,
    )
    return LaneRequest(number, document.slots[index], lane_spec)


def _trained(
    job: LaneJob,
    newest: list[Frame],
    request: LaneRequest,
    done: Callable[[Any], object],
    overtaken: Callable[[], bool],
) -> Job:
    """Train a lane when nothing else is requested; `newest` receives the frames that `job` posts."""
    newest.clear()
    for _ in job(request, overtaken):
        yield Priority.BACKGROUND
    done(newest[-1] if newest else None)


def _drawn(act: Callable[[], Any], done: Callable[[Any], object], overtaken: Callable[[], bool]) -> Job:
    """Draw a picture when nothing else is requested."""
    yield Priority.BACKGROUND
    try:
        done(act())
    except Exception as error:  # the receiver makes a sentence of it
        done(error)


def render_film(
    create: Callable[[Document, Path], Any], document: Document, content: Content, options: Namespace
) -> str:
    """Make the film of `options` and return a summary; raise ValueError or FileError with a sentence if that fails."""
    ended: list[str] = []
    counts: list[int] = []
    with tempfile.TemporaryDirectory() as profile:
        window = create(document, Path(profile))
        window.show()
        _wait(window.idle)
        maker = FilmMaker(window.scheduler, window.features, window)
        maker.made.connect(lambda: ended.append(""))
        maker.failed.connect(ended.append)
        maker.progressed.connect(lambda done, of, left: counts.append(of))
        what, dark, (width, height) = cast(What, f"lane{content.lane}"), options.theme == "dark", options.size
        picture = PictureSpec(what, width, height, scale_for(width, height), dark, fitted=True)
        try:
            grids = window.surroundings.grids()
            moment = moment_of(document, window.controller.session, window.scheduler.results, grids)
            maker.make(moment, FilmSpec(content, picture, plan.check_kind(options.out), options.fps), options.out)
            _wait(lambda: bool(ended))
        finally:
            maker.close()
            window.close()
    if ended[0]:
        raise FileError(ended[0])
    seconds = sum(plan.times(counts[-1], options.fps)) / 1000
    return f"{document.lanes[content.lane].title}: {count(counts[-1], 'picture')}, {span_of_time(seconds)}"


def _wait(over: Callable[[], bool]) -> None:
    while not over():
        QApplication.processEvents()
        time.sleep(0.002)
