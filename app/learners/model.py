"""Model: the result of a training.  Displays check what a model can do (`kind`), not its class.

`Model.kind` is the kind of its values.  "f": the model consists of binary problems, each with an f (`PairClassifier`),
which have margins, terms, multipliers and certificates.  "votes" and "probabilities": the model has a share for each
class (`SharesModel`); for votes of neighbours, `neighbours` has the kNN classifier.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Indices, Mask
from solver.core.binary_reduction import PairClassifier
from solver.core.scaler import Scaler

if TYPE_CHECKING:
    from solver import KNeighborsClassifier
    from solver.knn.reduction import Reduction


class Pending(Protocol):
    """An answer that another process has yet to send."""

    @property
    def done(self) -> bool: ...
    @property
    def seconds(self) -> float: ...
    def discard(self) -> None: ...
    def result(self, late: Callable[[], bool] = ...) -> Any: ...


class SharesModel(Protocol):
    """A model with a share for each class; subclasses implement `predict_proba`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    """

    classes_: NDArray[Any]
    #: Transformation of queries; None for none, or one within the model's own process.
    scaler: Scaler | None = None

    def __hash__(self) -> int:
        return id(self)

    @property
    def kind(self) -> Literal["votes", "probabilities"]:
        """Kind of the shares."""
        return "probabilities"

    @property
    def neighbours(self) -> KNeighborsClassifier | None:
        """The kNN classifier whose votes the shares are, or None."""
        return None

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the share of each class, shape (n, n_classes); each row adds up to 1."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of the largest share, the lowest of several, shape (n,)."""
        labels: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels

    def surface_on(self, xs: ArrayLike) -> Callable[[ArrayLike], Array]:
        """Return ``rows(ys)``, which returns the shares on a grid, shape (len(ys), len(xs), n_classes)."""

        def rows(ys: ArrayLike) -> Array:
            x, y = np.meshgrid(xs, ys)
            return self.predict_proba(np.column_stack((x.ravel(), y.ravel()))).reshape(*x.shape, -1)

        return rows

    def surface_classes_on(self, xs: ArrayLike) -> Callable[[ArrayLike], Any]:
        """Like `surface_on`, for the index in `classes_` of the largest share, that share, and whether it ties."""
        rows = self.surface_on(xs)

        def winners(ys: ArrayLike) -> tuple[Indices, Array, Mask]:
            shares = rows(ys)
            best = shares.max(axis=-1)
            return shares.argmax(axis=-1), best, (shares == best[..., None]).sum(axis=-1) > 1

        return winners


class RemoteModel(SharesModel):
    """A model in another process; requests return at once, and their answers follow."""

    def begin_surface(self, xs: ArrayLike, ys: ArrayLike) -> Pending:
        """Request the result of `surface_classes_on`."""
        raise NotImplementedError

    def begin_shares(self, X: ArrayLike) -> Pending:
        """Request the result of `predict_proba`."""
        raise NotImplementedError


Model = PairClassifier | SharesModel
#: An estimator that trains by steps: `prepare` returns its trainer, `snapshot_model` the present model.
Stepwise: TypeAlias = "PairClassifier | Reduction"


def remote(model: Model) -> RemoteModel | None:
    """Return the model if it is in another process, else None."""
    return model if isinstance(model, RemoteModel) else None
