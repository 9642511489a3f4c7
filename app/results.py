"""Results: the newest frame of each lane; derived, disposable, never older than what was shown before."""

from __future__ import annotations

from .jobs.requests import Frame


class Results:
    """One frame per lane."""

    def __init__(self) -> None:
        self._frames: dict[int, Frame] = {}

    def accept(self, frame: Frame) -> bool:
        """Keep `frame` unless a newer job's is here; True when it was kept."""
        present = self._frames.get(frame.index)
        if present is not None and frame.job < present.job:
            return False
        self._frames[frame.index] = frame
        return True

    def frame(self, index: int) -> Frame | None:
        """The newest frame of a lane, or None."""
        return self._frames.get(index)
