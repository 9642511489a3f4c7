"""Cover: the parts of a lane's results that no view may display yet."""

from __future__ import annotations

from enum import IntFlag, auto


class Cover(IntFlag):
    """Parts of a lane's results; `Results.without` withholds them from every view.

    NUMBERS contains the test accuracy, and PICTURE contains everything.
    """

    NOTHING = 0
    MARKS = auto()  #: rings, thick edges and crosses on points, and the working pair
    TEST = auto()  #: the test accuracy
    TRAINING = auto()
    PAINT = auto()
    NUMBERS = TEST | TRAINING
    PICTURE = MARKS | NUMBERS | PAINT
