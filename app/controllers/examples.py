"""ExampleController: open an example of the gallery, and start it over; no Qt."""

from __future__ import annotations

from app.controllers.host import DocumentHost
from app.files import documents
from app.files.examples import EXAMPLES, Example, read
from app.state.commands import Revert
from app.state.document import MAX_LANES
from app.state.session import FULL_SPEED


class ExampleController:
    """Open, follow and restart examples.

    Parameters
    ----------
    host : DocumentHost

    Attributes
    ----------
    openings : int
        Number of examples opened or started over so far.
    """

    def __init__(self, host: DocumentHost) -> None:
        self._host = host
        #: The example last opened as a document of its own, and the store's number of that document.
        self._opened: tuple[Example | None, int] = (None, 0)
        self.openings = 0

    @property
    def present(self) -> Example | None:
        """The example that the document, or the last step that opened one in it, began as."""
        opened = self._host.store.newest_step(OPEN)
        if opened is not None:
            return _BY_STEP.get(opened)
        example, resets = self._opened
        return example if resets == self._host.store.resets else None

    def open(self, example: Example) -> None:
        """Replace the document by the example; raise FileError with one sentence if it cannot be read."""
        self._host.put(read(example), None)
        self._opened = example, self._host.store.resets
        self._begin(example)

    def step_to(self, example: Example) -> None:
        """Replace the document by the example in one undo step; raise FileError if it cannot be read."""
        document, store = read(example), self._host.store
        own = store.modified or store.path is not None
        if not self._host.replace_by(document, _step(example)):  # its points and settings are already there
            self._opened = example, store.resets
        elif not own:
            store.saved(self._host.document, None)
        self._begin(example)

    def follow(self, by: int) -> Example | None:
        """Replace the document, as one step, by the example `by` entries after the present one, and return it.

        If there is none, or it cannot be read, report that and return None.
        """
        index = EXAMPLES.index(self.present) + by if self.present is not None else 0
        if not 0 <= index < len(EXAMPLES):
            self._host.say("This is the last example." if by > 0 else "This is the first example.")
            return None
        try:
            self.step_to(EXAMPLES[index])
        except documents.FileError as error:
            self._host.say(str(error))
            return None
        return EXAMPLES[index]

    def start_over(self) -> None:
        """Restore the example to its original state, as one step, which undo reverts."""
        example = self.present
        if example is None:
            self._host.say("This document is not one of the examples.")
            return
        try:
            document = read(example)
        except documents.FileError as error:
            self._host.say(str(error))
            return
        self._host.dispatch(Revert(document=document, text=f"Start “{example.title}” over"))
        if self._host.store.path is None:
            self._host.store.saved(self._host.document, None)
        self._begin(example)

    def _begin(self, example: Example) -> None:
        """Start every run from zero, at full speed, or waiting for its first step."""
        self.openings += 1
        self._host.set_session(
            playing=(not example.steps,) * MAX_LANES,
            speeds=(FULL_SPEED,) * MAX_LANES,
            seeks=(None,) * MAX_LANES,
            restarts=self._host.session.restarted,
            selected_slot=self._host.document.slots[self._host.document.shown - 1],
        )
        self._host.say(example.sentence)


#: Beginning of the names of steps that replace the whole document.
OPEN = "Open "


def _step(example: Example) -> str:
    """Return the name of the step that opens an example."""
    return f"{OPEN}“{example.title}”"


_BY_STEP = {_step(example): example for example in EXAMPLES}
