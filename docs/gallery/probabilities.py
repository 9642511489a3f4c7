"""
Probabilities of a support vector machine
=========================================

An SVM has values f, no probabilities.  `CalibratedSVC` fits a sigmoid to values of f by cross-validation.
"""

import matplotlib.pyplot as plt
import numpy as np

from solver import SVC, CalibratedSVC
from solver.data.datasets import generate

X, y = generate("blobs", count=200, noise=0.6, seed=10)
X_test, y_test = generate("blobs", count=5000, noise=0.6, seed=11)
model = CalibratedSVC(SVC(kernel="rbf", C=1, gamma=0.5)).fit(X, y)
p = model.predict_proba(X_test)[:, 1]

bins = np.digitize(p, np.linspace(0, 1, 11)[1:-1])
predicted = np.array([p[bins == each].mean() for each in range(10)])
true = np.array([y_test[bins == each].mean() for each in range(10)])
figure, panel = plt.subplots(figsize=(5, 5), layout="constrained")
panel.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
panel.plot(predicted, true, marker="o")
panel.set(xlabel="predicted probability", ylabel="share of class 1 on new points", aspect="equal")

assert np.abs(predicted - true).max() < 0.12
