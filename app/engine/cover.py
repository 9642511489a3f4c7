"""Cover: what of a lane's results no view may display yet."""

from __future__ import annotations

from enum import IntFlag, auto


class Cover(IntFlag):
    """Parts of what is known of a lane; `Results.without` withholds them from every view.

    NUMBERS contains the test accuracy, and PICTURE contains all.
    """

    NOTHING = 0
    MARKS = auto()  #: rings, thick edges and crosses on points, and the pair that moves
    TEST = auto()  #: the test accuracy
    TRAINING = auto()
    PAINT = auto()
    NUMBERS = TEST | TRAINING
    PICTURE = MARKS | NUMBERS | PAINT
