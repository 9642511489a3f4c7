"""Session: what the person at the window is doing just now; neither saved nor undone."""

from __future__ import annotations

from dataclasses import dataclass

#: Steps per second that the speed slider offers; the last is full speed.
SPEEDS: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 10_000.0, float("inf"))
FULL_SPEED = len(SPEEDS) - 1


@dataclass(frozen=True)
class Session:
    """
    Attributes
    ----------
    active_class : int
        Class of the next point, 0 to 7.
    paused : bool
        Training stands still.
    speeds : tuple of int
        Per lane, an index into `SPEEDS`.
    restarts : tuple of int
        Per lane, how often training was started from zero.
    legend : bool
    theme : {"system", "light", "dark"}
    dark : bool
        What the theme comes to just now.
    """

    active_class: int = 0
    paused: bool = False
    speeds: tuple[int, int] = (FULL_SPEED, FULL_SPEED)
    restarts: tuple[int, int] = (0, 0)
    legend: bool = True
    theme: str = "system"
    dark: bool = False
