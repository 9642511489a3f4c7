"""GroundTruthScene: what panel, legend and pictures show of truth and stability."""

from __future__ import annotations

from msgspec import Struct

from app.state.document import GeneratorSettings
from solver.data.distribution import Law

from .bootstrap import Bootstrap
from .fresh_points import Area, BayesError, Tally


class TruthRow(Struct, frozen=True):
    """What the panel says of one lane.

    Attributes
    ----------
    number : int
        Of the lane on screen, from 1.
    title : str
        The classifier.
    tally : Tally or None
        The newest count.
    counting : bool
        It is not (yet) that of the present model and throw.
    area : Area or None
        Disagreement with the truth of the exercise.
    measuring : bool
        It is not (yet) that of the present model.
    bootstrap : Bootstrap or None
    resampling : bool
        It is not (yet) that of the present settings, points and view, or not complete.
    message : str
        Why there is no haze.
    state : {"", "training", "paused", "uncertified"}
        How far the training of the model is; "" when it came to its end.
    """

    number: int
    title: str
    tally: Tally | None
    counting: bool
    area: Area | None
    measuring: bool
    bootstrap: Bootstrap | None
    resampling: bool
    message: str
    state: str = ""


class GroundTruthScene(Struct, frozen=True):
    """What panel, legend and pictures show of truth and stability.

    Attributes
    ----------
    origin : GeneratorSettings or None
    law : Law or None
    edited : bool or None
        None while that is not known.
    bayes : BayesError or None
    ideal_tally : Tally or None
        How the ideal classifier did on the fresh points.
    rows : tuple of TruthRow
        One per lane on screen that learns.
    has_neighbours : bool
        One of them votes by nearest neighbours.
    """

    origin: GeneratorSettings | None
    law: Law | None
    edited: bool | None
    bayes: BayesError | None
    ideal_tally: Tally | None
    rows: tuple[TruthRow, ...]
    has_neighbours: bool = False
