"""The tables of the corpus are read as what they are, and files of no table are refused in one sentence."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from app.exchange import importing, json_records, workbook
from app.exchange.columns import Choice, convert, default_choice
from app.exchange.exporting import EXPORTS, names_of, numbered
from app.exchange.importing import BEGINNING, IMPORTS, decode, read, read_text
from app.exchange.table import CellCollector, cell_number, guarded, number_text, one_line, unguarded
from app.files.background_task import CancelledError
from app.files.documents import FileError
from tests.app.exchange.corpus import CASES, FLOWERS, Case, npy, xlsx, xlsx_rows
from tests.app.exchange.written import encode

WORKBOOKS = (".xlsx", ".ods")
reads_workbooks = pytest.mark.skipif(
    importlib.util.find_spec("python_calamine") is None, reason="python-calamine is not installed"
)


def named(case: Case) -> object:
    return pytest.param(case, id=case.file, marks=reads_workbooks if case.file.endswith(WORKBOOKS) else ())


def refusal(data: bytes, name: str, sheet: str | None = None) -> str:
    with pytest.raises(FileError) as caught:
        decode(data, name, Path(name).suffix, sheet=sheet)
    shown = str(caught.value)
    assert shown.startswith(name) and shown.endswith(".") and "\n" not in shown
    return shown.removeprefix(f"{name} ")


@pytest.mark.parametrize("case", map(named, CASES))
def test_a_file_is_read_as_what_it_is(case: Case) -> None:
    table = decode(case.data, case.file, Path(case.file).suffix)
    assert tuple(column.name for column in table.columns) == case.columns
    assert len(table) == case.rows and table.lines[0] == case.line
    assert tuple(column.cell(0) for column in table.columns) == case.first
    assert tuple(column.hint for column in table.columns) == (case.hints or ("",) * len(case.columns))
    assert table.notes == case.notes and tuple(table.faults) == case.faults


@pytest.mark.parametrize("case", map(named, CASES))
def test_the_content_counts_and_not_the_suffix(case: Case) -> None:
    if Path(case.file).suffix == ".jsonl":
        pytest.skip("lines of records look like any text")
    table = decode(case.data, "file", "")
    assert tuple(column.name for column in table.columns) == case.columns and len(table) == case.rows


def test_the_corpus_has_forty_files_of_every_kind_in_the_file_dialog() -> None:
    listed = {suffix for each in IMPORTS.values() for suffix in each}
    assert len(CASES) >= 40 and {Path(case.file).suffix for case in CASES} <= listed | {""}
    assert {".tab", ".arff", ".ml", ".data", ".dat", ".svmlight", ".libsvm", ".xlsx", ".xls", ".xlsb", ".ods", ".npy",
            ".json"} <= listed  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "decimal", "number"),
    [
        ("\u22121.5", ".", -1.5),
        ("12 345", ".", 12345.0),
        ("12\u202f345,5", ",", 12345.5),
        ("1\u00a0234\u00a0567", ".", 1234567.0),
        ("1\u2009234e2", ".", 123400.0),
        ("1 23", ".", np.nan),
        ("1234 567", ".", np.nan),
        ("1 234 5", ".", np.nan),
        ("1 2", ".", np.nan),
    ],
)
def test_numbers_as_typesetters_write_them(cell: str, decimal: str, number: float) -> None:
    assert cell_number(cell, decimal) == number or np.isnan([cell_number(cell, decimal), number]).all()


def test_cells_of_a_spreadsheet() -> None:
    table = read_text("x\ty\n\u22121,5\t2\u202f345\n3,5\t1\n")
    assert [column.cell(0) for column in table.columns] == ["-1.5", "2345"]


BOOKS = Path(__file__).parent / "workbooks"


@reads_workbooks
@pytest.mark.parametrize("name", ["base.xls", "base.xlsb"])
def test_workbooks_that_excel_has_written(name: str) -> None:
    table = read(BOOKS / name)
    assert table.sheet == "Sheet1" and {"Sheet1", "Sheet2", "Merged Cells"} <= {*table.sheets} and len(table) == 1
    cells = [column.cell(0) for column in table.columns]
    assert cells[:7] == ["String", "1", "1.1", "true", "false", "2010-10-10", "2010-10-10T10:10:10"]
    assert [column.date for column in table.columns[4:8]] == [False, True, True, False]


@reads_workbooks
def test_an_old_workbook_with_a_password_is_refused_in_a_sentence() -> None:
    assert "is damaged, protected by a password, or no workbook" in refusal(
        (BOOKS / "password.xls").read_bytes(), "a.xls"
    )


REFUSED: dict[str, tuple[bytes, str]] = {
    "mixed.csv": ("Käse,1\n".encode("cp1252") + "Würze,2\n".encode(), "mixes UTF-8 (line 2) with another encoding"),
    "nul.csv": (b"x,y\n1,\x002\n", "NUL"),
    "paper.csv": (b"%PDF-1.7\n1 0 obj\n", "a PDF file"),
    "page.xls": (b"<html><table><tr><td>1</td></tr></table></html>", "a web page"),
    "packed.csv": (b"\x1f\x8b\x08\x00rest", "unpack it first"),
    "words.json": (b'[{"x": 1}, 2]', "no JSON of records"),
    "cut.json": (b'[{"x": 1}, {"x"', "no JSON of records"),
    "uneven.json": (b'{"x": [1, 2], "y": [1]}', "different lengths"),
    "number.json": (b'{"x": 1}{', "no JSON of records"),
    "empty.json": (b"[]", "no rows"),
    "headless.arff": (b"@relation a\n@data\n1,2\n", "no @attribute"),
    "related.arff": (b"@relation a\n@attribute b relational\n@data\n", "'relational' is not known"),
    "other.arff": (b"@relation a\n@attribute b real\nhello\n@data\n1\n", "line 3 is neither"),
    "rowless.arff": (b"@relation a\n@attribute b real\n@data\n", "no rows"),
    "objects.npy": (npy(np.array([[None, 1]], dtype=object)), "Python objects"),
    "long.csv": (b"a,b\n1,2\n" + b"7," * 1_200_000 + b"7\n", "1\u202f200\u202f001 columns"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_is_refused_in_one_sentence(name: str) -> None:
    data, reason = REFUSED[name]
    assert reason in refusal(data, name)


def test_a_sparse_row_that_is_damaged_is_a_fault() -> None:
    start = b"@relation s\n@attribute a real\n@attribute b real\n@data\n"
    for row in (b"{5 1}", b"{0}", b"{x 1}"):
        assert [*decode(start + b"{0 1}\n" + row, "a.arff", ".arff").faults] == [1]


# -- workbooks -----------------------------------------------------------------------------------------------------

BOOK = xlsx({"Empty": "", "Flowers": xlsx_rows(FLOWERS), "Points": xlsx_rows([(1.0, 2.0), (3.0, 4.0)])})


@reads_workbooks
def test_a_sheet_can_be_chosen() -> None:
    table = decode(BOOK, "a.xlsx", ".xlsx")
    assert table.sheets == ("Empty", "Flowers", "Points") and table.sheet == "Flowers" and table.row_name == "row"
    points = decode(BOOK, "a.xlsx", ".xlsx", sheet="Points")
    assert points.sheet == "Points" and points.columns[1].values.tolist() == [2.0, 4.0]
    assert refusal(BOOK, "a.xlsx", "Leaves") == "has no sheet 'Leaves'; it has Empty, Flowers, Points."
    assert "no rows" in refusal(BOOK, "a.xlsx", "Empty")


@reads_workbooks
def test_a_workbook_that_is_larger_than_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process may begin to read after the first look at whether it is still wanted."""
    numbers = np.random.default_rng(0).normal(size=(5000, 2))
    data = xlsx({"Sheet": xlsx_rows(list(map(tuple, numbers.tolist())))})
    assert len(data) > 2 * 65536
    monkeypatch.setattr(workbook, "_INTERVAL", 0.001)
    monkeypatch.setattr(workbook, "_LONGEST", 30)
    monkeypatch.setattr(importing, "BEGINNING", 100_000)
    for beginning in (False, True):
        table = decode(data, "a.xlsx", ".xlsx", beginning=beginning)
        rows = np.column_stack([column.values for column in table.columns])
        assert np.array_equal(rows, numbers[: 1000 if beginning else None])


@reads_workbooks
def test_the_first_sheet_that_may_be_a_table_is_read() -> None:
    notes = '<row r="1"><c r="A1" t="inlineStr"><is><t>About these data</t></is></c></row>'
    values = xlsx_rows(FLOWERS)
    assert decode(xlsx({"Read me": notes, "Values": values, "Log": notes}), "a.xlsx", ".xlsx").sheet == "Values"
    assert decode(xlsx({"One": xlsx_rows([(1.0,), (2.0,)])}), "a.xlsx", ".xlsx").sheet == "One"


@pytest.mark.parametrize(
    ("cells", "separator", "expected"),
    [
        (["1.234,56", "7,5", "−1.234.567,0"], ";", [1234.56, 7.5, -1234567.0]),
        (['"1,234.56"', "7.5", '"-1,234,567"'], ",", [1234.56, 7.5, -1234567.0]),
        (["1'234.56", "7.5", "1’234’567"], ",", [1234.56, 7.5, 1234567.0]),
    ],
)
def test_thousands_are_read_where_the_sign_is_sure(cells: list[str], separator: str, expected: list[float]) -> None:
    text = "".join(f"{cell}{separator}{k % 2}\n" for k, cell in enumerate(cells * 4))
    table = decode(f"income{separator}k\n{text}".encode(), "a.csv", ".csv")
    assert table.columns[0].values.tolist() == expected * 4


def test_a_first_row_that_lacks_a_cell_leaves_the_titles_alone() -> None:
    table = decode(b"age,income,loan\n30,1000\n" + b"31,1200,yes\n42,900,no\n" * 5, "a.csv", ".csv")
    assert [column.name for column in table.columns] == ["age", "income", "loan"]
    assert len(table) == 11 and table.faults == {0: "it has 2 cells instead of 3"} and not table.notes


@pytest.mark.parametrize(
    ("cell", "decimal"), [("1.234", ","), ("1,234", "."), ("2 345.0", ","), ("0.123,4", ","), ("49.415,", ",")]
)
def test_thousands_are_not_guessed(cell: str, decimal: str) -> None:
    assert np.isnan(cell_number(cell, decimal))


@reads_workbooks
@pytest.mark.parametrize("end", [60, 400, 900])
def test_a_damaged_workbook(end: int) -> None:
    assert "is damaged, or no workbook" in refusal(BOOK[:end], "a.xlsx")


@reads_workbooks
def test_a_workbook_that_is_a_bomb() -> None:
    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    assert "damaged, or too large" in refusal(xlsx({"Far": far}), "far.xlsx")
    assert refusal(xlsx({"Big": " " * 50_000_000}), "big.xlsx") == "unpacks to 50 MB, so it was not read."


@reads_workbooks
def test_a_workbook_that_is_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    from python_calamine import PasswordError

    from app.exchange import sheet_process

    def locked(file: BytesIO) -> None:
        raise PasswordError("Workbook is password protected")

    monkeypatch.setattr("python_calamine.load_workbook", locked)
    assert sheet_process.read(BOOK, "")[0].fault == sheet_process.PASSWORD


@reads_workbooks
def test_a_workbook_of_excel_that_is_encrypted() -> None:
    """Excel puts the whole workbook into a stream of an OLE file, which the reader takes for a damaged one."""
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000) + "EncryptedPackage".encode("utf-16-le") + bytes(1000)
    assert refusal(data, "a.xlsx") == "is protected by a password: save it without one, or the sheet as CSV."


def test_without_the_reader_of_workbooks_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for data in (BOOK, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)):
        assert "pip install 'classifier-playground[tables]'" in refusal(data, "a.xls")


def test_a_zip_file_of_something_else() -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("hello.txt", "hello")
    refusal(file.getvalue(), "a.zip")


# -- exports -------------------------------------------------------------------------------------------------------

XY = np.array([[0.1, -2.5], [1e-300, 1e15], [1 / 3, 0.0]])


def test_classes_that_are_numbers_keep_them_in_svmlight(tmp_path: Path) -> None:
    data = b"-1 1:-0.8918 2:-0.1767\n+1 1:1.9429 2:-0.0869\n"
    table = decode(data, "pm.txt", ".txt")
    found = convert(table, Choice(0, 1, 2))
    path = tmp_path / "pm.svmlight"
    path.write_bytes(encode(found.xy, found.labels, found.class_names, ("", ""), path))
    assert [line.split()[0] for line in path.read_text().splitlines()] == ["-1", "1"]
    X, y = load_svmlight_file(str(path))
    assert np.array_equal(X.toarray(), found.xy) and y.tolist() == [-1, 1]
    assert numbered(found.labels, found.class_names, path) == ""


def test_words_are_numbered_in_svmlight_and_that_is_said() -> None:
    labels, names, path = np.array([2, 0, 0], np.uint8), ("no", "unused", "yes: sure"), Path("a.svmlight")
    lines = encode(XY, labels, names, ("", ""), path).decode().splitlines()
    assert lines[0] == "3 1:0.1 2:-2.5 # yes  sure" and lines[1].startswith("1 ") and lines[1].endswith(" # no")
    assert numbered(labels, names, path) == " The format has only numbers: 1 is no, 3 is yes: sure."
    assert numbered(labels, names, Path("a.csv")) == ""


def test_names_are_compared_among_the_classes_in_use() -> None:
    assert names_of(("", "3"), used=(0, 1))[:2] == ["1", "3"]
    assert names_of(("a", "b", "b"), used=(0, 2))[:3] == ["a", "b", "b"]
    assert names_of(("a", "b", "b"), used=(1, 2))[:3] == ["1", "2", "3"]


def test_files_for_weka_and_orange() -> None:
    labels, names, axes = np.array([0, 2, 0], np.uint8), ("it's", "unused", "b"), ("leaf length", "")
    assert encode(XY, labels, names, axes, Path("a.arff")).decode() == (
        "@relation points\n@attribute 'leaf length' numeric\n@attribute 'y' numeric\n@attribute class {'it\\'s','b'}\n"
        "@data\n0.1,-2.5,'it\\'s'\n1e-300,1000000000000000.0,'b'\n0.3333333333333333,0.0,'it\\'s'\n"
    )
    assert encode(XY, labels, names, axes, Path("a.tab")).decode().splitlines()[:4] == [
        "leaf length\ty\tclass",
        "continuous\tcontinuous\tdiscrete",
        "\t\tclass",
        "0.1\t-2.5\tit's",
    ]


@pytest.mark.parametrize("suffix", EXPORTS)
def test_each_export_says_which_column_is_the_class(suffix: str) -> None:
    path = Path(f"a{suffix}")
    table = decode(encode(XY, np.array([0, 1, 0], np.uint8), ("u", "v"), ("", ""), path), path.name, suffix)
    assert table.columns[2].name == "class" and not table.faults
    assert np.column_stack([column.values for column in table.columns[:2]]).tobytes() == XY.tobytes()


#: Exports that have no names of axes and classes, but numbers.
NAMELESS = {".svmlight"}
CONTRACT = (
    "What a row of EXPORTS writes, an import must read: numbers and names of axes and classes bit for bit, from one"
    ' point, too, and with odd names (docs/howto/adding.md, "An export of points")'
)
POINT, THREE = np.array([[0.1, -1e-300]]), np.array([[0.1, -2.5], [1.0 / 3.0, 1e15], [5e-324, -0.0]])


@pytest.mark.parametrize("suffix", EXPORTS)
@pytest.mark.parametrize("xy", [POINT, THREE], ids=["one point", "three"])
@pytest.mark.parametrize("guard", [True, False])
@pytest.mark.parametrize(
    ("axes", "names"),
    [
        (("x", "y"), ("a", "b", "c")),
        (("class", "y"), ("a", "b", "c")),
        (("x", "Class"), ("class", "target", "label")),
        (("'=x", "=y"), ("'=x", "''=x", "=x")),
        (("1", "2"), ("class", "label", "c")),
        (("a,b;c", "#d"), ("+1-", "a,b;c\td", "it's \"#\\ %")),
    ],
    ids=["plain", "an axis called class", "a class called class", "formulas", "axes called like numbers", "signs"],
)
def test_what_is_exported_is_read_again(
    axes: tuple[str, str], names: tuple[str, ...], guard: bool, xy: np.ndarray, suffix: str
) -> None:
    labels, path = np.arange(len(xy), dtype=np.uint8), Path(f"drawing{suffix}")
    data = encode(xy, labels, names, axes, path, guard)
    try:
        table = decode(data, path.name, suffix)
        found = convert(table, default_choice(table))
    except FileError as error:
        pytest.fail(f"{CONTRACT}; but {suffix} is refused: {error}")
    expected = [one_line(names[label]) for label in labels]
    if suffix in NAMELESS:
        axes, expected = found.axes, [str(label + 1) for label in labels]
    assert (found.xy.tobytes(), found.axes, [found.class_names[label] or str(label + 1) for label in found.labels]) == (
        xy.tobytes(),
        axes,
        expected,
    ), f"{CONTRACT}; but {suffix} comes back otherwise."


# -- size ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["json", "npy", "arff"])
def test_the_memory_for_other_kinds_is_a_few_times_the_file(kind: str) -> None:
    rows = 100_000
    data = {
        "json": b"[" + b",".join([b'{"first": 0.12345, "second": 0.6789, "kind": "red"}'] * rows) + b"]",
        "npy": b"",
        "arff": b"@relation a\n@attribute x real\n@attribute y real\n@data\n" + b"0.12345678,0.6789123\n" * rows,
    }[kind]
    if kind == "npy":
        file = BytesIO()
        np.save(file, np.ones((rows, 5)))
        data = file.getvalue()
    tracemalloc.start()
    try:
        decode(data, f"a.{kind}", f".{kind}")
        most = tracemalloc.get_traced_memory()[1] + len(data)
    finally:
        tracemalloc.stop()
    assert most < 4.5 * len(data)


def large_text(n_rows: int = 60_000) -> str:
    return "a,b,kind\n" + "".join(f"{row / 8},{row % 97},{'one' if row % 2 else 'two'}\n" for row in range(n_rows))


@pytest.mark.parametrize("kind", [".csv", ".arff", ".svmlight", ".json", ".jsonl", "columns.json"])
def test_reading_reports_its_share_and_ends_when_it_is_cancelled(kind: str) -> None:
    rows = [f"{row},{row % 97}" for row in range(60_000)]
    data = "\n".join(["a,b", *rows])
    if kind == ".arff":
        data = "\n".join(["@relation r", "@attribute a numeric", "@attribute b numeric", "@data", *rows])
    elif kind == ".svmlight":
        data = "".join(f"1 1:{row} 2:{row % 97}\n" for row in range(60_000))
    elif "json" in kind:
        records = [{"a": row, "b": row % 97} for row in range(60_000)]
        columns = {"a": [*range(60_000)], "b": [row % 97 for row in range(60_000)]}
        lines = "\n".join(map(json.dumps, records))
        data = {".json": json.dumps(records), ".jsonl": lines}.get(kind, json.dumps(columns))
    shares: list[float] = []
    kind = Path(kind).suffix or kind
    table = decode(data.encode(), "large", kind, progress=shares.append)
    assert len(table) == 60_000 and shares == sorted(shares) and len(shares) > 5 and 0.9 < shares[-1] <= 1.0
    reports: list[float] = []

    def cancel(share: float) -> None:
        reports.append(share)
        if share > 0.3:
            raise CancelledError

    with pytest.raises(CancelledError):
        decode(data.encode(), "large", kind, progress=cancel)
    assert 0.3 < reports[-1] < 0.5, "the rest is not read"


def test_the_first_rows_of_a_large_file(tmp_path: Path) -> None:
    path, text = tmp_path / "large.csv", large_text(100_000)
    path.write_text(text)
    assert len(text) > 1.2 * BEGINNING
    first, whole = read(path, beginning=True), read(path)
    n = len(first)
    assert 0 < n < len(whole) and [column.name for column in first.columns] == ["a", "b", "kind"]
    for part, all_of_it in zip(first.columns, whole.columns, strict=True):
        assert [part.cell(row) for row in (0, n - 1)] == [all_of_it.cell(row) for row in (0, n - 1)]
    assert len(read_text(text, beginning=True)) > 0
    path.write_text(text[:1000])
    with pytest.raises(FileError, match="short"):
        read(path, beginning=True)


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".lists.json", ".npy", ".npz"])
def test_the_first_rows_of_large_records_and_arrays(tmp_path: Path, suffix: str) -> None:
    numbers, path = np.random.default_rng(0).normal(size=(40_000, 2)), tmp_path / f"large{suffix}"
    records = [{"a": a, "b": b} for a, b in numbers.tolist()]
    texts = {
        ".json": json.dumps(records),
        ".jsonl": "\n".join(map(json.dumps, records)),
        ".lists.json": json.dumps([["a", "b"], *numbers.tolist()]),
    }
    if suffix in texts:
        path.write_text(texts[suffix])
    elif suffix == ".npy":
        np.save(path, numbers)
    else:
        np.savez_compressed(path, X=numbers, y=np.arange(40_000) % 3)
    first, whole = read(path, beginning=True), read(path)
    assert 100 < len(first) < len(whole) == 40_000
    for part, all_of_it in zip(first.columns, whole.columns, strict=True):
        assert part.name == all_of_it.name and np.array_equal(part.values, all_of_it.values[: len(first)])


def test_a_zip_file_of_very_many_parts_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(100):
            archive.writestr(str(number), b"")
    monkeypatch.setattr(importing, "_MOST_LISTED", 4000)
    monkeypatch.setattr(zipfile, "ZipFile", lambda *arguments: pytest.fail("it was listed"))
    for suffix in (".xlsx", ".npz", ".csv"):
        assert refusal(file.getvalue(), f"many{suffix}") == "is a zip file of very many parts, so it was not read."


ODD_RECORDS = [{"x": 1.5, "k": "a}, {b", "n": 1}, {"x": 2, "k": "[c], ", "n": 2}, {"x": -3, "k": "é\\", "n": 3}] * 5


@pytest.mark.parametrize("size", [1, 7, 40])
def test_json_that_is_read_in_pieces(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {name: [record[name] for record in ODD_RECORDS] for name in ("x", "k", "n")}
    by_row = {name: {str(row): cell for row, cell in enumerate(cells)} for name, cells in columns.items()}
    rows = [[*record.values()] for record in ODD_RECORDS]
    lines = " \r\n".join(json.dumps(record, ensure_ascii=False) for record in ODD_RECORDS) + "\n\n"
    texts = [json.dumps(ODD_RECORDS), json.dumps(ODD_RECORDS, indent=2), lines, json.dumps(columns, indent=1)]
    texts += [json.dumps(by_row), json.dumps({"about": [], "rows": ODD_RECORDS}), json.dumps([[*"xkn"], *rows])]
    texts += [json.dumps({"columns": [*"xkn"], "data": rows}), "\n".join(map(json.dumps, [[*"xkn"], *rows]))]
    monkeypatch.setattr(json_records, "_PIECE", size)
    for text in texts:
        table = decode(text.encode(), "a.json", ".json")
        read = [tuple(column.cell(row) for column in table.columns) for row in range(len(table))]
        assert read == [(number_text(each["x"]), each["k"].strip(), str(each["n"])) for each in ODD_RECORDS], text


def test_damaged_json_is_located_in_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(ODD_RECORDS).replace("-3", "?3")
    monkeypatch.setattr(json_records, "_PIECE", 7)
    assert f"byte {text.index('?')} fits nowhere" in refusal(text.encode(), "a.json")


@reads_workbooks
def test_a_workbook_that_is_cancelled_ends_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[subprocess.Popen[bytes]]()

    class Remembered(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            begun.append(self)

    def cancel(share: float) -> None:
        if begun:
            raise CancelledError

    monkeypatch.setattr(workbook, "command", lambda *words: [sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(subprocess, "Popen", Remembered)
    with pytest.raises(CancelledError):
        decode(BOOK, "a.xlsx", ".xlsx", progress=cancel)
    assert [process.poll() is not None for process in begun] == [True]


@pytest.mark.parametrize("name", ["C#x", "'C#x", "''C#x", "=1", "'=1", "-1", "'a", "#1"])
@pytest.mark.parametrize("always", [True, False])
def test_a_guarded_name_comes_back(name: str, always: bool) -> None:
    assert unguarded(guarded(name, always)) == name


def test_columns_without_cells() -> None:
    assert "columns are empty" in refusal(b'{"x": [], "y": []}', "empty.json")


def test_words_among_numbers_are_the_same_in_every_piece() -> None:
    cells = ["1.5", "", "NA", "2", "1_000", "−3", "nan", "1e400", "7 000"]
    collected = CellCollector()
    for start in range(40):
        collected.add([cells[(start + at) % len(cells)] for at in range(50)])
    column = collected.column("a")
    expected = [cells[(start + at) % len(cells)] for start in range(40) for at in range(50)]
    numbers = {"1.5": 1.5, "2": 2.0, "−3": -3.0, "7 000": 7000.0}
    for row, cell in enumerate(expected):
        word = column.word(row)
        assert (float(column.values[row]) == numbers[cell] and word is None) if cell in numbers else word == cell
