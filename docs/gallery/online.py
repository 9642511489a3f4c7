"""
Learning from a stream
======================

`OnlineSVC.partial_fit` learns a batch and may forget it.  After one pass it is close to a support vector machine that
has seen all points at once.
"""

import matplotlib.pyplot as plt
import numpy as np

from solver import SVC, OnlineSVC
from solver.data.datasets import generate

X, y = generate("moons", count=500, noise=0.2, seed=12)
order = np.random.default_rng(0).permutation(len(X))
X, y = X[order], y[order]
X_test, y_test = generate("moons", count=2000, noise=0.2, seed=13)
whole = SVC(kernel="rbf", gamma=2, C=1).fit(X, y).score(X_test, y_test)

model, counts, scores = OnlineSVC(kernel="rbf", gamma=2, C=1), [], []
for batch in np.array_split(np.arange(len(X)), 25):
    model.partial_fit(X[batch], y[batch], classes=[0, 1])
    counts.append(model.n_samples_seen_)
    scores.append(model.score(X_test, y_test))

figure, panel = plt.subplots(figsize=(8, 4), layout="constrained")
panel.plot(counts, scores, marker=".", label="OnlineSVC, one pass")
panel.axhline(whole, color="black", linewidth=0.8, label="SVC, all points at once")
panel.set(xlabel="points seen", ylabel="test accuracy")
panel.legend()

assert scores[-1] > whole - 0.01
