"""AppIcon: the icon of the program."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QImageReader

from app.files.assets import assets
from app.views.png_bytes import png_bytes

FILE = "classifier-playground.svg"


def app_icon() -> QIcon:
    """For windows; drawn when it is asked for."""
    return QIcon(str(assets("desktop") / FILE))


def picture(size: int) -> bytes:
    """The icon as a PNG file of so many pixels each way; needs no application."""
    reader = QImageReader(str(assets("desktop") / FILE))
    reader.setScaledSize(QSize(size, size))
    return png_bytes(reader.read())
