"""Generating: the lines of a program that make a generator's points, and new points of the same distribution.

scikit-learn has some of these data sets, but draws different random numbers; these lines make exactly the points of
`solver.data`.  The tests run them.
"""

from __future__ import annotations

import textwrap

from msgspec import Struct

from app.features.scores.scene import FRESH, SEED
from app.learners.code import INDENT, WIDTH, call, indented
from app.state.document import Document, GeneratorSettings
from solver.data.datasets import DATASETS, dataset_of

#: Largest number of test points whose indices are listed in the program.
LISTED = 100


class _Maker(Struct, frozen=True):
    """The lines of a program that make the points of a data set.

    Attributes
    ----------
    points : str
        Lines that make `X` before the noise, from `count`, `random` and the other parameters of the data set.
    fresh : str
        Lines that make `X` of new points, from `counts`; "" if they are a choice of those of `make_points`.
    helper : str
        A function that both parts use.
    """

    points: str
    fresh: str = ""
    helper: str = ""


_TRIANGLES = """\
parts = []
for sign in (1, -1):
    x = {x}
    y = random.uniform(np.maximum(x + shift, -1), 1)
    parts.append(sign * np.column_stack((x, y)))
X = np.concatenate(parts)
"""
_MAKERS = {
    "line": _Maker(_TRIANGLES.replace("{x}", "1 - 2 * np.sqrt(random.uniform(max(shift / 2, 0) ** 2, 1, count))")),
    "wrong": _Maker(_TRIANGLES.replace("{x}", "random.uniform(-1, 1 - max(shift, 0), count)")),
    "circle": _Maker("""\
parts = []
for low, high in ((0, 0.5 - shift), (0.5 + shift, 1)):
    radius = np.sqrt(random.uniform(low, high, count))
    angle = random.uniform(0, 2 * np.pi, count)
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    parts.append(np.column_stack((x, y)))
X = np.concatenate(parts)
"""),
    "moons": _Maker(
        "X, _ = make_moons(2 * count, shuffle=False)\n",
        """\
t, u = (np.pi * random.uniform(0, 1, count) for count in counts)
first = np.column_stack((np.cos(t), np.sin(t)))
second = np.column_stack((1 - np.cos(u), 0.5 - np.sin(u)))
X = np.concatenate((first, second))
""",
    ),
    "blobs": _Maker("""\
angles = 2 * np.pi * np.arange(n_classes) / n_classes
centres = np.column_stack((np.cos(angles), np.sin(angles)))
X = np.repeat(centres, count, axis=0)
"""),
    "xor": _Maker("""\
side = np.where(np.arange(count) % 2 == 0, 1, -1)
parts = []
for other in (1, -1):
    size = random.uniform(shift, 1, (count, 2))
    parts.append(size * np.column_stack((side, other * side)))
X = np.concatenate(parts)
"""),
    "spirals": _Maker(
        """\
shares = [random.uniform(0, 1, count) for _ in range(n_classes)]
X = make_arms(shares, n_classes)
""",
        """\
shares = [random.uniform(0, 1, count) for count in counts]
X = make_arms(shares, n_classes)
""",
        '''\
def make_arms(shares, n_classes):
    """Return points on the arms, each before which a share of its arm lies."""
    parts = []
    for label, share in enumerate(shares):
        t = np.sqrt(share)
        radius = 0.1 + 0.9 * t
        angle = 3 * np.pi * t + 2 * np.pi * label / n_classes
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        parts.append(np.column_stack((x, y)))
    return np.concatenate(parts)
''',
    ),
    "chessboard": _Maker("""\
turn = np.arange(count) % 8
row = turn // 2
parts = []
for label in (0, 1):
    column = 2 * (turn % 2) + (row + label) % 2
    corner = np.column_stack((column, row)) / 2 - 1
    low = np.maximum(corner + shift / 2, -1)
    high = np.minimum(corner + 0.5 - shift / 2, 1)
    parts.append(random.uniform(low, high))
X = np.concatenate(parts)
"""),
    "rule": _Maker(
        """\
parts = [np.empty((0, 2)), np.empty((0, 2))]
while min(map(len, parts)) < count:
    X = random.uniform(low, high, (count + 1000, 2))
    for label, own in enumerate(reach(X, shift)):
        parts[label] = np.concatenate((parts[label], X[own]))
X = np.concatenate([part[:count] for part in parts])
""",
        helper='''\
def holds(x, y):
    """Return where the rule holds."""
    with np.errstate(all="ignore"):
        return (
{rule}
        )


def reach(X, shift):
    """Return which points each of both classes may have.

    With a gap (shift > 0), no step of this length leads to the other
    class; with an overlap (shift < 0), one may lead to the class itself.
    """
    angles = np.arange(16) * (np.pi / 8)
    steps = np.column_stack((np.cos(angles), np.sin(angles)))
    steps = np.vstack(([[0, 0]], shift * steps)) if shift else [[0, 0]]
    held = np.array([holds(*(X + step).T) for step in steps])
    within = np.any if shift < 0 else np.all
    return within(held, axis=0), within(~held, axis=0)
''',
    ),
}
_NOISE = "X += noise * random.standard_normal(X.shape)\n"
_CHOSEN = """\
most = -(-counts.max() // 8) * 8
chosen = [
    c * most + random.permutation(most)[:count]
    for c, count in enumerate(counts)
]
X = X[np.concatenate(chosen)]
"""
_FLIPPED = """\
others = (y + random.integers(1, {n_classes}, number)) % {n_classes}
y = np.where(random.uniform(0, 1, number) < flipped, others, y)
"""
_FLIP = '''\
def flip(y, count, flipped, seed):
    """Return `y` with wrong labels for a share of each class."""
    random = np.random.default_rng([seed, 13])
    y, n_classes = y.copy(), len(y) // count
    for c in range(n_classes):
        order = c * count + random.permutation(count)
        others = (c + random.integers(1, n_classes, count)) % n_classes
        some = round(flipped * count)
        y[order[:some]] = others[:some]
    return y
'''


class Generated(Struct, frozen=True):
    """The lines of a program that concern the generator.

    Attributes
    ----------
    functions : tuple of str
    data : str
        Lines that make X and y, and X_test and y_test if there are test points.
    test : str
        Lines that make X_test and y_test from new points of the same distribution; "" if there are test points.
    imports : tuple of (str, str)
    """

    functions: tuple[str, ...]
    data: str
    test: str
    imports: tuple[tuple[str, str], ...] = ()


def generated(document: Document, tested_on_new: bool) -> Generated | None:
    """Return the lines that make the document's points or new ones; None if the program needs neither.

    Parameters
    ----------
    document : Document
    tested_on_new : bool
        Whether the classifiers are tested on new points of the generator.
    """
    settings = document.origin
    maker = _MAKERS.get(settings.name) if settings is not None else None
    if settings is None or maker is None:
        return None
    makes = _is_made(document)
    if not (makes or tested_on_new):
        return None
    chosen = tested_on_new and not maker.fresh
    functions = [
        maker.helper.replace("{rule}", _expression(settings)),
        _make_points(settings, maker) if makes or chosen else "",
        _FLIP if makes and settings.flipped else "",
        _new_points(settings, maker) if tested_on_new else "",
    ]
    imports = (("sklearn.datasets", "make_moons"),) if "make_moons(" in "".join(functions) else ()
    return Generated(
        tuple(each.rstrip() for each in functions if each),
        _data(document, settings) if makes else "",
        call("X_test, y_test = new_points", str(FRESH), **_values(settings, True), seed=repr(SEED))
        if tested_on_new
        else "",
        imports,
    )


def _is_made(document: Document) -> bool:
    """Whether the points are those of the generator, and the training points can be named in a few lines."""
    parts = document.parts
    sampled = len(parts.training) < parts.n_trainable
    return document.is_generated and not sampled and len(parts.test) <= LISTED


def _values(settings: GeneratorSettings, flips: bool = False) -> dict[str, str]:
    """Return the parameters of the data set with their values."""
    kind, values = DATASETS[settings.name], {"noise": repr(settings.noise)}
    if kind.has_shift:
        values["shift"] = repr(settings.shift)
    if kind.n_classes[1] > 2:
        values["n_classes"] = str(settings.n_classes)
    if settings.square:
        values |= dict(zip(("low", "high"), map(repr, settings.square), strict=True))
    if flips and settings.flipped:
        values["flipped"] = repr(settings.flipped)
    return values


def _expression(settings: GeneratorSettings) -> str:
    """Return the rule, if the data set has one, as lines of the program."""
    rule = dataset_of(settings.name, **settings.own).rule
    lines = textwrap.fill(rule.expression, WIDTH - 3 * len(INDENT), break_long_words=False) if rule else ""
    return textwrap.indent(lines, 3 * INDENT)


def _classes(settings: GeneratorSettings) -> tuple[str, str]:
    """Return the number of classes, and the list of all classes, as expressions of the program."""
    several = DATASETS[settings.name].n_classes[1] > 2
    return ("n_classes", "np.arange(n_classes)") if several else ("2", "[0, 1]")


def _make_points(settings: GeneratorSettings, maker: _Maker) -> str:
    _, classes = _classes(settings)
    head = f"def make_points(count, {', '.join(_values(settings))}, seed):\n"
    lines = '"""Return `count` points of each class, and their classes."""\n'
    lines += f"random = np.random.default_rng(seed)\n{maker.points}{_NOISE}"
    return head + indented(f"{lines}return X.round(6) + 0.0, np.repeat({classes}, count)\n")


def _new_points(settings: GeneratorSettings, maker: _Maker) -> str:
    number, classes = _classes(settings)
    head = f"def new_points(number, {', '.join(_values(settings, True))}, seed):\n"
    lines = '"""Return new points of the same distribution, and their classes."""\n'
    lines += f"random = np.random.default_rng(seed)\ncounts = random.multinomial(number, [1 / {number}] * {number})\n"
    if maker.fresh:
        lines += maker.fresh + _NOISE
    else:
        most, rest = _CHOSEN.split("\n", 1)
        others = ", ".join(name for name in _values(settings))
        lines += f"{most}\nX, _ = make_points(most, {others}, random.integers(2**31))\n{rest}"
    lines += f"y = np.repeat({classes}, counts)\n"
    if settings.flipped:
        lines += _FLIPPED.replace("{n_classes}", number)
    return head + indented(f"{lines}return X, y\n")


def _data(document: Document, settings: GeneratorSettings) -> str:
    lines = [call("X, y = make_points", str(settings.count), **_values(settings), seed=str(settings.seed))]
    if settings.flipped:
        values = {"flipped": repr(settings.flipped), "seed": str(settings.seed)}
        lines.append(call("y = flip", "y", str(settings.count), **values))
    if test := document.points.indices_of(document.parts.test.ids).tolist():
        listed = textwrap.fill(", ".join(map(str, test)), WIDTH - len(INDENT))
        lines += [
            f"test = np.array([\n{indented(listed)},\n])",
            "X_test, y_test = X[test], y[test]",
            "X, y = np.delete(X, test, axis=0), np.delete(y, test)",
        ]
    return "\n".join(lines)
