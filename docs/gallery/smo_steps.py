"""
SMO, step by step
=================

Each step moves two multipliers and raises the dual.  The primal objective bounds the optimum from above, so that the
gap between the two is what is left at most, long before the training has ended.
"""

import matplotlib.pyplot as plt

from solver import Kernel, SmoSolver
from solver.data.datasets import generate

X, y = generate("moons", count=60, noise=0.2, seed=4)
smo = SmoSolver(X, 2 * y - 1, Kernel("rbf", gamma=1.0), C=10)

duals, primals = [], []
while smo.step():
    certificate = smo.certificate()
    duals.append(certificate.dual)
    primals.append(certificate.primal)

figure, panel = plt.subplots(figsize=(8, 4), layout="constrained")
panel.plot(primals, label="primal: the optimum is below")
panel.plot(duals, label="dual: the optimum is above")
panel.set(xlabel="steps", ylabel="objective", ylim=(0, 2 * duals[-1]), title=f"{smo.status} after {len(duals)} steps")
panel.legend()

assert duals == sorted(duals) and smo.certificate().gap < 1e-3
