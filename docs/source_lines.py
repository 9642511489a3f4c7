"""Sphinx role ``{source}`app/state/store.py Store.dispatch` ``: a file, and the line of a definition in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: A use of the role in a Markdown page.
USE = re.compile(r"\{source\}`([\w./-]+)(?: ([\w.]+))?`")


def line_of(path: str, name: str) -> int:
    """Return the line of the function, method or class `name` in the file `path`.

    Parameters
    ----------
    path : str
        Path from the root of the project.
    name : str
        Name of the definition, with that of its class in front: ``Store.dispatch``.

    Raises
    ------
    LookupError
        If there is no such file, or no such definition in it.
    """
    file = ROOT / path
    if not file.is_file():
        raise LookupError(f"{path} does not exist")
    node: ast.AST = ast.parse(file.read_text(encoding="utf-8"))
    for part in name.split("."):
        found = [
            child
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and child.name == part
        ]
        if not found:
            raise LookupError(f"{path} does not define {name}")
        node = found[0]
    assert isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    return node.lineno


def _role(
    role: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> tuple[list[Any], list[Any]]:
    """Return the text of the role: path, line and name."""
    from docutils import nodes

    path, _, name = text.partition(" ")
    try:
        line = line_of(path, name)
    except LookupError as error:
        return [], [inliner.reporter.error(str(error), line=lineno)]
    return [nodes.literal("", f"{path}:{line}"), nodes.Text(" "), nodes.literal("", name)], []


def setup(app: Any) -> dict[str, bool]:
    """Register the role with Sphinx."""
    app.add_role("source", _role)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
