"""What hypothesis draws: the same examples at every run of the tests, new ones at every soak, whose seed is printed."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator

import pytest
from hypothesis import settings

from app.views.garbage import collect_due
from solver.core import fast_loops
from tests.windows import make, qapp, qtbot  # noqa: F401, for the tests of the window

# A busy machine is no fault of a test; an example remembered from another run would be chance again.
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.register_profile("new", derandomize=False, deadline=None, database=None, print_blob=True)
settings.load_profile("same")


@pytest.hookimpl(tryfirst=True)  # hypothesis takes both from the options, in its own hook
def pytest_configure(config: pytest.Config) -> None:
    if config.option.hypothesis_seed is not None and config.option.hypothesis_profile is None:
        config.option.hypothesis_profile = "new"  # where nothing is drawn, a seed would change nothing
    if config.option.hypothesis_profile == "new" and config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(random.SystemRandom().getrandbits(32))


def pytest_report_header(config: pytest.Config) -> str:
    seed = config.option.hypothesis_seed
    return f"examples: new ones; the same again with --hypothesis-seed={seed}" if seed else "examples: always the same"


def pytest_collection_finish() -> None:
    """Leave the loaded modules and tests out of every later garbage collection, as the program does at its start."""
    gc.collect()
    gc.freeze()
    gc.disable()


@pytest.fixture(autouse=True)
def _garbage() -> Iterator[None]:
    """Collected between two tests: in the midst of a call of Qt, a dead widget of an earlier test would hang it."""
    yield
    collect_due()


@pytest.fixture(autouse=True)
def _machine_code() -> Iterator[None]:
    """A window that was closed at once may have left a thread behind that still loads it."""
    yield
    fast_loops.everywhere = True


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Of this run, for campaigns that draw by themselves; 0 where nothing new is drawn."""
    return int(request.config.option.hypothesis_seed or 0)
