"""Notebook: convert a program to a Jupyter notebook, JSON of nbformat 4.5."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import msgspec

from .program import Program


def notebook(program: Program) -> bytes:
    """Return the bytes of an `.ipynb` file, with a cell that has not been run for each part of the program."""
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
