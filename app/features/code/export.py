"""Export: write a program to a file, with the file of its points beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.files import documents
from app.files.background_task import Progress, Task
from app.state.document import Document

from .notebook import notebook
from .program import program

#: Title and tip of each kind of file.
SUFFIXES: dict[str, tuple[str, str]] = {
    ".py": ("Python program", "A file for Python, and one of the points where there are many."),
    ".ipynb": ("Jupyter notebook", "A notebook, and a file of the points where there are many."),
}


def write(document: Document, lanes: Sequence[int] | None, path: Path) -> tuple[Path, ...]:
    """Write the program of some lanes to `path`, whose suffix chooses the kind of file; return all files written."""
    points = path.with_name(f"{path.stem}-points.csv")
    made = program(document, lanes, points.name)
    if made.n_rows:
        documents.write_bytes(made.rows.encode(), points)
    documents.write_bytes(notebook(made) if path.suffix.lower() == ".ipynb" else made.text.encode(), path)
    return (path, points) if made.n_rows else (path,)


def saving(document: Document, lanes: Sequence[int] | None, path: Path) -> Task[str]:
    """Return the task that does `write`; its result is a sentence."""

    def work(progress: Progress) -> str:
        progress.commit()
        return f"Saved {' and '.join([place.name for place in write(document, lanes, path)])}."

    return Task(f"Saving {path.name}", work, f"{path.name} was not saved")
