"""The table of features: menus, keys, docks, what the background is asked, scene, pictures and help follow from it."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from app.engine.cover import Cover
from app.engine.overlays import Lines, Sheet, Specks
from app.engine.query import Query
from app.engine.requests import NO_MARKS, Marks
from app.engine.results import Results
from app.features.active_learning.feature import FEATURE as ACTIVE_LEARNING
from app.features.code.feature import FEATURE as CODE
from app.features.curves.feature import FEATURE as CURVES
from app.features.difference.feature import FEATURE as DIFFERENCE
from app.features.evaluation.feature import FEATURE as EVALUATION
from app.features.film.feature import FEATURE as FILM
from app.features.ground_truth.feature import FEATURE as GROUND_TRUTH
from app.features.kkt.feature import FEATURE as KKT
from app.features.lessons.feature import FEATURE as LESSONS
from app.features.losses.feature import FEATURE as LOSSES
from app.features.multipliers.feature import FEATURE as MULTIPLIERS
from app.features.probe.feature import FEATURE as PROBE
from app.features.race.feature import FEATURE as RACE
from app.features.relief.feature import FEATURE as RELIEF
from app.features.scores.feature import FEATURE as SCORES
from app.features.step.feature import FEATURE as STEP
from app.features.study.feature import FEATURE as STUDY
from app.features.validation_curves.feature import FEATURE as VALIDATION_CURVES
from app.features.what_if.feature import FEATURE as WHAT_IF
from app.scene.compared import compared
from app.scene.context import Context
from app.scene.feature import Action, Aspect, Dock, Feature, Place, Sign
from app.scene.model import LaneScene
from app.scene.status_badge import Status
from app.state.document import Document
from app.state.session import Session

#: In the order of menus and docks.
FEATURES: tuple[Feature, ...] = (
    STEP,
    CURVES,
    MULTIPLIERS,
    LOSSES,
    KKT,
    RACE,
    ACTIVE_LEARNING,
    DIFFERENCE,
    PROBE,
    RELIEF,
    WHAT_IF,
    EVALUATION,
    SCORES,
    VALIDATION_CURVES,
    STUDY,
    GROUND_TRUTH,
    CODE,
    LESSONS,
    FILM,
)


def actions() -> tuple[Action, ...]:
    """What can be done with all of them."""
    return tuple(action for feature in FEATURES for action in feature.actions)


def docks() -> tuple[Dock, ...]:
    """Their docks."""
    return tuple(feature.dock for feature in FEATURES if feature.dock is not None)


def watched(session: Session) -> frozenset[Aspect]:
    """What of a run is to be displayed."""
    of_docks = [dock.watches for dock in docks() if dock.watches and dock.name in session.open_panels]
    others = [feature.watches(session) for feature in FEATURES if feature.watches is not None]
    return frozenset(aspect for aspects in (*of_docks, *others) for aspect in aspects)


def queries(context: Context) -> dict[str, Query]:
    """All questions of this moment, by name."""
    asked = [feature.queries(context) for feature in FEATURES if feature.queries is not None]
    return {name: query for queries in asked for name, query in queries.items()}


def sheets(context: Context, index: int) -> tuple[Sheet, ...]:
    """Everything that lies over the picture of the lane at place `index`, the lowest first."""
    laid = [feature.sheets(context, index) for feature in FEATURES if feature.sheets is not None]
    return tuple(sorted((sheet for sheets in laid for sheet in sheets), key=_height))


def _height(sheet: Sheet) -> int:
    """Lines over symbols and hatchings; of lines, the fewest over the many."""
    if isinstance(sheet, Lines):
        return 2 + sheet.style.height
    return 0 if isinstance(sheet, Specks) else 1


def signs() -> tuple[Sign, ...]:
    """What the legend says of sheets, in its order."""
    return tuple(sign for feature in reversed(FEATURES) for sign in feature.signs)


def marking(session: Session) -> Feature | None:
    """The feature whose marks take the place of those of support vectors and errors."""
    able = (feature for feature in FEATURES if feature.marks is not None)
    return next((feature for feature in able if feature.watches is not None and feature.watches(session)), None)


def other_marks(context: Context, index: int) -> tuple[Marks, ...]:
    """Marks of points that the lane at place `index` was not trained on."""
    found = [feature.other_marks(context, index) for feature in FEATURES if feature.other_marks is not None]
    return tuple(marks for marks in found if marks is not NO_MARKS)


def controls(session: Session) -> frozenset[str] | None:
    """Names of the controls that alone are to be seen; None: all."""
    chosen = [feature.shows(session) for feature in FEATURES if feature.shows is not None]
    return next((frozenset(names) for names in chosen if names is not None), None)


def covered(document: Document, session: Session) -> dict[int, Cover]:
    """What is not to be seen yet, by the slots of the lanes; a difference shows no more than the two compared."""
    covers: dict[int, Cover] = {}
    for feature in FEATURES:
        for slot, cover in feature.covers(document, session).items() if feature.covers is not None else ():
            covers[slot] = covers.get(slot, Cover.NOTHING) | cover
    of_compared = [covers.get(document.slots[place], Cover.NOTHING) for place in compared(document) or ()]
    if any(of_compared):
        for lane, slot in zip(document.lanes, document.slots, strict=False):
            if lane.is_difference:
                covers[slot] = reduce(or_, of_compared, covers.get(slot, Cover.NOTHING))
    return covers


def seen(document: Document, session: Session, results: Results) -> Results:
    """What of `results` may be seen."""
    return results.without(covered(document, session))


def views(place: Place) -> list[Any]:
    """The classes of what stands there."""
    return [feature.views[place].kind for feature in FEATURES if place in feature.views]


def added_to_lane(context: Context, index: int) -> tuple[object, ...]:
    """What is said of the lane at place `index`."""
    said = [feature.lane(context, index) for feature in FEATURES if feature.lane is not None]
    return tuple(each for each in said if each is not None)


def status(context: Context, index: int) -> tuple[Status, ...]:
    """What stands in the status line of the lane at place `index`."""
    said = [feature.status(context, index) for feature in FEATURES if feature.status is not None]
    return tuple(each for each in said if each is not None)


def added_to_scene(context: Context, lanes: tuple[LaneScene, ...]) -> tuple[object, ...]:
    """What is added to the scene of these lanes."""
    return tuple(each for feature in FEATURES if feature.scene is not None for each in feature.scene(context, lanes))
