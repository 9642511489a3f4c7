"""Edited settings: settings with other values, checked, and what the undo menu calls the change."""

from __future__ import annotations

from typing import Any

import msgspec

from solver import SCHEMES

_LABELS = {
    "n_neighbors": "k",
    "selection": "the rule",
    "gamma": "γ",
    "coef0": "c₀",
    "n_classes": "the number of classes",
    "degree": "the degree",
    "tol": "the tolerance",
    "name": "the data set",
    "pair": "the pair of the margins",
    "trainer": "the trainer",
    "partner": "the partner",
    "step_size": "the length of a step",
    "lam": "λ",
    "n_epochs": "the passes",
    "max_iter": "the passes",
    "n_iter": "the steps",
    "random_state": "the seed",
    "orders": "the other orders",
}


#: What switching something on and off is called.
_SWITCHES = {
    "hard_margin": ("Set hard margin", "Set soft margin"),
    "fit_intercept": ("Set an intercept", "Set no intercept"),
    "shuffle": ("Shuffle the points", "Keep the order of the points"),
    "finish": ("Finish", "Do not finish"),
}


def text_of(values: dict[str, Any]) -> str:
    """What the undo menu calls a change to these values."""
    name, value = next(iter(values.items()))
    if name in _SWITCHES:
        return _SWITCHES[name][0 if value else 1]
    if name == "pair":
        return "Choose the pair of the margins"
    if name == "multiclass":
        return f"Set {SCHEMES[value].title.lower()}" if value in SCHEMES else f"Set many classes to {value}"
    if name == "class_weight":
        return f"Set {value} class weights"
    if name == "own_weights":
        return "Set the class weights"
    return (
        f"Set {_LABELS.get(name, name)} to {value:g}"
        if isinstance(value, float)
        else f"Set {_LABELS.get(name, name)} to {value}"
    )


def changed_struct(struct: Any, values: dict[str, Any]) -> Any:
    """`struct` with other values; ValueError with a sentence when one is outside its limits."""
    changed = msgspec.structs.replace(struct, **values)
    try:
        return msgspec.convert(msgspec.to_builtins(changed), type(struct))
    except msgspec.ValidationError as error:
        raise ValueError(f"{text_of(values)}: {error}".replace("`", "")) from None
