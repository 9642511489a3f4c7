"""Compose the scene, as a pure function of document, session and results.

Also estimates of the training time with other numbers of points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set

import numpy as np
from msgspec.structs import replace

from app.core.caches import kept
from app.core.number_format import about
from app.core.points import MAX_CLASSES, Points
from app.engine.cover import Cover
from app.engine.frames import NO_MARKS, Frame, Marks, Phase
from app.engine.overlays import legend_kinds
from app.engine.results import Results
from app.engine.run_state import RunState, speed_of
from app.learners.base import Measured
from app.learners.perceptron_orders import of_orders
from app.state.document import NO_LIMIT, Document, Lane, problem, problems_of
from app.state.session import SPEEDS, Selection, Session
from solver.core.arrays import Indices
from solver.data import datasets

from . import text
from .compared import compared, missing
from .control_names import WINDOW_CONTROLS, hidden_fields
from .feature import FeatureTable
from .marks import PointMarks, among_all, kkt_marks, pies
from .model import SETTINGS, Context, LaneScene, Scene, TrainingTime, in_picture, run_of
from .status_badge import NO_BADGE, badge, fast_training, paused, probability, scores

#: Number of points from which training takes seconds.
LIMIT_WORTH_A_CHOICE = 2000


def compose(
    document: Document,
    session: Session,
    results: Results,
    features: FeatureTable,
    *,
    title: str = "",
    modified: bool = False,
    history: tuple[str, ...] = (),
    position: int = 0,
    saved_at: int | None = None,
    pointer: tuple[float, float] | None = None,
    came_from: Mapping[object, tuple[float, float]] | None = None,
    uncovered: bool = False,
) -> Scene:
    """Return the scene; `uncovered` includes what a lesson covers."""
    covered = {} if uncovered else features.covered(document, session)
    visible = results.without(covered)
    points, context = document.points, Context(document, session, visible, pointer=pointer, came_from=came_from or {})
    watched = features.watched(session)
    lanes = tuple(_lane(index, context, features, watched, covered) for index in range(document.shown))
    playing = [session.playing[lane.slot] for lane in lanes]
    kind = datasets.DATASETS[document.generator.name]
    own = {"shift": kind.has_shift, "n_classes": kind.n_classes[1] > 2}
    own |= dict.fromkeys(("rule", "low", "high"), kind.rule is not None)
    fields = {"count", "noise", "seed", "flipped"} | {name for name, there in own.items() if there}
    limited = len(points) > min(document.training_limit, LIMIT_WORTH_A_CHOICE)
    limited |= document.training_limit != Document().training_limit
    stacked = pies(points, document.parts)
    limits = tuple(sorted({*LIMITS, NO_LIMIT, document.training_limit}))
    return Scene(
        title=title,
        modified=modified,
        document=document,
        session=session,
        points=points,
        selected=_selected(points, session.selection),
        parts=document.parts,
        pies=stacked,
        lanes=lanes,
        shown=document.shown,
        limited=limited,
        training_times=training_times(document, results, limits) if limited else (),
        history=history,
        position=position,
        **run_of(lanes, session.selected_slot),
        shows_run="run" in watched or not all(playing),
        saved_at=saved_at,
        legend_kinds=_kinds_of(lanes, len(document.test_points), stacked) | {*["selected"][: len(session.selection)]},
        undo=session.gesture_undo or (history[position - 1] if position else None),
        redo=history[position] if position < len(history) else None,
        generator_fields=frozenset(fields),
        generator_note=kind.sentence,
        own_points=text.own_points(document),
        n_classes=_n_classes(document, session),
        features=features.added_to_scene(context, lanes),
        offer=in_picture(document, session) if session.controls is None and not covered else None,
        hidden=frozenset() if session.controls is None else frozenset(WINDOW_CONTROLS.keys() - session.controls),
    )


def follow_pointer(scene: Scene, context: Context, features: FeatureTable) -> Scene:
    """Return `scene` with the features that follow the pointer composed anew."""
    following, _ = features.by_pointer()
    found = {type(each): each for each in following.added_to_scene(context, scene.lanes)}
    return replace(scene, features=tuple(found.get(type(each), each) for each in scene.features))


def _n_classes(document: Document, session: Session) -> int:
    """Return the number of classes in the bar: all, or those in use in Simple and where names need the room."""
    names = [label + 1 for label, style in enumerate(document.styles) if style.name]
    used = [label + 1 for label, number in enumerate(document.points.counts) if number]
    few = session.simple or names
    return max(session.n_classes, session.active_class + 1, *used, *names, 2) if few else MAX_CLASSES


@kept(4)
def _selected(points: Points, selection: Selection) -> Indices:
    return points.indices_of(selection.ids).astype(np.intp)


#: Highest speed at which the eye can follow the working pair (steps/s).
SLOW = 30.0


def _steps_visible(session: Session, slot: int, run_state: RunState | None) -> bool:
    """Return whether the run of a slot is stopped, or plays slowly enough to follow each step."""
    speed = SPEEDS[session.speeds[slot]]
    if run_state is not None:
        run, factor = run_state, session.replay_factor
        speed = speed_of(session.seeks[slot], run.recording, run.length, run.ended, speed, factor)
    return speed <= SLOW or not session.playing[slot] or (run_state is not None and run_state.at_end)


def _not_default(lane: Lane, names: frozenset[str]) -> tuple[str, ...]:
    """Return words for the hidden settings that differ from their defaults."""
    default = lane.family.settings()
    applying = [field for field in lane.family.fields if not field.primary and field.name in names]
    words = tuple(word for field in applying if (word := field.word(lane.settings, default)))
    return (*words, "standardised") if lane.standardises else words


def kinds_in(drawn: Sequence[LaneScene], n_test: int, stacked: PointMarks | None) -> set[str]:
    """Return the kinds of the legend entries for pictures, except their lines: marks, ties and sheets."""
    marks = {
        kind
        for lane in drawn
        for kind in Marks.__struct_fields__
        if len(getattr(lane.marks, kind)) and (lane.run_marks is None or kind in ("wrong", "tied", "kept"))
    }
    there = {
        "tie": any(lane.picture is not None and lane.picture.tied > 0 for lane in drawn),
        "orders": any(lane.orders is not None for lane in drawn),
        "second": any(lane.lane.is_difference for lane in drawn),
        "test": n_test > 0,
        "pie3": stacked is not None,
    }
    sheets = legend_kinds([sheet for lane in drawn for sheet in lane.sheets])
    return marks | sheets | {kind for kind, is_there in there.items() if is_there}


def _kinds_of(lanes: Sequence[LaneScene], n_test: int, stacked: PointMarks | None) -> frozenset[str]:
    """Return the kinds of the legend entries of the window."""
    drawn = [lane for lane in lanes if lane.picture is not None]
    kinds = kinds_in(drawn, n_test, stacked)
    there = {
        "boundary": bool(drawn),
        "margin": any(
            lane.lane.trainer is not None and lane.lane.trainer.has_margins and not lane.probability for lane in drawn
        ),
        "probability": any(lane.probability for lane in drawn),
        text.PROVISIONAL[0]: any(lane.provisional for lane in lanes),
    }
    if any(lane.run_marks is not None for lane in drawn):
        kinds |= dict(text.KKT_LEGEND).keys()
    return frozenset(kinds | {kind for kind, is_there in there.items() if is_there})


def _lane(
    index: int, context: Context, features: FeatureTable, watched: Set[str], covered: Mapping[int, Cover]
) -> LaneScene:
    document, session, results = context.document, context.session, context.results
    lane, points, slot = document.lanes[index], document.points, document.slots[index]
    training, frame = document.training_points, results.frame(slot)
    names = document.class_names
    message = text.empty_sentence(lane, training.classes, len(training), names, len(document.test_points))
    cover = covered.get(slot, Cover.NOTHING)
    if without := missing(document, results) if lane.is_difference and not cover else "":
        message, frame = without if len(training) else message, None
    picture, marks, run_marks, job, run_state, orders = None, NO_MARKS, None, 0, None, None
    pairs = problems_of(training.classes, lane.multiclass) if lane.has_f and len(training.classes) > 2 else ()
    if frame is not None:
        job = frame.job
        if frame.phase is Phase.FAILED:
            message = message or frame.message
        elif frame.phase is not Phase.EMPTY and not text.waits_for_a_class(lane, training.classes) and len(training):
            message = ""
            picture = frame.picture
            if text.is_all_tied(frame):
                message = frame.lane.family.all_tied(frame.lane.settings)
        # Marks are indices, valid only for the points they were computed for.
        if frame.points is training and picture is not None:
            if session.marks:
                marks = among_all(frame.marks, frame.points, points, features.other_marks(context, index))
            run_state, orders = frame.run_state, frame.orders
        if run_state is not None and "cases" in watched and session.marks:
            run_marks = kkt_marks(run_state, points)
    speed, slow = session.speeds[slot], _steps_visible(session, slot, run_state)
    followed = session.has_timeline(slot) or "last pair" in watched
    headline = text.COVERED if Cover.PAINT in cover else text.headline(frame, lane)
    if without:
        headline = text.waiting(training) or "Nothing to compare"
    sampled = text.sampled(frame, document.parts.n_trainable, document.training_limit)
    whole = fast_training(frame, document.parts.n_trainable)
    applying = fields_of(lane, training.classes, session.simple, session.controls)
    hidden = _hidden_parts(lane, applying, session.controls)
    return LaneScene(
        lane=lane,
        slot=slot,
        picture=picture,
        marks=marks,
        run_marks=run_marks,
        job=job,
        message=message,
        headline=headline + sampled + "".join(f" · {each.text}" for each in whole),
        details=text.more_settings(lane) if session.simple else text.details(frame),
        scores=(
            *paused(frame, followed),
            *scores(frame),
            *whole,
            *probability(frame),
            *features.status(context, index),
        ),
        formula=lane.formula,
        note=lane.remark,
        fields=applying,
        n_training=len(training),
        pairs=pairs,
        pair_names=tuple(problem(*pair, names) for pair in pairs),
        pair=lane.drawn(pairs),
        speed=speed,
        speed_text=text.speed(SPEEDS[speed]),
        run_state=run_state,
        shows_pair=run_state is not None
        and ("last pair" in watched if run_state.at_end else slow or "pair" in watched),
        steps_visible=slow,
        playing=session.playing[slot] and not (run_state is not None and run_state.at_end),
        badge=badge(frame) if picture is not None else NO_BADGE,
        orders=orders,
        remark=sampled + ("" if orders is None or Cover.TRAINING in cover else f" · {of_orders(orders)}"),
        probability=picture is not None and frame is not None and frame.shows_probability,
        provisional=frame is not None and picture is not None and frame.provisional,
        sheets=features.sheets(context, index),
        title=_title(lane, document),
        selected=index == session.selected_lane(document),
        settings_open=SETTINGS in session.open_panels and index == session.selected_lane(document),
        simple=session.simple,
        not_default=_not_default(lane, fields_of(lane, training.classes, shown=session.controls)),
        watched=lane.trainer is not None and "playback" not in hidden and followed,
        features=features.added_to_lane(context, index),
        hidden=hidden,
        no_steps=text.NO_STEPS if lane.trains_fast(len(training)) else "",
        replay_factor=session.replay_factor,
        cover=cover,
    )


def _title(lane: Lane, document: Document) -> str:
    indices = compared(document) if lane.is_difference else None
    return lane.title if indices is None else f"Difference of {indices[0] + 1} and {indices[1] + 1}"


def fields_of(
    lane: Lane, classes: Sequence[int], simple: bool = False, shown: Set[str] | None = None
) -> frozenset[str]:
    """Return the names of the fields that apply to a lane's settings and the points' classes, within `shown`."""
    settings = lane.settings
    offered = [field for field in lane.family.fields if field.simple or not simple or shown is not None]
    own = (field.parts(classes) for field in offered if field.shown(settings, classes))
    of_training = {"speed"} if lane.trainer is not None else set()
    if not lane.is_difference:
        of_training.add("standardise")
    if lane.has_f and len(classes) > 2:
        of_training.add("pair")
    if lane.family.has_probability and (shown is not None or not simple):
        of_training.add("shading")
    applying = frozenset(of_training.union(*own))
    return applying if shown is None else applying - hidden_fields(applying, shown)


def _hidden_parts(lane: Lane, fields: Set[str], shown: Set[str] | None) -> frozenset[str]:
    """Return the hidden parts of a lane's row other than fields; an empty form is hidden, too."""
    if shown is None:
        return frozenset()
    primary = [field for field in lane.family.fields if field.primary]
    in_row = {field.name for field in primary} | {field.end for field in primary}  # the end of a slider is on it
    return frozenset(WINDOW_CONTROLS.keys() - shown) | (frozenset() if fields - in_row else frozenset({"settings"}))


#: Choices for the largest number of training points.
LIMITS = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)


def training_times(document: Document, results: Results, limits: tuple[int, ...]) -> tuple[TrainingTime, ...]:
    """Return estimates for each of `limits`, from measured times and a model of the cost."""
    parts, lanes = document.parts, document.lanes[: document.shown]
    frames = [results.frame(slot) for slot in document.slots[: document.shown]]
    known = [
        measured(frame) if frame is not None and frame.lane == lane and frame.points is parts.training else None
        for lane, frame in zip(lanes, frames, strict=True)
    ]
    found = []
    for limit in limits:
        n = min(limit, parts.n_trainable)
        lines, total, missing = [], 0.0, False
        for number, (lane, each) in enumerate(zip(lanes, known, strict=True), 1):
            if lane.is_difference:
                continue
            extent, n_classes = lane.inputs(parts.training).extent, len(parts.training.classes)
            seconds = lane.family.estimate(lane.settings, n, extent, each, n_classes)
            missing |= math.isnan(seconds)
            total += 0.0 if math.isnan(seconds) else seconds
            lines.append(f"{number} {lane.family.short}: {'not known yet' if math.isnan(seconds) else about(seconds)}")
        words = about(total) if total else ""
        found.append(TrainingTime(limit, f"{words} and more" if missing and words else words, "\n".join(lines)))
    return tuple(found)


def measured(frame: Frame) -> Measured | None:
    """Return the measured time of a frame's training, if it has ended."""
    if frame.phase is not Phase.DONE or not len(frame.points):
        return None
    n, model = len(frame.points), frame.model
    share = len(model.expansion.support) / n if model is not None and model.kind == "f" else math.nan
    return Measured(n, frame.seconds, share)
