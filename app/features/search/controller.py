"""SearchController: steps through the tree and the search, and chooses lane and size of leaves.  No Qt."""

from __future__ import annotations

from app.controllers.host import Host

from .scene import search_of
from .state import SearchSession


class SearchController:
    """Translate user actions into session changes; a timeline for `timeline_keys.take_key`.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def length(self) -> int:
        """Number of steps of the search that is displayed; 0 without one."""
        search = search_of(self._host.document, self._host.session, self._host.results)
        return 0 if search is None else search.length

    def seek(self, step: int) -> None:
        """Display the first `step` steps; from the last one on, the end of whatever search comes next, too."""
        length = self.length
        self._host.change(SearchSession, step=None if step >= length else max(step, 0))

    def step(self, lane: int, by: int) -> None:
        """Go `by` steps forward or back; the place of a lane is ignored, since there is one search."""
        step, length = self._host.session.of(SearchSession).step, self.length
        self.seek((length if step is None else min(step, length)) + by)

    def to_start(self, lane: int) -> None:
        """Display the box of all points, before its first split."""
        self.seek(0)

    def to_end(self, lane: int) -> None:
        """Display the end of the search, also while the query moves."""
        self._host.change(SearchSession, step=None)

    def to_search(self) -> None:
        """Display the whole tree, before the first step of the search."""
        search = search_of(self._host.document, self._host.session, self._host.results)
        if search is not None:
            self._host.change(SearchSession, step=search.n_splits)

    def set_leaf_size(self, leaf_size: int) -> None:
        """Have leaves of at most `leaf_size` locations; from the end on, for steps are others now."""
        self._host.change(SearchSession, leaf_size=leaf_size, step=None)

    def choose_lane(self, slot: int) -> None:
        """Display the search of the lane of this slot."""
        self._host.change(SearchSession, slot=slot, step=None)
