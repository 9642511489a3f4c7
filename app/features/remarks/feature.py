"""Remarks on each classifier and its data."""

from app.scene.feature import Feature

from . import scene

FEATURE = Feature(queries=scene.queries, status=scene.status)
