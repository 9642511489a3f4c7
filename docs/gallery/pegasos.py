"""
The gap of a stochastic gradient
================================

Pegasos draws one point at a time.  Its steps go up and down, but the duality gap proves how good the average of them
is.
"""

import matplotlib.pyplot as plt

from solver import PegasosSolver
from solver.data.datasets import generate

X, y = generate("blobs", count=200, noise=0.4, seed=14)
solver = PegasosSolver(X, 2 * y - 1, lam=0.01, max_iter=100_000)

counts, gaps = [], []
for n in [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000]:
    solver.step(n - solver.n_iter)
    counts.append(solver.n_iter)
    gaps.append(solver.certificate().gap)

figure, panel = plt.subplots(figsize=(8, 4), layout="constrained")
panel.loglog(counts, gaps, marker="o")
panel.set(xlabel="steps", ylabel="relative duality gap")

assert gaps[-1] < 0.05 < gaps[0]
