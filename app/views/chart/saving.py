"""Saving a chart: its menu, its picture as PNG or SVG, and its numbers as CSV, to a file or the clipboard."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPaintDevice
from PySide6.QtWidgets import QMenu, QWidget

from app.core.csv_text import csv_text
from app.views.png_bytes import png_bytes
from app.views.theme import Theme
from app.views.widgets.painting import svg_bytes

from .axis import ChartAxis
from .marks import Cells, Mark
from .saver import ChartSaver

#: Pixels of a saved picture per pixel of the window.
FINE = 2.0


class Savable(Protocol):
    """The parts of a chart that saving uses."""

    x: ChartAxis
    y: ChartAxis
    marks: tuple[Mark, ...]
    theme: Theme
    zoomed: bool

    def widget(self) -> QWidget:
        """Return the widget."""

    def show_all(self) -> None:
        """Undo the zoom."""

    def paint_on(self, device: QPaintDevice) -> None:
        """Paint all of the chart on an image or a vector file."""


def open_menu(chart: Savable, at: QPoint) -> None:
    """Open the menu of `chart` at a location on the screen; it is created once."""
    found = chart.widget().findChild(QMenu, "chart.menu")
    menu = found if isinstance(found, QMenu) else _menu(chart)
    menu.actions()[0].setEnabled(chart.zoomed)
    menu.popup(at)


def _menu(chart: Savable) -> QMenu:
    menu = QMenu(chart.widget())
    menu.setObjectName("chart.menu")
    menu.addAction("Show all").triggered.connect(chart.show_all)
    menu.addSeparator()
    menu.addAction("Copy picture").triggered.connect(lambda: QGuiApplication.clipboard().setImage(image_of(chart)))
    menu.addAction("Copy numbers").triggered.connect(lambda: QGuiApplication.clipboard().setText(csv_of(chart)))
    saver = saver_of(chart.widget())
    if saver is not None:
        # Some file systems allow no colon in file names.
        name = (chart.widget().accessibleName() or "chart").replace(":", ",")
        menu.addAction("Save chart…").triggered.connect(lambda: saver.save(name, partial(bytes_of, chart)))
    return menu


def saver_of(widget: QWidget) -> ChartSaver | None:
    """Return the saver of the window that contains `widget`."""
    found: QWidget | None = widget
    while found is not None:
        saver = found.findChild(ChartSaver)
        if saver is not None:
            return saver
        found = found.parentWidget()
    return None


def bytes_of(chart: Savable, suffix: str) -> bytes:
    """Return the bytes of a file of `chart`."""
    if suffix == ".csv":
        return csv_of(chart).encode()
    return svg_of(chart) if suffix == ".svg" else png_bytes(image_of(chart))


def image_of(chart: Savable) -> QImage:
    """Return the picture of `chart`."""
    size = chart.widget().size() * FINE
    image = QImage(size, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(FINE)
    image.fill(QColor(*chart.theme.background))
    chart.paint_on(image)
    return image


def svg_of(chart: Savable) -> bytes:
    """Return the SVG file of `chart`."""
    return svg_bytes(chart.widget().size(), chart.widget().accessibleName(), chart.paint_on)


def csv_of(chart: Savable) -> str:
    """Return the numbers of the named marks, one row for each value; a map becomes a table in the displayed order."""
    cells = next((mark for mark in chart.marks if isinstance(mark, Cells)), None)
    if cells is not None:
        rows = zip(chart.y.names, cells.values.tolist(), strict=True)
        return csv_text([[cells.name, *chart.x.names], *([name, *row] for name, row in rows)])
    tables = [(mark.name, mark.columns()) for mark in chart.marks if mark.name]
    heads = list(dict.fromkeys(head for _, columns in tables for head in columns))
    found: list[list[object]] = [["series", *heads]]
    for name, columns in tables:
        for row in zip(*(np.atleast_1d(np.asarray(each)).tolist() for each in columns.values()), strict=True):
            values = dict(zip(columns, row, strict=True))
            found.append([name, *(values.get(head, "") for head in heads)])
    return csv_text(found)
