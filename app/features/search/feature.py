"""Search: how kNN finds its neighbours."""

from app.engine.cover import Cover
from app.features.probe.controller import ProbeController
from app.scene.feature import COMPARE, Action, Dock, Feature, Widget

from . import scene, state
from .controller import SearchController

FEATURE = Feature(
    actions=(
        Action(
            state.NAME,
            COMPARE,
            "Neighbour &search",
            ("F4",),
            "How kNN finds its neighbours: a k-d tree.",
            "",
            True,
            after="pin",
            simple=False,
        ),
        Action(
            "search_forward",
            COMPARE,
            "Search: step f&orward",
            (">",),
            "The next split of the tree, or the next box that the search looks at.",
            run=lambda around: around.controller.feature(SearchController).step(0, 1),
            able=lambda controller: controller.feature(SearchController).length > 0,
            after=state.NAME,
            simple=False,
        ),
        Action(
            "search_back",
            COMPARE,
            "Search: step &back",
            ("<",),
            "One split of the tree, or one box of the search, earlier.",
            run=lambda around: around.controller.feature(SearchController).step(0, -1),
            able=lambda controller: controller.feature(SearchController).length > 0,
            after="search_forward",
            simple=False,
        ),
    ),
    dock=Dock(
        state.NAME,
        "Neighbour search",
        Widget("app.features.search.panel.SearchPanel"),
        tab="Search",
        height=390,
        reveals=Cover.PICTURE,
        pins=True,
    ),
    queries=scene.queries,
    scene=scene.scene,
    pointed=lambda controller, pointer: controller.feature(ProbeController).aim(pointer),
    views={"overlay": Widget("app.features.search.overlay.SearchLayer")},
    help=(
        ("Neighbour search", "F4", "how kNN finds its neighbours: the k-d tree and the search at the pointer"),
        ("Neighbour search", ">, <", "one step forward or back, with the pointer over a picture, too"),
        ("Neighbour search", "Home, End", "in the panel: the first split, or the end of the search"),
        ("Neighbour search", "Q", "pin the query; again to follow the pointer"),
    ),
)
