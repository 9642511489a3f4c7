"""Running programs as their readers do: in a fresh interpreter, where nothing of this project can be imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.features.code.program import program
from app.learners.base import estimator_of
from app.state.document import Document, Lane
from app.state.points import Points

#: Runs programs one after the other, each in a world of its own, and asks their models about the same places.
RUNNER = """\
import json, runpy, sys, warnings
import matplotlib, numpy as np
import matplotlib.pyplot as plt
from pathlib import Path
places = np.load("places.npy")
told = {}
for path in sorted(Path().glob("*.py")):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = runpy.run_path(str(path))
        models = {name: model for name, model in made.items() if name == "model" or name.startswith("model_")}
        np.savez(path.with_suffix(".npz"), **{name: model.predict(places) for name, model in models.items()})
    told[path.stem] = {
        "said": [f"{each.category.__name__}: {each.message}" for each in said],
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
Path("told.json").write_text(json.dumps(told))
"""


def run(texts: dict[str, str], folder: Path, places: np.ndarray, files: dict[str, str] | None = None) -> dict[str, Any]:
    """Run these programs; what each of them told, with what its models predict at the places."""
    for name, text in (files or {}).items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, text in texts.items():  # a coarse picture is as good here
        coarse = text.replace("grid_resolution=300", "grid_resolution=30").replace("VIEW, 300", "VIEW, 30")
        (folder / f"{name}.py").write_text(coarse, encoding="utf-8")
    np.save(folder / "places.npy", places)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-I", "-c", RUNNER]
    done = subprocess.run(
        command, cwd=folder, env=environment | {"MPLBACKEND": "Agg"}, capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads((folder / "told.json").read_text())
    for name, each in told.items():
        with np.load(folder / f"{name}.npz") as predicted:
            each["predicted"] = dict(predicted)
    return told


def places_of(document: Document, number: int = 10_000) -> np.ndarray:
    """Places all over the view."""
    view, random = document.view, np.random.default_rng(0)
    return np.array([view.x, view.y]) + view.span * random.uniform(-0.5, 0.5, (number, 2))


def model_of(lane: Lane, points: Points) -> Any:
    """What the lane has learnt at the end."""
    if lane.trainer is None:
        return lane.family.fit(lane, points)
    return estimator_of(lane).fit(points.xy, points.labels)  # type: ignore[attr-defined]


def agreement(document: Document, told: dict[str, Any], lanes: Sequence[int], places: np.ndarray) -> list[float]:
    """For each of these lanes, the share of the places where the program predicts the same class."""
    names = ["model"] if len(lanes) == 1 else [f"model_{place + 1}" for place in lanes]
    shares = []
    for name, place in zip(names, lanes, strict=True):
        model = model_of(document.lanes[place], document.training_points)
        shares.append(float((model.predict(places) == told["predicted"][name]).mean()))
    return shares


def text_of(document: Document, lanes: Sequence[int] | None = None) -> str:
    return program(document, lanes).text
