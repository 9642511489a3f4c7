"""Text of the neighbour search: what each step does and why, in sentences; no Qt."""

from __future__ import annotations

import math

from app.core.number_format import count, distinct, grouped, short
from solver.knn.search_tree import SearchStep, SearchWalk

from .state import LEAF_SIZES, Search

NO_LANE = "Set a classifier to kNN and place points: here you see how it finds the nearest of them."
WAITING = "Building the tree…"
STANDARDISED = (
    "This classifier standardises x and y: its tree is made of other coordinates than those of the picture, and is not"
    " displayed. Switch Standardise off to see one."
)
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
    if step == search.n_splits:
        return "Tree complete" if step else "One leaf"
    return f"Search: step {grouped(step - search.n_splits)} of {grouped(search.length - search.n_splits)}"


def sentence(search: Search, step: int) -> str:
    """Return what the step does, and why."""
    if step > search.n_splits and search.walk is not None:
        return _walk_sentence(search, search.walk, search.walk.steps[step - search.n_splits - 1])
    if step == 0:
        few = f"no more than the {search.kd_tree.leaf_size} of a leaf, so there is nothing to split"
        return f"{_points(search, 1)} in one box: {'it is split first' if search.n_splits else few}."
    return _split_sentence(search, step) + (f" {POINT}" if step == search.length else "")


def _split_sentence(search: Search, node: int) -> str:
    tree = search.kd_tree
    side, width = int(tree.sides[node]), tree.high[node] - tree.low[node]
    wide, narrow = distinct((float(width[side]), float(width[1 - side])))
    why = f"wider in {AXES[side]} ({wide} against {narrow})" if wide != narrow else f"as wide in x as in y ({wide})"
    first, second = (tree.range_of(half) for half in (2 * node, 2 * node + 1))
    return (
        f"The box of {_points(search, node)} is {why}: halved at the median, {AXES[side]} ="
        f" {short(float(tree.cuts[node]))}, into {grouped(first[1] - first[0])} and {grouped(second[1] - second[0])}."
    )


def _walk_sentence(search: Search, walk: SearchWalk, step: SearchStep) -> str:
    tree, k, node = search.kd_tree, min(search.model.n_neighbors, len(search.kd_tree.points)), step.node
    farthest, (away, bound) = f"{ordinal(k)} nearest so far", distinct((step.box_distance, step.bound))
    if step.outcome == "prune":
        return (
            f"Pruned: {away} to its box is farther than the {farthest}, {bound}: no neighbour can be inside."
            f" Left unmeasured: {_points(search, node)}."
        )
    why = f"{away} to its box is nearer than the {farthest}, {bound}: it must be opened. "
    if away == bound:
        why = f"{away} to its box is exactly as far as the {farthest}: there may be a tie. "
    why = "" if math.isinf(step.bound) else why
    if step.outcome == "descend":
        side = int(tree.sides[node])
        at, cut = distinct((float(walk.query[side]), float(tree.cuts[node])))
        right = bool(walk.query[side] >= tree.cuts[node])
        half = (("left", "lower"), ("right", "upper"))[right][side]
        which = f"{AXES[side]} = {at} is {'at least' if right else 'below'} {cut}"
        return f"{why}Box of {_points(search, node)}: {which}, so its {half} half comes first."
    before, after = distinct((step.bound, step.next_bound))
    now = f"The {farthest} comes nearer, from {before} to {after}."
    if math.isinf(step.next_bound):
        now = f"{grouped(step.measured)} of the {grouped(k)} nearest are known so far."
    elif before == after:
        now = f"None is nearer: the {farthest} stays at {after}."
    elif math.isinf(step.bound):
        now = f"The {farthest} is at {short(step.next_bound)}."
    return f"{why}Leaf of {_points(search, node)}: measured. {now}"


def counts(search: Search, step: int) -> str:
    """Return how many points and boxes were visited so far, compared with brute force."""
    if search.walk is None or step < search.n_splits:
        return ""
    steps, total = search.walk.steps[: step - search.n_splits], len(search.kd_tree.points)
    looked, pruned = steps[-1].measured if steps else 0, sum(each.outcome == "prune" for each in steps)
    opened = f"{grouped(len(steps) - pruned)} box{'' if len(steps) - pruned == 1 else 'es'}"
    result = f"Looked at {grouped(looked)} of {_total(search)}: {opened} opened, {grouped(pruned)} pruned."
    if step < search.length:
        return result
    brute = "Brute force looks at no more." if looked == total else f"Brute force looks at all {grouped(total)}."
    return f"{result} The search has ended: no other box can hold a neighbour. {brute}"


def own(search: Search) -> str:
    """Return a sentence about the tree that the program itself searches."""
    largest, tree = LEAF_SIZES[-1], search.kd_tree
    result = (
        "The program itself searches this tree to classify given points, but stops splitting at leaves of up to"
        f" {largest}, because measuring a few more distances costs less than opening boxes."
    )
    if tree.leaf_size == largest:
        result = "This is the tree that the program itself searches to classify given points."
    result += " Pictures need no tree: there a square of 16 × 16 pixels shares one search."
    if not tree.is_traced(search.model.n_neighbors):
        result += " For Minkowski distances and for k above 16 its bound is looser: it may open a few more boxes."
    if len(tree.points) < len(tree.location):
        result += " Equal points are one location of the tree, measured once."
    return result


def ordinal(number: int) -> str:
    """Return "1st", "2nd", "11th"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{grouped(number)}{ending}"


def _points(search: Search, node: int) -> str:
    """Return the number of locations of a node; they are called points if no two points are equal."""
    tree = search.kd_tree
    begin, end = tree.range_of(node)
    return count(end - begin, "point" if len(tree.points) == len(tree.location) else "location")


def _total(search: Search) -> str:
    n = len(search.kd_tree.location)
    return _points(search, 1) + ("" if len(search.kd_tree.points) == n else f" ({grouped(n)} points)")
