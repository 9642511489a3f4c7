"""StudyController: a study is planned, computed, kept with the document, and a cell of it put into a lane.  No Qt."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from app.controllers.host import Host
from app.core.number_format import count, span_of_time
from app.core.points import Points
from app.files.documents import FileError
from app.state.commands import Attach, Generate, SetLane
from app.state.document import Document, Lane

from . import map_reading
from .cells import Places, digest_of, numerics_of
from .computing import Given
from .map_reading import Best
from .model import DATA_AXES, Study
from .planning import AxisPlan, Plan, Planned, StudySession, axis_plan, costs_of, lane_of, plan_of, planned, titles
from .results import NAME, StudyResults
from .running import Run, State, jobs
from .timing import BEGINNING, Trial

#: ``aside(work, done)``: ``done(work())``, with `work` on a thread of its own.
Aside = Callable[[Callable[[], bytes], Callable[[bytes], None]], None]
#: Seconds after which what is there is put into the document while more is computed.
KEEP = 5.0
#: Seconds of computing from which one learns how fast this machine is.
ENOUGH = 0.2
#: Seconds after the first result from which the pace of a run is known; before, processes are still beginning.
PACE = 5.0
#: Kinds that are drawn as curves.
CURVES = ("learning-curve", "rules")
OUTDATED = "These results are of other points: run again."
EARLIER = "These results are of an earlier version, which counted ties and dealt folds differently: run again."


class StudyController:
    """Keeps the results that are shown, and the run that adds to them.

    Parameters
    ----------
    host : Host

    Attributes
    ----------
    kept : StudyResults or None
        The results of the document.
    failure : str
        Why there are none, or why the run has ended, in a sentence.
    changes : int
        Is another number whenever there are other results.
    wake : callable
        Called from a thread when there is something to `collect`.
    aside : callable
        Does work and hands on what came of it, where there is a window without holding that up.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self.kept: StudyResults | None = None
        self.failure = ""
        self.changes = 0
        self.wake: Callable[[], None] = lambda: None
        self.aside: Aside = lambda work, done: done(work())
        self._puts = 0
        self._data: bytes = b""
        self._resets = host.store.resets
        self._run: Run | None = None
        self._put = self._begun = 0.0
        self._paused_at: float | None = None
        self._planned: tuple[tuple[object, ...], Planned] = (), Planned()
        self._costs = np.zeros(0)
        self._trial: Trial | None = None
        self._whole = self._over = self._took = 0.0
        #: When the first results were there (active seconds), and what they had cost.
        self._since = (0.0, 0.0)
        #: By which factor this machine is slower than the model of costs, by kind and classifier.
        self._slower: dict[tuple[str, str], float] = {}
        self.look()

    # -- what is there -----------------------------------------------------------------------------------------------

    @property
    def session(self) -> StudySession:
        """What the user does with it."""
        return self._host.session.of(StudySession)

    def look(self) -> None:
        """The document may be another, or hold other results."""
        if self._host.store.resets != self._resets:
            self._resets = self._host.store.resets
            self.close()
        data = dict(self._host.document.attached).get(NAME, b"")
        if data == self._data:
            return
        self._display(None)
        self._data = data
        if data:
            try:
                self.kept = StudyResults.decode(data)
            except FileError as error:
                self.failure = str(error)

    @property
    def missing(self) -> int:
        """How many results are not there."""
        return 0 if self.kept is None else int(self.kept.lacking.sum())

    @property
    def outdated(self) -> bool:
        """The results are of other points than those of the document, or of an earlier rule."""
        return bool(self.why_outdated)

    @property
    def why_outdated(self) -> str:
        """Why the results do not belong to the document or the program of now, in a sentence; or ""."""
        if self.kept is None:
            return ""
        if self.kept.study.digest and self.kept.study.digest != digest(self._host.document):
            return OUTDATED
        return "" if self.kept.numerics == numerics_of(self.kept.study) else EARLIER

    @property
    def place(self) -> int:
        """The lane that is studied: the chosen one, else one of the classifier of the results, else the first."""
        document = self._host.document
        if self.session.slot in document.slots[: document.shown]:
            return document.slots.index(self.session.slot)
        lanes = document.lanes[: document.shown]
        wanted = None if self.kept is None else self.kept.study.lane.classifier
        of_study = (place for place, lane in enumerate(lanes) if lane.classifier == wanted)
        own = (place for place, lane in enumerate(lanes) if lane.trainer is not None and lane.trainer.has_multipliers)
        any_ = (place for place, lane in enumerate(lanes) if not lane.is_difference)
        return next(of_study, next(own, next(any_, 0)))

    @property
    def lane(self) -> Lane:
        """Its settings."""
        return self._host.document.lanes[self.place]

    @property
    def other(self) -> Lane | None:
        """The first other classifier on screen."""
        document = self._host.document
        lanes = (lane for place, lane in enumerate(document.lanes[: document.shown]) if place != self.place)
        return next((lane for lane in lanes if not lane.is_difference), None)

    @property
    def plan(self) -> Plan:
        """What the form says."""
        return self.session.plan or plan_of("grid", self.lane, self._host.document)

    def planned(self) -> Planned:
        """What that comes to; the same object while nothing has changed."""
        document = self._host.document
        other = self.other if self.plan.value == "disagreement" else None
        key = (self.plan, self.lane, other, document.training_points, document.test_points, document.generator)
        if key != self._planned[0]:
            self._planned = key, planned(self.plan, self.lane, document, other)
        return self._planned[1]

    # -- the form ------------------------------------------------------------------------------------------------------

    def choose(self, **changes: Any) -> None:
        """Change the plan."""
        self._host.change(StudySession, plan=replace(self.plan, **changes))

    def choose_kind(self, kind: str) -> None:
        """Another kind of study, as it is at first."""
        self._host.change(StudySession, plan=plan_of(kind, self.lane, self._host.document))

    def choose_data(self, generated: bool) -> None:
        """Points of the generator, or those of the document; what only the generator has is no axis then."""
        plan, lane = self.plan, lane_of(self.plan, self.lane)
        known = titles(lane, generated)
        axes = [axis if axis.name in known else self.axis_plan(next(iter(known)), generated) for axis in plan.axes]
        axes = [self.axis_plan("n", generated) if axis.name == "n" else axis for axis in axes]
        folds = "0" if generated else "5"
        self.choose(generated=generated, axes=tuple(axes), folds=folds)

    def axis_plan(self, name: str, generated: bool | None = None) -> AxisPlan:
        """An axis with the range that one looks at first."""
        wanted = self.plan.generated if generated is None else generated
        return axis_plan(name, lane_of(self.plan, self.lane), self._host.document, wanted)

    def choose_lane(self, slot: int) -> None:
        """Study the lane in `slot`, whose classifier may have other parameters."""
        before = self.lane.classifier
        self._host.change(StudySession, slot=slot)
        if self.lane.classifier != before and not self.plan.further:
            self.choose_kind(self.plan.kind)

    def look_at(self, **changes: Any) -> None:
        """Change what is shown of the results."""
        self._host.change(StudySession, **changes)

    # -- running -------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Compute what the form says, in place of the results that are there; of the same study, what is missing."""
        plan = self.planned()
        if plan.study is not None:
            same = self.kept is not None and self.kept.study == plan.study and not self.outdated
            kept = self.kept if same and self.kept is not None and self.missing else StudyResults(plan.study)
            if not same:
                self.look_at(value="", rest=(), midpoint=None, level=None)
            self._compute(kept, plan.given)

    def go_on(self) -> None:
        """Compute what is missing of the results."""
        if self.kept is not None and not self.outdated:
            self._compute(self.kept, self._given())

    def again(self) -> None:
        """The same study of the present points."""
        if self.kept is None:
            return
        study = self.kept.study
        if study.digest:
            study = msgspec.structs.replace(study, digest=digest(self._host.document))
        self._compute(StudyResults(study), self._given())

    def extend(self) -> None:
        """Let the axis go on at whose edge the best cell lies, and compute the new cells."""
        best = self.best()
        if self.kept is None or best is None or best.axis < 0 or self.outdated:
            return
        study = map_reading.extended(self.kept.study, best)
        self._compute(self.kept.grown(study), self._given())

    def _compute(self, kept: StudyResults, given: Given | None) -> None:
        self._display(kept)
        study = kept.study
        self._costs = costs_of(study, given)
        lacking = kept.lacking.sum(axis=(-2, -1))
        self._whole, self._over, self._took = float((lacking * self._costs).sum()), 0.0, 0.0
        self._since = (0.0, 0.0)
        self._begun, self._paused_at = time.monotonic(), None
        if lacking.any():
            self._run = Run(study, given, lambda: deque(kept.missing()), lambda: self.wake())
        self._keep()

    def pause(self) -> None:
        """Rest, or go on."""
        run = self._run
        if run is None:
            return
        rests = run.state == "running"
        run.pause(rests)
        now = time.monotonic()
        if rests:
            self._paused_at = now
            self.collect()
            self._keep()
        elif self._paused_at is not None:
            self._begun += now - self._paused_at
            self._paused_at = None
        self.changes += 1

    def cancel(self) -> None:
        """End the run; what was computed stays, and `go_on` computes the rest."""
        if self._run is not None:
            self._run.cancel()
            self.collect()

    def close(self) -> None:
        """End the run without a word: the window goes, or the document."""
        run, self._run = self._run, None
        if run is not None:
            run.cancel()
        self._end_trial()

    def _end_trial(self) -> None:
        if self._trial is not None:
            self._trial.end()

    def measure(self) -> bool:
        """Measure how long what the form says will take, on some of its cells; whether that goes on."""
        plan = self.planned()
        if self._run is not None or plan.study is None:
            self._end_trial()
            return False
        if self._trial is None or self._trial.study != plan.study:
            self._end_trial()
            self._trial = Trial(plan.study, plan.given)
        self._trial.collect()
        if self._trial.factor > 0:
            self._slower[_sort(plan.study)] = self._trial.factor
        return not self._trial.ended

    @property
    def measured(self) -> bool:
        """How long what the form says will take was measured."""
        plan = self.planned()
        return self._trial is not None and self._trial.ended and self._trial.study == plan.study

    def collect(self) -> bool:
        """Take what was found; whether there was anything."""
        self.look()  # nobody may have looked since another document came
        run = self._run
        if run is None or self.kept is None:
            return False
        ended = run.state == "ended"
        found = run.take()
        for record in found:
            self.kept.add(record)
            self._over += float(self._costs[record.places])
            self._took += record.seconds
        if found and not self._since[1]:
            self._since = (self._active(), self._over)
        if found or ended:
            self.changes += 1
        if ended:
            if self._over > 0 and self._took > ENOUGH:
                self._slower[_sort(run.study)] = self._took / self._over
            self.failure = run.failure
            self._run = None
        if ended:
            self._keep()
        elif time.monotonic() - self._put > KEEP:
            self._keep_aside()
        return bool(found) or ended

    def _active(self) -> float:
        """Seconds since the beginning, without pauses."""
        return (time.monotonic() if self._paused_at is None else self._paused_at) - self._begun

    def _keep(self) -> None:
        """Put what is there into the document."""
        if self.kept is not None:
            self._put, self._puts = time.monotonic(), self._puts + 1
            self._data = self.kept.encode()
            self._host.apply(Attach(part=NAME, data=self._data))

    def _keep_aside(self) -> None:
        """The same of a run that goes on, encoded where nobody waits for it."""
        kept, self._put, self._puts = self.kept, time.monotonic(), self._puts + 1
        if kept is None:
            return
        number, resets = self._puts, self._host.store.resets

        def done(data: bytes) -> None:
            # Newer ones may be there by now, or another study, or another document.
            if self.kept is kept and self._puts == number and self._host.store.resets == resets:
                self._data = data
                self._host.apply(Attach(part=NAME, data=data))

        self.aside(kept.copy().encode, done)

    def take(self, kept: StudyResults) -> None:
        """Show these results, and keep them with the document."""
        self._display(kept)
        self._keep()

    def _display(self, kept: StudyResults | None) -> None:
        """Show these results in place of others, which nothing is computed of any more."""
        self.close()
        self.kept, self.failure = kept, ""
        self.changes += 1

    @property
    def state(self) -> State:
        """Whether it runs; what has ended runs until it is collected."""
        return "ended" if self._run is None else "paused" if self._run.state == "paused" else "running"

    @property
    def share(self) -> float:
        """How much of the run is done, from 0 to 1."""
        return min(self._over / self._whole, 1.0) if self._whole else 0.0

    @property
    def left(self) -> str:
        """How far the run is, with the time left."""
        percent = f"{100 * self.share:.0f} %"
        if self._run is None or self.state == "paused":
            return f"Paused at {percent}"
        if self._over <= 0:
            return "Beginning…"
        active, over = self._since
        elapsed, lacking = self._active() - active, self._whole - self._over
        # Before there is a pace, as forecast.
        seconds = lacking * self._slower.get(_sort(self._run.study), 1.0) / jobs()
        if elapsed >= PACE and self._over > over:
            seconds = elapsed * lacking / (self._over - over)
        return f"{percent}, {duration(seconds)} left"

    def forecast(self) -> str:
        """How many trainings the form asks for, and how long they will take."""
        plan = self.planned()
        if plan.study is None:
            return ""
        seconds = plan.seconds * self._slower.get(_sort(plan.study), 1.0) / jobs() + BEGINNING
        measuring = "" if self.measured else " (measuring…)"
        instead = (
            "; in place of the results that are there"
            if self.kept is not None and self.kept.study != plan.study
            else ""
        )
        return f"{count(plan.trainings, 'training')}, about {duration(seconds)}{measuring}{instead}"

    # -- the map -------------------------------------------------------------------------------------------------------

    @property
    def value(self) -> str:
        """What of the results is shown."""
        assert self.kept is not None
        values = self.kept.study.values
        return self.session.value if self.session.value in values else values[0]

    @property
    def rest(self) -> tuple[int, ...]:
        """The choice on each axis beyond the second that is shown."""
        assert self.kept is not None
        sides = [len(axis.values) for axis in self.kept.study.axes[2:]]
        chosen = (*self.session.rest, *(0,) * len(sides))[: len(sides)]
        return tuple(min(place, side - 1) for place, side in zip(chosen, sides, strict=True))

    def best(self) -> Best | None:
        """The best cell of the map; curves have none."""
        if self.kept is None or self.kept.study.kind in CURVES or len(self.kept.study.axes) < 2:
            return None
        return map_reading.best_of(self.kept, self.value, self.rest)

    def apply(self, places: Places) -> None:
        """Put the settings of a cell into the lane, and its points into the document, as one step."""
        if self.kept is None or not self.kept.study.exists(places):
            return
        study = self.kept.study
        wanted, lane = study.lane_at(study.choice(places)), self.lane
        if lane.is_difference:
            lane = Lane()
        changed = replace_classifier(lane, wanted)
        generator = study.generator_at(study.choice(places))
        step = object() if generator is not None and any(axis.name in DATA_AXES for axis in study.axes) else None
        if generator is not None and step is not None:
            self._host.dispatch(Generate(settings=generator, merge_key=step))
        where = map_reading.choice_text(study, places)
        self._host.apply(SetLane(index=self.place, lane=changed, text=f"Set {where}", merge_key=step))

    def _given(self) -> Given | None:
        assert self.kept is not None
        if not self.kept.study.digest:
            return None
        document = self._host.document
        return Given(document.training_points, document.test_points)


def _sort(study: Study) -> tuple[str, str]:
    return study.kind, study.lane.classifier


def replace_classifier(lane: Lane, wanted: Lane) -> Lane:
    """`lane` with the classifier and the settings of `wanted`."""
    return msgspec.structs.replace(lane, classifier=wanted.classifier).with_part(wanted.classifier, wanted.settings)


def digest(document: Document) -> str:
    """What names the points of `document`."""
    return _digest(document.training_points, document.test_points)


@lru_cache(maxsize=4)
def _digest(points: Points, test: Points) -> str:
    return digest_of(points, test)


def duration(seconds: float) -> str:
    """ "12 s", "3 min", "2 h"."""
    if seconds < 1.0:
        return "1 s"
    if seconds < 100:
        return span_of_time(round(seconds) if seconds < 20 else 5.0 * round(seconds / 5)).replace(".0 ", " ")
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
