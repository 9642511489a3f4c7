"""Arrays: convert the caller's points and labels into a document, and back.  No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from app.core.plain_text import plain
from app.core.points import LIMIT, MAX_CLASSES, Points
from app.core.validation import reason_of
from app.learners.passed import passed
from app.learners.table import LEARNERS
from app.state.document import MAX_LANES, PLAIN_STYLES, ClassStyle, Document, Lane, View, are_unlike
from app.state.scaling import LONGEST

LONGEST_NAME = 40


class Arrays(Struct, frozen=True, eq=False):
    """A document, with the original labels of its classes.

    Attributes
    ----------
    document : Document
    labels : ndarray of shape (n_classes,)
        The labels, sorted.
    """

    document: Document
    labels: NDArray[Any]

    @staticmethod
    def of(
        X: ArrayLike,
        y: ArrayLike,
        lanes: Sequence[str | Mapping[str, Any]] | None = None,
        classifiers: Sequence[Any] = (),
    ) -> Arrays:
        """Return a document for the arguments of `app.show`; raise a ValueError with a sentence if they are invalid."""
        X, y, axes = _columns(X, y)
        xy = _locations(X)
        labels, codes = _labels(y, len(xy))
        points = Points.of(xy, codes)
        names = [ClassStyle(plain(str(label))[:LONGEST_NAME]) for label in labels.tolist()]
        document = Document(
            points,
            view=View.fitting(points, are_unlike(points)),
            styles=(*names, *PLAIN_STYLES[len(names) :]),
            axes=axes,
        )
        if lanes is not None:
            made = _lanes(lanes)
            document = replace(document, lanes=made, shown=len(made))
        return Arrays(with_classifiers(document, classifiers), labels)

    def edited(self, document: Document) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Return coordinates and labels of the edited document."""
        labels = self._with_new(document, max(document.points.classes, default=-1) + 1)
        return document.points.xy.copy(), labels[document.points.labels]

    def _with_new(self, document: Document, number: int) -> NDArray[Any]:
        """Return the labels of `number` classes, with new ones for new classes."""
        labels = self.labels
        if number <= len(labels):
            return labels
        if labels.dtype.kind in "biuf":
            values = labels.tolist()
            return np.array([*values, *(max(values, default=-1) + 1 + more for more in range(number - len(values)))])
        names = labels.tolist()
        for label in range(len(labels), number):
            name = document.class_name(label)
            while name in names:
                name += "'"
            names.append(name)
        return np.array(names) if labels.dtype.kind == "U" else _of_objects(names)


def with_classifiers(document: Document, classifiers: Sequence[Any]) -> Document:
    """Return `document` with a lane for each of these objects; raise a ValueError with a sentence if impossible."""
    if not isinstance(classifiers, Sequence):
        raise ValueError(f"classifiers must be a list of objects with fit and predict; it is {classifiers!r:.80}.")
    number = document.shown + len(classifiers)
    if number > MAX_LANES:
        given = f"{len(classifiers)} classifiers beside {document.shown} lanes"
        raise ValueError(f"A window shows at most {MAX_LANES} lanes; there are {given}.")
    if not classifiers:
        return document
    lanes = (*document.lanes[: document.shown], *(Lane(name) for name in passed(classifiers, LEARNERS)))
    return replace(document, lanes=lanes, shown=number)


def _columns(X: Any, y: Any) -> tuple[Any, Any, tuple[str, str]]:
    """Return X, y and the names of the axes; of a data frame, `y` may be the name of a column."""
    keys = [*getattr(X, "columns", ())]
    if isinstance(y, str):
        if y not in keys:
            known = f"X has the columns {', '.join(map(str, keys))}" if keys else "X has no named columns"
            raise ValueError(f"There is no column {y!r}; {known}.")
        labels = X[y]
        keys.remove(y)
        if len(keys) != 2:
            raise ValueError(f"X must have two columns beside {y!r}; it has {', '.join(map(str, keys)) or 'none'}.")
        X, y = np.column_stack([np.asarray(X[key]) for key in keys]), labels
    names = [str(key) for key in keys]
    x_name, y_name = (plain(name)[:LONGEST] for name in names) if len(names) == 2 else ("", "")
    return X, y, (x_name, y_name)


def _locations(X: ArrayLike) -> NDArray[np.float64]:
    try:
        given = np.asarray(X)
    except ValueError:
        raise ValueError("X must be a table of two columns; its rows are of different lengths.") from None
    if given.dtype.kind == "c":
        raise ValueError("X must hold real numbers; it holds complex ones.")
    if given.dtype.kind not in "biufO":
        raise ValueError(f"X must hold numbers; it holds {given.dtype}.")
    if given.ndim != 2 or given.shape[1] != 2:
        raise ValueError(f"X must have two columns, shape (n, 2); its shape is {given.shape}.")
    try:
        xy = given.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("X must hold numbers; some of what it holds are none.") from None
    bad = np.flatnonzero(~(np.abs(xy) <= LIMIT).all(axis=1))  # also for nan
    if len(bad):
        x, y = xy[bad[0]]
        raise ValueError(f"X must hold numbers up to {LIMIT:g}; its row {bad[0]} is ({x:g}, {y:g}).")
    return xy


def _labels(y: ArrayLike, n: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted labels, and the index of each point's label."""
    try:
        given = np.asarray(y)
    except ValueError:
        raise ValueError("y must hold one label for each point; its entries are of different lengths.") from None
    if given.shape != (n,):
        raise ValueError(f"y must hold one label for each of the {n} points; its shape is {given.shape}.")
    if given.dtype.kind == "c":
        raise ValueError("y must hold labels that can be sorted; it holds complex numbers.")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        bad = np.flatnonzero(~np.isfinite(given))[0]
        raise ValueError(f"y must hold a label for each point; its entry {bad} is {given[bad]}.")
    try:
        labels, codes = np.unique(given, return_inverse=True)
    except TypeError:
        raise ValueError("y must hold labels that can be sorted; some of them cannot be compared.") from None
    if len(labels) > MAX_CLASSES:
        raise ValueError(f"y must hold at most {MAX_CLASSES} different labels; it holds {len(labels)}.")
    return labels, codes


def _lanes(lanes: Sequence[str | Mapping[str, Any]]) -> tuple[Lane, ...]:
    wanted = [lanes] if isinstance(lanes, (str, Mapping)) else list(lanes)
    if not 1 <= len(wanted) <= MAX_LANES:
        raise ValueError(f"lanes must name one to {MAX_LANES} classifiers; it names {len(wanted)}.")
    return tuple(_lane(each) for each in wanted)


def _lane(wanted: Any) -> Lane:
    parameters = {"classifier": wanted} if isinstance(wanted, str) else wanted
    if not isinstance(parameters, Mapping):
        raise ValueError(f"lanes must hold names or dicts of parameters; it holds {wanted!r}.")
    others = dict(parameters)
    name = others.pop("classifier", None)
    if not isinstance(name, str) or name not in LEARNERS:
        available = (name for name, each in LEARNERS.items() if each.is_available)
        raise ValueError(f"There is no classifier {name!r}; there are {', '.join(available)}.")
    known = LEARNERS[name].settings.__struct_fields__
    if strange := [field for field in others if field not in known]:
        raise ValueError(f"{name} has no parameter {strange[0]!r}; it has {', '.join(known)}.")
    try:
        settings = msgspec.convert(others, LEARNERS[name].settings)
    except msgspec.ValidationError as error:
        raise ValueError(f"The parameters of {name} cannot be used: {reason_of(error)}.") from None
    return Lane(name).with_part(name, settings)


def _of_objects(values: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
