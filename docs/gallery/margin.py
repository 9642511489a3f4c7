"""
C and the width of the margin
=============================

A small C lets points lie inside the margin, a large C makes the margin narrow.  Rings mark the support vectors.
"""

import matplotlib.pyplot as plt
import numpy as np

from solver import SVC
from solver.data.datasets import generate

X, y = generate("blobs", count=40, noise=0.5, seed=1)
xs, ys = np.linspace(-2.5, 2.5, 200), np.linspace(-2, 2, 160)
numbers = []

figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for panel, C in zip(panels, (0.01, 1, 100), strict=True):
    model = SVC(kernel="linear", C=C).fit(X, y)
    numbers.append(len(model.support_))
    panel.contour(xs, ys, model.surface(xs, ys), levels=[-1, 0, 1], colors="black", linestyles=["--", "-", "--"])
    panel.scatter(*X.T, c=y, cmap="coolwarm", s=16)
    panel.scatter(*X[model.support_].T, s=70, facecolors="none", edgecolors="black", linewidths=0.6)
    panel.set_title(f"C = {C:g}: {numbers[-1]} support vectors")

assert numbers == sorted(numbers, reverse=True)
