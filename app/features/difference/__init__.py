"""Difference: where two classifiers predict different classes.

The models of the two compared lanes come in; hatched pixels, a list of points, sentences and a wipe between the two
pictures go out.  Start with `scene.py`, which has the query and the values that panel and overlay display.
"""
