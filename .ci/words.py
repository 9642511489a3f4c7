"""Find words that this project avoids in names and in prose, and class names that occur twice: ``python .ci/words.py``.

docs/writing.md and docs/glossary.md list the words to use instead, and sentences that must not come back.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Files to read: programs, and pages.
FILES = ("app/**/*.py", "solver/**/*.py", ".ci/**/*.py", "docs/**/*.py", "docs/**/*.md", "*.md")
#: Files that list words and sentences to avoid, and the history, which is not rewritten.
LISTS = (".ci/words.py", "docs/writing.md", "docs/glossary.md", "CHANGELOG.md")
#: Fewest words of a sentence that must not come back: shorter ones have other meanings elsewhere.
LEAST_WORDS = 4
#: Words that are not parts of names, each with the words to use instead.
NAMES = {
    "told": "shown, reported",
    "said": "text, sentence",
    "says": "text",
    "tell": "report",
    "tells": "reveals, reports",
    "rests": "paused, stopped",
    "wish": "request",
    "wished": "requested",
    "seen": "visible, displayed",
    "ground": "contribution, background",
    "desk": "target, owner",
    "hand": "editing",
    "lent": "gesture_hint",
    "inquiry": "query",
    "spot": "location, pixel",
    "spots": "locations, pixels",
}
#: Words of prose that nearly always make a riddle, each with the reason.
PROSE = {
    r"so many(?! points are needed)": "give the number's name or `n`",
    r"just now": "leave it out, or say at which moment",
    r"tells? of": "reports, describes",
    r"\blen[td]s?\b": "passes, uses",
    r"\bwish(es|ed)?\b": "requests",
    r"[Nn]obody(?! (wins|can win|has arrived|yet))|[Ww]hoever": "name the user, the caller or the window",
    r"\bparted by\b": "separated by",
}
#: Parts of names that contain such a word with another meaning, or that may not change, each with the reason.
NAME_EXCEPTIONS = {
    r"n_samples_seen_": "scikit-learn's name",
    r"n_seen": "the points that an online solver has seen, as in scikit-learn",
    r"hand_?ins?": "what a pupil hands in",
    r"ground_?truth": "the term of the field",
}
#: Classes that may occur twice, each with the reason.
CLASS_EXCEPTIONS = {
    "ConvergenceWarning": "stands for scikit-learn's without scikit-learn",
    "DataConversionWarning": "stands for scikit-learn's without scikit-learn",
    "NotFittedError": "stands for scikit-learn's without scikit-learn",
}


def names_in(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the names that are defined in a module, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def prose_in(source: str) -> Iterator[tuple[str, int]]:
    """Yield the comments and texts of a module, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            for line, text in enumerate(token.string.splitlines(), token.start[0]):
                yield text, line


def replaced() -> Iterator[re.Pattern[str]]:
    """Yield the sentences in the left column of the table in docs/writing.md; "…" and code split them."""
    table = (ROOT / "docs" / "writing.md").read_text(encoding="utf-8").partition("| before | after |")[2]
    for before in re.findall(r"^\| (.+?) \|", table, re.MULTILINE):
        for part in re.split(r"…|\(?`[^`]*`\)?:?", before):
            words = re.findall(r"\w+", part)
            if len(words) >= LEAST_WORDS:
                yield re.compile(r"\W+".join(words))


def faults() -> Iterator[str]:
    """Yield a line for each word to avoid, and for each class name that occurs twice."""
    homes: dict[str, list[str]] = defaultdict(list)
    sentences = list(replaced())
    for path in sorted(path for pattern in FILES for path in ROOT.glob(pattern)):
        file, source = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        if file in LISTS:
            continue
        for sentence in sentences:
            for match in sentence.finditer(source):
                line = source.count("\n", 0, match.start()) + 1
                yield f"{file}:{line}: {' '.join(match[0].split())} (docs/writing.md has a plainer sentence)"
        is_page = path.suffix == ".md"
        for text, line in zip(source.splitlines(), count(1)) if is_page else prose_in(source):
            for pattern, reason in PROSE.items():
                if found := re.search(pattern, text):
                    yield f"{file}:{line}: {found[0]} ({reason})"
        if is_page:
            continue
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(file)
        for name, line in sorted({(path.stem, 1), *names_in(tree)}, key=lambda each: each[1]):
            checked = re.sub("|".join(NAME_EXCEPTIONS), "", name, flags=re.IGNORECASE)
            for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", checked):
                if word.lower() in NAMES:
                    yield f"{file}:{line}: name {name}: {word.lower()} (use {NAMES[word.lower()]})"
    for name, files in homes.items():
        if len(files) > 1 and name not in CLASS_EXCEPTIONS:
            yield f"class {name} is in {' and '.join(files)}"


if __name__ == "__main__":
    found = list(faults())
    sys.stdout.write("".join(f"{line}\n" for line in found))
    sys.exit(1 if found else 0)
