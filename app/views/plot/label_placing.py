"""Label placing: where a plate beside a point stands, inside an area and out of the way of others."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from PySide6.QtCore import QPointF, QRectF, QSizeF

PointerPosition = tuple[float, float]
#: Where to stand first: to the right, to the left, above, below, then the corners.
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))


def place_box(
    size: QSizeF,
    at: PointerPosition,
    reach: float,
    area: QRectF,
    busy: Sequence[QRectF],
    away: Sequence[PointerPosition] = (),
) -> QRectF:
    """A box of `size` beside `at`: inside `area`, covering nothing that is `busy` if there is any such place.

    Parameters
    ----------
    size : QSizeF
    at : (x, y)
        What it belongs to.
    reach : float
        How far to stay away from it.
    area : QRectF
        A box that is larger stands at its upper left corner.
    busy : sequence of QRectF
        What should stay visible.
    away : sequence of (x, y)
        Of sides that are equally free, the one turned away from these is taken.
    """
    best, least = QRectF(area.topLeft(), size), (float("inf"), float("inf"))
    for corners in (_beside, _anywhere):
        for rank, corner in enumerate(corners(size, at, reach, area, busy)):
            wanted = QRectF(corner, size)
            box = _inside(wanted, area)
            cost = sum(_overlap(box, other) for other in busy)
            shift = abs(box.left() - wanted.left()) + abs(box.top() - wanted.top())
            centre = box.center()
            towards = sum(200.0 / (1.0 + hypot(centre.x() - x, centre.y() - y)) for x, y in away)
            score = (cost, rank + 0.1 * shift + towards)
            if score < least:
                best, least = box, score
        if least[0] == 0.0:
            break
    return best


def _beside(size: QSizeF, at: PointerPosition, reach: float, area: QRectF, busy: Sequence[QRectF]) -> list[QPointF]:
    """Upper left corners about `at`, the nicest first."""
    wide, high = size.width(), size.height()
    corners = []
    for dx, dy in _SIDES:
        away = 0.7 * reach if dx and dy else reach
        middle = at[0] + dx * (away + wide / 2), at[1] + dy * (away + high / 2)
        corners.append(QPointF(middle[0] - wide / 2, middle[1] - high / 2))
    return corners


def _anywhere(size: QSizeF, at: PointerPosition, reach: float, area: QRectF, busy: Sequence[QRectF]) -> list[QPointF]:
    """Upper left corners all over `area`, the nearest first: a free place, if there is one, is among them.

    For a box that is free can be pushed left and up until it meets the edge of the area or of something busy.
    """
    wide, high = size.width(), size.height()
    lefts = {area.left(), area.right() - wide, *(each.right() for each in busy), *(each.left() - wide for each in busy)}
    tops = {area.top(), area.bottom() - high, *(each.bottom() for each in busy), *(each.top() - high for each in busy)}
    corners = [
        QPointF(left, top)
        for left in lefts
        if area.left() <= left <= area.right() - wide
        for top in tops
        if area.top() <= top <= area.bottom() - high
    ]
    corners.sort(key=lambda corner: hypot(corner.x() + wide / 2 - at[0], corner.y() + high / 2 - at[1]))
    return corners


def _inside(box: QRectF, area: QRectF) -> QRectF:
    left = max(min(box.left(), area.right() - box.width()), area.left())
    top = max(min(box.top(), area.bottom() - box.height()), area.top())
    return QRectF(QPointF(left, top), box.size())


def _overlap(first: QRectF, second: QRectF) -> float:
    common = first & second
    return max(common.width(), 0.0) * max(common.height(), 0.0)
