"""Application: create the one QApplication, with the name, icon and style of the program."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from app.core.version import NAME

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

#: Typefaces in place of DejaVu Sans, the best one first; none is shipped.
FONTS = ("Inter", "Noto Sans", "Cantarell", "Open Sans")


def make_application() -> QApplication:
    """Return the one QApplication; without a display it draws offscreen, since Qt would abort the process."""
    import_plain_parts()
    from PySide6.QtCore import QLocale, Qt
    from PySide6.QtGui import QFont, QFontInfo
    from PySide6.QtWidgets import QApplication

    from app.views.overrides import guard_all

    guard_all()
    QLocale.setDefault(QLocale.c())  # numbers are the same everywhere: in Egypt, a spin box would show other digits
    present = QApplication.instance()
    if isinstance(present, QApplication):
        return present
    if no_display():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    # A computing thread must not keep the window's thread waiting for the interpreter lock.
    sys.setswitchinterval(0.001)
    application = QApplication([NAME])
    application.setApplicationName(NAME)
    application.setApplicationDisplayName("Classifier Playground")
    application.setDesktopFileName(NAME)  # names the desktop entry that --integrate writes; the windows get its icon
    from app.views.app_icon import app_icon

    application.setWindowIcon(app_icon())
    application.setStyle("Fusion")
    font = application.font()
    if QFontInfo(font).family().startswith("DejaVu"):  # where the desktop has chosen nothing
        font.setFamily(next((each for each in FONTS if QFontInfo(QFont(each)).family() == each), font.family()))
    font.setFeature(QFont.Tag("tnum"), 1)  # numbers that change stay in place
    application.setFont(font)
    # Else the style sheet gives each widget a palette of its own, which a new theme would not reach.
    application.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
    return application


def import_plain_parts() -> None:
    """Import the modules that need no Qt: PySide6 reads the source of each module imported after it."""
    if "PySide6" not in sys.modules:
        import app.controllers.controller
        import app.engine.compile_ahead
        import app.engine.scheduler
        import app.scene.compose  # noqa: F401


def no_display() -> bool:
    """Return True if there is no display to open a window on."""
    return sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
