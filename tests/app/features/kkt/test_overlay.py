"""Marks, slacks, pair and card of a run on a plot: which, where, distinct without colour, always visible."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.engine.run_state import RunState, Slacks
from app.features.kkt.overlay import CARD, FOOT, PAIR, SEAMED, RunOverlay, run_overlay, to_repaint
from app.features.kkt.text import number, point_words
from app.learners.table import TRAINERS
from app.scene.marks import KKT_MARKS, case_of, kkt_marks
from app.scene.model import grid_of
from app.state.document import Document, Lane, View
from app.views import kkt_style
from app.views.plot import symbol_painting, symbols
from app.views.plot.label_placing import place_box
from app.views.plot.lines import to_pixels
from app.views.theme import DARK, LIGHT, Theme, contrast
from app.views.widgets.painting import broken
from solver import Kernel, SmoSolver
from solver.inspection.step_explanation import explain
from tests.app.features.studies import id_of, run_state_of, some_slacks
from tests.copies import replace
from tests.examples import examples
from tests.windows import Make

AREA = QRectF(50.0, 10.0, 400.0, 300.0)
GRID = grid_of(View(0.0, 0.0, 5.0), 400, 300)
WHOLE = QRectF(0, 0, 500, 340)


def overlay(
    run_state: RunState, hovered: int | None = None, old: RunOverlay | None = None, size: int = 10
) -> RunOverlay:
    made = run_overlay(run_state, GRID, AREA, hovered, font(size), old)
    assert made is not None
    return made


def font(size: int) -> QFont:
    made = QFont(QApplication.font())
    made.setPointSize(size)
    return made


def painted(what: RunOverlay | None, within: QRectF = WHOLE, theme: Theme = LIGHT) -> np.ndarray:
    image = QImage(500, 340, QImage.Format.Format_RGB32)
    image.fill(QColor(120, 150, 120))
    painter = QPainter(image)
    painter.setClipRect(within)
    if what is not None:
        what.paint(painter, theme, within)
    painter.end()
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(340, 500).copy()


# -- marks -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [0, 5, 30, None])
def test_each_point_has_the_mark_of_its_case(qapp: QApplication, steps: int | None) -> None:
    """The rows of the table, written out again."""
    whole = run_state_of(60, steps=steps, seed=2)
    some = np.arange(0, 60)[::-1].copy()  # the run's order need not be that of the points
    assert whole.alpha is not None and whole.kkt is not None
    report = replace(
        whole.kkt, case=whole.kkt.case[some], satisfied=whole.kkt.satisfied[some], violation=whole.kkt.violation[some]
    )
    run_state = replace(
        whole, index=some, y=whole.y[some], f=whole.f[some], alpha=whole.alpha[some], kkt=report, slacks=None
    )
    found = kkt_marks(run_state, run_state.points)
    assert found is not None and found is kkt_marks(run_state, run_state.points)
    marked = dict(zip(found.index.tolist(), [found.kinds[kind] for kind in found.kind.tolist()], strict=True))
    assert len(marked) == len(found.index)
    for point in range(60):
        alpha, margin = whole.alpha[point], whole.y[point] * whole.f[point]
        if alpha == 0:
            wanted = None if margin >= 1 - 1e-3 else "kkt0!"
        elif alpha < 1:
            wanted = "kkt1" if abs(margin - 1) <= 1e-3 else "kkt1!"
        elif margin < 0:
            wanted = "kkt3"
        else:
            wanted = "kkt2" if margin <= 1 + 1e-3 else "kkt2!"
        assert marked.get(point) == wanted
    assert found.kind.tolist() == sorted(found.kind.tolist())


def test_a_learner_without_multipliers_has_no_marks(qapp: QApplication) -> None:
    run_state = replace(run_state_of(10), kkt=None, alpha=None, C=None, v=None)
    assert kkt_marks(run_state, run_state.points) is None


def mark_alone(kind: str, theme: Theme, scale: float, side: int = 61) -> np.ndarray:
    """Return where a mark is painted in its own colour: its shape without colour."""
    image = QImage(side, side, QImage.Format.Format_RGB32)
    image.fill(QColor(0, 255, 255))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(side / 2, side / 2)
    symbols.draw(painter, theme, kind, scale)
    painter.end()
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(side, side)
    colour = kkt_style.CASES[case_of(kind)[0]].colour(theme)
    parts = np.stack([(pixels >> shift) & 255 for shift in (16, 8, 0)]).astype(int)
    wanted = np.array([colour.red(), colour.green(), colour.blue()])[:, None, None]
    return np.asarray(np.abs(parts - wanted).sum(axis=0) < 60)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("size", [symbols.POINT, 7])
def test_marks_differ_without_colour(qapp: QApplication, theme: Theme, size: int) -> None:
    shapes = {kind: mark_alone(kind, theme, size / symbols.POINT) for kind in KKT_MARKS}
    for (one, first), (other, second) in itertools.combinations(shapes.items(), 2):
        # A stroke of one mark where the other has nothing, or conversely.
        assert (first ^ second).sum() > 0.3 * min(first.sum(), second.sum()), (one, other)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_marks_stand_out_from_their_seam(theme: Theme) -> None:
    for style in kkt_style.CASES.values():
        assert contrast(style.dark if theme.dark else style.light, theme.background) >= 3.0
    colours = [style.dark if theme.dark else style.light for style in kkt_style.CASES.values()]
    assert len(set(colours)) == 4


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("size", [symbols.POINT, 7, 4])
def test_no_mark_is_cut_off_by_its_cell(qapp: QApplication, size: int, ratio: float) -> None:
    atlas = symbol_painting.atlas_for(LIGHT, size, ratio)
    image = atlas.pixmap.toImage()
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), -1)[:, : image.width()]
    for kind in KKT_MARKS:
        at = symbol_painting.KINDS.index(kind) * atlas.cell
        cell = pixels[:, at : at + atlas.cell] >> 24
        assert cell.any()
        assert not (cell[0].any() or cell[-1].any() or cell[:, 0].any() or cell[:, -1].any())


# -- slacks ------------------------------------------------------------------------------------------------------------


def test_slacks_go_from_the_point_to_their_end(qapp: QApplication) -> None:
    run_state = run_state_of(40)
    slacks = some_slacks(run_state)
    lines = overlay(replace(run_state, slacks=slacks)).slacks
    assert lines is not None and run_state.kkt is not None
    unit = 5.0 / 300.0
    centre = np.array([250.0, 160.0])
    for row, (index, end) in enumerate(zip(slacks.point.tolist(), slacks.end, strict=True)):
        start = run_state.points.xy[index]
        for at, pixel in ((start, lines.ends[row, :2]), (end, lines.ends[row, 2:])):
            assert pixel == pytest.approx(centre + at * (1, -1) / unit, abs=1e-6)
        assert lines.capped[row] == slacks.capped[row] and lines.cases[row] == run_state.kkt.case[index]


def test_a_foot_stands_across_and_a_capped_one_is_double_and_slants(qapp: QApplication) -> None:
    run_state = run_state_of(40)
    lines = overlay(replace(run_state, slacks=some_slacks(run_state))).slacks
    assert lines is not None
    strokes = lines.strokes(WHOLE)
    total = np.concatenate(list(strokes.values()))
    assert len(total) == 2 * len(lines.ends) + int(lines.capped.sum())
    for row, capped in enumerate(lines.capped):
        along = lines.ends[row, 2:] - lines.ends[row, :2]
        along = along / np.hypot(*along)
        middles = 0.5 * (total[:, :2] + total[:, 2:])
        at_end = np.hypot(*(middles - lines.ends[row, 2:]).T) < 1e-9
        assert at_end.sum() == 1
        foot = total[at_end][0, 2:] - total[at_end][0, :2]
        if capped:
            assert abs(foot @ along) == pytest.approx(FOOT)
            before = np.hypot(*(middles - (lines.ends[row, 2:] - 4 * along)).T) < 1e-9
            assert before.sum() == 1  # the second stroke, parallel to the first
            second = total[before][0, 2:] - total[before][0, :2]
            assert np.abs(second - foot).max() < 1e-9
        else:
            assert abs(foot @ along) < 1e-9 and np.hypot(*foot) == pytest.approx(2 * FOOT)


@pytest.mark.parametrize("n", [300, 1500])
def test_only_what_is_painted_anew_is_drawn(qapp: QApplication, n: int) -> None:
    run_state = run_state_of(n, seed=4, steps=40)
    made = overlay(replace(run_state, slacks=some_slacks(run_state)))
    part = QRectF(200, 100, 60, 40)
    assert made.slacks is not None and (len(made.slacks.ends) > SEAMED) == (n == 1500)
    few = sum(map(len, made.slacks.strokes(part).values()))
    assert 0 < few < 0.5 * sum(map(len, made.slacks.strokes(WHOLE).values()))
    parts, wholes = (painted(made, within)[100:140, 200:260].view(np.uint8).astype(int) for within in (part, WHOLE))
    assert np.abs(parts - wholes).max() < 24  # Qt cuts lines off at the clip, and rounds
    assert np.ptp(wholes) > 200


def test_slacks_of_no_length_are_no_lines(qapp: QApplication) -> None:
    run_state = run_state_of(10)
    index = np.array([0, 1])
    slacks = Slacks(index, run_state.points.xy[index], np.array([False, True]))
    lines = overlay(replace(run_state, slacks=slacks)).slacks
    assert lines is not None and not len(lines.ends) and not lines.strokes(WHOLE)
    assert lines.bounds().isEmpty()


# -- pair --------------------------------------------------------------------------------------------------------------


def test_the_pair_is_named_with_its_v(qapp: QApplication) -> None:
    run_state = run_state_of(40, steps=9)
    i, j = run_state.pair
    assert i >= 0 and j >= 0 and run_state.v is not None
    # In a problem with some of the points, `pair` holds indices of points, and v those of the problem.
    some = np.array([i, 3, j, 7, 8])
    part = replace(
        run_state,
        index=some,
        y=run_state.y[some],
        f=run_state.f[some],
        v=run_state.v[some],
        alpha=None,
        C=None,
        kkt=None,
    )
    pair = overlay(part).pair
    assert pair is not None
    assert [label.lines for label in pair.labels] == [
        (f"{name}: v = {number(float(run_state.v[k]))}".replace("-", "−"),) for name, k in (("i", i), ("j", j))
    ]
    for at, index in zip(pair.at, (i, j), strict=True):
        x, y = run_state.points.xy[index]
        assert at == pytest.approx((250 + 60 * x, 160 - 60 * y))
    assert overlay(replace(part, pair=(-1, -1))).pair is None
    single = overlay(replace(part, pair=(j, -1), v=None)).pair  # a learner that moves one point
    assert single is not None and [label.lines for label in single.labels] == [("i",)] and len(single.at) == 1


def test_at_the_end_the_pair_is_named_with_v_before_and_after_the_last_step(qapp: QApplication) -> None:
    run_state = run_state_of(40, steps=9)
    solver = SmoSolver(run_state.points.xy, run_state.y, Kernel("rbf", 1.0))
    step = explain(solver)
    assert step is not None and run_state.v is not None
    i, j = run_state.pair
    words = [
        f"{name}: v = {number(v)} → {number(float(run_state.v[k]))}".replace("-", "−")
        for name, v, k in (("i", step.v_i, i), ("j", step.v_j, j))
    ]
    last = overlay(replace(run_state, explanation=replace(step, newest=True))).pair
    assert last is not None and [label.lines for label in last.labels] == [(each,) for each in words]
    coming = overlay(replace(run_state, explanation=step)).pair
    assert coming is not None and "→" not in str([label.lines for label in coming.labels])


def test_a_point_of_the_pair_out_of_sight_has_no_label(qapp: QApplication) -> None:
    run_state = run_state_of(10)
    away = run_state.points.move([3], np.array([[50.0, 0.0]]))
    pair = overlay(replace(run_state, points=away, pair=(3, 4))).pair
    assert pair is not None and len(pair.at) == 2 and len(pair.rings) == len(pair.labels) == 1
    assert pair.labels[0].lines[0].startswith("j: ")


@pytest.mark.parametrize("zoom", [1.0, 1e3, 1e9])
def test_slacks_and_pair_are_cut_to_the_picture_wherever_they_end(qapp: QApplication, zoom: float) -> None:
    run_state = run_state_of(40)
    slacks = some_slacks(run_state)
    x, y = run_state.points.xy[run_state.index[slacks.point[0]]]
    grid = grid_of(View(float(x), float(y), 5.0 / zoom), 400, 300)
    far = run_state.points.xy.copy()
    far[3], far[4] = (x, y), (x + 3.0 * zoom, y)
    run_state = replace(
        run_state, points=Points.of(far, run_state.points.labels, run_state.points.ids), slacks=slacks, pair=(3, 4)
    )
    made = run_overlay(run_state, grid, AREA, None, font(10), None, labelled=False)
    assert made is not None and made.slacks is not None and len(made.slacks.ends)
    ends = made.slacks.ends.reshape(-1, 2)
    wider = AREA.adjusted(-24.01, -24.01, 24.01, 24.01)
    assert all(wider.contains(QPointF(*end)) for end in ends)
    assert all(AREA.toAlignedRect().contains(area) for area in to_repaint(None, made, AREA))
    # From the middle the line of the pair goes right, to the edge of the picture or to the other point.
    pixels = painted(replace(made, slacks=None), AREA)
    row = pixels[160, 250 + round(PAIR) + 4 : 405] & 0xFFFFFF
    assert (row == row[0]).all() and row[0] != pixels[12, 52] & 0xFFFFFF


@given(st.tuples(*[st.floats(-2.2, 2.2)] * 6), st.sampled_from([8, 12, 18]), st.booleans())
@examples(60)
def test_labels_stay_inside_and_cover_nothing_if_there_is_room(
    qapp: QApplication, at: tuple[float, ...], size: int, long: bool
) -> None:
    """For any locations of the pair and of the hovered point."""
    xy = np.array(at).reshape(3, 2)
    run_state = run_state_of(6, steps=2)
    moved = run_state.points.move([0, 1, 2], xy)
    run_state = replace(run_state, points=moved, pair=(0, 1))
    made = run_overlay(run_state, GRID, AREA, id_of(run_state, 2 if long else 1), font(size))
    assert made is not None and made.pair is not None and made.card is not None
    boxes = [label.rect for label in (*made.pair.labels, made.card.label)]
    rings = [square(at, PAIR) for at in made.pair.rings]
    busy = list(rings)
    for box in boxes:
        assert AREA.contains(box)
        if box is boxes[-1]:
            busy.append(square(made.card.at, CARD))
        if any(overlap(box, other) for other in busy):
            assert not has_room(box, busy)
        busy.append(box)
    if size == 8:  # names and values of the pair always fit
        assert not overlap(boxes[0], boxes[1])
        assert not any(overlap(ring, box) for ring, box in itertools.product(rings, boxes[:2]))


def square(at: tuple[float, float], radius: float) -> QRectF:
    return QRectF(at[0] - radius, at[1] - radius, 2 * radius, 2 * radius)


def overlap(one: QRectF, other: QRectF) -> bool:
    common = one & other
    return common.width() > 0.01 and common.height() > 0.01


def has_room(box: QRectF, busy: list[QRectF], area: QRectF = AREA) -> bool:
    """Return whether a box of this size is free anywhere on a lattice of pixels."""
    lefts, tops = np.meshgrid(
        np.arange(area.left(), area.right() - box.width() + 1e-9),
        np.arange(area.top(), area.bottom() - box.height() + 1e-9),
    )
    free = np.ones(lefts.shape, dtype=bool)
    for other in busy:
        across = (lefts < other.right()) & (lefts + box.width() > other.left())
        free &= ~(across & (tops < other.bottom()) & (tops + box.height() > other.top()))
    return bool(free.any())


# -- card --------------------------------------------------------------------------------------------------------------


def test_the_card_has_the_sentences_about_the_point(qapp: QApplication) -> None:
    run_state = run_state_of(40)
    for index in (0, 11, 39):
        card = overlay(run_state, id_of(run_state, index)).card
        assert card is not None
        assert " ".join(card.label.lines) == " ".join(point_words(run_state, index))
        bold = [line for line, heavy in zip(card.label.lines, card.label.bold, strict=True) if heavy]
        assert " ".join(bold) == point_words(run_state, index)[-1]
        x, y = run_state.points.xy[index]
        assert card.at == pytest.approx((250 + 60 * x, 160 - 60 * y))
        assert not card.label.rect.contains(QPointF(*card.at))
    assert overlay(run_state, None).card is None
    assert overlay(run_state, 7).card is None  # an index is no id
    some = replace(
        run_state, index=np.arange(20), y=run_state.y[:20], f=run_state.f[:20], alpha=None, C=None, kkt=None, v=None
    )
    assert overlay(some, id_of(run_state, 30)).card is None  # a point outside the problem looks as usual


@pytest.mark.parametrize("size", [8, 14, 24])
def test_the_words_fit_on_their_plate(qapp: QApplication, size: int) -> None:
    run_state = run_state_of(40, steps=3)
    made = overlay(run_state, id_of(run_state, 5), size=size)
    assert made.card is not None and made.pair is not None
    for label in (made.card.label, *made.pair.labels):
        for line, is_bold in zip(label.lines, label.bold, strict=True):
            letters = font(size)
            letters.setBold(is_bold)
            metrics = QFontMetricsF(letters)
            assert metrics.horizontalAdvance(line) <= label.rect.width() - 6
            assert len(label.lines) * metrics.height() <= label.rect.height()


@given(st.text(alphabet="ab c", max_size=60), st.integers(1, 30))
def test_lines_are_broken_between_words_only(text: str, most: int) -> None:
    text = " ".join(text.split())
    lines = broken(text, len, most)
    assert " ".join(lines) == text
    assert all(len(line) <= most or " " not in line for line in lines)
    for line, after in itertools.pairwise(lines):  # no line could hold the next word as well
        assert len(line) + 1 + len(after.split(" ")[0]) > most


# -- painting anew -----------------------------------------------------------------------------------------------------


def test_what_differs_is_painted_anew_and_no_more(qapp: QApplication) -> None:
    run_state = run_state_of(40)
    run_state = replace(run_state, slacks=some_slacks(run_state), pair=(3, 8))
    first = overlay(run_state, id_of(run_state, 5))
    steps = [
        first,
        overlay(run_state, id_of(run_state, 6), first),
        overlay(replace(run_state, pair=(4, 9)), id_of(run_state, 6), first),
        overlay(replace(run_state, pair=(4, 9), slacks=some_slacks(run_state, seed=9)), id_of(run_state, 6), first),
        overlay(replace(run_state, slacks=None, pair=(-1, -1))),
    ]
    for old, new in itertools.pairwise([None, *steps, None]):
        changed = painted(old) != painted(new)
        covered = np.ones_like(changed)
        covered[10:310, 50:450] = False  # the area: nothing is painted outside it
        for area in to_repaint(old, new, AREA):
            covered[max(area.top(), 0) : area.bottom() + 1, max(area.left(), 0) : area.right() + 1] = True
        assert not (changed & ~covered).any()
    assert to_repaint(first, overlay(run_state, id_of(run_state, 5), first), AREA) == [] == to_repaint(None, None, AREA)
    # A pointer that moves from point to point does not repaint all slacks.
    card = to_repaint(steps[0], steps[1], AREA)
    assert len(card) == 2 and all(area.width() * area.height() < 0.35 * 400 * 300 for area in card)


def test_slacks_are_laid_out_once_for_a_view(qapp: QApplication) -> None:
    run_state = run_state_of(40)
    run_state = replace(run_state, slacks=some_slacks(run_state))
    first = overlay(run_state)
    assert overlay(replace(run_state, step=run_state.step + 1), id_of(run_state, 1), first).slacks is first.slacks
    zoomed = run_overlay(run_state, grid_of(View(0.0, 0.0, 4.0), 400, 300), AREA, None, font(10), first)
    assert zoomed is not None and zoomed.slacks is not first.slacks and zoomed.slacks is not None
    moved = run_overlay(run_state, GRID, AREA.translated(3, 0), None, font(10), first)
    assert moved is not None and moved.slacks is not None and first.slacks is not None
    assert (moved.slacks.ends - first.slacks.ends == [3, 0, 3, 0]).all()


def test_nothing_to_lay_over(qapp: QApplication) -> None:
    assert run_overlay(None, GRID, AREA, None, font(10)) is None
    run_state = run_state_of(6)
    empty = replace(run_state, index=run_state.index[:0], y=run_state.y[:0], f=run_state.f[:0])
    nothing = run_overlay(replace(empty, pair=(-1, -1)), GRID, AREA, None, font(10))
    assert nothing is not None and (nothing.slacks, nothing.pair, nothing.card) == (None, None, None)


def test_a_point_and_the_neighbours_that_vote_on_it(qapp: QApplication) -> None:
    run_state = replace(
        run_state_of(10), trainer=TRAINERS["edited_knn"], index=np.empty(0, dtype=np.intp), pair=(0, 3, 5)
    )
    made = overlay(run_state)
    assert made.pair is not None and len(made.pair.at) == 3
    assert [label.lines for label in made.pair.labels] == [("x",)]
    assert not np.array_equal(painted(made), painted(overlay(replace(run_state, pair=(0, 3)))))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_pair_and_the_card_stand_out(qapp: QApplication, theme: Theme) -> None:
    """Ink on a ring's seam of the background's colour, on any surface."""
    run_state = run_state_of(10)
    points = Points.of(np.array([[-1.0, 1.0], [1.0, 1.0], *[[0.0, -1.0]] * 8]), run_state.points.labels)
    made = overlay(replace(run_state, points=points, pair=(0, 1), slacks=None))
    image = painted(made, theme=theme)

    def argb(colour: tuple[int, int, int]) -> int:
        return 0xFF000000 | colour[0] << 16 | colour[1] << 8 | colour[2]

    assert made.pair is not None
    for x, y in made.pair.rings:
        below = image[int(y + PAIR), int(x)], image[int(y + PAIR + 2.2), int(x)]
        assert below[0] == argb(theme.ink) and contrast(rgb(int(below[1])), theme.ink) > 7
    middle = image[round(made.pair.at[0][1]) - 4 : round(made.pair.at[0][1]) + 4, 250]
    assert (middle == argb(theme.ink)).any()  # the line that joins them


def rgb(pixel: int) -> tuple[int, int, int]:
    return (pixel >> 16) & 255, (pixel >> 8) & 255, pixel & 255


# -- location of a label -----------------------------------------------------------------------------------------------


@given(
    st.floats(0, 400),
    st.floats(0, 300),
    st.floats(10, 150),
    st.floats(10, 80),
    st.lists(st.tuples(st.floats(0, 350), st.floats(0, 250), st.floats(5, 60), st.floats(5, 60)), max_size=3),
)
def test_a_plate_is_inside_and_free_where_it_can_be(
    x: float, y: float, wide: float, high: float, others: list[tuple[float, float, float, float]]
) -> None:
    area = QRectF(0, 0, 400, 300)
    busy = [QRectF(*other) for other in others]
    box = place_box(QSizeF(wide, high), (x, y), 12.0, area, busy)
    assert area.adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(box) and box.size() == QSizeF(wide, high)
    assert not any(overlap(box, other) for other in busy) or not has_room(box, busy, area)


def test_a_plate_turns_away_from_its_partner() -> None:
    area = QRectF(0, 0, 400, 300)
    beside = place_box(QSizeF(60, 20), (200, 150), 12.0, area, [], [(260.0, 150.0)])
    assert beside.right() < 200
    assert place_box(QSizeF(60, 20), (200, 150), 12.0, area, [], [(140.0, 150.0)]).left() > 200


def test_a_plate_larger_than_the_area_begins_at_its_corner() -> None:
    assert place_box(QSizeF(90, 90), (5, 5), 3.0, QRectF(10, 20, 50, 50), []).topLeft() == QPointF(10, 20)


# -- in the window -----------------------------------------------------------------------------------------------------


def test_pixels_are_those_of_the_canvas(make: Make, qtbot: QtBot) -> None:
    rng = np.random.default_rng(3)
    xy = rng.normal(size=(60, 2))
    window = make(Document(Points.of(xy, (xy[:, 0] > 0).astype(int)), (Lane("knn"), Lane("svm")), view=View(0, 0, 6)))
    canvas = window.canvases[1]
    pixels = to_pixels(xy, canvas.grid(), canvas.plot_area())
    for point, (x, y) in zip(xy.tolist(), pixels.tolist(), strict=True):
        at = canvas.to_widget(*point)
        assert (at.x(), at.y()) == (math.floor(x), math.floor(y))
    assert window.scene is not None and window.scene.run_state is not None
    run_state = window.scene.run_state
    made = run_overlay(run_state, canvas.grid(), canvas.plot_area(), id_of(run_state, 0), canvas.font())
    assert made is not None and made.card is not None and canvas.plot_area().contains(made.card.label.rect)
