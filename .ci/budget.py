"""Measure the size of the program and fail above the numbers in pyproject.toml: ``python .ci/budget.py``.

Two measures, so that neither long nor dense lines gain anything: statements, and tokens without comments, layout and
docstrings.  A text counts as many tokens as it has words, so code that is moved into texts counts, too.
``python .ci/budget.py --lower`` writes the present numbers where they have fallen; who needs more raises one by hand.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Folders with a limit, and those that are only printed.
LIMITED, PRINTED = ("app", "solver", ".ci", "docs"), ("tests",)
#: Tokens of layout.
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
#: Decorators of compiled functions, of `solver.core._compile`.
COMPILING = {"jit", "part", "lean_part", "inlined"}


def is_docstring(node: ast.AST) -> bool:
    """Return whether `node` is a text that stands alone: a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def size_of(source: str) -> tuple[int, int]:
    """Return the statements and the tokens of a program, without its docstrings."""
    tree = ast.parse(source)
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    docstrings = {(node.lineno, node.col_offset) for node in statements if is_docstring(node)}
    tokens = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in LAYOUT and token.start not in docstrings:
            tokens += len(token.string.split()) if token.type == tokenize.STRING else 1
    return len(statements) - len(docstrings), tokens


def room_of(path: Path) -> str:
    """Return the room of a file: its folder below `app` or `solver`, or a top folder."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2]) if parts[0] in ("app", "solver") and len(parts) > 2 else parts[0]


def sizes() -> dict[str, tuple[int, int]]:
    """Return statements and tokens of each room."""
    found: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for top in (*LIMITED, *PRINTED):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".py", ".spec") and not {"_build", "_gallery", "__pycache__"} & set(path.parts):
                statements, tokens = size_of(path.read_text(encoding="utf-8"))
                before = found[room_of(path)]
                found[room_of(path)] = before[0] + statements, before[1] + tokens
    return dict(found)


def ceilings() -> dict[str, tuple[int, str]]:
    """Return the longest function (lines), the most parameters and the most methods of a class, each with its place.

    Compiled functions are left out, because calls with arrays are slow, and constructors, whose parameters are
    settings in scikit-learn's style.
    """
    most = dict.fromkeys(("longest_function", "most_parameters", "most_methods"), (0, ""))
    for path in (path for top in ("app", "solver") for path in (ROOT / top).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name, size in _sizes_of(node):
                most[name] = max(most[name], (size, f"{path.relative_to(ROOT)}: {getattr(node, 'name', '')}"))
    return most


def _sizes_of(node: ast.AST) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.ClassDef):
        yield "most_methods", sum(isinstance(each, ast.FunctionDef) for each in node.body)
    elif isinstance(node, ast.FunctionDef) and not COMPILING & {ast.unparse(each) for each in node.decorator_list}:
        yield "longest_function", (node.end_lineno or 0) - node.lineno + 1
        if node.name != "__init__":
            yield "most_parameters", len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs)


def faults() -> list[str]:
    """Print the table; return what is larger than allowed."""
    allowed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["budget"]
    found, wrong = sizes(), []
    print(f"{'room':22}{'statements':>11}{'tokens':>9}{'allowed':>19}")
    for room, size in found.items():
        limit = allowed["rooms"].get(room)
        print(f"{room:22}{size[0]:11}{size[1]:9}" + (f"{limit[0]:10}{limit[1]:9}" if limit else ""))
        if room.split("/")[0] in LIMITED and (limit is None or size[0] > limit[0] or size[1] > limit[1]):
            wrong.append(f"{room} has {size[0]} statements and {size[1]} tokens, allowed are {limit}.")
    for top in ("app", "solver"):
        rooms = [size for room, size in found.items() if room.split("/")[0] == top]
        print(f"{'all of ' + top:22}{sum(size[0] for size in rooms):11}{sum(size[1] for size in rooms):9}")
    for name, (most, where) in ceilings().items():
        print(f"{name.replace('_', ' '):22}{most:11}          {where}")
        if most > allowed[name]:
            wrong.append(f"{name.replace('_', ' ')}: {where} has {most}, allowed are {allowed[name]}.")
    return wrong


def lower() -> None:
    """Write the present numbers into pyproject.toml where they are lower than before, and those of new rooms."""
    path = ROOT / "pyproject.toml"
    text = path.read_text(encoding="utf-8")
    allowed = tomllib.loads(text)["tool"]["budget"]
    for name, (size, _) in ceilings().items():
        text = re.sub(rf"^{name} = .*", f"{name} = {min(size, allowed[name])}", text, flags=re.MULTILINE)
    rows = [
        f'"{room}" = [{", ".join(str(min(pair)) for pair in zip(size, allowed["rooms"].get(room, size), strict=True))}]'
        for room, size in sizes().items()
        if room.split("/")[0] in LIMITED
    ]
    before, head, _ = text.partition("[tool.budget.rooms]\n")
    path.write_text(before + head + "\n".join([*rows, ""]), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--lower"]:
        lower()
    found = faults()
    sys.exit("\n".join((*found, "Give as much back in the same room: docs/budget.md says how.")) if found else 0)
