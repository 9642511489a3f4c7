"""Phrases: the words around a lesson in its language, one file of assets for each language; no Qt."""

from __future__ import annotations

import re
from functools import cache

from app.core.number_format import percent
from app.files.assets import asset, assets

from .model import ENGLISH

#: The space between a number and its unit.
_UNIT = re.compile(r"(?<=\d) (?=(?:[%‰°]|[cdkmnµ]?m|k?g|m?s|min|h|px)(?!\w))")


@cache
def languages() -> dict[str, str]:
    """Return the names of the languages that have phrases, by their codes; English comes first."""
    files = (each.name.split(".") for each in assets("lessons").iterdir())
    codes = [parts[1] for parts in files if parts[0] == "phrases"]
    return {code: phrases(code)["language"] for code in sorted(codes, key=lambda code: (code != ENGLISH, code))}


@cache
def phrases(language: str) -> dict[str, str]:
    """Return the phrases of a language by their names."""
    import tomllib  # only now: it costs the start nothing

    return tomllib.loads(asset("lessons", f"phrases.{language}.toml").decode())


def say(language: str, name: str, **values: object) -> str:
    """Return a phrase with its `values`; numbers and units stay on one line."""
    return unbroken(phrases(language)[name].format(**values))


def unbroken(text: str) -> str:
    """Return `text` with no-break spaces between numbers and units."""
    return _UNIT.sub("\N{NO-BREAK SPACE}", text)


def numeral(language: str, text: str) -> str:
    """Return the `text` of a number with the decimal sign of the language."""
    return text.replace(".", phrases(language)["decimal"])


def share_in(language: str, share: float) -> str:
    """Return a share as a percentage in the language: "12,3 %", "über 99,9 %"."""
    text = numeral(language, percent(share))
    return text.replace("above", say(language, "gt")).replace("below", say(language, "lt"))
