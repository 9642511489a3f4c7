"""Comparing while the user clicks: curves under sliders, haze, ideal boundary, difference and probe, all at once."""

from __future__ import annotations

from statistics import median

from app.features.probe.controller import ProbeController
from app.views.application import make_application
from app.window.main_window import MainWindow

from .bench_window import CLICKS, click_times

SIZES = (200, 500)
PAUSE = 0.5


def _switch_on(window: MainWindow) -> None:
    for name in ("strips", "haze", "ideal", "differing", "arm_whatif"):
        window.named_actions[name].trigger()
    window.controller.feature(ProbeController).pin(0.5, 0.3)


def run() -> None:
    make_application()
    print("milliseconds, median (worst) of", CLICKS, "clicks; window 1280x800, two lanes: kNN and RBF SVM")
    for n in SIZES:
        for what, switch, pause in (("nothing else", None, 0.0), ("everything at work", _switch_on, PAUSE)):
            first, full, _, busy = click_times(n, switch, pause)
            print(
                f"{n:5d} points, {what:18}: first new picture {1e3 * median(first):5.1f} ({1e3 * max(first):5.1f}),"
                f" full resolution {1e3 * median(full):6.1f} ({1e3 * max(full):6.1f});"
                f" background at work at {busy:.0%} of the clicks",
                flush=True,
            )
