"""AppIcon: the icon of the program."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from app.files.assets import assets
from app.views.png_bytes import png_bytes

FILE = "classifier-playground.svg"


def app_icon() -> QIcon:
    """For windows; drawn when it is asked for."""
    return QIcon(str(assets("desktop") / FILE))


def picture(size: int) -> bytes:
    """The icon as a PNG file of so many pixels each way; needs no application."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray((assets("desktop") / FILE).read_bytes())).render(painter)
    painter.end()
    return png_bytes(image)
