"""Starting: make the document at the beginning of a step."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import msgspec
from msgspec.structs import replace

from app.core.dates import NO_DATES
from app.core.number_format import number_in
from app.exchange import opening
from app.files import examples
from app.files.documents import FileError
from app.learners.fields import Field
from app.learners.scales import parameter
from app.learners.table import LEARNERS
from app.state.commands import MovePoints, SetUnits
from app.state.document import (
    LEAST_UNIT,
    MAX_LANES,
    MOST_UNIT,
    NO_UNITS,
    Document,
    GeneratorSettings,
    Lane,
    View,
    default_document,
)
from app.state.edit_struct import changed_struct
from app.state.scaling import Scaling, named
from app.state.split import LEAST_RATIO, MOST_RATIO, NO_SPLIT, Split
from solver.data.datasets import DATASETS

from . import names
from .model import Lesson, LessonSetting, Start

#: Largest document beside a lesson (bytes), and largest number of points per class, so that a step begins at once.
LARGEST, MOST_POINTS = 1_000_000, 2000
YES, NO = ("yes", "on", "true"), ("no", "off", "false")
#: What a picture shades, by its name in lessons.
SHADINGS: dict[str, Any] = {"f": msgspec.UNSET, "probability": "probability"}
#: Names of the data sets in lessons, besides their keys.
DATA_SETS = {name: (kind.title,) for name, kind in DATASETS.items()}


def start_of(lesson: Lesson, step: int) -> Document:
    """Return the document at the beginning of a step; raise FileError with one sentence if there is none."""
    first = step
    while first and lesson.steps[first].start.kind == "before":
        first -= 1
    document: Document | None = None
    for each in lesson.steps[first : step + 1]:
        document, faults = begun(each.start, each.view, lesson.folder, document)
        if faults:
            raise FileError(f"{lesson.name}.lesson.md:{faults[0][0]}: {faults[0][1]}")
    assert document is not None
    return document


def begun(
    start: Start, view: tuple[float, float, float] | None, folder: Path | None, before: Document | None
) -> tuple[Document, list[tuple[int, str]]]:
    """Return the document at this start with this view, and line and sentence of each invalid setting.

    Raise FileError with one sentence if the document that the settings change cannot be read.
    """
    document, faults = changed(_base_of(start, folder, before), start.settings)
    if view is not None:
        x, y, span = view
        document = replace(document, view=msgspec.structs.replace(document.view, x=x, y=y, span=span))
    return document, faults


def _base_of(start: Start, folder: Path | None, before: Document | None) -> Document:
    """Return the document that the settings change; `before` is that of the previous step."""
    if start.kind == "before":
        return before or default_document()
    if start.kind == "example":
        example = examples.BY_NAME.get(start.source)
        if example is None:
            raise FileError(f"there is no example “{start.source}”; there are {', '.join(examples.BY_NAME)}.")
        return examples.read(example)
    if start.kind == "share":
        return opening.of_text(start.source).document
    return opening.read(_beside(start.source, folder), most=LARGEST).document


def _beside(source: str, folder: Path | None) -> Path:
    """Return the file `source` in the lesson's folder; raise FileError if it is outside."""
    if folder is None:
        raise FileError(f"{source} cannot be found: this lesson lies in no folder.")
    away = FileError(f"{source} lies outside the lesson's folder.")
    for kind in (PurePosixPath, PureWindowsPath):
        path = kind(source)
        if path.anchor or ".." in path.parts:
            raise away
    try:
        home = os.path.realpath(folder)
        found = os.path.realpath(os.path.join(home, source))
        if os.path.commonpath((home, found)) != home:  # a link to the outside
            raise away
    except (OSError, ValueError):
        raise FileError(f"{source} cannot be read: no file can have this name.") from None
    return Path(found)


# -- settings ------------------------------------------------------------------------------------------------------


def changed(document: Document, settings: Sequence[LessonSetting]) -> tuple[Document, list[tuple[int, str]]]:
    """Return `document` with these settings, those of the points first; and line and sentence of each invalid one.

    Invalid settings change nothing.
    """
    faults: list[tuple[int, str]] = []
    made = [each for each in settings if each.lane is None and names.folded(each.name) in names.GENERATOR]
    if made:
        document = _generated(document, made, faults)
    for each in settings:
        if each not in made:
            try:
                document = _set(document, each)
            except ValueError as error:
                faults.append((each.line, str(error)))
    for number, lane in enumerate(document.lanes[: document.shown], 1):
        if any(field.name == "seed" for field in lane.family.fields):
            whose = f"“{number}.seed” is that of classifier {number}, “data seed” that of the points"
            seeds = [each for each in made if names.folded(each.name) == "seed"]
            return document, faults + [(each.line, f"whose seed? {whose}.") for each in seeds]
    return document, faults


def _generated(document: Document, settings: Sequence[LessonSetting], faults: list[tuple[int, str]]) -> Document:
    """Return the document with new points; the generator begins with the settings of the present ones, if known."""
    generator = document.origin or document.generator
    for each in settings:
        try:
            generator = _generator(generator, names.folded(each.name), each.value)
        except ValueError as error:
            faults.append((each.line, str(error)))
    try:
        if generator.count > MOST_POINTS:
            raise ValueError(f"n is at most {MOST_POINTS} points per class in a lesson.")
        points = generator.points()
    except ValueError as error:
        if not faults:
            faults.append((settings[-1].line, str(error)))
        return document
    return replace(document, points=points, generator=generator, origin=generator, view=View.fitting(points))


def _generator(generator: GeneratorSettings, name: str, value: str) -> GeneratorSettings:
    field = names.GENERATOR[name]
    if field in ("rule", "square"):
        low, _, high = value.partition(" to ")
        made = value if field == "rule" else (as_number(low), as_number(high))
        return msgspec.structs.replace(generator, name="rule", **{field: made})
    made = _number(GeneratorSettings, field, name, value) if field != "name" else _key(name, value, DATA_SETS)
    return msgspec.structs.replace(generator, **{field: made})


def _set(document: Document, setting: LessonSetting) -> Document:
    name = names.folded(setting.name)
    if name == "classifiers":
        if setting.lane is not None:
            raise ValueError("classifiers is a list of all of them: no number stands before it.")
        return _with_classifiers(document, [_classifier(each) for each in setting.value.split(",")])
    if name == "test points":
        return replace(document, split=_split(document.split, setting.value))
    if setting.lane is None and name in names.POINTS:
        return _measured(document, name, setting.value)
    if setting.lane is not None and not 0 <= setting.lane < document.shown:
        existing = "there is 1" if document.shown == 1 else f"there are {document.shown}"
        raise ValueError(f"there is no classifier {setting.lane + 1} here: {existing}.")
    indices = range(document.shown) if setting.lane is None else (setting.lane,)
    lanes = list(document.lanes)
    if name in _OF_LANES:
        value = _OF_LANES[name](setting.value)
        for index in indices:
            lanes[index] = msgspec.structs.replace(lanes[index], **{name: value})
        return replace(document, lanes=tuple(lanes))
    known = names.fields().get(name)
    if known is None:
        raise ValueError(f"no classifier has a setting “{setting.name}”.")
    fields = {index: each for index in indices for each in lanes[index].family.fields if each.name == known}
    for index, field in fields.items():
        settings = _with_value(lanes[index].settings, field, setting.value)
        lanes[index] = lanes[index].with_part(lanes[index].classifier, settings)
    if not fields:
        owner = "none of the classifiers here has" if setting.lane is None else f"classifier {setting.lane + 1} has no"
        raise ValueError(f"{owner} “{known}”.")
    return replace(document, lanes=tuple(lanes))


def _measured(document: Document, name: str, value: str) -> Document:
    """Return the document with its points in other units: one axis times a number, or both standardised."""
    xy, scaling, axes = document.points.xy, document.scaling, document.axes
    if name == "standardise":
        if not _yes(name, value):
            return document
        training = document.training_points.xy
        if len(training) < 2 or not (training.std(axis=0) > 0).all():
            raise ValueError("standardise: the training points do not differ along both axes.")
        (mean_x, mean_y), (deviation_x, deviation_y) = training.mean(axis=0).tolist(), training.std(axis=0).tolist()
        scaling = Scaling((mean_x, mean_y), (deviation_x, deviation_y))
        moved = MovePoints(ids=document.points.ids, xy=scaling.apply(xy)).apply(document)
        view = View.fitting(moved.points)
        return replace(moved, origin=None, scaling=scaling, axes=named(axes), view=view, units=NO_UNITS, dates=NO_DATES)
    units, axis, factor = list(document.units), int(name == "y times"), as_number(value)
    units[axis] *= factor
    if not LEAST_UNIT <= units[axis] <= MOST_UNIT:
        limits = f"{LEAST_UNIT:g} to {MOST_UNIT:g} in all"
        raise ValueError(f"{name} is a number above 0, {limits}, not “{value}”.")
    return SetUnits(units=(units[0], units[1])).apply(document)


def _with_classifiers(document: Document, kinds: list[str]) -> Document:
    """Return the document with these classifiers displayed; existing ones keep their settings."""
    if len(kinds) > MAX_LANES:
        raise ValueError(f"there are at most {MAX_LANES} classifiers.")
    existing = (*document.lanes, *(Lane() for _ in kinds[len(document.lanes) :]))
    lanes = tuple(msgspec.structs.replace(lane, classifier=kind) for lane, kind in zip(existing, kinds, strict=False))
    compared = (0, min(1, len(lanes) - 1))
    return replace(document, lanes=lanes, shown=len(lanes), slots=tuple(range(MAX_LANES)), compared=compared)


def _classifier(value: str) -> str:
    return _key("classifier", value, {name: (each.short, each.title) for name, each in LEARNERS.items()})


def _key(what: str, value: str, titles: Mapping[str, tuple[str, ...]]) -> str:
    """Return the key that `value` is, or that has it among its titles; raise ValueError with a sentence otherwise."""
    found = {names.folded(called): key for key, others in titles.items() for called in (key, *others)}
    if names.folded(value) not in found:
        raise ValueError(f"there is no {what} “{value.strip()}”; there are {', '.join(titles)}.")
    return found[names.folded(value)]


#: Settings of lanes that no learner has a field for: how each reads its value.
_OF_LANES: dict[str, Callable[[str], Any]] = {
    "classifier": _classifier,
    "shading": lambda value: SHADINGS[_key("shading", value, dict.fromkeys(SHADINGS, ()))],
    "standardise": lambda value: _yes("standardise", value),
}


def _split(split: Split, value: str) -> Split:
    if names.folded(value) in ("none", "0", "0 %"):
        return NO_SPLIT
    share = as_number(value)
    if not LEAST_RATIO <= share <= MOST_RATIO:
        raise ValueError(f"test points is none, or {100 * LEAST_RATIO:g} % to {100 * MOST_RATIO:g} %, not “{value}”.")
    return replace(split, kind="ratio", ratio=share)


def _with_value(settings: Any, field: Field, value: str) -> Any:
    """Return settings of a learner with one field changed; raise ValueError with a sentence if the value is invalid."""
    if field.kind == "numbers of classes":
        numbers = [_number(type(settings), field.parameter, field.name, each) for each in value.split(",")]
        present = getattr(settings, field.parameter)
        if len(numbers) > len(present):
            raise ValueError(f"{field.name} is at most {len(present)} numbers.")
        return changed_struct(settings, {field.parameter: (*numbers, *present[len(numbers) :])}, (field,))
    return changed_struct(settings, field.values(_value(settings, field, value)), (field,))


def _value(settings: Any, field: Field, value: str) -> Any:
    if field.kind == "choice":
        found = {names.folded(text): entry for text, entry, _ in field.choices}
        found |= {names.folded(entry): entry for _, entry, _ in field.choices}
        if names.folded(value) not in found:
            choices = ", ".join(entry for _, entry, _ in field.choices)
            raise ValueError(f"{field.name} is one of {choices}, not “{value}”.")
        return found[names.folded(value)]
    if field.kind == "check":
        return _yes(field.name, value)
    if field.end and names.folded(value) in ("∞", "inf", "infinity"):
        return math.inf
    return _number(type(settings), field.parameter, field.name, value)


def _yes(name: str, value: str) -> bool:
    if names.folded(value) not in (*YES, *NO):
        raise ValueError(f"{name} is yes or no, not “{value}”.")
    return names.folded(value) in YES


def _number(struct: Any, field: str, name: str, value: str) -> Any:
    """Return the number in `value`, within the limits of its field; raise ValueError with a sentence if invalid."""
    limits, default = parameter(struct, field), getattr(struct(), field)
    whole = isinstance(default, int)
    number = as_number(value)
    if not math.isfinite(number) or (whole and not number.is_integer()):
        raise ValueError(f"{name} is a {'whole ' if whole else ''}number, not “{value.strip()}”.")
    if not limits.least <= number <= limits.most:
        raise ValueError(f"{name} goes from {limits.least:g} to {limits.most:.10g}, so it cannot be {value.strip()}.")
    return int(number) if whole else number


def as_number(value: str) -> float:
    """Return the number in `value`, NaN if there is none; "30 %" is 0.3."""
    text = value.strip().replace("−", "-")
    number = number_in(text.removesuffix("%"))
    return number / 100 if text.endswith("%") else number
