"""A film of 200 pictures of 1280x800: its duration, and the longest blocks of the window's thread."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.features.film.plan import SweepFilm
from app.features.film.view_maker import FilmMaker, FilmSpec, moment_of
from app.main import create_window
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings, View
from app.views.application import make_application
from app.views.export.layout import PictureSpec, scale_for
from tests.app.views.watchdog import Watchdog

SIZE, PICTURES = (1280, 800), 200
#: Duration (s) from which the window's thread counts as blocked.
LIMIT = 0.05


def run() -> None:
    make_application()
    points = GeneratorSettings("moons", 300, 0.25, 1).points()
    document = Document(points, (Lane("svm", svm=SvmSettings(C=20.0)),), shown=1, view=View.fitting(points))
    with tempfile.TemporaryDirectory() as profile:
        window = create_window(document, Path(profile))
        window.resize(*SIZE)
        window.show()
        while not window.idle():
            QApplication.processEvents()
        for kind in ("gif", "webp", "png"):
            now, path = window.controller, Path(profile) / f"film.{kind}"
            grids, known = window.surroundings.grids(), window.scheduler.results
            moment = moment_of(now.document, now.session, known, grids)
            spec = PictureSpec("lane0", *SIZE, scale_for(*SIZE))
            maker, watchdog = FilmMaker(window.scheduler, window.features, window), Watchdog(LIMIT)
            watchdog.start()
            begun = time.perf_counter()
            maker.make(moment, FilmSpec(SweepFilm(0, "C", 0.01, 1000, PICTURES), spec, kind, 25), path)
            while maker.busy:
                QApplication.processEvents()
                time.sleep(0.001)
            took = time.perf_counter() - begun
            watchdog.stop()
            print(
                f"{kind:4s}: {took:5.1f} s, {path.stat().st_size / 1e6:5.1f} MB; longest gap of the window"
                f" {1e3 * watchdog.longest:4.0f} ms, {len(watchdog.stops)} above {1e3 * LIMIT:.0f} ms",
                flush=True,
            )
            maker.close()
        window.controller.store.reset(window.document, None)
        window.close()
