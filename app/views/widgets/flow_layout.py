"""FlowLayout: widgets arranged in lines, like words in a paragraph."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

#: More pixels than any line has.
MOST = (1 << 24) - 1


def _shortest(item: QLayoutItem) -> int:
    """Return the width in pixels below which a widget cannot go; `shortest` may be less than its minimum size."""
    shortest = getattr(item.widget(), "shortest", None)
    return item.minimumSize().width() if shortest is None else int(shortest())


def n_lines(widths: Iterable[int], room: int, gap: int) -> int:
    """Return the number of lines that items of these minimum widths take in `room` pixels."""
    lines, x = 1, 0
    for width in widths:
        if x and x + width > room:
            lines, x = lines + 1, 0
        x += width + gap
    return lines


class FlowLayout(QLayout):
    """Arrange widgets from left to right, and continue on the next line when a line is full.

    Widgets that expand take their minimum width first, then share the rest of their line.  If one line is too short for
    all, the last widgets shrink to their minimum widths, or to what their method `shortest` returns, provided that one
    line then holds everything.  A widget with that method is not alone in a line if one before it fits there, too.

    Parameters
    ----------
    parent : QWidget
    gap : int
        Pixels between two widgets; half of that between two lines.  The margins are 0 unless set.
    """

    def __init__(self, parent: QWidget, gap: int = 12) -> None:
        super().__init__(parent)
        self._gap = gap
        self._items: list[QLayoutItem] = []
        self._first_of_line: QWidget | None = None
        self.setContentsMargins(0, 0, 0, 0)

    def break_before(self, widget: QWidget | None) -> None:
        """Let a line begin with `widget`; None: break only full lines."""
        if widget is not self._first_of_line:
            self._first_of_line = widget
            self.invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        around = self.contentsMargins()
        inner = width - around.left() - around.right()
        return self._arrange(QRect(0, 0, inner, 0), move=False) + around.top() + around.bottom()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect.marginsRemoved(self.contentsMargins()), move=True)

    def sizeHint(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in shown) + self._gap * max(len(shown) - 1, 0)
        return QSize(width, max((size.height() for size in shown), default=0)).grownBy(self.contentsMargins())

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(QSize(_shortest(item), item.minimumSize().height()))
        return size.grownBy(self.contentsMargins())

    def least_line(self) -> int:
        """Return the minimum width in pixels at which all widgets fit in one line unshortened."""
        around, sizes = self.contentsMargins(), self._sizes(MOST)
        between = self._gap * max(len(sizes) - 1, 0)
        return sum(size.width() for _, size, _ in sizes) + between + around.left() + around.right()

    def _sizes(self, room: int) -> list[tuple[QLayoutItem, QSize, bool]]:
        """Return the visible items, each with its size before the rest is distributed, and whether it grows."""
        sizes = []
        for item in self._items:
            if not item.isEmpty():
                least, grows = item.minimumSize(), bool(item.expandingDirections() & Qt.Orientation.Horizontal)
                size = item.sizeHint().expandedTo(least)
                size.setWidth(least.width() if grows else min(size.width(), max(room, least.width())))
                sizes.append((item, size, grows))
        over = sum(size.width() + self._gap for _, size, _ in sizes) - self._gap - room
        if self._first_of_line is None and 0 < over <= sum(size.width() - _shortest(item) for item, size, _ in sizes):
            for at in reversed(range(len(sizes))):
                item, size, _ = sizes[at]
                if over > 0 and (less := size.width() - _shortest(item)) > 0:
                    sizes[at] = item, size - QSize(less, 0), False
                    over -= less
        return sizes

    def _arrange(self, rect: QRect, move: bool) -> int:
        """Lay out all widgets, moving them if `move`; return the height of all lines."""
        lines: list[list[tuple[QLayoutItem, QSize, bool]]] = [[]]
        x = 0
        for item, size, grows in self._sizes(rect.width()):
            if lines[-1] and (item.widget() is self._first_of_line or x + size.width() > rect.width()):
                full, x = lines[-1], 0
                lines.append([])
                beside = full[-1][1].width() + self._gap
                if hasattr(item.widget(), "shortest") and full[1:] and beside + size.width() <= rect.width():
                    lines[-1].append(full.pop())
                    x = beside
            lines[-1].append((item, size, grows))
            x += size.width() + self._gap
        y = rect.top()
        for line in lines:
            height = max((size.height() for _, size, _ in line), default=0)
            if move:
                growing = sum(grows for *_, grows in line)
                x, spare = rect.left(), rect.width() - sum(size.width() + self._gap for _, size, _ in line) + self._gap
                for item, size, grows in line:  # centred in their line; those with a taller lower part at its top
                    if grows:
                        share = spare // growing
                        spare, growing = spare - share, growing - 1
                        size = size + QSize(share, 0)
                    item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
                    x += size.width() + self._gap
            y += height + self._gap // 2
        return y - self._gap // 2 - rect.top()
