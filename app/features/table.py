"""The table of features: menus, keys, docks, what the background is asked, scene, pictures and help follow from it."""

from __future__ import annotations

from typing import Any

from app.engine.overlays import Lines, Sheet, Specks
from app.engine.query import Query
from app.scene.context import Context
from app.scene.model import LaneScene
from app.state.session import Session

from .active_learning.feature import FEATURE as ACTIVE_LEARNING
from .curves.feature import FEATURE as CURVES
from .difference.feature import FEATURE as DIFFERENCE
from .evaluation.feature import FEATURE as EVALUATION
from .feature import Action, Dock, Feature
from .ground_truth.feature import FEATURE as GROUND_TRUTH
from .kkt.feature import FEATURE as KKT
from .losses.feature import FEATURE as LOSSES
from .multipliers.feature import FEATURE as MULTIPLIERS
from .probe.feature import FEATURE as PROBE
from .race.feature import FEATURE as RACE
from .step.feature import FEATURE as STEP
from .validation_curves.feature import FEATURE as VALIDATION_CURVES
from .what_if.feature import FEATURE as WHAT_IF

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
    WHAT_IF,
    EVALUATION,
    VALIDATION_CURVES,
    GROUND_TRUTH,
)


def actions() -> tuple[Action, ...]:
    """What can be done with all of them."""
    return tuple(action for feature in FEATURES for action in feature.actions)


def docks() -> tuple[Dock, ...]:
    """Their docks."""
    return tuple(feature.dock for feature in FEATURES if feature.dock is not None)


def shows_run(session: Session) -> bool:
    """Whether a dock that shows a run is in sight."""
    return any(dock.shows_run and dock.name in session.open_panels for dock in docks())


def queries(context: Context) -> dict[str, Query]:
    """All questions of this moment, by name."""
    asking = [feature.queries for feature in FEATURES if feature.queries is not None]
    return {name: query for ask in asking for name, query in ask(context).items()}


def sheets(context: Context, index: int) -> tuple[Sheet, ...]:
    """Everything that lies over the picture of the lane at place `index`, the lowest first."""
    laying = [feature.sheets for feature in FEATURES if feature.sheets is not None]
    return tuple(sorted((sheet for lay in laying for sheet in lay(context, index)), key=_height))


def _height(sheet: Sheet) -> int:
    """Lines over symbols and hatchings; of lines, the fewest over the many."""
    if isinstance(sheet, Lines):
        return 2 + ("haze", "ideal", "ghost", "other").index(sheet.style)
    return 0 if isinstance(sheet, Specks) else 1


def overlays() -> list[Any]:
    """What draws over the picture of one lane more."""
    return [feature.overlay.kind() for feature in FEATURES if feature.overlay is not None]


def added_to_lane(context: Context, index: int) -> tuple[object, ...]:
    """What is said of the lane at place `index`."""
    said = [feature.lane(context, index) for feature in FEATURES if feature.lane is not None]
    return tuple(each for each in said if each is not None)


def added_to_scene(context: Context, lanes: tuple[LaneScene, ...]) -> tuple[object, ...]:
    """What is added to the scene of these lanes."""
    adding = [feature.scene for feature in FEATURES if feature.scene is not None]
    return tuple(each for add in adding for each in add(context, lanes))
