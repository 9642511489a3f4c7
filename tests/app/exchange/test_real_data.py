"""The supplied tables: equal to their sources, with a licence, and opened on their best pair."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from app.exchange import pairs
from app.exchange.columns import Choice, convert, first_import, usable_columns
from app.exchange.real_data import TABLES, RealTable
from app.exchange.table import Dialect
from app.files import assets
from app.files.documents import FileError

FOLDER = Path(__file__).parents[3] / "assets" / "data"
BY_NAME = {row.name: row for row in TABLES}
SHIPPED = pytest.mark.parametrize("row", TABLES, ids=lambda row: row.name)


def test_each_file_has_its_row_and_its_licence() -> None:
    files = {f"{row.name}{end}" for row in TABLES for end in (".csv", ".png", "-dark.png")}
    assert {path.name for path in FOLDER.iterdir()} == files | {"README.md"}
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for row in TABLES:
        (line,) = (line for line in readme.splitlines() if line.startswith(f"| `{row.name}.csv`"))
        licence = line.rstrip(" |").rpartition("| ")[2]
        assert licence in ("CC BY 4.0", "CC0 1.0") and licence.removesuffix(" 1.0") in row.sentence and "doi:" in line


@SHIPPED
def test_it_begins_on_the_pair_that_is_ranked_first(row: RealTable) -> None:
    table = row.read()
    choice = row.first_choice(table)
    found = pairs.views(table, choice.label)
    scores = pairs.score(found, found.pairs, lambda: None, 600)
    best = max(each.accuracy for each in scores)
    assert next(each.accuracy for each in scores if {each.x, each.y} == {choice.x, choice.y}) == best


@pytest.mark.parametrize(
    ("name", "load"), [("iris", load_iris), ("wine", load_wine), ("breast-cancer", load_breast_cancer)]
)
def test_the_numbers_are_those_of_scikit_learn(name: str, load: object) -> None:
    table, data = BY_NAME[name].read(), load()
    values = np.column_stack([column.values for column in table.columns[:-1]])
    assert np.array_equal(values, data.data)
    imported = convert(table, BY_NAME[name].first_choice(table))
    order = sorted(range(len(data.target_names)), key=lambda label: str(data.target_names[label]))
    assert [order[label] for label in imported.labels] == data.target.tolist()


def test_penguins_have_units_and_their_missing_rows_are_left_out() -> None:
    row = BY_NAME["penguins"]
    table = row.read()
    assert len(table) == 344 and usable_columns(table, 6)[1] == "Set aside: 'island' (words), 'sex' (words)."
    choice, imported = first_import(table, row.first_choice(table))
    assert choice.standardise and choice.leave_out
    assert imported.axes == ("bill length (mm)", "bill depth (mm)")
    assert imported.left_out == ((5, "column 'bill length (mm)' is empty"), (273, "column 'bill length (mm)' is empty"))
    assert Counter(imported.class_names[label] for label in imported.labels) == {
        "Adelie": 151,
        "Chinstrap": 68,
        "Gentoo": 123,
    }


def test_in_another_dialect_the_usual_choice_is_offered() -> None:
    row = BY_NAME["iris"]
    table = row.read(Dialect(",", ".", False))
    assert replace(row.first_choice(table), why="") == Choice(0, 1, 4)


def test_one_that_cannot_be_read_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(assets, "assets", lambda name: tmp_path / name)
    with pytest.raises(FileError, match=r"^iris.csv cannot be read: "):
        BY_NAME["iris"].read()
