"""Roles: forty small tables of the forms that courses and repositories hold, with the columns that a reader chooses.

They were written before the score was tried on them; it then had 36 right, and was changed until all were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from app.exchange import roles
from app.exchange.columns import Choice, convert, default_choice, first_import
from app.exchange.importing import decode
from app.exchange.roles import usable_columns
from app.exchange.table import Table
from app.files.documents import FileError

RNG = np.random.default_rng(0)
N = 24


def measured(low: float, high: float, digits: int = 2) -> list[str]:
    return [f"{value:.{digits}f}" for value in RNG.uniform(low, high, N)]


def whole(low: int, high: int) -> list[str]:
    return [str(value) for value in RNG.integers(low, high + 1, N)]


def of(*words: str) -> list[str]:
    return [words[k % len(words)] for k in range(N)]


def counter(first: int = 1) -> list[str]:
    return [str(first + k) for k in range(N)]


def mixed(*words: str) -> list[str]:
    """Return words in another order than `of`, as often."""
    return [words[(k * 7 + k // 5) % len(words)] for k in range(N)]


def ids() -> list[str]:
    return [str(15_600_000 + int(value)) for value in RNG.permutation(90_000)[:N]]


def people() -> list[str]:
    return [f"Customer {k}" for k in range(N)]


def hot(which: int, n: int) -> list[str]:
    return ["1" if k % n == which else "0" for k in range(N)]


Columns = dict[str, list[str]]
#: Columns, and the names of x, y and the class; "" for no class.  Names that begin with "-" are not written.
TABLES: list[tuple[str, Columns, tuple[str, str, str]]] = [
    ("drawn", {"x": measured(-1, 1), "y": measured(-1, 1), "class": of("1", "2")}, ("x", "y", "class")),
    (
        "advertisements",
        {
            "User ID": ids(),
            "Gender": mixed("Male", "Female"),
            "Age": whole(18, 60),
            "EstimatedSalary": [f"{value}000" for value in whole(15, 150)],
            "Purchased": of("0", "1"),
        },
        ("Age", "EstimatedSalary", "Purchased"),
    ),
    (
        "year first",
        {
            "Year": counter(1990),
            "rain": measured(300, 900),
            "sun": measured(900, 1900),
            "wind": measured(2, 9),
            "harvest": of("good", "bad"),
        },
        ("rain", "sun", "harvest"),
    ),
    (
        "tumours",
        {"-1": ids(), "-2": of("M", "B"), "-3": measured(10, 20), "-4": measured(10, 30), "-5": measured(60, 150)},
        ("-3", "-4", "-2"),
    ),
    ("label first", {"-1": of("0", "1"), "-2": measured(-3, 3, 4), "-3": measured(-3, 3, 4)}, ("-2", "-3", "-1")),
    (
        "indicators",
        {"X": measured(-2, 2), "Y": measured(-2, 2), "Class0": hot(0, 3), "Class1": hot(1, 3), "Class2": hot(2, 3)},
        ("X", "Y", "Class"),
    ),
    ("exam", {"-1": measured(30, 100, 4), "-2": measured(30, 100, 4), "-3": of("0", "1")}, ("-1", "-2", "-3")),
    (
        "passengers",
        {
            "PassengerId": counter(),
            "Survived": of("0", "1"),
            "Pclass": mixed("1", "2", "3"),
            "Name": people(),
            "Sex": mixed("male", "female"),
            "Age": whole(1, 80),
            "Fare": measured(5, 200),
            "Embarked": mixed("S", "C", "Q"),
        },
        ("Age", "Fare", "Survived"),
    ),
    (
        "pandas index",
        {"Unnamed: 0": counter(0), "a": measured(0, 1), "b": measured(0, 1), "target": of("0", "1", "2")},
        ("a", "b", "target"),
    ),
    (
        "flowers with id",
        {
            "Id": counter(),
            "SepalLengthCm": measured(4, 8, 1),
            "SepalWidthCm": measured(2, 5, 1),
            "Species": of("Iris-setosa", "Iris-virginica"),
        },
        ("SepalLengthCm", "SepalWidthCm", "Species"),
    ),
    ("no class", {"height": measured(150, 200), "weight": measured(50, 100)}, ("height", "weight", "")),
    ("three measurements", {"a": measured(0, 9), "b": measured(0, 9), "c": measured(0, 9)}, ("a", "b", "")),
    (
        "penguins",
        {
            "species": of("Adelie", "Gentoo"),
            "island": mixed("Biscoe", "Dream"),
            "bill_length_mm": measured(30, 60, 1),
            "bill_depth_mm": measured(13, 22, 1),
            "sex": mixed("male", "female"),
            "year": mixed("2007", "2008", "2009"),
        },
        ("bill_length_mm", "bill_depth_mm", "species"),
    ),
    (
        "heart",
        {
            "age": whole(30, 75),
            "sex": mixed("0", "1"),
            "cp": mixed("0", "1", "2", "3"),
            "trestbps": whole(95, 200),
            "chol": whole(130, 400),
            "target": of("0", "1"),
        },
        ("age", "trestbps", "target"),
    ),
    (
        "diabetes",
        {"Pregnancies": whole(0, 14), "Glucose": whole(60, 200), "BMI": measured(18, 50, 1), "Outcome": of("0", "1")},
        ("Pregnancies", "Glucose", "Outcome"),
    ),
    (
        "constant column",
        {"-1": measured(-1, 1), "-2": measured(-1, 1), "-3": of("1", "2", "3"), "-4": of("4096")},
        ("-1", "-2", "-3"),
    ),
    (
        "minus and plus one last",
        {"-1": measured(-1, 8), "-2": measured(-5, 5), "-3": of("-1", "1")},
        ("-1", "-2", "-3"),
    ),
    (
        "minus and plus one first",
        {"-1": of("-1", "1"), "-2": measured(-1, 8), "-3": measured(-5, 5)},
        ("-2", "-3", "-1"),
    ),
    (
        "date words",
        {"date": people(), "temp": measured(-5, 30), "humidity": measured(20, 99), "rain": of("yes", "no")},
        ("temp", "humidity", "rain"),
    ),
    (
        "churn",
        {
            "CustomerId": ids(),
            "Surname": people(),
            "CreditScore": whole(350, 850),
            "Age": whole(18, 90),
            "Balance": measured(0, 200_000),
            "Exited": of("0", "1"),
        },
        ("CreditScore", "Age", "Exited"),
    ),
    (
        "wine",
        {"class": of("1", "2", "3"), "alcohol": measured(11, 15), "ash": measured(1, 4)},
        ("alcohol", "ash", "class"),
    ),
    (
        "wine without names",
        {"-1": of("1", "2", "3"), "-2": measured(11, 15), "-3": measured(1, 4), "-4": measured(1, 5)},
        ("-2", "-3", "-1"),
    ),
    (
        "quality last",
        {"acid": measured(4, 15), "sugar": measured(1, 15), "quality": mixed("3", "4", "5", "6", "7", "8")},
        ("acid", "sugar", "quality"),
    ),
    (
        "banknotes",
        {"variance": measured(-7, 7), "skewness": measured(-13, 13), "entropy": measured(-8, 3), "class": of("0", "1")},
        ("variance", "skewness", "class"),
    ),
    ("y after two", {"x1": measured(0, 9), "x2": measured(0, 9), "y": of("0", "1")}, ("x1", "x2", "y")),
    (
        "label in the middle",
        {"width": measured(1, 2), "label": of("a", "b"), "height": measured(2, 3)},
        ("width", "height", "label"),
    ),
    (
        "row names",
        {"row": counter(), "mpg": measured(10, 35, 1), "hp": whole(50, 330), "cyl": mixed("4", "6", "8")},
        ("mpg", "hp", "cyl"),
    ),
    (
        "letters",
        {"letter": of(*"ABCDEFGHIJKL"), "width": measured(0, 15), "height": measured(0, 15)},
        ("width", "height", "letter"),
    ),
    (
        "German",
        {"Nr": counter(), "Länge": measured(1, 9), "Breite": measured(1, 9), "Klasse": of("A", "B")},
        ("Länge", "Breite", "Klasse"),
    ),
    (
        "time series",
        {"time": counter(0), "volt": measured(0, 5, 3), "ampere": measured(0, 2, 3), "state": of("on", "off")},
        ("volt", "ampere", "state"),
    ),
    (
        "two words",
        {"a": measured(0, 1), "colour": mixed("red", "green"), "b": measured(0, 1), "taste": of("sweet", "sour")},
        ("a", "b", "taste"),
    ),
    (
        "dummies among others",
        {
            "size": measured(1, 9),
            "price": measured(1, 9),
            "city_Bonn": hot(0, 3),
            "city_Ulm": hot(1, 3),
            "city_Mainz": hot(2, 3),
            "label": mixed("no", "yes"),
        },
        ("size", "price", "label"),
    ),
    (
        "binary column before",
        {"smoker": mixed("0", "1"), "age": whole(18, 80), "bmi": measured(18, 40, 1), "disease": of("0", "1")},
        ("age", "bmi", "disease"),
    ),
    (
        "seeds",
        {"-1": measured(10, 21), "-2": measured(12, 17), "-3": measured(4, 6), "-4": of("1", "2", "3")},
        ("-1", "-2", "-4"),
    ),
    (
        "empty column",
        {"a": measured(0, 9), "notes": of(""), "b": measured(0, 9), "kind": of("u", "v")},
        ("a", "b", "kind"),
    ),
    (
        "admission",
        {
            "Serial No.": counter(),
            "GRE": whole(290, 340),
            "CGPA": measured(6, 10),
            "Research": mixed("0", "1"),
            "admitted": of("0", "1"),
        },
        ("GRE", "CGPA", "admitted"),
    ),
    ("spam", {"-1": measured(0, 1), "-2": measured(0, 1), "-3": whole(1, 900), "-4": of("1", "0")}, ("-1", "-2", "-4")),
    (
        "class of ten",
        {"digit": of(*"0123456789"), "mean": measured(0, 16), "spread": measured(0, 9)},
        ("mean", "spread", "digit"),
    ),
    (
        "latitude",
        {"city": people(), "lat": measured(47, 55, 3), "lon": measured(6, 15, 3), "dialect": of("low", "high")},
        ("lat", "lon", "dialect"),
    ),
    (
        "counter last",
        {"a": measured(0, 9), "b": measured(0, 9), "group": of("1", "2"), "index": counter()},
        ("a", "b", "group"),
    ),
]


def written(columns: Columns) -> Table:
    named = not next(iter(columns)).startswith("-")
    rows = [[*columns]] if named else []
    rows += [list(row) for row in zip(*columns.values(), strict=True)]
    return decode("\n".join(",".join(row) for row in rows).encode(), "table.csv", ".csv")


def names_in(table: Table, indices: Sequence[int | None]) -> tuple[str, ...]:
    names = ["" if index is None else table.columns[index].name for index in indices]
    return tuple(name.replace("column ", "-") for name in names)


def test_there_are_forty() -> None:
    assert len(TABLES) == 40


@pytest.mark.parametrize(("columns", "expected"), [row[1:] for row in TABLES], ids=[row[0] for row in TABLES])
def test_the_columns_that_a_reader_chooses(columns: Columns, expected: tuple[str, str, str]) -> None:
    table = written(columns)
    first = default_choice(table)
    assert names_in(table, (first.x, first.y, first.label)) == expected
    choice, imported = first_import(table)
    assert imported.n_left_out == 0 and choice.x == first.x
    assert first.why.startswith("Class: " if expected[2] else "No column")


@pytest.mark.parametrize(
    "change",
    [
        lambda columns: {name.upper(): cells for name, cells in columns.items()},
        lambda columns: {name: [f" {cell}" for cell in cells] for name, cells in columns.items()},
    ],
    ids=["upper case", "blanks"],
)
def test_capitals_and_blanks_change_nothing(change: Callable[[Columns], Columns]) -> None:
    for name, columns, expected in TABLES:
        table = written(change(columns))
        first = default_choice(table)
        found = names_in(table, (first.x, first.y, first.label))
        assert [each.casefold() for each in found] == [each.casefold() for each in expected], name


def test_rows_in_another_order_change_nothing() -> None:
    order = np.random.default_rng(1).permutation(N)
    for name, columns, expected in TABLES:
        table = written({title: [cells[k] for k in order] for title, cells in columns.items()})
        first = default_choice(table)
        assert names_in(table, (first.x, first.y, first.label)) == expected, name


def test_members_of_a_group_are_no_coordinates() -> None:
    table = written(next(columns for name, columns, _ in TABLES if name == "indicators"))
    usable, note = usable_columns(table, default_choice(table).label)
    assert names_in(table, usable) == ("X", "Y") and "set aside by the file" in note
    assert convert(table, default_choice(table)).class_names == ("0", "1", "2")


def test_more_than_eight_classes_are_merged_or_left_out() -> None:
    letters = "".join(letter * (12 - at) for at, letter in enumerate("ABCDEFGHIJ"))
    table = decode(
        ("x,y,letter\n" + "".join(f"{k},{k % 7},{letter}\n" for k, letter in enumerate(letters))).encode(),
        "l.csv",
        ".csv",
    )
    choice, merged = first_import(table)
    assert choice.merge and merged.class_names == (*"ABCDEFG", "others") and merged.n_rare == 3
    assert np.bincount(merged.labels).tolist() == [12, 11, 10, 9, 8, 7, 6, 5 + 4 + 3]
    assert "3 of the classes, the rarest, merged as “others”." in merged.summary
    kept = convert(table, Choice(0, 1, 2, leave_out=True, merge=False))
    assert kept.class_names == tuple("ABCDEFGH") and kept.n_left_out == 4 + 3 and kept.n_rare == 2
    assert "2 of the classes, the rarest, left out." in kept.summary
    assert {reason for _, reason in kept.left_out} == {"column 'letter' has a rare class"}
    with pytest.raises(FileError, match="different values, too many for classes"):
        convert(table, Choice(1, 2, 0))


def test_the_columns_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table = decode(b"a,b,c,kind\n1.5,2,3,u\n2.5,3,4,v\n3.5,5,1,u\n", "t.csv", ".csv")
    judge, judged = roles._weakness, list[int]()
    monkeypatch.setattr(roles, "_weakness", lambda table, index: (judged.append(index), judge(table, index))[1])
    choice, _ = first_import(table)
    convert(table, choice), usable_columns(table, choice.label), default_choice(table)
    assert judged == [0, 1, 2, 3]


def test_columns_that_exclude_each_other_are_one_class_whatever_their_names() -> None:
    def table(n_rows: int) -> Table:
        rows = [f"{row / 8},{row * 7 % 5},{row % 3 == 0:d},{row % 3 == 1:d},{row % 3 == 2:d}" for row in range(n_rows)]
        return decode("\n".join(["a,b,setosa,versicolor,virginica", *rows]).encode(), "t.csv", ".csv")

    choice, imported = first_import(table(30))
    assert imported.class_names == ("setosa", "versicolor", "virginica") and imported.columns == ("a", "b")
    assert "3 values" in choice.why and "setosa, versicolor, virginica" in choice.why
    assert len(table(9).columns) == 5, "in few rows it may be chance"
