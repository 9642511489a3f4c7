"""Learning: how a class answered the same question before and after, each student compared within one hand-in; no Qt.

With the shares p and q of right answers before and after, the gain of the class is (q - p) / (1 - p): the share of what
was missing before that is there after (Hake, "Interactive-engagement versus traditional methods", Am. J. Phys. 66,
1998).  A student who was right only after, or only before, is one of the two counts of McNemar's test (1947), b and c;
since q - p = (b - c) / n, the gain is also b - c over the number who were wrong before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from app.core.number_format import signed
from app.features.lessons.model import Lesson
from app.features.lessons.phrases import numeral, say, share_in

if TYPE_CHECKING:
    from .hand_in import HandIn

#: Least numbers of students for shares and a gain, and for its interval.
FEWEST, FEWEST_FOR_INTERVAL = 5, 15
#: Number of resamples, and seed: the same answers get the same interval.
RESAMPLES, SEED = 10_000, 1


class Learning(Struct, frozen=True):
    """The answers of a class to one question before and after, of those who answered both times.

    Attributes
    ----------
    at : int
        Index of the step that asks after.
    n_hand_ins : int
        Number of hand-ins, among them those with one answer or none.
    changes : tuple of ((int, int), int)
        Answer before, answer after, and how many changed so or stayed; indices of the answers after, in their order.
    right_twice, to_wrong, to_right, wrong_twice : int
        The table of McNemar's test: numbers who were right both times, only before, only after, and never.
    """

    at: int
    n_hand_ins: int
    changes: tuple[tuple[tuple[int, int], int], ...]
    right_twice: int
    to_wrong: int
    to_right: int
    wrong_twice: int

    @property
    def n(self) -> int:
        """Number of students who answered both times."""
        return self.right_twice + self.to_wrong + self.to_right + self.wrong_twice

    @property
    def before(self) -> int:
        """Number who were right before."""
        return self.right_twice + self.to_wrong

    @property
    def after(self) -> int:
        """Number who were right after."""
        return self.right_twice + self.to_right

    @property
    def gain(self) -> float | None:
        """The gain of the class; None where all were right before."""
        missing = self.n - self.before
        return (self.after - self.before) / missing if missing else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Bootstrap interval (95 %) of the gain; None for few students, and where it cannot be trusted."""
        table = self.right_twice, self.to_wrong, self.to_right, self.wrong_twice
        return interval(table) if self.n >= FEWEST_FOR_INTERVAL else None


@lru_cache(maxsize=64)
def interval(table: tuple[int, int, int, int]) -> tuple[float, float] | None:
    """Return the 2.5 % and 97.5 % quantiles of the gain when the students of `table` are drawn with replacement.

    The counts of such draws are multinomial.  A draw in which all were right before has no gain: it counts below the
    lower and above the upper end.  None if that makes an end infinite, or if all draws agree.
    """
    n = sum(table)
    _, lost, gained, wrong = np.random.default_rng(SEED).multinomial(n, np.array(table) / n, RESAMPLES).T
    missing = gained + wrong
    gains = (gained - lost) / np.maximum(missing, 1)
    low = float(np.quantile(np.where(missing > 0, gains, -np.inf), 0.025, method="lower"))
    high = float(np.quantile(np.where(missing > 0, gains, np.inf), 0.975, method="higher"))
    return (low, high) if -np.inf < low < high < np.inf else None


def learning_of(lesson: Lesson, at: int, hand_ins: Sequence[HandIn]) -> Learning | None:
    """Return what was learned by the question that step `at` asks again.

    None if it asks none, or if no student answered both times.  Of the answers after, the first counts.
    """
    again = lesson.steps[at].prediction
    before = lesson.measured.get(at)
    first = None if before is None else lesson.steps[before].prediction
    if before is None or first is None or again is None:
        return None
    index = [again.answers.index(answer) for answer in first.answers]
    given = [(each.steps[before].choices, each.steps[at].choices) for each in hand_ins]
    changes = Counter((index[one[0]], other[0]) for one, other in given if one and other)
    table = Counter[tuple[bool, bool]]()
    for (one, other), number in changes.items():
        table[one == again.right, other == again.right] += number
    cells = (table[cell] for cell in ((True, True), (True, False), (False, True), (False, False)))
    return Learning(at, len(hand_ins), tuple(sorted(changes.items())), *cells) if changes else None


def sentences(language: str, found: Learning) -> list[str]:
    """Return what was learned: counts, and of enough students shares, the gain and its interval."""
    n, gain = found.n, found.gain
    lines = [say(language, "measured", at=found.at + 1, some=n, number=found.n_hand_ins)]
    for name, right in {"measured_before": found.before, "measured_after": found.after}.items():
        share = f" ({share_in(language, right / n)})" if n >= FEWEST else ""
        lines.append(say(language, name, right=f"{right}{share}"))
    lines.append(say(language, "measured_changed", to_right=found.to_right, to_wrong=found.to_wrong))
    if n < FEWEST:
        return lines
    if gain is None:
        return [*lines, say(language, "measured_no_gain")]
    gains, *ends = [numeral(language, signed(f"{number:.2f}")) for number in (gain, *(found.interval or ()))]
    lines.append(say(language, "measured_gain", gain=gains))
    return [*lines, say(language, "measured_interval", low=ends[0], high=ends[1])] if ends else lines
