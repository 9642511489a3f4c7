"""Edited settings: settings with other values, validated, and the text of the change in the undo menu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from app.core.number_format import share_text
from app.core.validation import place_and_fault
from app.learners.fields import Field, change_text

_TEXTS = {
    "n_classes": "Set the number of classes to {}",
    "name": "Set the data set to {}",
    "flipped": "Flip {} of the labels",
    "rule": "Set the rule to {}",
    "square": "Set the square to {}",
    "pair": "Choose the pair of the margins",
}


def text_of(values: dict[str, Any], fields: Sequence[Field] = ()) -> str:
    """Return the text in the undo menu for a change to these `values`, of parameters with these `fields`."""
    name, value = next(iter(values.items()))
    number = share_text(value) if name == "flipped" else f"{value:g}" if isinstance(value, float) else value
    return change_text(fields, values) or _TEXTS.get(name, f"Set {name} to {{}}").format(number)


def changed_struct(struct: Any, values: dict[str, Any], fields: Sequence[Field] = ()) -> Any:
    """Return `struct` with other values; raise a ValueError with a sentence if one is outside its limits."""
    changed = msgspec.structs.replace(struct, **values)
    try:
        return msgspec.convert(msgspec.to_builtins(changed), type(struct))
    except msgspec.ValidationError as error:
        raise ValueError(f"{text_of(values, fields)}: {place_and_fault(error)[1]}") from None
