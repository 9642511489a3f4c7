"""Editing: actions on points: gestures of the chosen tool, selection, clipboard and keyboard cursor."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec.structs import replace

from app.controllers.host import Host
from app.core.number_format import count
from app.core.points import MAX_CLASSES, Ids
from app.files.background_task import Progress, Task
from app.state.commands import (
    AddPoints,
    Command,
    ImportPoints,
    MovePoints,
    PaintTestPoints,
    RelabelPoints,
    RemovePoints,
)
from app.state.document import Document
from app.state.session import MOVES, NOTHING, OPTION_LIMITS, SPREADS, Selection, Session
from app.tools import COARSE_PIXELS, NO_KEYS, REMOVE_PIXELS, TOOLS, Keys, PointerPosition, Tool, nearest, point_at
from solver.core.arrays import Array

#: Distance of a duplicate from its original (pixels).
BESIDE = 12
#: Steps of an arrow key (pixels): alone, with Shift, with Ctrl.
STEPS = (10, 1, 50)
#: Modifiers of the Enter key at the keyboard cursor: it also adds a point on top of another.
ENTER = Keys(alt=True)


class Editing:
    """Run one gesture at a time, of the tool chosen when it began; also the `ToolTarget` of that tool.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._tool: Tool = TOOLS["pointer"].make(self)
        self._tool_name = "pointer"
        #: Called when the pointer moves over a canvas, and with None when it leaves.
        self.hover: Callable[[PointerPosition | None], object] = lambda pointer: None
        self._nudging: object = None
        self._by_keys = False  # the gesture comes from the keyboard
        #: Returns the tool of the feature that has taken over the pointer, see `Session.gesture_hint`.
        self.own_gesture: Callable[[], Tool] | None = None
        host.store.listen(self._keep_selection)

    # -- for the tools ---------------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        return self._host.document

    @property
    def session(self) -> Session:
        return self._host.session

    def dispatch(self, command: Command) -> None:
        self._host.apply(command)

    def say(self, sentence: str) -> None:
        self._host.say(sentence)

    def select(self, ids: Ids) -> None:
        """Select the points with these `ids`."""
        if len(ids) or len(self.session.selection):
            ascending = (ids[1:] > ids[:-1]).all()
            self._host.set_session(selection=Selection(ids if ascending else np.sort(ids)) if len(ids) else NOTHING)

    # -- the pointer on a canvas -----------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a gesture is in progress."""
        return self._tool.busy

    @property
    def holds_after(self) -> int:
        """Delay (ms) after which a held press should call `hold`; 0 for never."""
        return self._tool.holds_after if self.busy else 0

    def press(self, pointer: PointerPosition, keys: Keys = NO_KEYS) -> None:
        """Handle a press of the main button; hide the keyboard cursor."""
        self._host.set_session(cursor=None)
        self._begin(pointer, keys)

    def _begin(self, pointer: PointerPosition, keys: Keys = NO_KEYS, by_keys: bool = False) -> None:
        self.finish()
        self._by_keys = by_keys
        if self.session.gesture_hint and self.own_gesture is not None:
            self._tool_name, self._tool = "", self.own_gesture()
        elif self._tool_name != self.session.tool:
            self._tool_name = self.session.tool
            self._tool = TOOLS[self._tool_name].make(self)
        self._tool.press(pointer, keys)
        self._show_gesture()

    def drag(self, pointer: PointerPosition) -> None:
        self._tool.move(pointer)
        self._show_gesture()

    def hold(self) -> None:
        """Handle time passing with the button down."""
        self._tool.hold()

    def release(self, pointer: PointerPosition) -> None:
        self._tool.release(pointer)
        self._show_gesture()

    def finish(self) -> None:
        """End the gesture in progress at the pointer's location; its changes stay."""
        if self._tool.pointer is not None:
            self.release(self._tool.pointer)

    def cancel(self) -> bool:
        """Cancel the gesture and revert its changes; return False if there is none."""
        if not self.busy:
            return False
        self._host.store.abandon(self._tool.cancel())
        self._show_gesture()
        return True

    def remove(self, pointer: PointerPosition) -> None:
        """Remove the point nearest to `pointer`."""
        pixels = max(REMOVE_PIXELS, pointer.reach)
        index = nearest(self.document, pointer, pixels)
        if index is None:
            self.say(f"No point within {pixels:g} pixels of the pointer to remove.")
        elif not self.busy:
            self.dispatch(RemovePoints(ids=self.document.points.ids[[index]]))

    def right_click(self, pointer: PointerPosition) -> bool:
        """Remove a point if the eraser is set to do so; return False if a right click opens a menu."""
        if not self.session.right_removes or self.session.tool != "eraser" or self.session.gesture_hint:
            return False
        self.remove(pointer)
        return True

    def menu_location(self, pointer: PointerPosition | None, unit: float) -> PointerPosition | None:
        """Return where a menu opened by a key applies; pixels have width `unit`, and `pointer` is the mouse.

        It is the keyboard cursor on a point, else a selected point, else the cursor, else the mouse; None without any.
        """
        cursor, view = self._cursor(unit), self.document.view
        if cursor is not None and point_at(self.document, cursor) is not None:
            return cursor
        if len(self.session.selection):
            xy, _ = self._selected()
            middle = PointerPosition(view.x, view.y, unit, ratio=view.ratio)
            x, y = xy[middle.away(xy).argmin()].tolist()  # the one most likely to be visible
            return replace(middle, x=x, y=y)
        return cursor or pointer

    def selects_at(self, pointer: PointerPosition) -> bool:
        """Return whether a click at `pointer` selects a point, and adds none."""
        is_pointer = self.session.tool == "pointer" and not self.session.gesture_hint
        return is_pointer and point_at(self.document, pointer) is not None

    def select_at(self, pointer: PointerPosition | None) -> int | None:
        """Select the point at `pointer`, unless it is selected; return its index, or None if there is no point."""
        points, index = self.document.points, None if pointer is None else point_at(self.document, pointer)
        if index is None:
            return None
        stacked = points.stack(index)
        selected = stacked[np.isin(points.ids[stacked], self.session.selection.ids)]
        if len(selected):
            return int(selected[-1])
        self.select(points.ids[[index]])
        return index

    def select_next(self, forward: bool) -> bool:
        """Select the next point below the selected one, or above it; return False if there is none at its location."""
        points, index = self.document.points, self.document.points.indices_of(self.session.selection.ids)
        stack = points.stack(int(index[0])) if len(index) == 1 else index
        after = stack[stack < index][-1:] if forward else stack[stack > index][:1]
        if len(after):
            self.select(points.ids[after])
        return len(after) > 0

    def _show_gesture(self) -> None:
        self._host.set_session(outline=self._tool.outline, drawing=self.busy)

    # -- tools and their options -----------------------------------------------------------------------------------

    def choose(self, tool: str) -> None:
        """Choose another tool; a gesture in progress ends."""
        if tool in TOOLS and tool != self.session.tool:
            self.finish()
            self._host.set_session(tool=tool, radius=dict(self.session.radii).get(tool, TOOLS[tool].radius))

    def set_option(self, name: str, value: int | str | bool) -> None:
        """Change an option of the tools; numbers are clipped to their limits."""
        if name in OPTION_LIMITS:
            low, high = OPTION_LIMITS[name]
            value = min(max(int(value), low), high)
        allowed = {"spread": SPREADS, "moves": MOVES}.get(name)
        if allowed is None or value in allowed:
            self._host.set_session(**{name: value})
        if name == "radius":  # each tool has its own
            radii = dict(self.session.radii) | {self.session.tool: self.session.radius}
            self._host.set_session(radii=tuple(radii.items()))

    def resize(self, factor: float) -> None:
        """Make the brush larger or smaller."""
        radius = self.session.radius
        wanted = round(radius * factor)
        self.set_option("radius", wanted if wanted != radius else radius + (1 if factor > 1 else -1))

    # -- the selection ---------------------------------------------------------------------------------------------

    def select_all(self) -> None:
        self.select(self.document.points.ids)

    def select_none(self) -> None:
        self.select(self.document.points.ids[:0])

    def invert_selection(self) -> None:
        points = self.document.points
        left = np.ones(len(points), dtype=bool)
        left[points.indices_of(self.session.selection.ids)] = False
        self.select(points.ids[left])

    def _any_selected(self) -> bool:
        """Return whether points are selected; if not, report how to select some."""
        if not len(self.session.selection):
            self.say("Select points first: Select (S), Lasso (A), or Ctrl+A for all.")
        return len(self.session.selection) > 0

    def remove_selected(self) -> None:
        self._edit(RemovePoints(ids=self.session.selection.ids))

    def cutting(self) -> Callable[[], None]:
        """Return a function that removes the points selected now, to be called after they have been copied."""
        ids, resets = self.session.selection.ids, self._host.store.resets

        def cut() -> None:
            if resets == self._host.store.resets:
                self._edit(RemovePoints(ids=ids, verb="Cut"))

        return cut

    def relabel_selected(self, label: int) -> None:
        """Give the selected points class `label` (0 to 7)."""
        if 0 <= label < MAX_CLASSES and self._any_selected():
            self._edit(RelabelPoints(ids=self.session.selection.ids, label=label))

    def test_selected(self, test: bool) -> None:
        """Make the selected points test points, or training points again."""
        self._edit(PaintTestPoints(ids=self.session.selection.ids, test=test))

    def duplicate(self, unit: float) -> None:
        """Add copies of the selected points, a little to the right and below, and select them."""
        if not self._any_selected():
            return
        (xy, labels), up = self._selected(), unit * self.document.view.ratio
        self._add(AddPoints(xy=_shifted(xy, BESIDE * unit, -BESIDE * up), labels=labels, verb="Duplicate"))

    def nudge(self, dx: float, dy: float, again: bool = False) -> None:
        """Move the selected points by (dx, dy) in the plane; `again` (a repeating key) continues the same undo step."""
        if not again or self._nudging is None:
            self._nudging = object()
        ids = self.session.selection.ids
        xy, _ = self._selected()
        self._edit(MovePoints(self._nudging, ids=ids, xy=_shifted(xy, dx, dy), verb="Nudge"))

    def copying(self) -> Task[str] | None:
        """Return the task that makes the text of a table of the selected points, for the clipboard; None, and a report,
        if none is selected.
        """
        if not self._any_selected():
            return None
        xy, labels = self._selected()
        names, coordinates = tuple(style.name for style in self.document.styles), self.document.coordinates

        def work(progress: Progress) -> str:
            from app.exchange.exporting import text_pieces  # here, to keep the start fast

            pieces = []
            for piece, share in text_pieces(xy, labels, names, coordinates):
                pieces.append(piece)
                progress(share)
            return "".join(pieces)

        return Task(f"Copying {count(len(xy), 'point')}", work, "The points were not copied")

    def pasting(self, text: str) -> Task[tuple[int, ImportPoints]]:
        """Return the task that reads points from the text of a table, for `take_pasted`."""
        document, active, resets = self.document, self.session.active_class, self._host.store.resets

        def work(progress: Progress) -> tuple[int, ImportPoints]:
            from app.exchange.exporting import from_text

            names = tuple(style.name for style in document.styles)
            dates = document.dates
            xy, labels, names_after = from_text(text, names, active, document.points.classes, dates)
            named = tuple(name if name != before else "" for name, before in zip(names_after, names, strict=True))
            command = ImportPoints(
                xy=xy, labels=labels, class_names=named, add=True, fit=False, verb="Paste", dates=dates
            )
            return resets, command

        return Task("Pasting", work, "The clipboard was not pasted", kept=False)

    def take_pasted(self, pasted: tuple[int, ImportPoints]) -> None:
        """Add points from the clipboard and select them; ignore points that were meant for another document."""
        resets, command = pasted
        if resets == self._host.store.resets and self._add(command):
            self.say(f"Pasted {count(len(np.asarray(command.xy)), 'point')}; drag one of them to move them all.")

    def _selected(self) -> tuple[np.ndarray, np.ndarray]:
        points = self.document.points
        index = points.indices_of(self.session.selection.ids)
        return points.xy.take(index, axis=0), points.labels[index]

    def _add(self, command: Command) -> bool:
        """Add points and select them; return False if they were refused."""
        self.finish()
        before = self.document.points
        self.dispatch(command)
        ids = self.document.points.ids
        added = self.document.points is not before
        if added:
            self.select(ids[np.searchsorted(ids, before.next_id) :])
        return added

    def _edit(self, command: Command) -> None:
        """Apply a command that is no part of a gesture; a gesture in progress ends first."""
        self.finish()
        self.dispatch(command)

    def _keep_selection(self, old: Document, new: Document) -> None:
        """Deselect points that no longer exist."""
        selected = self.session.selection
        if len(selected) and new.points is not old.points:
            if np.array_equal(new.points.ids, old.points.ids):
                return
            left = new.points.ids[new.points.indices_of(selected.ids)]
            if len(left) != len(selected):
                self.select(left)

    # -- the keyboard ----------------------------------------------------------------------------------------------

    def arrow(self, dx: int, dy: int, unit: float, again: bool = False) -> None:
        """Handle an arrow key: move the selection, else the keyboard cursor, by pixels of width `unit`; y points up."""
        if self.busy and not self._by_keys:
            return
        view = self.document.view
        right, up = dx * unit, dy * unit * view.ratio
        if len(self.session.selection) and not self.busy and not self.session.gesture_hint:
            self.nudge(right, up, again)
            return
        x, y = self.session.cursor or (view.x, view.y)
        if self.session.cursor is not None:
            x, y = x + right, y + up
        self._host.set_session(cursor=(x, y))
        reach = 0.48 * view.span
        sides = ((x, view.x, reach), (y, view.y, reach * view.ratio))
        over = [value - min(max(value, middle - away), middle + away) for value, middle, away in sides]
        if any(over):
            self._host.pan(*over)
        self.drag(PointerPosition(x, y, unit, COARSE_PIXELS, view.ratio))

    def _cursor(self, unit: float) -> PointerPosition | None:
        """Return the location of the keyboard cursor."""
        cursor = self.session.cursor
        return None if cursor is None else PointerPosition(*cursor, unit, COARSE_PIXELS, self.document.view.ratio)

    def enter(self, unit: float) -> None:
        """Handle Enter at the keyboard cursor: click, or with other tools begin and end a drag."""
        if self.busy and not self._by_keys:
            return
        pointer = self._cursor(unit)
        if pointer is None:
            self._show_cursor(unit)
            return
        if self.busy:
            self.release(pointer)
            return
        self._begin(pointer, ENTER, by_keys=True)
        if self._tool.clicks:
            self.release(pointer)
        else:
            title = "Line" if self.session.gesture_hint else TOOLS[self.session.tool].title
            self.say(f"{title} begun: arrows move it, Enter ends it, Esc cancels it.")

    def _show_cursor(self, unit: float) -> None:
        """Show the keyboard cursor on a selected point, else in the middle of the view."""
        at = self.menu_location(None, unit)
        self._host.set_session(cursor=(at.x, at.y) if at is not None else (self.document.view.x, self.document.view.y))
        if len(self.session.selection):
            self.say("Enter uses the tool at the cursor; the arrow keys move what is selected, Esc selects nothing.")
        else:
            self.say("The arrow keys move the cursor, Enter uses the tool there.")

    def escape(self) -> None:
        """Handle Esc: cancel the gesture, else select nothing, else hide the keyboard cursor."""
        if self.cancel():
            self.say("Cancelled; nothing was changed.")
        elif len(self.session.selection):
            self.select_none()
        else:
            self._host.set_session(cursor=None)

    def delete(self, pointer: PointerPosition | None, unit: float) -> None:
        """Handle Delete: remove the selected points, else the one nearest to the keyboard cursor or to `pointer`."""
        if len(self.session.selection):
            self.remove_selected()
        elif (at := self._cursor(unit) or pointer) is not None:
            self.remove(at)
        else:
            self.say("Put the pointer near a point, or select points, then press Delete to remove them.")


def _shifted(xy: Array, dx: float, dy: float) -> Array:
    # Column by column: broadcasting along so short an axis takes three times as long.
    return np.column_stack((xy[:, 0] + dx, xy[:, 1] + dy))
