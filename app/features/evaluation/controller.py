"""EvaluationController: how learners are cross-validated, and above which score a second class is said.  No Qt."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from app.controllers.host import Host

from .scene import EvaluationSession


class EvaluationController:
    """Turns wishes about evaluation into session changes.

    Parameters
    ----------
    host : Host
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def validate(self, **changes: Any) -> None:
        """Cross-validate otherwise: another `kind`, `k` or `seed`."""
        try:
            validation = replace(self._host.session.of(EvaluationSession).validation, **changes)
        except ValueError as error:
            self._host.say(str(error))
        else:
            self._host.change(EvaluationSession, validation=validation)

    def set_threshold(self, slot: int, threshold: float | None) -> None:
        """Say the second class of a lane above another score; None for the model's own threshold."""
        thresholds = self._host.session.of(EvaluationSession).thresholds
        self._host.change(
            EvaluationSession, thresholds=(*thresholds[:slot], threshold, *thresholds[slot + 1 :]), judged=slot
        )

    def judge(self, slot: int) -> None:
        """Move the threshold of this lane from now on."""
        self._host.change(EvaluationSession, judged=slot)
