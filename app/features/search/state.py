"""SearchSession: the displayed step, and the size of the tree's leaves.  SearchQuery: its work."""

from __future__ import annotations

from collections.abc import Callable, Generator

from msgspec import Struct
from msgspec.structs import replace

from app.core.caches import kept
from app.engine.pacing import Pace, Step
from app.state.session import FeatureSession
from solver import KNeighborsClassifier
from solver.knn.search_tree import LARGEST_LEAF, SearchTree, SearchWalk

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


class Search(Struct, frozen=True, eq=False):
    """A tree and the walk through it, None without a query; `model` is the model of both."""

    model: KNeighborsClassifier
    kd_tree: SearchTree
    walk: SearchWalk | None

    @property
    def n_splits(self) -> int:
        """Number of splits of the tree."""
        return self.kd_tree.n_leaves - 1

    @property
    def length(self) -> int:
        """Number of steps that can be displayed: all splits, then all boxes of the walk."""
        return self.n_splits + (0 if self.walk is None else len(self.walk.steps))


class SearchQuery(Struct, frozen=True):
    """Query: find the neighbours of `location` by a tree with leaves of at most `leaf_size` points."""

    model: KNeighborsClassifier
    location: tuple[float, float] | None
    leaf_size: int

    def answer(self, post: Callable[[Search], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post a `Search`; a short walk does not pause, so a moving pointer never overtakes it."""
        pace, walk = Pace(overtaken), None
        yield from pace.pause()
        tree = _tree(self.model, self.leaf_size)
        if self.location is not None:
            walk = yield from pace.through(tree.searching(self.location, self.model.n_neighbors))
        post(Search(self.model, tree, walk))


#: Cached, since a moving pointer searches the same tree again and again.
_tree = kept(4)(KNeighborsClassifier.search_tree)
