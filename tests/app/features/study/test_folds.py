"""Exported folds: from them alone scikit-learn computes the numbers of the study."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.svm import SVC

from app.features.study.model import Study, StudyAxis
from tests import playground_files

from .studies import GRID, document_of, with_tol
from .test_command import file_of, study

#: The points depend on the noise, the repetition and the draw.
STUDY = msgspec.structs.replace(
    with_tol(GRID, 1e-6),
    axes=(StudyAxis("C", (0.1, 1.0, 10.0)), StudyAxis("gamma", (0.3, 3.0)), StudyAxis("noise", (0.2, 0.4))),
    values=("accuracy",),
)


def rows_in(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def scores(X: Any, y: Any, fold: Any, C: Any, gamma: Any) -> Any:
    """Return the scores of a cell, as a reader would repeat it."""
    estimator = SVC(C=float(C), gamma=float(gamma), tol=1e-6)
    return cross_val_score(
        estimator, np.asarray(X, float), np.asarray(y, int), cv=PredefinedSplit(np.asarray(fold, int))
    )


def test_three_cells_are_those_of_scikit_learn_from_the_csv_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert study("run", file_of(STUDY, tmp_path), "--out", tmp_path / "r") == 0
    assert study("export", tmp_path / "r", "--csv", tmp_path / "t.csv") == 0
    assert f"Wrote {tmp_path / 't-folds.csv'}\n" in capsys.readouterr().out
    results, points = rows_in(tmp_path / "t.csv"), rows_in(tmp_path / "t-folds.csv")
    assert len(points) == 2 * 2 * 60 and list(points[0]) == [
        "noise",
        "repetition",
        "draw",
        "row",
        "x",
        "y",
        "class",
        "fold",
    ]
    for C, gamma, noise, repetition in (
        ("0.1", "0.3", "0.2", "1"),
        ("10.0", "3.0", "0.4", "1"),
        ("1.0", "3.0", "0.4", "2"),
    ):
        rows = [each for each in points if (each["noise"], each["repetition"]) == (noise, repetition)]
        X, y, fold = (
            [(row["x"], row["y"]) for row in rows],
            [row["class"] for row in rows],
            [row["fold"] for row in rows],
        )
        cell = {"C": C, "gamma": gamma, "noise": noise, "repetition": repetition}
        found = [each for each in results if each.items() >= cell.items()]
        assert [each["fold"] for each in found] == ["1", "2", "3"]
        assert [float(each["accuracy"]) for each in found] == scores(X, y, fold, C, gamma).tolist()


def test_a_json_file_has_results_and_folds_of_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    playground_files.write(document_of(), tmp_path / "d.playground")
    playground_files.write(document_of(30), tmp_path / "other.playground")
    (tmp_path / "s.toml").write_text(
        'folds = 3\n[classifier]\ntol = 1e-6\n[data]\ndocument = "d.playground"\n'
        "[axes]\nC = [0.5, 4.0]\ngamma = [1.0]\n"
    )
    assert study("run", tmp_path / "s.toml", "--out", tmp_path / "r") == 0
    capsys.readouterr()
    words = ("export", tmp_path / "r", "--json", tmp_path / "t.json")
    assert study(*words, "--from", tmp_path / "other.playground") == 2
    assert "has other points than the study" in capsys.readouterr().err and not (tmp_path / "t.json").exists()
    assert study(*words) == 0 and "The folds are left out: name the document" in capsys.readouterr().err
    assert json.loads((tmp_path / "t.json").read_text())["folds"] == []
    assert study(*words, "--from", tmp_path / "d.playground") == 0
    whole = json.loads((tmp_path / "t.json").read_text())
    assert msgspec.convert(whole["study"], Study).folds == 3
    (points,) = whole["folds"]
    for C in (0.5, 4.0):
        expected = scores(points["X"], points["y"], points["fold"], C, 1.0).tolist()
        assert [each["accuracy"] for each in whole["results"] if each["C"] == C] == expected


def test_without_folds_there_are_none(tmp_path: Path) -> None:
    made = msgspec.structs.replace(
        GRID, folds=0, test=20, repetitions=1, axes=(StudyAxis("C", (1.0,)), StudyAxis("gamma", (1.0,)))
    )
    assert study("run", file_of(made, tmp_path), "--out", tmp_path / "r") == 0
    assert study("export", tmp_path / "r", "--csv", tmp_path / "t.csv") == 0
    assert not (tmp_path / "t-folds.csv").exists() and len(rows_in(tmp_path / "t.csv")) == 1
