"""Passed: classifiers that a program has passed to the window, as learners; any object with fit and predict.

A file contains only its name (`PLACEHOLDER`): Python objects are neither written nor read.
"""

from __future__ import annotations

import copy
import inspect
import math
from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from .base import Learner
from .code import Code
from .estimators import EstimatorLearner, EstimatorRow, Setting, word
from .fields import Field

#: Learner's name in files for every classifier that was passed.
PLACEHOLDER = "python_object"
#: Longest name in files (characters).
LONGEST_NAME = 200
LOST = "{name} was passed from Python, and files hold its name only: pass it to app.show again."
NO_CODE = "It was passed from Python: it is in your own program."
NOT_WRITTEN = "Classifiers passed from Python are not in it, but for their names."
MISSING = "Classifiers can be passed where scikit-learn is installed: pip install 'classifier-playground[sklearn]'."
#: Parameters that do not change results.
_OF_NO_RESULT = {"verbose", "n_jobs", "copy", "copy_X", "copy_X_train", "cache_size", "warm_start", "transform_input"}
#: Limits of whole numbers, and of others, if the class defines none.
_WHOLE, _LARGE = 10**6, 1e12
#: Decades of a slider to either side of the value that was passed.
_DECADES = 3


class NameSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings in files of a classifier that was passed."""

    name: Annotated[str, Meta(max_length=LONGEST_NAME)] = "A classifier"


class Absent(Learner[NameSettings]):
    """A classifier that was passed to another window."""

    title = "Passed from Python"
    short = "Passed"
    note = "A classifier that was passed from Python; files hold its name only."
    settings = NameSettings
    fields = (
        Field(
            "python_object",
            "text",
            "",
            "Files hold no objects of Python.",
            parameter="name",
            formula=lambda settings: LOST.format(name=settings.name),
        ),
    )
    own_process = True
    has_probability = False
    is_available = False

    def name(self, settings: NameSettings) -> str:
        return settings.name

    def refusal(self, settings: NameSettings) -> str:
        return LOST.format(name=settings.name)

    def maker(self, settings: NameSettings) -> tuple[bytes, dict[str, Any]]:
        raise ValueError(self.refusal(settings))


class Passed(EstimatorLearner):
    """A classifier that was passed from Python.

    Parameters
    ----------
    name : str
        Name in the table.
    title : str
    estimator : object
        Copy of the passed object; further copies are trained.
    """

    in_files = False
    is_available = True

    def __init__(self, name: str, title: str, estimator: Any) -> None:
        last = [type(each).__name__ for each in _parts(estimator)][-1]
        parameters = tuple(sorted(_offered(estimator), key=lambda each: isinstance(each.default, bool)))
        note = "Passed from Python: its predictions are shown; how it makes them is unknown."
        short = last.removesuffix("Classifier") or last
        super().__init__(name, EstimatorRow(title, short, note, "", type(estimator).__name__, parameters, {}))
        self._estimator, self._data = estimator, _pickled(estimator)
        self.has_probability = hasattr(estimator, "predict_proba")

    def formula(self, settings: Any) -> str:
        return f"Passed from Python: {self.row.kind}"

    def name(self, settings: Any) -> str:
        default = self.settings()
        changed = [each for each in self.row.parameters if getattr(settings, each.name) != getattr(default, each.name)]
        return ", ".join([self.title, *(f"{each.label} = {getattr(settings, each.name)}" for each in changed)])

    def refusal(self, settings: Any) -> str:
        return f"{self.title} is trained in one go: it has no steps."

    def maker(self, settings: Any) -> tuple[bytes, dict[str, Any]]:
        return self._data, msgspec.structs.asdict(settings)

    def code(self, settings: Any, points: Any) -> Code | str:
        parts = list(_parts(self._estimator))
        if not all(type(each).__module__.startswith("sklearn.") for each in parts):
            return NO_CODE
        made = copy.deepcopy(self._estimator)
        made.set_params(**msgspec.structs.asdict(settings))
        text = repr(made)
        if any(sign in text for sign in ("...", "<", " object at ")):
            return NO_CODE
        imports = tuple(dict.fromkeys((_public(type(each).__module__), type(each).__name__) for each in parts))
        return Code(text, imports)


def passed(estimators: Sequence[Any], table: dict[str, Learner[Any]]) -> tuple[str, ...]:
    """Give each of `estimators` a row of `table`, and return the names of the rows.

    Raises
    ------
    ValueError
        If one has no fit or no predict, or cannot be copied or sent to another process; one sentence.
    """
    made: dict[str, Learner[Any]] = {}
    for estimator in estimators:
        name = f"{PLACEHOLDER}{len(table) + len(made)}"
        kinds = [type(each).__name__ for each in _parts(_checked(estimator))]
        title = " + ".join(kinds[1:] or kinds)
        there = (each for each in (*table.values(), *made.values()) if each.is_available)
        alike = sum(each.title.partition(" (")[0] == title for each in there)
        made[name] = Passed(name, f"{title} ({alike + 1})" if alike else title, _copied(estimator))
    table.update(made)
    return tuple(made)


def withdraw(learners: Iterable[Learner[Any]]) -> None:
    """Make `learners` unavailable, because their window is closed."""
    for learner in learners:
        learner.is_available = False


def _checked(estimator: Any) -> Any:
    kind = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
    if isinstance(estimator, type):
        raise ValueError(f"classifiers must hold objects; {kind} is a class: pass {kind}().")
    for method in ("fit", "predict"):
        if not callable(getattr(estimator, method, None)):
            raise ValueError(f"classifiers must hold objects with fit and predict; {kind} has no {method}.")
    return estimator


def _copied(estimator: Any) -> Any:
    """Return a copy, by scikit-learn's `clone` if possible, which is not trained."""
    try:
        from sklearn.base import clone

        return clone(estimator)
    except Exception:  # not an estimator by scikit-learn's rules
        pass
    try:
        return copy.deepcopy(estimator)
    except Exception as error:  # an object may raise anything
        raise ValueError(f"{type(estimator).__name__} cannot be copied: {error}") from error


def _pickled(estimator: Any) -> bytes:
    """Return a pickle of the estimator for another process, including classes of the caller's own program."""
    try:
        import cloudpickle
    except ImportError:
        raise ValueError(MISSING) from None
    try:
        data: bytes = cloudpickle.dumps(estimator)
    except Exception as error:  # an object may raise anything
        raise ValueError(f"{type(estimator).__name__} cannot be sent to another process: {error}") from error
    return data


def _parts(estimator: Any) -> Iterator[Any]:
    """Yield the estimator and those nested in it, in order."""
    yield estimator
    for _, part in _nested(estimator):
        yield from _parts(part)


def _nested(estimator: Any) -> Iterator[tuple[str, Any]]:
    if hasattr(estimator, "get_params"):
        for name, part in estimator.get_params(deep=True).items():
            if "__" not in name and hasattr(part, "get_params") and not isinstance(part, type):
                yield name, part


def _offered(estimator: Any, prefix: str = "") -> Iterator[Setting]:
    """Yield the parameters that a form can have, in the order of the constructor; those of nested estimators follow."""
    if not hasattr(estimator, "get_params"):
        return
    values = estimator.get_params(deep=False)
    order = [name for name in inspect.signature(type(estimator)).parameters if name in values]
    constraints = getattr(estimator, "_parameter_constraints", {})
    for name in order:
        if name not in _OF_NO_RESULT:
            allowed = constraints.get(name, ())
            found = _parameter(prefix + name, name, values[name], allowed if isinstance(allowed, list) else ())
            if found is not None:
                yield found
    for name, part in _nested(estimator):
        yield from _offered(part, f"{prefix}{name}__")


def _parameter(path: str, label: str, value: Any, allowed: Sequence[Any]) -> Setting | None:
    """Return a parameter for the form, from its value and the constraints in scikit-learn's classes, or None."""
    tip = f"The parameter {path}."
    if isinstance(value, bool):
        return Setting(path, label, tip, value)
    if isinstance(value, str):
        words = {each for those in allowed for each in getattr(those, "options", ()) if isinstance(each, str)}
        return word(path, label, tip, (str(value), *sorted(words - {value}))) if value in words else None
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    whole = isinstance(value, int)
    value = int(value) if whole else float(value)  # numpy's numbers have other types
    least, most = _limits(value, whole, allowed)
    if not least <= value <= most:
        return None
    if whole:
        slides = least <= 1 <= value
        return Setting(path, label, tip, value, 1 if slides else least, min(most, max(100, 10 * value)), slides)
    if value > 0:
        exponent = math.floor(math.log10(value))
        least, most = max(least, 10.0 ** (exponent - _DECADES)), min(most, 10.0 ** (exponent + 1 + _DECADES))
        slides = math.log10(most) == round(math.log10(most)) > math.log10(least) == round(math.log10(least))
        return Setting(path, label, tip, value, least, most, slides)
    return Setting(path, label, tip, value, least, most)


def _limits(value: float, whole: bool, allowed: Sequence[Any]) -> tuple[float, float]:
    """Return the smallest and the largest value of a number."""
    least, most = (-_WHOLE, _WHOLE) if whole else (-_LARGE, _LARGE)
    for each in allowed:
        kind = getattr(each, "type", None)
        if not hasattr(each, "closed") or not isinstance(kind, type) or issubclass(kind, Integral) != whole:
            continue
        step: float = 1 if whole else 1e-12
        if each.left is not None:
            least = (math.ceil(each.left) if whole else each.left) + step * (each.closed in ("right", "neither"))
        if each.right is not None:
            most = (math.floor(each.right) if whole else each.right) - step * (each.closed in ("left", "neither"))
        break
    return (least, most) if whole else (float(least), float(most))


def _public(module: str) -> str:
    """Return the public module of a scikit-learn class: its module without the parts that begin with an underscore."""
    parts = module.split(".")
    return ".".join(part for part in parts if not part.startswith("_"))


PLACEHOLDERS: dict[str, Learner[Any]] = {PLACEHOLDER: Absent()}
