"""Export: write a program to a file, for Python or as a Jupyter notebook, with the file of its points beside it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import msgspec

from app.files import documents
from app.files.background_task import Progress, Task
from app.state.document import Document

from .program import Program, program

#: Title and tip of each kind of file.
SUFFIXES: dict[str, tuple[str, str]] = {
    ".py": ("Python program", "A file for Python, and one of the points where there are many."),
    ".ipynb": ("Jupyter notebook", "A notebook, and a file of the points where there are many."),
}


def points_beside(path: Path) -> Path:
    """Return the file of points beside a program."""
    return path.with_name(f"{path.stem}-points.csv")


def write(document: Document, lanes: Sequence[int] | None, path: Path) -> tuple[Path, ...]:
    """Write the program of some lanes to `path`, whose suffix chooses the kind of file; return all files written."""
    points = points_beside(path)
    is_notebook = path.suffix.lower() == ".ipynb"
    made = program(document, lanes, points.name, beside=not is_notebook)
    if made.n_rows:
        documents.write_bytes(made.rows.encode(), points)
    documents.write_bytes(notebook(made) if is_notebook else made.text.encode(), path)
    return (path, points) if made.n_rows else (path,)


def saving(document: Document, lanes: Sequence[int] | None, path: Path) -> Task[str]:
    """Return the task that does `write`; its result is a sentence."""

    def work(progress: Progress) -> str:
        progress.commit()
        return f"Saved {' and '.join([place.name for place in write(document, lanes, path)])}."

    return Task(f"Saving {path.name}", work, f"{path.name} was not saved")


def notebook(program: Program) -> bytes:
    """Return the bytes of an `.ipynb` file of nbformat 4.5, with a cell, not run, for each part of the program."""
    title = ast.get_docstring(ast.parse(program.blocks[0])) or ""
    head, _, rest = title.partition("\n")
    cells = [_cell("markdown", 0, "\n\n".join((f"# {head}", *(f"* {line}" for line in _items(rest)))))]
    cells += [_cell("code", at, block) for at, block in enumerate(program.blocks) if at]
    document = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def _items(lines: str) -> Sequence[str]:
    """Return the titles, each on one line."""
    return lines.strip().replace("\n   ", " ").split("\n")


def _cell(kind: str, number: int, text: str) -> dict[str, object]:
    cell: dict[str, object] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": text.splitlines(keepends=True)}
