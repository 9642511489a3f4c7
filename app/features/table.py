"""The table of features: menus, keys, docks, what the background is asked, scene, pictures and help follow from it."""

from __future__ import annotations

from typing import Any

from app.engine.overlays import Lines, Sheet, Specks
from app.engine.query import Query
from app.scene.context import Context
from app.scene.model import LaneScene
from app.state.session import Session

from .difference import scene as difference
from .difference.controller import DifferenceController
from .evaluation import scene as evaluation
from .feature import Action, Dock, Feature, Surroundings
from .ground_truth import scene as ground_truth
from .ground_truth.controller import GroundTruthController
from .probe import scene as probe
from .probe.controller import ProbeController
from .validation_curves import scene as validation_curves
from .what_if import scene as what_if
from .what_if.controller import WhatIf
from .what_if.text import lane as lane_what_if

TRAINING, COMPARE = "&Training", "&Compare"
WATCHING, BESIDE = "Watching a run", "Side by side"


def _step(around: Surroundings) -> Any:
    from .step.panel import StepPanel

    return StepPanel(around.controller)


STEP = Feature(
    actions=(
        Action("step", TRAINING, "&Why this step", ("Ctrl+1",), "The pair, its box, and the rule.", "", True, True),
    ),
    dock=Dock("step", "Why this step", _step, tab="Step", shows_run=True),
    help=((WATCHING, "Ctrl+1", "why this step: the pair, its box, the gain and what the rule compared"),),
)


def _curves(around: Surroundings) -> Any:
    from .curves.panel import CurvesPanel

    return CurvesPanel(around.controller)


CURVES = Feature(
    actions=(Action("curves", TRAINING, "&Curves", ("Ctrl+2",), "Dual, gap and violation, step by step.", "", True),),
    dock=Dock("curves", "Curves", _curves, group=1, shows_run=True),
    help=((WATCHING, "Ctrl+2, Ctrl+3, Ctrl+4", "curves, multipliers, losses"),),
)


def _multipliers(around: Surroundings) -> Any:
    from .multipliers.panel import MultipliersPanel

    return MultipliersPanel(around.controller)


MULTIPLIERS = Feature(
    actions=(Action("alphas", TRAINING, "&Multipliers", ("Ctrl+3",), "Each multiplier as a bar up to C.", "", True),),
    dock=Dock("alphas", "Multipliers", _multipliers, group=1, shows_run=True),
)


def _losses(around: Surroundings) -> Any:
    from .losses.panel import LossPanel

    return LossPanel(around.controller)


LOSSES = Feature(
    actions=(Action("loss", TRAINING, "&Loss", ("Ctrl+4",), "Hinge and 0-1 loss of each point.", "", True),),
    dock=Dock("loss", "Loss", _losses, group=1, shows_run=True),
)


def _kkt_overlay() -> Any:
    from .kkt.view_layout import KktLayer

    return KktLayer()


KKT = Feature(
    overlay=_kkt_overlay,
    actions=(
        Action(
            "kkt",
            TRAINING,
            "&KKT cases",
            ("K",),
            "Mark each point's KKT case and its slack.",
            checkable=True,
            gap=True,
            switch="kkt",
        ),
    ),
    help=((WATCHING, "K", "mark each point's KKT case and draw its slack; point at a point for its numbers"),),
)


def _race(around: Surroundings) -> Any:
    from .race.window import RaceWindow

    return RaceWindow(around.window, around.controller, around.scheduler, around.compiled)


RACE = Feature(
    actions=(
        Action("race", TRAINING, "&Race of the rules…", ("Ctrl+5",), "One problem, two to four rules.", gap=True),
    ),
    window=("race", _race),
    help=((WATCHING, "Ctrl+5", "race: one problem, two to four rules"),),
)


def _active_learning(around: Surroundings) -> Any:
    from .active_learning.panel import ActiveLearningPanel

    return ActiveLearningPanel(around.controller, around.scheduler)


ACTIVE_LEARNING = Feature(
    actions=(Action("asking", TRAINING, "&Active learning", ("Ctrl+6",), "Ask for the best label next.", "", True),),
    dock=Dock("asking", "Active learning", _active_learning, tab="Asking"),
    help=((WATCHING, "Ctrl+6", "active learning: ask for the label that teaches most"),),
)


def _difference(around: Surroundings) -> Any:
    from .difference.panel import DifferencePanel

    return DifferencePanel(around.controller)


DIFFERENCE = Feature(
    actions=(
        Action("compare", COMPARE, "&Compare two", ("Ctrl+7",), "Where two differ: share, points.", "", True, True),
        Action(
            "differing",
            COMPARE,
            "&Mark where they differ",
            ("X",),
            "Hatched, in every picture.",
            checkable=True,
            switch="differing",
        ),
        Action(
            "wipe",
            COMPARE,
            "&Wipe",
            ("Y",),
            "One picture over half of the other.",
            checkable=True,
            run=lambda controller: controller.feature(DifferenceController).toggle_wipe(),
            on=lambda scene: scene.feature(difference.Wipe) is not None,
        ),
        Action(
            "difference",
            COMPARE,
            "&Difference as a lane",
            (),
            "Striped in both classes where they differ.",
            run=lambda controller: controller.feature(DifferenceController).show_difference(),
        ),
    ),
    dock=Dock("compare", "Compare", _difference),
    queries=difference.queries,
    sheets=difference.sheets,
    scene=difference.scene,
    help=(
        (BESIDE, "Ctrl+7", "two compared: the share of the view where they differ, and the points"),
        (BESIDE, "X, Y", "mark in every picture where they differ; lay one picture over half of the other"),
    ),
)


def _probe(around: Surroundings) -> Any:
    from .probe.panel import ProbePanel

    return ProbePanel(around.controller)


def _probe_overlay() -> Any:
    from .probe.overlay import ProbeLayer

    return ProbeLayer()


PROBE = Feature(
    overlay=_probe_overlay,
    actions=(
        Action("probe", COMPARE, "&Why this class", ("Ctrl+8",), "Neighbours or terms of f, here.", "", True, True),
        Action(
            "pin",
            COMPARE,
            "&Pin the probe",
            ("Q",),
            "Keep explaining this place; again: let go.",
            checkable=True,
            run=lambda controller: controller.feature(ProbeController).toggle(),
            on=lambda scene: scene.session.probe is not None,
        ),
    ),
    dock=Dock("probe", "Why this class", _probe, tab="Class"),
    queries=probe.queries,
    scene=probe.scene,
    help=(
        (
            "Why this class",
            "Ctrl+8",
            "why the place under the pointer gets its class: neighbours and votes, or f term by term",
        ),
        ("Why this class", "Q", "pin that place, or the keyboard cursor's; again lets go"),
    ),
)


def _what_if(around: Surroundings) -> Any:
    from .what_if.panel import WhatIfPanel

    return WhatIfPanel(around.controller)


WHAT_IF = Feature(
    actions=(
        Action(
            "arm_whatif",
            COMPARE,
            "&What if",
            ("W",),
            "Draw the boundary before an edit beside the new one.",
            checkable=True,
            gap=True,
            run=lambda controller: controller.feature(WhatIf).toggle(),
            on=lambda scene: scene.session.armed,
        ),
        Action("whatif", COMPARE, "What &changed", ("Ctrl+Shift+W",), "Old and new numbers of each lane.", "", True),
    ),
    dock=Dock("whatif", "What if", _what_if),
    queries=what_if.queries,
    sheets=what_if.sheets,
    lane=lane_what_if,
    help=(
        ("What if", "W", "from now on the boundary before each edit stays as a dashed line; again: no more"),
        (
            "What if",
            "Ctrl+Shift+W",
            "what the edit changed: margin, support vectors, accuracy, the largest change of f",
        ),
    ),
)


def _evaluation(around: Surroundings) -> Any:
    from .evaluation.panel import EvaluationPanel

    return EvaluationPanel(around.controller)


EVALUATION = Feature(
    actions=(Action("evaluation", COMPARE, "&Evaluation", ("Ctrl+9",), "Test points, scores, ROC.", "", True, True),),
    dock=Dock("evaluation", "Evaluation", _evaluation, tab="Scores"),
    queries=evaluation.queries,
    sheets=evaluation.sheets,
    scene=evaluation.scene,
)
VALIDATION_CURVES = Feature(
    actions=(
        Action(
            "strips",
            COMPARE,
            "&Curves under sliders",
            ("Ctrl+Shift+C",),
            "Accuracy over the whole range of k, C and γ.",
            checkable=True,
            switch="strips",
        ),
    ),
    queries=validation_curves.queries,
    lane=validation_curves.lane,
    help=(
        (
            "What if",
            "Ctrl+Shift+C",
            "below each slider, accuracy over its whole range; a click or Enter goes to that value",
        ),
        ("What if", "Hollow ring on a curve", "the training was given up there; a pale curve is of the points before"),
    ),
)


def _ground_truth(around: Surroundings) -> Any:
    from .ground_truth.panel import GroundTruthPanel

    return GroundTruthPanel(around.controller)


GROUND_TRUTH = Feature(
    actions=(
        Action("truth", COMPARE, "&Truth and stability", ("Ctrl+0",), "Fresh points, Bayes error.", "", True, True),
        Action(
            "ideal",
            COMPARE,
            "True or &ideal boundary",
            ("U",),
            "The best that is possible.",
            checkable=True,
            run=lambda controller: controller.feature(GroundTruthController).toggle_ideal(),
            on=lambda scene: scene.session.ideal,
        ),
        Action("haze", COMPARE, "&Haze", ("H",), "Boundaries on resampled points.", checkable=True, switch="bootstrap"),
    ),
    dock=Dock("truth", "Truth and stability", _ground_truth, tab="Truth"),
    queries=ground_truth.queries,
    sheets=ground_truth.sheets,
    scene=ground_truth.scene,
)

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
    return [feature.overlay() for feature in FEATURES if feature.overlay is not None]


def added_to_lane(context: Context, index: int) -> tuple[object, ...]:
    """What is said of the lane at place `index`."""
    said = [feature.lane(context, index) for feature in FEATURES if feature.lane is not None]
    return tuple(each for each in said if each is not None)


def added_to_scene(context: Context, lanes: tuple[LaneScene, ...]) -> tuple[object, ...]:
    """What is added to the scene of these lanes."""
    adding = [feature.scene for feature in FEATURES if feature.scene is not None]
    return tuple(each for add in adding for each in add(context, lanes))
