"""ExampleController: opens an example of the gallery, and starts it over; no Qt."""

from __future__ import annotations

from typing import Protocol

from app.files import documents
from app.files.examples import BY_NAME, Example, read
from app.state.commands import Revert
from app.state.document import MAX_LANES, Document
from app.state.host import Host
from app.state.session import FULL_SPEED


class ExampleHost(Host, Protocol):
    """The same, where documents can be replaced."""

    def put(self, document: Document, path: None) -> None: ...


class ExampleController:
    """
    Parameters
    ----------
    host : ExampleHost
    """

    def __init__(self, host: ExampleHost) -> None:
        self._host = host

    @property
    def present(self) -> Example | None:
        """The example that the document began as."""
        return BY_NAME.get(self._host.session.example)

    def open(self, example: Example) -> None:
        """Put the example in place of the document; FileError with one sentence when it cannot be read."""
        document = read(example)
        self._host.put(document, None)
        self._begin(example)

    def start_over(self) -> None:
        """The example as it was at first, as one step: undo brings back what was made of it."""
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
        """Every run from zero, at full speed, or waiting for its first step."""
        session = self._host.session
        self._host.set_session(
            example=example.name,
            playing=(not example.steps,) * MAX_LANES,
            speeds=(FULL_SPEED,) * MAX_LANES,
            seeks=(None,) * MAX_LANES,
            restarts=tuple(restart + 1 for restart in session.restarts),
            studied=self._host.document.slots[self._host.document.shown - 1],
        )
        self._host.say(example.sentence)
