"""
The kernels on one ring
=======================

The kernel decides which boundaries are possible at all: a straight line cannot separate a disc from a ring.
"""

import matplotlib.pyplot as plt
import numpy as np

from solver import KERNELS, SVC
from solver.data.datasets import generate

X, y = generate("circle", count=80, noise=0.1, seed=6)
xs = ys = np.linspace(-1.2, 1.2, 150)
scores = {}

figure, panels = plt.subplots(1, len(KERNELS), figsize=(13, 3.6), layout="constrained")
for panel, kernel in zip(panels, KERNELS, strict=True):
    model = SVC(kernel=kernel, C=10, gamma=1, degree=2, coef0=1).fit(X, y)
    scores[kernel] = model.score(X, y)
    surface = model.surface(xs, ys)
    limit = np.abs(surface).max()
    panel.contourf(xs, ys, surface, levels=np.linspace(-limit, limit, 21), cmap="coolwarm", alpha=0.6)
    panel.contour(xs, ys, surface, levels=[0], colors="black")
    panel.scatter(*X.T, c=y, cmap="coolwarm", s=10, edgecolors="black", linewidths=0.3)
    panel.set(title=f"{kernel}: {scores[kernel]:.0%}", aspect="equal")

assert scores["linear"] < 0.75 < 0.85 < min(scores[kernel] for kernel in ("poly", "rbf", "laplacian"))
