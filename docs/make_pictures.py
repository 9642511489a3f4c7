"""Draw the pictures of the page of examples, and write its list: ``python docs/make_pictures.py``, as `make docs` does.

Each is a window with an example, learned to its end.  A picture that is newer than its example is kept.
"""

from __future__ import annotations

import os
from pathlib import Path

DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "_pictures"
SIZE = (1280, 800)


def main() -> None:
    """Draw what is missing, in a window without a screen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from app.files.examples import EXAMPLES, read
    from app.main import render

    FOLDER.mkdir(exist_ok=True)
    listed = []
    for example in EXAMPLES:
        picture = FOLDER / f"{example.name}.png"
        source = DOCS.parent / "assets" / "examples" / f"{example.name}.playground"
        if not picture.exists() or picture.stat().st_mtime < source.stat().st_mtime:
            print(f"Drawing {example.title}.", flush=True)
            render(read(example), picture, SIZE, "light")
        listed.append(f"## {example.title}\n\n{example.sentence}\n\n![{example.title}](_pictures/{picture.name})\n")
    (FOLDER / "examples.md").write_text("\n".join(listed), encoding="utf-8")


if __name__ == "__main__":
    main()
