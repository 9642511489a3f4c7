"""Buttons, check boxes, combo boxes and sliders with their names, teaching sentence and handler."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from PySide6.QtWidgets import QAbstractButton, QCheckBox, QComboBox, QSlider

from .inputs import WholeField, combo_box, describe
from .slider import Slider

Button = TypeVar("Button", bound=QAbstractButton)
Combo = TypeVar("Combo", bound=QComboBox)


def clickable(button: Button, name: str, title: str, tip: str, act: Callable[[], object]) -> Button:
    """Give `button` its object name, its `title` for people, its `tip` and the handler `act`; return the button."""
    button.clicked.connect(lambda: act())
    return describe(button, name, title, tip)


def check_box(text: str, name: str, title: str, tip: str, act: Callable[[bool], object]) -> QCheckBox:
    """Return a check box with its names and `tip`; ``act(on)`` receives the user's choice."""
    box = describe(QCheckBox(text), name, title, tip)
    box.clicked.connect(lambda on: act(on))
    return box


def choosable(combo: Combo, name: str, title: str, tip: str, act: Callable[[Any], object]) -> Combo:
    """Give `combo` its names and `tip`; `act` receives the data of the user's choice; return the combo box."""
    combo.activated.connect(lambda: act(combo.currentData()))
    return describe(combo, name, title, tip)


def chooser(
    name: str,
    title: str,
    tip: str,
    act: Callable[[Any], object],
    entries: Iterable[tuple[str, object]] = (),
    width: int = 0,
) -> QComboBox:
    """Return a combo box as `combo_box`, made `choosable`."""
    return choosable(combo_box(entries, width), name, title, tip, act)


def number_box(
    name: str, title: str, tip: str, act: Callable[[int], object], low: int, high: int, step: int = 1, suffix: str = ""
) -> WholeField:
    """Return a field for a whole number with its names and `tip`; ``act(number)`` receives a number that was typed."""
    made = describe(WholeField(low, high, step, suffix), name, title, tip)
    made.valueChanged.connect(lambda value: act(value))
    return made


def slider(
    name: str, title: str, tip: str, act: Callable[[int], object], high: int = 99, low: int = 0, page: int = 10
) -> QSlider:
    """Return a horizontal slider with its names and `tip`; ``act(position)`` receives where the user moves it.

    Parameters
    ----------
    name, title, tip : str
        As for `describe`.
    act : callable
    high, low : int
        Last and first position.
    page : int
        Number of positions that a click beside the handle, or a page key, moves by.
    """
    made = describe(Slider(), name, title, tip)
    made.setRange(low, high)
    made.setPageStep(page)
    made.actionTriggered.connect(lambda: act(made.sliderPosition()))
    return made
