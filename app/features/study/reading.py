"""Reading: parse a study file and report every fault with its key; and write such a file.

Settings of classifier and generator are those of the window, with the same limits.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.core.plain_text import plain
from app.core.validation import place_and_fault
from app.exchange.opening import is_share_text
from app.files.documents import FileError, read_bytes
from app.learners.passed import PLACEHOLDER
from app.learners.table import LEARNERS
from app.state.document import Document, GeneratorSettings, Lane
from solver.data import datasets

from .cells import digest_of
from .computing import Given
from .model import (
    MEASURES,
    Study,
    StudyAxis,
    Value,
    axis_kinds,
    axis_names,
    existing_cells,
    measures_of,
    plain_lane,
    spaced,
    values_along,
)

#: Largest size of a file (bytes), and largest number of results of a study.
LARGEST, MOST_RESULTS = 1_000_000, 20_000_000
#: Largest number of values of an axis, and of a range.
MOST_VALUES = 1000
_WHOLE = ("kind", "values", "folds", "repetitions", "draws", "test", "test_on", "k_up_to_n", "most_steps")
_TABLES = ("data", "classifier", "axes", "other")
#: Opens the document with this name.
Opener = Callable[[Path], Document]


class _Range(msgspec.Struct, rename={"start": "from", "stop": "to"}):
    """The values of an axis in equal ratios or steps."""

    start: float = 1.0
    stop: float = 1.0
    points: Annotated[int, Meta(ge=1, le=MOST_VALUES)] = 1
    scale: Literal["log", "linear"] = "log"


class StudyError(FileError):
    """A study file has faults.

    Attributes
    ----------
    faults : list of str
        A sentence with its key for each fault.
    """

    def __init__(self, name: str, faults: list[str]) -> None:
        super().__init__(f"{name}, {faults[0]}")
        self.faults = [f"{plain(name)}, {fault}" for fault in faults]


class _NotedError(Exception):
    """A fault was noted, and its value cannot be used."""


#: True if the rule is broken, the key, and the sentence.
_Rule = tuple[bool, str, str]


class _Reader:
    """Read a study as far as possible, and collect its faults."""

    def __init__(self, folder: Path, opener: Opener, source: Document | None = None) -> None:
        self.folder, self.opener, self.source = folder, opener, source
        self.faults: list[str] = []
        self.given: Given | None = None

    def fault(self, key: str, sentence: str) -> _NotedError:
        """Note a fault; return the exception to raise if the value cannot be used."""
        text = plain(f"{key}: {sentence}")
        self.faults.append(text if len(text) <= 360 else f"{text[:179]}…{text[-179:]}")
        return _NotedError()

    def study(self, whole: dict[str, Any]) -> Study | None:
        for key in whole.keys() - {*_WHOLE, *_TABLES}:
            self.fault(key, f"is unknown; here may stand {', '.join((*_WHOLE, *_TABLES))}.")
        tables = {name: whole.get(name, {}) for name in _TABLES}
        for name in (name for name, table in tables.items() if not isinstance(table, dict)):
            self.fault(name, f"must be a table, [{name}].")
            tables[name] = {}
        fields = self._converted({name: whole[name] for name in _WHOLE if name in whole}, Study, "")
        fields.setdefault("k_up_to_n", fields.get("kind") == "efficiency")
        try:
            lanes = [self._classifier(tables["classifier"])] if self.source is None else lanes_of(self.source)
        except FileError as error:
            self.fault("classifier", str(error))
            lanes = [Lane()]
        generator, digest = self._data(tables["data"])
        if tables["other"]:
            lanes = [lanes[0], self._classifier(tables["other"], "other")]
        elif "disagreement" not in fields.get("values", ()):
            lanes = lanes[:1]
        axes = self._axes(tables["axes"], lanes[0], generator is None)
        if self.faults:
            return None
        other = next(iter(lanes[1:]), None)
        study = Study(axes=axes, lane=lanes[0], generator=generator, digest=digest, other=other, **fields)
        self.check(study)
        return None if self.faults else study

    def _converted(self, values: Mapping[str, Any], kind: Any, where: str) -> dict[str, Any]:
        """Return `values` as fields of the struct `kind`; those with a fault are left out."""
        found: dict[str, Any] = {}
        for name, value in values.items():
            with suppress(_NotedError):
                found[name] = self._field(kind, name, value, f"{where}{name}")
        return found

    def _field(self, kind: Any, name: str, value: Any, key: str) -> Any:
        """Return `value` as a field of the struct `kind`, made with defaults for all other fields."""
        names = {each.encode_name: each.name for each in msgspec.structs.fields(kind)}
        if name not in names:
            raise self.fault(key, f"is unknown; here may stand {', '.join(sorted(names))}.")
        if isinstance(value, float) and not math.isfinite(value):
            raise self.fault(key, f"is {value}; it must be a finite number.")
        try:
            base = {"name": "rule"} if kind is GeneratorSettings else {}  # which has all fields
            return getattr(msgspec.convert(base | {name: value}, kind), names[name])
        except (msgspec.ValidationError, ValueError) as error:
            raise self.fault(key, f"is {_shown(value)}; {place_and_fault(error)[1]}.") from None

    def _classifier(self, table: dict[str, Any], where: str = "classifier") -> Lane:
        name = table.get("name", Lane().classifier)
        known = [key for key, learner in LEARNERS.items() if not learner.compares and key != PLACEHOLDER]
        if name not in known:
            self.fault(f"{where}.name", f"is {_shown(name)}; it must be one of {', '.join(known)}.")
            return Lane()
        by_field = {field.name: field.parameter for field in LEARNERS[name].fields if field.kind != "text"}
        named: dict[str, Any] = {}
        standardise = table.get("standardise", False)
        if not isinstance(standardise, bool):
            self.fault(f"{where}.standardise", f"is {_shown(standardise)}; it must be true or false.")
        for key in (key for key in table if key not in ("name", "standardise")):
            parameter = by_field.get(key, key)
            if parameter in named:
                self.fault(f"{where}.{key}", f"is the same as {parameter}, which stands there, too.")
            named[parameter] = table[key]
        values = self._converted(named, LEARNERS[name].settings, f"{where}.")
        return Lane(name, standardise=standardise is True).with_part(name, LEARNERS[name].settings(**values))

    def _data(self, table: dict[str, Any]) -> tuple[GeneratorSettings | None, str]:
        if self.source is not None:
            return None, self._given(self.source)
        if "document" not in table:
            return GeneratorSettings(**self._converted(table, GeneratorSettings, "data.")), ""
        for key in table.keys() - {"document"}:
            self.fault(f"data.{key}", "cannot stand beside document, which has the points.")
        name = table["document"]
        if not isinstance(name, str) or not name:
            self.fault("data.document", f"is {_shown(name)}; it must be the name of a file, or a share text.")
            return None, "?"
        try:
            return None, self._given(self.opener(Path(name) if is_share_text(name) else self.folder / name))
        except FileError as error:
            self.fault("data.document", str(error))
            return None, "?"

    def _given(self, document: Document) -> str:
        """Take the points of a document; return the hash that names them."""
        points, test = document.training_points, document.test_points
        if len(points) < 2:
            self.fault("data.document", "has fewer than two points to learn from.")
        self.given = Given(points, test)
        return digest_of(points, test)

    def _axes(self, table: dict[str, Any], lane: Lane, given: bool) -> tuple[StudyAxis, ...]:
        allowed, axes = axis_names(lane.classifier, not given), []
        if not table:
            self.fault("axes", f"is missing: what is varied, such as C = [1, 10]; there may be {', '.join(allowed)}.")
        if len(table) > 6:
            self.fault("axes", f"has {len(table)} axes; six are the most.")
        for name, value in table.items():
            with suppress(_NotedError):
                if name not in allowed:
                    raise self.fault(f"axes.{name}", f"is unknown; here may stand {', '.join(allowed)}.")
                axes.append(StudyAxis(name, self._checked(name, self._values(f"axes.{name}", value), lane)))
        return tuple(axes)

    def _values(self, key: str, value: Any) -> Sequence[Any]:
        """Return the values of an axis: a list, or a range."""
        if isinstance(value, list):
            if not 1 <= len(value) <= MOST_VALUES:
                raise self.fault(key, f"has {len(value)} values; there must be 1 to {MOST_VALUES}.")
            return value
        if not isinstance(value, dict):
            raise self.fault(key, f"is {_shown(value)}; write a list, or {{ from = 0.1, to = 10, points = 5 }}.")
        missing = [name for name in ("from", "to", "points") if name not in value]
        for inside in missing:
            self.fault(f"{key}.{inside}", "is missing.")
        read = self._converted(value, _Range, f"{key}.")
        if missing or len(read) < len(value):
            raise _NotedError
        found = msgspec.convert(read, _Range)
        if found.scale == "log" and min(found.start, found.stop) <= 0:
            raise self.fault(key, "goes in equal ratios, so both ends must be above 0; or write scale = “linear”.")
        return spaced(found.start, found.stop, found.points, found.scale == "log")

    def _checked(self, name: str, values: Sequence[Any], lane: Lane) -> tuple[Value, ...]:
        """Return `values` of an axis as the settings have them."""
        kind = axis_kinds(lane.classifier)[name]
        if not kind.choices and kind.limits[2]:  # a range has none
            values = [round(each) if isinstance(each, float) and math.isfinite(each) else each for each in values]
        numbered = enumerate(values, 1)
        where = f"axes.{name}[{{}}] {kind.parameter}"
        found = [self._field(kind.struct, kind.parameter, value, where.format(number)) for number, value in numbered]
        found = list(dict.fromkeys(found))  # a range of whole numbers may have one twice
        if not isinstance(found[0], str) and any(b <= a for a, b in itertools.pairwise(found)):
            raise self.fault(f"axes.{name}", "must ascend.")
        return tuple(found)

    # -- what fits together ----------------------------------------------------------------------------------------

    def check_axes(self, study: Study) -> None:
        """Add faults of axes that do not come from a file, and of parts that only a file can lack."""
        if study.lane.is_difference or (study.generator is None) != bool(study.digest):
            self.fault("data", "has no classifier or no points.")
        elif len({axis.name for axis in study.axes}) < len(study.axes):
            self.fault("axes", "has the same axis twice.")
        else:
            written = {axis.name: list(axis.values) for axis in study.axes}
            if not self.faults and self._axes(written, study.lane, study.generator is None) != study.axes:
                self.fault("axes", "has the same value twice, or one that is not whole.")

    def check(self, study: Study) -> None:
        """Add faults between the parts."""
        names = {axis.name for axis in study.axes}
        needed = {"efficiency": ("n", "k"), "learning-curve": ("n",), "rules": ("n", "rule"), "grid": ()}[study.kind]
        rules: list[_Rule] = [
            *_of_values(study),
            (
                study.other is not None and "disagreement" not in study.values,
                "other",
                "is there, but values has no disagreement.",
            ),
            (
                study.folds == 1,
                "folds",
                "is 1, which is no cross-validation; it must be 0, for test points, or 2 and more.",
            ),
            *(_of_given(study, self.given) if self.given is not None else ()),
            *(_of_generated(study, study.generator) if study.generator is not None else ()),
            *(
                (name not in names, "axes", f"has no {name}, which a study of kind “{study.kind}” needs.")
                for name in needed
            ),
            (study.kind == "grid" and len(names) < 2, "axes", "has one axis only; a grid has two."),
            (study.k_up_to_n and not {*needed, "n", "k"} <= {*needed, *names}, "k_up_to_n", "needs the axes n and k."),
        ]
        for broken, key, sentence in rules:
            if broken:
                self.fault(key, sentence)
        total = study.repetitions * max(1, study.folds) * math.prod(study.shape)
        if not self.faults and total > MOST_RESULTS:
            self.fault("axes", f"make {total} results with repetitions and folds; {MOST_RESULTS} are the most.")
        elif not self.faults and not existing_cells(study).any():
            self.fault("k_up_to_n", "is true and leaves no cell: each k is above each n.")


def _of_values(study: Study) -> Iterator[_Rule]:
    allowed = measures_of(study.lane, study.other is not None)
    for value in study.values:
        if value == "disagreement":
            yield study.other is None, "values", "has disagreement, but no table [other] says with which classifier."
        else:
            what = f"is not of {study.lane.family.short}" if value in MEASURES else "is unknown"
            yield value not in allowed, "values", f"{_shown(value)} {what}; there may be {', '.join(allowed)}."
    yield len(set(study.values)) < len(study.values), "values", "has something twice."


def _of_given(study: Study, given: Given) -> Iterator[_Rule]:
    n, most = len(given.points), int(values_along(study, "n", 0).max())
    fewest = min(filter(None, given.points.counts))
    untested = not study.folds and not len(given.tests)
    yield untested, "folds", "is 0, but the document keeps no test points back; give folds = 5."
    yield study.folds > n, "folds", f"is {study.folds}, but there are only {n} points."
    yield study.draws > 1, "draws", "is for a generator; a document has its points."
    yield study.test_on == "square", "test_on", "is for a generator; a document has its test points."
    yield most > fewest, "axes.n", f"goes to {most}, but a class has only {fewest} points."


def _of_generated(study: Study, generator: GeneratorSettings) -> Iterator[_Rule]:
    axes = {axis.name: axis.values for axis in study.axes}
    for name in axes.get("data", (generator.name,)):
        dataset = datasets.DATASETS[str(name)]
        square = study.test_on == "square" and dataset.truth is None
        yield square, "test_on", f"is “square”, where {name} has no true classes."
        low, high = dataset.shift_range or (0.0, 0.0)
        for shift in map(float, axes.get("shift", (generator.shift,))):
            key = "axes.shift" if "shift" in axes else "data.shift"
            yield shift != 0.0 and not low <= shift < high, key, f"is {shift}, too much for {name}."
        least, most = dataset.n_classes
        suits = least <= generator.n_classes <= most
        yield not suits, "data.n_classes", f"is {generator.n_classes}; {name} has {least} to {most} classes."


def _shown(value: Any) -> str:
    text = f"“{value}”" if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def lanes_of(document: Document) -> list[Lane]:
    """Return the classifiers of a document, without unused settings; raise FileError if there is none."""
    found = [plain_lane(lane) for lane in document.lanes[: document.shown] if not lane.is_difference]
    if not found:
        raise FileError("The document has no classifier of its own.")
    return found


def examined(
    text: str, folder: Path, opener: Opener, source: Document | None = None
) -> tuple[Study | None, Given | None, list[str]]:
    """Return the study, its given points, and a sentence with its key for each fault; with faults there is no study.

    Points and classifier are those of `source`, if it is given.
    """
    import tomllib  # only now: it costs the opening of the panel nothing

    try:
        if re.search(r"[\da-fA-F_]{100}", text):  # Python neither reads nor writes whole numbers of any length
            raise tomllib.TOMLDecodeError("A number has more than 99 digits")
        whole = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return None, None, [plain(f"This is not TOML: {error}.")[:360]]
    reader = _Reader(folder, opener, source)
    return reader.study(whole), reader.given, reader.faults


def faults_of(study: Study, given: Given | None) -> list[str]:
    """Return the faults of a study that did not come from a file, a sentence with its key for each.

    Points of a document are checked if they are `given`.
    """
    reader = _Reader(Path(), lambda path: Document())
    reader.given = given
    reader.check_axes(study)
    if not reader.faults:
        reader.check(study)
    return reader.faults


def read(path: Path, opener: Opener, source: Document | None = None) -> tuple[Study, Given | None]:
    """Return the study in a file, see `examined`; raise StudyError with all faults, or FileError if unreadable."""
    data = read_bytes(path, LARGEST)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"{path.name} is not UTF-8 text.") from None
    study, given, faults = examined(text, path.parent, opener, source)
    if study is None:
        raise StudyError(path.name, faults)
    return study, given


# -- writing -----------------------------------------------------------------------------------------------------------


def written(study: Study, sentence: str, document: str = "") -> str:
    """Return a commented file that reads as `study`; its points come from `document` if it has no generator."""
    lane, generator = study.lane, study.generator
    tests = [
        f"draws = {study.draws}  # sets of training points in one repetition",
        f"test = {study.test}  # new points that each of them is measured on",
        f'test_on = "{study.test_on}"  # generator: like the training points; square: even on [-1, 1]²',
    ]
    data = [f"document = {_toml(document)}"]
    if generator is not None:
        data = ["# count: points per class, where no axis n says otherwise.", *_settings(generator)]
    other = (
        ["# The classifier that disagreement compares with.", "[other]", *_lane(study.other), ""] if study.other else []
    )
    has_n_and_k = {"n", "k"} <= {axis.name for axis in study.axes}
    varied = f"What is varied: {', '.join(axis_names(lane.classifier, generator is not None))}."
    lines = [
        f"# {sentence}",
        "# Run it:  classifier-playground study run THIS_FILE --out results/ --jobs 2",
        "",
        f'kind = "{study.kind}"  # grid, efficiency, learning-curve or rules',
        f"# What is measured: {', '.join(measures_of(lane))};",
        "# disagreement, with a classifier in a table [other].",
        f"values = {_toml(study.values)}",
        f"folds = {study.folds}  # of a cross-validation; 0: test points decide",
        f"repetitions = {study.repetitions}  # each has other points, or of a document other folds",
        *(tests if not study.folds and generator is not None else ()),
        *([f"k_up_to_n = {_toml(study.k_up_to_n)}  # true: no cells with k above n"] if has_n_and_k else ()),
        f"most_steps = {study.most_steps}  # after which a training is stopped early",
        "",
        "[data]",
        *data,
        "",
        "[classifier]",
        *_lane(lane),
        "",
        *other,
        *(f"# {line}" for line in textwrap.wrap(varied, 110)),
        "# The first two are the sides of the map.  A list, or for example",
        '# C = { from = 0.01, to = 10000, points = 7 }, in equal ratios; scale = "linear": in equal steps.',
        "[axes]",
        *(f"{axis.name} = {_toml(axis.values)}" for axis in study.axes),
    ]
    return "\n".join(lines) + "\n"


def _lane(lane: Lane) -> list[str]:
    standardise = ["standardise = true"] if lane.standardises else []
    return [f'name = "{lane.classifier}"', *standardise, *_settings(lane.settings)]


def _settings(struct: Any) -> list[str]:
    return [f"{name} = {_toml(value)}" for name, value in msgspec.to_builtins(struct).items()]


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)  # such a JSON value is valid TOML
