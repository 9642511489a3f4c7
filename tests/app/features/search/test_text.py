"""The sentences of the neighbour search: every number in them is one of the walk."""

from __future__ import annotations

import re

import numpy as np
import pytest

from app.core.number_format import distinct
from app.features.search import text as words
from app.features.search.state import Search, SearchQuery
from solver import KNeighborsClassifier

POINTS = np.array([[0, 0], [1, 0], [0, 1], [5, 5], [6, 5], [5, 7]])


def search_of(
    query: tuple[float, float] | None = (0.2, 0.1),
    k: int = 1,
    points: object = POINTS,
    leaf: int = 3,
    **settings: object,
) -> Search:
    X = np.asarray(points, dtype=float)
    posted: list[Search] = []
    model = KNeighborsClassifier(k, **settings).fit(X, np.zeros(len(X)))  # type: ignore[arg-type]
    for _ in SearchQuery(model, query, leaf).answer(posted.append, lambda: False):
        pass
    (found,) = posted
    return found


def test_a_tree_and_a_walk_in_words() -> None:
    search = search_of()
    assert search.length == 4 and search.n_splits == 1
    assert [(words.heading(search, step), words.sentence(search, step)) for step in range(5)] == [
        ("Tree: split 0 of 1", "6 points in one box: it is split first."),
        (
            "Tree complete",
            "The box of 6 points is wider in y (7 against 6): halved at the median, y = 5, into 3 and 3.",
        ),
        ("Search: step 1 of 3", "Box of 6 points: y = 0.1 is below 5, so its lower half comes first."),
        ("Search: step 2 of 3", "Leaf of 3 points: measured. The 1st nearest so far is at 0.224."),
        (
            "Search: step 3 of 3",
            "Pruned: 6.86 to its box is farther than the 1st nearest so far, 0.224: no neighbour can be inside. Left"
            " unmeasured: 3 points.",
        ),
    ]
    assert [words.counts(search, step) for step in (0, 1, 3)] == [
        "",
        "Looked at 0 of 6 points: 0 boxes opened, 0 pruned.",
        "Looked at 3 of 6 points: 2 boxes opened, 0 pruned.",
    ]
    assert words.counts(search, 4) == (
        "Looked at 3 of 6 points: 2 boxes opened, 1 pruned. The search has ended: no other box can hold a neighbour."
        " Brute force looks at all 6."
    )


def test_a_box_that_must_be_opened_and_what_changes() -> None:
    points = [[0, 0], [0, 1], [0.9, 0], [2, 0], [2.1, 0], [9, 0]]
    search = search_of((1.5, 0.0), 2, points, 3)
    shown = [words.sentence(search, step) for step in range(search.n_splits + 1, search.length + 1)]
    assert shown == [
        "Box of 6 points: x = 1.5 is below 2, so its left half comes first.",
        "Leaf of 3 points: measured. The 2nd nearest so far is at 1.5.",
        "0.5 to its box is nearer than the 2nd nearest so far, 1.5: it must be opened. Leaf of 3 points:"
        " measured. The 2nd nearest so far comes nearer, from 1.5 to 0.6.",
    ]
    assert "Brute force looks at no more." in words.counts(search, search.length)


def test_a_tie_at_a_box_and_few_known() -> None:
    search = search_of((1.0, 0.0), 1, [[0, 0], [0, 1], [2, 0], [2, 5]], 2)
    shown = [words.sentence(search, step) for step in range(search.n_splits + 1, search.length + 1)]
    assert "1 to its box is exactly as far as the 1st nearest so far: there may be a tie." in shown[-1]
    assert "None is nearer: the 1st nearest so far stays at 1." in shown[-1]
    far = search_of((0, 0), 5)
    assert words.sentence(far, 3).endswith("3 of the 5 nearest are known so far.")


@pytest.mark.parametrize("leaf", [2, 8])
def test_every_sentence_of_a_long_walk_is_whole(leaf: int) -> None:
    points = np.random.default_rng(2).normal(size=(300, 2))
    search = search_of((0.1, 0.2), 7, points, leaf)
    for step in range(search.length + 1):
        sentence = words.sentence(search, step)
        assert sentence.endswith(".") and not re.search(r"inf|nan|None of|(?<!e)-\d", sentence), sentence
        reports = [float(each) for each in re.findall(r"([\d.e-]+) to its box is (?:farther|nearer)", sentence)]
        bounds = [float(each) for each in re.findall(r"nearest so far, ([\d.e-]+)[.:] ", sentence)]
        if reports:
            assert (reports[0] > bounds[0]) == sentence.startswith("Pruned")


def test_equal_points_are_locations() -> None:
    search = search_of((0, 0), 1, [[1, 1]] * 4, 2)
    assert words.heading(search, 0) == "One leaf"
    assert words.sentence(search, 0) == (
        "1 location in one box: no more than the 2 of a leaf, so there is nothing to split."
    )
    assert words.counts(search, 1).startswith("Looked at 1 of 1 location (4 points): 1 box opened, 0 pruned.")
    assert "Equal points are one location" in words.own(search)


def test_which_tree_the_program_searches() -> None:
    assert words.own(search_of(leaf=32)).startswith("This is the tree that the program itself searches")
    assert "stops splitting at leaves of up to 32" in words.own(search_of())
    points = np.random.default_rng(2).normal(size=(40, 2))
    for settings, looser in (({}, False), ({"metric": "minkowski", "p": 3}, True), ({"metric": "minkowski"}, False)):
        assert ("its bound is looser" in words.own(search_of(points=points, **settings))) is looser
    assert "its bound is looser" in words.own(search_of(k=17, points=points))


def test_without_a_query_the_tree_alone() -> None:
    search = search_of(None)
    assert search.length == 1 and words.heading(search, 1) == "Tree: split 1 of 1"
    assert words.sentence(search, 1).endswith(words.POINT) and words.counts(search, 1) == ""


@pytest.mark.parametrize(
    ("number", "shown"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (112, "112th"), (21, "21st")]
)
def test_ordinals(number: int, shown: str) -> None:
    assert words.ordinal(number) == shown


def test_two_numbers_are_distinguished() -> None:
    assert distinct((0.3104, 0.3102)) == ["0.3104", "0.3102"]
    assert distinct((-2.0, 1.0)) == ["−2", "1"]
    assert distinct((1.0, 1.0 + 2e-16)) == ["1", "1.0000000000000002"]
