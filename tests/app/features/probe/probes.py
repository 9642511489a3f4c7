"""Probes to test with: points of odd classes, models of every kind as lanes train them, and scenes of their frames."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from app.core.points import Points
from app.engine.frames import Frame, Phase, Picture
from app.engine.results import Results
from app.features.probe.scene import BoundaryFacts, BoundaryQuery
from app.features.probe.tables import NamedPoints
from app.features.table import FEATURES
from app.scene.compose import compose
from app.scene.model import Scene
from app.state.document import Document, KnnSettings, Lane, SvmSettings
from app.state.session import Session
from solver import Grid, KNeighborsClassifier
from solver.core.binary_reduction import PairClassifier
from tests.stepped import stepped

NAMES = tuple(f"class {label + 1}" for label in range(8))


def points_of(n: int, n_classes: int = 2, seed: int = 0, lattice: bool = False) -> Points:
    """Classes 2, 5, 8 and so on would hide mistakes of numbering; these are 1, 3, 4, 6 of eight."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    turn = 2 * np.pi * labels / n_classes
    xy = rng.normal(scale=0.7, size=(n, 2)) + np.column_stack((np.cos(turn), np.sin(turn)))
    ids = 5 + 3 * np.arange(n)
    return Points.of(np.round(2 * xy) / 2 if lattice else xy, np.array([1, 3, 4, 6])[labels], ids)


def knn(
    points: Points, k: int, metric: str = "euclidean", weights: str = "uniform"
) -> tuple[KNeighborsClassifier, Lane]:
    lane = Lane("knn", knn=KnnSettings(k, weights, metric))  # type: ignore[arg-type]
    model = KNeighborsClassifier(min(k, len(points)), weights, metric, lane.knn.p if metric == "minkowski" else 2.0)
    return model.fit(points.xy, points.labels), lane


def fitted(lane: Lane, points: Points) -> PairClassifier:
    estimator = lane.estimator()
    if lane.classifier == "svm" and lane.svm.trainer != "lasvm":
        estimator.max_iter = 1500  # type: ignore[attr-defined]
    model: PairClassifier = stepped(estimator, points.xy, points.labels)  # type: ignore[type-var]
    return model


def svm(points: Points, **values: object) -> tuple[PairClassifier, Lane]:
    lane = Lane("svm", svm=msgspec.structs.replace(SvmSettings(gamma=0.8, degree=2, coef0=0.5), **values))
    return fitted(lane, points), lane


def who(points: Points, now: Points | None = None) -> NamedPoints:
    return NamedPoints(points, points if now is None else now, NAMES)


def facts_about(model: PairClassifier) -> BoundaryFacts:
    posted: list[BoundaryFacts] = []
    for _ in BoundaryQuery(model, 0, (-3.0, 3.0, -2.0, 2.0)).answer(posted.append, lambda: False):  # type: ignore[arg-type]
        pass
    (facts,) = posted
    return facts


def scene_with(
    session: Session,
    *frames: Frame,
    document: Document | None = None,
    pointer: tuple[float, float] | None = None,
    came_from: Mapping[object, tuple[float, float]] | None = None,
) -> Scene:
    results = Results()
    for frame in frames:
        results.accept(frame)
    document = document or Document(frames[0].points, tuple(frame.lane for frame in frames), shown=len(frames))
    return compose(document, session, results, FEATURES, pointer=pointer, came_from=came_from)


def frame_of(model: object, lane: Lane, points: Points, slot: int = 0) -> Frame:
    grid = Grid(-1, 1, -1, 1, 2, 2)
    picture = Picture(np.zeros((2, 2), dtype=np.uint32), grid, np.empty((0, 2)), np.empty((0, 2)))
    return Frame(1, slot, points, lane, Phase.DONE, model=model, picture=picture)  # type: ignore[arg-type]
