"""Controls: the names by which a lesson chooses the controls it shows; the others are hidden.  No Qt."""

from __future__ import annotations

from collections.abc import Set

from app.learners.table import LEARNERS

#: Controls outside the learners' forms, each with its description.
WINDOW_CONTROLS: dict[str, str] = {
    "classifier": "the choice of the classifier, in the row above its picture",
    "classifiers": "the menu that adds, moves and removes classifiers",
    "standardise": "whether the classifier standardises x and y before it learns",
    "speed": "the speed of the training, and Restart",
    "shading": "what the strength of the colours shows: f, or a probability",
    "pair": "with more than two classes, the problem whose lines are drawn",
    "playback": "the bar that steps through a training, and what opens it",
    "data set": "the choice of the data set with n, noise, Generate and more",
    "classes": "the class of the next point",
    "tools": "the drawing tools and their options; without them, the pointer is in hand",
    "units": "the handles at the ends of the axes, which change the units of x and y",
    "commands": "the buttons New, Open, Save, Undo and so on",
}
#: All controls with their descriptions: fields of all learners (k, weights, C, kernel, ...), and `WINDOW_CONTROLS`.
CONTROLS: dict[str, str] = {
    **{field.name: field.title for learner in LEARNERS.values() for field in learner.fields},
    **WINDOW_CONTROLS,
}


def hidden_fields(fields: frozenset[str], show: Set[str]) -> frozenset[str]:
    """Return the `fields` to hide if only those in `show` are visible.

    A dependent field goes with its main field: the weight of each class with the choice of class weights, and so on.
    """
    belonging = {"weight_formula": "class_weight", "weights_of_classes": "class_weight", "hard_margin": "C"}
    return frozenset(
        name
        for name in fields
        if name not in show
        and belonging.get(name, "class_weight" if name[:6] == "weight" and name[6:].isdigit() else name) not in show
    )
