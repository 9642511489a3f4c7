"""Validation: errors of msgspec, which checks all that is read, as plain sentences."""

from __future__ import annotations

import re
from collections.abc import Callable

from .number_format import grouped, short

_AT = re.compile(r" - at (key in )?\$(\S*)$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "null": "nothing",
    "array": "a list",
    "object": "a table of names and values",
    "bytes": "text in base 64",
}
_SIZES = {"str": ("text", "characters"), "array": ("a list", "entries"), "object": ("a table", "entries")}
_QUOTES = "'\""
_BOUNDS = {">=": "at least ", "<=": "at most ", ">": "more than ", "<": "less than "}
_BOUNDS |= {"at least": "at least ", "at most": "at most ", "": ""}


def reason_of(error: Exception) -> str:
    """Return what is wrong and where, without a full stop: "shown: a whole number is expected, not text"."""
    where, what = place_and_fault(error)
    return f"{where}: {what}" if where else what


def place_and_fault(error: Exception) -> tuple[str, str]:
    """Return the location of the value that was refused, "" for the whole, and what is wrong with it."""
    if isinstance(error, RecursionError):
        return "", "it is nested too deeply"
    if isinstance(error, UnicodeError):
        return "", "it has bytes that are not UTF-8 text"
    text, steps = " ".join(str(error).replace("`", "").split()), list[str]()
    while found := _AT.search(text):
        text = text[: found.start()]
        steps += [each for each in (_place(found[2]), "a name" if found[1] else "") if each]  # the outermost is last
    for pattern, words in _FAULTS:
        if fault := re.fullmatch(pattern, text, re.DOTALL):
            return ", ".join(steps), words(fault)
    return ", ".join(steps), text.rstrip(".") or type(error).__name__  # a sentence of this program


def _place(path: str) -> str:
    """Return a path of msgspec in words: ".styles[1].name" -> "styles, entry 2, name"."""
    steps = _STEP.findall(path)
    return ", ".join(name or ("an entry" if at == "..." else f"entry {int(at) + 1}") for name, at in steps)


def _number(text: str) -> str:
    value = float(text)
    return grouped(int(value)) if value.is_integer() and abs(value) < 1e9 else short(value)


def _types(found: re.Match[str]) -> str:
    kinds, got = found[1].split(" | "), found[2]
    beside = f", not {_TYPES.get(got, got)}" if got and got != "float" else ""
    return f"{' or '.join(_TYPES.get(kind, kind) for kind in kinds)} is expected{beside}"


def _size(found: re.Match[str]) -> str:
    (kind, unit), bound, number, most = _SIZES[found[1]], found[2], _number(found[3]), found[4]
    unit = unit if most or found[3] != "1" else {"characters": "character", "entries": "entry"}[unit]
    number = f"{number} to {_number(most)}" if most else f"{_BOUNDS[bound]}{number}"
    return f"{kind} of {number} {unit} is expected{f', not of {_number(found[5])}' if found[5] else ''}"


def _value(found: re.Match[str]) -> str:
    return f"{_quoted(found[1].strip(_QUOTES))} is not one of the possible values"


def _quoted(text: str) -> str:
    return f"“{text if len(text) <= 40 else f'{text[:40]}…'}”"


_Words = Callable[[re.Match[str]], str]
#: Messages of msgspec, without their locations, and their words; a test compares them with those that it has.
_FAULTS: tuple[tuple[str, _Words], ...] = (
    (
        r"Expected (str|array|object) of (?:length )?(>=|<=|at least|at most|)(?: length)? ?(\d+)(?: to (\d+))?"
        r"(?:, got (\d+))?",
        _size,
    ),
    (
        r"Expected (int|float) (>=|<=|>|<) (\S+)",
        lambda at: f"{_TYPES[at[1]]}, {_BOUNDS[at[2]]}{_number(at[3])}, is expected",
    ),
    (r"Expected str matching regex .*", lambda at: "it has characters that are not possible here, or is too long"),
    (r"Expected ([a-z]+(?: \| [a-z]+)*)(?:, got ([a-z]+))?", _types),
    (r"Invalid (?:enum )?value (.*)", _value),
    (r"Object missing required field (.*)", lambda at: f"“{at[1]}” is missing"),
    (r"Object contains unknown field (.*)", lambda at: f"{_quoted(at[1])} is unknown"),
    (r"(?:Integer value|Number) out of range", lambda at: "a number is too large"),
    (r"Input data was truncated", lambda at: "its end is missing"),
    (r"(?:JSON|MessagePack data) is malformed: .*\(byte (\d+)\)", lambda at: f"byte {_number(at[1])} fits nowhere"),
    (r"Invalid base64 encoded string", lambda at: "text in base 64 is expected"),
)
