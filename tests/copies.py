"""Changed copies of records of either kind: dataclasses in `solver`, msgspec's structs in `app`."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def replace(record: T, **changes: Any) -> T:
    """Return a copy of `record` with some fields changed."""
    change = msgspec.structs.replace if isinstance(record, msgspec.Struct) else dataclasses.replace
    return change(record, **changes)  # type: ignore[type-var]
