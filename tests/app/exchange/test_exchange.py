"""Exchange: tables of other programs become points, or one sentence; exported points can be imported again."""

from __future__ import annotations

import codecs
import csv
import io
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace
from sklearn.datasets import dump_svmlight_file, load_iris, load_svmlight_file

from app.core.points import LIMIT
from app.exchange import delimited
from app.exchange.columns import BadRows, Choice, Imported, convert, default_choice, first_import
from app.exchange.components import standardised
from app.exchange.exporting import EXPORTS, DoubtError, as_text, from_text, names_of, running
from app.exchange.importing import BEGINNING, decode, read, read_text
from app.exchange.pairs import views
from app.exchange.table import Dialect, Table, cell_number, column_of, distinct_names
from app.files import documents
from app.files.documents import FileError
from tests.app.exchange.written import encode
from tests.counting import calls_of
from tests.examples import examples


def table_of(text: str | bytes, name: str = "drawing.csv", dialect: Dialect | None = None) -> Table:
    data = text.encode() if isinstance(text, str) else text
    return decode(data, name, Path(name).suffix, dialect)


def points_of(text: str | bytes, name: str = "drawing.csv", dialect: Dialect | None = None) -> Imported:
    table = table_of(text, name, dialect)
    return convert(table, default_choice(table))


def sentence(error: FileError, name: str = "drawing") -> str:
    shown = str(error)
    assert shown.startswith(name) and shown.endswith(".") and "\n" not in shown and len(shown) < 400
    return shown


def refusal(text: str | bytes, name: str = "drawing.csv", dialect: Dialect | None = None) -> str:
    with pytest.raises(FileError) as caught:
        points_of(text, name, dialect)
    return sentence(caught.value, name)


def numbers(table: Table) -> np.ndarray:
    return np.column_stack([column.values for column in table.columns])


# -- dialects ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "utf-16-be-bom", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_a_spreadsheet_of_the_continent(encoding: str, end: str) -> None:
    text = end.join(["Länge;Höhe;Sorte", "1,5;-2,25;Käse", "3;4e2;Brot", ""])
    marks = {"utf-16-le-bom": codecs.BOM_UTF16_LE, "utf-16-be-bom": codecs.BOM_UTF16_BE}
    data = marks.get(encoding, b"") + text.encode(encoding.removesuffix("-bom"))
    found = points_of(data)
    assert found.axes == ("Länge", "Höhe") and found.class_names == ("Brot", "Käse")
    assert found.xy.tolist() == [[1.5, -2.25], [3.0, 400.0]] and found.labels.tolist() == [1, 0]
    assert found.labels.dtype == np.uint8 and found.xy.dtype == np.float64


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   ", " \t"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("header", [True, False])
def test_every_dialect_is_detected(separator: str, decimal: str, header: bool) -> None:
    if separator == decimal:
        pytest.skip("the two cannot be told apart")
    rows = [["1.5", "-0.25", "red"], ["2.0", "1e3", "blue"], [".5", "+7.25", "red"]]
    rows = [[cell.replace(".", decimal) if cell[0] != "." else "0" + decimal + "5" for cell in row] for row in rows]
    text = "\n".join(separator.join(row) for row in [["u", "v", "class"]] * header + rows)
    table = table_of(text, "drawing.txt")
    assert table.dialect == Dialect(separator.strip(" ") or " ", decimal, header)
    assert numbers(table)[:, :2].tolist() == [[1.5, -0.25], [2.0, 1000.0], [0.5, 7.25]]
    found = convert(table, default_choice(table))
    assert found.labels.tolist() == [1, 0, 1] and found.class_names == ("blue", "red")


def test_a_choice_overrules_what_was_detected() -> None:
    text = "1,5;2,5\n3,5;4,5\n"
    assert numbers(table_of(text)).tolist() == [[1.5, 2.5], [3.5, 4.5]]
    comma = table_of(text, dialect=Dialect(separator=","))
    assert comma.dialect is not None and comma.dialect.separator == "," and len(comma.columns) == 3
    named = table_of(text, dialect=Dialect(header=True))
    assert [column.name for column in named.columns] == ["1,5", "2,5"] and len(named) == 1
    assert "'1,5' in column 'column 1' is not a number" in refusal(text, dialect=Dialect(";", "."))


def test_a_point_among_decimal_commas_is_no_decimal_point() -> None:
    """Where 1,5 is a number, 1.500 means fifteen hundred."""
    assert "'1.500' in column 'x' is not a number" in refusal("x;y\n1,5;2,5\n1.500;3,5\n")


@pytest.mark.parametrize("text", ["1_000,2\n3,4\n", "1,2\n3,0x10\n", "1,2\n3,4 5\n"])
def test_what_only_python_takes_for_a_number(text: str) -> None:
    assert "is not a number" in refusal(text)


def test_blank_lines_comments_and_line_numbers() -> None:
    text = '# made by hand\n\n"the\nx",y,class\n1,2,"a\n\n# not a comment\nb"\n\n# one more\n3,oops,c\n5,6,d\n;\n'
    table = table_of(text, dialect=Dialect(separator=","))
    assert table.columns[0].name == "the x" and table.lines.tolist() == [5, 11, 12, 13]
    assert table.columns[2].cell(0) == "a\n\n# not a comment\nb"
    with pytest.raises(BadRows) as caught:
        convert(table, Choice(0, 1, 2))
    assert caught.value.rows == ((11, "'oops' in column 'y' is not a number"), (13, "it has 1 cell instead of 3"))
    assert sentence(caught.value) == (
        "drawing.csv cannot be imported yet: 2 of 4 rows cannot be used, first line 11: 'oops' in column 'y' is not a"
        " number."
    )


def test_cells_in_quotes() -> None:
    found = points_of('"a ""good"" name","b, too",class\n"1", "2","one, two"\n3,4,"three"\n')
    assert found.axes == ('a "good" name', "b, too") and found.class_names == ("one, two", "three")


@pytest.mark.parametrize(
    ("text", "names", "n"),
    [
        ("x,x,x\n1,2,3\n", ["x", "x (2)", "x (3)"], 1),
        ("x,,class\n1,2,3\n", ["x", "column 2", "class"], 1),
        ("x,y,class,\n1,2,a,\n3,4,b,\n", ["x", "y", "class"], 2),
        ("x,y,class\n1,2,a,\n3,4,b,\n", ["x", "y", "class"], 2),
        ("x y class\n1 1 2 a\n2 3 4 b\n", ["row", "x", "y", "class"], 2),
        ("x,y\n1,2\n,\n,,\n", ["x", "y"], 1),
        ("sep=|\nx|y\n1|2\n", ["x", "y"], 1),
        ("SEP=;\r\nx;y\r\n1,5;2,5\r\n", ["x", "y"], 1),
        ("150,4,setosa,versicolor\n5.1,3.5,1.4,0\n4.9,3.0,1.4,1\n", ["150", "4", "setosa", "versicolor"], 2),
        ("2010,2011,class\n1,2,a\n3,4,b\n", ["2010", "2011", "class"], 2),
    ],
)
def test_odd_headers(text: str, names: list[str], n: int) -> None:
    table = table_of(text)
    assert [column.name for column in table.columns] == names and len(table) == n


def test_a_class_called_class_is_no_header() -> None:
    assert len(points_of("0.5,0.1,target\n0.6,0.2,target\n0.7,0.3,other\n").xy) == 3


@pytest.mark.parametrize("text", ["1,2\n", "1,2,a\n", "x,y\n1,2", "1 2", "1\t2\t3"])
def test_one_row(text: str) -> None:
    assert points_of(text).xy.tolist() == [[1.0, 2.0]]


BAD: dict[str, tuple[str | bytes, str]] = {
    "nothing": (b"", "is empty"),
    "only a mark": (b"\xef\xbb\xbf", "is empty"),
    "only a mark of UTF-16": (codecs.BOM_UTF16_LE, "holds no rows"),
    "blank lines": ("\n \r\n\n", "is empty"),
    "comments": ("# x\n# y\n", "holds no rows"),
    "a header": ("x,y,class\n", "a header but no rows"),
    "one column": ("1\n2\n3\n", "only one column"),
    "words": ("a,b,c\nd,e,f\n", "is not a number"),
    "ragged": ("1,2,3\n4,5\n6,7,8\n", "line 2: it has 2 cells instead of 3"),
    "a header that is too long": ("a,b,c,d,e\n1,2,3\n1,2,3\n", "the header in line 1 has 5 cells, the rows below have"),
    "NUL": (b"1,2\n\x00,3\n", "NUL"),
    "UTF-16 without a mark": ("1,2\n3,4\n".encode("utf-16-le"), "NUL"),
    "half a character of UTF-16": ("1,2\n3,4\n".encode("utf-16") + b"1", "is not text"),
    "broken UTF-8 with a mark": (b"\xef\xbb\xbf1,\xff\n", "is not text"),
    "not even Windows-1252": (b"1,2\n\x81,3\n", "is not text"),
    "an open quotation mark": ('1,2\n"3,4\n5,6\n', "never closed"),
    "a mark in a cell": ('1,2\n"3"x,4\n', "quotation mark"),
    "a cell beyond the csv module": ("1," + "a" * 200_000 + "\n", "131\u202f072 characters"),
    "a line without end": (("a" * 130_000 + ",") * 20, "longer than 2\u202f000\u202f000"),
    "too many columns": ("1," * 10_001 + "1\n", "columns"),
    "missing": ("x,y\n1,\n", "line 2: column 'y' is empty"),
    "NaN": ("x,y\n1,NaN\n", "'NaN' in column 'y' is not a finite number"),
    "infinite": ("x,y\n1,-inf\n", "'-inf' in column 'y' is not a finite number"),
    "1e999": ("x,y\n1,1e999\n", "'1e999' in column 'y' is not a finite number"),
    "too far": ("x,y\n1,-2e15\n", "-2000000000000000 in column 'y' is not between ±1e+15"),
    "no class": ("x,y,class\n1,2,a\n3,4,\n", "line 3: column 'class' has no class"),
    "nine classes": ("x,y,class\n" + "".join(f"1,2,c{k}\n" for k in range(9)), "9 different values"),
    "nine numbers": ("x,y,class\n" + "".join(f"1,2,{k}\n" for k in range(9)), "9 different values"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_one_sentence(case: str) -> None:
    text, reason = BAD[case]
    assert reason in refusal(text)


def test_rows_that_are_all_bad_are_listed() -> None:
    with pytest.raises(BadRows) as caught:
        points_of("1 a\n2 b\n", "drawing.svm")
    assert caught.value.rows == ((1, "'a' is not index:value"), (2, "'b' is not index:value"))


def test_a_long_list_of_bad_rows_is_cut_and_counted() -> None:
    text = "x,y\n" + "1,2\n" * 3 + "1,oops\n" * 1234
    with pytest.raises(BadRows) as caught:
        points_of(text, dialect=Dialect(decimal=".", header=True))
    assert caught.value.count == 1234 and len(caught.value.rows) == 200
    assert caught.value.rows[0] == (5, "'oops' in column 'y' is not a number")
    assert "1\u202f234 of 1\u202f237 rows cannot be used, first line 5" in str(caught.value)


def test_ten_thousand_columns() -> None:
    values = np.arange(20_000.0).reshape(2, 10_000) / 8
    text = "\n".join(",".join(map(repr, row)) for row in values.tolist())
    table = table_of(text)
    assert np.array_equal(numbers(table), values)
    assert convert(table, Choice(9998, 9999)).xy.tolist() == values[:, -2:].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [1, 3])
def test_too_many_columns_are_counted(n_rows: int) -> None:
    refused = refusal(f"{'1,' * 999_999}1\n" * n_rows)
    assert refused == "drawing.csv has 1\u202f000\u202f000 columns; 10\u202f000 are the most that can be read."
    longer = refusal("1.5," * 1_000_000 + "1.5\n")
    assert longer == "drawing.csv has 1\u202f000\u202f001 columns; 10\u202f000 are the most that can be read."


@pytest.mark.parametrize("start", ["", "a;b\n1;2\n"])
def test_a_long_line_is_read_once(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    widths, check_size = list[int](), delimited.check_size
    monkeypatch.setattr(delimited, "_LONGEST_LINE", 1000)
    monkeypatch.setattr(delimited, "check_size", lambda *size: (widths.append(size[2]), check_size(*size)))
    refused = refusal(f"{start}{'1;' * 100_000}1\n1;2\n", dialect=Dialect(header=True))
    assert "has 100\u202f001 columns" in refused and widths == [100_001]


def test_a_header_of_a_megabyte_is_read_completely() -> None:
    titles = [f"{k} {'long ' * 25}title" for k in range(9_000)]
    table = table_of(f"{','.join(titles)}\n{','.join(['1.5'] * 9_000)}\n{','.join(['2.5'] * 9_000)}\n")
    assert [column.title for column in table.columns] == titles and len(table) == 2


@pytest.mark.slow
def test_the_first_rows_of_a_wide_table_need_few_calls() -> None:
    titles, cells = ",".join(f"c{k}" for k in range(5_000)), ",".join(["-0.12345"] * 5_000)
    data = f"{titles}\n".encode() + f"{cells}\n".encode() * (BEGINNING // len(cells) + 1)
    assert calls_of(lambda: decode(data, "drawing.csv", ".csv", beginning=True)) < 12 * BEGINNING // len("-0.12345,")


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["0.1", "word"])
def test_the_work_for_a_cell_does_not_depend_on_how_wide_a_table_is(cell: str) -> None:
    def calls(n_rows: int, n_columns: int) -> int:
        text = f"{','.join([cell, *['1.5'] * (n_columns - 1)])}\n" * n_rows
        return calls_of(lambda: table_of(text, dialect=Dialect(",", ".", False)))

    few, more = calls(64, 5_000), calls(192, 5_000)  # the difference is without the sample, which is of one size
    assert more - few < 128 * 5_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    [",".join(["0.1"] * 1_000), ",".join(["0.1", "0.1", "red"] * 300), "0.1234,0.5678,red"],
    ids=["wide", "wide with words", "tall"],
)
def test_the_memory_for_a_table_is_a_few_times_its_file(row: str) -> None:
    text = f"{row}\n" * (6_000_000 // len(row))
    tracemalloc.start()
    try:
        data = text.encode()
        decode(data, "drawing.csv", ".csv", Dialect(",", ".", False))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 4.5 * len(data)


def test_more_cells_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.exchange.table.MAX_CELLS", 1000)
    assert "cells" in refusal("1,2,3,4,5\n" * 101 + "1\n" * 600, dialect=Dialect(",", ".", False))
    assert "cells" in refusal("1 900:1\n" * 2, "drawing.svm")
    points_of("1,2\n" * 5000)  # a file that is read has no more cells than fit


def text_of_words(n_rows: int) -> str:
    return "name,city,x\n" + "".join(f"Größe {7919 * row},Town {row % 5000},{row % 97}.5\n" for row in range(n_rows))


def test_words_come_back_however_many_there_are() -> None:
    name, city, x = table_of(text_of_words(12_000)).columns
    for row in (0, 999, 1000, 1001, 7000, 11_999):
        assert (name.cell(row), city.cell(row), x.cell(row)) == (
            f"Größe {7919 * row}",
            f"Town {row % 5000}",
            f"{row % 97}.5",
        )
    assert np.isnan(name.values).all() and len(name.values) == 12_000 and name.names_rows and not city.names_rows


def test_a_class_of_many_words_is_counted() -> None:
    table = table_of(
        "\n".join(["x,y,k", *(f"{row % 7}.5,{row},{f'w{row % 2000}' if row % 3 else 'often'}" for row in range(9000))])
    )
    found = convert(table, Choice(0, 1, 2))
    assert (found.n_rare, found.class_names[-1]) == (1994, "others") and np.bincount(found.labels)[0] == 3000
    with pytest.raises(FileError, match="too many for classes"):
        convert(table_of("".join(f"{row},1.5,w{row}\n" for row in range(3000))), Choice(0, 1, 2))


def traced(work: Callable[[], object]) -> tuple[int, int]:
    """Return the most memory (bytes) that `work` takes, and that of its result."""
    tracemalloc.start()
    try:
        kept = work()
        held, most = tracemalloc.get_traced_memory()
        assert kept is not None
        return most, held
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_the_memory_for_words_is_a_few_times_their_file() -> None:
    data = text_of_words(150_000).encode()
    most, held = traced(lambda: decode(data, "drawing.csv", ".csv"))
    assert most < 2.5 * len(data) and held < 2.0 * len(data)  # beside the file, which is held while it is read


@pytest.mark.slow
def test_the_memory_to_import_is_a_few_times_the_file() -> None:
    rng = np.random.default_rng(0)
    rows = zip(*rng.normal(size=(2, 150_000)).tolist(), rng.integers(0, 3, 150_000).tolist(), strict=True)
    data = "".join(f"{x:.4f},{y:.4f},{'abc'[label] * 4}\n" for x, y, label in rows).encode()
    assert traced(lambda: first_import(decode(data, "drawing.csv", ".csv")))[0] < 3.6 * len(data)


@pytest.mark.slow
def test_the_memory_for_principal_components_is_not_that_of_another_table() -> None:
    values = np.random.default_rng(0).normal(size=(40, 100_000))
    table = Table("drawing.csv", tuple(column_of(f"c{k}", each) for k, each in enumerate(values)), np.arange(100_000))
    assert traced(lambda: views(table, None))[0] < 0.7 * values.nbytes


# -- the choice ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("x,y", "1,2", Choice(0, 1)),
        ("x,y,z", "1,2,2.5", Choice(0, 1)),
        ("x,y,z", "1,2,q", Choice(0, 1, 2)),
        ("a,b,y", "1,2.5,2.5", Choice(0, 1, 2)),
        ("Class,a,b", "3,1.5,2.5", Choice(1, 2, 0)),
        ("a,SPECIES,b,c", "1.5,q,2.5,3.5", Choice(0, 2, 1)),
        ("name,a,b,kind", "q,1.5,2.5,r", Choice(1, 2, 3)),
        ("Id,a,b,kind", "7,1.5,2.5,r", Choice(1, 2, 3)),
        ("Id,a,kind", "7,1.5,r", Choice(0, 1, 2)),
    ],
)
def test_the_choice_at_first(header: str, row: str, expected: Choice) -> None:
    table = table_of(f"{header}\n{row}\n", dialect=Dialect(",", ".", True))
    assert replace(default_choice(table), why="") == expected


def test_a_last_column_of_many_values_is_no_class() -> None:
    rows = "".join(f"{k}.5,{k}.25,{k}\n" for k in range(9))
    assert replace(default_choice(table_of(rows)), why="") == Choice(0, 1)
    assert replace(default_choice(table_of(rows.replace("8\n", "7\n"))), why="") == Choice(0, 1, 2)


def test_unnamed_row_numbers_are_not_x() -> None:
    """As pandas writes them."""
    assert replace(default_choice(table_of(",a,b,c\n0,1.5,2.5,u\n1,1.5,3.5,v\n2,2.5,2.5,u\n")), why="") == Choice(
        1, 2, 3
    )


@pytest.mark.parametrize(
    ("cells", "labels", "names"),
    [
        ("1 2 3", [0, 1, 2], ("", "", "")),
        ("2 4 4", [1, 3, 3], ("", "", "", "")),
        ("1.0 2.0 1", [0, 1, 0], ("", "")),
        ("1 -1 +1", [1, 0, 1], ("-1", "1")),
        ("0 1 2", [0, 1, 2], ("0", "1", "2")),
        ("10 9 10", [1, 0, 1], ("9", "10")),
        ("0.5 0.25 0.5", [1, 0, 1], ("0.25", "0.5")),
        ("b A b", [1, 0, 1], ("A", "b")),
        ("c10 c9 c10", [1, 0, 1], ("c9", "c10")),
        ("1 a 1", [0, 1, 0], ("", "a")),
    ],
)
def test_classes(cells: str, labels: list[int], names: tuple[str, ...]) -> None:
    found = points_of("x,y,class\n" + "".join(f"1,2,{cell}\n" for cell in cells.split()))
    assert found.labels.tolist() == labels and found.class_names == names


def test_without_a_class_all_are_of_class_one() -> None:
    table = table_of("x,y,class\n1,2,a\n3,4,\n")
    found = convert(table, Choice(0, 1))
    assert found.labels.tolist() == [0, 0] and found.class_names == ("",)
    assert found.summary == "2 points: 2 of class 1; y against x."
    with pytest.raises(FileError, match="x and y are the same column, 'x'"):
        convert(table, Choice(0, 0))


def test_the_summary() -> None:
    assert points_of("a,b,class\n1,2,u\n3,4,v\n5,6,u\n").summary == "3 points: 2 u, 1 v; b against a."
    assert points_of("a,b,class\n1,2,0\n3,4,-1\n").summary == "2 points: 1 of class -1, 1 of class 0; b against a."
    assert points_of("1,2\n").summary == "1 point: 1 of class 1; column 2 against column 1."


@given(st.lists(st.floats(-LIMIT, LIMIT), min_size=1, max_size=30))
@examples(200)
def test_standardised(values: list[float]) -> None:
    x = standardised(np.array(values))[0]
    assert np.isfinite(x).all() and abs(x.mean()) < 1e-9
    assert abs(x.std() - 1) < 1e-9 if min(values) < max(values) else not x.any()


def test_rows_that_cannot_be_used_are_left_out() -> None:
    table = table_of("x,y,class\n1,2,a\n3,,a\n4,5,b\nsix,7,b\n8,9,a\n")
    with pytest.raises(BadRows):
        convert(table, Choice(0, 1, 2))
    found = convert(table, Choice(0, 1, 2, leave_out=True))
    assert found.xy.tolist() == [[1, 2], [4, 5], [8, 9]] and found.labels.tolist() == [0, 1, 0]
    assert found.n_left_out == 2
    assert found.left_out == ((3, "column 'y' is empty"), (5, "'six' in column 'x' is not a number"))
    assert found.summary.endswith("2 rows left out.")
    everything = table_of("x,y,class\n1,,a\n,2,a\n")
    with pytest.raises(BadRows):  # no row would be left
        convert(everything, Choice(0, 1, 2, leave_out=True))


def test_classes_keep_their_numbers_when_rows_without_a_class_are_left_out() -> None:
    found = convert(table_of("x,y,class\n1,2,3\n3,4,5\n5,6,\n"), Choice(0, 1, 2, leave_out=True))
    assert found.labels.tolist() == [2, 4] and found.class_names == ("",) * 5 and found.n_left_out == 1


def test_without_the_left_out_rows_it_is_as_if_they_had_never_been() -> None:
    rows = ["170.2,60,a", "181,82.5,b", "165,?,a", "190,91,b"]
    kept = "\n".join(["x,y,class", *(row for row in rows if "?" not in row)]) + "\n"
    ours = convert(table_of("\n".join(["x,y,class", *rows]) + "\n"), Choice(0, 1, 2, True, True))
    other = convert(table_of(kept), Choice(0, 1, 2, True))
    assert np.array_equal(ours.xy, other.xy) and ours.standardise and other.standardise


def test_units_that_should_be_standardised_are_reported() -> None:
    rng = np.random.default_rng(0)
    centimetres = np.column_stack((rng.normal(170, 9, 40), rng.normal(70, 12, 40)))

    def of(values: np.ndarray) -> str:
        text = "x,y\n" + "".join(f"{a!r},{b!r}\n" for a, b in values.tolist())
        choice, found = first_import(table_of(text))
        assert choice.standardise == found.standardise == bool(found.advice)
        return found.advice

    assert "far apart" in of(centimetres)
    assert of(rng.normal(0, 1, (40, 2))) == ""
    assert "'y' varies" in of(rng.normal(0, 1, (40, 2)) * [1, 1000])


def test_standardising_agrees_with_numpy() -> None:
    values = np.random.default_rng(0).normal(3, 5, 100)
    assert np.allclose(standardised(values)[0], (values - values.mean()) / values.std(), atol=1e-12)
    # 0.1 has no exact mean: the rounding error must not be scaled up.
    assert not standardised(np.full(7, 0.1))[0].any()


# -- against other readers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_numbers_as_numpy_reads_them(separator: str) -> None:
    values = np.random.default_rng(1).normal(size=(200, 4)) * 10.0 ** np.arange(-4, 4, 2)
    text = "# made by numpy\n" + "\n".join(separator.join(map(repr, row)) for row in values.tolist())
    ours = numbers(table_of(text))
    assert np.array_equal(ours, np.loadtxt(io.StringIO(text), delimiter=separator))
    assert np.array_equal(ours, np.genfromtxt(io.StringIO(text), delimiter=separator))


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12).map(
    lambda word: " ".join(word.split())
)


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, WORDS, st.floats(-LIMIT, LIMIT)), min_size=1, max_size=8), st.sampled_from(",;\t|"))
@examples(200)
def test_cells_as_the_csv_module_writes_them(rows: list[tuple[str, str, float]], separator: str) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL).writerows([("u", "v", "w"), *rows])
    table = table_of(file.getvalue(), dialect=Dialect(separator, ".", True))
    for index, (u, v, w) in enumerate(rows):
        assert table.columns[2].values[index] == w
        for column, word in zip(table.columns, (u, v), strict=False):
            cell = column.cell(index)
            assert cell == word or float(cell) == float(word)


def test_the_whole_of_iris(tmp_path: Path) -> None:
    iris = load_iris()
    path = tmp_path / "iris.csv"
    names = [str(iris.target_names[k]) for k in iris.target]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([[*iris.feature_names, "species"]])
        csv.writer(file).writerows([*row, name] for row, name in zip(iris.data.tolist(), names, strict=True))
    table = read(path)
    found = convert(table, default_choice(table))
    assert np.array_equal(found.xy, iris.data[:, :2]) and np.array_equal(found.labels, iris.target)
    assert found.summary == (
        "150 points: 50 setosa, 50 versicolor, 50 virginica; sepal width (cm) against sepal length (cm)."
        " 23 of them repeat others."
    )


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(2, 6))
@examples(50)
def test_svmlight_as_scikit_learn_writes_and_reads_it(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.integers(0, 2, (n, d))
    X[0, -1] = 1.5
    y = rng.choice([-1, 1], n)
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, zero_based=False, comment="some words", query_id=np.arange(n))
    table = table_of(file.getvalue(), "drawing.svmlight")
    theirs, labels = load_svmlight_file(io.BytesIO(file.getvalue()), zero_based=False)[:2]
    assert np.array_equal(numbers(table)[:, :-1], theirs.toarray()) and np.array_equal(numbers(table)[:, -1], labels)
    assert [column.name for column in table.columns] == [*(f"x{k}" for k in range(1, d + 1)), "class"]


@pytest.mark.parametrize("name", ["a.txt", "a.dat", "a.data", "a.libsvm", "a.svm"])
def test_svmlight_by_its_look(name: str) -> None:
    found = points_of("# a comment\n+1 qid:3 1:0.5 3:-2 # first\n\n-1 2:.5\n", name)
    assert found.xy.tolist() == [[0.5, 0.0], [0.0, 0.5]] and found.labels.tolist() == [1, 0]
    assert table_of("1:2 3:4\n5:6 7:8\n", "a.txt", Dialect(header=False)).dialect is not None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a 1:2", "the label 'a' is not a number"),
        ("1 0:2", "an index is not from 1 to 10\u202f000"),
        ("1 1:2 1:3", "an index occurs twice"),
        ("1 1:2 x:3", "'x:3' is not index:value"),
        ("1 1:2:3", "'1:2:3' is not index:value"),
        ("1 2", "'2' is not index:value"),
        ("1 1:1_0", "'1:1_0' is not index:value"),
        ("1 99999999999999999999:1", "an index is not from"),
        ("1 1:nan", "'nan' in column 'x1' is not a finite number"),
        ("1 1:1e16", "1e+16 in column 'x1' is not between"),
        ("nan 1:1", "has no class"),
    ],
)
def test_bad_lines_of_svmlight(line: str, reason: str) -> None:
    shown = refusal(f"1 1:1 2:2\n# between\n{line}\n2 1:1\n", "drawing.svm")
    assert reason in shown and "1 of 3 rows cannot be used, line 3: " in shown


# -- files ---------------------------------------------------------------------------------------------------------


def test_more_than_two_hundred_megabytes_are_not_even_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "noise.csv"
    with path.open("wb") as file:
        file.truncate(200_000_001)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail("it was read"))
    with pytest.raises(FileError) as caught:
        read(path)
    assert sentence(caught.value, "noise.csv") == "noise.csv is larger than 200 MB, so it was not read."


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
def test_folders_pipes_and_devices_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe, Path("/dev/zero"), tmp_path / "missing.npz"):
        with pytest.raises(FileError) as caught:
            read(path)
        sentence(caught.value, path.name)


def test_a_large_paste_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_BYTES", 10)
    with pytest.raises(FileError, match=r"^The clipboard holds more than"):
        read_text("1\t2\n" * 10)


# -- writing -------------------------------------------------------------------------------------------------------

COORDINATE = st.floats(-LIMIT, LIMIT)
POINTS = st.lists(st.tuples(COORDINATE, COORDINATE, st.integers(0, 7)), min_size=1, max_size=9)
#: Texts with a special meaning to a reader of tables, to a spreadsheet, or to this program.
ODD = st.sampled_from(
    [
        "class",
        "Class",
        "label",
        "LABELS",
        "target",
        "species",
        "class (2)",
        "x",
        "y",
        "id",
        "1",
        "2",
        "-1",
        "+1",
        "1.5",
        "1,5",
        "1,000",
        "nan",
        "inf",
        "#x",
        "sep=;",
        "column 2",
        "=cmd()",
        "=1+1",
        "-1+2",
        "+A1",
        "@SUM(A1)",
        "'=cmd()",
        "'" * 2 + "+1",
        "'" * 3,
        "'tis",
        "'-1",
        "＝1",
        "−1",
        "1 000",
        "C#x",
        "mS#name",
        "'C#x",
        "%",
        "?",
        "//",
        "a}",
        "it's",
        "a\\",
        "c",
        "d",
        '"',
        "a,b",
        "a;b",
        "a|b",
    ]
)
NAME = WORDS | ODD
NAMES = st.lists(NAME, max_size=8)


def same_number(name: str) -> str | float:
    """Return whether two columns are equal; a class called 01 becomes class 1."""
    value = cell_number(name)
    return name if np.isnan(value) else value


@pytest.mark.slow
@given(POINTS, NAMES, st.tuples(NAME, NAME), st.sampled_from(list(EXPORTS)), st.booleans())
@example([(0.0, 0.0, 0), (-1.0, -2.0, 1)], [":"], ("", "1 000"), ".tsv", False)  # the space is no separator
@examples(1000)
@example([(0.5, 1.5, 0)], [], ("class", ""), ".csv", True)
@example([(0.5, 1.5, 0)], ["class"], ("1", "2"), ".csv", True)
@example([(0.5, 1.5, 0), (1.0, 2.0, 1)], ["", "label"], ("Class", "class"), ".npz", True)
@example([(0.5, 1.5, 0), (1.0, 2.0, 1)], ["-1", "1"], ("", ""), ".svmlight", True)
@example([(0.5, 1.5, 0), (1.0, 2.0, 1)], ["a", "b"], ("1", "2"), ".tab", True)
@example([(0.5, 1.5, 0), (1.0, 2.0, 1)], ["a}", "it's \\"], ("a, b", "'"), ".arff", True)
@example([(0.5, 1.5, 0), (1.0, 2.0, 1)], ["", "3"], ("C#x", "cD#y"), ".csv", False)
def test_what_is_exported_comes_back(
    points: list[tuple[float, float, int]], names: list[str], axes: tuple[str, str], suffix: str, guard: bool
) -> None:
    xy, labels = np.array([p[:2] for p in points]), np.array([p[2] for p in points], dtype=np.uint8)
    path = Path(f"drawing{suffix}")
    table = table_of(encode(xy, labels, names, axes, path, guard), path.name)
    assert replace(default_choice(table), why="") == Choice(0, 1, 2) and len(table.columns) == 3
    assert table.columns[2].name == "class" or "class" in [name.casefold() for name in names]
    found = convert(table, Choice(0, 1, 2))
    if suffix != ".svmlight":
        assert found.axes == (axes[0] or "x", axes[1] or "y")
    assert found.xy.tobytes() == xy.tobytes()
    stand = names_of(names, np.unique(labels).tolist())
    numeric = all(np.isfinite(cell_number(stand[c])) for c in labels)
    back = [found.class_names[c] or str(c + 1) for c in found.labels]
    meant = [stand[c] if suffix != ".svmlight" or numeric else str(c + 1) for c in labels]
    assert [same_number(name) for name in back] == [same_number(name) for name in meant]
    if suffix == ".npz" or stand == [str(k) for k in range(1, 9)]:
        assert found.labels.tolist() == labels.tolist()


@pytest.mark.slow
@given(POINTS, NAMES)
@example([(0.0, 0.0, 0)], ["column 2"])  # the space is no separator
@examples(500)
def test_what_is_copied_can_be_pasted(points: list[tuple[float, float, int]], names: list[str]) -> None:
    xy, labels = np.array([p[:2] for p in points]), np.array([p[2] for p in points], dtype=np.uint8)
    again, same, _ = from_text(as_text(xy, labels, names), names)
    assert again.tobytes() == xy.tobytes() and same.tolist() == labels.tolist() and same.dtype == np.uint8


FORMULAS = ("=cmd()", "+1", "-1+2", "@SUM(A1)", "＝1", "=1,2")


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_no_name_runs_as_a_formula(suffix: str) -> None:
    """As OWASP advises; a spreadsheet reads the content of a cell, quoted or not."""
    xy, labels = np.zeros((8, 2)), np.arange(8, dtype=np.uint8)
    names, axes, separator = (*FORMULAS, "-1", "plain"), ("=x()", "@y"), "," if suffix == ".csv" else "\t"
    safe = [*("'" + name for name in FORMULAS), "-1", "plain"]

    def cells(text: str) -> list[list[str]]:
        return list(csv.reader(text.splitlines(), delimiter=separator))

    for guard, head, expected in ((True, ["'=x()", "'@y"], safe), (False, list(axes), list(names))):
        rows = cells(encode(xy, labels, names, axes, Path(f"a{suffix}"), guard).decode())
        assert rows[0] == [*head, "class"] and [row[2] for row in rows[1:]] == expected
    copied = csv.reader(as_text(xy, labels, names).splitlines(), delimiter="\t")
    assert [row[2] for row in copied] == safe


def test_only_names_that_may_run_lead_to_a_question() -> None:
    labels, names = np.array([0, 2], np.uint8), ("plain", "=unused()", "@used")
    assert running(labels, names, ("", ""), Path("a.csv")) == "@used"
    assert running(labels, names, ("x", "+y"), Path("a.TSV")) == "+y"
    assert running(labels, names, ("x", "+y"), Path("a.npz")) == ""
    assert running(labels[:1], ("-1",), ("'=x", "−y"), Path("a.csv")) == ""


def test_the_class_column_of_other_programs() -> None:
    """The last of those columns counts, as in exports of versions without names of axes."""
    table = table_of("class,y,class\n0.5,1.5,a\n2.5,3.5,b\n")
    assert [column.name for column in table.columns] == ["class (2)", "y", "class"]
    assert replace(default_choice(table), why="") == Choice(0, 1, 2) and convert(table, Choice(0, 1, 2)).axes == (
        "class",
        "y",
    )


# -- commas that may separate thousands -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ('x,y\n"1,000","2,500"\n', "1,000"),
        ("1,000;2\n-12,345;4\n", "1,000"),
        ("5\t+999,999\t1\n", "+999,999"),
        ("1,000;2\n1,5;4\n", ""),
        ("1,000;0,250\n", ""),
        ("1,000;1234,250\n", ""),
        ("1,000;1,000e3\n", ""),
        ("1,5;2,5\n", ""),
        ('"1.000","2.500"\n', ""),
        ("1,000\n2,000\n", ""),
    ],
)
def test_a_comma_that_may_part_thousands(text: str, doubted: str) -> None:
    table = table_of(text)
    assert table.doubt.startswith(f"{doubted} is read as " if doubted else "") and bool(table.doubt) == bool(doubted)
    if doubted:
        assert "decimal comma" in table.doubt and not table_of(text, dialect=Dialect(decimal=",")).doubt
        with pytest.raises(DoubtError) as caught:
            from_text(text, ())
        assert doubted in sentence(caught.value, "The clipboard")


def test_a_doubt_ends_with_the_first_sure_comma_of_many() -> None:
    table = table_of("1,000;2,000\n" * 50_000 + "1,000;0,5\n" + "3,000;4,000\n" * 50_000)
    assert not table.doubt and len(table) == 100_001


def test_a_file_that_other_programs_read(tmp_path: Path) -> None:
    xy, labels = np.array([[0.1, -2.5], [1e-300, 1e15]]), np.array([2, 0], dtype=np.uint8)
    for suffix in EXPORTS:
        path = tmp_path / f"out{suffix}"
        path.write_bytes(encode(xy, labels, ("on", "", "a,b"), ("", "width"), path))
    assert (tmp_path / "out.csv").read_text() == 'x,width,class\n0.1,-2.5,"a,b"\n1e-300,1000000000000000.0,on\n'
    assert (tmp_path / "out.tsv").read_text().splitlines()[1] == "0.1\t-2.5\ta,b"
    X, y = load_svmlight_file(str(tmp_path / "out.svmlight"))
    assert np.array_equal(X.toarray(), xy) and y.tolist() == [3, 1]
    with np.load(tmp_path / "out.npz", allow_pickle=False) as arrays:
        assert np.array_equal(arrays["X"], xy) and arrays["y"].tolist() == [2, 0]
        assert arrays["class_names"][:3].tolist() == ["on", "2", "a,b"]
        assert arrays["feature_names"].tolist() == ["x", "width"]
    with pytest.raises(FileError) as caught:
        encode(xy, labels, (), ("", ""), tmp_path / "out.xls")
    assert ".csv" in sentence(caught.value, "out.xls") and not (tmp_path / "out.xls").exists()


def test_a_name_that_begins_a_comment() -> None:
    data = encode(np.array([[1.0, 2.0]]), np.zeros(1, np.uint8), ("#1",), ("# of eggs", "v"), Path("a.csv"))
    found = points_of(data, "a.csv")
    assert found.axes == ("# of eggs", "v") and found.class_names == ("#1",)


@pytest.mark.parametrize("names", [("a", "a"), ("2",), ("", "1.0"), ("nan",), ("-inf",)])
def test_names_that_would_be_mistaken_are_not_written(names: tuple[str, ...]) -> None:
    assert names_of(names) == [str(k) for k in range(1, 9)]


# -- pasting -------------------------------------------------------------------------------------------------------


def test_pasting() -> None:
    xy, labels, _ = from_text("1\t2\n3\t4\n", (), 5)
    assert xy.tolist() == [[1, 2], [3, 4]] and labels.tolist() == [5, 5]
    names = ("setosa", "", "virginica")
    xy, labels, _ = from_text("x\ty\tclass\n1,5\t2\tvirginica\n3\t4,25\t8\n0\t0\t2.0\n", names)
    assert xy.tolist() == [[1.5, 2], [3, 4.25], [0, 0]] and labels.tolist() == [2, 7, 1]
    assert from_text(as_text(xy, labels, ("", "1E100")), ("", "1E100"))[1].tolist() == [2, 7, 1]
    assert from_text("1 2 target", ("target",))[1].tolist() == [0]


def test_new_names_get_the_first_classes_that_are_free() -> None:
    text = "1\t2\trose\n3\t4\tsetosa\n5\t6\ttulip\n7\t8\t4\n"
    _, labels, names = from_text(text, ("setosa", "", ""), used=(2,))
    assert labels.tolist() == [1, 0, 4, 3] and names[:5] == ["setosa", "rose", "", "", "tulip"]


def test_a_decimal_comma_in_the_first_row_only_is_no_header() -> None:
    assert from_text("1,5\t2,5\n3\t4\n5\t6\n", ())[0].tolist() == [[1.5, 2.5], [3, 4], [5, 6]]
    assert from_text("1,5\t2,5\t1\n0\t1\t2\n", ())[0].tolist() == [[1.5, 2.5], [0, 1]]
    assert from_text("1,5;2\n3;4\n", ())[0].tolist() == [[1.5, 2], [3, 4]]
    for text in ("1,5\t2,5\n3\t4\n5\t6\n", "7;1,5\n3;4\n", "1.5 2\n3 4\n"):
        table = read_text(text)
        assert not table.dialect.header and len(table) == text.count("\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("hello", "1 column"),
        ("1\n2\n", "1 column"),
        ("1\t2\t3\t4\n", "4 columns"),
        ("1\t2\tsetosa\n1\t2\t8.5\n", "in line 2, '8.5' is neither a class from 1 to 8 nor the name of one"),
        ("".join(f"1\t2\t{c}\n" for c in "abcdefgh"), "in line 8, 'h' would be one class more than 8"),
        ("1\t2\t9\n", "'9' is neither"),
        ("1\t2\t0\n", "'0' is neither"),
        ("1\t2\t\n1\t2\t1\n", "in line 1, the class is missing"),
        ("1\t2\n1\tx\n", "'x' in column 'column 2' is not a number"),
        ("1\t2\n1e16\t2\n", "is not between"),
        ("\x00\t2\n", "NUL"),
    ],
)
def test_what_cannot_be_pasted(text: str, reason: str) -> None:
    with pytest.raises(FileError) as caught:
        from_text(text, ("setosa",))
    assert reason in sentence(caught.value, "The clipboard")


def test_naming_equal_titles_takes_as_long_as_naming_others() -> None:
    def lines_run(titles: list[str]) -> int:
        """Return how many lines `distinct_names` runs."""
        count = 0

        def trace(frame: FrameType, event: str, value: object) -> Callable[..., Any]:
            nonlocal count
            count += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            assert len(set(distinct_names(titles))) == len(titles)
        finally:
            sys.settrace(before)
        return count

    assert lines_run(["x"] * 1000) < 2 * lines_run([f"x{k}" for k in range(1000)])
    assert distinct_names(["x", "x", "x (2)", "x", "x (2)"]) == ["x", "x (2)", "x (2) (2)", "x (3)", "x (2) (3)"]
