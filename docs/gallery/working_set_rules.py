"""
Which two points next?
======================

All working-set rules of SMO reach the same optimum; they need very different numbers of steps to get there.
"""

import matplotlib.pyplot as plt

from solver import RULES, SVC
from solver.data.datasets import generate

X, y = generate("moons", count=80, noise=0.25, seed=5)
steps, duals = {}, []
for rule in RULES:
    model = SVC(kernel="rbf", C=10, gamma=1, selection=rule, solver="smo", tol=1e-4).fit(X, y)
    steps[rule] = int(model.n_iter_[0])
    duals.append(model.certificate_.dual)

figure, panel = plt.subplots(figsize=(8, 3.6), layout="constrained")
bars = panel.barh(list(steps), list(steps.values()))
panel.bar_label(bars, padding=4)
panel.set(xlabel="steps to the optimum")
panel.margins(x=0.12)
panel.invert_yaxis()

assert max(duals) - min(duals) < 1e-3 * max(duals)
