"""Cells: the cells of kNN, in each of which the same points vote, and the points that its picture needs.

Models and grids of the lanes come in; lines, marks and a status go to their pictures.  Start with `scene.py`.
"""
