"""Host: the part of the controller that its subordinate controllers use; SubjectController: the base of those."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from app.engine.results import Results
from app.files.documents import Fingerprint
from app.state.commands import Command
from app.state.document import Document
from app.state.session import FeatureSession, Session
from app.state.store import Store


class Host(Protocol):
    """The owner of document and session, through which alone they change."""

    session: Session
    store: Store
    results: Results
    pointer: tuple[float, float] | None
    came_from: Mapping[object, tuple[float, float]]

    @property
    def document(self) -> Document: ...
    def dispatch(self, command: Command) -> bool: ...
    def apply(self, command: Command) -> bool: ...
    def set_session(self, *parts: FeatureSession, **changes: Any) -> None: ...
    def point(self, location: tuple[float, float] | None) -> None: ...
    def change(self, kind: type[FeatureSession], **changes: Any) -> None: ...
    def set_lane(self, index: int, part: str = "", drag: object = None, text: str = "", **values: Any) -> None: ...
    def pan(self, dx: float, dy: float) -> None: ...
    def say(self, sentence: str) -> None: ...


class SubjectController:
    """A controller of one subject: it translates user actions into commands and session changes of its `host`."""

    def __init__(self, host: Host) -> None:
        self._host = host


class DocumentHost(Host, Protocol):
    """A host that can also replace the whole document, and has the fingerprint of its file."""

    on_disk: Fingerprint | None

    def put(
        self, document: Document, path: Path | None, on_disk: Fingerprint | None = None, modified: bool = False
    ) -> None: ...
    def replace_by(self, document: Document, text: str) -> bool: ...
