"""The test accuracy beside the training accuracy."""

from app.scene.feature import Feature

from . import scene

FEATURE = Feature(queries=scene.queries, status=scene.status, other_marks=scene.marks_of_test_points)
