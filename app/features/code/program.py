"""Program: the scikit-learn program that makes the picture of a document.

Each learner translates itself (`Learner.code`); this file adds points, figure and order.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from app.core.dates import date_text
from app.core.number_format import count
from app.core.plain_text import plain
from app.engine.shading import ON_WHITE
from app.features.scores.scene import measured_on
from app.learners.code import WIDTH, Code, call, indented, standardised, with_probability
from app.scene.compared import compared
from app.state.document import Document, View
from solver.data.distribution import Law

from .generating import Generated, generated

#: Largest number of points that the program lists itself if no generator made them.
MANY = 50
#: Name of the file of points in the panel.
POINTS_FILE = "points.csv"
#: Markers of the classes in matplotlib, those of `views.theme.SYMBOLS`.
MARKERS = ("o", "s", "^", "D", "*", "p", "v", "h")
#: Length of a line of a title in the figure (characters).
_TITLE = 44
_MODULES = {"matplotlib.pyplot": "plt", "numpy": "np"}
_STANDARD = ("functools", "pathlib")


class Program(Struct, frozen=True):
    """A program, and the file that it reads.

    Attributes
    ----------
    blocks : tuple of str
        Its parts, each a cell of a notebook; the first is its docstring.
    n_head : int
        Number of blocks before the models: docstring, imports and points.
    document : Document or None
        The document whose points are in a file; None if the program contains or makes them.
    """

    blocks: tuple[str, ...]
    n_head: int = 0
    document: Document | None = None

    @property
    def n_rows(self) -> int:
        """Number of points in the file."""
        return 0 if self.document is None else sum(map(len, (self.document.parts.training, self.document.parts.test)))

    @property
    def rows(self) -> str:
        """Contents of the file of points; "" if there is none."""
        return "" if self.document is None else "".join(f"{row}\n" for row in _rows(self.document, ","))

    @property
    def n_head_lines(self) -> int:
        """Number of lines before the models."""
        return Program(self.blocks[: self.n_head]).text.count("\n")

    @property
    def text(self) -> str:
        """The whole program."""
        text, before = "", ""
        for block in self.blocks:  # two blank lines around functions, else one
            wide = before.startswith("def ") or block.startswith("def ")
            text += ("\n\n\n" if wide else "\n\n") * bool(text) + block
            before = block
        return f"{text}\n"


class _Part(Struct, frozen=True):
    """One lane: its model and the lines that draw it."""

    title: str
    model: str
    code: Code | None
    remarks: tuple[str, ...]
    #: The models that are compared, for a difference, which has no model of its own.
    sides: tuple[str, ...] = ()


def program(
    document: Document, lanes: Sequence[int] | None = None, points_file: str = POINTS_FILE, beside: bool = False
) -> Program:
    """Return the program of some lanes, or of all displayed lanes.

    Parameters
    ----------
    document : Document
    lanes : sequence of int, optional
        Indices of the lanes; all displayed ones if missing.
    points_file : str
        Name of the file of points, if one is needed.
    beside : bool
        The program reads it from its own folder; else from the working folder, as notebooks do.
    """
    shown = tuple(range(document.shown)) if lanes is None else tuple(lanes)
    several = len(shown) > 1
    learnt: dict[int, _Part] = {}
    drawn: list[_Part] = []
    pair = compared(document)
    for index in shown:
        if not document.lanes[index].is_difference:
            learnt[index] = _part(document, index, f"model_{index + 1}" if several else "model")
            drawn.append(learnt[index])
            continue
        for side in pair or ():
            learnt.setdefault(side, _part(document, side, f"model_{side + 1}"))
        sides = tuple(learnt[side].model for side in pair or () if learnt[side].code is not None)
        of = f"Where {' and '.join(str(side + 1) for side in pair or ())} predict different classes"
        missing = () if len(sides) == 2 else ("Two classifiers are needed for a difference.",)
        drawn.append(_Part(of if pair else "Difference", "", None, missing, sides if len(sides) == 2 else ()))
    parts = [learnt[index] for index in sorted(learnt)]
    on_new = any(part.code for part in drawn) and isinstance(measured_on(document), Law)
    made = generated(document, on_new)
    functions, figure = _figure(document, drawn, made)
    head = [
        _docstring(drawn),
        _imports(parts, drawn, made, beside and _many(document, made)),
        *(made.functions if made else ()),
        _data(document, f"Path(__file__).with_name({_quoted(points_file)})" if beside else _quoted(points_file), made),
    ]
    blocks = [
        *head,
        *dict.fromkeys(part.code.function.rstrip() for part in parts if part.code and part.code.function),
        *(_training(part) for part in parts),
        *(_remarks(part.title, part.remarks) for part in drawn if not part.model and part.remarks),
        *(_question(document, part.model) for part in [part for part in parts if part.code][:1]),
        *functions,
        figure,
    ]
    return Program(tuple(blocks), len(head), document if _many(document, made) else None)


def _question(document: Document, model: str) -> str:
    """Return how to ask a model about a new point, as a comment: one in the middle of the view."""
    view, names = document.view, [plain(axis) or axes for axis, axes in zip(document.axes, ("x", "y"), strict=True)]
    middles = zip((view.x, view.y), document.dates, strict=True)
    x, y = (f"{middle:.0f}" if second else f"{middle:.3g}" for middle, second in middles)
    of = f"The class of a new point, such as {names[0]} {x} and {names[1]} {y}, and its name:"
    return f"{_comment(of)}\n# label = {model}.predict([[{x}, {y}]])[0]\n# print(label, CLASSES[label][0])"


def _part(document: Document, index: int, model: str) -> _Part:
    """Return the lane at `index` as scikit-learn code, or the reason why there is none."""
    lane, points = document.lanes[index], document.training_points
    title = f"{index + 1}: {lane.title}" if document.shown > 1 else lane.title
    why = ""
    if not len(points):
        why = "There are no points to learn from."
    elif len(points.classes) < lane.family.n_classes_needed:
        why = "All points are of one class: there is nothing to learn."
    elif lane.trainer is not None:
        why = lane.family.refusal(lane.settings)
    code = why or lane.family.code(lane.settings, lane.inputs(points))
    if isinstance(code, str):
        return _Part(title, model, None, (code,))
    if lane.standardises:
        code = standardised(code)
    if lane.shows_probability:
        several = len(points.classes)
        code = with_probability(code, several) if lane.has_f else replace(code, has_probability=several > 1)
    return _Part(title, model, code, code.remarks)


# -- blocks ------------------------------------------------------------------------------------------------------------


def _docstring(drawn: Sequence[_Part]) -> str:
    titles = (part.title.replace("\\", "/").replace('"', "'") for part in drawn)
    lines = (textwrap.fill(title, WIDTH - 4, subsequent_indent="   ") for title in titles)
    return "\n".join(('"""A picture of Classifier Playground, made with scikit-learn.', "", *lines, '"""'))


def _imports(parts: Sequence[_Part], drawn: Sequence[_Part], made: Generated | None, beside: bool) -> str:
    names = {
        *[("pathlib", "Path")][: int(beside)],
        *(made.imports if made else ()),
        *(each for part in parts if part.code for each in part.code.imports),
    }
    if any(part.code for part in drawn):
        names |= {("matplotlib.colors", "ListedColormap"), ("sklearn.inspection", "DecisionBoundaryDisplay")}
    of_modules: dict[str, list[str]] = defaultdict(list)
    for module, name in sorted(names, key=lambda each: (each[0], each[1][0].islower(), each[1])):
        of_modules[module].append(name)
    lines = {module: f"from {module} import {', '.join(those)}" for module, those in of_modules.items()}
    standard = [lines.pop(module) for module in _STANDARD if module in lines]
    whole = [f"import {module} as {name}" for module, name in _MODULES.items()]
    return "\n".join([*standard, *[""][: len(standard)], *whole, *lines.values()])


def _many(document: Document, made: Generated | None) -> bool:
    parts = document.parts
    return not (made and made.data) and len(parts.training) + len(parts.test) > MANY


def _rows(document: Document, comma: str) -> Iterable[str]:
    """Yield x, y and class of each point; if there are test points, also 1 for a test point and 0 for another."""
    parts = document.parts
    for which, test in ((parts.training, "0"), (parts.test, "1")):
        for (x, y), label in zip(which.xy.tolist(), which.labels.tolist(), strict=True):
            yield comma.join((repr(x), repr(y), str(label), *((test,) if len(parts.test) else ())))


def _data(document: Document, points_file: str, made: Generated | None) -> str:
    """Return the lines about points, classes and view."""
    parts = document.parts
    lines = [made.data] if made and made.data else _points(document, points_file, _many(document, made))
    if made and made.test:
        lines += ["", "# New points of the same distribution, to test on.", made.test]
    lines += ["", "# Name, colour and marker of each class.", "CLASSES = {"]
    for label in sorted({*parts.training.classes, *parts.test.classes}):
        colour = document.styles[label].colour or "#{:02x}{:02x}{:02x}".format(*ON_WHITE[label])
        name = document.class_name(label)
        # matplotlib leaves names that begin with an underscore out of the legend.
        shown = f" {name}" if name.startswith("_") else name
        lines.append(f'    {label}: ({_quoted(_unset(shown))}, "{colour}", "{MARKERS[label]}"),')
    view = f"VIEW = np.array({_corners(document.view)})"
    view = view if len(view) <= WIDTH else view.replace("], [", f"],\n{' ' * view.index('[[')} [")
    lines += ["}", "", "# The part of the plane that is shown.", view]
    return "\n".join(lines)


def _points(document: Document, points_file: str, in_file: bool) -> list[str]:
    """Return the lines that list the points, or read them from a file."""
    parts = document.parts
    tested = len(parts.test) > 0
    lines = ["# x, y and class of each point" + ("; the last number is 1 for a test point." if tested else ".")]
    if len(parts.training) < parts.n_trainable:
        sample = f"They are the sample that is learned from: {count(len(parts.training), 'point')}"
        lines.append(_comment(f"{sample} of {parts.n_trainable}."))
    if in_file:
        lines.append(call("points = np.loadtxt", points_file, 'delimiter=","'))
    elif len(parts.training) + len(parts.test):
        lines += ["points = np.array([", *(f"{' ' * 4}[{row}]," for row in _rows(document, ", ")), "])"]
    else:
        lines.append("points = np.empty((0, 3))")
    if tested:
        lines += [
            "test = points[:, 3] == 1",
            "X, y = points[~test, :2], points[~test, 2].astype(int)",
            "X_test, y_test = points[test, :2], points[test, 2].astype(int)",
        ]
    else:
        lines.append("X, y = points[:, :2], points[:, 2].astype(int)")
    return lines


def _corners(view: View) -> str:
    """Return the lower left and upper right corner of the view, rounded."""
    half = 0.5 * view.shown_span
    (left, right), (bottom, top) = (
        [round(end, 3 - math.floor(math.log10(each))) for end in (middle - each, middle + each)]
        for middle, each in ((view.x, half), (view.y, half * view.ratio))
    )
    return f"[[{left!r}, {bottom!r}], [{right!r}, {top!r}]]"


def _training(part: _Part) -> str:
    lines = [_remarks(part.title, part.remarks)]
    if part.code is not None:
        before = [part.code.before] if part.code.before else []
        lines += [*before, f"{part.model} = {part.code.model}", part.code.fit.replace("{model}", part.model)]
    return "\n".join(lines)


def _remarks(title: str, remarks: Iterable[str]) -> str:
    return "\n".join(_comment(sentence) for sentence in (title, *remarks))


# -- the figure --------------------------------------------------------------------------------------------------------

_SURFACE = '''\
def draw_classes(ax, model, title):
    """Draw the class predicted at each location, and print the accuracies."""
    display = DecisionBoundaryDisplay.from_estimator(
        model, VIEW, eps=0, grid_resolution=300, ax=ax, alpha=0.3,
        response_method="predict", plot_method="pcolormesh",
    )
    colours = [CLASSES[label][1] for label in model.classes_]
    last = len(colours) - 0.5
    display.surface_.set(cmap=ListedColormap(colours), clim=(-0.5, last))
    accuracy = f"training accuracy {model.score(X, y):.1%}"
'''
_TESTED = """\
    accuracy += f", test accuracy {model.score(X_test, y_test):.1%}"
"""
_TITLED = """\
    ax.set_title(f"{title}\\n{accuracy}", fontsize="medium")
    print(title.split(",")[0], accuracy, sep=": ")
"""
_MARGINS = '''\
def draw_margins(ax, model):
    """Draw the boundary, f = 0, and the margins, f = -1 and f = 1."""
    DecisionBoundaryDisplay.from_estimator(
        model, VIEW, eps=0, grid_resolution=300, ax=ax,
        response_method="decision_function", plot_method="contour",
        levels=[-1, 0, 1], linestyles=["--", "-", "--"], colors="black",
    )
'''
_BOUNDARY = '''\
def draw_boundary(ax, model):
    """Draw the boundary, f = 0."""
    DecisionBoundaryDisplay.from_estimator(
        model, VIEW, eps=0, grid_resolution=300, ax=ax,
        response_method="decision_function", plot_method="contour",
        levels=[0], colors="black",
    )
'''
_PROBABILITY = '''\
def draw_probability(ax, model):
    """Draw lines at 10, 50 and 90 %, of the most probable of several classes."""
    xs, ys = np.meshgrid(*np.linspace(*VIEW, 300).T)
    points = np.column_stack((xs.ravel(), ys.ravel()))
    shares = model.predict_proba(points)
    shares = shares[:, 1] if shares.shape[1] == 2 else shares.max(axis=1)
    ax.contour(
        xs, ys, shares.reshape(xs.shape), levels=[0.1, 0.5, 0.9],
        linestyles="--", colors="black",
    )
'''
_DIFFERENCE = '''\
def draw_difference(ax, first, second, title):
    """Hatch the points where two models predict different classes."""
    xs, ys = np.meshgrid(*np.linspace(*VIEW, 300).T)
    points = np.column_stack((xs.ravel(), ys.ravel()))
    differ = (first.predict(points) != second.predict(points)).astype(float)
    ax.contourf(
        xs, ys, differ.reshape(xs.shape), levels=[0.5, 1.5],
        colors="lightgrey", hatches=["///"],
    )
    title += f"\\n{differ.mean():.1%} of the view"
    ax.set_title(title, fontsize="medium")
'''
_POINTS = '''\
def draw_points(ax{circled}):
    """Draw the points{test}, legend and axes."""
    for label, (name, colour, marker) in CLASSES.items():
        ax.scatter(
            *X[y == label].T, c=colour, marker=marker, edgecolors="black",
            label=name,
        )
'''
_CIRCLED = """\
    if support_vectors is not None:
        ax.scatter(
            *support_vectors.T, s=130, facecolors="none", edgecolors="black",
            label="support vector",
        )
"""
_TEST_POINTS = """\
        ax.scatter(
            *X_test[y_test == label].T, marker=marker, facecolors="white",
            edgecolors=colour, label=f"{name}, test point",
        )
"""


def _figure(document: Document, drawn: Sequence[_Part], made: Generated | None) -> tuple[list[str], str]:
    """Return the functions that draw, and the lines of the figure."""
    measured = len(document.test_points) > 0 or bool(made and made.test)
    tested, classes = len(document.test_points) > 0, document.training_points.classes
    models = [part for part in drawn if part.code is not None]
    margins = [part for part in models if part.code and part.code.has_margins and len(classes) == 2]
    probable = [part for part in models if part.code and part.code.has_probability]
    bounded = [part for part in probable if part.code and part.code.inner and len(classes) == 2]
    circled = [part for part in models if part.code and part.code.support]
    functions = {
        _SURFACE + _TESTED * measured + _TITLED: bool(models),
        _MARGINS: bool(margins),
        _BOUNDARY: bool(bounded),
        _PROBABILITY: bool(probable),
        _DIFFERENCE: any(part.sides for part in drawn),
    }
    points = _POINTS.replace("{test}", " (test points are white)" * tested)
    points = points.replace("{circled}", ", support_vectors=None" * bool(circled))
    functions[points + _TEST_POINTS * tested + _CIRCLED * bool(circled) + _axes(document)] = True
    axes, lines = _subplots(len(drawn))
    for ax, part in zip(axes, drawn, strict=True):
        lines.append("")
        title = _text(part.title)
        if part.code is not None:
            lines.append(call("draw_classes", ax, part.model, title))
        elif part.sides:
            lines.append(call("draw_difference", ax, *part.sides, title))
        else:
            lines.append(call(f"{ax}.set_title", title, 'fontsize="medium"'))
        if part in margins:
            lines.append(f"draw_margins({ax}, {part.model})")
        if part in bounded and part.code:
            lines.append(call("draw_boundary", ax, part.code.inner.replace("{model}", part.model)))
        if part in probable:
            lines.append(f"draw_probability({ax}, {part.model})")
        support = [part.code.support.replace("{model}", part.model)] if part.code and part.code.support else []
        lines.append(call("draw_points", ax, *support))
    lines += ["", "plt.show()"]
    return [text.rstrip() for text, wanted in functions.items() if wanted], "\n".join(lines)


def _axes(document: Document) -> str:
    """Return the end of `draw_points`."""
    seconds = [f" (seconds since {date_text(0.0)})" * (second == 1) for second in document.dates]
    names = zip(("xlabel", "ylabel"), document.axes, seconds, strict=True)
    labels = {name: _quoted(_unset(plain(axis) + unit)) for name, axis, unit in names if axis}
    aspect = '"auto"' if document.view.owns_scales else '"equal"'
    ranges = {"xlim": "VIEW[:, 0]", "ylim": "VIEW[:, 1]", "aspect": aspect}
    legend = 'ax.legend(loc="upper right", fontsize="small")\n' if len(document.points) else ""
    return indented(f"{call('ax.set', **labels, **ranges)}\n{legend}")


def _subplots(number: int) -> tuple[list[str], list[str]]:
    """Return the names of the axes, and the lines that make them."""
    if number == 1:
        return ["ax"], ['figure, ax = plt.subplots(figsize=(6.4, 6.8), layout="constrained")']
    rows, columns = (2, 2) if number == 4 else (1, number)
    size = f"figsize=({5.4 * columns:g}, {5.8 * rows:g})"
    made = call("plt.subplots", str(rows), str(columns), size, 'layout="constrained"')
    axes = [f"axes[{at // 2}, {at % 2}]" if rows == 2 else f"axes[{at}]" for at in range(number)]
    return axes, [f"figure, axes = {made}"]


# -- lines -------------------------------------------------------------------------------------------------------------


def _comment(sentence: str) -> str:
    return textwrap.fill(sentence, WIDTH, initial_indent="# ", subsequent_indent="# ")


def _unset(name: str) -> str:
    """Return a name in which matplotlib finds no formula."""
    return name.replace("$", r"\$")


def _text(title: str) -> str:
    """Return a title for the figure as an expression, in lines that fit."""
    lines = textwrap.wrap(_unset(title), _TITLE) or [""]
    pieces = [_quoted(line + ("\n" if at < len(lines) - 1 else "")) for at, line in enumerate(lines)]
    return "\n".join(pieces)


def _quoted(text: str) -> str:
    """Return a string literal of Python: JSON writes one."""
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=False)
