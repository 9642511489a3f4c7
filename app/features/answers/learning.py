"""Learning: how a class answered the same question before and after, each student compared within one hand-in; no Qt.

With the shares p and q of right answers before and after, the gain of the class is (q - p) / (1 - p): the share of what
was missing before that is there after (Hake, "Interactive-engagement versus traditional methods", Am. J. Phys. 66,
1998).  A student who was right only after, or only before, is one of the two counts of McNemar's test (1947), b and c;
since q - p = (b - c) / n, the gain is also (b - c) over the number who were wrong before.
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
    """The answers of a class to one question before and after; the first answer after counts.

    Attributes
    ----------
    at : int
        Index of the step that asks after.
    right : int
        Index of its right answer.
    changes : tuple of ((int, int), int)
        Answer before, answer after, and how many changed so or stayed; indices of the answers after, in their order.
    n_hand_ins : int
        Number of hand-ins, among them those with one answer or none.
    """

    at: int
    right: int
    changes: tuple[tuple[tuple[int, int], int], ...]
    n_hand_ins: int

    def _count(self, before: bool | None, after: bool | None) -> int:
        """Return the number who were right or wrong before and after; None: either."""
        sought = before, after
        return sum(
            n for at, n in self.changes if all(s in (None, a == self.right) for s, a in zip(sought, at, strict=True))
        )

    @property
    def n(self) -> int:
        """Number of students who answered both times."""
        return self._count(None, None)

    @property
    def before(self) -> int:
        """Number who were right before."""
        return self._count(True, None)

    @property
    def after(self) -> int:
        """Number who were right after."""
        return self._count(None, True)

    @property
    def to_right(self) -> int:
        """Number who were right only after."""
        return self._count(False, True)

    @property
    def to_wrong(self) -> int:
        """Number who were right only before."""
        return self._count(True, False)

    @property
    def gain(self) -> float | None:
        """The gain of the class; None where all were right before."""
        missing = self.n - self.before
        return (self.to_right - self.to_wrong) / missing if missing else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Bootstrap interval (95 %) of the gain; None for few students, and where it cannot be trusted."""
        return (
            interval(self.to_right, self.to_wrong, self.n - self.before, self.n)
            if self.n >= FEWEST_FOR_INTERVAL
            else None
        )


@lru_cache(maxsize=64)
def interval(to_right: int, to_wrong: int, wrong: int, n: int) -> tuple[float, float] | None:
    """Return the 2.5 % and 97.5 % quantiles of the gain when `n` students are drawn with replacement.

    A draw in which all were right before has no gain: it counts below the lower and above the upper end.  None if that
    makes an end infinite, or if all draws agree.
    """
    shares = np.array([to_right, to_wrong, wrong - to_right, n - wrong - to_wrong]) / n
    learnt, lost, still, _ = np.random.default_rng(SEED).multinomial(n, shares, RESAMPLES).T
    missing = learnt + still
    gains = (learnt - lost) / np.maximum(missing, 1)
    low = float(np.quantile(np.where(missing > 0, gains, -np.inf), 0.025, method="lower"))
    high = float(np.quantile(np.where(missing > 0, gains, np.inf), 0.975, method="higher"))
    return (low, high) if -np.inf < low < high < np.inf else None


def learnt(lesson: Lesson, hand_ins: Sequence[HandIn]) -> dict[int, Learning]:
    """Return what was learned by the index of each step that asks after, where anyone answered both times."""
    found = {}
    for after, before in lesson.measured.items():
        first, again = lesson.steps[before].prediction, lesson.steps[after].prediction
        assert first is not None and again is not None
        index = [again.answers.index(answer) for answer in first.answers]
        given = [(each.steps[before].choices, each.steps[after].choices) for each in hand_ins]
        changes = Counter((index[one[0]], other[0]) for one, other in given if one and other)
        if changes:
            found[after] = Learning(after, again.right, tuple(sorted(changes.items())), len(hand_ins))
    return found


def sentences(language: str, found: Learning) -> list[str]:
    """Return what was learned: counts, and of enough students shares, the gain and its interval."""
    n, gain, between = found.n, found.gain, found.interval
    shares = [f" ({share_in(language, right / n)})" if n >= FEWEST else "" for right in (found.before, found.after)]
    before, after = (f"{right}{share}" for right, share in zip((found.before, found.after), shares, strict=True))
    lines = [
        say(language, "measured", at=found.at + 1, some=n, number=found.n_hand_ins),
        say(language, "measured_right", before=before, after=after),
        say(language, "measured_changed", to_right=found.to_right, to_wrong=found.to_wrong),
    ]
    if n < FEWEST:
        return lines
    if gain is None:
        return [*lines, say(language, "measured_no_gain")]
    numbers = [numeral(language, signed(f"{number:.2f}")) for number in (gain, *(between or ()))]
    ends = say(language, "measured_interval", low=numbers[1], high=numbers[2]) if between else ""
    return [*lines, say(language, "measured_gain", gain=numbers[0]) + ends]
