"""Cells: the cells of kNN, and the points that its picture needs."""

from app.scene.feature import Action, Feature, LegendEntry

from . import scene
from .scene import CELL

VIEW = "&View"
SECTION = "Nearest neighbours"

FEATURE = Feature(
    actions=(
        Action(
            "cells",
            VIEW,
            "Cells of &kNN",
            ("Shift+V",),
            "Lines around the regions where the same k points vote; for k = 1 the Voronoi cells.",
            checkable=True,
            switch="cells",
            of=scene.CellsSession,
            after="marks",
            simple=False,
        ),
        Action(
            "kept",
            VIEW,
            "Kept and &idle points of kNN",
            ("Shift+I",),
            "Outlined: without this point the picture changes. Plain: idle, no pixel changes class without it alone.",
            checkable=True,
            switch="kept",
            of=scene.CellsSession,
            after="cells",
            simple=False,
        ),
    ),
    queries=scene.queries,
    sheets=scene.sheets,
    legend=(LegendEntry(CELL, "Boundary of kNN's cells: other points vote beyond it"),),
    status=scene.status,
    other_marks=scene.marks,
    help=(
        (SECTION, "Shift+V", "lines around kNN's cells, in each of which the same k points vote"),
        (SECTION, "Ctrl+8", "at the boundary of a cell: which point became a neighbour, and which ceased to be one"),
        (
            SECTION,
            "Shift+I",
            "outline the points that kNN's picture needs; without one of the others, alone, no pixel changes class",
        ),
        (SECTION, "Ctrl+Shift+W", "Remove idle points, one after the other, while no pixel changes class"),
    ),
)
