"""
From one neighbour to many
==========================

With one neighbour each wrong label makes an island; with many the boundary becomes smooth.
"""

import matplotlib.pyplot as plt
import numpy as np

from solver import KNeighborsClassifier
from solver.data.datasets import generate

X, y = generate("moons", count=100, noise=0.25, seed=2)
X_test, y_test = generate("moons", count=1000, noise=0.25, seed=3)
xs, ys = np.meshgrid(np.linspace(-1.9, 2.9, 240), np.linspace(-1.6, 2, 180))
scores = []

figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for panel, k in zip(panels, (1, 15, 101), strict=True):
    model = KNeighborsClassifier(k).fit(X, y)
    scores.append((model.score(X, y), model.score(X_test, y_test)))
    predicted = model.predict(np.column_stack((xs.ravel(), ys.ravel()))).reshape(xs.shape)
    panel.contourf(xs, ys, predicted, levels=1, cmap="coolwarm", alpha=0.3)
    panel.scatter(*X.T, c=y, cmap="coolwarm", s=12)
    panel.set_title(f"k = {k}: {scores[-1][0]:.0%} in training, {scores[-1][1]:.0%} in test")

assert scores[0][0] == 1 and scores[1][1] > max(scores[0][1], scores[2][1])
