"""Store: the owner of the document, its history and its file; every change goes through `dispatch`."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from app.core.caches import forget
from app.core.plain_text import plain

from .commands import Command
from .document import Document

Listener = Callable[[Document, Document], None]


class _Step(Struct, frozen=True):
    name: str
    before: Document
    after: Document
    merge_key: Hashable


class StoreState(Struct, frozen=True, eq=False):
    """A document with its file and its history, while that of a lesson replaces it.

    Attributes
    ----------
    document : Document
    path : Path or None
    title : str
    modified : bool
    """

    document: Document
    path: Path | None
    title: str
    modified: bool
    _saved: Document | None
    _past: tuple[_Step, ...]
    _future: tuple[_Step, ...]
    _cut_off: tuple[_Step, ...]


class Store:
    """Hold the document and its history.

    Attributes
    ----------
    document : Document
    path : Path or None
        File that it was read from or last written to.
    resets : int
        Number of times the document was replaced by another.
    """

    def __init__(self, document: Document, path: Path | None = None) -> None:
        self.document = document
        self.path = path
        self.resets = 0
        self._past: list[_Step] = []
        self._future: list[_Step] = []
        self._cut_off: list[_Step] = []  # the steps that the newest one made impossible to redo
        self._saved: Document | None = document  # None if never saved
        self._listed: tuple[tuple[str, ...], int | None] | None = None  # history; None if it must be recomputed
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call `listener(old, new)` after every change."""
        self._listeners.append(listener)

    @property
    def undo_name(self) -> str | None:
        """Name of the step that undo would undo, or None."""
        return self._past[-1].name if self._past else None

    @property
    def redo_name(self) -> str | None:
        """Name of the step that redo would redo, or None."""
        return self._future[-1].name if self._future else None

    @property
    def modified(self) -> bool:
        """Whether there are unsaved changes; the part of the plane in view does not count."""
        return self._saved is None or not same_content(self.document, self._saved)

    def dispatch(self, command: Command) -> None:
        """Apply `command`; call the listeners if it changed anything."""
        old = self.document
        new = command.apply(old)
        if new is old:
            return
        if command.undoable:
            before, last = old, self._past[-1] if self._past else None
            if last and command.merge_key is not None and last.merge_key == command.merge_key:
                before = self._past.pop().before
            else:
                self._cut_off = self._future.copy()
            self._past.append(_Step(command.name(before, new), before, new, command.merge_key))
            self._future.clear()
        self._change(new)

    def undo(self) -> None:
        """Undo the newest step, if any."""
        self.go_to(self.position - 1)

    def redo(self) -> None:
        """Redo the step undone last, if any."""
        self.go_to(self.position + 1)

    def go_to(self, position: int) -> None:
        """Undo or redo steps until `position` of them are done, in one change."""
        moves = []
        while self.position > max(position, 0):
            step = self._past.pop()
            self._future.append(step)
            moves.append((step.before, step))
        while self.position < position and self._future:
            step = self._future.pop()
            # No command merges into a step that was undone and redone.
            self._past.append(replace(step, merge_key=None))
            moves.append((step.after, step))
        if moves:
            self._change(self._looking(*moves))

    @property
    def history(self) -> tuple[str, ...]:
        """Names of all steps, undone ones included, oldest first."""
        return self._list()[0]

    def newest_step(self, prefix: str) -> str | None:
        """Return the name of the newest step that begins with `prefix`, or None."""
        return next((step.name for step in reversed(self._past) if step.name.startswith(prefix)), None)

    @property
    def position(self) -> int:
        """Number of steps of `history` that are done."""
        return len(self._past)

    @property
    def saved_position(self) -> int | None:
        """Number of steps of `history` that lead to the saved document; None if none do."""
        return self._list()[1]

    def _list(self) -> tuple[tuple[str, ...], int | None]:
        if self._listed is None:
            steps, saved = (*self._past, *reversed(self._future)), self._saved
            documents = (steps[0].before if steps else self.document, *(step.after for step in steps))
            at = (
                position
                for position, document in enumerate(documents)
                if saved is not None and document.points is saved.points  # without `attached`, which no step changes
                if same_content(replace(document, attached=saved.attached), saved)
            )
            self._listed = tuple(step.name for step in steps), next(at, None)
        return self._listed

    def abandon(self, merge_key: Hashable) -> None:
        """Remove the newest step without a trace, if it has this `merge_key` (for a cancelled gesture)."""
        if self._past and merge_key is not None and self._past[-1].merge_key == merge_key:
            step = self._past.pop()
            self._future = self._cut_off.copy()
            self._change(self._looking((step.before, step)))

    @property
    def folder(self) -> Path:
        """Folder that file dialogs offer first: that of the document."""
        return self.path.parent if self.path is not None else Path.home()

    @property
    def title(self) -> str:
        """Title of the document: its file's name, or "Untitled"."""
        return plain(self.path.name) if self.path else "Untitled"

    def reset(self, document: Document, path: Path | None, modified: bool = False) -> None:
        """Replace the document by a new or opened one, without history; it needs saving only if `modified`."""
        self.resets += 1
        self._past.clear()
        self._future.clear()
        self._cut_off.clear()
        self._saved = None if modified else document
        self.path = path
        forget()
        self._change(document)

    @property
    def state(self) -> StoreState:
        """Return the document with its file and its history, for `put_back`."""
        history = tuple(self._past), tuple(self._future), tuple(self._cut_off)
        return StoreState(self.document, self.path, self.title, self.modified, self._saved, *history)

    def put_back(self, state: StoreState) -> None:
        """Restore a document with its file and its history."""
        self.resets += 1
        self._past, self._future, self._cut_off = list(state._past), list(state._future), list(state._cut_off)
        self._saved, self.path = state._saved, state.path
        forget()
        self._change(state.document)

    def saved(self, document: Document, path: Path | None) -> None:
        """Note that `document` has been saved at `path`, or needs no file."""
        self._saved = document
        self.path = path
        self._change(self.document)

    def _looking(self, *moves: tuple[Document, _Step]) -> Document:
        """Return the last target of `moves`, with the present attached data and view where no step changed them."""
        target, view, attached = self.document, self.document.view, self.document.attached
        for target, step in moves:
            if step.before.view != step.after.view:
                view = target.view
            if step.before.attached != step.after.attached:
                attached = target.attached
        return replace(target, view=view, attached=attached)

    def _change(self, new: Document) -> None:
        old, self.document, self._listed = self.document, new, None
        for listener in self._listeners:
            listener(old, new)


def same_content(first: Document, second: Document) -> bool:
    """Return whether two documents are equal but for the part of the plane in view and the slots of the lanes."""
    return _parts(first) == _parts(second) and first.view.owns_scales is second.view.owns_scales


def _parts(document: Document) -> tuple[object, ...]:
    return tuple(getattr(document, name) for name in document.__struct_fields__ if name not in ("view", "slots"))
