"""File tasks: save, open, revert and export, each as a task, and the methods that apply its result.  No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from app.controllers.host import DocumentHost, SubjectController
from app.core.number_format import count
from app.exchange import opening
from app.exchange.opening import Contents, Kind
from app.files import documents, locks
from app.files.background_task import Progress, Task
from app.files.documents import Fingerprint
from app.learners.passed import NOT_WRITTEN
from app.state.commands import Revert
from app.state.document import Document, View
from app.state.store import same_content


class Saved(Struct, frozen=True, eq=False):
    """Result of saving: the document in a file.

    Attributes
    ----------
    document : Document
    path : Path
    on_disk : Fingerprint
    resets : int
        Number of the document that the window had then (`Store.resets`).
    """

    document: Document
    path: Path
    on_disk: Fingerprint
    resets: int


class Opened(Struct, frozen=True, eq=False):
    """Result of reading: a document.

    Attributes
    ----------
    contents : Contents
    name : str
        Name of the file.
    resets : int
        As in `Saved`.
    before : Document
        Document of the window when reading was requested.
    """

    contents: Contents
    name: str
    resets: int
    before: Document


class ChangedOnDiskError(documents.FileError):
    """Another program has written the document's file since it was read or saved here."""


class FileTasks(SubjectController):
    """Tasks that read and write; only the methods that take their results change the document.

    Parameters
    ----------
    host : DocumentHost
    """

    _host: DocumentHost

    # -- saving ----------------------------------------------------------------------------------------------------

    def saving(self, path: Path, overwrite: bool = False) -> Task[Saved]:
        """Return the task that saves the present document at `path`.

        It fails with ChangedOnDiskError if another program has changed that file, unless `overwrite`.
        """
        store, document = self._host.store, self._host.document
        resets = store.resets

        def work(progress: Progress) -> Saved:
            # Checked here, on the thread: the save before this one has changed the file, too.
            if not overwrite and self.changed_on_disk(path):
                reason = "was changed by another program since it was read or saved here"
                raise ChangedOnDiskError(f"{path.name} {reason}.", reason)
            data = documents.encode(document)
            documents.write_pieces((data,), path, progress.commit)
            return Saved(document, path, Fingerprint.of(data), resets)

        return Task(f"Saving {path.name}", work, f"{path.name} was not saved")

    def take_saved(self, saved: Saved) -> None:
        """Record that the document is saved, whatever was edited since."""
        if saved.resets == self._host.store.resets:
            self._host.on_disk = saved.on_disk
            self._host.store.saved(saved.document, saved.path)
        left_out = f"  {NOT_WRITTEN}" if saved.document.has_passed else ""
        self._host.say(f"Saved {saved.path.name}.{left_out}")

    def changed_on_disk(self, path: Path) -> bool:
        """Return whether another program has changed the document's file at `path` since it was read or saved here."""
        own, known = self._host.store.path, self._host.on_disk
        if own is None or known is None or locks.identity(own) != locks.identity(path):
            return False
        return documents.differs(path, known)

    # -- opening ---------------------------------------------------------------------------------------------------

    def opening(self, path: Path) -> Task[Opened]:
        """Return the task that reads the file at `path`: a document, a share text or a recovery copy."""
        name = path.name or str(path)
        task = self._reading(name, lambda: opening.read(path))
        return Task(f"Opening {name}", task, f"{name} was not opened", kept=False)

    def opening_text(self, text: str) -> Task[Opened]:
        """Return the task that reads a share text."""
        task = self._reading("the share text", lambda: opening.of_text(text))
        return Task("Opening a share text", task, "The share text was not opened", kept=False)

    def _reading(self, name: str, read: Callable[[], Contents]) -> Callable[[Progress], Opened]:
        # State at the question about unsaved changes; the reading may begin later.
        resets, before = self._host.store.resets, self._host.store.document

        def work(progress: Progress) -> Opened:
            contents = read()
            document = contents.document
            # The view is part of the document, unless it would show no point.
            if not document.view.shows(document.points):
                document = replace(document, view=View.fitting(document.points))
            progress()
            _ = document.parts, document.points.counts  # computed here, so that the window need not wait for them
            progress()
            return Opened(replace(contents, document=document), name, resets, before)

        return work

    def outdated(self, opened: Opened) -> bool:
        """Return whether another document has been opened or made since, so that this one is dropped."""
        return opened.resets != self._host.store.resets

    def edited_since(self, opened: Opened) -> bool:
        """Return whether the document was changed after the question about unsaved changes."""
        store = self._host.store
        return store.modified and not same_content(store.document, opened.before)

    def take_opened(self, opened: Opened) -> None:
        """Replace the document by the one that was read; that of a recovery copy has no file."""
        contents = opened.contents
        if contents.kind is Kind.SHARE_TEXT:
            self.take_shared(opened)
            self._host.on_disk = None
            self._host.store.saved(self._host.document, None)
            return
        self._host.put(contents.document, contents.path, contents.on_disk, modified=contents.path is None)
        if contents.path is None:
            self._host.say(f"Recovered {opened.name}. It is not saved yet.")

    def take_shared(self, opened: Opened) -> None:
        """Replace the document by that of a share text, in one undo step."""
        if self.outdated(opened):
            return
        document = opened.contents.document
        if self._host.replace_by(document, "Open a share text"):
            points = count(len(document.points), "point")
            self._host.say(f"Opened a share text with {points}. Undo brings back what was here before.")
        else:
            self._host.say("The share text holds what is here already.")

    def take_reverted(self, opened: Opened) -> None:
        """Replace the document by the content of its file, in one undo step."""
        contents = opened.contents
        if self.outdated(opened) or contents.path is None:
            return
        self._host.dispatch(Revert(document=contents.document))
        self._host.on_disk = contents.on_disk
        self._host.store.saved(self._host.document, contents.path)

    # -- exporting -------------------------------------------------------------------------------------------------

    def exporting(self, path: Path, guard: bool = True) -> Task[str]:
        """Return the task that writes the points to `path` in the format of its suffix; its result is a sentence.

        If `guard`, names that a spreadsheet would run as formulas get an apostrophe.
        """
        document = self._host.document

        def work(progress: Progress) -> str:
            from app.exchange.exporting import encode_pieces, numbered  # here, to keep the start fast

            points, names = document.points, tuple(style.name for style in document.styles)
            xy, axes = document.measured
            pieces = encode_pieces(xy, points.labels, names, axes, path, guard, document.coordinates)
            documents.write_pieces(_reporting(pieces, progress), path, progress.commit)
            return f"Exported {count(len(points), 'point')} to {path.name}.{numbered(points.labels, names, path)}"

        return Task(f"Exporting {path.name}", work, f"{path.name} was not exported")


def _reporting(pieces: Iterable[tuple[bytes, float]], progress: Progress) -> Iterator[bytes]:
    for piece, share in pieces:
        yield piece
        progress(share)
