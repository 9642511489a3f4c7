"""SearchController: step through tree and search, choose the size of leaves.  No Qt."""

from __future__ import annotations

from app.controllers.host import SubjectController

from .scene import search_of
from .state import SearchSession


class SearchController(SubjectController):
    """Translate user actions into session changes; a timeline for `timeline_keys.take_key`."""

    @property
    def length(self) -> int:
        """Number of steps of the search that is displayed; 0 without one."""
        search = search_of(self._host.document, self._host.session, self._host.results)
        return 0 if search is None else search.length

    def seek(self, step: int) -> None:
        """Display the first `step` steps; from the last one on, also the end of every later search."""
        self._host.change(SearchSession, step=None if step >= self.length else max(step, 0))

    def step(self, lane: int, by: int) -> None:
        """Move by `by` steps; the lane is ignored, since there is one search."""
        step, length = self._host.session.of(SearchSession).step, self.length
        self.seek((length if step is None else min(step, length)) + by)

    def to_start(self, lane: int) -> None:
        """Display the box of all points, before its first split."""
        self.seek(0)

    def to_end(self, lane: int) -> None:
        """Display the end of the search, also while the query moves."""
        self.choose(step=None)

    def choose(self, **changes: int | None) -> None:
        """Change fields of `SearchSession`; without a `step`, go to the end: another search has other steps."""
        self._host.change(SearchSession, **{"step": None, **changes})
