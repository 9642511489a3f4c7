"""
Many lines separate, one is widest
==================================

A perceptron stops at the first line without a mistake, which depends on the order of the points.  The widest margin
does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from solver import SVC, PerceptronSolver
from solver.data.datasets import generate

X, y = generate("blobs", count=30, noise=0.2, seed=7)
signs = 2 * y - 1
ends = np.array([-2.0, 2.0])

figure, panel = plt.subplots(figsize=(6, 4.5), layout="constrained")
margins = []
for seed in range(12):
    order = np.random.default_rng(seed).permutation(len(X))
    perceptron = PerceptronSolver(X[order], signs[order])
    perceptron.run()
    w, b = perceptron.coef, perceptron.intercept
    margins.append(float((signs * (X @ w + b)).min() / np.hypot(*w)))
    panel.axline((-w[0] * b / (w @ w), -w[1] * b / (w @ w)), slope=-w[0] / w[1], color="grey", linewidth=0.8)
svm = SVC(kernel="linear", C=np.inf).fit(X, y)
w, b = svm.coef_[0], svm.intercept_[0]
panel.plot(ends, -(w[0] * ends + b) / w[1], color="black", linewidth=2, label="widest margin")
panel.scatter(*X.T, c=y, cmap="coolwarm", s=18, zorder=3)
panel.set(xlim=(-2, 2), ylim=(-2, 2))
panel.legend()

assert 0 < max(margins) < 1 / np.hypot(*w)
