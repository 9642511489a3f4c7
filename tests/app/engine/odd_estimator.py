"""An estimator with a chosen fault, in a module of its own: the process that trains it imports no other test."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np


class Odd:
    """An estimator with the fault `does`."""

    def __init__(self, does: str = "") -> None:
        self.does = does

    def fit(self, X: object, y: object) -> Odd:
        if self.does == "raise":
            raise RuntimeError("no luck today")
        if self.does == "hang":
            time.sleep(600)
        if self.does == "die":
            os._exit(3)
        if self.does == "print":
            print("much " * 10_000)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        kinds: dict[str, Callable[[], np.ndarray]] = {
            "short": lambda: np.zeros(1, dtype=int),
            "unknown": lambda: np.full(len(X), 77),
            "nan": lambda: np.zeros(len(X), dtype=int),
        }
        return kinds.get(self.does, lambda: (X[:, 0] > 0.5).astype(int))()

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        first = np.full(len(X), np.nan if self.does == "nan" else 0.9)
        return np.column_stack((first, 1 - first))
