"""Make a film without a window on screen, for the command line."""

from __future__ import annotations

import tempfile
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from PySide6.QtWidgets import QApplication

from app.core.number_format import count, span_of_time
from app.files.documents import FileError
from app.state.document import Document
from app.views.export.layout import PictureSpec, What, scale_for

from . import plan
from .plan import Content
from .view_maker import FilmMaker, FilmSpec, moment_of


def render_film(
    create: Callable[[Document, Path], Any], document: Document, content: Content, options: Namespace
) -> str:
    """Make the film of `options` and return a summary; raise ValueError or FileError with a sentence if that fails."""
    ended: list[str] = []
    counts: list[int] = []
    with tempfile.TemporaryDirectory() as profile:
        window = create(document, Path(profile))
        window.show()
        _wait(window.idle)
        maker = FilmMaker(window.scheduler, window.features, window)
        maker.made.connect(lambda: ended.append(""))
        maker.failed.connect(ended.append)
        maker.progressed.connect(lambda done, of, left: counts.append(of))
        what, dark, (width, height) = cast(What, f"lane{content.lane}"), options.theme == "dark", options.size
        picture = PictureSpec(what, width, height, scale_for(width, height), dark, fitted=True)
        try:
            grids = window.surroundings.grids()
            moment = moment_of(document, window.controller.session, window.scheduler.results, grids)
            maker.make(moment, FilmSpec(content, picture, plan.check_kind(options.out), options.fps), options.out)
            _wait(lambda: bool(ended))
        finally:
            maker.close()
            window.close()
    if ended[0]:
        raise FileError(ended[0])
    seconds = sum(plan.times(counts[-1], options.fps)) / 1000
    return f"{document.lanes[content.lane].title}: {count(counts[-1], 'picture')}, {span_of_time(seconds)}"


def _wait(over: Callable[[], bool]) -> None:
    while not over():
        QApplication.processEvents()
        time.sleep(0.002)
