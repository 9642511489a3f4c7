"""The distribution from which a generator draws its points."""

from __future__ import annotations

from functools import lru_cache

from app.state.document import GeneratorSettings
from solver.data.datasets import DATASETS
from solver.data.distribution import Law


@lru_cache(maxsize=16)
def law_of(origin: GeneratorSettings | None) -> Law | None:
    """Return the distribution of a generator with these settings; None if they are invalid or None."""
    if origin is None:
        return None
    kind = DATASETS[origin.name]
    law = Law(
        origin.name,
        origin.noise,
        origin.shift if kind.has_shift else 0.0,
        origin.n_classes if kind.n_classes[1] > 2 else 2,
        origin.flipped,
        **origin.own,
    )
    try:
        law.draw(1, 0)
    except ValueError:  # a file may contain settings that no generator accepts
        return None
    return law
