"""Code: a learner as lines of a program for scikit-learn."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

#: Characters of a line of the programs.
WIDTH = 79
#: Room for the name of a variable and " = " before a call.
_BEFORE = 10
INDENT = "    "
#: Line that trains an estimator.
FIT = "{model}.fit(X, y)"
#: Remark on learners whose votes may tie.
TIES = "A tie counts for the lowest class; in the playground's accuracies, 1/m for each of m classes."


class Code(Struct, frozen=True):
    """How scikit-learn does what a learner does.

    In its lines ``{model}`` stands for the variable that the estimator gets, ``X`` and ``y`` are what it learns from.

    Attributes
    ----------
    model : str
        The expression that makes the estimator.
    imports : tuple of (str, str)
        Modules, and what comes from each.
    before : str
        Lines before.
    fit : str
        Lines that train it.
    function : str
        A function that it uses.
    remarks : tuple of str
        What is to be known where the two are not quite the same, each in a sentence.
    has_margins : bool
        f = -1 and f = +1 mean something.
    support : str
        The expression for its support vectors; "" for none.
    has_probability : bool
        It has ``predict_proba``, and lines of it are drawn.
    inner : str
        The expression for the classifier whose f is calibrated; "" for one that is not calibrated.
    """

    model: str
    imports: tuple[tuple[str, str], ...] = ()
    before: str = ""
    fit: str = FIT
    function: str = ""
    remarks: tuple[str, ...] = ()
    has_margins: bool = False
    support: str = ""
    has_probability: bool = False
    inner: str = ""


def with_probability(code: Code, n_classes: int) -> Code:
    """Return the code of the same classifier with Platt's sigmoid of its f."""
    if code.fit != FIT:
        return replace(code, remarks=(*code.remarks, "Not here: its probability, since `fit` alone does not train it."))
    name, inner = "CalibratedClassifierCV", "{model}.calibrated_classifiers_[0].estimator"
    coupled = (
        " Of several classes, each is calibrated against the rest here; the playground couples the probabilities of"
        " pairs."
    )
    return replace(
        code,
        model=call(name, code.model, ensemble="False"),
        imports=(*code.imports, ("sklearn.calibration", name)),
        remarks=(
            *code.remarks,
            "The folds are others than the playground's, so the probabilities differ a little; the class predicted is"
            f" the most probable one.{coupled if n_classes > 2 else ''}",
        ),
        has_margins=False,
        support=code.support.replace("{model}", inner),
        has_probability=True,
        inner=inner,
    )


def call(name: str, *values: str, then: str = "", **parameters: str) -> str:
    """A call of `name`, on one line if there is room for it, else with a line for each argument; `then` follows."""
    arguments = [*values, *(f"{parameter}={value}" for parameter, value in parameters.items())]
    line = f"{name}({', '.join(arguments)}){then}"
    if "\n" not in line and len(line) <= WIDTH - _BEFORE:
        return line
    return f"{name}(\n" + "".join(f"{indented(argument)},\n" for argument in arguments) + f"){then}"


def standardised(code: Code) -> Code:
    """Return `code` with a pipeline that standardises first in place of the estimator."""
    imports = ("sklearn.pipeline", "make_pipeline"), ("sklearn.preprocessing", "StandardScaler")
    code = replace(code, imports=tuple(dict.fromkeys((*code.imports, *imports))))
    asks = "enable_metadata_routing" in code.before
    if asks or code.fit == FIT:
        scaler = call("StandardScaler", then=".set_fit_request(sample_weight=False)" * asks)
        support = code.support.replace("{model}", "{model}[-1]")
        return replace(code, model=call("make_pipeline", scaler, code.model), support=support)

    def scaled(lines: str) -> str:
        return lines.replace("X[", "X_scaled[").replace("(X, y)", "(X_scaled, y)")

    before = f"scaler = StandardScaler().fit(X)\nX_scaled = scaler.transform(X)\n{scaled(code.before)}".rstrip()
    return replace(code, before=before, fit=f"{scaled(code.fit)}\n{{model}} = make_pipeline(scaler, {{model}})")


def indented(lines: str) -> str:
    """The same lines, further to the right."""
    return re.sub("^(?=.)", INDENT, lines, flags=re.MULTILINE)
