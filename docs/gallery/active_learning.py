"""
Asking for the right labels
===========================

A label costs somebody's time.  Asking for the point the model is least sure of needs fewer labels than asking at
random.
"""

import matplotlib.pyplot as plt
import numpy as np

from solver import SVC, most_informative
from solver.data.datasets import generate

X, y = generate("moons", count=200, noise=0.15, seed=9)


def accuracies(chosen_by_model: bool, seed: int) -> list[float]:
    """Return the accuracy on all points after each label, from 4 labels to 40."""
    random = np.random.default_rng(seed)
    labelled, found = [0, 60, 200, 260], []
    while len(labelled) < 40:
        model = SVC(kernel="rbf", gamma=2, C=10).fit(X[labelled], y[labelled])
        found.append(model.score(X, y))
        pool = np.setdiff1d(np.arange(len(X)), labelled)
        labelled.append(int(pool[most_informative(model, X[pool])] if chosen_by_model else random.choice(pool)))
    return found


asked = np.array(accuracies(True, 0))
random = np.mean([accuracies(False, seed) for seed in range(10)], axis=0)
figure, panel = plt.subplots(figsize=(8, 4), layout="constrained")
panel.plot(np.arange(4, 40), asked, label="the least certain point")
panel.plot(np.arange(4, 40), random, label="a random point (mean of 10)")
panel.set(xlabel="labels", ylabel="accuracy on all points")
panel.legend()

assert asked[-1] > random[-1]
