"""Probe: why a place of the plane gets its class, in every lane: values and sentences for panel and pictures; no Qt.

Every number is the model's own: the vote neighbour by neighbour, or f term by term, at the place itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from app.core.number_format import percent
from app.engine.query import LaneQuestion, Query
from app.engine.requests import Frame, Phase
from app.engine.surface_values import problem_of, shown_pair
from app.learners.model import Model, SharesModel, remote
from app.scene.context import Context
from app.scene.model import LaneScene
from app.state.document import Document, Lane, problem
from app.state.session import FeatureSession, Session
from solver import REST, KNeighborsClassifier
from solver.core.arrays import Array, Indices, Mask
from solver.core.binary_reduction import PairClassifier
from solver.core.multiclass import votes as duels_won
from solver.core.scaler import Scaler
from solver.inspection.decision_terms import Terms, terms_at
from solver.knn.vote import Vote

from . import text as words
from .query import BoundaryFacts, BoundaryQuery, ProbeQuery
from .tables import Neighbours, Probabilities, Problems, Summands, Table, Votes, Who

Place = tuple[float, float]
#: Lines that a picture shows at most: to the nearest neighbours, and to the support vectors with the largest terms.
MOST_LINES, MOST_TERMS = 60, 12
#: A term below this share of the largest has no line.
LEAST_TERM = 0.02
#: From so many kernel values on a probe takes more than about 5 ms, and is worked out in the background.
HEAVY = 40_000


class Ball(Struct, frozen=True):
    """All locations as near to the probed one as the k-th neighbour, where distances are those of the model.

    Attributes
    ----------
    metric : str
    p, radius : float
    scaler : Scaler or None
        What locations are transformed by first.
    """

    metric: str
    p: float
    radius: float
    scaler: Scaler | None = None


class Sketch(Struct, frozen=True, eq=False):
    """What a picture shows of a probe, in the plane.

    Attributes
    ----------
    ends : ndarray of shape (m, 2)
        Points that have a say, each with a line to the place and a ring.
    sizes : ndarray of shape (m,)
        How much, as a share of the largest: from 0 to 1.
    positive : ndarray of shape (m,), bool
        For the positive class of the problem; neighbours all are.
    classes : ndarray of shape (m,)
        Whose colour the line has; -1 for none's.
    ball : Ball or None
    """

    ends: Array
    sizes: Array
    positive: Mask
    classes: Indices
    ball: Ball | None


NO_SKETCH = Sketch(np.empty((0, 2)), np.empty(0), np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.intp), None)


class LaneProbe(Struct, frozen=True, eq=False):
    """Why a lane gives a place its class.

    Attributes
    ----------
    label : int
        The class, 0 to 7, as the model predicts it; -1 where there is no model.
    headline : str
        "class 2: 3 of 5 votes".
    formula : str
    lines : tuple of str
        Sums, margins, distances, and the tie rule where it decided.
    tables : tuple of Table
    sketch : Sketch
    message : str
        Why there is nothing, or "".
    """

    label: int = -1
    headline: str = ""
    formula: str = ""
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    sketch: Sketch = NO_SKETCH
    message: str = ""


class Probe(Struct, frozen=True, eq=False):
    """What is probed just now.

    Attributes
    ----------
    place : (x, y) or None
        None when the probe is not looked at, or the pointer is nowhere.
    pinned : bool
    aim : (x, y) or None
        Where the pointer is in one of the pictures: the others mark it, too.
    lanes : tuple of LaneProbe
        Of the lanes on screen; empty without a place.
    """

    place: Place | None = None
    pinned: bool = False
    aim: Place | None = None
    lanes: tuple[LaneProbe, ...] = ()


NO_PROBE = Probe()


def probe_lane(
    model: Model,
    lane: Lane,
    who: Who,
    place: Place,
    ground: BoundaryFacts | None = None,
    rests: bool = True,
    told: bool = True,
    shares: Array | None = None,
    before: Place | None = None,
) -> LaneProbe:
    """Why `model`, trained as `lane` says, gives `place` its class.

    Parameters
    ----------
    model : Model
    lane : Lane
    who : Who
        Its training points.
    place : (x, y)
    ground : BoundaryFacts, optional
        What has been found out about the model in the background.
    rests : bool, default=True
        The place does not follow the pointer: then there is time to look for the nearest boundary point.
    told : bool, default=True
        In words and tables, too; else only what is drawn, which is worked out before each first picture of a drag.
    shares : ndarray of shape (1, n_classes), optional
        Those of a model in another process, which has been waited for.
    before : (x, y), optional
        Where the pointer was before it crossed the last border of a cell of neighbours.
    """
    at = np.array(place, dtype=np.float64)
    try:
        if model.kind == "f":
            return _of_problems(model, lane, who, at, ground, rests, told)
        if model.neighbours is not None:
            return _of_neighbours(model.neighbours, lane, who, place, told, before)
        return _of_shares(model, lane, who, model.predict_proba(at[None, :])[0] if shares is None else shares[0])
    except ValueError as error:  # the solver's sentences: values that overflow, a place too far away
        return LaneProbe(message=str(error))


def _of_shares(model: SharesModel, lane: Lane, who: Who, shares: Array) -> LaneProbe:
    labels: list[int] = model.classes_.tolist()
    winner = int(shares.argmax())
    headline = f"{who.names[labels[winner]]}: {percent(float(shares[winner]))}"
    tables = (Probabilities(shares, shares, labels, who.names, winner, "Probabilities"),)
    return LaneProbe(labels[winner], headline, lane.decision, tables=tables)


@lru_cache(maxsize=16)
def vote_at(model: KNeighborsClassifier, place: Place) -> Vote:
    """The vote at a place; the controller asks for the same ones."""
    return model.vote_at(place)


def _of_neighbours(
    model: KNeighborsClassifier, lane: Lane, who: Who, place: Place, told: bool, before: Place | None
) -> LaneProbe:
    vote = vote_at(model, place)
    labels: list[int] = model.classes_.tolist()
    few = vote.index[:MOST_LINES]
    counted = (vote.share * vote.weight)[:MOST_LINES]
    sketch = Sketch(
        who.trained.xy[few],
        counted / max(float(counted.max(initial=0.0)), 1e-300),
        np.ones(len(few), dtype=np.bool_),
        who.labels(few),
        Ball(model.metric, float(model.p), vote.radius, model.scaler),
    )
    if not told:
        return LaneProbe(labels[vote.winner], sketch=sketch)
    names = [who.names[label] for label in labels]
    there = vote.index if before is None else vote_at(model, before).index
    came, left = (np.setdiff1d(*each) for each in ((vote.index, there), (there, vote.index)))
    crossed = words.border_lines([who.name(row) for row in came.tolist()], [who.name(row) for row in left.tolist()])
    return LaneProbe(
        labels[vote.winner],
        words.vote_headline(vote, names, model.weights),
        lane.decision,
        (*words.vote_lines(vote, names, model.weights, getattr(lane.settings, "n_neighbors", vote.k)), *crossed),
        (Votes(vote.votes, vote.shares, labels, who.names, vote.winner), Neighbours(vote, model.weights, who)),
        sketch,
    )


def _of_problems(
    model: PairClassifier, lane: Lane, who: Who, at: Array, ground: BoundaryFacts | None, rests: bool, told: bool
) -> LaneProbe:
    values = model.pair_decision_function(at[None, :])
    f, winner = values[0], int(model.winner(values)[0])
    classes: list[int] = model.classes_.tolist()
    shown = shown_pair(model, lane)
    pair = model.pairs_[shown]
    terms = terms_at(model, at, shown, f=float(f[shown]))
    sketch = _sketch(terms, who, pair.positive, pair.negative, classes)
    if not told:
        return LaneProbe(classes[winner], sketch=sketch)
    names = [who.names[label] for label in classes]
    several = len(model.pairs_) > 1
    of = problem(*problem_of(pair, classes), who.names) if several else ""
    lines = [words.side_line(pair, classes, who.names), words.sum_line(terms, of)]
    tables: list[Table] = [Problems(f, model.pairs_, classes, who.names, shown)] if several else []
    if several and model.pairs_[0].negative != REST:
        won = duels_won(f, model.pairs_, len(classes)).astype(np.float64)
        tables.append(Votes(won, won / won.sum(), classes, who.names, winner, "Duels won"))
        lines += words.duel_lines(won, names, winner)
    tables.append(Summands(terms, pair, classes, who))
    if lane.trainer is not None and lane.trainer.has_margins:
        lines.append(words.margin_line(terms.f))
    norm = _norm(model, shown, ground)
    if norm is not None and norm > 0.0:
        lines.append(words.distance_line(terms.f, norm, model.expansion.is_linear))
    nearest = ground.nearest(at) if ground is not None and rests else None
    if nearest is not None:
        lines.append(words.nearest_line(nearest))
    noise = model.rounding * (1.0 + float(np.abs(at).max()))
    headline = words.f_headline(f, winner, names, model.pairs_, noise, lane)
    formula = lane.decision
    return LaneProbe(classes[winner], headline, formula, tuple(lines), tuple(tables), sketch)


def _sketch(terms: Terms, who: Who, positive: int, negative: int, classes: Sequence[int]) -> Sketch:
    """Lines to the support vectors with the largest terms."""
    if not terms.of_points or not len(terms.value):
        return NO_SKETCH
    size = np.abs(terms.value)
    few = np.flatnonzero(size[:MOST_TERMS] >= max(LEAST_TERM * size[0], 1e-300))
    towards = terms.value[few] > 0.0
    colours = np.where(towards, classes[positive], classes[negative] if negative != REST else -1)
    index = terms.index[few]
    return Sketch(who.trained.xy[index], size[few] / max(float(size[0]), 1e-300), towards, colours, None)


def _norm(model: PairClassifier, shown: int, ground: BoundaryFacts | None) -> float | None:
    """||w|| of the problem; None while it is not known."""
    if model.expansion.is_linear:
        return float(np.hypot(*model.plane_weights[shown]))
    return None if ground is None else ground.norm


def heavy(model: Model) -> bool:
    """Whether a probe of `model` takes too long for the window, or longer than anybody knows: in another process."""
    if remote(model) is not None:
        return True
    return model.kind == "f" and len(model.expansion.support) * len(model.pairs_) > HEAVY


#: Panels whose location is the probe's: while one of them is open, the probe follows the pointer.
FOLLOWERS = frozenset({"probe", "search"})
#: The last probes: each scene asks for them again.
_kept = lru_cache(maxsize=16)(probe_lane)


class ProbeSession(FeatureSession, frozen=True):
    """What is done with the probe.

    Attributes
    ----------
    probe : tuple of (float, float) or None
        The place whose class is explained, once it is pinned.
    """

    probe: tuple[float, float] | None = None

    def of_new_document(self) -> ProbeSession:
        return ProbeSession()


def place_of(session: Session, pointer: Place | None, panel: str = "probe") -> Place | None:
    """The place that `panel` is about: the pinned one, else that of the keyboard, else that of `pointer`; or None."""
    followed = (session.cursor or pointer) if panel in session.open_panels else None
    return session.of(ProbeSession).probe or followed


def scene(context: Context, lanes: Sequence[LaneScene]) -> tuple[Probe]:
    """What is probed at this moment, in all lanes."""
    place, aim = place_of(context.session, context.pointer), context.pointer
    if place is None:
        return (Probe(aim=aim) if aim is not None else NO_PROBE,)
    pinned = context.session.of(ProbeSession).probe is not None
    if FOLLOWERS & context.session.open_panels == {"search"}:
        lanes = ()  # lines to the neighbours would give away what is searched for
    return (Probe(place, pinned, aim, tuple(_lane(context, lane, place, pinned) for lane in lanes)),)


def _lane(context: Context, scene: LaneScene, place: Place, pinned: bool) -> LaneProbe:
    """The probe of a lane: worked out now, or fetched from the background where that is heavy."""
    document, session, results, slot = context.document, context.session, context.results, scene.slot
    frame = results.frame(slot)
    if frame is not None and frame.sides is not None:
        return LaneProbe(message=words.OF_TWO)
    if frame is None or frame.model is None or scene.picture is None:
        return LaneProbe(message=scene.message or scene.headline)
    if heavy(frame.model):
        answer = results.answer(f"probe{slot}")
        found: LaneProbe | None = None if answer is None else answer.value
        if answer is None or answer.query != _question(frame, document, place) or found is None:
            return LaneProbe(message=(answer.message if answer is not None else "") or "Working it out…")
        return found
    known, ground = results.answer(f"ground{slot}"), None
    if known is not None and isinstance(known.query, BoundaryQuery) and known.query.model is frame.model:
        of_shown = known.query.problem == shown_pair(known.query.model, frame.lane)
        ground = known.value if of_shown else None
    rests, told = pinned or session.cursor is not None, "probe" in session.open_panels
    before = context.came_from.get(frame.neighbours) if told else None
    return _kept(frame.model, frame.lane, _who(frame, document), place, ground, rests, told, before=before)


def _who(frame: Frame, document: Document) -> Who:
    return Who(frame.points, document.points, document.class_names)


def _question(frame: Frame, document: Document, place: Place) -> ProbeQuery:
    assert frame.model is not None
    return ProbeQuery(frame.model, frame.lane, _who(frame, document), place, probe_lane)


def queries(context: Context) -> dict[str, Query]:
    """What the background is asked while a place is probed: of large models all of it, of others what takes longer."""
    place, document = place_of(context.session, context.pointer), context.document
    asked: dict[str, Query] = {}
    for slot, grid in zip(document.slots, context.grids, strict=False):
        frame = context.results.frame(slot)
        if place is None or frame is None or frame.model is None or frame.phase is Phase.EMPTY:
            continue
        model = frame.model
        if heavy(model):
            asked[LaneQuestion("probe", slot)] = _question(frame, document, place)
        elif model.kind == "f" and not model.expansion.is_linear and frame.phase is not Phase.TRAINING:
            limits = (grid.left, grid.right, grid.bottom, grid.top)
            asked[LaneQuestion("ground", slot)] = BoundaryQuery(model, shown_pair(model, frame.lane), limits)
    return asked
