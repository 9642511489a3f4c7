"""Names: how a lesson may call controls, settings, panels and switches, and their names in the program."""

from __future__ import annotations

from functools import cache

from app.learners.table import LEARNERS
from app.scene.control_names import CONTROLS
from app.scene.feature import LESSONS, FeatureTable

#: The window's own panels and switches; those of features are in the feature table.
PANELS = ("settings", "table", "history", "notes")
LAYERS = ("legend", "marks")
#: Parameters of the generator by their names in lessons.
GENERATOR: dict[str, str] = {
    "data set": "name",
    "n": "count",
    "noise": "noise",
    "seed": "seed",
    "data seed": "seed",
    "shift": "shift",
    "classes": "n_classes",
    "flipped": "flipped",
    "own rule": "rule",
    "square": "square",
}
#: Earlier names of settings on screen.
EARLIER = {"extra orders": "orders", "rule": "rule", "length": "step_size"}
#: Settings that change the units of the points.
POINTS = ("x times", "y times", "standardise")


def folded(name: str) -> str:
    """Return `name` for comparison: in lower case, with single spaces."""
    return " ".join(name.replace("_", " ").lower().split())


@cache
def fields() -> dict[str, str]:
    """Return the fields of the learners by all their folded names: name, parameter, title, label."""
    every = [field for learner in LEARNERS.values() for field in learner.fields if field.kind != "text"]
    # The last entry counts: names come last ("weights" is that of kNN), and those of the first learner.
    called = (
        (field, getattr(field, what)) for what in ("label", "title", "parameter", "name") for field in every[::-1]
    )
    return EARLIER | {folded(text): field.name for field, text in called if text}


@cache
def controls() -> dict[str, str]:
    """Return the displayed controls by all their folded names."""
    return fields() | {folded(name): name for name in CONTROLS}


def panels(features: FeatureTable) -> tuple[str, ...]:
    """Return the names of the actions that open a panel."""
    return (*PANELS, *(dock.name for dock in features.docks()))


def layers(features: FeatureTable) -> tuple[str, ...]:
    """Return the names of the actions that show or hide something over the pictures."""
    opens = panels(features)
    shown = (each for each in features.actions() if each.checkable and each.menu != LESSONS)
    return (*LAYERS, *(each.name for each in shown if each.name not in opens))
