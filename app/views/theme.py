"""Theme: the colours and shapes of both themes, and the style sheet that applies them to Qt.

The class colours start from Okabe and Ito's palette, safe for colour-vision deficiency, darkened on white where their
contrast would fall below 3:1, and bright enough on dark that they or their black outline stand out from every
surface; each class also has a shape of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from string import Template

from PySide6.QtCore import QDir, QEvent, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.engine.shading import ON_WHITE, RGB, Shades
from app.files.assets import asset, assets
from app.state.document import ClassStyle

#: Sizes of text as multiples of the window's own: of subscripts, and of headlines and what is read from further away.
SMALL, LARGE = 0.82, 1.2
#: Width and height of the smallest slider handle (pixels); odd, so that it has a middle pixel.
LEAST_HANDLE = 15
#: What the style sheet (assets/style/window.qss) names: colours of the palette, which has no visited links, and the one
#: border, the one radius and the one ring of what has the keyboard focus.
TOKENS = {
    "accent": "palette(highlight)",
    "base": "palette(base)",
    "button": "palette(button)",
    "edge": "palette(link-visited)",
    "faint": "palette(placeholder-text)",
    "hover": "palette(midlight)",
    "ink": "palette(text)",
    "line": "palette(mid)",
    "on_accent": "palette(highlighted-text)",
    "bad": "palette(bright-text)",
    "window": "palette(window)",
    "border": "1px solid",
    "radius": "4px",
    "ring": "2px solid palette(highlight)",
}
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
    hover: RGB
    line: RGB
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
    hover=(230, 230, 232),
    line=(212, 212, 215),
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
    base=(32, 32, 34),
    button=(58, 58, 61),
    hover=(72, 72, 76),
    line=(84, 84, 88),
    accent=(70, 150, 225),
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
    handle, groove = max(round(0.9 * pixels) | 1, LEAST_HANDLE), max(round(0.2 * pixels) | 1, 3)
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
        role.Midlight: theme.hover,
        role.Mid: theme.line,
        role.PlaceholderText: theme.faint,
        role.HighlightedText: theme.background,
        role.Link: theme.link,
        role.BrightText: theme.bad,
        role.LinkVisited: theme.edge,
    }.items():
        palette.setColor(which, QColor(*colour))
    for which in (role.WindowText, role.Text, role.ButtonText, role.ToolTipText):
        palette.setColor(which, ink)
        palette.setColor(QPalette.ColorGroup.Disabled, which, faint)
    QApplication.setPalette(palette)
    QApplication.sendPostedEvents(None, QEvent.Type.ApplicationPaletteChange)  # what is drawn next may look at it
    if not window.styleSheet():
        QDir.setSearchPaths("style", [str(assets("style"))])
        sheet = Template(asset("style", "window.qss").decode())
        # On the application, it would also polish widgets during their destruction.
        window.setStyleSheet(sheet.substitute(TOKENS) + slider_rules(0))
    else:  # Qt keeps the colours of a rule that it has used
        for widget in window.findChildren(QWidget):
            widget.style().polish(widget)
