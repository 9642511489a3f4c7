"""Model: what a training gives, and what it states of itself: every display asks for an ability, not for a class.

`Model.kind` says what its values are.  "f": it is made of binary problems, each with an f (`PairClassifier`): margins,
terms, multipliers and certificates are those of its problems.  "votes" and "probabilities": a share for each class
(`SharesModel`); where the votes are those of neighbours, `neighbours` tells them one by one.
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
    """An answer that is on its way from another process."""

    @property
    def done(self) -> bool: ...
    @property
    def seconds(self) -> float: ...
    def give_up(self) -> None: ...
    def result(self) -> Any: ...


class SharesModel(Protocol):
    """A model that gives each class a share: whoever inherits this implements `predict_proba`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    """

    classes_: NDArray[Any]
    #: What queries are transformed by; None: nothing, or in the model's own process.
    scaler: Scaler | None = None

    def __hash__(self) -> int:
        return id(self)

    @property
    def kind(self) -> Literal["votes", "probabilities"]:
        """What the shares are."""
        return "probabilities"

    @property
    def neighbours(self) -> KNeighborsClassifier | None:
        """The nearest neighbours whose votes the shares are; None for a model of other shares."""
        return None

    def predict_proba(self, X: ArrayLike) -> Array:
        """The share of each class, shape (n, n_classes); each row adds up to 1."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The lowest class of the largest share, shape (n,)."""
        labels: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels

    def surface_on(self, xs: ArrayLike) -> Callable[[ArrayLike], Array]:
        """``rows(ys)`` gives the shares on these columns, shape (len(ys), len(xs), n_classes)."""

        def rows(ys: ArrayLike) -> Array:
            x, y = np.meshgrid(xs, ys)
            return self.predict_proba(np.column_stack((x.ravel(), y.ravel()))).reshape(*x.shape, -1)

        return rows

    def surface_classes_on(self, xs: ArrayLike) -> Callable[[ArrayLike], Any]:
        """As `surface_on`: the places of the winners in `classes_`, their shares, and whether others are equal."""
        rows = self.surface_on(xs)

        def winners(ys: ArrayLike) -> tuple[Indices, Array, Mask]:
            shares = rows(ys)
            best = shares.max(axis=-1)
            return shares.argmax(axis=-1), best, (shares == best[..., None]).sum(axis=-1) > 1

        return winners


class RemoteModel(SharesModel):
    """A model in another process: what is asked of it is begun, and waited for."""

    def begin_surface(self, xs: ArrayLike, ys: ArrayLike) -> Pending:
        """Begin to work out what `surface_classes_on` gives."""
        raise NotImplementedError

    def begin_shares(self, X: ArrayLike) -> Pending:
        """Begin to work out `predict_proba`."""
        raise NotImplementedError


Model = PairClassifier | SharesModel
#: What trains by steps: `prepare` gives its trainer, `snapshot_model` the model of the present state.
Stepwise: TypeAlias = "PairClassifier | Reduction"


def remote(model: Model) -> RemoteModel | None:
    """Return the model where it is in another process, else None."""
    return model if isinstance(model, RemoteModel) else None
