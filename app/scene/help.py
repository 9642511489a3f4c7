"""Help: keys, gestures and what the pictures say, as the page of F1 shows them."""

from __future__ import annotations

from app.features import table
from app.learners.table import TRAINERS
from app.tools.table import TOOLS

Section = tuple[str, tuple[tuple[str, str], ...]]
#: Of the window itself; features add lines, and sections behind these.
BEFORE: tuple[Section, ...] = (
    (
        "Mouse on a picture",
        (
            ("Click", "use the tool there; the Point tool adds a point of the active class"),
            ("Press on a point and drag", "move it, or the selection it belongs to; all pictures follow"),
            ("Right click", "remove the nearest point"),
            ("Wheel, pinch", "zoom about the pointer"),
            ("Middle drag, Space + drag", "move the view"),
        ),
    ),
    (
        "Tools",
        (
            *((kind.key, f"{kind.title}: {kind.sentence}") for kind in TOOLS.values()),
            ("[ and ]", "smaller and larger brush"),
            ("Esc", "break a gesture off, select nothing"),
        ),
    ),
    (
        "Keyboard on a picture",
        (
            ("Arrows", "move the cursor or the selected points by 10 pixels; with Shift by 1, with Ctrl by 50"),
            ("Enter", "use the tool at the cursor: Point adds one, the others begin and end a drag"),
            ("Delete", "remove the selected points, or the one nearest to the pointer or the cursor"),
        ),
    ),
    (
        "Keys",
        (
            ("1 to 8", "class of the next point"),
            ("F", "fit the view to the points"),
            ("Space", "pause or resume training in every lane"),
            ("L", "one classifier, or all side by side"),
            ("G", "generate points"),
            ("Ctrl+Z, Ctrl+Shift+Z", "undo, redo"),
            ("Ctrl+A, Ctrl+I, Ctrl+Shift+A", "select all points, the others, none"),
            ("Ctrl+X, Ctrl+C, Ctrl+V", "cut, copy, paste points; also from and to a spreadsheet"),
            ("Ctrl+D, Ctrl+R", "duplicate the selected points, give them the active class"),
            ("Ctrl+N, Ctrl+O", "new, open"),
            ("Ctrl+S, Ctrl+Shift+S", "save, save as; a document can also be dropped on the window"),
            ("Ctrl+E", "export a picture: PNG, SVG or clipboard"),
            ("Ctrl++, Ctrl+−", "larger, smaller text"),
            ("F9", "show or hide the sidebar"),
            ("Ctrl+T", "table of the points: exact places to read and type"),
            ("Ctrl+H", "history: all steps; a click goes to one"),
            ("Ctrl+J", "notes, saved with the document"),
            ("Ctrl+K", "names and colours of classes, names of axes"),
            ("F11", "full screen"),
            ("Ctrl+Q", "quit"),
        ),
    ),
    (
        "Watching a run",
        (
            (". and ,", "one step forward, one step back: the state of that step, exactly"),
            ("Alt+. and Alt+,", "to the next or the previous change of the support vectors"),
            ("Alt+Home, Alt+End", "before the first step; to the end"),
            ("Timeline", "drag, click or arrow keys: any step; the marks are changes of the support vectors"),
        ),
    ),
    (
        "Side by side",
        (
            (
                "Ctrl+L",
                "one more classifier on the same points, up to four; the buttons over a picture move and remove it",
            ),
        ),
    ),
)
#: Of the learners and the pictures.
AFTER: tuple[Section, ...] = (
    (
        "Several classes",
        (
            ("One-vs-one", "an SVM for each pair of classes; the class that wins most pairs is predicted"),
            ("One-vs-rest", "an SVM for each class against all others; the largest f is predicted"),
            ("Class weights", "C of a point is C times the weight of its class"),
        ),
    ),
    ("Ways to train", tuple((trainer.title, trainer.note) for trainer in TRAINERS.values())),
    (
        "What the pictures say",
        (
            ("Colour of the plane", "the class the model predicts there; stronger where it is surer"),
            ("Grey", "a tie: no class is ahead of all others"),
            ("Solid line", "the decision boundary"),
            ("Dashed lines", "the margins of the SVM, f = −1 and f = +1"),
            ("Circle round a point", "free support vector: exactly on the margin"),
            ("Square round a point", "bounded support vector: inside the margin or misclassified"),
            ("Cross on a point", "the model gets this point wrong"),
            ("Hatched", "not certified yet: training moves, rests on its way, or ended without a proof"),
        ),
    ),
)


def sections() -> dict[str, list[tuple[str, str]]]:
    """Keys or gestures and what they do or mean, by the title of their section."""
    found = {title: list(rows) for title, rows in BEFORE}
    for feature in table.FEATURES:
        for title, key, sentence in feature.help:
            found.setdefault(title, []).append((key, sentence))
    return found | {title: list(rows) for title, rows in AFTER}
