"""Names: what a lesson may call controls, settings, panels and switches, and what the program calls them."""

from __future__ import annotations

from functools import cache

from app.learners.table import LEARNERS
from app.scene.control_names import CONTROLS
from app.scene.feature_table import FeatureTable

#: The window's own panels and switches; those of features stand in their table.
PANELS = ("table", "history", "notes")
LAYERS = ("legend", "marks")
#: What a lesson calls the parameters of the generator.
GENERATOR: dict[str, str] = {
    "data set": "name",
    "n": "count",
    "noise": "noise",
    "seed": "seed",
    "data seed": "seed",
    "shift": "shift",
    "classes": "n_classes",
    "flipped": "flipped",
}
#: What puts the points into other units.
POINTS = ("x times", "y times", "standardise")


def folded(name: str) -> str:
    """`name` as it is compared: in small letters, with single spaces."""
    return " ".join(name.replace("_", " ").lower().split())


@cache
def fields() -> dict[str, str]:
    """The learners' fields, by all that they may be called, folded: name, parameter, title, label."""
    every = [field for learner in LEARNERS.values() for field in learner.fields if field.kind != "text"]
    # The last one counts, so a name comes last ("weights" is that of kNN), and that of the first learner.
    called = (
        (field, getattr(field, what)) for what in ("label", "title", "parameter", "name") for field in every[::-1]
    )
    return {folded(text): field.name for field, text in called if text}


@cache
def controls() -> dict[str, str]:
    """Return what the program calls a control that is shown, by all that it may be called, folded."""
    return fields() | {folded(name): name for name in CONTROLS}


def panels(features: FeatureTable) -> tuple[str, ...]:
    """Return the names of the actions that open a panel."""
    return (*PANELS, *(dock.name for dock in features.docks()))


def layers(features: FeatureTable) -> tuple[str, ...]:
    """Return the names of the actions that show or hide something over the pictures."""
    opens = panels(features)
    return (*LAYERS, *(each.name for each in features.actions() if each.checkable and each.name not in opens))
