"""Probe: why a location of the plane gets its class, in every lane: values and sentences for panel and pictures; no Qt.

Every number is the model's own: the vote neighbour by neighbour, or f term by term, at the location itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from app.core.caches import kept
from app.core.number_format import percent
from app.engine.fitting import begun_shares
from app.engine.frames import Frame, Phase
from app.engine.pacing import Pace, Step
from app.engine.query import LaneQuestion, Query
from app.engine.run_state import RunState
from app.engine.surface_values import problem_of, shown_pair
from app.features.kkt.text import case_line
from app.learners.model import Model, SharesModel, remote
from app.scene.model import Context, LaneScene
from app.state.document import Document, Lane, problem
from app.state.session import FeatureSession, Session
from solver import REST, KNeighborsClassifier
from solver.core.arrays import Array, Indices, Mask
from solver.core.binary_reduction import PairClassifier
from solver.core.multiclass import votes as duels_won
from solver.core.scaler import Scaler
from solver.inspection.boundary_distance import Crossings, Nearest, crossings, nearest_zero, squared_norm
from solver.inspection.decision_terms import Terms, terms_at
from solver.inspection.margin_rays import Decision
from solver.knn.vote import Vote

from . import text as words
from .tables import NamedPoints, NeighbourRows, ProbabilityRows, ProblemRows, TableRows, TermRows, VoteRows

#: Samples along the longer side of a picture; largest numbers of support vectors for which the norm is computed, and
#: for which the window's thread may search the nearest boundary point.
SAMPLES, MOST_SQUARED, MOST_REFINED = 160, 6000, 2500


class BoundaryFacts(Struct, frozen=True, eq=False):
    """What is known about one binary problem of a model.

    Attributes
    ----------
    decision : Decision
    norm : float or None
        ||w|| in feature space; None if the kernel is not positive semidefinite, or there are too many support vectors.
    crossings : Crossings
        Zeros of f in the displayed part of the plane.
    """

    decision: Decision
    norm: float | None
    crossings: Crossings

    def nearest(self, at: Array) -> Nearest | None:
        """Return the boundary point closest to a location, if one has been found."""
        return nearest_zero(self.decision, at, self.crossings) if len(self.decision.coef) <= MOST_REFINED else None


class BoundaryQuery(Struct, frozen=True):
    """Query: the `BoundaryFacts` of a problem of a model, within (left, right, bottom, top), seen at a `ratio`."""

    model: PairClassifier
    problem: int
    limits: tuple[float, float, float, float]
    ratio: float = 1.0

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post a `BoundaryFacts` once."""
        left, right, bottom, top = self.limits
        decision = Decision.of(self.model.expansion, self.problem, self.model.scaler)
        pace, norm = Pace(overtaken), None
        yield from pace.pause()
        if len(decision.coef) <= MOST_SQUARED:
            square = yield from pace.through(squared_norm(self.model, self.problem))
            known = decision.kernel.is_positive_semidefinite and square > 0.0
            norm = math.sqrt(square) if known else None
        wide, high = right - left, (top - bottom) / self.ratio
        cell = max(wide, high) / SAMPLES
        xs = np.linspace(left, right, max(2, round(wide / cell)))
        ys = np.linspace(bottom, top, max(2, round(high / cell)))
        found = yield from pace.through(crossings(self.model.pair_surface_on(xs), self.problem, xs, ys))
        post(BoundaryFacts(decision, norm, found))


class ProbeQuery(Struct, frozen=True):
    """Query: the probe of a model that is too large for the window's thread."""

    model: Model
    lane: Lane
    named: NamedPoints
    location: tuple[float, float]
    probe: Callable[..., Any]

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post a `LaneProbe` once."""
        pace = Pace(overtaken)
        yield from pace.pause()
        pending = begun_shares(self.model, np.array([self.location]))
        shares = None if pending is None else (yield from pace.wait(pending))
        post(self.probe(self.model, self.lane, self.named, self.location, shares=shares))


Location = tuple[float, float]
#: Largest numbers of lines in a picture: to the nearest neighbours, and to the support vectors with the largest terms.
MOST_LINES, MOST_TERMS = 60, 12
#: Least term that has a line, as a share of the largest.
LEAST_TERM = 0.02
#: Distance of a point from the location, as a share of the picture, up to which the probe is about the point as well.
AT_POINT = 0.01
#: Number of kernel values above which a probe takes more than about 5 ms, and is computed in the background.
HEAVY = 40_000


class Ball(Struct, frozen=True):
    """The locations as near to the probed one as the k-th neighbour, in the distances of the model.

    Attributes
    ----------
    metric : str
    p, radius : float
    scaler : Scaler or None
        Transformation of locations before distances are measured.
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
        Contributing points, each with a line to the location and a ring.
    sizes : ndarray of shape (m,)
        Contributions as shares of the largest, from 0 to 1.
    positive : ndarray of shape (m,), bool
        Whether it contributes to the positive class of the problem; true for neighbours.
    classes : ndarray of shape (m,)
        Classes that give the lines their colour; -1 for none.
    ball : Ball or None
    """

    ends: Array
    sizes: Array
    positive: Mask
    classes: Indices
    ball: Ball | None


NO_SKETCH = Sketch(np.empty((0, 2)), np.empty(0), np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.intp), None)


class LaneProbe(Struct, frozen=True, eq=False):
    """Why a lane gives a location its class.

    Attributes
    ----------
    label : int
        The predicted class, 0 to 7; -1 without a model.
    headline : str
        "class 2: 3 of 5 votes".
    formula : str
    lines : tuple of str
        Sums, margins, distances, and the tie rule if it decided.
    tables : tuple of TableRows
    sketch : Sketch
    message : str
        Sentence why there is no probe, or "".
    """

    label: int = -1
    headline: str = ""
    formula: str = ""
    lines: tuple[str, ...] = ()
    tables: tuple[TableRows, ...] = ()
    sketch: Sketch = NO_SKETCH
    message: str = ""


class Probe(Struct, frozen=True, eq=False):
    """The probe in all lanes.

    Attributes
    ----------
    location : (x, y) or None
        The probed location; None if the probe is not displayed, or the pointer is outside the pictures.
    pinned : bool
    aim : (x, y) or None
        Location of the pointer in one of the pictures, which the others mark as well.
    lanes : tuple of LaneProbe
        Those of the displayed lanes; empty without a location.
    """

    location: Location | None = None
    pinned: bool = False
    aim: Location | None = None
    lanes: tuple[LaneProbe, ...] = ()


NO_PROBE = Probe()


def probe_lane(
    model: Model,
    lane: Lane,
    named: NamedPoints,
    location: Location,
    facts: BoundaryFacts | None = None,
    still: bool = True,
    in_words: bool = True,
    shares: Array | None = None,
    before: Location | None = None,
    run_state: RunState | None = None,
    near: Location = (0.0, 0.0),
) -> LaneProbe:
    """Return why `model`, trained with the settings of `lane`, gives `location` its class.

    Parameters
    ----------
    model : Model
    lane : Lane
    named : NamedPoints
        The training points of the model, with names.
    location : (x, y)
    facts : BoundaryFacts, optional
        What the background has found out about the model.
    still : bool, default=True
        The location does not follow the pointer, so there is time to search the nearest boundary point.
    in_words : bool, default=True
        Whether to make words and tables, too; else only what is drawn, which each first picture of a drag needs.
    shares : ndarray of shape (1, n_classes), optional
        Shares predicted by a model in another process.
    before : (x, y), optional
        Location of the pointer before it crossed the last edge of a cell of neighbours.
    run_state : RunState, optional
        State of the training that is displayed.
    near : (float, float), default=(0, 0)
        Distances in x and y up to which a training point is at the location.
    """
    at = np.array(location, dtype=np.float64)
    try:
        if model.kind == "f":
            return _of_problems(model, lane, named, at, facts, still, in_words, _case_here(run_state, named, at, near))
        if model.neighbours is not None:
            return _of_neighbours(model.neighbours, lane, named, location, in_words, before)
        return _of_shares(model, lane, named, model.predict_proba(at[None, :])[0] if shares is None else shares[0])
    except ValueError as error:  # overflowing values, a location too far away
        return LaneProbe(message=str(error))


def _of_shares(model: SharesModel, lane: Lane, named: NamedPoints, shares: Array) -> LaneProbe:
    labels: list[int] = model.classes_.tolist()
    winner = int(shares.argmax())
    headline = f"{named.names[labels[winner]]}: {percent(float(shares[winner]))}"
    tables = (ProbabilityRows(shares, shares, labels, named.names, winner, "Probabilities"),)
    return LaneProbe(labels[winner], headline, lane.decision, tables=tables)


@kept(16)
def vote_at(model: KNeighborsClassifier, location: Location) -> Vote:
    """Return the vote at a location; cached, since the controller needs the same votes."""
    return model.vote_at(location)


def _of_neighbours(
    model: KNeighborsClassifier,
    lane: Lane,
    named: NamedPoints,
    location: Location,
    in_words: bool,
    before: Location | None,
) -> LaneProbe:
    vote = vote_at(model, location)
    labels: list[int] = model.classes_.tolist()
    few = vote.index[:MOST_LINES]
    counted = (vote.share * vote.weight)[:MOST_LINES]
    sketch = Sketch(
        named.trained.xy[few],
        counted / max(float(counted.max(initial=0.0)), 1e-300),
        np.ones(len(few), dtype=np.bool_),
        named.labels(few),
        Ball(model.metric, float(model.p), vote.radius, model.scaler),
    )
    if not in_words:
        return LaneProbe(labels[vote.winner], sketch=sketch)
    names = [named.names[label] for label in labels]
    before_index = vote.index if before is None else vote_at(model, before).index
    came, left = (np.setdiff1d(*each) for each in ((vote.index, before_index), (before_index, vote.index)))
    crossed = words.crossing_lines(
        [named.name(row) for row in came.tolist()], [named.name(row) for row in left.tolist()]
    )
    return LaneProbe(
        labels[vote.winner],
        words.vote_headline(vote, names, model.weights),
        lane.decision,
        (*words.vote_lines(vote, names, model.weights), *crossed),
        (
            VoteRows(vote.votes, vote.shares, labels, named.names, vote.winner),
            NeighbourRows(vote, model.weights, named),
        ),
        sketch,
    )


def _of_problems(
    model: PairClassifier,
    lane: Lane,
    named: NamedPoints,
    at: Array,
    facts: BoundaryFacts | None,
    still: bool,
    in_words: bool,
    case: list[str],
) -> LaneProbe:
    values = model.pair_decision_function(at[None, :])
    f, winner = values[0], int(model.winner(values)[0])
    classes: list[int] = model.classes_.tolist()
    shown = shown_pair(model, lane)
    pair = model.pairs_[shown]
    terms = terms_at(model, at, shown, f=float(f[shown]))
    sketch = _sketch(terms, named, pair.positive, pair.negative, classes)
    if not in_words:
        return LaneProbe(classes[winner], sketch=sketch)
    names = [named.names[label] for label in classes]
    several = len(model.pairs_) > 1
    of = problem(*problem_of(pair, classes), named.names) if several else ""
    lines = [*case, words.side_line(pair, classes, named.names), words.sum_line(terms, of)]
    tables: list[TableRows] = [ProblemRows(f, model.pairs_, classes, named.names, shown)] if several else []
    if several and model.pairs_[0].negative != REST:
        won = duels_won(f, model.pairs_, len(classes)).astype(np.float64)
        tables.append(VoteRows(won, won / won.sum(), classes, named.names, winner, "Duels won"))
        lines += words.duel_lines(won, names, winner)
    tables.append(TermRows(terms, pair, classes, named))
    if lane.trainer is not None and lane.trainer.has_margins:
        lines.append(words.margin_line(terms.f))
    norm = _norm(model, shown, facts)
    if norm is not None and norm > 0.0:
        lines.append(words.distance_line(terms.f, norm, model.expansion.is_linear, lane.standardises))
    nearest = facts.nearest(at) if facts is not None and still else None
    if nearest is not None:
        lines.append(words.nearest_line(nearest))
    noise = model.rounding * (1.0 + float(np.abs(at).max()))
    headline = words.f_headline(f, winner, names, model.pairs_, noise, lane)
    formula = lane.decision
    return LaneProbe(classes[winner], headline, formula, tuple(lines), tuple(tables), sketch)


def _case_here(run_state: RunState | None, named: NamedPoints, at: Array, near: Location) -> list[str]:
    """Return the KKT case of the point at a location as a line; [] if there is no point, or no case."""
    if run_state is None or run_state.kkt is None:
        return []
    away = np.abs(run_state.points.xy[run_state.index] - at)
    return [
        f"Point {named.name(int(run_state.index[i]))}, here.  {case_line(run_state, i)}."
        for i in np.flatnonzero((away <= near).all(axis=1))[:1].tolist()
    ]


def _sketch(terms: Terms, named: NamedPoints, positive: int, negative: int, classes: Sequence[int]) -> Sketch:
    """Return lines to the support vectors with the largest terms."""
    if not terms.of_points or not len(terms.value):
        return NO_SKETCH
    size = np.abs(terms.value)
    few = np.flatnonzero(size[:MOST_TERMS] >= max(LEAST_TERM * size[0], 1e-300))
    towards = terms.value[few] > 0.0
    colours = np.where(towards, classes[positive], classes[negative] if negative != REST else -1)
    index = terms.index[few]
    return Sketch(named.trained.xy[index], size[few] / max(float(size[0]), 1e-300), towards, colours, None)


def _norm(model: PairClassifier, shown: int, facts: BoundaryFacts | None) -> float | None:
    """Return ||w|| of the problem; None while it is unknown."""
    if model.expansion.is_linear:
        return float(np.hypot(*model.plane_weights[shown]))
    return None if facts is None else facts.norm


def heavy(model: Model) -> bool:
    """Return whether a probe of `model` may take too long for the window's thread."""
    if remote(model) is not None:
        return True
    return model.kind == "f" and len(model.expansion.support) * len(model.pairs_) > HEAVY


#: Panels about the probe's location: while one of them is open, the probe follows the pointer.
FOLLOWERS = frozenset({"probe", "search"})
#: The last probes: every scene needs them again.
_kept = kept(16)(probe_lane)


class ProbeSession(FeatureSession, frozen=True):
    """The pinned location of the probe.

    Attributes
    ----------
    probe : tuple of (float, float) or None
        The pinned location, if there is one.
    """

    probe: tuple[float, float] | None = None

    def of_new_document(self) -> ProbeSession:
        return ProbeSession()


def location_of(session: Session, pointer: Location | None, panel: str = "probe") -> Location | None:
    """Return the location that `panel` is about: the pinned one, else the keyboard cursor, else `pointer`; or None."""
    followed = (session.cursor or pointer) if panel in session.open_panels else None
    return session.of(ProbeSession).probe or followed


def scene(context: Context, lanes: Sequence[LaneScene]) -> tuple[Probe]:
    """Return the probe of all lanes."""
    location, aim = location_of(context.session, context.pointer), context.pointer
    if location is None:
        return (Probe(aim=aim) if aim is not None else NO_PROBE,)
    pinned = context.session.of(ProbeSession).probe is not None
    if FOLLOWERS & context.session.open_panels == {"search"}:
        lanes = ()  # lines to the neighbours would give the result of the search away
    return (Probe(location, pinned, aim, tuple(_lane(context, lane, location, pinned) for lane in lanes)),)


def _lane(context: Context, scene: LaneScene, location: Location, pinned: bool) -> LaneProbe:
    """Return the probe of a lane: computed now, or by the background if it is heavy."""
    document, session, results, slot = context.document, context.session, context.results, scene.slot
    frame = results.frame(slot)
    if frame is not None and frame.sides is not None:
        return LaneProbe(message=words.OF_TWO)
    if frame is None or frame.model is None or scene.picture is None:
        return LaneProbe(message=scene.message or scene.headline)
    if heavy(frame.model):
        answer = results.answer(f"probe{slot}")
        found: LaneProbe | None = None if answer is None else answer.value
        if answer is None or answer.query != _question(frame, document, location) or found is None:
            return LaneProbe(message=(answer.message if answer is not None else "") or "Working it out…")
        return found
    known, facts = results.answer(f"boundary facts{slot}"), None
    if known is not None and isinstance(known.query, BoundaryQuery) and known.query.model is frame.model:
        of_shown = known.query.problem == shown_pair(known.query.model, frame.lane)
        facts = known.value if of_shown else None
    still, in_words = pinned or session.cursor is not None, "probe" in session.open_panels
    before = context.came_from.get(frame.neighbours) if in_words else None
    return _kept(
        frame.model,
        frame.lane,
        _named(frame, document),
        location,
        facts,
        still,
        in_words,
        before=before,
        run_state=scene.run_state,
        near=(AT_POINT * document.view.span, AT_POINT * document.view.span * document.view.ratio),
    )


def _named(frame: Frame, document: Document) -> NamedPoints:
    return NamedPoints(frame.points, document.points, document.class_names)


def _question(frame: Frame, document: Document, location: Location) -> ProbeQuery:
    assert frame.model is not None
    return ProbeQuery(frame.model, frame.lane, _named(frame, document), location, probe_lane)


def queries(context: Context) -> dict[str, Query]:
    """Return the queries while a location is probed: whole probes of large models, else the facts that take longer."""
    location, document = location_of(context.session, context.pointer), context.document
    asked: dict[str, Query] = {}
    for slot, grid in zip(document.slots, context.grids, strict=False):
        frame = context.results.frame(slot)
        if location is None or frame is None or frame.model is None or frame.phase is Phase.EMPTY:
            continue
        model = frame.model
        if heavy(model):
            asked[LaneQuestion("probe", slot)] = _question(frame, document, location)
        elif model.kind == "f" and not model.expansion.is_linear and frame.phase is not Phase.TRAINING:
            limits = (grid.left, grid.right, grid.bottom, grid.top)
            query = BoundaryQuery(model, shown_pair(model, frame.lane), limits, document.view.ratio)
            asked[LaneQuestion("boundary facts", slot)] = query
    return asked
