"""Views with a scale for each axis: what they fit and show, which commands choose them, and what files keep of them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from app.arrays import Arrays
from app.core.points import LIMIT, Points
from app.exchange import share_text
from app.files import documents
from app.scene.model import grid_of
from app.state.commands import Clear, Generate, ImportPoints, Regenerate, Revert, SetUnits, SetView
from app.state.document import Document, GeneratorSettings, View, are_unlike
from app.state.store import Store

WIDE = np.array([[1.0, -3000.0], [7.0, 4000.0], [4.0, 0.0], [2.0, 100.0]])
LABELS = np.array([0, 1, 0, 1])
POINTS = Points.of(WIDE, LABELS)
OWN = View.fitting(POINTS, own_scales=True)


def imported(xy: np.ndarray = WIDE, document: Document | None = None, add: bool = False) -> Document:
    command = ImportPoints(xy=xy, labels=np.arange(len(xy)) % 2, add=add)
    return command.apply(document or Document())


def sides(view: View, width: int, height: int) -> tuple[float, float]:
    grid = grid_of(view, width, height)
    return grid.right - grid.left, grid.top - grid.bottom


def test_points_fill_the_square_along_both_axes() -> None:
    assert (OWN.x, OWN.y) == (4.0, 500.0) and OWN.owns_scales
    for width, height in ((300, 300), (500, 300), (300, 500)):
        wide, high = sides(OWN, width, height)
        square = min(width, height)
        np.testing.assert_allclose((wide * square / width, high * square / height), (1.2 * 6.0, 1.2 * 7000.0))
        assert OWN.is_of(grid_of(OWN, width, height))
        assert not OWN.is_of(grid_of(replace(OWN, own_ratio=2.0 * OWN.ratio), width, height))
        assert not OWN.is_of(grid_of(View.fitting(POINTS), width, height))
    assert OWN.holds(POINTS) and OWN.shows(POINTS)
    assert not replace(OWN, span=0.9 * OWN.span * 6 / 7.2).holds(POINTS)
    equal = View.fitting(POINTS)
    assert not equal.owns_scales and equal.ratio == 1.0 and equal.span == 1.2 * 7000.0


def test_the_ratio_does_not_depend_on_where_points_are() -> None:
    """Equal extents are own scales as well, and so is the fit to points that do not differ along an axis."""
    square = Points.of([(0.0, 0.0), (5.0, 5.0)], [0, 1])
    assert View.fitting(square, True) == View(2.5, 2.5, 6.0, 1.0) != View.fitting(square)
    assert View.fitting(square, True).owns_scales
    for xy in ([(1.0, 1.0)], [(3.0, 0.0), (3.0, 1000.0)], [(0.0, 1e9), (1e-3, 1e9)]):
        points = Points.of(xy, [0] * len(xy))
        view = View.fitting(points, True)
        assert view.ratio == 1.0 and view.owns_scales and view.holds(points)
        assert replace(view, own_ratio=msgspec.UNSET) == View.fitting(points)
    assert View.fitting(Points(), True) == View()


@pytest.mark.parametrize("far", [(0.0, LIMIT), (LIMIT, 0.0), (-LIMIT, LIMIT)])
def test_limits_hold_far_out_and_close_by(far: tuple[float, float]) -> None:
    points = Points.of([(0.0, 0.0), (1e-6, 2 * LIMIT / 3), far], [0, 0, 1])
    view = View.fitting(points, True)
    assert view.holds(points)
    for factor in (1e-40, 1e40):
        zoomed = view.zoomed(factor, *far)
        for each in (view, zoomed, zoomed.panned(1e30, -1e30)):
            assert msgspec.convert(msgspec.to_builtins(each), View) == each
            grid = grid_of(each, 400, 300)
            assert grid.left < grid.right and grid.bottom < grid.top and np.isfinite(grid.ys).all()
            assert (np.diff(grid.xs) > 0).all() and (np.diff(grid.ys) > 0).all()
            assert grid.top - grid.bottom <= 1.01 * 8 * LIMIT and grid.right - grid.left <= 1.01 * 8 * LIMIT


def test_zoom_and_pan_keep_the_scales_and_the_location() -> None:
    view = OWN.zoomed(0.5, 7.0, 4000.0)
    assert view.ratio == OWN.ratio and view.span == 0.5 * OWN.span
    for each in (OWN, view):
        grid = grid_of(each, 640, 480)
        share = (7.0 - grid.left) / (grid.right - grid.left), (4000.0 - grid.bottom) / (grid.top - grid.bottom)
        assert share == pytest.approx((0.8125, 11 / 12))
    assert OWN.panned(1.0, 1000.0) == replace(OWN, x=5.0, y=1500.0)
    shown = OWN.showing(np.array([[30.0, 0.0]]))
    assert shown.ratio == OWN.ratio and shown.holds(Points.of([(30.0, 0.0), (1.0, -3000.0)], [0, 1]))
    assert OWN.showing(WIDE) is OWN


def test_an_imported_table_has_own_scales_if_it_is_unlike_along_its_axes() -> None:
    assert imported().view == OWN
    assert imported(WIDE[:, ::-1]).view.ratio == pytest.approx(6.0 / 7000.0)
    for ratio, unlike in ((2.9, False), (1 / 2.9, False), (3.1, True), (1 / 3.1, True)):
        xy = np.array([(0.0, 0.0), (1.0, ratio)])
        assert are_unlike(Points.of(xy, [0, 1])) == imported(xy).view.owns_scales == unlike
    assert not imported(np.array([(0.0, 1.0), (9.0, 1.0)])).view.owns_scales, "along y there is nothing to scale"
    assert not imported(np.empty((0, 2))).view.owns_scales
    more = imported(np.array([(9.0, 9000.0), (0.0, 0.0)]), imported(), add=True)
    assert more.view == View.fitting(more.points, True), "appending keeps the scales"
    alike = imported(np.array([(0.0, 0.0), (1.0, 1.0)]))
    assert not imported(WIDE, alike, add=True).view.owns_scales
    assert imported(WIDE, Document(), add=True).view.owns_scales, "the first points"
    assert Arrays.of(WIDE, LABELS).document.view == OWN


def test_generated_and_drawn_points_have_equal_scales() -> None:
    moons = GeneratorSettings("moons", 20)
    assert not Generate(settings=moons).apply(imported()).view.owns_scales
    assert Clear().apply(imported()).view == View()
    assert Clear().apply(Generate(settings=moons).apply(Document())).view != View(), "as before"
    added = Generate(settings=moons, add=True).apply(imported())
    assert added.view.owns_scales
    # Who has chosen own scales for generated points keeps them while only the generator changes.
    made = Generate(settings=moons).apply(Document())
    chosen = SetView(view=View.fitting(made.points, True)).apply(made)
    for command in (Regenerate, Generate):
        after = command(settings=replace(moons, noise=0.9, name="spirals")).apply(chosen)
        assert after.view.owns_scales and after.view.holds(after.points)


def test_other_units_leave_the_picture_as_it_is() -> None:
    document = imported()
    after = SetUnits(units=(1.0, 10.0)).apply(document)
    assert after.view.span == OWN.span and after.view.ratio == pytest.approx(10.0 * OWN.ratio)
    equal = SetUnits(units=(1.0, 10.0)).apply(replace_view(document, View.fitting(document.points)))
    assert not equal.view.owns_scales


def replace_view(document: Document, view: View) -> Document:
    return SetView(view=view).apply(document)


def test_a_reverted_document_has_the_scales_of_its_file() -> None:
    file, now = imported(), Generate(settings=GeneratorSettings("moons", 20)).apply(Document())
    assert Revert(document=file).apply(now).view.owns_scales
    assert not Revert(document=now).apply(file).view.owns_scales


def test_a_file_keeps_the_scales_and_is_as_before_without_them(tmp_path: Path) -> None:
    document = imported()
    assert documents.decode(documents.encode(document), "f").view == document.view
    assert b'"ratio":' in documents.encode(document)
    equal = replace_view(document, View.fitting(document.points))
    assert b"ratio" not in documents.encode(equal).replace(b'"kind":"none","ratio"', b"")
    text = documents.encode(document)
    for wrong in (b"0.0", b"-1.0", b"1e13", b"null", b'"2"'):
        broken = text.replace(f'"ratio":{document.view.ratio}'.encode(), b'"ratio":' + wrong)
        assert broken != text
        with pytest.raises(documents.FileError):
            documents.decode(broken, "f")


def test_a_share_text_keeps_the_scales_or_is_refused() -> None:
    document = imported()
    found = share_text.decode(share_text.encode(document))
    assert found.view == document.view and share_text.encode(found) == share_text.encode(document)
    equal = replace_view(document, View.fitting(document.points))
    assert share_text.decode(share_text.encode(equal)).view == equal.view
    assert "ratio" not in share_text._differing(equal)


def test_the_switch_is_a_change_of_the_document_that_undo_takes_back() -> None:
    store = Store(replace_view(imported(), View.fitting(POINTS)))
    assert not store.modified
    store.dispatch(SetView(view=OWN, undoable=True, text="Scale the axes apart"))
    assert store.modified and store.history == ("Scale the axes apart",) and store.saved_position == 0
    store.dispatch(SetView(view=OWN.zoomed(0.5, 0.0, 0.0)))
    store.undo()
    assert not store.modified and store.document.view == View.fitting(POINTS)
    store.redo()
    assert store.document.view == OWN and store.modified
    store.saved(store.document, None)
    store.dispatch(SetView(view=OWN.zoomed(0.5, 0.0, 0.0)))
    assert not store.modified, "what is in view is no change"
