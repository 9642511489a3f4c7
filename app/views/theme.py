"""Theme: the colours and shapes of both themes, and the style sheet that applies them to Qt.

The class colours start from Okabe and Ito's palette, safe for colour-vision deficiency, darkened on white where their
contrast would fall below 3:1, and bright enough on dark that they or their black outline stand out from every
surface; each class also has a shape of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QLineEdit, QRadioButton, QSlider, QToolButton, QWidget

from app.engine.shading import ON_WHITE, RGB, Shades
from app.state.document import ClassStyle

#: Width and height of the smallest slider handle (pixels); odd, so that it has a middle pixel.
LEAST_HANDLE = 15
#: Colours of the palette in a style sheet; the application has no visited links.
ACCENT, BASE, EDGE, INK = (f"palette({role})" for role in ("highlight", "base", "link-visited", "text"))
#: Widgets with colours in the style sheet.
COLOURED = (QLineEdit, QRadioButton, QSlider, QToolButton)
#: One shape per class, in pyqtgraph's names: disc, square, triangle, diamond, star, pentagon, triangle down, hexagon.
SYMBOLS = ("o", "s", "t1", "d", "star", "p", "t", "h")
SHAPE_NAMES = ("disc", "square", "triangle", "diamond", "star", "pentagon", "triangle down", "hexagon")


@dataclass(frozen=True)
class Theme:
    """Colours of one theme."""

    dark: bool
    background: RGB
    ink: RGB
    faint: RGB
    classes: tuple[RGB, ...]
    tie: RGB
    window: RGB
    base: RGB
    button: RGB
    accent: RGB
    #: Colours of links, of the edges of fields, and of the edges of fields with invalid input.
    link: RGB
    edge: RGB
    bad: RGB
    #: Foreground and background colour of a badge in each mood.
    moods: dict[str, tuple[RGB, RGB]] = field(default_factory=dict, compare=False, hash=False)

    @property
    def shades(self) -> Shades:
        """The colours needed to colour a surface."""
        return Shades(self.background, self.classes, self.tie)


LIGHT = Theme(
    dark=False,
    background=(255, 255, 255),
    ink=(20, 20, 20),
    faint=(95, 95, 95),
    classes=ON_WHITE,
    tie=(196, 196, 196),
    window=(243, 243, 244),
    base=(255, 255, 255),
    button=(250, 250, 250),
    accent=(0, 98, 168),
    link=(0, 98, 168),
    edge=(134, 134, 138),
    bad=(208, 48, 48),
    moods={
        "certified": ((255, 255, 255), (0, 105, 75)),
        "moving": ((255, 255, 255), (0, 98, 168)),
        "resting": ((255, 255, 255), (90, 90, 90)),
        "doubtful": ((255, 255, 255), (176, 58, 0)),
        "unproved": ((255, 255, 255), (90, 90, 90)),
    },
)
DARK = Theme(
    dark=True,
    background=(32, 32, 32),
    ink=(240, 240, 240),
    faint=(176, 176, 176),
    classes=(
        (84, 178, 240),
        (248, 146, 72),
        (28, 194, 141),
        (226, 150, 192),
        (236, 170, 20),
        (180, 161, 255),
        (240, 228, 66),
        (206, 166, 124),
    ),
    tie=(96, 96, 96),
    window=(43, 43, 45),
    base=(66, 66, 70),
    button=(60, 60, 63),
    accent=(90, 170, 240),
    link=(130, 190, 250),
    edge=(142, 142, 146),
    bad=(255, 110, 110),
    moods={
        "certified": ((10, 20, 15), (70, 200, 150)),
        "moving": ((10, 15, 25), (90, 170, 240)),
        "resting": ((15, 15, 15), (190, 190, 190)),
        "doubtful": ((25, 10, 0), (250, 150, 80)),
        "unproved": ((15, 15, 15), (190, 190, 190)),
    },
)


def theme_of(dark: bool) -> Theme:
    """Return the dark or the light theme."""
    return DARK if dark else LIGHT


def dressed(theme: Theme, styles: tuple[ClassStyle, ...]) -> Theme:
    """Return `theme` with the document's own class colours; equal colours give the same object."""
    colours = tuple(style.colour for style in styles)
    return _dressed(theme, colours) if any(colours) else theme


@lru_cache(maxsize=16)
def _dressed(theme: Theme, colours: tuple[str, ...]) -> Theme:
    pairs = zip(colours, theme.classes, strict=True)
    return replace(theme, classes=tuple(rgb_of(colour) if colour else own for colour, own in pairs))


def rgb_of(colour: str) -> RGB:
    """Return the RGB values of a colour: "#ff8000" -> (255, 128, 0)."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(colour: RGB, background: RGB, share: float) -> RGB:
    """Return a colour with opacity `share` over a background colour."""
    red, green, blue = (round(share * ink + (1 - share) * below) for ink, below in zip(colour, background, strict=True))
    return red, green, blue


def contrast(first: RGB, second: RGB) -> float:
    """Return the contrast of two colours, 1 to 21, as defined by WCAG 2."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: RGB) -> float:
    parts = [c / 255 for c in colour]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def system_is_dark() -> bool:
    """Return True if the desktop prefers a dark theme; False if unknown."""
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def text_font(pixels: int) -> QFont:
    """Return a font that sets the size of text (pixels), and nothing else; 0 sets nothing."""
    font = QFont()
    if pixels:
        font.setPixelSize(pixels)
    return font


def slider_rules(pixels: int) -> str:
    """Return the style rules of sliders beside text of the given size."""
    handle, groove = max(round(0.9 * pixels) | 1, LEAST_HANDLE), max(round(0.25 * pixels) | 1, 5)
    return f"""
        QSlider {{ min-height: {max(handle + 4, 26)}px; }}
        QSlider::groove:horizontal {{ height: {groove}px; border-radius: {groove // 2}px; }}
        QSlider::handle:horizontal {{
            width: {handle}px; margin: {(groove - handle) // 2}px 0; border-radius: {handle // 2}px;
        }}
        """


def apply(theme: Theme, window: QWidget, text_size: int) -> None:
    """Apply the theme to `window` and its dialogs; `text_size` in points, 0 for the desktop's."""
    if text_size and text_size != QApplication.font().pointSize():
        font = QApplication.font()
        font.setPointSize(text_size)
        QApplication.setFont(font)  # a style sheet's would reach each widget once for every widget around it
        QApplication.sendPostedEvents(None, QEvent.Type.ApplicationFontChange)
    palette = QPalette()
    role = QPalette.ColorRole
    ink, faint = QColor(*theme.ink), QColor(*theme.faint)
    for which, colour in {
        role.Window: theme.window,
        role.Base: theme.base,
        role.AlternateBase: theme.window,
        role.Button: theme.button,
        role.ToolTipBase: theme.base,
        role.Highlight: theme.accent,
    }.items():
        palette.setColor(which, QColor(*colour))
    for which in (role.WindowText, role.Text, role.ButtonText, role.ToolTipText):
        palette.setColor(which, ink)
        palette.setColor(QPalette.ColorGroup.Disabled, which, faint)
    palette.setColor(role.PlaceholderText, faint)
    palette.setColor(role.HighlightedText, QColor(*(theme.background)))
    palette.setColor(role.Link, QColor(*theme.link))
    palette.setColor(role.BrightText, QColor(*theme.bad))
    palette.setColor(role.LinkVisited, QColor(*theme.edge))
    QApplication.setPalette(palette)
    QApplication.sendPostedEvents(None, QEvent.Type.ApplicationPaletteChange)  # what is drawn next may look at it
    if not window.styleSheet():
        window.setStyleSheet(STYLE_SHEET)  # on the application, it would also polish widgets during their destruction
    else:  # Qt keeps the colours of a rule that it has used
        for kind in COLOURED:
            for widget in window.findChildren(kind):
                widget.style().polish(widget)


#: Dot of a radio button: without these rules, its outline would be invisible on a dark window.
DOT = "background: qradialgradient(cx: 0.5, cy: 0.5, fx: 0.5, fy: 0.5, radius: 0.5, "
#: Style sheet of a window, which takes its colours from the palette and the size of text from the application's font.
#: It never changes: a new one costs 50 us for each widget, most of which are hidden.
STYLE_SHEET = f"""
        QToolTip {{ color: {INK}; background: {BASE}; border: 1px solid {EDGE}; padding: 4px; }}
        QComboBox, QSpinBox, QLineEdit, QPushButton, QToolButton {{ min-height: 24px; }}
        QCheckBox, QRadioButton {{ min-height: 26px; }}
        QRadioButton::indicator {{
            width: 13px; height: 13px; border: 1px solid {EDGE}; border-radius: 7px; background: {BASE};
        }}
        QRadioButton::indicator:focus, QRadioButton::indicator:hover {{ border-color: {ACCENT}; }}
        QRadioButton::indicator:checked {{ {DOT} stop: 0.55 {ACCENT}, stop: 0.65 {BASE}); }}
        QRadioButton::indicator:checked:disabled {{ {DOT} stop: 0.55 {EDGE}, stop: 0.65 {BASE}); }}
        {slider_rules(0)}
        QSlider {{ border: 1px solid transparent; border-radius: 4px; }}
        QSlider:focus {{ border-color: {ACCENT}; }}
        QSlider::groove:horizontal {{ background: {EDGE}; }}
        QSlider::sub-page:horizontal {{ border-radius: 2px; background: {ACCENT}; }}
        QSlider::sub-page:horizontal:disabled {{ background: {EDGE}; }}
        QSlider::handle:horizontal {{ background: {ACCENT}; }}
        QSlider::handle:horizontal:hover {{ background: {INK}; }}
        QSlider::handle:horizontal:disabled {{ background: {EDGE}; }}
        QLineEdit {{ border: 1px solid {EDGE}; border-radius: 3px; padding: 0 3px; }}
        QSpinBox QLineEdit {{ border: 0; }}
        QLineEdit:focus {{ border-color: {ACCENT}; }}
        QLineEdit[bad="true"] {{ border: 2px solid palette(bright-text); }}
        QDialogButtonBox, QMessageBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
        QToolBar {{ border: 0; spacing: 2px; padding: 2px; }}
        QToolButton {{ padding: 2px 3px; border-radius: 4px; border: 1px solid transparent; }}
        QToolButton:hover {{ border-color: {EDGE}; }}
        QToolButton:checked {{ border-color: {ACCENT}; background: {BASE}; }}
        QToolButton:focus {{ border-color: {ACCENT}; }}
        QToolButton:checked:focus {{ border: 2px solid {ACCENT}; padding: 1px 2px; }}
        """
