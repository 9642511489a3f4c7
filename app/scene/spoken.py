"""Spoken: what a screen reader says of the scene, in sentences of which it says those that have changed."""

from __future__ import annotations

from app.core.number_format import coordinate

from .model import LaneScene, Scene
from .text import counts_sentence


def of_lane(lane: LaneScene) -> str:
    """Return what matters of a picture: the classifier, what is certified, and the accuracies, or why there is none."""
    parts = (lane.headline, *(score.text for score in lane.scores))
    return f"{lane.title}: {lane.message or '; '.join(filter(None, parts))}"


def of_state(scene: Scene) -> tuple[str, ...]:
    """Return the sentences on the keyboard's cursor and on the points."""
    cursor, view = scene.session.cursor, scene.document.view
    x, y = map(coordinate, cursor or (0.0, 0.0), (view.span, view.span * view.ratio))
    return (f"x = {x}, y = {y}." if cursor else "", f"{counts_sentence(scene.points, scene.document.class_names)}.")
