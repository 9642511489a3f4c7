"""
Which points does kNN need?
===========================

Hart's rule keeps the points that are needed to classify all others rightly; Wilson's rule removes those that their own
neighbours contradict.
"""

import matplotlib.pyplot as plt

from solver import CondensedNearestNeighbour, EditedNearestNeighbours
from solver.data.datasets import generate

X, y = generate("moons", count=150, noise=0.2, seed=8)
edited = EditedNearestNeighbours(n_neighbors=3).fit_resample(X, y)
condensed = CondensedNearestNeighbour(shuffle=False).fit_resample(*edited)

figure, panels = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
names = ("all points", "edited: no point against its neighbours", "then condensed")
for panel, name, (points, labels) in zip(panels, names, ((X, y), edited, condensed), strict=True):
    panel.scatter(*points.T, c=labels, cmap="coolwarm", s=14)
    panel.set(title=f"{name}: {len(points)}", xlim=panels[0].get_xlim(), ylim=panels[0].get_ylim())

assert len(X) > len(edited[0]) > 3 * len(condensed[0])
