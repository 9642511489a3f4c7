"""
Two classifiers at every threshold
==================================

Accuracy looks at one threshold.  The ROC curve shows what each threshold finds, and what it finds wrongly.
"""

import matplotlib.pyplot as plt

from solver import SVC, KNeighborsClassifier, roc_curve
from solver.data.datasets import generate

X, y = generate("circle", count=100, noise=0.2, seed=15)
X_test, y_test = generate("circle", count=2000, noise=0.2, seed=16)
svm = SVC(kernel="rbf", gamma=1, C=1).fit(X, y)
knn = KNeighborsClassifier(5).fit(X, y)
curves = {
    "SVM": roc_curve(y_test == 1, svm.decision_function(X_test)),
    "kNN, k = 5": roc_curve(y_test == 1, knn.predict_proba(X_test)[:, 1]),
}

figure, panel = plt.subplots(figsize=(5, 5), layout="constrained")
for name, curve in curves.items():
    panel.step(curve.fpr, curve.tpr, where="post", label=f"{name}: area {curve.auc:.3f}")
panel.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
panel.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
panel.legend()

assert curves["SVM"].auc > curves["kNN, k = 5"].auc > 0.7
