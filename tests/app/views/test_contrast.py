"""Contrast: 4.5:1 of texts and 3:1 of marks, in both themes, against the backgrounds they are drawn on.

The surfaces of all classes, however sure the model is, are among the backgrounds.  Exempt are: disabled controls; the
pale hatch of a picture that is not certified, the grey of a tie and the haze, which the badge, the legend and the panel
report in words.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QRadioButton, QWidget

from app.engine.overlays import LineStyle
from app.engine.shading import RGB, colour
from app.features.evaluation.panel import FULLEST
from app.features.lessons import overlay as lesson_overlay
from app.features.study.view_picture import readable_on
from app.features.table import FEATURES
from app.views import kkt_style
from app.views.chart.colour_map import rgb_of, shades
from app.views.plot.overlays import pens_of
from app.views.plot.symbols import FREE_OF, MARKS, TEST_POINTS, shapes
from app.views.theme import DARK, LIGHT, SYMBOLS, Theme
from app.window.presenter import pen_layer
from solver.kernels.pixels import LEVELS
from tests.windows import Make

TEXT, MARK = 4.5, 3.0
both = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def ratio(one: RGB, other: RGB) -> float:
    """Return the contrast by the formula of WCAG 2, without the program's own function."""
    light = []
    for rgb in (one, other):
        c = np.array(rgb, dtype=float) / 255
        light.append(float(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)))
    return (max(light) + 0.05) / (min(light) + 0.05)


def over(above: RGB, below: RGB, alpha: float) -> RGB:
    """Return the visible colour of two, the upper of which is translucent."""
    return tuple(a * alpha / 255 + b * (1 - alpha / 255) for a, b in zip(above, below, strict=True))


def rgb(of: QColor) -> RGB:
    return of.red(), of.green(), of.blue()


def surfaces(theme: Theme) -> list[RGB]:
    """Return the colours of the plane: every class, sure or not, a tie, and none."""
    classes, sureness = np.meshgrid(np.arange(8), np.linspace(0, 1, LEVELS), indexing="ij")
    packed = colour(theme.shades, classes.astype(np.int8), sureness, np.zeros(classes.shape, dtype=bool)).ravel()
    shown = {(int(each) >> 16 & 255, int(each) >> 8 & 255, int(each) & 255) for each in packed}
    return [*sorted(shown), theme.tie, theme.background]


def least(inks: list[RGB], backgrounds: list[RGB]) -> float:
    """Return the least contrast of a mark with several colours, the best of which counts on each background."""
    return min(max(ratio(ink, background) for ink in inks) for background in backgrounds)


def test_the_formula_is_that_of_the_wcag() -> None:
    assert ratio((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert ratio((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.005)


def test_texts_of_the_window(make: Make) -> None:
    """Texts of the palette that the window really has, and of badges."""
    window = make(wait=False)
    for theme in (LIGHT, DARK):
        window.appearance.choose_theme("dark" if theme.dark else "light")
        window.refreshing.flush()
        palette, role = QApplication.palette(), QPalette.ColorRole
        backgrounds = [role.Window, role.Base, role.AlternateBase, role.Button]
        for text in (role.WindowText, role.Text, role.ButtonText, role.PlaceholderText, role.Link):
            for background in backgrounds:
                if text is not role.Link or background is not role.Button:
                    assert ratio(rgb(palette.color(text)), rgb(palette.color(background))) >= TEXT, (text, background)
        assert rgb(palette.color(role.WindowText)) == theme.ink
        assert ratio(rgb(palette.color(role.HighlightedText)), rgb(palette.color(role.Highlight))) >= TEXT
        assert ratio(rgb(palette.color(role.ToolTipText)), rgb(palette.color(role.ToolTipBase))) >= TEXT
        for mood, (ink, background) in theme.moods.items():
            assert ratio(ink, background) >= TEXT and ratio(background, theme.window) >= MARK, mood


@both
def test_texts_of_pictures(theme: Theme) -> None:
    """On their plates, over any surface; in charts; in tables of colours."""
    everywhere = surfaces(theme)
    for alpha in (215, 220, 225):  # of legends, labels and covers
        plates = [over(theme.background, background, alpha) for background in everywhere]
        assert least([theme.ink], plates) >= TEXT
        assert least([theme.faint], plates) >= TEXT
    assert least([theme.ink, theme.background][:1], [theme.background, theme.base, theme.window]) >= TEXT
    assert ratio(theme.background, theme.accent) >= TEXT, "the number beside the wipe"
    assert ratio(theme.background, theme.ink) >= TEXT
    assert ratio(theme.background, lesson_overlay.COLOURS[theme.dark]) >= TEXT, "on a cover"
    shares = [over(theme.accent, theme.background, FULLEST * alpha) for alpha in range(256)]
    assert least([theme.ink], shares) >= TEXT, "the table of predicted classes"


def test_numbers_in_the_cells_of_a_map() -> None:
    for midpoint, level in itertools.product((False, True), range(256)):
        background = rgb_of(int(shades(midpoint)[level]))
        assert ratio(readable_on(background), background) >= TEXT


@both
def test_points_stand_out_from_every_surface(theme: Theme) -> None:
    """Fill or outline does, of points and test points, whichever class is predicted at their location."""
    everywhere = surfaces(theme)
    for kind in (*map(str, range(8)), *TEST_POINTS):
        _, pen, brush = shapes(theme, kind)[0]
        assert least([rgb(pen.color()), rgb(brush.color())], everywhere) >= MARK, kind
    for kind in TEST_POINTS:
        body, hole = shapes(theme, kind)
        assert ratio(rgb(hole[2].color()), rgb(body[2].color())) >= MARK, kind


@both
def test_marks_and_lines_stand_out_from_every_surface(theme: Theme) -> None:
    everywhere = surfaces(theme)
    for kind in MARKS:
        colours = [rgb(part.color()) for _, pen, brush in shapes(theme, kind) for part in (pen, brush) if part.style()]
        assert least(colours, everywhere) >= MARK, kind
    assert least([theme.ink], everywhere) >= MARK, "boundaries and margins"
    for style in line_styles():
        if not style.faint:
            halo, line = (pen.color() for pen in pens_of(style, theme, style.width))
            seams = [over(rgb(halo), background, halo.alpha()) for background in everywhere]
            assert least([rgb(line)], seams) >= MARK, style
    for case in kkt_style.CASES.values():  # on a seam that is visible on every surface
        assert ratio(rgb(case.colour(theme)), theme.background) >= MARK
    seams = [over(theme.background, background, 200) for background in everywhere]
    assert least([theme.ink], seams) >= MARK and least([theme.accent], seams) >= MARK, "brush, cursor and selection"
    assert least([ink[theme.dark] for ink in pen_layer.INKS], [theme.background]) >= MARK


@both
def test_focus_edges_and_icons(theme: Theme) -> None:
    for background in (theme.background, theme.window, theme.base, theme.button):
        assert ratio(theme.accent, background) >= MARK, "where the keys go to"
        assert ratio(theme.ink, background) >= MARK, "icons"
    for background in (theme.window, theme.base):
        assert ratio(theme.edge, background) >= MARK and ratio(theme.bad, background) >= MARK


def line_styles() -> Iterator[LineStyle]:
    for feature in FEATURES:
        for entry in feature.legend:
            if isinstance(entry.kind, LineStyle):
                yield entry.kind


def test_radio_buttons_have_an_outline_and_a_dot(make: Make) -> None:
    """Of each, across its middle: the outline against the window; the dot of the chosen one against its background."""
    window = make()
    for theme in (LIGHT, DARK):
        window.appearance.choose_theme("dark" if theme is DARK else "light")
        box = QWidget(window)
        for index in range(2):
            button = QRadioButton(box)
            button.setChecked(index == 1)
            button.setGeometry(0, 30 * index, 30, 30)
        box.setGeometry(0, 0, 30, 60)
        box.show()
        window.refreshing.flush()
        image = box.grab().toImage()
        rows = [[rgb(image.pixelColor(x, y)) for x in range(20)] for y in (15, 45)]
        assert max(ratio(each, theme.window) for each in rows[0]) >= MARK
        assert max(ratio(chosen, plain) for plain, chosen in zip(*rows, strict=True)) >= MARK


def test_nothing_is_shown_by_colour_alone() -> None:
    """Lines differ in dashes or width, classes in shape, support vectors in outline, badges in words."""
    drawn = [(style.dashes, style.width, style.faint) for style in line_styles()]
    assert len(set(drawn)) == len(drawn) >= 2
    for theme in (LIGHT, DARK):
        outlines = [shapes(theme, str(label))[0][0] for label in range(8)]
        assert all(one != other for one, other in itertools.combinations(outlines, 2)) and len(set(SYMBOLS)) == 8
        for label in range(8):
            (free, pen, brush), (point, own, _) = shapes(theme, FREE_OF[label])[0], shapes(theme, str(label))[0]
            assert free.boundingRect().width() > point.boundingRect().width() + 3 and pen.widthF() > own.widthF()
            assert not brush.style().value
    shaped = [(case.shape, case.size, case.pattern) for case in kkt_style.CASES.values()]
    assert len({shape for shape, _, _ in shaped} | {size for _, size, _ in shaped}) >= 4 and len(set(shaped)) == 4
