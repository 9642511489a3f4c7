"""How often a diagnosis speaks when it should, and is silent otherwise, on 200 data sets; ``-s`` prints the rates.

The truth is measured another way: scikit-learn trains with the present and with the better value, and both are scored
on 2000 new points of the generator, which the diagnosis never sees.  Where the better value gains at least ten points
of balanced accuracy, the remark should be made; where it gains nothing, it should not; between, either is right.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from app.core.points import Points
from app.features.remarks.diagnosis import FOLDS
from app.state.document import UNLIKE, KnnSettings, Lane, SvmSettings
from solver.data.distribution import Law
from solver.warmup import compile_all
from tests.app.features.remarks.diagnosed import diagnosed

CASES = 200
#: Gain in balanced accuracy from which a remark should be made.
CLEAR = 0.1
#: Smallest share of the cases that call for a remark in which it is made, and largest share of those that do not.
SPEAKS, FALSE = 0.8, 0.02


def case(random: np.random.Generator) -> tuple[Lane, Points, np.ndarray, np.ndarray]:
    """Return a classifier, its training points, and new points with their classes."""
    name = str(random.choice(["moons", "blobs", "xor", "circle", "spirals", "line", "chessboard"]))
    law = Law(name, noise=float(random.choice([0.0, 0.1, 0.3])))
    X, y = law.draw(int(random.choice([40, 100, 300])), int(random.integers(1 << 30)))
    kept = (y == 0) | (random.random(len(y)) < random.choice([1.0, 1.0, 0.3, 0.1]))
    fresh, labels = law.draw(2000, 7)
    scale = np.array((1.0, float(random.choice([1.0, 1.0, 1.0, 4.0, 30.0, 1000.0]))))
    C = float(f"{10 ** random.uniform(-4, 3):.2g}")
    gamma = float(f"{10 ** random.choice([random.uniform(-4, -1), random.uniform(-1, 1), random.uniform(1, 4)]):.2g}")
    kind = random.random()
    if kind < 0.15:
        lane = Lane("knn", knn=KnnSettings(n_neighbors=int(random.choice([1, 5, 9]))))
    elif kind < 0.45:
        lane = Lane(svm=SvmSettings(kernel="linear", C=C))
    else:
        lane = Lane(svm=SvmSettings(C=C if random.random() < 0.5 else 1.0, gamma=gamma))
    return lane, Points.of(X[kept] * scale, y[kept]), fresh * scale, labels


def model_of(lane: Lane, **changes: Any) -> Any:
    """Return the same classifier of scikit-learn, with changes."""
    if lane.classifier == "knn":
        model: Any = KNeighborsClassifier(lane.knn.n_neighbors)
    else:
        own = {"kernel": lane.svm.kernel, "C": lane.svm.C, "gamma": lane.svm.gamma}
        own |= {name: value for name, value in changes.items() if name != "standardise"}
        model = SVC(**own, max_iter=200_000)
    return make_pipeline(StandardScaler(), model) if "standardise" in changes else model


def truths(lane: Lane, points: Points, fresh: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Return what each better value gains, for the remarks that might be made; {} where nothing can be measured."""
    X, y = points.xy, points.labels
    if len(points.classes) < 2 or min(n for n in points.counts if n) < FOLDS:
        return {}

    def score(**changes: Any) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            return float(balanced_accuracy_score(labels, model_of(lane, **changes).fit(X, y).predict(fresh)))

    try:
        now, (wide, high) = score(), X.std(axis=0)
        constant = len(set(model_of(lane).fit(X, y).predict(X))) == 1
        uneven = bool(wide and high) and not 1 / UNLIKE <= wide / high <= UNLIKE
        found = {"axes": score(standardise=True) - now if uneven else 0.0}
        if lane.classifier == "svm":
            found["constant"] = score(C=max(100 * lane.svm.C, 1.0)) - now if constant else 0.0
            found["straight"] = (
                score(kernel="rbf", gamma=1.0) - now if lane.svm.kernel == "linear" and now < 0.7 else 0.0
            )
        if lane.classifier == "svm" and lane.svm.kernel == "rbf":
            gamma = 1.0 / max(float(np.median(((X[:, None] - X) ** 2).sum(axis=2))), 1e-12)
            gain = score(gamma=gamma) - now
            found["large gamma"] = gain if lane.svm.gamma > gamma else 0.0
            found["small gamma"] = gain if lane.svm.gamma < gamma else 0.0
    except ConvergenceWarning:  # LIBSVM cannot tell
        return {}
    return found


@pytest.mark.slow
def test_each_diagnosis_speaks_when_it_should_and_else_is_silent() -> None:
    compile_all()
    random, n_cases = np.random.default_rng(52), 0
    made, said = defaultdict(list), defaultdict(list)
    while n_cases < CASES:
        lane, points, fresh, labels = case(random)
        gains = truths(lane, points, fresh, labels)
        n_cases += bool(gains)
        tried = diagnosed(lane, points)[1]["tried"] if gains else {}
        for name, gain in gains.items():
            if gain >= CLEAR:
                made[name].append(name in tried)
            elif gain <= 0.0:
                said[name].append(name in tried)
    for name in said:
        print(
            f"{name:12} speaks in {sum(made[name]):3} of {len(made[name]):3} that call for it,"
            f" and in {sum(said[name]):3} of {len(said[name]):3} others"
        )
    assert sum(map(sum, made.values())) >= SPEAKS * sum(map(len, made.values()))
    assert all(sum(each) <= max(1.0, FALSE * len(each)) for each in said.values())
