"""PictureFields: the fields shared by the dialogs of pictures and films: size, theme and legend."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QCheckBox

from app.views.widgets.form_fields import combo_box, describe, show_choice, show_number, spin_box


class PictureFields:
    """Size, theme and legend of an exported picture or film.

    Parameters
    ----------
    name, noun : str
        First part of the object names, and what is exported.
    size : str
        Last part of the object name of the choice of a size.
    sizes : iterable of (str, str)
        Titles and keys of the sizes.
    limits : tuple of int
        Smallest and largest side (pixels).
    characters : int
        Width of the choices (characters); 0: as wide as their entries.
    """

    def __init__(
        self,
        name: str,
        noun: str,
        size: str,
        sizes: Iterable[tuple[str, str]],
        limits: tuple[int, int],
        characters: int = 0,
    ) -> None:
        self.size = describe(
            combo_box([*sizes, ("Custom size", "own")], characters),
            f"{name}.{size}",
            f"Size of the {noun}",
            "Text, lines and symbols are made as large as they must be to be read there.",
        )
        low, high = limits
        self.width, self.height = (
            describe(
                spin_box(low, high, suffix=" px"),
                f"{name}.{side.lower()}",
                f"{side} in pixels",
                f"{low} to {high} pixels.",
            )
            for side in ("Width", "Height")
        )
        for side in (self.width, self.height):
            side.valueChanged.connect(lambda: show_choice(self.size, "own"))
        self.theme = describe(
            combo_box([("Same as window", "window"), ("Light", "light"), ("Dark", "dark")], characters),
            f"{name}.theme",
            f"Theme of the {noun}",
            "Light for paper, dark for a dim room.",
        )
        self.legend = describe(
            QCheckBox("With a legend"),
            f"{name}.legend",
            "With a legend",
            "Classes and signs are explained below the plots.",
        )

    def show_size(self, width: int, height: int) -> None:
        """Show a size in pixels."""
        show_number(self.width, width)
        show_number(self.height, height)

    def is_dark(self, window: bool) -> bool:
        """Return True if the theme is dark; `window`: whether that of the window is."""
        return window if self.theme.currentData() == "window" else self.theme.currentData() == "dark"
