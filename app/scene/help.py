"""Help: the symbols in the pictures, keys and gestures, for the page of F1."""

from __future__ import annotations

from app.core.number_format import grouped
from app.files.assets import assets
from app.learners.svm import STEPPED
from app.learners.table import TRAINERS
from app.tools.table import TOOLS

from .feature import FeatureTable
from .text import LEGEND, PROVISIONAL

#: The first page, in the order in which a user tries it: the gesture, and its effect.
FIRST_STEPS: tuple[tuple[str, str], ...] = (
    ("Click in a picture", "adds a point of the class chosen in the bar (keys 1 to 8); every picture learns it"),
    ("Drag a point", "moves it; watch the boundary follow; a click selects it, a right click opens its menu"),
    ("Drag k, C or γ", "above a picture: a small k or a large C follows single points, the other way ignores them"),
    ("Read below a picture", "the share of points classified correctly: training points, and new ones (test)"),
    ("Play", "above an SVM: every step of its training, forward and back"),
    ("Ctrl+Shift+O", "examples, each ready to play with; Ctrl+Alt+L: lessons of five minutes"),
)
#: Legend entries of the first page; the others belong to special views.
FIRST_SIGNS = ("boundary", "margin", "free", "bounded", "test", "wrong", "tie", PROVISIONAL[0])
Section = tuple[str, tuple[tuple[str, str], ...]]
#: Sections of the window itself; features add lines, and sections after these.
BEFORE: tuple[Section, ...] = (
    (
        "Round the pictures",
        (
            (
                "Above",
                "which classifier it is, and the settings to play with; the arrow opens all others; a click selects it",
            ),
            ("Below", "whether the training has ended, and how many points are classified rightly"),
            ("training, test", "on the points it learned from, and on new ones: the second number counts"),
            ("F8", "Simple: what one plays with, the rest one click away; Full: everything in sight"),
            ("Ctrl+Shift+O", "examples, each opened in one action; Ctrl+Alt+R starts one over"),
            ("Shift+F1", "then a click on any control: what it is for"),
        ),
    ),
    (
        "Mouse on a picture",
        (
            ("Click", "use the tool there; the Point tool adds a point of the active class, or selects the one there"),
            ("Shift+click, Ctrl+click", "on a point: select it as well; select it or no longer"),
            ("Shift+drag, Ctrl+drag", "beside the points, with the Point tool: select those in a rectangle"),
            ("Press on a point and drag", "move it, or the selection it belongs to; all pictures follow"),
            ("Alt+click", "add a point on top of another, where the desktop leaves this key to programs"),
            ("Right click, long touch", "menu: of the point, or the selection it belongs to; elsewhere of the picture"),
            ("Wheel, pinch", "zoom about the pointer"),
            ("Middle drag, Space + drag", "move the view"),
        ),
    ),
    (
        "Tools",
        (
            *((kind.key, f"{kind.title}: {kind.sentence}") for kind in TOOLS.values()),
            ("[ and ]", "smaller and larger brush"),
            ("Esc", "cancel the gesture; clear the selection"),
        ),
    ),
    (
        "Keyboard on a picture",
        (
            ("Arrows", "move the cursor or the selected points by 10 pixels; with Shift by 1, with Ctrl by 50"),
            ("Enter", "use the tool at the cursor: Point adds one, also on a point; the others begin and end a drag"),
            ("Delete", "remove the selected points, or the one nearest to the pointer or the cursor"),
            ("Menu key, Shift+F10", "the menu of the point at the cursor, of the selection, or of the picture"),
        ),
    ),
    (
        "Keys",
        (
            ("1 to 8", "class of the next point"),
            ("F", "fit the view to the points"),
            ("Space", "play or pause the training, step by step; at its end, replay it"),
            ("L", "one classifier, or all side by side"),
            ("G", "generate points"),
            ("Ctrl+Z, Ctrl+Shift+Z", "undo, redo"),
            ("Ctrl+A, Ctrl+I, Ctrl+Shift+A", "select all points, the others, none"),
            ("Ctrl+X, Ctrl+C, Ctrl+V", "cut, copy, paste points; also from and to a spreadsheet"),
            ("Ctrl+Alt+C", "the document as one text, for a mail or a chat; Ctrl+V opens such a text"),
            ("Ctrl+D, Ctrl+R", "duplicate the selected points, give them the active class"),
            ("Ctrl+N, Ctrl+O", "new, open"),
            ("Ctrl+S, Ctrl+Shift+S", "save, save as; a document can also be dropped on the window"),
            ("Ctrl+E", "export a picture: PNG, SVG or clipboard"),
            ("Ctrl++, Ctrl+−", "larger, smaller text"),
            ("F9", "show or hide the legend: what the symbols in the pictures mean"),
            ("M", "hide or show the marks of support vectors and errors; held: put all points away until it is let go"),
            ("Ctrl+T", "table of the points: exact coordinates, editable"),
            ("Ctrl+H", "history: all steps; a click goes to one"),
            ("Ctrl+J", "notes, saved with the document"),
            ("Ctrl+K", "names and colours of classes, names of axes"),
            ("F5", "presenter mode: nothing but the pictures, with large text; Esc ends it"),
            ("Shift+F5", "the pictures on a window of their own, for the projector; this window keeps the controls"),
            ("Alt+F5", "the audience window stays as it is, whatever is done here"),
            ("Ctrl+Shift+F5", "see what a lesson covers in this window, while the audience does not"),
            ("F11", "full screen"),
            ("Ctrl+Q", "quit"),
        ),
    ),
    (
        "Presenter mode and audience window",
        (
            ("Z", "spotlight: all is dark but a disc at the pointer; tap to switch it, or hold it"),
            ("C", "pen: the mouse draws over the pictures; again to use the tool"),
            ("Shift+C, Shift+E", "pen in its second colour; eraser: takes away the lines it touches"),
            ("Backspace", "take away all that the pen has drawn"),
            ("PageDown, PageUp", "the next and the previous example, where no lesson is open; undo brings back yours"),
            ("Ctrl+F5", "the open panel on half the screen, or away; its own key does the same for any panel"),
            (
                "View > Audience's screen",
                "which one it fills; where the desktop does not let programs place windows (Wayland), drag it there"
                " and press F11",
            ),
            ("Esc", "everything as it was before; on the audience window, close it"),
        ),
    ),
    (
        "Watching a run",
        (
            (". and ,", "one step forward, one step back: the state of that step, exactly"),
            ("Alt+. and Alt+,", "to the next or the previous change of the support vectors, or of the points kept"),
            ("Alt+Home, Alt+End", "before the first step; to the end"),
            ("Timeline", "drag, click or arrow keys: any step; the strokes are the changes"),
            (
                f"More than {grouped(STEPPED)} points",
                "an SVM is trained on all of them at once, without steps; ⋯ beside the data set says how many to learn"
                " from, and how long that takes",
            ),
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
#: Sections of the learners.
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
)


def symbols() -> list[tuple[str, str]]:
    """Return the legend entries of the first page, each with its meaning."""
    return [("0", "A point; colour and shape are its class")] + [
        (kind, text) for kind, text in (*LEGEND, PROVISIONAL) if kind in FIRST_SIGNS
    ]


def sections(features: FeatureTable) -> dict[str, list[tuple[str, str]]]:
    """Return keys or gestures with their effects, by the title of their section."""
    found = {title: list(rows) for title, rows in BEFORE}
    for feature in features:
        for title, key, sentence in feature.help:
            found.setdefault(title, []).append((key, sentence))
    return found | {title: list(rows) for title, rows in AFTER}


def written_page(name: str) -> str:
    """Return the Markdown of a page of `assets/help`, or a sentence if it cannot be read."""
    try:
        return (assets("help") / f"{name}.md").read_text(encoding="utf-8")
    except OSError:
        return "This page cannot be read: the program is not installed completely."
