"""FilmDialog: choose content, size and speed of a film, see an estimate, and follow its making."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import cast

from PySide6.QtCore import QEvent, QMargins, QObject, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QImage, QPixmap, QShowEvent, QValidator
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMainWindow, QProgressBar, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import count, number_of, short, span_of_time
from app.engine.overlays import legend_kinds
from app.engine.scheduler import Scheduler
from app.files.settings import Settings
from app.learners.scales import LinearScale, Scale
from app.scene.feature import FeatureTable
from app.scene.model import Context, Scene
from app.state.document import Document
from app.views.export.fields import PictureFields
from app.views.export.layout import PictureSpec, What, scale_for
from app.views.theme import Theme
from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.boxes import in_row
from app.views.widgets.inputs import (
    WholeField,
    combo_box,
    describe,
    filled,
    show_check,
    show_choice,
    show_number,
    show_options,
    spin_box,
)
from app.views.widgets.qt_dialogs import NamedDialog, add_action, ask_where
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import Scrolled
from solver import Grid
from solver.core import fast_loops

from . import plan
from .plan import Content, LiftFilm, SweepFilm, TrainingFilm, TurnFilm
from .view_maker import FilmMaker, FilmSpec, moment_of

#: Sizes to choose from, by name: title, width and height in pixels.
SIZES = {
    "p360": ("Small 640 × 360", 640, 360),
    "p540": ("Medium 960 × 540", 960, 540),
    "p720": ("Large 1280 × 720", 1280, 720),
    "p1080": ("Projector 1920 × 1080", 1920, 1080),
}
#: Films of the relief alone; and titles of the films without a slider.
ALONE: dict[str, type[TurnFilm | LiftFilm]] = {"turn": TurnFilm, "lift": LiftFilm}
FILM_TITLES = {"training": "Training", "turn": "One turn of the relief", "lift": "Kernel trick, lifted and back"}
#: Delay (ms) after the last change before the film is estimated.
PATIENCE = 400
#: Size (pixels) of the representative picture.
STILL = QSize(300, 190)
#: Characters of the narrowest choice, and width (pixels) of the form if there is room.
WIDTH, FORM = 12, 400
LONGEST = "1 000 pictures, 16.6 s, about 88.8 MB.  More than one line of text where a sentence has to say why not."


def megabytes(n_bytes: float) -> str:
    """Return the size of a file: "80 kB", "3.7 MB"."""
    return f"{short(n_bytes / 1e6)} MB" if n_bytes >= 1e6 else f"{math.ceil(n_bytes / 1e3)} kB"


class ScaleBox(WholeField):
    """A field for a number of a slider: it counts in the slider's positions, and displays their values."""

    _scale: Scale = LinearScale(0, 0, 1)

    def show_scale(self, scale: Scale, value: float) -> None:
        """Offer the numbers of a scale, and show one of them."""
        self._scale = scale
        self.setRange(scale.low, scale.high)
        show_number(self, scale.position_of(value))

    @property
    def number(self) -> float:
        """The displayed number."""
        return self._scale.value_at(self.value())

    def textFromValue(self, position: int) -> str:
        return f"{self._scale.value_at(position):g}"

    def valueFromText(self, text: str) -> int:
        return self._scale.position_of(number_of(text))

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        low, high = self._ends()
        there = low <= number_of(text) <= high
        return (QValidator.State.Acceptable if there else QValidator.State.Intermediate, text, at)

    def limits(self) -> str:
        low, high = self._ends()
        return f"a number from {low:g} to {high:g}"

    def _ends(self) -> tuple[float, float]:
        return self._scale.value_at(self._scale.low), self._scale.value_at(self._scale.high)


class FilmDialog(NamedDialog):
    """Dialog for a film, with an estimate; stays open while the film is made.

    Parameters
    ----------
    window : QMainWindow
        The main window; when it is closed or hidden, the dialog closes.
    controller : Controller
    scheduler : Scheduler
    settings : Settings
    grids, alert : callable
        As in `Surroundings`.
    features : FeatureTable
    """

    def __init__(
        self,
        window: QMainWindow,
        controller: Controller,
        scheduler: Scheduler,
        settings: Settings,
        grids: Callable[[], tuple[Grid, ...]],
        alert: Callable[[str], None],
        features: FeatureTable,
    ) -> None:
        super().__init__(window, "film", "Export film")
        self._window, self._controller, self._settings = window, controller, settings
        self._scheduler, self._grids = scheduler, grids
        self._alert = alert
        self._scene: tuple[Scene, Theme] | None = None
        self._document: Document | None = None
        self._shown: tuple[object, ...] = ()
        self._lengths: tuple[int, ...] = ()
        self._dark = False
        self._path: Path | None = None
        self._maker = FilmMaker(scheduler, features, self)
        self._maker.progressed.connect(self._show_progress)
        self._maker.made.connect(self._finish)
        self._maker.estimated.connect(self._show_estimate)
        self._maker.failed.connect(self._fail)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE)
        self._patience.timeout.connect(self._estimate)
        self._make_fields()
        self._lay_out()
        self._recall()
        self._connect()
        window.installEventFilter(self)

    # -- parts -----------------------------------------------------------------------------------------------------

    def _make_fields(self) -> None:
        self._what = describe(
            combo_box(width=WIDTH),
            "film.what",
            "What to film",
            "The training, step by step, one of the sliders moved from one value to another, or f in 3-D.",
        )
        self._relief = describe(
            combo_box([("Flat", False), ("f in 3-D", True)], WIDTH),
            "film.relief",
            "Kind of picture",
            "The flat picture, or f over the plane in three dimensions.",
        )
        self._alone = describe(
            combo_box([("That classifier alone", False), ("All side by side", True)], WIDTH),
            "film.lanes",
            "What each picture shows",
            "The others stay as they are.",
        )
        self._first = describe(
            spin_box(0, 0), "film.first", "From step", "The first picture: after this many steps of the training."
        )
        self._last = describe(
            spin_box(0, 0),
            "film.last",
            "To step",
            "The last picture: after this many steps; at most as many as the training has made.",
        )
        self._start = describe(ScaleBox(), "film.start", "From", "The value in the first picture, as on the slider.")
        self._stop = describe(ScaleBox(), "film.stop", "To", "The value in the last picture, as on the slider.")
        self._taken = describe(
            combo_box([("Evenly", False), ("Where support vectors change", True)], WIDTH),
            "film.places",
            "Where pictures are taken",
            "Evenly: as many pictures as wanted, at even distances.  Changes: one wherever a point becomes a support"
            " vector, or ceases to be one.",
        )
        self._count = describe(
            spin_box(2, plan.MOST_PICTURES),
            "film.count",
            "Pictures",
            f"How many pictures at most, 2 to {plan.MOST_PICTURES}.",
        )
        show_number(self._count, 60)
        self._kind = describe(
            combo_box([(title, kind) for kind, title in plan.TITLES.items()], WIDTH),
            "film.kind",
            "Format",
            "GIF is shown by every program; WebP and APNG keep every colour.",
        )
        self._rate = describe(
            combo_box(width=WIDTH),
            "film.rate",
            "Speed",
            "How many pictures are seen in a second; the last one is held for 2 seconds, and the film begins again.",
        )
        sizes, limits = [(title, name) for name, (title, _, _) in SIZES.items()], (plan.LEAST_SIDE, plan.LARGEST_SIDE)
        self._fields = fields = PictureFields("film", "film", "size", sizes, limits, WIDTH)
        self._size, self._width, self._height = fields.size, fields.width, fields.height
        self._still = describe(
            QLabel(alignment=Qt.AlignmentFlag.AlignCenter),
            "film.still",
            "A picture of the film",
            "One from its middle.",
        )
        self._still.setFixedSize(STILL)
        self._summary = RoomyLabel("film.summary", LONGEST, title="The expected film")
        self._bar = describe(QProgressBar(), "film.progress", "Progress", "How many of its pictures are made.")

    def _lay_out(self) -> None:
        inner = QWidget()
        form = self._form = AlignedForm(inner, contentsMargins=QMargins())  # type: ignore[call-arg]  # a property of its base
        self._steps = in_row(self._first, QLabel("to"), self._last, 1)
        self._values = in_row(self._start, QLabel("to"), self._stop, 1)
        form.add(
            ("&What", self._what, self._what),
            ("Pict&ure", self._relief, self._relief),
            ("S&how", self._alone, self._alone),
            ("S&teps", self._steps, self._first),
            ("&Values", self._values, self._start),
            ("Take&n", self._taken, self._taken),
            ("&Pictures", self._count, self._count),
            ("&Format", self._kind, self._kind),
            ("Spee&d", self._rate, self._rate),
            ("S&ize", self._size, self._size),
            ("Pi&xels", in_row(self._width, QLabel("×"), self._height, 1), self._width),
            ("The&me", self._fields.theme, self._fields.theme),
            ("", self._fields.legend),
        )
        buttons = self.button_box()
        self._save = add_action(
            buttons,
            "Save &as…",
            "film.save",
            "Save the film",
            "Into a GIF, WebP or PNG file, which is made then.",
            self._ask_path,
        )
        self._cancel = add_action(
            buttons,
            "&Cancel",
            "film.cancel",
            "Cancel",
            "Give the film up; no file is left, nor changed.",
            self._stop_making,
        )
        self._save.setDefault(True)
        side = filled(QVBoxLayout(), self._still, self._summary, self._bar, 1)
        self._inner, self._scroll = inner, Scrolled(inner)
        filled(QVBoxLayout(self), (filled(QHBoxLayout(), (self._scroll, 1), side, spacing=16), 1), buttons)
        self._show_busy()

    def _connect(self) -> None:
        for box, follow in (
            (self._what, self._offer_range),
            (self._relief, self._show_rows),
            (self._kind, lambda: self._offer_rates(self._rate.currentData())),
            (self._size, self._show_size),
        ):
            box.activated.connect(follow)
            box.activated.connect(self._changed)
        for box in (self._alone, self._taken, self._rate, self._fields.theme):
            box.activated.connect(self._changed)
        for spin in (self._first, self._last, self._start, self._stop, self._count, self._width, self._height):
            spin.valueChanged.connect(self._changed)
        self._fields.legend.clicked.connect(self._changed)

    # -- the choices -----------------------------------------------------------------------------------------------

    def _recall(self) -> None:
        values = self._settings.values
        show_choice(self._kind, values.film_kind)
        self._offer_rates(values.film_rate)
        for combo, value in ((self._size, values.film_size), (self._fields.theme, values.film_theme)):
            show_choice(combo, value)
            combo.setCurrentIndex(max(0, combo.currentIndex()))
        show_check(self._fields.legend, values.film_legend)
        self._show_size()

    def _remember(self) -> None:
        self._settings.write(
            film_kind=self._kind.currentData(),
            film_rate=self._rate.currentData(),
            film_theme=self._fields.theme.currentData(),
            film_legend=self._fields.legend.isChecked(),
        )
        if self._size.currentData() in SIZES:
            self._settings.write(film_size=self._size.currentData())

    def _offer_rates(self, wanted: int) -> None:
        """Offer the rates of the format; select the one nearest to `wanted`."""
        offered = plan.rates(self._kind.currentData())
        entries = [(f"{count(rate, 'picture')} a second", rate) for rate in offered]
        show_options(self._rate, entries, min(offered, key=lambda rate: abs(rate - wanted)))

    def _show_size(self) -> None:
        name = self._size.currentData()
        if name in SIZES:
            self._fields.show_size(*SIZES[name][1:])

    def _chosen(self) -> tuple[int, str]:
        """Return the lane, and "training", the slider, "turn" or "lift"."""
        return cast("tuple[int, str]", self._what.currentData() or (0, "training"))

    def _show_rows(self) -> None:
        """Show the rows that matter to the chosen content."""
        what, several = self._chosen()[1], self._document is not None and self._document.shown > 1
        training, alone = what == "training", what in ALONE
        flat = not alone and not self._relief.currentData()
        for row, there in (
            (self._steps, training),
            (self._taken, training),
            (self._values, not training and not alone),
            (self._relief, not alone),
            (self._alone, several and flat),
            (self._fields.legend, flat),
        ):
            self._form.setRowVisible(row, there)

    def _offer_range(self) -> None:
        """Offer all steps, or the whole slider."""
        lane, what = self._chosen()
        if what == "training":
            length = self._lengths[lane] if lane < len(self._lengths) else 0
            for spin, value in ((self._first, 0), (self._last, length)):
                spin.setMaximum(length)
                show_number(spin, value)
        elif what not in ALONE and self._document is not None:
            scale = plan.field_of(self._document, lane, what).scale(len(self._document.training_points))
            self._start.show_scale(scale, scale.value_at(scale.low))
            self._stop.show_scale(scale, scale.value_at(scale.high))
        self._show_rows()

    def _show_able(self) -> None:
        several = self._taken.currentData() and self._chosen()[1] == "training"
        self._count.setEnabled(not several and not self._path)

    def content(self) -> Content:
        """Return the content of the film."""
        lane, what = self._chosen()
        relief = bool(self._relief.currentData())
        if what in ALONE:
            return ALONE[what](lane, self._count.value())
        if what != "training":
            return SweepFilm(lane, what, self._start.number, self._stop.number, self._count.value(), relief)
        length = self._lengths[lane] if lane < len(self._lengths) else 0
        last = None if self._last.value() >= length else self._last.value()
        return TrainingFilm(
            lane, self._first.value(), last, self._count.value(), bool(self._taken.currentData()), relief
        )

    def spec(self) -> FilmSpec:
        """Return the film; raise ValueError with a sentence if there is none."""
        content, dark, legend = self.content(), self._fields.is_dark(self._dark), self._fields.legend.isChecked()
        width, height = self._width.value(), self._height.value()
        plan.check_size(1, width, height)
        what = cast(What, "window" if self._alone.currentData() and not content.relief else f"lane{content.lane}")
        picture = PictureSpec(what, width, height, scale_for(width, height), dark, legend, fitted=True)
        return FilmSpec(content, picture, self._kind.currentData(), self._rate.currentData())

    # -- the document ----------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Follow the document, the length of its trainings, and what is drawn over the pictures."""
        self._scene = scene, theme
        document = self._controller.document
        lengths = tuple(0 if lane.run_state is None else lane.run_state.length for lane in scene.lanes)
        playing = any(lane.playing and lane.run_state is not None for lane in scene.lanes)
        session, layers = scene.session, [legend_kinds(list(lane.sheets)) for lane in scene.lanes]
        looks = (scene.session.dark, session.marks, session.points_away, *layers)
        shown = (document, lengths, looks, playing, fast_loops.ready())
        if self._path is not None or shown == self._shown:
            return
        self._shown, self._document, self._lengths, self._dark = shown, document, lengths, scene.session.dark
        able = [(lane, what) for lane in range(document.shown) for what in plan.can_film(document, lane)]
        entries = [(self._entry(document, lane, what), (lane, what)) for lane, what in able]
        chosen, untouched = self._what.currentData(), self._is_whole()
        first = next((each for each in able if each[1] == "training"), able[0] if able else None)
        show_options(self._what, entries, chosen if chosen in able else first)
        if document.shown == 1:
            show_choice(self._alone, False)
        if chosen != self._what.currentData() or untouched:
            self._offer_range()
        elif self._chosen()[1] == "training":
            for spin in (self._first, self._last):
                spin.setMaximum(self._lengths[self._chosen()[0]])
        self._show_rows()
        self._changed()

    def _is_whole(self) -> bool:
        """Return True if the whole range is filmed."""
        if self._chosen()[1] == "training":
            return self._first.value() == 0 and self._last.value() == self._last.maximum()
        return (self._start.value(), self._stop.value()) == (self._start.minimum(), self._stop.maximum())

    @staticmethod
    def _entry(document: Document, lane: int, what: str) -> str:
        title = document.lanes[lane].title
        title_of = FILM_TITLES.get(what) or f"{plan.field_of(document, lane, what).label} moved"
        return f"{title_of} – {lane + 1}  {title}" if document.shown > 1 else f"{title_of} – {title}"

    # -- the estimate ----------------------------------------------------------------------------------------------

    @Slot()
    def _changed(self) -> None:
        if self._path is None:
            self._show_able()
            self._maker.cancel()
            self._summary.say("Estimating the film…")
            self._patience.start()

    @Slot()
    def _estimate(self) -> None:
        try:
            self._maker.estimate(self._moment(), self.spec())
        except ValueError as error:
            self._fail(str(error))

    @Slot(int, float, float, QImage)
    def _show_estimate(self, n_pictures: int, seconds: float, n_bytes: float, image: QImage) -> None:
        ratio = self.devicePixelRatioF()
        smooth = Qt.TransformationMode.SmoothTransformation
        picture = QPixmap.fromImage(image).scaled(STILL * ratio, Qt.AspectRatioMode.KeepAspectRatio, smooth)
        picture.setDevicePixelRatio(ratio)
        self._still.setPixmap(picture)
        self._summary.say(f"{count(n_pictures, 'picture')}, {span_of_time(seconds)}, about {megabytes(n_bytes)}.")

    def _moment(self) -> Context:
        """Return the state to film; raise ValueError with a sentence while it cannot be filmed."""
        if not fast_loops.ready():
            raise ValueError("The fast solver is still being prepared: try again in a moment.")
        now = self._controller
        return moment_of(now.document, now.session, self._scheduler.results, self._grids())

    # -- the film --------------------------------------------------------------------------------------------------

    @Slot()
    def _ask_path(self) -> None:
        try:
            spec = self.spec()
            plan.check(self._controller.document, spec.content)
        except ValueError as error:
            self._alert(str(error))
            return
        self._remember()
        offered = Path(self._settings.values.folder) / f"film.{spec.kind}"
        kinds = {f"{plan.TITLES[spec.kind].split(':')[0]} film": f".{spec.kind}"}
        ask_where(self, "film.path", "Save the film as", offered, kinds, lambda path: self._make(spec, path))

    def _make(self, spec: FilmSpec, path: Path) -> None:
        self._patience.stop()
        try:
            if plan.check_kind(path) != spec.kind:
                raise ValueError(f"{path.name} was not saved: the name of this film must end in .{spec.kind}.")
            self._maker.make(self._moment(), spec, path)
        except ValueError as error:
            self._alert(str(error))
            return
        self._settings.write(folder=str(path.parent))
        self._path = path
        self._show_busy()

    def _show_busy(self) -> None:
        busy = self._path is not None
        self._inner.setEnabled(not busy)
        self._save.setEnabled(not busy)
        self._cancel.setEnabled(busy)
        self._bar.setVisible(busy)
        if busy:
            self._bar.setRange(0, 0)
            self._summary.say("Making the film…")
            self._cancel.setFocus()
        else:
            self._show_able()

    @Slot(int, int, float)
    def _show_progress(self, done: int, of: int, left: float) -> None:
        self._bar.setRange(0, of)
        self._bar.setValue(done if of else -1)
        if of:
            rest = f", {span_of_time(max(left, 0.1))} left" if done < of else ", writing the file"
            self._summary.say(f"Picture {done} of {of}{rest}…")

    @Slot()
    def _stop_making(self) -> None:
        if self._maker.cancel():
            self._end("The film was cancelled; no file is left.")

    @Slot()
    def _finish(self) -> None:
        path = cast(Path, self._path)
        try:
            size = f" ({megabytes(path.stat().st_size)})"
        except OSError:
            size = ""
        self._end(f"Saved {path.name}{size}.")
        self._controller.say(f"Saved {path.name}.")

    def _end(self, sentence: str) -> None:
        self._path = None
        self._show_busy()
        if self._scene is not None:
            self.render_scene(*self._scene)  # the document may have changed
        self._summary.say(sentence)
        self._save.setFocus()

    @Slot(str)
    def _fail(self, sentence: str) -> None:
        if self._path is not None:
            self._end(sentence)
            self._alert(sentence)
        else:
            self._still.clear()
            self._summary.say(sentence)

    # -- coming and going ------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        inner = self._inner.sizeHint().expandedTo(QSize(FORM, 0))
        frame = self.size() - self._scroll.viewport().size()
        self.resize((inner + frame).boundedTo(self.screen().availableSize()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The main window is closed; a minimised window sends a spontaneous event instead.
        if event.type() == QEvent.Type.Hide and not event.spontaneous():
            self.close()
        return False

    def done(self, result: int) -> None:
        """Clean up, in whichever way the dialog is closed."""
        self._patience.stop()
        self._maker.close()
        self._window.removeEventFilter(self)
        super().done(result)
