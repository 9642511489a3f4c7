"""Scene: everything the views draw, as a pure function of document, session and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.engine.overlays import Sheet, signs_of
from app.engine.requests import NO_MARKS, Marks, Phase, Picture
from app.engine.results import Results
from app.engine.run_state import RunState
from app.features.difference import scene
from app.features.difference.scene import DifferenceScene, Wipe, compared, difference_scene, wiped
from app.features.evaluation.scene import Evaluation, evaluation_of, wrong_test_points
from app.features.ground_truth.scene import GroundTruthScene, truth_scene
from app.features.overlays import sheets_of
from app.features.probe.scene import Probe, probe_of
from app.features.validation_curves.scene import ValidationCurve, strip_fields, strips_of
from app.features.what_if.text import LaneWhatIf, lane_what_if
from app.learners.perceptron import of_orders
from app.learners.perceptron_orders import Orders
from app.state.document import ClassStyle, Document, GeneratorSettings, Lane, View, problems_of
from app.state.points import MAX_CLASSES, Points
from app.state.session import SPEEDS, Selection, Session
from app.state.test_split import Parts
from solver import Grid
from solver.data import datasets

from . import text
from .marks import among_all
from .status_badge import NO_BADGE, Badge, badge

#: From so many points on, training takes seconds.
LIMIT_WORTH_A_CHOICE = 2000


@dataclass(frozen=True)
class LaneScene:
    """What one lane shows.

    Attributes
    ----------
    lane : Lane
    slot : int
        Its lifelong number.
    picture : Picture or None
    marks : Marks
        Empty while the newest frame belongs to other points than are drawn.
    job : int
        Number of the job whose picture this is.
    message : str
        A sentence across the canvas, or "".
    headline, details : str
        The status strip.
    formula, note, weight_formula : str
    fields : frozenset of str
        Names of the parameter fields that apply.
    pairs : tuple of (int, int)
        With more than two classes, the binary problems whose margins can be drawn, as `problems_of` has them.
    pair_names : tuple of str
        What they are called.
    pair : int
        Which of `pairs` is drawn.
    speed : int
        Index into `SPEEDS`.
    run_state : RunState or None
        The run that the transport drives, on the points that are drawn.
    playing : bool
        The run moves, or would if it were not at its end.
    shows_pair : bool
        The pair that moves stands out in the picture.
    steps_seen : bool
        The run rests, or goes so slowly that each step can be seen.
    orders : Orders or None
        A perceptron's lines from other orders of the points.
    badge : Badge
        What is certified.
    remark : str
        What is to be said beside the badge, or "".
    provisional : bool
        The picture is not certified, and looks so.
    sheets : tuple of Sheet
        What lies between surface and points.
    strips : tuple of ValidationCurve
        Of each slider whose whole range can be tried.
    what_if : LaneWhatIf or None
        What the last edit changed, while somebody looks.
    wipe : Wipe or None
        Another lane's picture over part of this one's.
    title : str
        The classifier in a few words, for where its settings are folded away.
    folded : bool
    """

    lane: Lane
    slot: int
    picture: Picture | None
    marks: Marks
    job: int
    message: str
    headline: str
    details: str
    formula: str
    note: str
    weight_formula: str
    fields: frozenset[str]
    pairs: tuple[tuple[int, int], ...]
    pair_names: tuple[str, ...]
    pair: int
    speed: int
    speed_text: str
    run_state: RunState | None
    playing: bool
    shows_pair: bool
    steps_seen: bool
    orders: Orders | None
    badge: Badge
    remark: str
    provisional: bool
    sheets: tuple[Sheet, ...]
    strips: tuple[ValidationCurve, ...]
    what_if: LaneWhatIf | None
    title: str
    folded: bool
    wipe: Wipe | None = None


@dataclass(frozen=True)
class Scene:
    """What the window shows.

    Attributes
    ----------
    title : str
    modified : bool
    session : Session
        Tool, options, keyboard cursor and outline.
    points : Points
    xy, labels : ndarray
    selected : ndarray of intp
        Indices of the selected points.
    parts : Parts
        Which points are trained on, and which are kept back.
    evaluation : Evaluation or None
        What models do on test points, while somebody looks.
    view : View
    lanes : tuple of LaneScene
        Those on screen; `shown` of them.
    counts : tuple of int
        Points of each class.
    class_names : tuple of str
        What the classes are called, all eight.
    styles, axes, notes
        As in the document.
    run_state : RunState or None
        What the panels about training show.
    studying : bool
        Runs are being looked into: a point under the pointer tells what it is to them.
    studied : int
        The lane it is of.
    limited : bool
        There are so many points that the limit of training is worth a choice.
    signs : frozenset of str
        Kinds of signs that the legend explains.
    truth : GroundTruthScene
        What is known of the generator's law and of resampled points.
    history : tuple of str
        All steps, the undone ones included; `position` of them are done.
    compare : DifferenceScene or None
        Where two lanes differ, when its panel is in sight.
    saved_at : int or None
        The position that stands in the file.
    probe : Probe
        Why a place gets its class, in each lane; and where the pointer is.
    """

    title: str
    modified: bool
    session: Session
    points: Points
    xy: NDArray[np.float64]
    labels: NDArray[np.uint8]
    selected: NDArray[np.intp]
    parts: Parts
    evaluation: Evaluation | None
    view: View
    lanes: tuple[LaneScene, ...]
    shown: int
    active_class: int
    counts: tuple[int, ...]
    class_names: tuple[str, ...]
    styles: tuple[ClassStyle, ...]
    axes: tuple[str, str]
    notes: str
    training_limit: int
    limited: bool
    run_state: RunState | None
    studying: bool
    studied: int
    history: tuple[str, ...]
    position: int
    saved_at: int | None
    legend: bool
    signs: frozenset[str]
    truth: GroundTruthScene
    undo: str | None
    redo: str | None
    paused: bool
    generator: GeneratorSettings
    generator_fields: frozenset[str]
    generator_note: str
    theme: str
    dark: bool
    probe: Probe
    compare: DifferenceScene | None = None

    @property
    def switches(self) -> dict[str, bool]:
        """The actions that are on or off, by name."""
        session = self.session
        return {
            "lanes": self.shown > 1,
            "legend": self.legend,
            "pause": self.paused,
            "kkt": session.kkt,
            "differing": session.differing,
            "wipe": any(lane.wipe is not None for lane in self.lanes),
            "ideal": session.ideal,
            "haze": session.bootstrap,
            "strips": session.strips,
            "pin": self.probe.pinned,
            "arm_whatif": session.armed,
        }


def compose(
    document: Document,
    session: Session,
    results: Results,
    *,
    title: str,
    modified: bool,
    history: tuple[str, ...],
    position: int,
    compiled: bool,
    saved_at: int | None = None,
) -> Scene:
    """The scene of this moment."""
    points = document.points
    lanes = tuple(_lane(index, document, session, results, compiled) for index in range(document.shown))
    wipe = wiped(lanes, document, session)
    if wipe is not None:
        lanes = tuple(replace(lane, wipe=wipe) if at == wipe.places[0] else lane for at, lane in enumerate(lanes))
    playing = [session.playing[lane.slot] for lane in lanes]
    studied = _studied(session, lanes)
    kind = datasets.DATASETS[document.generator.name]
    fields = {"count", "noise", "seed"} | _generator_fields(kind)
    return Scene(
        title=title,
        modified=modified,
        session=session,
        points=points,
        xy=points.xy,
        labels=points.labels,
        selected=_selected(points, session.selection),
        parts=document.parts,
        evaluation=evaluation_of(document, session, results, compiled),
        view=document.view,
        lanes=lanes,
        shown=document.shown,
        active_class=session.active_class,
        counts=points.counts,
        class_names=tuple(document.class_name(label) for label in range(MAX_CLASSES)),
        styles=document.styles,
        axes=document.axes,
        notes=document.notes,
        training_limit=document.training_limit,
        limited=len(points) > min(document.training_limit, LIMIT_WORTH_A_CHOICE),
        history=history,
        position=position,
        run_state=lanes[studied].run_state,
        studied=studied,
        studying=session.kkt or bool(session.open_panels & RUN_PANELS) or not all(playing),
        saved_at=saved_at,
        legend=session.legend,
        signs=_signs(session, lanes, len(document.test_points)),
        truth=truth_scene(document, session, results),
        undo=history[position - 1] if position else None,
        redo=history[position] if position < len(history) else None,
        paused=not any(playing),
        generator=document.generator,
        generator_fields=frozenset(fields),
        generator_note=kind.sentence,
        theme=session.theme,
        dark=session.dark,
        probe=probe_of(document, session, results, lanes),
        compare=difference_scene(document, results) if scene.NAME in session.open_panels else None,
    )


@lru_cache(maxsize=4)
def _selected(points: Points, selection: Selection) -> NDArray[np.intp]:
    return points.indices_of(selection.ids).astype(np.intp)


#: Panels that show a run; with one of them in sight the pictures show more of it, too.
RUN_PANELS = frozenset({"step", "curves", "alphas", "loss"})
#: Steps per second up to which the eye can follow the working pair.
SLOW = 30.0


def _shows_pair(session: Session, slot: int, run_state: RunState) -> bool:
    """Whether somebody is watching single steps: then the working pair stands out."""
    if run_state.at_end:
        return "step" in session.open_panels
    slow = SPEEDS[session.speeds[slot]] <= SLOW or not session.playing[slot]
    return slow or session.kkt or "step" in session.open_panels


def _signs(session: Session, lanes: Sequence[LaneScene], n_test: int) -> frozenset[str]:
    """Kinds of the legend's entries that the pictures have."""
    trainers = [lane.lane.trainer for lane in lanes if lane.lane.trainer is not None]
    signs = {"boundary", "wrong", "tie"} | ({"test"} if n_test else set())
    if any(trainer.has_margins for trainer in trainers):
        signs.add("margin")
    if any(trainer.has_multipliers for trainer in trainers):
        signs |= {kind for kind, _ in text.KKT_LEGEND} if session.kkt else {"free", "bounded"}
    if any(lane.provisional for lane in lanes):
        signs.add(text.PROVISIONAL[0])
    signs |= signs_of([sheet for lane in lanes for sheet in lane.sheets])
    return frozenset(signs)


def _studied(session: Session, lanes: Sequence[LaneScene]) -> int:
    """The lane whose run is looked at: the one chosen, else the first that has one."""
    ways = sorted(range(len(lanes)), key=lambda index: lanes[index].slot != session.studied)
    return next((index for index in ways if lanes[index].run_state is not None), 0)


def _lane(index: int, document: Document, session: Session, results: Results, compiled: bool) -> LaneScene:
    lane, points, slot = document.lanes[index], document.points, document.slots[index]
    training, frame = document.training_points, results.frame(slot)
    names = tuple(document.class_name(label) for label in range(MAX_CLASSES))
    message = text.empty_sentence(lane, training.classes, len(training), compiled, names, len(document.test_points))
    if lane.is_difference and (without := scene.missing(document, results)):
        message, frame = without, None
    picture, marks, job, run_state, orders = None, NO_MARKS, 0, None, None
    several = lane.trainer is not None and len(training.classes) > 2
    pairs = problems_of(training.classes, lane.multiclass) if several else ()
    if frame is not None:
        job = frame.job
        if frame.phase is Phase.FAILED:
            message = message or frame.message
        elif frame.phase is not Phase.EMPTY and not text.waits_for_a_class(lane, training.classes) and len(training):
            message = ""
            picture = frame.picture
        # Marks are indices: they mean something on the points they were computed for only.
        if frame.points is training and picture is not None:
            marks = among_all(frame.marks, frame.points, points, wrong_test_points(document, results, slot))
            run_state, orders = frame.run_state, frame.orders
    speed = session.speeds[slot]
    headline = text.headline(frame, lane, compiled)
    sampled = text.sampled(frame, document.parts.n_trainable, document.training_limit)
    return LaneScene(
        lane=lane,
        slot=slot,
        picture=picture,
        marks=marks,
        job=job,
        message=message,
        headline=headline + sampled,
        details=text.details(frame),
        formula=lane.family.formula(lane),
        note=lane.family.remark(lane),
        weight_formula=text.class_weight_formula(lane),
        fields=fields_of(lane, training.classes) | strip_fields(session, lane),
        pairs=pairs,
        pair_names=tuple(text.problem(*pair, names) for pair in pairs),
        pair=lane.drawn(pairs),
        speed=speed,
        speed_text=text.speed(SPEEDS[speed]),
        run_state=run_state,
        shows_pair=run_state is not None and _shows_pair(session, slot, run_state),
        steps_seen=not session.playing[slot] or SPEEDS[speed] <= SLOW or (run_state is not None and run_state.at_end),
        playing=session.playing[slot] and not (run_state is not None and run_state.at_end),
        badge=badge(frame) if picture is not None else NO_BADGE,
        orders=orders,
        remark=sampled + ("" if orders is None else f" · {of_orders(orders)}"),
        provisional=frame is not None and picture is not None and frame.provisional,
        sheets=sheets_of(document, session, results, index),
        strips=strips_of(document, session, results, index),
        what_if=lane_what_if(document, session, results, index),
        title=_title(lane, document),
        folded=_folded(document, session, index),
    )


def _folded(document: Document, session: Session, index: int) -> bool:
    """Whether a lane's settings are folded away: of more than two lanes one is open at most, and none unasked."""
    folds = [session.folds[slot] for slot in document.slots[: document.shown]]
    if document.shown <= 2:
        return bool(folds[index])
    return False not in folds or index != folds.index(False)


def _title(lane: Lane, document: Document) -> str:
    places = compared(document) if lane.is_difference else None
    return lane.title if places is None else f"Difference of {places[0] + 1} and {places[1] + 1}"


def fields_of(lane: Lane, classes: Sequence[int]) -> frozenset[str]:
    """The parameter fields that apply to a lane's settings and the classes of the points."""
    trainer = lane.trainer
    if lane.classifier == "knn":
        return frozenset({"k", "weights", "metric"} | ({"p"} if lane.knn.metric == "minkowski" else set()))
    if trainer is None:
        return frozenset()
    fields = {"speed", *trainer.fields}
    if len(classes) > 2:
        fields.add("pair")
    if lane.classifier == "svm":
        fields |= {"kernel", "C", "tol", "trainer", "class_weight", *lane.svm.as_kernel().kind.parameters}
        if len(classes) > 2:
            fields.add("multiclass")
        if lane.svm.class_weight == "own":
            fields |= {"weights_of_classes"} | {f"weight{c + 1}" for c in classes}
    return frozenset(fields)


def _generator_fields(kind: datasets.Dataset) -> set[str]:
    fields = set()
    if kind.has_shift:
        fields.add("shift")
    if kind.n_classes[1] > 2:
        fields.add("n_classes")
    return fields


def grid_of(view: View, width: int, height: int, pixels_per_unit: float = 1.0) -> Grid:
    """The part of the plane that a canvas of `width` x `height` shows, in device pixels: both axes equally scaled."""
    unit = view.shown_span / min(width, height)
    half_w, half_h = 0.5 * unit * width, 0.5 * unit * height
    return Grid(
        view.x - half_w,
        view.x + half_w,
        view.y - half_h,
        view.y + half_h,
        max(1, round(width * pixels_per_unit)),
        max(1, round(height * pixels_per_unit)),
    )
