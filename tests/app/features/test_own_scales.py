"""Features where each axis has its own scale: what they make is on screen what it is for points in other units."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from app.core.points import Points
from app.engine.export_surface import enlarge, joined
from app.engine.fitting import fitted
from app.engine.frames import Frame, Phase, Picture
from app.engine.pacing import Pace, never
from app.engine.run_report import BAR, LONGEST_BAR, slacks_of
from app.features.answers.hand_in import _answers, rounded
from app.features.code.program import POINTS_FILE, program
from app.features.ground_truth.scene import _true_lines
from app.features.lessons.matching import square
from app.features.lessons.model import Start, Step
from app.features.lessons.scene import read, samples
from app.features.lessons.starting import begun
from app.features.lessons.state import Guess, StepState
from app.features.probe.scene import BoundaryQuery
from app.features.race.controller import _grid_for
from app.features.relief.geometry import kernel_map, over_plane
from app.features.relief.query import relief_of
from app.learners.svm import SvmSettings
from app.scene.model import grid_of
from app.state.document import Document, GeneratorSettings, Lane, View, are_unlike
from app.state.law import law_of
from app.views.theme import theme_of
from solver import Grid
from solver.core.binary_reduction import PairClassifier
from solver.core.scaler import Scaler
from solver.inspection.margin_rays import Decision, margin_reach
from solver.kernels.lines import cell_boundaries, level_lines, region_lines

#: Ratios that are exact in binary, so that both are equal to the last bit.
RATIOS = (2.0**-12, 2.0**11)
MADE = GeneratorSettings("moons", 30, 0.25, 3).points()
VIEW = View.fitting(MADE)
LANE = Lane("svm", svm=SvmSettings("rbf", 10.0), standardise=True)


def points(ratio: float) -> Points:
    return Points.of(MADE.xy * (1.0, ratio), MADE.labels)


def view(ratio: float) -> View:
    return VIEW if ratio == 1.0 else replace(VIEW, y=VIEW.y * ratio, own_ratio=ratio)


def grid(ratio: float, width: int = 96, height: int = 80) -> Grid:
    return grid_of(view(ratio), width, height)


def box(ratio: float) -> tuple[float, float, float, float]:
    each = grid(ratio)
    return each.left, each.right, each.bottom, each.top


def on_screen(xy: Any, ratio: float) -> list[list[float]]:
    return np.nan_to_num(np.asarray(xy) / (1.0, ratio), nan=1e9).tolist()


@pytest.mark.parametrize("ratio", RATIOS)
def test_lines_are_thinned_as_seen(ratio: float) -> None:
    found = []
    for each in (1.0, ratio):
        here = grid(each)
        x, y = np.meshgrid(here.xs, here.ys / each)
        values = np.sin(2.0 * x) + np.cos(3.0 * y) * x
        lines = [
            level_lines(here, values, (-0.3, 0.4)),
            region_lines(here, (values > 0.1).astype(np.int8)),
            cell_boundaries(here, np.floor(2.0 * values).astype(np.int64), thin=0.36)[0],
        ]
        found.append([on_screen(line, each) for line in lines])
    assert found[0] == found[1] and all(len(line) > 50 for line in found[0])


def result(work: Any) -> Any:
    """Return what a generator returns."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def away_from(at: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the distances of a location from segments."""
    way = end - begin
    share = np.clip(((at - begin) * way).sum(axis=1) / (way * way).sum(axis=1), 0.0, 1.0)
    return np.hypot(*(begin + share[:, None] * way - at).T)


def model_of(ratio: float, lane: Lane = LANE) -> PairClassifier:
    model = result(fitted(lane, points(ratio), Pace(never))).model
    assert isinstance(model, PairClassifier)
    return model


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_lines_of_an_exported_picture_come_together(ratio: float) -> None:
    found = []
    for each in (1.0, ratio):
        frame = Frame(1, 0, points(each), LANE, Phase.DONE, model=model_of(each))
        made: list[Picture | str] = []
        for _ in enlarge(frame, grid(each, 400, 350), theme_of(False).shades, made.append, lambda: False):
            pass
        assert isinstance(made[0], Picture)
        lines = made[0].boundary, made[0].margins
        found.append([*(on_screen(line, each) for line in lines), made[0].argb.tolist()])
    for first, second in zip(*found, strict=True):
        np.testing.assert_allclose(first, second, rtol=0, atol=1e-12)
    assert len(found[0][0]) > 50


@pytest.mark.parametrize("pixel", [(1.0, 1e-6), (1e-6, 1.0), (1.0, 1.0)])
def test_lines_that_end_a_pixel_apart_are_not_joined(pixel: tuple[float, float]) -> None:
    line = np.array([(0.0, 0.0), (5.0, 3.0), (9.0, 9.0)]) * pixel
    for away in ((1.0, 0.0), (0.0, 1.0)):
        other = line[-1] + np.array([(0.0, 0.0), (4.0, 7.0)]) * pixel
        assert not np.isnan(joined([line, other], pixel)).any()
        assert np.isnan(joined([line, other + np.array(away) * pixel], pixel)).any()


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_relief_has_the_shape_of_the_picture(ratio: float) -> None:
    lane = Lane("svm", svm=SvmSettings("poly", 10.0, degree=2), standardise=True)
    solids = []
    for each in (1.0, ratio):
        relief = relief_of(model_of(each, lane), lane, points(each), box(each), 41, each)
        assert (len(relief.xs), len(relief.ys)) == (41, 34)
        solids.append((over_plane(relief), kernel_map(relief, 0.0), kernel_map(relief, 1.0)))
    for first, second in zip(*solids, strict=True):
        np.testing.assert_allclose(first.symbols, second.symbols, atol=1e-9)
        np.testing.assert_allclose(first.corners, second.corners, atol=1e-9)
        np.testing.assert_allclose(first.frame, second.frame)


@pytest.mark.parametrize("ratio", RATIOS)
def test_a_drawn_boundary_is_read_as_seen(ratio: float) -> None:
    angle = np.linspace(0.0, 6.0, 400)
    arc = np.column_stack((0.5 + 0.6 * np.cos(angle), 0.2 + 0.6 * np.sin(angle)))
    open_line = np.array([(-0.5, 0.1), (0.3, 0.4), (1.2, 0.1), (1.4, -0.2)])
    wide = np.array([(-0.5, 0.1), (0.5, 0.1001), (1.4, 0.1)])
    found = []
    for each in (1.0, ratio):
        lines = [tuple(map(tuple, (line * (1.0, each)).tolist())) for line in (arc, open_line, wide)]
        xs, ys = samples(box(each), each)
        seen = [on_screen(read(line, box(each), each), each) for line in lines]
        found.append((seen, xs.tolist(), (ys / each).tolist()))
        short = [np.array(rounded(line, each)) / (1.0, each) for line in lines]
        assert [len(line) for line in short] == [len(short[0]), 4, 2] and 10 <= len(short[0]) < 80
        np.testing.assert_allclose(short[1], open_line, atol=2e-3)
        assert np.unique(np.round(short[1][:, 0], 4)).size == 4
    assert found[0] == found[1]


def test_a_handed_in_boundary_has_the_shape_seen() -> None:
    line = tuple((x, y * 1e6) for x, y in ((-0.5, 0.1), (0.3, 0.4), (1.2, 0.1), (1.4, -0.2)))
    boundary: Any = SimpleNamespace(ratio=1e6)
    state = StepState(guess=Guess(lines=(line,), boundary=boundary))
    assert len(_answers(Step("Draw", ""), state).lines[0]) == 4


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_boundary_is_searched_at_every_place_of_the_picture(ratio: float) -> None:
    found = []
    for each in (1.0, ratio):
        facts: list[Any] = []
        for _ in BoundaryQuery(model_of(each), 0, box(each), each).answer(facts.append, lambda: False):
            pass
        found.append(on_screen(facts[0].crossings.at, each))
        # Against the boundary of a fine picture, by brute force.
        at = np.array([0.5, 0.25 * each])
        near = facts[0].nearest(at)
        here = grid(each, 1200, 1000)
        line = level_lines(here, model_of(each).pair_surface_on(here.xs)(here.ys)[..., 0], (0.0,), 0.0)
        least = float(np.nanmin(away_from(at, line[:-1], line[1:])))
        assert near is not None and near.distance == pytest.approx(least, rel=1e-3)
        rng = np.random.default_rng(0)
        for x, y in zip(rng.uniform(-1.0, 2.0, 40), rng.uniform(-0.5, 1.0, 40) * each, strict=True):
            near = facts[0].nearest(np.array([x, y]))
            assert near is not None and abs(float(facts[0].decision.value(np.array([near.point]))[0])) < 1e-4
    assert found[0] == found[1]


@pytest.mark.parametrize("ratio", RATIOS)
def test_rays_to_the_margin_are_sampled_finely_along_the_short_axis(ratio: float) -> None:
    """Across a tall picture, a horizontal ray that crosses a narrow hill must not step over it."""
    model = model_of(1.0)
    decision = Decision.of(model.expansion, 0, model.scaler)
    X, y = MADE.xy, np.where(MADE.labels == 1, 1.0, -1.0)
    wanted, capped = result(margin_reach(decision, X, y, box(1.0)))
    tall = dataclasses.replace(
        decision, scaler=Scaler(decision.scaler.mean * (1.0, ratio), decision.scaler.scale * (1.0, ratio))
    )
    found, _ = result(margin_reach(tall, X * (1.0, ratio), y, box(ratio)))
    assert not capped.all() and wanted.shape == found.shape
    # On the margin, or at the edge, and no crossing before it.
    left, right, bottom, top = box(ratio)
    for start, end, side in zip(X * (1.0, ratio), found, y, strict=True):
        way = np.linspace(0.0, 1.0, 400)[1:-1, None]
        inner = side * tall.value(start + way * (end - start)) - 1.0
        if side * float(tall.value(start[None])[0]) < 1.0 and ((end > (left, bottom)) & (end < (right, top))).all():
            assert (inner < 1e-3).all(), (start, end)


@pytest.mark.parametrize("ratio", (1.0, *RATIOS))
def test_a_bar_that_does_not_reach_its_margin_is_as_long_on_screen_as_its_slack(ratio: float) -> None:
    lane = Lane("svm", svm=SvmSettings("linear", 1e-3), standardise=True)
    model, xy, y = model_of(ratio, lane), points(ratio).xy, np.where(MADE.labels == 1, 1.0, -1.0)
    f = model.pair_decision_function(xy)[:, 0]
    run: Any = SimpleNamespace(points=points(ratio), index=np.arange(len(xy)), y=y, f=f, tol=1e-3)
    here = grid(ratio)
    slacks = result(slacks_of(model, run, 0, here))
    assert slacks.capped.sum() > 20
    length = np.hypot(*((slacks.end - xy[slacks.point]) / here.pixel).T)[slacks.capped]
    wanted = np.minimum(BAR * (1.0 - y * f)[slacks.point[slacks.capped]], LONGEST_BAR) * min(here.width, here.height)
    np.testing.assert_allclose(length, wanted, rtol=1e-6)


@pytest.mark.parametrize("ratio", RATIOS)
def test_pictures_of_their_own_fit_unlike_axes(ratio: float) -> None:
    assert are_unlike(points(ratio))
    for width, height in ((300, 200), (200, 300)):
        here = _grid_for(points(ratio), width, height, 1.0)
        low, high = points(ratio).xy.min(axis=0), points(ratio).xy.max(axis=0)
        share = (high - low) / (here.right - here.left, here.top - here.bottom)
        assert 0.5 < share.min() <= share.max() < 0.95
    for width, height in ((300, 300), (500, 200)):
        here = grid_of(view(ratio), width, height)
        np.testing.assert_allclose((square(view(ratio)).top - square(view(ratio)).bottom) / ratio, VIEW.span)
        assert here.pixel[1] / here.pixel[0] == pytest.approx(ratio)


def test_the_true_boundary_reaches_the_edges_of_the_picture() -> None:
    law = law_of(GeneratorSettings("xor", 30, 0.1, 3))
    assert law is not None and law.has_truth
    for ratio in (1.0, 50.0):
        shown = View(0.0, 0.0, 3.0, ratio)
        here, xy = grid_of(shown, 600, 500), _true_lines(law, shown).xy
        assert np.nanmax(xy[:, 0]) >= here.right and np.nanmin(xy[:, 0]) <= here.left
        assert np.nanmax(xy[:, 1]) >= here.top and np.nanmin(xy[:, 1]) <= here.bottom


def test_the_program_has_the_limits_and_the_scales_of_the_picture() -> None:
    wide = view(2048.0)
    document = Document(points(2048.0), (LANE,), 1, view=wide)
    text = program(document).text
    half = 0.5 * VIEW.span
    made: dict[str, Any] = {"np": np}
    exec(next(line for line in text.splitlines() if line.startswith("VIEW = ")), made)
    np.testing.assert_allclose(
        made["VIEW"], [[wide.x - half, wide.y - half * 2048], [wide.x + half, wide.y + half * 2048]], rtol=1e-3
    )
    assert 'aspect="auto"' in text and 'aspect="equal"' not in text
    assert 'aspect="equal"' in program(replace(document, view=VIEW)).text


@pytest.mark.slow
def test_the_drawn_program_shows_the_same_part_of_the_plane(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)
    wide = view(2048.0)
    made = program(Document(points(2048.0), (LANE,), 1, view=wide))
    monkeypatch.chdir(tmp_path)
    (tmp_path / POINTS_FILE).write_text(made.rows)
    exec(made.text, {})
    (ax,) = plt.gcf().axes
    half, box_ = 0.5 * VIEW.span, ax.get_window_extent()
    np.testing.assert_allclose(ax.get_xlim(), (wide.x - half, wide.x + half), atol=2e-3 * half)
    np.testing.assert_allclose(ax.get_ylim(), np.array((VIEW.y - half, VIEW.y + half)) * 2048, atol=4 * half)
    assert 0.5 < box_.height / box_.width < 2.0
    plt.close("all")


def test_a_lesson_step_keeps_the_scales_of_its_document() -> None:
    document = Document(points(2048.0), view=view(2048.0))
    made, faults = begun(Start("before", "", ()), (1.0, 2.0, 3.0), None, document)
    assert not faults and made.view == View(1.0, 2.0, 3.0, 2048.0)
