"""Estimators: classifiers of scikit-learn as learners, each a row of a table; none has code of its own.

Files name a row, never an import path.  What is imported is imported in the process that trains (see
`engine/estimator_process.py`): here nothing of scikit-learn is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.core.number_format import short

from .base import Learner
from .code import Code, call
from .fields import Field, Kind

#: What has to be installed, and how.
MISSING = "{title} needs scikit-learn, which is not installed: pip install 'classifier-playground[sklearn]'."


@dataclass(frozen=True)
class Number:
    """A parameter that is a number.

    Attributes
    ----------
    name, label, tip : str
    default : float or int
        Its type is that of the parameter.
    least, most : float or int
    slider : bool
        A slider moves it, over its whole range on a log scale; else it is typed.
    """

    name: str
    label: str
    tip: str
    default: float
    least: float
    most: float
    slider: bool = False


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of several words; the first is the default."""

    name: str
    label: str
    tip: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Flag:
    """A parameter that is true or false."""

    name: str
    label: str
    tip: str
    default: bool


@dataclass(frozen=True)
class EstimatorRow:
    """One classifier of scikit-learn.

    Attributes
    ----------
    title, short, note : str
        Its name, also in a word, and one sentence that teaches what it is.
    module, kind : str
        Where its class is imported from, and the class.
    parameters : tuple of Number, Choice or Flag
        Those that the form has.
    fixed : mapping of str to Any
        Parameters that are not the library's defaults and not in the form.
    classes : int
        The least number of classes it can be trained on.
    """

    title: str
    short: str
    note: str
    module: str
    kind: str
    parameters: tuple[Number | Choice | Flag, ...]
    fixed: Mapping[str, Any]
    classes: int = 1


#: Parameters that stand above the picture; those behind them unfold.
N_PRIMARY = 3
SEEDED = {"random_state": 0}
DEPTH = Number("max_depth", "Depth", "Questions in a row, at most: deeper trees cut out smaller boxes.", 5, 1, 50)

ROWS: dict[str, EstimatorRow] = {
    "logistic": EstimatorRow(
        "Logistic regression",
        "Logistic",
        "A straight boundary; how far a point is from it gives the probability of its class.",
        "sklearn.linear_model",
        "LogisticRegression",
        (Number("C", "C", "Small C: small weights, probabilities near one half.", 1.0, 1e-4, 1e4, slider=True),),
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
            Number("min_samples_leaf", "Leaf", "Points that a box keeps at least.", 1, 1, 1000),
            Choice("criterion", "Criterion", "What a good question is.", ("gini", "entropy", "log_loss")),
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
            Number("n_estimators", "Trees", "More trees: smoother votes, longer training.", 50, 1, 500, slider=True),
            DEPTH,
            Number("min_samples_leaf", "Leaf", "Points that a box keeps at least.", 1, 1, 1000),
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
            Number("n_estimators", "Trees", "More trees: a closer fit to the points.", 50, 1, 500, slider=True),
            Number("learning_rate", "Rate", "The share of each tree that is added.", 0.1, 1e-3, 1.0, slider=True),
            Number("max_depth", "Depth", "Questions in a row, at most, of each tree.", 3, 1, 10),
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
            Number("hidden", "Neurons", "In each of two layers; more: finer boundaries.", 16, 1, 200, slider=True),
            Number("alpha", "α", "Large α: small weights, smooth boundaries.", 1e-3, 1e-6, 10.0, slider=True),
            Choice("activation", "Activation", "What bends the sums.", ("relu", "tanh", "logistic")),
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


def _type_of(parameter: Number | Choice | Flag) -> Any:
    if isinstance(parameter, Choice):
        return Literal[parameter.values]
    if isinstance(parameter, Flag):
        return bool
    kind, ends = type(parameter.default), (parameter.least, parameter.most)
    scale: dict[str, Any] | None = None
    if parameter.slider:
        scale = {"ranks": ends[1:]} if kind is int else {"decades": tuple(round(math.log10(end)) for end in ends)}
    return Annotated[kind, Meta(ge=ends[0], le=ends[1], extra=scale)]


def _struct_of(row: EstimatorRow) -> type[msgspec.Struct]:
    fields = [
        (each.name, _type_of(each), each.values[0] if isinstance(each, Choice) else each.default)
        for each in row.parameters
    ]
    return msgspec.defstruct(f"{row.kind}Settings", fields, frozen=True, forbid_unknown_fields=True, module=__name__)


def _field_of(name: str, place: int, parameter: Number | Choice | Flag) -> Field:
    kind: Kind = "check" if isinstance(parameter, Flag) else "choice"
    choices: tuple[tuple[str, str, str], ...] = ()
    slides = False
    if isinstance(parameter, Choice):
        choices = tuple((value, value, "") for value in parameter.values)
    elif isinstance(parameter, Number):
        slides = parameter.slider
        kind = "slider" if slides else "integer" if isinstance(parameter.default, int) else "number"
    return Field(
        f"{name}_{parameter.name}",
        kind,
        parameter.label,
        parameter.tip,
        parameter=parameter.name,
        choices=choices,
        primary=place < N_PRIMARY,
        has_curve=slides,
    )


class Estimator(Learner[Any]):
    """A classifier of scikit-learn, by its row."""

    growth = 1.2
    own_process = True
    is_available = find_spec("sklearn") is not None

    def __init__(self, name: str, row: EstimatorRow) -> None:
        self.row = row
        self.n_classes_needed = row.classes
        self.title, self.short, self.note = row.title, row.short, row.note
        self.settings = _struct_of(row)
        self.fields = tuple(
            replace(_field_of(name, place, each), settings=self.settings) for place, each in enumerate(row.parameters)
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

    def code(self, settings: Any, points: Any) -> Code | None:
        values = {name: repr(value) for name, value in parameters_of(self.row, settings).items()}
        return Code(call(self.row.kind, **values), ((self.row.module, self.row.kind),))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else short(value)


ESTIMATORS: dict[str, Learner[Any]] = {name: Estimator(name, row) for name, row in ROWS.items()}
