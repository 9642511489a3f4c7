"""GroundTruthScene: truth and stability for panel, legend and pictures."""

from __future__ import annotations

from msgspec import Struct

from app.state.document import GeneratorSettings
from solver.data.distribution import Law

from .bootstrap import Bootstrap
from .fresh_points import BayesError, FreshTally, SquareShare


class TruthRow(Struct, frozen=True):
    """The row of one lane in the panel.

    Attributes
    ----------
    number : int
        Number of the lane on screen, from 1.
    title : str
        Title of the classifier.
    tally : FreshTally or None
        The newest count.
    counting : bool
        True if it does not (yet) belong to the present model and points.
    area : SquareShare or None
        Disagreement with the truth of the exercise.
    measuring : bool
        True if it does not (yet) belong to the present model.
    bootstrap : Bootstrap or None
    resampling : bool
        True if it does not (yet) belong to the present settings, points and view, or is not complete.
    message : str
        Why there is no haze; or "".
    state : {"", "training", "paused", "uncertified"}
        State of the model's training; "" when it is complete.
    """

    number: int
    title: str
    tally: FreshTally | None
    counting: bool
    area: SquareShare | None
    measuring: bool
    bootstrap: Bootstrap | None
    resampling: bool
    message: str
    state: str = ""


class GroundTruthScene(Struct, frozen=True):
    """Truth and stability for panel, legend and pictures.

    Attributes
    ----------
    origin : GeneratorSettings or None
    law : Law or None
    edited : bool or None
        None while it is not known.
    bayes : BayesError or None
    ideal_tally : FreshTally or None
        The errors of the ideal classifier on the new points.
    rows : tuple of TruthRow
        One for each visible lane that learns.
    has_neighbours : bool
        True if one of them votes by nearest neighbours.
    """

    origin: GeneratorSettings | None
    law: Law | None
    edited: bool | None
    bayes: BayesError | None
    ideal_tally: FreshTally | None
    rows: tuple[TruthRow, ...]
    has_neighbours: bool = False
