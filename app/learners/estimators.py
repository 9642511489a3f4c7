"""Estimators: classifiers of scikit-learn as learners, each a row of a table.

Files name a row, never an import path.  Only the process that trains imports scikit-learn (see
`engine/estimator_process.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from app.core.number_format import short

from .base import Learner
from .code import Code, call
from .fields import Field, Kind

#: Sentence on what to install.
MISSING = "{title} needs scikit-learn, which is not installed: pip install 'classifier-playground[sklearn]'."


class Setting(Struct, frozen=True):
    """A parameter: a number, one of several words, or true or false, by the type of its default.

    Attributes
    ----------
    name, label, tip : str
    default : float, int, str or bool
        Default value, of the parameter's type.
    least, most : float or int
        Smallest and largest value of a number.
    slider : bool
        A number has a slider over its whole range, on a log scale; else it is typed.
    words : tuple of str
        All values of a word.
    """

    name: str
    label: str
    tip: str
    default: Any
    least: float = 0
    most: float = 0
    slider: bool = False
    words: tuple[str, ...] = ()


class EstimatorRow(Struct, frozen=True):
    """One classifier of scikit-learn.

    Attributes
    ----------
    title, short, note : str
        Its name, also in one word, and a description in one sentence.
    module, kind : str
        Module and name of its class.
    parameters : tuple of Setting
        Parameters in the form.
    fixed : mapping of str to Any
        Parameters that are neither in the form nor at the library's defaults.
    classes : int
        Smallest number of classes it can be trained on.
    """

    title: str
    short: str
    note: str
    module: str
    kind: str
    parameters: tuple[Setting, ...]
    fixed: Mapping[str, Any]
    classes: int = 1


def word(name: str, label: str, tip: str, words: tuple[str, ...]) -> Setting:
    """Return a parameter that is one of `words`; the first is the default."""
    return Setting(name, label, tip, words[0], words=words)


#: Number of parameters above the picture; the others are folded.
N_PRIMARY = 3
SEEDED = {"random_state": 0}
DEPTH = Setting("max_depth", "Depth", "Questions in a row, at most: deeper trees cut out smaller boxes.", 5, 1, 50)

ROWS: dict[str, EstimatorRow] = {
    "logistic": EstimatorRow(
        "Logistic regression",
        "Logistic",
        "A straight boundary; how far a point is from it gives the probability of its class.",
        "sklearn.linear_model",
        "LogisticRegression",
        (Setting("C", "C", "Small C: small weights, probabilities near one half.", 1.0, 1e-4, 1e4, slider=True),),
        {"max_iter": 1000},
        classes=2,
    ),
    "lda": EstimatorRow(
        "Linear discriminant analysis",
        "LDA",
        "Takes each class for a normal distribution, all of the same shape: boundaries are straight.",
        "sklearn.discriminant_analysis",
        "LinearDiscriminantAnalysis",
        (),
        {},
        classes=2,
    ),
    "naive_bayes": EstimatorRow(
        "Naive Bayes",
        "Bayes",
        "Takes x and y for independent normal numbers in each class: boundaries are curves of degree 2.",
        "sklearn.naive_bayes",
        "GaussianNB",
        (),
        {},
    ),
    "tree": EstimatorRow(
        "Decision tree",
        "Tree",
        "Asks one question after the other about x or y: its regions are boxes.",
        "sklearn.tree",
        "DecisionTreeClassifier",
        (
            DEPTH,
            Setting("min_samples_leaf", "Leaf", "Fewest points in a box.", 1, 1, 1000),
            word("criterion", "Criterion", "Measure of a good question.", ("gini", "entropy", "log_loss")),
        ),
        SEEDED,
    ),
    "forest": EstimatorRow(
        "Random forest",
        "Forest",
        "Many trees, each grown on a random sample of the points, vote.",
        "sklearn.ensemble",
        "RandomForestClassifier",
        (
            Setting("n_estimators", "Trees", "More trees: smoother votes, longer training.", 50, 1, 500, slider=True),
            DEPTH,
            Setting("min_samples_leaf", "Leaf", "Fewest points in a box.", 1, 1, 1000),
        ),
        SEEDED,
    ),
    "boosting": EstimatorRow(
        "Gradient boosting",
        "Boosting",
        "Small trees one after the other, each grown on what those before got wrong.",
        "sklearn.ensemble",
        "GradientBoostingClassifier",
        (
            Setting("n_estimators", "Trees", "More trees: a closer fit to the points.", 50, 1, 500, slider=True),
            Setting("learning_rate", "Rate", "The share of each tree that is added.", 0.1, 1e-3, 1.0, slider=True),
            Setting("max_depth", "Depth", "Questions in a row, at most, of each tree.", 3, 1, 10),
        ),
        SEEDED,
        classes=2,
    ),
    "mlp": EstimatorRow(
        "Neural network",
        "Network",
        "Layers of sums, each bent by one function: any boundary, found by gradient descent.",
        "sklearn.neural_network",
        "MLPClassifier",
        (
            Setting("hidden", "Neurons", "In each of two layers; more: finer boundaries.", 16, 1, 200, slider=True),
            Setting("alpha", "α", "Large α: small weights, smooth boundaries.", 1e-3, 1e-6, 10.0, slider=True),
            word("activation", "Activation", "What bends the sums.", ("relu", "tanh", "logistic")),
        ),
        {**SEEDED, "solver": "lbfgs", "max_iter": 500},
        classes=2,
    ),
}


def parameters_of(row: EstimatorRow, settings: msgspec.Struct) -> dict[str, Any]:
    """Return the keyword arguments of the class for these settings."""
    values = {each.name: getattr(settings, each.name) for each in row.parameters}
    if "hidden" in values:
        hidden = values.pop("hidden")
        values["hidden_layer_sizes"] = (hidden, hidden)
    return {**values, **row.fixed}


def _type_of(parameter: Setting) -> Any:
    kind, ends = type(parameter.default), (parameter.least, parameter.most)
    if kind in (str, bool):
        return Literal[parameter.words] if parameter.words else bool
    scale: dict[str, Any] | None = None
    if parameter.slider:
        scale = {"ranks": ends[1:]} if kind is int else {"decades": tuple(round(math.log10(end)) for end in ends)}
    return Annotated[kind, Meta(ge=ends[0], le=ends[1], extra=scale)]


def _struct_of(row: EstimatorRow) -> type[msgspec.Struct]:
    fields = [(each.name, _type_of(each), each.default) for each in row.parameters]
    name = f"{row.kind}Settings"
    made = msgspec.defstruct(name, fields, frozen=True, forbid_unknown_fields=True, module=__name__)
    globals()[name] = made  # for unpickling in a process of a cluster
    return made


#: Kinds of fields, by the parameter's type.
_EDITORS: dict[type, Kind] = {bool: "check", str: "choice", int: "integer", float: "number"}


class EstimatorLearner(Learner[Any]):
    """A classifier of scikit-learn, described by its row."""

    growth = 1.2
    own_process = True
    is_available = find_spec("sklearn") is not None

    def __init__(self, name: str, row: EstimatorRow) -> None:
        self.row = row
        self.n_classes_needed = row.classes
        self.title, self.short, self.note = row.title, row.short, row.note
        self.settings = _struct_of(row)
        self.fields = tuple(
            Field(
                f"{name}_{each.name}",
                "slider" if each.slider else _EDITORS[type(each.default)],
                each.label,
                each.tip,
                parameter=each.name,
                choices=tuple((word, word, "") for word in each.words),
                primary=index < N_PRIMARY,
                has_curve=each.slider,
                settings=self.settings,
            )
            for index, each in enumerate(row.parameters)
        )

    def formula(self, settings: Any) -> str:
        return f"scikit-learn: {self.row.kind}"

    def name(self, settings: Any) -> str:
        values = [f"{each.label} = {_shown(getattr(settings, each.name))}" for each in self.row.parameters]
        return ", ".join([self.short, *values])

    def refusal(self, settings: Any) -> str:
        return f"{self.title} is trained by scikit-learn, in one go: it has no steps."

    def maker(self, settings: Any) -> tuple[str, str, dict[str, Any]] | tuple[bytes, dict[str, Any]]:
        if not self.is_available:
            raise ValueError(MISSING.format(title=self.title))
        return self.row.module, self.row.kind, parameters_of(self.row, settings)

    def code(self, settings: Any, points: Any) -> Code | str:
        values = {name: repr(value) for name, value in parameters_of(self.row, settings).items()}
        return Code(call(self.row.kind, **values), ((self.row.module, self.row.kind),))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else short(value)


ESTIMATORS: dict[str, Learner[Any]] = {name: EstimatorLearner(name, row) for name, row in ROWS.items()}
