"""The contents of a relief: heights against the model, known locations, planes in their box."""

from __future__ import annotations

import numpy as np
import pytest

from app.core.points import Points
from app.engine.pacing import OvertakenError
from app.features.relief.geometry import (
    HEIGHT,
    Camera,
    Solid,
    kernel_map,
    levels_of,
    limit_of,
    net_triangles,
    over_plane,
    plane_in_box,
)
from app.features.relief.query import Area, Relief, ReliefQuery, relief_of
from app.features.relief.text import map_words, relief_words
from app.state.document import GeneratorSettings, Lane, SvmSettings
from solver.core.binary_reduction import PairClassifier
from tests.app.features.studies import run_state_of
from tests.copies import replace

AREA: Area = (-1.5, 1.5, -1.2, 1.2)


def with_coef0(coef0: float) -> Lane:
    return Lane("svm", svm=SvmSettings(kernel="poly", degree=2, C=10.0, gamma=0.8, coef0=coef0))


QUADRATIC = with_coef0(0.5)


def trained(lane: Lane, name: str = "circle", classes: int = 2) -> tuple[PairClassifier, Points]:
    points = GeneratorSettings(name, 40, 0.1, n_classes=classes).points()
    return lane.family.estimator(lane.settings).fit(points.xy, points.labels), points


def relief(lane: Lane = QUADRATIC, fineness: int = 31, **more: int | str) -> Relief:
    model, points = trained(lane, **more)  # type: ignore[arg-type]
    return relief_of(model, lane, points, AREA, fineness)


# -- values --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lane", "classes"),
    [
        (Lane("svm", svm=SvmSettings(gamma=3.0)), 2),
        (Lane("svm", svm=SvmSettings(), pair=(1, 2)), 3),
        (Lane("svm", svm=SvmSettings(multiclass="one-vs-rest"), pair=(2, 2)), 3),
        (Lane("perceptron"), 3),
        (Lane("pegasos"), 2),
    ],
)
def test_heights_are_the_models_own(lane: Lane, classes: int) -> None:
    name = "circle" if classes == 2 else "blobs"
    model, points = trained(lane, name, classes)
    found = relief_of(model, lane, points, AREA, 25)
    position = (
        0
        if classes == 2
        else [(0, 1), (0, 2), (1, 2)].index(lane.pair)
        if lane.multiclass == "one-vs-one"
        else lane.pair[0]
    )
    assert len(found.xs) == 25 and (found.xs[0], found.xs[-1], found.ys[0], found.ys[-1]) == AREA
    solid = over_plane(found)
    locations = np.array([[x, y] for y in found.ys for x in found.xs])
    f = model.pair_decision_function(locations)[:, position]
    assert found.f.ravel() == pytest.approx(f, abs=1e-9) and solid.values == pytest.approx(f, abs=1e-9)
    if classes == 2:
        assert found.f.ravel() == pytest.approx(model.decision_function(locations), abs=1e-9)
    assert solid.corners[:, 2] == pytest.approx(f / solid.limit * HEIGHT, abs=1e-9)
    shown = np.abs(found.xy) <= (1.5, 1.2)
    assert shown.all() and found.f_points == pytest.approx(model.pair_decision_function(found.xy)[:, position])
    positive, negative = found.classes[1], found.classes[0]
    assert (found.y == np.where(found.labels == positive, 1, -1)).all()
    assert negative == -1 or set(found.labels) <= {positive, negative}
    assert found.has_margins == (lane.classifier != "perceptron")


def test_the_query_takes_f_of_the_run() -> None:
    study = run_state_of(30)
    lane = Lane("svm", svm=SvmSettings(gamma=1.0))
    model = lane.family.estimator(lane.settings).fit(study.points.xy, study.points.labels)
    posted: list[Relief] = []
    query = ReliefQuery(model, lane, AREA, run_state=study)
    list(query.answer(posted.append, lambda: False))
    coarse, fine = posted
    assert len(coarse.xs) < len(fine.xs) and coarse.f_points == pytest.approx(
        model.decision_function(coarse.xy), abs=1e-2
    )
    assert query == replace(query, run_state=run_state_of(30)) and query != replace(query, area=(0.0, 1.0, 0.0, 1.0))
    # Even if it is overtaken, the first relief is displayed.
    posted.clear()
    with pytest.raises(OvertakenError):
        list(query.answer(posted.append, lambda: True))
    assert len(posted) == 1


def test_posts_are_the_hinge_losses() -> None:
    found = relief(Lane("svm", svm=SvmSettings(C=0.3)))
    solid = over_plane(found)
    loss = np.maximum(0, 1 - found.y * found.f_points)
    assert (loss > 0).sum() == len(solid.posts) < len(loss) and found.losses == pytest.approx(loss)
    unit = HEIGHT / solid.limit
    assert np.abs(solid.posts[:, 0, 2] - solid.posts[:, 1, 2]) == pytest.approx(loss[loss > 0] * unit)
    assert solid.posts[:, 1, 2] == pytest.approx(found.y[loss > 0] * unit)
    assert (solid.posts[:, 0] == solid.symbols[loss > 0]).all() and (solid.post_labels == found.labels[loss > 0]).all()
    assert f"{loss.mean():.3g} on average" in relief_words(found, solid.limit)
    steep = over_plane(relief(Lane("perceptron")))
    assert levels_of(steep.relief) == (0.0,) and (steep.posts[:, 1, 2] == 0).all()


def test_the_cut_leaves_the_points_in_the_box() -> None:
    found = relief()
    for largest, limit in ((0.5, 2.0), (2.5, 3.0), (7.9, 8.0), (50.0, 8.0)):
        f = found.f_points / np.abs(found.f_points).max() * largest
        scaled = replace(found, f_points=f)
        assert limit_of(scaled) == limit and np.abs(over_plane(scaled).symbols[:, 2]).max() <= HEIGHT + 1e-12
        assert ("at the edge" in relief_words(scaled, limit)) == (largest > limit)
        assert f"|f| = {limit:g}" in relief_words(scaled, limit)
        free = replace(scaled, has_margins=False)
        assert largest <= limit_of(free) <= 2.5 * largest
    assert limit_of(replace(found, has_margins=False, f_points=np.zeros(len(found.y)))) == 1.0


# -- the map -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coef0", [0.0, 0.5])
def test_the_morph_goes_from_the_plane_to_where_f_is_affine(coef0: float) -> None:
    found = relief(with_coef0(coef0))
    flat, half, there = (kernel_map(found, morph) for morph in (0.0, 0.5, 1.0))
    assert np.ptp(flat.corners[:, 2]) == 0 and not flat.sheets and not half.sheets and len(there.sheets) >= 2
    assert half.corners == pytest.approx(0.5 * (flat.corners + there.corners))
    # The plane is unchanged: locations of points are a scaled copy of it.
    scale = (flat.symbols[1, :2] - flat.symbols[0, :2]) / (found.xy[1] - found.xy[0])
    assert scale[0] == pytest.approx(scale[1]) and flat.symbols[:, :2] - flat.symbols[0, :2] == pytest.approx(
        scale * (found.xy - found.xy[0])
    )
    assert np.abs(there.corners).max() <= 1 + 1e-9 and np.abs(there.symbols).max() <= 1 + 1e-9
    # f of each point, from the location where it is drawn alone: the sheets are its levels.
    one = np.column_stack((there.symbols, np.ones(len(there.symbols))))
    plane, miss = np.linalg.lstsq(one, found.f_points, rcond=None)[:2]
    assert miss < 1e-15 * len(one) or np.abs(one @ plane - found.f_points).max() < 1e-8
    for level, corners in there.sheets:
        assert corners @ plane[:3] + plane[3] == pytest.approx(level, abs=1e-7)
    separable = (one @ plane > 0) == (found.labels == 1)
    assert separable.mean() > 0.85
    assert there.values == pytest.approx(
        np.column_stack((there.corners, np.ones(len(there.corners)))) @ plane, abs=1e-7
    )
    assert ("x and −x fall on one place" in map_words(found)) == (coef0 == 0)
    assert ("Left out: two directions" in map_words(found)) == (coef0 > 0)


def test_opposite_points_meet_without_coef0() -> None:
    found = relief(with_coef0(0.0))
    both = replace(found, xy=np.vstack([found.xy, -found.xy]), labels=np.tile(found.labels, 2))
    symbols = kernel_map(both, 1.0).symbols
    assert symbols[: len(found.xy)] == pytest.approx(symbols[len(found.xy) :])


def test_without_points_or_map() -> None:
    found = relief()
    none = np.empty(0)
    bare = replace(found, xy=np.empty((0, 2)), labels=none.astype(int), y=none, f_points=none)
    for solid in (over_plane(bare), kernel_map(bare, 0.3), kernel_map(bare, 1.0)):
        assert np.isfinite(solid.corners[:, :2]).all() and not len(solid.symbols)
    assert relief_words(bare, 2.0) and map_words(bare)
    with pytest.raises(ValueError, match="degree 2"):
        kernel_map(relief(Lane("svm")), 0.5)
    knn = Lane("knn")
    points = GeneratorSettings("circle", 5, 0.1).points()
    with pytest.raises(ValueError, match="has no f"):
        relief_of(knn.family.fit(knn.settings, points), knn, points, AREA)


# -- camera and planes ---------------------------------------------------------------------------------------------


def test_known_locations() -> None:
    origin, right, inwards, up = np.zeros(3), *np.eye(3)
    ahead = Camera(0.0, 0.0, 1.0)

    def shown(camera: Camera, at: np.ndarray) -> np.ndarray:
        projected: np.ndarray = camera.project(at, 200.0, 100.0, 10.0)
        return projected

    assert shown(ahead, origin) == pytest.approx([100, 50, 0])
    assert shown(ahead, right) == pytest.approx([110, 50, 0])
    assert shown(ahead, inwards) == pytest.approx([100, 50, 10])  # farther away
    assert shown(ahead, up) == pytest.approx([100, 40, 0])  # up on screen
    above = Camera(0.0, 90.0, 1.0)
    assert shown(above, up) == pytest.approx([100, 50, -10])  # nearer
    assert shown(above, inwards) == pytest.approx([100, 40, 0]) and shown(above, right) == pytest.approx([110, 50, 0])
    quarter = Camera(90.0, 0.0, 2.0)  # anticlockwise from above: what was at the right is away now
    assert shown(quarter, right) == pytest.approx([100, 50, 20]) and shown(quarter, inwards) == pytest.approx(
        [80, 50, 0]
    )
    for camera in (Camera(33.0, 12.0), Camera(-200.0, -71.0)):
        assert camera.axes @ camera.axes.T == pytest.approx(np.eye(3), abs=1e-12)
        # Right, downwards and away are a right-handed system: nothing is mirrored.
        assert np.linalg.det(camera.axes) == pytest.approx(1.0)


def test_turning_and_zooming_have_limits() -> None:
    camera = Camera(350.0, 80.0, 1.0)
    assert camera.turned(20.0, 20.0) == Camera(10.0, 90.0, 1.0) and camera.turned(0, -500).tilt == -90.0
    assert camera.zoomed(1e9).zoom == 8.0 and camera.zoomed(0.0).zoom == 0.5


@pytest.mark.parametrize("camera", [Camera(a, t) for a in (0, 45, 200) for t in (-90, 0, 28, 64, 90)])
@pytest.mark.parametrize("size", [(300, 200), (150, 400)])
def test_the_box_has_room(camera: Camera, size: tuple[int, int]) -> None:
    solid: Solid = over_plane(relief(fineness=5))
    at = camera.project(solid.frame.reshape(-1, 3), *size, solid.pixels(*size))
    assert (
        at[:, 0].min() >= 0
        and at[:, 0].max() <= size[0]
        and at[:, 1].min() >= -1e-9
        and at[:, 1].max() <= size[1] + 1e-9
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_plane_in_the_box(seed: int) -> None:
    rng = np.random.default_rng(seed)
    normal, extent = rng.normal(size=3), (1.0, 0.8, 0.7)
    distance = float(rng.uniform(-1, 1))
    corners = plane_in_box(normal, distance, extent)
    # Independent reference: random locations in the plane are in the polygon exactly if they are in the box.
    base = np.linalg.svd(normal[None])[2][1:]
    drawn = normal * distance / (normal @ normal) + rng.uniform(-2, 2, (3000, 2)) @ base
    inside = (np.abs(drawn) <= extent).all(axis=1)
    if not len(corners):
        assert not inside.any()
        return
    assert corners @ normal == pytest.approx(distance) and (np.abs(corners) <= np.array(extent) + 1e-9).all()
    flat, locations = (corners - corners[0]) @ base.T, (drawn - corners[0]) @ base.T
    turns = []
    for a, b in zip(flat, np.roll(flat, -1, axis=0), strict=True):
        turns.append((b[0] - a[0]) * (locations[:, 1] - a[1]) - (b[1] - a[1]) * (locations[:, 0] - a[0]))
    within = (np.array(turns) >= 0).all(axis=0) | (np.array(turns) <= 0).all(axis=0)
    assert (within == inside).all()


def test_the_net_covers_each_cell_once() -> None:
    triangles = net_triangles(4, 5)
    at = np.array([[x, y] for y in range(4) for x in range(5)], dtype=float)[triangles]
    areas = 0.5 * np.abs(np.linalg.det(at[:, 1:] - at[:, :1]))
    assert len(triangles) == 24 and areas == pytest.approx(0.5)
    assert {tuple(np.floor(each.mean(axis=0)).astype(int)) for each in at} == {
        (x, y) for x in range(4) for y in range(3)
    }
