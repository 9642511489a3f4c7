"""EvaluationController: the kind of cross-validation, and the thresholds of the lanes.  No Qt."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from app.controllers.host import SubjectController

from .scene import EvaluationSession, Threshold


class EvaluationController(SubjectController):
    """Translate user actions on the evaluation into session changes."""

    def validate(self, **changes: Any) -> None:
        """Change the `kind`, `k` or `seed` of the cross-validation."""
        try:
            validation = replace(self._host.session.of(EvaluationSession).validation, **changes)
        except ValueError as error:
            self._host.say(str(error))
        else:
            self._host.change(EvaluationSession, validation=validation)

    def set_threshold(self, slot: int, threshold: Threshold | None) -> None:
        """Set the score above which a lane predicts its second class; None for the model's own threshold."""
        thresholds = self._host.session.of(EvaluationSession).thresholds
        self._host.change(EvaluationSession, thresholds=(*thresholds[:slot], threshold, *thresholds[slot + 1 :]))
