"""SVC(solver="auto") against its peers, from 10^3 to 10^6 points: ``python -m tests.bench.bench_million --help``.

Times are processor times of one process, with one thread of BLAS for all programs: other processes disturb them little.
The programs run in turn.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from solver.data.datasets import generate
from solver.svm.svc import SVC

from .bench_svc import PROBLEMS, Array, training_set

#: Problems in addition to `bench_svc.PROBLEMS`: (shape, n, kernel, C, gamma).
MORE = tuple(
    ("moons", n, kernel, C, 1.0)
    for n in (3000, 5000, 10_000, 20_000)
    for kernel, prices in (("linear", (1.0, 100.0)), ("rbf", (1.0, 100.0, 1e4)), ("poly", (1.0, 100.0)))
    for C in prices
)
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
#: Largest number of points for LIBSVM: with more it would need more than ten minutes.
LIBSVM_TO = {"rbf": 300_000, "linear": 100_000}
FRESH = 100_000
#: Number of points above which a certificate is recomputed at a thousand of them.
ALL_ROWS = 20_000
Row = dict[str, Any]


def data(shape: str, n: int, seed: int = 1) -> tuple[Array, Array]:
    """Return a training set of the benchmark, "moons" with noise 0.3."""
    if shape != "moons":
        return training_set(shape, n)
    X, labels = generate("moons", n // 2, noise=0.3, seed=seed)
    return X, np.where(labels > 0, 1.0, -1.0)


def sums(kernel: str, gamma: float, X: Array, coef: Array, at: Array) -> Array:
    """Return f - b at `at`, from rows of scikit-learn's kernel; `coef` is alpha y of all of X."""
    support = np.flatnonzero(coef)
    kwargs = {} if kernel == "linear" else {"gamma": gamma} | ({"degree": 3, "coef0": 1.0} if kernel == "poly" else {})
    rows = [
        pairwise_kernels(at[s : s + 500], X[support], metric=kernel, **kwargs) @ coef[support]
        for s in range(0, len(at), 500)
    ]
    return np.concatenate(rows)


def recomputed(model: SVC, kernel: str, X: Array, y: Array, C: float, gamma: float) -> tuple[float, float, float]:
    """Return a certificate recomputed without the solver: (gap, KKT violation above `tol`, claimed dual above true
    dual).

    The last two are relative to 1 and to the dual, and at most 0 if the certificate holds.  Above 20 000 points only a
    thousand of them are checked, and there is no gap.
    """
    proof, coef = model.certificate_, np.zeros(len(X))
    coef[model.support_] = model.dual_coef_[0]
    alpha, some = np.abs(coef), np.arange(len(X))
    if len(X) > ALL_ROWS:
        some = np.random.default_rng(0).choice(len(X), 1000, replace=False)
    f = sums(kernel, gamma, X, coef, X[some]) + model.intercept_[0]
    margin = y[some] * f - 1.0
    wrong = np.where(alpha[some] < C, np.maximum(-margin, 0.0), 0.0)  # may not be below 0
    wrong = np.maximum(wrong, np.where(alpha[some] > 0.0, np.maximum(margin, 0.0), 0.0))  # nor above
    beyond = float(wrong.max()) - max(proof.kkt_violation, 1e-3) - 2.0 * proof.kernel_error - 1e-9 * (1.0 + C)
    if len(X) > ALL_ROWS:
        return np.nan, beyond, np.nan
    square = float(coef @ (f - model.intercept_[0]))
    dual, primal = float(alpha.sum()) - 0.5 * square, 0.5 * square + C * float(np.maximum(-margin, 0.0).sum())
    return (primal - dual) / primal, beyond, (proof.dual - dual) / dual - 1e-9


def seconds(program: Callable[[], Any]) -> float:
    """Return processor seconds."""
    with warnings.catch_warnings(action="ignore"), threadpool_limits(1):
        start = time.process_time()
        program()
        return time.process_time() - start


def peers() -> list[Row]:
    """Print cold fits of "auto" and LIBSVM at tol 1e-3: medians of three in turn (of one above 10 s)."""
    rows: list[Row] = []
    print(
        "\ndata        kernel       C  gamma      n      auto    spread    LIBSVM     ratio  status     gap    updates"
        "  gap recomputed"
    )
    for shape, n, kernel, C, gamma in (*PROBLEMS, *MORE):
        X, y = data(shape, n)
        ours = SVC(C, kernel, gamma=gamma, coef0=1.0, solver="auto")
        theirs = svm.SVC(C=C, kernel=kernel, gamma=gamma, coef0=1.0, cache_size=500, max_iter=10_000_000)
        taken = []
        for _ in range(3):
            taken.append([seconds(lambda m=m, X=X, y=y: m.fit(X, y)) for m in (ours, theirs)])
            if sum(map(sum, taken)) > 10.0:
                break
        mine, his = np.median(taken, axis=0).tolist()
        proof = ours.certificate_
        row = {"data": shape, "kernel": kernel, "C": C, "gamma": gamma, "n": n, "auto": mine, "libsvm": his}
        row |= {"ratio": his / mine, "spread": float(np.ptp(taken, axis=0)[0]), "status": str(proof.status)}
        row |= {"gap": float(proof.gap), "updates": int(proof.n_iter), "libsvm_stopped": bool(theirs.fit_status_)}
        again, beyond, above = recomputed(ours, kernel, X, y, C, gamma)
        row |= {"gap_recomputed": again, "holds": max(beyond, above) <= 0.0}
        rows.append(row)
        print(
            f"{shape:11s} {kernel:7s} {C:7g} {gamma:6g} {n:6d} {mine:9.4f} {row['spread']:9.4f} {his:9.3f}"
            f" {his / mine:9.1f}  {proof.status}  {proof.gap:.0e}  {proof.n_iter:8d}"
            + (f"  {again:.0e}" if row["holds"] else f"  DOES NOT HOLD: KKT by {beyond:.0e}, dual by {above:.0e}")
            + ("  (LIBSVM gave up)" if theirs.fit_status_ else ""),
            flush=True,
        )
    large = [row["ratio"] for row in rows if row["n"] >= 5000 or row["C"] >= 100]
    for title, ratios in (("all", [row["ratio"] for row in rows]), ("n >= 5000 or C >= 100", large)):
        mean = float(np.exp(np.mean(np.log(ratios))))
        print(
            f"{title}: geometric mean {mean:.2f}, from {min(ratios):.2f} to {max(ratios):.2f} ({len(ratios)} problems)"
        )
    return rows


def growth(sizes: tuple[int, ...] = SIZES) -> list[Row]:
    """Print time, accuracy on fresh points and gap for noisy moons of all sizes; C = 1, gamma = 1."""
    rows: list[Row] = []
    fresh, truth = data("moons", FRESH, seed=7)
    print("\nmoons, noise 0.3, C = 1, gamma = 1\nkernel   program               n    seconds  accuracy   gap")
    for kernel in ("rbf", "linear"):
        for n in sizes:
            X, y = data("moons", n)
            programs: dict[str, Any] = {"auto": SVC(1.0, kernel, gamma=1.0, solver="auto")}
            if n <= LIBSVM_TO[kernel]:
                programs["LIBSVM"] = svm.SVC(C=1.0, kernel=kernel, gamma=1.0, cache_size=500)
            linear = svm.LinearSVC(loss="hinge", C=1.0)
            programs["LinearSVC" if kernel == "linear" else "Nystroem + LinearSVC"] = (
                linear if kernel == "linear" else make_pipeline(Nystroem(gamma=1.0, random_state=0), linear)
            )
            for name, model in programs.items():
                taken = seconds(lambda m=model, X=X, y=y: m.fit(X, y))
                proof = model.certificate_ if name == "auto" else None
                row = {"kernel": kernel, "program": name, "n": n, "seconds": taken}
                some = slice(None, None, 20 if name == "LIBSVM" else 1)  # it sums 10^5 kernel values for each
                row["accuracy"] = float(np.mean(model.predict(fresh[some]) == truth[some]))
                row["gap"] = None if proof is None else float(proof.gap)
                if proof is not None:
                    _, beyond, above = recomputed(model, kernel, X, y, 1.0, 1.0)
                    row["holds"] = not max(beyond, above) > 0.0
                row["kernel_error"] = None if proof is None else float(proof.kernel_error)
                rows.append(row)
                gap = "" if proof is None else f"{proof.gap:.1e}, {proof.status}, f within {proof.kernel_error:.0e}"
                gap += "" if row.get("holds", True) else f", DOES NOT HOLD: KKT by {beyond:.0e}, dual by {above:.0e}"
                print(f"{kernel:8s} {name:20s} {n:8d} {taken:9.3f} {row['accuracy']:9.4f}   {gap}", flush=True)
        mine = {row["n"]: row["seconds"] for row in rows if row["kernel"] == kernel and row["program"] == "auto"}
        if len(mine) > 1:
            exponent = np.log(mine[sizes[-1]] / mine[sizes[0]]) / np.log(sizes[-1] / sizes[0])
            print(f"{kernel}: time grows as n^{exponent:.2f} from {sizes[0]} to {sizes[-1]}")
    return rows


def picture(rows: list[Row], path: Path) -> None:
    """Write a chart of time against n for all programs, both axes logarithmic, as PNG."""
    import os

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    import pyqtgraph as pg
    from pyqtgraph.exporters import ImageExporter
    from PySide6.QtCore import Qt

    app = pg.mkQApp()
    pg.setConfigOptions(background="w", foreground="k", antialias=True)
    plot = pg.PlotWidget(title="Seconds to train, moons with noise 0.3, C = 1, γ = 1")
    plot.resize(900, 560)
    plot.setLogMode(x=True, y=True)
    plot.showGrid(x=True, y=True, alpha=0.2)
    plot.setLabel("bottom", "points")
    plot.setLabel("left", "seconds, one core")
    plot.setXRange(np.log10(min(row["n"] for row in rows)), np.log10(max(row["n"] for row in rows)), padding=0.06)
    plot.addLegend(offset=(10, 10))
    colours = ("#0072b2", "#d55e00", "#009e73", "#56b4e9", "#e69f00", "#cc79a7")
    lines = sorted({(row["kernel"], row["program"]) for row in rows}, key=lambda line: (line[0] != "rbf", line[1]))
    for (kernel, program), colour, symbol in zip(lines, colours, ("o", "s", "d", "t", "p", "star"), strict=True):
        of_line = [row for row in rows if (row["kernel"], row["program"]) == (kernel, program)]
        n, taken = [row["n"] for row in of_line], [row["seconds"] for row in of_line]
        title = "SVC(solver='auto')" if program == "auto" else program
        style = Qt.PenStyle.SolidLine if kernel == "rbf" else Qt.PenStyle.DashLine
        pen = pg.mkPen(colour, width=3 if program == "auto" else 2, style=style)
        name = f"{title}, {'RBF' if kernel == 'rbf' else kernel}"
        plot.plot(n, taken, name=name, pen=pen, symbol=symbol, symbolSize=11, symbolBrush=colour, symbolPen=None)
    decades = range(3, 7)
    plot.getAxis("bottom").setTicks([[(k, f"{10**k:,}".replace(",", " ")) for k in decades], []])
    app.processEvents()
    exporter = ImageExporter(plot.plotItem)
    exporter.parameters()["width"] = 900
    exporter.export(str(path))


def run(arguments: list[str] | None = None) -> None:
    """Print all measurements; `arguments` are those of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bench_million")
    parser.add_argument("--json", type=Path, help="file for all numbers")
    parser.add_argument("--png", type=Path, help="file for the plot of time against n")
    parser.add_argument("--only", choices=("peers", "growth"))
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="most points")
    options = parser.parse_args(arguments or [])
    SVC(solver="auto").fit(*data("moons", 5000))  # compiled
    found: dict[str, list[Row]] = {}
    if options.only != "growth":
        found["peers"] = peers()
    if options.only != "peers":
        found["growth"] = growth(tuple(n for n in SIZES if n <= options.largest))
        if options.png:
            picture(found["growth"], options.png)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    import sys

    run(sys.argv[1:])
