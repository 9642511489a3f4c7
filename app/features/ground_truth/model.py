"""GroundTruthScene: truth and stability for panel, legend and pictures.  GroundTruthSession: the user's choices."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.state.document import GeneratorSettings
from app.state.session import FeatureSession
from solver.data.distribution import Law

from .bootstrap import Bootstrap
from .fresh_points import BayesError, FreshDraw, FreshTally, SquareShare


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


class GroundTruthSession(FeatureSession, frozen=True):
    """The user's choices for truth and stability.

    Attributes
    ----------
    ideal : bool
        True if the pictures show the true boundary, or the ideal one.
    bootstrap : bool
        True if the pictures show the boundaries of models fitted to resampled points.
    fresh_draw : FreshDraw
        The new points that are drawn.
    fresh_going : bool
        True while more are drawn, one batch after the other.
    fresh_count : int
        Number of points of the next draw.
    resamples : int
        Number of resamples.
    """

    ideal: bool = False
    bootstrap: bool = False
    fresh_draw: FreshDraw = FreshDraw()
    fresh_going: bool = False
    fresh_count: int = 1000
    resamples: int = 30

    def of_new_document(self) -> GroundTruthSession:
        return replace(self, fresh_draw=FreshDraw(), fresh_going=False)
