"""PictureDialog: which picture to export, its size and appearance, and its target: a file or the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import cast

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.files.settings import Settings
from app.views.export.fields import PictureFields
from app.views.export.layout import LARGEST_SIDE, LEAST_SIDE, PRESETS, PictureSpec, Shot, What, scale_for
from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.inputs import combo_box, describe, filled, show_check, show_choice
from app.views.widgets.qt_dialogs import NamedDialog, add_action, ask_where

KINDS = {"PNG picture": ".png", "SVG drawing": ".svg", "TikZ drawing (LaTeX)": ".tex"}
#: Width, height and scale of a picture on screen.
Size = tuple[int, int, float]


class PictureDialog(NamedDialog):
    """Ask which picture to export, and pass the choice on; it never waits for the picture.

    Parameters
    ----------
    parent : QWidget
    settings : Settings
        Remember the choices.
    lanes : sequence of str
        Names of the lanes on screen.
    dark : bool
        Whether the window's theme is dark.
    screen_size : callable
        ``screen_size(what)`` returns the size of a picture on screen.
    shoot : callable
        ``shoot(what)`` returns a copy of what is displayed now.
    make : callable
        ``make(shot, request, path)``; `path` is None for the clipboard.
    alert : callable
        ``alert(sentence)`` shows an error.
    """

    def __init__(
        self,
        parent: QWidget,
        settings: Settings,
        lanes: list[str],
        dark: bool,
        screen_size: Callable[[What], Size],
        shoot: Callable[[What], Shot],
        make: Callable[[Shot, PictureSpec, Path | None], object],
        alert: Callable[[str], None],
    ) -> None:
        super().__init__(parent, "picture", "Export picture", once=True)
        self._settings, self._dark, self._alert = settings, dark, alert
        self._screen_size, self._shoot, self._make = screen_size, shoot, make
        several = len(lanes) > 1
        whole = [("All classifiers side by side", "window")] if several else []
        single = [(f"{n + 1}  {name}" if several else name, f"lane{n}") for n, name in enumerate(lanes)]
        tip = "All classifiers side by side, or one of them."
        self._what = describe(combo_box([*whole, *single]), "picture.what", "What to export", tip)
        sizes = [("As on screen", "screen"), *((preset.title, preset.key) for preset in PRESETS)]
        self._fields = fields = PictureFields("picture", "picture", "preset", sizes, (LEAST_SIDE, LARGEST_SIDE))
        self._preset, self._width, self._height = fields.size, fields.width, fields.height
        self._accuracies = describe(
            QCheckBox("With accuracies"),
            "picture.accuracies",
            "With accuracies",
            "Training and test accuracy stand above each plot.",
        )
        self._lay_out()
        self._recall()
        self._preset.activated.connect(self._show_size)
        self._what.activated.connect(self._show_size)

    def _lay_out(self) -> None:
        form = AlignedForm()
        form.add(
            ("&What", self._what),
            ("&Size", self._preset),
            ("&Pixels", filled(QHBoxLayout(), self._width, QLabel("×"), self._height, 1), self._width),
            ("Th&eme", self._fields.theme),
            ("", self._fields.legend),
            ("", self._accuracies),
        )
        note = QLabel(
            "The surface is recomputed for these pixels. An SVG file keeps text, lines and symbols as shapes.",
            wordWrap=True,
        )
        buttons = self.button_box()
        name, title, tip = "picture.save", "Save the picture", "Into a PNG, SVG or TeX file."
        save = add_action(buttons, "Save &as…", name, title, tip, lambda: self._take(self._ask_path))
        name, title, tip = "picture.copy", "Copy the picture", "To the clipboard, to be pasted elsewhere."
        copy = add_action(buttons, "&Copy", name, title, tip, lambda: self._take(self._copy))
        save.setDefault(True)
        filled(QVBoxLayout(self), form, note, buttons)
        sides, look = (self._width, self._height), (self._fields.theme, self._fields.legend, self._accuracies)
        for before, after in pairwise((self._what, self._preset, *sides, *look, save, copy)):
            QWidget.setTabOrder(before, after)
        note.setMinimumWidth(396)  # not the dialog's own minimum: that would also hold for larger text

    # -- what is chosen --------------------------------------------------------------------------------------------

    def _recall(self) -> None:
        """Show the remembered choices, as far as they are still possible."""
        values = self._settings.values
        show_check(self._fields.legend, values.picture_legend)
        show_check(self._accuracies, values.picture_accuracies)
        for combo, value in (
            (self._what, values.picture_what),
            (self._preset, values.picture_preset),
            (self._fields.theme, values.picture_theme),
        ):
            show_choice(combo, value if combo.findData(value) >= 0 else combo.itemData(0))
        if self._preset.currentData() == "own":
            self._fields.show_size(values.picture_width, values.picture_height)
        self._show_size()

    def _remember(self) -> None:
        self._settings.write(
            picture_what=self._what.currentData(),
            picture_preset=self._preset.currentData(),
            picture_theme=self._fields.theme.currentData(),
            picture_legend=self._fields.legend.isChecked(),
            picture_accuracies=self._accuracies.isChecked(),
            picture_width=self._width.value(),
            picture_height=self._height.value(),
        )

    def _chosen_size(self) -> tuple[int, int, float, int]:
        """Return width, height, scale and dots per inch of the chosen preset."""
        key = self._preset.currentData()
        for preset in PRESETS:
            if preset.key == key:
                return preset.width, preset.height, preset.scale, preset.dpi
        if key == "screen":
            return *self._screen_size(cast(What, self._what.currentData())), 0
        width, height = self._width.value(), self._height.value()
        return width, height, scale_for(width, height), 0

    def _show_size(self) -> None:
        width, height, _, _ = self._chosen_size()
        self._fields.show_size(width, height)

    def spec(self) -> PictureSpec:
        """Return the chosen picture; raise ValueError with a sentence if it cannot be made."""
        for side in (self._width, self._height):
            side.interpretText()
        width, height, scale, dpi = self._chosen_size()
        what, accuracies = cast(What, self._what.currentData()), self._accuracies.isChecked()
        dark, legend = self._fields.is_dark(self._dark), self._fields.legend.isChecked()
        return PictureSpec(what, width, height, scale, dark, legend, dpi, accuracies)

    # -- what becomes of it ----------------------------------------------------------------------------------------

    def _take(self, use: Callable[[Shot, PictureSpec], None]) -> None:
        """Pass the choice and the displayed state to `use`; alert the user if that is impossible or a lane is gone."""
        try:
            spec = self.spec()
            shot = self._shoot(spec.what)
        except ValueError as error:
            self._alert(str(error))
            return
        self._remember()
        use(shot, spec)

    def _copy(self, shot: Shot, spec: PictureSpec) -> None:
        self._make(shot, spec, None)
        self.accept()

    def _ask_path(self, shot: Shot, spec: PictureSpec) -> None:
        offered = Path(self._settings.values.folder) / "picture.png"
        ask_where(self, "picture.path", "Save the picture as", offered, KINDS, partial(self._save, shot, spec))

    def _save(self, shot: Shot, spec: PictureSpec, path: Path) -> None:
        if path.suffix.lower() not in KINDS.values():
            self._alert(f"{path.name} was not saved: a picture's name must end in .png, .svg or .tex.")
            return
        self._settings.write(folder=str(path.parent))
        self._make(shot, spec, path)
        self.accept()
