"""Run exported programs as users do: in a fresh interpreter that cannot import this project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.features.code.program import program
from app.state.document import Document
from tests.stepped import stepped

#: Program that runs programs one after the other, each in its own namespace, and predicts at the same locations.
RUNNER = """\
import contextlib, io, json, runpy, sys, warnings
import matplotlib, numpy as np
import matplotlib.pyplot as plt
from pathlib import Path
reports = {}
for path in sorted(Path().glob("*.py")):
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            made = runpy.run_path(str(path))
        models = {name: each for name, each in made.items() if name == "model" or name.startswith("model_")}
        locations = np.load(path.with_suffix(".npy"))
        np.savez(path.with_suffix(".npz"), **{name: each.predict(locations) for name, each in models.items()})
    reports[path.stem] = {
        "warnings": [f"{each.category.__name__}: {each.message}" for each in raised],
        "printed": printed.getvalue(),
        "titles": [ax.get_title() for ax in plt.gcf().axes],
        "legend": [text.get_text() for ax in plt.gcf().axes if ax.get_legend() for text in ax.get_legend().get_texts()],
        "artists": [len(ax.collections) for ax in plt.gcf().axes],
        "support": [
            len(each.get_offsets()) for ax in plt.gcf().axes for each in ax.collections
            if each.get_label() == "support vector"
        ],
    }
    plt.close("all")
assert not {name for name in sys.modules if name.partition(".")[0] in ("app", "solver", "numba")}
Path("reports.json").write_text(json.dumps(reports))
"""


@dataclass(frozen=True)
class Case:
    """A document, the exported lanes, and the program."""

    document: Document
    lanes: tuple[int, ...]
    text: str
    locations: np.ndarray
    #: Content of the file beside it.
    rows: str = ""

    @staticmethod
    def of(document: Document, lanes: Sequence[int] | None = None, text: str = "") -> Case:
        shown = tuple(range(document.shown)) if lanes is None else tuple(lanes)
        made = program(document, lanes)
        return Case(document, shown, text or made.text, locations_of(document), made.rows)


def run(cases: dict[str, Case], folder: Path) -> dict[str, Any]:
    """Run these programs; return what each of them reported, and the predictions of its models at the locations."""
    for name, case in cases.items():  # a coarse picture is sufficient
        coarse = case.text.replace("grid_resolution=300", "grid_resolution=30").replace("VIEW, 300", "VIEW, 30")
        coarse = coarse.replace('"points.csv"', f'"{name}.csv"')
        (folder / f"{name}.py").write_text(coarse, encoding="utf-8")
        (folder / f"{name}.csv").write_text(case.rows, encoding="utf-8")
        np.save(folder / f"{name}.npy", case.locations)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-I", "-c", RUNNER]
    done = subprocess.run(
        command, cwd=folder, env=environment | {"MPLBACKEND": "Agg"}, capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stderr
    reports: dict[str, Any] = json.loads((folder / "reports.json").read_text())
    for name, each in reports.items():
        with np.load(folder / f"{name}.npz") as predicted:
            each["predicted"] = dict(predicted)
    return reports


def locations_of(document: Document, number: int = 10_000) -> np.ndarray:
    """Return locations all over the view, and beyond."""
    view, random = document.view, np.random.default_rng(0)
    return np.array([view.x, view.y]) + view.span * random.uniform(-0.65, 0.65, (number, 2))


def model_of(document: Document, index: int = 0) -> Any:
    """Return the model of the lane at the end of its training."""
    lane, points = document.lanes[index], document.training_points
    if lane.trainer is None:
        return lane.fit(points)
    return stepped(lane.estimator(), points.xy, points.labels)  # type: ignore[type-var]


def agreement(case: Case, reports: dict[str, Any]) -> list[float]:
    """Return, for each lane, the share of the locations where the program predicts the same class.

    Without intercept, locations where several classes have won most duels do not count: scikit-learn breaks these ties
    by the largest sum of f, as the program says; in the window they tie.
    """
    shares = []
    for index in case.lanes:
        name = "model" if len(case.lanes) == 1 else f"model_{index + 1}"
        lane, model = case.document.lanes[index], model_of(case.document, index)
        same = model.predict(case.locations) == reports["predicted"][name]
        if lane.classifier == "svm" and not lane.svm.fit_intercept and lane.multiclass == "one-vs-one":
            values = model.decision_function(case.locations)
            if values.ndim == 2:  # votes, and less than a third of one for the sums of f
                votes = np.rint(values)
                same = same[(votes == votes.max(axis=1, keepdims=True)).sum(axis=1) == 1]
        shares.append(float(same.mean()))
    return shares


def text_of(document: Document, lanes: Sequence[int] | None = None) -> str:
    return program(document, lanes).text
