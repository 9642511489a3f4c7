"""Code: a classifier as lines of a program for scikit-learn."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

#: Longest line of the programs (characters).
WIDTH = 79
#: Characters for the name of a variable and " = " before a call.
_BEFORE = 10
INDENT = "    "
#: Line that trains an estimator.
FIT = "{model}.fit(X, y)"
#: Sentence for an exported program on a classifier that it cannot include.
NOTHING_LIKE_IT = "scikit-learn has nothing like it."
#: Remark on learners whose votes may tie.
TIES = "A tie counts for the lowest class; in the playground's accuracies, 1/m for each of m classes."


class Code(Struct, frozen=True):
    """Lines of a program in which scikit-learn trains the same classifier.

    ``{model}`` is replaced by the estimator's variable; ``X`` and ``y`` are its training points.

    Attributes
    ----------
    model : str
        Expression that creates the estimator.
    imports : tuple of (str, str)
        Modules, and the names imported from each.
    before : str
        Lines before that.
    fit : str
        Lines that train it.
    function : str
        Function that it uses.
    remarks : tuple of str
        Sentences on the differences between the two.
    has_margins : bool
        The lines f = -1 and f = +1 have a meaning.
    support : str
        Expression for its support vectors, or "".
    has_probability : bool
        It has ``predict_proba``, whose lines are drawn.
    inner : str
        Expression for the classifier whose f is calibrated, or "".
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
    """Return a call of `name`, on one line if it fits, else with a line for each argument; `then` follows."""
    arguments = [*values, *(f"{parameter}={value}" for parameter, value in parameters.items())]
    line = f"{name}({', '.join(arguments)}){then}"
    if "\n" not in line and len(line) <= WIDTH - _BEFORE:
        return line
    return f"{name}(\n" + "".join(f"{indented(argument)},\n" for argument in arguments) + f"){then}"


def standardised(code: Code) -> Code:
    """Return `code` with a pipeline that standardises first."""
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
    """Return `lines`, indented."""
    return re.sub("^(?=.)", INDENT, lines, flags=re.MULTILINE)
