"""StudyController: plan and compute a study, keep it with the document, and put a cell into a lane.  No Qt."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from app.controllers.host import Host
from app.core.caches import kept
from app.core.number_format import about, count, grouped
from app.files.documents import FileError
from app.state.commands import Attach, Generate, SetLane
from app.state.document import Lane

from . import map_reading
from .cells import CellIndex, digest_of, numerics_of
from .computing import Given
from .map_reading import Best
from .model import DATA_AXES, Study
from .planning import AxisPlan, Planned, StudyPlan, StudySession, axis_plan, lane_of, plan_of, planned, titles
from .results import NAME, StudyResults
from .running import State, jobs
from .timing import BEGINNING, ENOUGH, StudyRun, Trial

#: ``aside(work, done)``: call ``done(work())``, with `work` on another thread.
Aside = Callable[[Callable[[], bytes], Callable[[bytes], None]], None]
#: Interval (s) at which the results are put into the document while more are computed.
KEEP = 5.0
#: Kinds of studies that are drawn as curves.
CURVES = ("learning-curve", "rules")
OUTDATED = "These results are of other points: run again."
EARLIER = "These results are of an earlier version, which counted ties and dealt folds differently: run again."
#: Hash that names the points of a document, and its test points; cached.
digest = kept(4)(digest_of)


class StudyController:
    """Own the displayed results, and the run that adds to them.

    Parameters
    ----------
    host : Host

    Attributes
    ----------
    kept : StudyResults or None
        The results of the document.
    failure : str
        Why there are no results, or why the run ended, in a sentence; "" if neither.
    changes : int
        Changes whenever the results do.
    aside : callable
        Calls a function and passes its result on; with a window, on another thread.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self.kept: StudyResults | None = None
        self.failure = ""
        self.changes = 0
        self.aside: Aside = lambda work, done: done(work())
        #: The document whose results are displayed, and what it keeps of them.
        self._shown = host.store.resets, b""
        self._put = 0.0
        self._run: StudyRun | None = None
        self._trial: Trial | None = None
        self._planned: tuple[tuple[object, ...], Planned] = (), Planned()
        #: Measured factor by which this machine is slower than the model of costs.
        self._slower: dict[Study, float] = {}
        self.load()

    # -- the results ------------------------------------------------------------------------------------------------

    @property
    def session(self) -> StudySession:
        """The user's choices for studies."""
        return self._host.session.of(StudySession)

    def load(self) -> None:
        """Load the results of the document if it, or what it keeps, has changed."""
        shown = self._host.store.resets, dict(self._host.document.attached).get(NAME, b"")
        if shown != self._shown:
            self._display(None)
            self._shown = shown
            try:
                self.kept = StudyResults.decode(shown[1]) if shown[1] else None
            except FileError as error:
                self.failure = str(error)

    @property
    def missing(self) -> int:
        """Number of missing results."""
        return 0 if self.kept is None else int(self.kept.lacking.sum())

    @property
    def why_outdated(self) -> str:
        """Why the results do not belong to the present document or program, in a sentence; or ""."""
        if self.kept is None:
            return ""
        if self.kept.study.digest not in ("", self._digest):
            return OUTDATED
        return "" if self.kept.numerics == numerics_of(self.kept.study) else EARLIER

    @property
    def _digest(self) -> str:
        return digest(self._host.document.training_points, self._host.document.test_points)

    @property
    def lane_index(self) -> int:
        """Index of the studied lane: the chosen one, else one of the results' classifier, else the selected one."""
        document = self._host.document
        slots, lanes = document.slots[: document.shown], document.lanes[: document.shown]
        if self.session.slot in slots:
            return slots.index(self.session.slot)
        wanted = None if self.kept is None else self.kept.study.lane.classifier
        first = self._host.session.selected_lane(document)
        ranks = [(lane.classifier != wanted, lane.is_difference, index != first) for index, lane in enumerate(lanes)]
        return ranks.index(min(ranks)) if ranks else 0

    @property
    def lane(self) -> Lane:
        """The studied lane."""
        return self._host.document.lanes[self.lane_index]

    @property
    def other(self) -> Lane | None:
        """The first other classifier on screen."""
        document = self._host.document
        lanes = (lane for index, lane in enumerate(document.lanes[: document.shown]) if index != self.lane_index)
        return next((lane for lane in lanes if not lane.is_difference), None)

    @property
    def plan(self) -> StudyPlan:
        """The contents of the form."""
        return self.session.plan or plan_of("grid", self.lane, self._host.document)

    def planned(self) -> Planned:
        """Return the study of the form, or its faults; the same object while nothing has changed."""
        document = self._host.document
        other = self.other if self.plan.value == "disagreement" else None
        key = (self.plan, self.lane, other, document.training_points, document.test_points, document.generator)
        if key != self._planned[0]:
            self._planned = key, planned(self.plan, self.lane, document, other)
        return self._planned[1]

    # -- the form ------------------------------------------------------------------------------------------------------

    def choose(self, **changes: Any) -> None:
        """Change the plan, which from now on is of this lane, whichever is selected."""
        slot = self._host.document.slots[self.lane_index]
        self._host.change(StudySession, plan=replace(self.plan, **changes), slot=slot)

    def choose_kind(self, kind: str) -> None:
        """Begin the plan of another kind of study."""
        self.choose(**asdict(plan_of(kind, self.lane, self._host.document)))

    def choose_data(self, generated: bool) -> None:
        """Choose points of the generator, or those of the document, of which only n can be varied."""
        plan, lane = self.plan, lane_of(self.plan, self.lane)
        known = titles(lane, generated)
        axes = [axis if axis.name in known else self.axis_plan(next(iter(known)), generated) for axis in plan.axes]
        axes = [self.axis_plan("n", generated) if axis.name == "n" else axis for axis in axes]
        self.choose(generated=generated, axes=tuple(axes), folds="0" if generated else "5")

    def axis_plan(self, name: str, generated: bool | None = None) -> AxisPlan:
        """Return an axis with its proposed range."""
        wanted = self.plan.generated if generated is None else generated
        return axis_plan(name, lane_of(self.plan, self.lane), self._host.document, wanted)

    def choose_lane(self, slot: int) -> None:
        """Study the lane in `slot`, whose classifier may have other parameters."""
        before = self.lane.classifier
        self._host.change(StudySession, slot=slot)
        if self.lane.classifier != before and not self.plan.further:
            self.choose_kind(self.plan.kind)

    def set_display(self, **changes: Any) -> None:
        """Change which results are displayed, and how."""
        self._host.change(StudySession, **changes)

    # -- running -------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Compute the study of the form in place of the present results; for the same study, only what is missing."""
        study = self.planned().study
        if study is None:
            return
        if self.kept is None or self.kept.study != study or self.why_outdated:
            self.set_display(value="", rest=(), midpoint=None, level=None)
            self._compute(StudyResults(study))
        else:
            self._compute(self.kept if self.missing else StudyResults(study))

    def remedy(self) -> tuple[str, str, Callable[[], StudyResults] | None]:
        """Return what is wrong with the results in a sentence, the text of the button that remedies it, and a function
        that returns the results to be computed then.
        """
        kept, why = self.kept, self.why_outdated
        if kept is not None and why:
            mark = self._digest if kept.study.digest else ""
            return why, "&Run again", lambda: StudyResults(msgspec.structs.replace(kept.study, digest=mark))
        if kept is None or self.state != "ended":
            return self.failure, "", None
        if missing := self.missing:
            there = f"{grouped(kept.done)} of {grouped(kept.done + missing)} results are there."
            return f"{self.failure} {there}".strip(), "&Go on", lambda: kept
        best = self.best()
        if best is None or best.axis < 0:
            return self.failure, "", None
        title = map_reading.axis_title(kept.study, best.axis)
        wider = f"The best is at the edge of {title}: extend."
        return wider, "&Extend", lambda: kept.grown(map_reading.extended(kept.study, best))

    def mend(self) -> None:
        """Do what the button of the `remedy` offers."""
        results = self.remedy()[2]
        if results is not None and self.state == "ended":
            self._compute(results())

    def _compute(self, kept: StudyResults) -> None:
        self.take(kept)
        if self.missing:
            document = self._host.document
            given = Given(document.training_points, document.test_points) if kept.study.digest else None
            self._run = StudyRun(kept, given)

    def pause(self) -> None:
        """Pause or resume the run."""
        if self._run is not None:
            self._run.run.pause(self.state == "running")
            if self.state == "paused":
                self.collect()
                self._keep()

    def cancel(self) -> None:
        """Stop the run; the results so far are kept, and the `remedy` computes the rest."""
        if self._run is not None:
            self._run.run.cancel()
            self.collect()

    def close(self) -> None:
        """Stop the run without a message, because the window or the document is closed."""
        if self._run is not None:
            self._run.run.cancel()
            self._run = None
        if self._trial is not None:
            self._trial.end()
            self._trial = None  # it keeps the points of its document

    def measure(self) -> bool:
        """Measure the duration of the planned study on some of its cells; return True while that continues."""
        plan = self.planned()
        if self._trial is not None and (self._run is not None or self._trial.study != plan.study):
            self._trial.end()
        if self._run is not None or plan.study is None:
            return False
        if self._trial is None or self._trial.study != plan.study:
            self._trial = Trial(plan.study, plan.given)
        self._trial.collect()
        if self._trial.ended and self._trial.factor > 0:
            self._slower[plan.study] = self._trial.factor
        return not self._trial.ended

    @property
    def measured(self) -> bool:
        """True once the duration of the planned study has been measured."""
        return self._trial is not None and self._trial.ended and self._trial.study == self.planned().study

    def collect(self) -> bool:
        """Take new results from the run; return True if there were any."""
        self.load()  # another document may have come since
        run = self._run
        if run is None or self.kept is None:
            return False
        ended = run.run.state == "ended"
        found = run.take()
        for record in found:
            self.kept.add(record)
        if ended:
            if run.cost > 0 and run.took > ENOUGH:
                self._slower[run.study] = run.factor
            self.failure, self._run = run.run.failure, None
            self._keep()
        elif time.monotonic() - self._put > KEEP:
            self._keep_aside()
        new = ended or bool(found)
        self.changes += new
        return new

    def _keep(self) -> None:
        """Put the results into the document."""
        if self.kept is not None:
            self._attach(self.kept.encode())

    def _keep_aside(self) -> None:
        """Put the results of a continuing run into the document, encoded on another thread."""
        kept, shown, self._put = self.kept, self._shown, time.monotonic()
        if kept is None:
            return

        def done(data: bytes) -> None:
            # By now there may be newer results, or another study or document.
            self.load()
            if self.kept is kept and self._shown is shown:
                self._attach(data)

        self.aside(kept.copy().encode, done)

    def _attach(self, data: bytes) -> None:
        self._put, self._shown = time.monotonic(), (self._host.store.resets, data)
        self._host.apply(Attach(part=NAME, data=data))

    def take(self, kept: StudyResults) -> None:
        """Display these results, and keep them with the document."""
        self._display(kept)
        self._keep()

    def _display(self, kept: StudyResults | None) -> None:
        """Display these results in place of others; stop computing those."""
        self.close()
        self.kept, self.failure = kept, ""
        self.changes += 1

    @property
    def state(self) -> State:
        """State of the run; an ended run counts as running until it is collected."""
        return "ended" if self._run is None else "paused" if self._run.run.state == "paused" else "running"

    @property
    def share(self) -> float:
        """Share of the run that is done, from 0 to 1."""
        return 0.0 if self._run is None else self._run.share

    @property
    def left(self) -> str:
        """Progress of the run, with the time left."""
        return "" if self._run is None else self._run.left(self._slower.get(self._run.study, self._run.factor))

    def forecast(self) -> str:
        """Return the number of trainings of the planned study and their duration."""
        plan = self.planned()
        if plan.study is None:
            return "Not ready: see the sentences below."
        slower = self._slower.get(plan.study)
        takes = "duration not known yet"
        if slower is not None:
            beginning = BEGINNING if self._trial is None else self._trial.beginning
            takes = about(plan.seconds * slower / jobs() + beginning)
        measuring = "" if self.measured else " (measuring…)"
        others = self.kept is not None and self.kept.study != plan.study
        instead = "; replaces the present results" if others else ""
        return f"{count(plan.trainings, 'training')}, {takes}{measuring}{instead}"

    # -- the map -------------------------------------------------------------------------------------------------------

    @property
    def value(self) -> str:
        """Measure that is displayed."""
        assert self.kept is not None
        values = self.kept.study.values
        return self.session.value if self.session.value in values else values[0]

    @property
    def rest(self) -> tuple[int, ...]:
        """Displayed index on each axis beyond the second."""
        assert self.kept is not None
        sides = [len(axis.values) for axis in self.kept.study.axes[2:]]
        chosen = (*self.session.rest, *(0,) * len(sides))[: len(sides)]
        return tuple(min(index, side - 1) for index, side in zip(chosen, sides, strict=True))

    def best(self) -> Best | None:
        """Return the best cell of the map; None for curves."""
        if self.kept is None or self.kept.study.kind in CURVES or len(self.kept.study.axes) < 2:
            return None
        return map_reading.best_of(self.kept, self.value, self.rest)

    def apply(self, cell: CellIndex) -> None:
        """Put the settings of a cell into the lane, and its points into the document, in one undo step."""
        if self.kept is None or not self.kept.defined[cell]:
            return
        study, lane = self.kept.study, Lane() if self.lane.is_difference else self.lane
        wanted, generator = study.lane_at(study.choice(cell)), study.generator_at(study.choice(cell))
        changed = msgspec.structs.replace(lane, classifier=wanted.classifier, standardise=wanted.standardise)
        changed = changed.with_part(wanted.classifier, wanted.settings)
        step = None
        if generator is not None and any(axis.name in DATA_AXES for axis in study.axes):
            step = object()
            self._host.dispatch(Generate(settings=generator, merge_key=step))
        where = map_reading.choice_text(study, cell)
        self._host.apply(SetLane(index=self.lane_index, lane=changed, text=f"Set {where}", merge_key=step))
