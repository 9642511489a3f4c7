"""Run the smoke part of the tests with the lowest versions that pyproject.toml allows, and with the newest released.

Usage: python .ci/versions.py [--python PYTHON]... [PYTEST'S ARGUMENTS, in place of the smoke part]

The lowest versions are tried with the lowest Python that is installed, since they have no wheels for later ones; the
newest with the newest.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from environments import ROOT, Environment, Failure, elsewhere, pythons, say, smoke, supported


def lowest() -> dict[str, str]:
    """Return the lowest version of each package that the program and its tests need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: dict[str, str] = {}
    for line in (*project["dependencies"], *project["optional-dependencies"]["test"]):
        named = re.match(r"([\w.-]+)(?:\[[^]]*\])?>=([\d.]+)", line)
        if named is None:
            raise Failure(f"{line!r} in pyproject.toml has no lowest version.")
        found[named[1]] = named[2]
    return found


def attempt(python: Path, what: str, constraints: dict[str, str], words: list[str]) -> None:
    """Install the program with these versions and run the tests."""
    with elsewhere() as folder:
        file = folder / "constraints.txt"
        file.write_text("".join(f"{name}=={version}\n" for name, version in constraints.items()))
        environment = Environment(folder / "environment", python)
        environment.install("-c", file, f"{ROOT}[test]")
        installed = {re.sub(r"[-_.]+", "-", name).lower(): each for name, each in environment.packages().items()}
        names = {re.sub(r"[-_.]+", "-", name).lower() for name in lowest()}
        say(f"  {what}: " + ", ".join(f"{name} {installed[name]}" for name in sorted(names)))
        say(f"  {smoke(environment, folder / 'tests', words)}")


def main() -> None:
    named = [after for before, after in zip(sys.argv, sys.argv[1:], strict=False) if before == "--python"]
    words = [word for word in sys.argv[1:] if word != "--python" and word not in named]
    found = pythons(named)
    if not found:
        raise Failure("There is no supported Python that can make environments.")
    available = ", ".join(f"{major}.{minor}" for major, minor in found)
    lacking = ", ".join(f"{major}.{minor}" for major, minor in supported() if (major, minor) not in found)
    say(f"Python on this machine: {available}; not here, so not tried: {lacking or 'none'}.")
    first, last = next(iter(found)), next(reversed(found))
    say(f"Lowest versions, Python {first[0]}.{first[1]}.")
    attempt(found[first], "lowest", lowest(), words)
    say(f"Newest versions, Python {last[0]}.{last[1]}.")
    attempt(found[last], "newest", {}, words)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
