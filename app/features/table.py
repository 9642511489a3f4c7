"""The table of features, from which menus, keys, docks, queries, scene, pictures and help are made."""

from __future__ import annotations

from app.scene.feature import FeatureTable

from .active_learning.feature import FEATURE as ACTIVE_LEARNING
from .answers.feature import FEATURE as ANSWERS
from .cells.feature import FEATURE as CELLS
from .challenges.feature import FEATURE as CHALLENGES
from .code.feature import FEATURE as CODE
from .curves.feature import FEATURE as CURVES
from .difference.feature import FEATURE as DIFFERENCE
from .evaluation.feature import FEATURE as EVALUATION
from .film.feature import FEATURE as FILM
from .ground_truth.feature import FEATURE as GROUND_TRUTH
from .kkt.feature import FEATURE as KKT
from .lessons.feature import FEATURE as LESSONS
from .losses.feature import FEATURE as LOSSES
from .multipliers.feature import FEATURE as MULTIPLIERS
from .probe.feature import FEATURE as PROBE
from .race.feature import FEATURE as RACE
from .reliability.feature import FEATURE as RELIABILITY
from .relief.feature import FEATURE as RELIEF
from .remarks.feature import FEATURE as REMARKS
from .scores.feature import FEATURE as SCORES
from .search.feature import FEATURE as SEARCH
from .step.feature import FEATURE as STEP
from .study.feature import FEATURE as STUDY
from .validation_curves.feature import FEATURE as VALIDATION_CURVES
from .what_if.feature import FEATURE as WHAT_IF

#: In the order of menus and docks.
FEATURES = FeatureTable(
    (
        STEP,
        CURVES,
        MULTIPLIERS,
        LOSSES,
        KKT,
        RACE,
        ACTIVE_LEARNING,
        DIFFERENCE,
        PROBE,
        SEARCH,
        CELLS,
        RELIEF,
        WHAT_IF,
        EVALUATION,
        SCORES,
        REMARKS,
        RELIABILITY,
        VALIDATION_CURVES,
        STUDY,
        GROUND_TRUTH,
        CODE,
        LESSONS,
        ANSWERS,
        CHALLENGES,
        FILM,
    )
)
