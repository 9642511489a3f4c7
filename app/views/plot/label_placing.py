"""Label placing: find a location for a label beside a point, inside an area and away from other things."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from PySide6.QtCore import QPointF, QRectF, QSizeF

PointerPosition = tuple[float, float]
#: Directions to try first: right, left, above, below, then the corners.
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))


def place_box(
    size: QSizeF,
    at: PointerPosition,
    reach: float,
    area: QRectF,
    busy: Sequence[QRectF],
    away: Sequence[PointerPosition] = (),
) -> QRectF:
    """Return a box of `size` beside `at`, inside `area`; it covers nothing `busy` if such a location exists.

    Parameters
    ----------
    size : QSizeF
    at : (x, y)
        The point that the label belongs to.
    reach : float
        Distance to keep from it.
    area : QRectF
        A box larger than the area is aligned with its upper left corner.
    busy : sequence of QRectF
        Rectangles that should stay visible.
    away : sequence of (x, y)
        Among equally free sides, the one facing away from these points is chosen.
    """
    best, least = QRectF(area.topLeft(), size), (float("inf"), float("inf"))
    for corners in (_beside, _anywhere):
        for rank, corner in enumerate(corners(size, at, reach, area, busy)):
            wanted = QRectF(corner, size)
            box = _inside(wanted, area)
            shared = [box & other for other in busy]
            cost = sum(max(each.width(), 0.0) * max(each.height(), 0.0) for each in shared)
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
    """Return upper left corners around `at`, the best first."""
    wide, high = size.width(), size.height()
    corners = []
    for dx, dy in _SIDES:
        away = 0.7 * reach if dx and dy else reach
        middle = at[0] + dx * (away + wide / 2), at[1] + dy * (away + high / 2)
        corners.append(QPointF(middle[0] - wide / 2, middle[1] - high / 2))
    return corners


def _anywhere(size: QSizeF, at: PointerPosition, reach: float, area: QRectF, busy: Sequence[QRectF]) -> list[QPointF]:
    """Return upper left corners all over `area`, the nearest first; a free location is among them if one exists.

    The reason: a free box can be pushed left and up until it touches the edge of the area or something busy.
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
