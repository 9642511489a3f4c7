"""Use the program by keyboard and print what a screen reader hears: ``python -m tests.heard.hear``.

It needs a screen and a session bus of its own: see `test_heard`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .screen_reader import ScreenReader

#: Time (s) after which something was not heard.
PATIENCE = 60.0
LESSON = Path(__file__).parents[2] / "assets" / "lessons" / "gamma.lesson.md"
#: Title, key, and the last words heard, of what is done with the program; a title of its own begins a paragraph.
Deeds = Sequence[tuple[str, str, str]]
DRAWING: Deeds = (
    ("The cursor goes to the right", "Right", "x = "),
    ("Enter adds a point", "Return", "201 points"),
    ("Back to the form: the menu of the classifier", "shift+Tab", "More, classifier 1"),
    ("Its settings", "shift+Tab", "Settings, classifier 1"),
    ("Its weights", "shift+Tab", "Weights"),
    ("Weights 1/d", "Down", "kNN, k = 5, 1/d"),
    ("k", "shift+Tab", "k"),
    ("k = 6", "Up", "kNN, k = 6"),
)
STEPPING: Deeds = (("One step forwards", "period", "no step left"), ("Nothing is pasted", "ctrl+v", "clipboard"))
ANSWERING: Deeds = (
    ("The panel of the lesson", "Tab", "Lesson"),
    ("Its second button", "Tab", "Close"),
    ("The list of its steps", "Tab", "1 of"),
    ("The first answer", "Tab", "1: "),
    ("It is chosen", "space", "checked"),
    ("Reveal", "Tab", "Reveal"),
    ("It is revealed", "space", "has not seen"),
)


def key(name: str) -> None:
    """Press a key in the window that has the focus."""
    subprocess.run(["xdotool", "key", name], check=True)


def window_of(process: subprocess.Popen[bytes]) -> str:
    """Return the window of the program, once it is visible."""
    end = time.monotonic() + PATIENCE
    words = ["xdotool", "search", "--onlyvisible", "--name", "Classifier Playground"]
    while not (found := subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()):
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError("No window came.")
    return found[-1]


def until(reader: ScreenReader, words: str) -> None:
    """Print what is said until `words` are part of it."""
    for said in reader.heard(PATIENCE):
        print(f"  {said}")
        if words in said:
            return
    raise RuntimeError(f"{words!r} was not heard.")


def hear(title: str, begins: str, deeds: Deeds, *files: str) -> None:
    """Start the program with `files`, listen until it says `begins`, and do the `deeds`."""
    print(f"# {title}")
    reader = ScreenReader()
    process = subprocess.Popen([sys.executable, "-m", "app", *files], env=os.environ)
    try:
        subprocess.run(["xdotool", "windowfocus", "--sync", window_of(process)], check=True)
        until(reader, begins)
        for deed, name, words in deeds:
            print(f"{deed} ({name})")
            key(name)
            until(reader, words)
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    hear("First start", "points:", DRAWING)
    hear("A step, and an error", "points:", STEPPING)
    hear("A lesson", "points:", ANSWERING, str(LESSON))
