"""Decode films with Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import IO

import numpy as np
from PIL import Image, ImageSequence


def decoded(file: Path | IO[bytes]) -> tuple[list[np.ndarray], list[float], int]:
    """Return the pictures, the milliseconds of each, and how often the film is played (0: for ever)."""
    with Image.open(file) as image:
        found, shown = [], []
        for each in ImageSequence.Iterator(image):
            found.append(np.asarray(each.convert("RGB")))
            shown.append(float(each.info["duration"]))
        return found, shown, int(image.info["loop"])


def played(found: list[np.ndarray], shown: Sequence[float], times: Sequence[int]) -> list[np.ndarray]:
    """Return the picture on screen at each of `times`: equal ones may be stored as one with a longer duration."""
    begins, ends = [0, *accumulate(times)], [*accumulate(shown)]
    assert set(ends) <= set(begins) and ends[-1] == begins[-1] and times[-1] == 2000
    return [found[int(np.searchsorted(ends, begin, side="right"))] for begin in begins[:-1]]
