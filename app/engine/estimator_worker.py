"""Estimator worker: the program of the process in which classifiers of other libraries train and predict."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

import numpy as np

from .worker_pipe import RefusedError, serve


def made(maker: tuple[str, str, dict[str, Any]] | tuple[bytes, dict[str, Any]], standardises: bool = False) -> Any:
    """Return a new estimator with given parameters, of a class named by its module, or copied from a pickled one.

    With `standardises`, it is the last step of a pipeline after a StandardScaler.
    """
    if standardises:
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), made(maker))
    if len(maker) == 3:
        module, kind, parameters = maker
        return getattr(import_module(module), kind)(**parameters)
    pickled, parameters = maker
    estimator = pickle.loads(pickled)
    if parameters:
        estimator.set_params(**parameters)
    return estimator


def shares_of(estimator: Any, X: Any, classes: Any) -> Any:
    """Return the share of each class at `X`, shape (n, n_classes); the predicted class has the largest share.

    The shares are the estimator's probabilities if it has any, else computed from its `decision_function`.  In a row
    whose largest share is not of the class that `predict` returns, that class gets 1: the prediction counts.

    Raises
    ------
    ValueError
        If the estimator returns invalid values.
    """
    predicted = np.asarray(estimator.predict(X))
    name = type(estimator).__name__
    if predicted.shape != (len(X),):
        raise ValueError(f"{name}.predict returned shape {predicted.shape} for {len(X)} points.")
    if not np.isin(predicted, classes).all():
        raise ValueError(f"{name}.predict returned {predicted[~np.isin(predicted, classes)][0]}, which is no class.")
    winner = np.searchsorted(classes, predicted)
    own = np.asarray(getattr(estimator, "classes_", classes))
    shares = np.eye(len(classes))[winner]
    if hasattr(estimator, "predict_proba"):
        found, called = np.asarray(estimator.predict_proba(X), dtype=np.float64), "predict_proba"
        found = _checked(found, (len(X), len(own)), f"{name}.{called}")
    elif hasattr(estimator, "decision_function"):
        found = np.asarray(estimator.decision_function(X), dtype=np.float64)
        if len(own) == 2:
            found = _checked(found.reshape(len(X), -1), (len(X), 1), f"{name}.decision_function")
            found = 0.5 + 0.5 * np.clip(np.column_stack((-found, found)), -1.0, 1.0)
        elif found.shape == (len(X), len(own)):
            found = _checked(found, found.shape, f"{name}.decision_function")
            found = np.exp(found - found.max(axis=1, keepdims=True))
            found /= found.sum(axis=1, keepdims=True)
        else:  # values for pairs of classes
            return shares
    else:
        return shares
    if not np.isin(own, classes).all():
        return shares
    ranked = np.zeros_like(shares)
    ranked[:, np.searchsorted(classes, own)] = found
    agrees = ranked[np.arange(len(X)), winner] == ranked.max(axis=1)
    return np.where(agrees[:, None], ranked, shares)


def _checked(found: Any, shape: tuple[int, ...], name: str) -> Any:
    if found.shape != shape:
        raise ValueError(f"{name} returned shape {found.shape} where {shape} was expected.")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} returned a value that is not a number.")
    return found


class Worker:
    """Answer requests one after the other; keep the models, by numbers that the program has chosen."""

    def __init__(self) -> None:
        self.models: dict[int, tuple[Any, Any]] = {}

    def answer(self, message: tuple[list[int], tuple[Any, ...]]) -> Any:
        """Forget the dropped models of a message, carry out its request and return the result."""
        dropped, (kind, number, *rest) = message
        for each in dropped:
            self.models.pop(each, None)
        if kind == "fit":
            maker, standardises, X, y = rest
            estimator = made(maker, standardises)
            estimator.fit(X, y)
            self.models[number] = (estimator, np.unique(y))
            return None
        if number not in self.models:
            raise RefusedError("its process was ended.  The next change tries again.")
        estimator, classes = self.models[number]
        if kind == "shares":
            return shares_of(estimator, rest[0], classes)
        xs, ys = rest
        x, y = np.meshgrid(xs, ys)
        shares = shares_of(estimator, np.column_stack((x.ravel(), y.ravel())), classes).reshape(*x.shape, -1)
        best = shares.max(axis=-1)
        return (
            shares.argmax(axis=-1).astype(np.int8),
            best.astype(np.float32),
            (shares == best[..., None]).sum(axis=-1) > 1,
        )


if __name__ == "__main__":
    serve(Worker().answer)
