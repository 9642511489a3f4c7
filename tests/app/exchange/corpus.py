"""Small tables of the forms that people have, with what is read from each; all values are made up."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np


class Case(NamedTuple):
    """A file and the table in it.

    Attributes
    ----------
    file : str
        Its name.
    data : bytes
    columns : tuple of str
        Names of the columns.
    rows : int
    first : tuple of str
        Cells of the first row.
    hints : tuple of str
        Roles by the file; () if it gives none.
    notes : tuple of str
        What was left out or joined.
    line : int
        Line of the first row.
    faults : tuple of int
        Rows that are unusable with every choice.
    """

    file: str
    data: bytes
    columns: tuple[str, ...]
    rows: int
    first: tuple[str, ...]
    hints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    line: int = 2
    faults: tuple[int, ...] = ()


def npz(**arrays: object) -> bytes:
    """Return an .npz file."""
    file = io.BytesIO()
    np.savez(file, **{name: np.asarray(array) for name, array in arrays.items()})
    return file.getvalue()


def npy(array: object) -> bytes:
    """Return an .npy file."""
    file = io.BytesIO()
    np.save(file, np.asarray(array))
    return file.getvalue()


def xlsx(sheets: Mapping[str, str]) -> bytes:
    """Return a workbook of Excel, by the XML of the rows of each sheet; cells of style 1 are dates."""
    start, schema = '<?xml version="1.0"?>', "http://schemas.openxmlformats.org/"
    types, relations = f"{schema}package/2006/content-types", f"{schema}package/2006/relationships"
    document, sheet_type = f"{schema}officeDocument/2006/relationships", f"{schema}spreadsheetml/2006/main"
    entries = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>' for k, name in enumerate(sheets, 1))
    targets = "".join(
        f'<Relationship Id="r{k}" Type="{document}/worksheet" Target="worksheets/sheet{k}.xml"/>'
        for k in range(1, len(sheets) + 1)
    )
    targets += f'<Relationship Id="r0" Type="{document}/styles" Target="styles.xml"/>'
    styles = '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs>'
    main = f'<Relationship Id="r1" Type="{document}/officeDocument" Target="xl/workbook.xml"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{types}"><Default Extension="xml" ContentType="text/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{relations}">{main}</Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{sheet_type}" xmlns:r="{document}"><sheets>{entries}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{relations}">{targets}</Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{sheet_type}">{styles}</styleSheet>',
    }
    for k, rows in enumerate(sheets.values(), 1):
        sheet = f'<worksheet xmlns="{sheet_type}"><sheetData>{rows}</sheetData></worksheet>'
        parts[f"xl/worksheets/sheet{k}.xml"] = sheet
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, start + text)
    return file.getvalue()


def xlsx_rows(rows: Sequence[Sequence[str | float]], first: int = 1) -> str:
    """Return the XML of rows of texts and numbers, which are formulas with their values; "" for no cell."""
    lines = []
    for number, row in enumerate(rows, first):
        cells = ""
        for letter, cell in zip("ABCDEFGH", row, strict=False):
            if isinstance(cell, str):
                text = f'<c r="{letter}{number}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
                cells += text if cell else ""
            else:
                cells += f'<c r="{letter}{number}"><f>{cell}+0</f><v>{cell!r}</v></c>'
        lines.append(f'<row r="{number}">{cells}</row>')
    return "".join(lines)


def ods(rows: Sequence[Sequence[str | float | datetime]]) -> bytes:
    """Return a workbook of LibreOffice with one sheet."""
    names = {name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "table", "text")}
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
            if isinstance(cell, str)
            else f'<table:table-cell office:value-type="date" office:date-value="{cell.isoformat()}"/>'
            if isinstance(cell, datetime)
            else f'<table:table-cell office:value-type="float" office:value="{cell!r}"/>'
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    spaces = " ".join(f'xmlns:{name}="{space}"' for name, space in names.items())
    body = f'<table:table table:name="Sheet1">{cells}</table:table>'
    content = f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    listed = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr("META-INF/manifest.xml", listed)
        archive.writestr(
            "content.xml", f'<?xml version="1.0"?><office:document-content {spaces}>{content}</office:document-content>'
        )
    return file.getvalue()


def text(first: str, *rows: str, times: int = 1) -> bytes:
    """Return lines, the rows `times` times."""
    return "\n".join([first, *rows * times, ""]).encode()


FLOWERS: tuple[tuple[str | float, ...], ...] = (
    ("length", "width", "kind"),
    (1.5, 0.25, "a"),
    (2.5, 0.5, "b"),
    (3.0, 0.75, "a"),
)
_ARFF = b"""% 1. Title: Leaves
% 2. Source: the garden

@RELATION 'leaves, small'
@ATTRIBUTE length NUMERIC
@ATTRIBUTE 'leaf width' real
@attribute note string
@ATTRIBUTE class {Acer, 'Tilia x', "Ulmus"}
@DATA
% two rows
1.5,2.5,'say ''no''',Acer
2.0, ?, "a, b", 'Tilia x' % the last
"""

CASES: tuple[Case, ...] = (
    # -- what courses have
    Case(
        "customers.csv",
        text("User ID,Gender,Age,Salary,Bought", "15624,Male,19,19000,0", "15810,Female,35,20000,1"),
        ("User ID", "Gender", "Age", "Salary", "Bought"),
        2,
        ("15624", "Male", "19", "19000", "0"),
    ),
    Case("exam.txt", b"34.62,78.02,0\n60.18,86.3,1\n", ("column 1", "column 2", "column 3"), 2,
         ("34.62", "78.02", "0"), line=1),
    Case("tumours.data", b"842302,M,17.99,10.38\n842517,B,20.57,17.77\n",
         ("column 1", "column 2", "column 3", "column 4"), 2, ("842302", "M", "17.99", "10.38"), line=1),
    Case("years.csv", text("Year,Lag1,Lag2,Direction", "2001,0.381,-0.192,Up", "2001,0.959,0.381,Down"),
         ("Year", "Lag1", "Lag2", "Direction"), 2, ("2001", "0.381", "-0.192", "Up")),
    Case("savetxt.txt", b"0.000000000000000000e+00 1.5e+00 2.5e+00\n1.0e+00 3.5e+00 4.5e+00\n",
         ("column 1", "column 2", "column 3"), 2, ("0", "1.5", "2.5"), line=1),
    Case("onehot.csv", text("u;v;A;B;C", "1.5;2.5;1;0;0", "3.5;4.5;0;1;0", "5.5;6.5;0;0;1"),
         ("u", "v", "A", "B", "C"), 3, ("1.5", "2.5", "1", "0", "0")),
    # -- row names
    Case("rtable.txt", b'"len" "wid" "kind"\n"1" 1.5 2.5 "a"\n"2" 3.5 4.5 "b"\n', ("row", "len", "wid", "kind"), 2,
         ("1", "1.5", "2.5", "a"), ("left out", "", "", "")),
    Case("rsample.csv", b'"","len","wid","kind"\n"1250",1.5,2.5,"a"\n"1109",3.5,4.5,"b"\n',
         ("row", "len", "wid", "kind"), 2, ("1250", "1.5", "2.5", "a"), ("left out", "", "", "")),
    Case("cars.csv", b",mpg,hp\nMazda,21.0,110\nDatsun,22.8,93\n", ("row", "mpg", "hp"), 2, ("Mazda", "21", "110"),
         ("left out", "", "")),
    Case("untitled.csv", b",mpg,hp\n1.5,21.0,110\n1.5,22.8,93\n", ("column 1", "mpg", "hp"), 2, ("1.5", "21", "110")),
    # -- comments, prose, titles of several lines
    Case("comments.csv", b"# made today\n% by hand\nx,y\n// begin\n1.5,2.5\n# end\n3.5,4.5\n", ("x", "y"), 2,
         ("1.5", "2.5"), line=5),
    Case("prose.txt", b"Test set of the report\nsee page 12\n3.5\t1.5\t-1\n6.9\t0.7\t1\n",
         ("column 1", "column 2", "column 3"), 2, ("3.5", "1.5", "-1"),
         notes=("Left out above the table: lines 1 to 2.",),
         line=3),
    Case("title.csv", b"Measured in 2019;;\n\nlength;width;kind\n1,5;2,5;a\n3,5;4,5;b\n",
         ("length", "width", "kind"), 2,
         ("1.5", "2.5", "a"), notes=("Left out above the table: line 1.",), line=4),
    Case("two.txt", b"two columns\n1.5\t2.5\n1.5\t4.5\n", ("column 1", "column 2"), 2, ("1.5", "2.5"),
         notes=("Left out above the table: line 1.",)),
    Case("units.csv", b"length,width,kind\n(mm),(mm),\n1.5,2.5,a\n3.5,4.5,b\n",
         ("length (mm)", "width (mm)", "kind"), 2,
         ("1.5", "2.5", "a"), notes=("Joined to the titles: line 2.",), line=3),
    Case("unbracketed.tsv", b"time\tspeed\ns\tm/s\n0.5\t2.5\n1.5\t4.5\n", ("time (s)", "speed (m/s)"), 2,
         ("0.5", "2.5"), notes=("Joined to the titles: line 2.",), line=3),
    Case("groups.csv", b"sepal,sepal,petal\nlength,width,length\n1.5,2.5,3.5\n4.5,5.5,6.5\n",
         ("sepal length", "sepal width", "petal length"), 2, ("1.5", "2.5", "3.5"),
         notes=("Joined to the titles: line 2.",), line=3),
    Case("missing.csv", b"length,width,kind\nNA,NA,a\n1.5,2.5,b\n", ("length", "width", "kind"), 2, ("NA", "NA", "a")),
    Case("separator.csv", b"sep=;\nx;y\n1,5;2,5\n3,5;4,5\n", ("x", "y"), 2, ("1.5", "2.5"), line=3),
    Case("trailing.csv", b"x;y;kind;\n1,5;2,5;a;\n3,5;4,5;b;\n",
         ("x", "y", "kind"), 2, ("1.5", "2.5", "a")),
    Case("footer.csv", b"x,y\n1.5,2.5\n3.5,4.5\nSource: the garden\n", ("x", "y"), 3, ("1.5", "2.5"), faults=(2,)),
    # -- numbers
    Case("minus.csv", "x;y\n\u22121,5;2 345,0\n\u22122,5;1\u202f245,5\n3,5;2\u00a0045\n".encode(), ("x", "y"), 3,
         ("-1.5", "2345")),
    Case("exponent.csv", "x,y\n1e\u22125,2\n\u22123e2,4\n".encode(), ("x", "y"), 2, ("1e-05", "2")),
    Case("thin.txt", "1\u2009234 5\n2\u2009345 6\n".encode(), ("column 1", "column 2"), 2, ("1234", "5"), line=1),
    Case("decimals.csv", b"temperature\n21,5\n-9999,0\n", ("temperature",), 2, ("21.5",)),
    Case("windows.csv", "Länge;Höhe\r\n1,5;2,5\r\n3,5;4,5\r\n".encode("cp1252"), ("Länge", "Höhe"), 2, ("1.5", "2.5")),
    Case("unicode.txt", "Länge\tHöhe\r\n1,5\t2,5\r\n".encode("utf-16"), ("Länge", "Höhe"), 1, ("1.5", "2.5")),
    # -- Orange, Weka, MLDemos
    Case("leaf.tab", b"len\twid\tkind\tnote\nc\tc\td\tstring\n\t\tclass\tmeta\n1.5\t2.5\ta\tx\n3.5\t4.5\tb\ty\n",
         ("len", "wid", "kind", "note"), 2, ("1.5", "2.5", "a", "x"), ("continuous", "continuous", "class", "left out"),
         ("Types and roles of the columns: lines 2 to 3.",), 4),
    Case("values.tab", b"size\tcolour\tkind\ncontinuous\tred green\ta b\n\t\tclass\n1.5\tred\ta\n2.5\tgreen\tb\n",
         ("size", "colour", "kind"), 2, ("1.5", "red", "a"), ("continuous", "discrete", "class"),
         ("Types and roles of the columns: lines 2 to 3.",), 4),
    Case("types.csv", b"len,kind\nc,d\n1.5,a\n2.5,b\n", ("len", "kind"), 2, ("1.5", "a"), ("continuous", "discrete"),
         ("Types and roles of the columns: line 2.",), 3),
    Case("oneline.tab", b"C#len\tD#size\tcD#kind\tmS#note\ti#id\n1.5\t2\ta\tx\t7\n3.5\t4\tb\ty\t8\n",
         ("len", "size", "kind", "note", "id"), 2, ("1.5", "2", "a", "x", "7"),
         ("continuous", "discrete", "class", "left out", "left out")),
    Case("leaves.arff", _ARFF, ("length", "leaf width", "note", "class"), 2, ("1.5", "2.5", "say ''no''", "Acer"),
         ("continuous", "continuous", "left out", "discrete"), line=11),
    Case("sparse.arff", b"@relation s\n@attribute a numeric\n@attribute b numeric\n@attribute c {no,yes}\n@data\n"
         b"{0 1.5, 2 yes}\n{1 -2}\n{}\n", ("a", "b", "c"), 3, ("1.5", "0", "yes"),
         ("continuous", "continuous", "discrete"), line=6),
    Case("drawn.ml", b"3 2\n-0.5 0.25 1 4096 \n0.5 0.75 1 4096 \n1.5 0.5 2 4096 \ns 1\n0 2\no 1\n0.5 0.5\n",
         ("column 1", "column 2", "column 3", "column 4"), 3, ("-0.5", "0.25", "1", "4096"),
         ("continuous", "continuous", "class", "left out"),
         ("Left out: the counts in line 1.", "Left out: sequences and obstacles in lines 5 to 8.")),
    # -- svmlight, arrays, JSON
    Case("heart_scale", b"+1 1:0.5 2:-1 \n-1 1:-0.25 3:1 # a comment\n", ("x1", "x2", "x3", "class"), 2,
         ("0.5", "-1", "0", "1"), line=1),
    Case("points.npz", npz(X=[[1.5, 2.5], [3.5, 4.5]], y=[0, 1]),
         ("x1", "x2", "class"), 2, ("1.5", "2.5", "0"), line=1),
    Case("points.npy", npy([[1.5, 2.5, 0], [3.5, 4.5, 1]]), ("x1", "x2", "x3"), 2, ("1.5", "2.5", "0"), line=1),
    Case("records.json", b'[{"x": 1.5, "y": -2, "kind": "a"}, {"x": 3.5, "y": null, "kind": "b"}]',
         ("x", "y", "kind"), 2, ("1.5", "-2", "a"), line=1),
    Case("lines.jsonl", b'{"x": 1.5, "ok": true}\n{"x": 3.5, "ok": false}\n', ("x", "ok"), 2, ("1.5", "true"), line=1),
    Case("record.jsonl", b'{"x": 1, "y": 2, "class": "a"}\n', ("x", "y", "class"), 1, ("1", "2", "a"), line=1),
    Case("record.json", b' {"x": 1.5, "k": "a}, \\"[b"} \r\n', ("x", "k"), 1, ("1.5", 'a}, "[b'), line=1),
    Case("columns.json", b'{"x": [1.5, 3.5], "kind": ["a", "b"]}', ("x", "kind"), 2, ("1.5", "a"), line=1),
    Case("pandas.json", b'{"x": {"0": 1.5, "1": 3.5}, "kind": {"0": "a", "1": "b"}}', ("x", "kind"), 2, ("1.5", "a"),
         line=1),
    Case("split.json", b'{"columns": ["x", "y"], "index": [0, 1], "data": [[1.5, 2.5], [3.5, 4.5]]}', ("x", "y"), 2,
         ("1.5", "2.5"), line=1),
    Case("rows.json", b'[["x", "y"], [1.5, 2.5], [3.5, 4.5]]', ("x", "y"), 2, ("1.5", "2.5")),
    # -- workbooks
    Case("flowers.xlsx", xlsx({"Notes": "", "Flowers": xlsx_rows(FLOWERS)}), ("length", "width", "kind"), 3,
         ("1.5", "0.25", "a")),
    Case("titled.xlsx", xlsx({"Sheet1": xlsx_rows([("Flowers of 2019", "", ""), *FLOWERS], 2)}),
         ("length", "width", "kind"), 3, ("1.5", "0.25", "a"), notes=("Left out above the table: row 2.",), line=4),
    Case("flowers.ods", ods(FLOWERS), ("length", "width", "kind"), 3, ("1.5", "0.25", "a")),
)  # fmt: skip
