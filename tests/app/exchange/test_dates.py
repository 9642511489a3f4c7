"""Dates in tables: they are read as numbers, chosen last, and written so that the same numbers are read."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.dates import Coordinates, date_text, seconds_of
from app.core.points import Points
from app.exchange import share_text
from app.exchange.choosing import Chosen, Wanted, choose
from app.exchange.exporting import as_text, encode_pieces, from_text
from app.exchange.importing import decode
from app.files import documents
from app.files.documents import FileError
from app.main import main
from app.state.commands import Clear, Generate, ImportPoints, SetUnits
from app.state.document import Document
from tests.app.exchange.corpus import ods, xlsx, xlsx_rows

#: Three days of each month of a year.
DAYS = [datetime(2024, month, day, tzinfo=UTC) for month in range(1, 13) for day in (3, 15, 28)]


def column(form: str, days: list[datetime] = DAYS) -> str:
    """Return a table of dates in some form, with a measurement."""
    return "day,temp\n" + "".join(f"{day.strftime(form)},{0.5 * n}\n" for n, day in enumerate(days))


def chosen(text: str | bytes, name: str = "a.csv", **wanted: str) -> Chosen:
    data = text if isinstance(text, bytes) else text.encode()
    return choose(decode(data, name, Path(name).suffix), Wanted(**wanted))


@given(st.one_of(st.floats(-1.5e13, 1.5e13), st.floats(-2e9, 2e9), st.integers(-(10**13), 10**13).map(float)))
@example(-0.001)
@example(-1e-300)
@example(1706696100.125)
def test_a_date_is_written_so_that_the_same_number_is_read(seconds: float) -> None:
    assert seconds_of(date_text(seconds)) == seconds


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_seconds_are_those_of_the_calendar(moment: datetime) -> None:
    expected = (moment - datetime(1970, 1, 1)) / timedelta(seconds=1)
    assert seconds_of(moment.isoformat()) == pytest.approx(expected, abs=1e-4)
    assert seconds_of(moment.date().isoformat()) == (moment.date() - datetime(1970, 1, 1).date()).days * 86400


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2024-01-31T10:15", "2024-01-31T10:15"),
        ("2024-01-31 10:15:00", "2024-01-31T10:15"),
        ("2024-01-31T10:15Z", "2024-01-31T10:15"),
        ("2024-01-31T10:15+01:00", "2024-01-31T09:15"),
        ("2024-01-31T22:15:30,5 -0230", "2024-02-01T00:45:30.5"),
        ("2024/1/31", "2024-01-31"),
        ("+12024-01-31", "12024-01-31"),
    ],
)
def test_forms_of_a_date(text: str, same: str) -> None:
    assert date_text(seconds_of(text)) == same


@pytest.mark.parametrize(
    "text",
    ["", "2024", "2024-02-30", "2024-01-31T24:00", "2024-01-31T10", "10:15", "31.01.2024", "1.5", "today", "NaT"],
)
def test_what_is_no_date(text: str) -> None:
    assert np.isnan(seconds_of(text))


@pytest.mark.parametrize(
    ("form", "note"),
    [
        ("%Y-%m-%d", ""),
        ("%Y-%m-%dT%H:%M", ""),
        ("%Y-%m-%d %H:%M:%S", ""),
        ("%Y-%m-%dT%H:%M:%SZ", ""),
        ("%Y/%m/%d", ""),
        ("%d.%m.%Y", "'day' is read as dates, the day first."),
        ("%d/%m/%Y %H:%M", "'day' is read as dates, the day first."),
        ("%m/%d/%Y", "'day' is read as dates, the month first."),
    ],
)
def test_a_column_of_dates_is_an_axis_of_dates(form: str, note: str) -> None:
    found = chosen(column(form))
    assert found.document.dates == (1.0, 0.0) and found.document.axes == ("day", "temp")
    assert found.document.points.xy[:, 0].tolist() == [day.timestamp() for day in DAYS]
    assert found.table.notes == ((note,) if note else ()) and note in found.line
    assert found.table.columns[0].cell(0) == "2024-01-03"


def test_an_order_that_no_date_shows_is_not_guessed() -> None:
    days = [day for day in DAYS if day.day == 3]
    table = decode(column("%d/%m/%Y", days).encode(), "a.csv", ".csv")
    assert not table.columns[0].date
    assert table.notes == ("'day' may be dates, the day or the month first: no date shows which.",)
    with pytest.raises(FileError, match="'03/01/2024' in column 'day' may begin with the day or with the month"):
        choose(table, Wanted(x="day"))
    same = [datetime(2024, n, n, tzinfo=UTC) for n in range(1, 13)]  # both orders are the same
    assert chosen(column("%d/%m/%Y", same)).document.dates == (1.0, 0.0)


def test_cells_that_are_no_dates_are_left_out_and_named() -> None:
    found = chosen(column("%Y-%m-%d") + "2024-02-30,1\n,2\n")
    assert found.imported.n_left_out == 2
    reasons = [reason for _, reason in found.imported.left_out]
    assert reasons == ["'2024-02-30' in column 'day' is not a date", "column 'day' is empty"]
    words = "day,temp,hum\n" + "".join(f"{'spring' if n % 3 else '2024-01-03'},{n}.5,{n}.25\n" for n in range(30))
    assert not decode(words.encode(), "a.csv", ".csv").columns[0].date  # most are words


def test_a_date_is_the_last_choice() -> None:
    rows = "".join(f"{day:%Y-%m-%d},{0.5 * n},{0.25 * n * n},{'ab'[n % 2]}\n" for n, day in enumerate(DAYS))
    table = f"day,temp,hum,kind\n{rows}"
    found = chosen(table)
    assert found.document.axes == ("temp", "hum") and found.document.dates == (0.0, 0.0)
    assert chosen(table, x="day").document.axes == ("day", "temp")
    assert chosen(table, y="day").document.dates == (0.0, 1.0)


def test_dates_of_other_formats() -> None:
    arff = "@relation a\n@attribute day date 'yyyy-MM-dd'\n@attribute v numeric\n@data\n2024-01-01,2\n2024-01-02,2.5\n"
    json = b'[{"day": "2024-01-03T12:00", "v": 1.5}, {"day": "2024-02-03", "v": 2.5}]'
    assert chosen(arff, "a.arff").document.dates == chosen(json, "a.json").document.dates == (1.0, 0.0)
    assert chosen(json, "a.json").document.points.xy[0].tolist() == [1704283200.0, 1.5]
    assert chosen("1700000000,1\n1700000060,2.5\n1700000120,2\n").document.dates == (0.0, 0.0)  # numbers stay numbers


@pytest.mark.skipif(importlib.util.find_spec("python_calamine") is None, reason="python-calamine is not installed")
def test_dates_of_a_workbook() -> None:
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" s="1"><v>{45320 + 0.25 * n}</v></c><c r="B{n}"><v>{1.5 * n}</v></c></row>'
        for n in range(2, 9)
    )
    found = chosen(xlsx({"sheet": xlsx_rows([("day", "v")]) + rows}), "a.xlsx")
    assert found.document.dates == (1.0, 0.0)
    assert [found.table.columns[0].cell(row) for row in (0, 1, 2)] == [
        "2024-01-29T12:00",
        "2024-01-29T18:00",
        "2024-01-30",
    ]

    days = [day.replace(tzinfo=None) for day in DAYS]
    other = chosen(ods([("day", "v"), *((day, 0.5 * n) for n, day in enumerate(days))]), "a.ods")
    assert other.document.dates == (1.0, 0.0)
    assert other.document.points.xy[:, 0].tolist() == [day.timestamp() for day in DAYS]


def dated(seconds: float = 0.0) -> Document:
    """Return a document with dates along y, one of them with every digit."""
    xy = [(1.5, 1706659200.0), (-2.25, 1706696100.0), (0.1, seconds), (3.0, -0.001)]
    command = ImportPoints(xy=xy, labels=[0, 1, 0, 1], class_names=("no", "yes"), axes=("v", "day"), dates=(0.0, 1.0))
    return command.apply(Document())


def written(document: Document, path: Path) -> bytes:
    names = tuple(style.name for style in document.styles)
    points, axes = document.points, document.axes
    pieces = encode_pieces(points.xy, points.labels, names, axes, path, True, document.coordinates)
    return b"".join(piece for piece, _ in pieces)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".tab", ".arff"])
@given(seconds=st.floats(-1e12, 1e12))
def test_what_was_written_reads_back(suffix: str, seconds: float) -> None:
    document = dated(seconds)
    data = written(document, Path(f"a{suffix}"))
    assert b"2024-01-31" in data and b"1706659200" not in data
    again = chosen(data, f"a{suffix}", x="v", y="day", label="class").document
    assert again.dates == (0.0, 1.0) and again.points.looks_like(document.points)


@pytest.mark.parametrize("suffix", [".npz", ".svmlight"])
def test_formats_without_dates_have_the_seconds(suffix: str) -> None:
    again = chosen(written(dated(), Path(f"a{suffix}")), f"a{suffix}").document
    assert again.dates == (0.0, 0.0) and again.points.xy.tolist() == dated().points.xy.tolist()


def test_convert_writes_dates_that_read_back(tmp_path: Path) -> None:
    table, out, last = (tmp_path / name for name in ("days.csv", "out.playground", "again.csv"))
    table.write_text(column("%Y-%m-%d %H:%M"))
    assert main(["convert", str(table), "--out", str(out)]) == 0
    assert main(["convert", str(out), "--out", str(last)]) == 0
    assert documents.decode(out.read_bytes()).dates == (1.0, 0.0)
    assert chosen(last.read_bytes()).document.points.looks_like(chosen(column("%Y-%m-%d")).document.points)


def test_copied_points_have_their_dates() -> None:
    points, kinds, names = dated().points, dated().coordinates, ("no", "yes")
    text = as_text(points.xy, points.labels, names, kinds)
    assert text.startswith("1.5\t2024-01-31\tno\n")
    xy, labels, _ = from_text(text, names, dates=(0.0, 1.0))
    assert Points.of(xy, labels).looks_like(points)
    assert from_text(text, names, dates=(0.0, 2.0))[0][0].tolist() == [1.5, 2 * 1706659200.0]
    with pytest.raises(FileError, match="dates and numbers do not share an axis"):
        from_text(text, names)


def test_a_document_keeps_its_dates_and_older_programs_refuse_it() -> None:
    file = msgspec.json.decode(documents.encode(dated()))
    assert file["dates"] == [0.0, 1.0] and "dates" not in msgspec.json.decode(documents.encode(Document()))
    assert documents.decode(documents.encode(dated())).dates == (0.0, 1.0)
    assert share_text.decode(share_text.encode(dated())).dates == (0.0, 1.0)
    for dates in ([0.0, 1e-300], [0.0, -1.0], [0.0, 1e10], [1.0]):
        with pytest.raises(FileError):
            documents.decode(msgspec.json.encode({**file, "dates": dates}))


def test_dates_go_with_their_points() -> None:
    document = dated()
    assert SetUnits(units=(1.0, 10.0)).apply(document).dates == (0.0, 10.0)
    assert Clear().apply(document).dates == Generate().apply(document).dates == (0.0, 0.0)
    assert ImportPoints(xy=[(1.0, 2.0)], labels=[0]).apply(document).dates == (0.0, 0.0)
    more = ImportPoints(xy=[(1.0, 2.0)], labels=[0], add=True, dates=(0.0, 1.0)).apply(document)
    assert more.dates == (0.0, 1.0) and len(more.points) == 5
    with pytest.raises(ValueError, match="dates and numbers do not share an axis"):
        ImportPoints(xy=[(1.0, 2.0)], labels=[0], add=True).apply(document)


def test_a_century_of_small_numbers_fills_the_picture() -> None:
    rows = "".join(f"{year}-01-01,{(year - 1935) / 150:.3f}\n" for year in range(1850, 2025))
    view = chosen(f"day,anomaly\n{rows}").document.view
    width, height = view.span / 1.2, view.span * view.ratio / 1.2
    assert width == pytest.approx(seconds_of("2024-01-01") - seconds_of("1850-01-01"))
    assert height == pytest.approx(1.16, rel=1e-3)


def test_coordinates_that_tell_pixels_apart() -> None:
    kind, at = Coordinates(1.0), seconds_of("2024-03-15T10:15:30.25")
    spans = (4e8, 4e6, 4e4, 0.5)
    assert [kind.brief(at, span) for span in spans] == [
        "2024-03-15", "2024-03-15T10:15", "2024-03-15T10:15:30", "2024-03-15T10:15:30.25",
    ]  # fmt: skip
    assert kind.brief(seconds_of("2024-03-15T10:15"), 4e8) == "2024-03-15T10:15"
    assert Coordinates(10.0).text(10 * at) == kind.text(at) and Coordinates(10.0).value(kind.text(at)) == 10 * at
