"""Probe: why one location of the plane gets its class.

The pointer's location comes in, or a pinned one, with the models; a `Probe` goes out, which panel and overlay display.
Start with `scene.py`, also the queries for what takes too long for the window's thread; `tables.py` has the rows of the
panel's tables.
"""
