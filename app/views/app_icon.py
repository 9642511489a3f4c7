"""AppIcon: the icon of the program."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QImageReader

from app.files.assets import assets
from app.views.png_bytes import png_bytes

FILE = "classifier-playground.svg"


def app_icon() -> QIcon:
    """Return the icon of the program's windows; it is drawn when first needed."""
    return QIcon(str(assets("desktop") / FILE))


def picture(size: int) -> bytes:
    """Return the icon as a PNG file of `size` × `size` pixels; no application is needed."""
    reader = QImageReader(str(assets("desktop") / FILE))
    reader.setScaledSize(QSize(size, size))
    return png_bytes(reader.read())
