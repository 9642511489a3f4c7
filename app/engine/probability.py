"""Probability of each class at each location: Platt's sigmoid of f, fitted to folds left out of the training."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from msgspec import Struct

from app.core.points import Points
from app.learners.model import Model
from app.state.document import Lane
from app.state.split import folds_of
from solver.core.arrays import Array
from solver.core.binary_reduction import PairClassifier
from solver.core.multiclass import Pair
from solver.svm.calibration import class_probabilities, fit_sigmoids

from .fitting import f_at, fitted, shares_at
from .pacing import Pace, Step

#: Number of folds, that of scikit-learn's CalibratedClassifierCV.
N_FOLDS = 5
#: Probabilities at which lines are drawn: of one of two classes, or of the most probable of several.
LEVELS = (0.1, 0.5, 0.9)
TOO_FEW = f"A probability needs {N_FOLDS} training points of each class, one for each fold; the smallest has {{}}."


class Probability(Struct, frozen=True, eq=False):
    """The sigmoid ``1 / (1 + exp(A f + B))`` of each binary problem of one model.

    Attributes
    ----------
    pairs : list of Pair
    n_classes : int
    A, B : ndarray of shape (n_pairs,)
    contradicted : int
        Number of training points whose class by f is not the most probable one.
    refused : str
        Sentence that says why there is no probability, or "".
    """

    pairs: list[Pair]
    n_classes: int
    A: Array
    B: Array
    contradicted: int = 0
    refused: str = ""

    def of(self, f: Array) -> Array:
        """Return the probability of each class, shape (..., n_classes), for f of the pairs, shape (..., n_pairs)."""
        return class_probabilities(f, self.A, self.B, self.pairs, self.n_classes)

    @property
    def falls(self) -> bool:
        """Whether the probability of some pair falls where its f rises, or is the same everywhere."""
        return bool((self.A >= 0.0).any())

    @property
    def levels(self) -> tuple[float, ...]:
        """The values of f at the probabilities `LEVELS` of two classes; none where the probability is constant."""
        a, b = float(self.A[0]), float(self.B[0])
        return () if a == 0.0 else tuple((float(np.log(1.0 / p - 1.0)) - b) / a for p in LEVELS)


class Calibration:
    """The calibration of one lane's model in progress: five trainings, each without a fold of the points.

    A calibration that was interrupted continues with the same fold.

    Parameters
    ----------
    lane : Lane
    points : Points
        The training points.
    """

    def __init__(self, lane: Lane, points: Points) -> None:
        self.found: Probability | None = None
        self._lane, self._points = lane, points
        self._folds = folds_of(points, N_FOLDS, 0)
        self._left = np.unique(self._folds).tolist()
        self._f: Array | None = None

    def belongs_to(self, lane: Lane, points: Points) -> bool:
        """Whether this calibrates models with the settings of `lane`, trained on `points`."""
        return self._points is points and self._lane.training_key == lane.training_key

    def run(self, model: PairClassifier, pace: Pace) -> Generator[Step, None, Probability]:
        """Complete the calibration, and return the probability of `model`, which was trained on all points."""
        if self.found is None:
            try:
                self.found = yield from self._run(model, pace)
            except ValueError as error:  # one sentence, from the training of a fold
                self.found = _refused(model, str(error))
        return self.found

    def _run(self, model: PairClassifier, pace: Pace) -> Generator[Step, None, Probability]:
        points, pairs, classes = self._points, model.pairs_, model.classes_
        codes = np.searchsorted(classes, points.labels)
        if (fewest := int(np.bincount(codes).min())) < N_FOLDS:
            return _refused(model, TOO_FEW.format(fewest))
        if self._f is None:
            self._f = np.empty((len(points), len(pairs)))
        while self._left:
            out = self._folds == self._left[0]
            known = Points.of(points.xy[~out], points.labels[~out])
            part: Model = (yield from fitted(self._lane, known, pace)).model
            assert part.kind == "f"
            self._f[out] = yield from f_at(part, points.xy[out], pace)
            del self._left[0]
            yield from pace.pause()
        A, B = fit_sigmoids(pairs, self._f, codes, np.ones(len(points)))
        yield from pace.pause()
        f = yield from f_at(model, points.xy, pace)
        probable = Probability(pairs, len(classes), A, B).of(f).argmax(axis=1)
        contradicted = int((classes[probable] != classes[model.winner(f)]).sum())
        return Probability(pairs, len(classes), A, B, contradicted)


def probabilities(model: Model, calibration: Calibration, xy: Array, pace: Pace) -> Generator[Step, None, Array]:
    """Return the probability of each class at `xy`, shape (n, n_classes), in blocks.

    Parameters
    ----------
    model : Model
    calibration : Calibration
        Calibration for the settings and training points of `model`; used only if the model has an f.
    xy : ndarray of shape (n, 2)
    pace : Pace

    Raises
    ------
    ValueError
        If there is no probability; one sentence.
    """
    if model.kind != "f":
        return (yield from shares_at(model, xy, pace))
    probability = yield from calibration.run(model, pace)
    if probability.refused:
        raise ValueError(probability.refused)
    return probability.of((yield from f_at(model, xy, pace)))


def _refused(model: PairClassifier, sentence: str) -> Probability:
    none = np.zeros(len(model.pairs_))
    return Probability(model.pairs_, len(model.classes_), none, none, refused=sentence)
