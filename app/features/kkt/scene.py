"""KKT cases in the pictures: whether the user wants them."""

from __future__ import annotations

from app.state.session import FeatureSession


class KktSession(FeatureSession, frozen=True):
    """The user's choice for the KKT cases.

    Attributes
    ----------
    kkt : bool
        True if the pictures mark each point's KKT case and draw its slack.
    """

    kkt: bool = False
