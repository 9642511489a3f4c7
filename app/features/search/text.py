"""Text of the neighbour search: what each step does and why, in sentences; no Qt."""

from __future__ import annotations

import math

from app.core.number_format import count, grouped, signed
from solver.knn.search_tree import SearchStep, SearchTree

from .query import Search
from .state import LEAF_SIZES

NO_LANE = "Set a classifier to kNN and place points: here you see how it finds the nearest of them."
WAITING = "Building the tree…"
COSINE = (
    "A k-d tree does not search by cosine distance. That distance depends on directions only, so a point in a box far"
    " away may have the same direction as the query, at distance 0: no box could be pruned. The program moves all"
    " points to the unit circle first and searches a tree there, which is not displayed here."
)
POINT = "Point at the picture, or press Q there to pin a query: then the search for its neighbours begins."
LEGEND = (
    "Thick box: this step. Striped: pruned. Thin box: measured. Dashed: distance from the query to the box. Round the"
    " query: the distance beyond which boxes are pruned."
)
AXES = "xy"


def heading(search: Search, step: int) -> str:
    """Return the number of a step: "Split 3 of 31", "Search, step 4 of 12"."""
    if step < search.n_splits or (step == search.n_splits and search.walk is None):
        return f"Tree: split {grouped(step)} of {grouped(search.n_splits)}"
    if search.walk is None or step == search.n_splits:
        return "Tree complete" if search.n_splits else "One leaf"
    return f"Search: step {grouped(step - search.n_splits)} of {grouped(len(search.walk.steps))}"


def sentence(search: Search, step: int) -> str:
    """Return what the step does, and why."""
    tree = search.kd_tree
    if step > search.n_splits and search.walk is not None:
        return _walk_sentence(search, search.walk.steps[step - search.n_splits - 1])
    if step == 0:
        few = f"no more than the {tree.leaf_size} of a leaf, so there is nothing to split"
        return f"{_points(search, 1)} in one box: {'it is split first' if search.n_splits else few}."
    if step == search.n_splits and search.walk is None:
        return f"{_split_sentence(search, step)} {POINT}"
    return _split_sentence(search, step)


def _split_sentence(search: Search, node: int) -> str:
    tree = search.kd_tree
    width = tree.high[node] - tree.low[node]
    side = int(tree.sides[node])
    if width[side] == width[1 - side]:
        why = f"as wide in x as in y ({number(float(width[0]))})"
    else:
        wide, narrow = apart(float(width[side]), float(width[1 - side]))
        why = f"wider in {AXES[side]} ({wide} against {narrow})"
    first, second = (_size(tree, half) for half in (2 * node, 2 * node + 1))
    return (
        f"The box of {_points(search, node)} is {why}: halved at the median, {AXES[side]} ="
        f" {number(float(tree.cuts[node]))}, into {grouped(first)} and {grouped(second)}."
    )


def _walk_sentence(search: Search, step: SearchStep) -> str:
    assert search.walk is not None
    tree, k, node = search.kd_tree, min(search.model.n_neighbors, len(search.kd_tree.points)), step.node
    farthest = f"the {ordinal(k)} nearest so far"
    if step.outcome == "prune":
        away, bound = apart(step.box_distance, step.bound)
        return (
            f"Pruned: {away} to its box is farther than {farthest}, {bound}: no neighbour can be inside."
            f" Left unmeasured: {_points(search, node)}."
        )
    if math.isinf(step.bound):
        why = ""
    elif step.box_distance == step.bound:
        why = f"{number(step.box_distance)} to its box is exactly as far as {farthest}: there may be a tie. "
    else:
        away, bound = apart(step.box_distance, step.bound)
        why = f"{away} to its box is nearer than {farthest}, {bound}: it must be opened. "
    if step.outcome == "descend":
        side = int(tree.sides[node])
        at, cut = float(search.walk.query[side]), float(tree.cuts[node])
        here, there = (number(at), number(cut)) if at == cut else apart(at, cut)
        which = f"{AXES[side]} = {here} is {'at least' if at >= cut else 'below'} {there}"
        half = ("right", "upper") if at >= cut else ("left", "lower")
        return f"{why}Box of {_points(search, node)}: {which}, so its {half[side]} half comes first."
    known = min(step.measured, k)
    if math.isinf(step.next_bound):
        now = f"{grouped(known)} of the {grouped(k)} nearest are known so far."
    elif step.next_bound == step.bound:
        now = f"None is nearer: {farthest} stays at {number(step.bound)}."
    elif math.isinf(step.bound):
        now = f"{farthest[0].upper()}{farthest[1:]} is at {number(step.next_bound)}."
    else:
        old, new = apart(step.bound, step.next_bound)
        now = f"{farthest[0].upper()}{farthest[1:]} comes nearer, from {old} to {new}."
    return f"{why}Leaf of {_points(search, node)}: measured. {now}"


def counts(search: Search, step: int) -> str:
    """Return what has been looked at so far, against brute force."""
    done = step - search.n_splits
    if search.walk is None or done < 0:
        return ""
    steps = search.walk.steps[:done]
    total, looked = len(search.kd_tree.points), steps[-1].measured if steps else 0
    pruned = sum(each.outcome == "prune" for each in steps)
    opened = len(steps) - pruned
    said = f"Looked at {grouped(looked)} of {_total(search)}: {_boxes(opened)} opened, {grouped(pruned)} pruned."
    if done == len(search.walk.steps):
        brute = "Brute force looks at no more." if looked == total else f"Brute force looks at all {grouped(total)}."
        return f"{said} The search has ended: no other box can hold a neighbour. {brute}"
    return said


def own(search: Search) -> str:
    """Return which tree the program itself searches."""
    largest = LEAF_SIZES[-1]
    if search.kd_tree.leaf_size == largest:
        said = "This is the tree that the program itself searches to classify given points."
    else:
        said = (
            "The program itself searches this tree to classify given points, but stops splitting at leaves of up to"
            f" {largest}, because measuring a few more distances costs less than opening boxes."
        )
    said += " Pictures need no tree: there a square of 16 × 16 pixels shares one search."
    if not search.kd_tree.is_traced(search.model.n_neighbors):
        said += " For Minkowski distances and for k above 16 its bound is looser: it may open a few more boxes."
    if len(search.kd_tree.points) < len(search.kd_tree.location):
        said += " Equal points are one location of the tree, measured once."
    return said


def number(value: float) -> str:
    """Return a number in three digits."""
    return signed(f"{value + 0.0:.3g}")


def apart(first: float, second: float) -> tuple[str, str]:
    """Return two numbers in three digits, or in as many as tell them apart."""
    pairs = ((signed(f"{first + 0.0:.{n}g}"), signed(f"{second + 0.0:.{n}g}")) for n in range(3, 18))
    return next((pair for pair in pairs if pair[0] != pair[1]), (repr(first), repr(second)))


def ordinal(number: int) -> str:
    """Return "1st", "2nd", "11th"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{grouped(number)}{ending}"


def _size(tree: SearchTree, node: int) -> int:
    begin, end = tree.range_of(node)
    return end - begin


def _points(search: Search, node: int) -> str:
    """Return how many locations a node has: they are points where no two are equal."""
    size = _size(search.kd_tree, node)
    return count(size, "point" if len(search.kd_tree.points) == len(search.kd_tree.location) else "location")


def _total(search: Search) -> str:
    total, n = len(search.kd_tree.points), len(search.kd_tree.location)
    return count(total, "point") if total == n else f"{count(total, 'location')} ({grouped(n)} points)"


def _boxes(number: int) -> str:
    return f"{grouped(number)} box{'' if number == 1 else 'es'}"
