"""Controls: the names that a lesson calls the controls by which it shows; all others are hidden.  No Qt."""

from __future__ import annotations

from collections.abc import Set

from app.learners.table import LEARNERS

#: What stands in no learner's form, and what it is.
PLACES: dict[str, str] = {
    "classifier": "the choice of the classifier, in the row above its picture",
    "classifiers": "the menu that adds, moves and removes classifiers",
    "speed": "the speed of the training, and Restart",
    "shading": "what the strength of the colours shows: f, or a probability",
    "pair": "with more than two classes, the problem whose lines are drawn",
    "playback": "the bar that steps through a training, and what opens it",
    "data set": "the choice of the data set with n, noise, Generate and more",
    "classes": "the class of the next point",
    "tools": "the drawing tools and their options; without them, the pointer is in hand",
    "commands": "the buttons New, Open, Save, Undo and so on",
}
#: Names, each with what it is: those of the fields of all learners (k, weights, C, kernel, ...), and `PLACES`.
CONTROLS: dict[str, str] = {
    **{field.name: field.title for learner in LEARNERS.values() for field in learner.fields},
    **PLACES,
}


def hidden_fields(fields: frozenset[str], show: Set[str]) -> frozenset[str]:
    """Those of the names that apply to a lane which are not to be seen, where only those of `show` are.

    What belongs to a field goes with it: the weight of each class with the choice of class weights, and so on.
    """
    belonging = {"weight_formula": "class_weight", "weights_of_classes": "class_weight", "hard_margin": "C"}
    return frozenset(
        name
        for name in fields
        if name not in show
        and belonging.get(name, "class_weight" if name[:6] == "weight" and name[6:].isdigit() else name) not in show
    )
