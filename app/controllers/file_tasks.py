"""File tasks: saving, opening, reverting and exporting, each a task and what its result then changes.  No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from app.controllers.host import DocumentHost
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
    """A document stands in a file.

    Attributes
    ----------
    document : Document
    path : Path
    on_disk : Fingerprint
    resets : int
        Which document the window had then, as the store counts them.
    """

    document: Document
    path: Path
    on_disk: Fingerprint
    resets: int


class Opened(Struct, frozen=True, eq=False):
    """A document was read.

    Attributes
    ----------
    contents : Contents
    name : str
        Of the file that was read.
    resets : int
        As of `Saved`.
    before : Document
        What the window showed when reading was asked for.
    """

    contents: Contents
    name: str
    resets: int
    before: Document


class ChangedOnDiskError(documents.FileError):
    """Another program has written the document's file since it was read or saved here."""


class FileTasks:
    """The tasks read and write; only the methods that take their results change anything.

    Parameters
    ----------
    host : DocumentHost
    """

    def __init__(self, host: DocumentHost) -> None:
        self._host = host

    # -- saving ----------------------------------------------------------------------------------------------------

    def saving(self, path: Path, overwrite: bool = False) -> Task[Saved]:
        """Save the present document at `path`.

        ChangedOnDiskError when another program has changed that file, unless `overwrite`.
        """
        store, document = self._host.store, self._host.document
        resets = store.resets

        def work(progress: Progress) -> Saved:
            # Asked only now: the save before this one has changed the file, too.
            if not overwrite and self.changed_on_disk(path):
                reason = "was changed by another program since it was read or saved here"
                raise ChangedOnDiskError(f"{path.name} {reason}.", reason)
            data = documents.encode(document)
            documents.write_pieces((data,), path, progress.commit)
            return Saved(document, path, Fingerprint.of(data), resets)

        return Task(f"Saving {path.name}", work, f"{path.name} was not saved")

    def take_saved(self, saved: Saved) -> None:
        """The document is saved, whatever was edited meanwhile."""
        if saved.resets == self._host.store.resets:
            self._host.on_disk = saved.on_disk
            self._host.store.saved(saved.document, saved.path)
        left_out = f"  {NOT_WRITTEN}" if saved.document.has_passed else ""
        self._host.say(f"Saved {saved.path.name}.{left_out}")

    def changed_on_disk(self, path: Path) -> bool:
        """Another program has written the document's file at `path` since it was read or saved here."""
        own, known = self._host.store.path, self._host.on_disk
        if own is None or known is None or locks.identity(own) != locks.identity(path):
            return False
        return documents.differs(path, known)

    # -- opening ---------------------------------------------------------------------------------------------------

    def opening(self, path: Path) -> Task[Opened]:
        """Read the file at `path`: a document, a share text or a recovery copy."""
        name = path.name or str(path)
        task = self._reading(name, lambda: opening.read(path))
        return Task(f"Opening {name}", task, f"{name} was not opened", kept=False)

    def opening_text(self, text: str) -> Task[Opened]:
        """Read a share text."""
        task = self._reading("the share text", lambda: opening.of_text(text))
        return Task("Opening a share text", task, "The share text was not opened", kept=False)

    def _reading(self, name: str, read: Callable[[], Contents]) -> Callable[[Progress], Opened]:
        # Of now, when the user has been asked about changes; reading may begin later.
        resets, before = self._host.store.resets, self._host.store.document

        def work(progress: Progress) -> Opened:
            contents = read()
            document = contents.document
            # Where one looked is part of the document, unless nothing would be seen there.
            if not document.view.shows(document.points):
                document = replace(document, view=View.fitting(document.points))
            progress()
            _ = document.parts, document.points.counts  # kept for the window, which would wait for them
            progress()
            return Opened(replace(contents, document=document), name, resets, before)

        return work

    def outdated(self, opened: Opened) -> bool:
        """Another document has been opened or made since, which is what one wants now."""
        return opened.resets != self._host.store.resets

    def edited_since(self, opened: Opened) -> bool:
        """There are changes that nobody was asked about."""
        store = self._host.store
        return store.modified and not same_content(store.document, opened.before)

    def take_opened(self, opened: Opened) -> None:
        """The document that was read, in place of the present one; of a recovery copy, as work without a file."""
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
        """What a share text holds, as one step."""
        if self.outdated(opened):
            return
        document = opened.contents.document
        if self._host.replace_by(document, "Open a share text"):
            points = count(len(document.points), "point")
            self._host.say(f"Opened a share text with {points}. Undo brings back what was here before.")
        else:
            self._host.say("The share text holds what is here already.")

    def take_reverted(self, opened: Opened) -> None:
        """What the document's file holds, as one step."""
        contents = opened.contents
        if self.outdated(opened) or contents.path is None:
            return
        self._host.dispatch(Revert(document=contents.document))
        self._host.on_disk = contents.on_disk
        self._host.store.saved(self._host.document, contents.path)

    # -- exporting -------------------------------------------------------------------------------------------------

    def exporting(self, path: Path, guard: bool = True) -> Task[str]:
        """Write the points to `path` in the format of its suffix; a sentence about it.

        `guard`: names that a spreadsheet would run as formulas get an apostrophe.
        """
        document = self._host.document

        def work(progress: Progress) -> str:
            from app.exchange.exporting import encode_pieces  # only now: nothing of it is needed to start

            points, names = document.points, tuple(style.name for style in document.styles)
            xy, axes = document.measured
            pieces = encode_pieces(xy, points.labels, names, axes, path, guard)
            documents.write_pieces(_told(pieces, progress), path, progress.commit)
            return f"Exported {count(len(points), 'point')} to {path.name}."

        return Task(f"Exporting {path.name}", work, f"{path.name} was not exported")


def _told(pieces: Iterable[tuple[bytes, float]], progress: Progress) -> Iterator[bytes]:
    for piece, share in pieces:
        yield piece
        progress(share)
