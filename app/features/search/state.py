"""SearchSession: the displayed step, and the size of the tree's leaves."""

from __future__ import annotations

from msgspec.structs import replace

from app.state.session import FeatureSession
from solver.knn.search_tree import LARGEST_LEAF

#: Name of the panel among the docks, and first part of the name of its questions.
NAME = "search"
#: Choices for the largest number of locations in a leaf; the last is the program's own.
LEAF_SIZES = (2, 4, 8, 16, LARGEST_LEAF)


class SearchSession(FeatureSession, frozen=True):
    """The user's choices for the neighbour search.

    Attributes
    ----------
    step : int or None
        Number of displayed steps: splits of the tree, then boxes of the search; None: all.
    leaf_size : int
        One of `LEAF_SIZES`.
    """

    step: int | None = None
    leaf_size: int = 4

    def of_new_document(self) -> SearchSession:
        return replace(self, step=None)
