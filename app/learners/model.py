"""Model: what a training gives, and what learners read of a lane; so much of both as every learner shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from numpy.typing import NDArray

from solver.core.arrays import Array
from solver.core.binary_reduction import PairClassifier


class SharesModel(Protocol):
    """A model that gives each class a share, as votes do; `learners.base.SharesClassifier` has all but the shares."""

    classes_: NDArray[Any]

    def __hash__(self) -> int: ...

    def predict(self, X: Any, compiled: bool = True) -> NDArray[Any]: ...

    def predict_proba(self, X: Any, compiled: bool = True) -> Array: ...

    def surface_on(self, xs: Any, compiled: bool = True) -> Callable[[Any], Array]: ...

    def surface_classes_on(self, xs: Any, compiled: bool = True) -> Callable[[Any], Any]: ...


#: One made of binary problems, each with an f, or one of shares.
Model = PairClassifier | SharesModel


class LaneSettings(Protocol):
    """A lane as learners see it: the settings of all families, of which each reads its own."""

    @property
    def classifier(self) -> str: ...
    @property
    def learner(self) -> str: ...
    @property
    def family(self) -> Any: ...
    @property
    def trainer(self) -> Any: ...
    @property
    def settings(self) -> Any: ...
    @property
    def multiclass(self) -> str: ...
    @property
    def knn(self) -> Any: ...
    @property
    def svm(self) -> Any: ...
    @property
    def perceptron(self) -> Any: ...
    @property
    def pegasos(self) -> Any: ...
