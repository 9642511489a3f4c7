"""Settings of all tests: examples are the same in every run, and new in soak runs; their order may be drawn, too."""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Iterator

import pytest
from hypothesis import settings

from solver.core import fast_loops
from tests.windows import delete_closed, make, qapp, qtbot  # noqa: F401, for the tests of the window

# Without deadlines, because the machine may be busy, and without a database, so that runs do not depend on others.
settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.register_profile("new", derandomize=False, deadline=None, database=None, print_blob=True)
settings.load_profile("same")

#: Environment variable with the seed of a random order of the tests with windows; without it, they run as written.
ORDER_SEED = "ORDER_SEED"


@pytest.hookimpl(tryfirst=True)  # before the hook in which hypothesis reads both options
def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # in a fresh clone, where all tests are compiled first, it took two fifths of the time for that
    if config.option.hypothesis_seed is not None and config.option.hypothesis_profile is None:
        config.option.hypothesis_profile = "new"  # a seed has no effect on the fixed examples
    if config.option.hypothesis_profile == "new" and config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(random.SystemRandom().getrandbits(32))


def pytest_report_header(config: pytest.Config) -> list[str]:
    seed = config.option.hypothesis_seed
    examples = f"new ones; the same again with --hypothesis-seed={seed}" if seed else "always the same"
    return [f"examples: {examples}", *([f"order: drawn with {ORDER_SEED}={order}"] if (order := _order_seed()) else [])]


def _order_seed() -> str:
    return os.environ.get(ORDER_SEED, "")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Change places of the tests with windows as the seed draws, if there is one: none may depend on others."""
    if order := _order_seed():
        places = [at for at, item in enumerate(items) if "qtbot" in getattr(item, "fixturenames", ())]
        drawn = [items[at] for at in places]
        random.Random(order).shuffle(drawn)
        for at, item in zip(places, drawn, strict=True):
            items[at] = item


def pytest_collection_finish() -> None:
    """Exclude the loaded modules and tests from later garbage collections, as the program does at its start."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _garbage() -> None:
    """Delete and collect, before each test, all that those before it have left.

    Within a call of Qt, a dead widget of an earlier test could hang.  By generations, a closed window would stay for a
    hundred tests, and each widget there is gets each change of palette, font and style: after 250 windows, the next
    took three times as long to make.
    """
    delete_closed()
    new, *collected = gc.get_count()
    if new > gc.get_threshold()[0] or any(collected):
        gc.collect()
        gc.freeze()  # what is left are modules and the like, which later collections need not look at


@pytest.fixture(autouse=True)
def _machine_code() -> Iterator[None]:
    """Use machine code in all threads again, even if a closed window has left a thread that still loads it."""
    yield
    fast_loops.everywhere = True


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return the seed of this run, for tests that draw examples without hypothesis; 0 for the fixed examples."""
    return int(request.config.option.hypothesis_seed or 0)
