"""Plots: what is painted inside and around the axes of a lane, and what the pointer does there.

A `Canvas` receives a scene (`render_scene`) and calls the controllers with gestures, in plane coordinates.  Start with
`canvas.py`; `layers.py` paints the inside of the axes, `pointer_input.py` handles mouse, fingers and keys.
"""
