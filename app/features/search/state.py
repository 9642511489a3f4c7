"""SearchSession: which step of which search is displayed, and how small the leaves of the tree are."""

from __future__ import annotations

from msgspec.structs import replace

from app.state.session import FeatureSession
from solver.knn.search_tree import LARGEST_LEAF

#: The panel's name among the docks, and the beginning of that of the question.
NAME = "search"
#: Choices of the locations of a leaf, at most; the last is the program's own.
LEAF_SIZES = (2, 4, 8, 16, LARGEST_LEAF)


class SearchSession(FeatureSession, frozen=True):
    """What is displayed of the search for neighbours.

    Attributes
    ----------
    step : int or None
        Splits of the tree, then boxes of the search, that are displayed; None: all.
    leaf_size : int
        One of `LEAF_SIZES`.
    slot : int or None
        Slot of the chosen lane; None: the first one with kNN.
    """

    step: int | None = None
    leaf_size: int = 4
    slot: int | None = None

    def of_new_document(self) -> SearchSession:
        return replace(self, step=None, slot=None)

    def of_new_lane(self, slot: int) -> SearchSession:
        return replace(self, slot=None) if slot == self.slot else self
