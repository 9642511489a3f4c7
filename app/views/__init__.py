"""Views: the widgets, charts and plots that know no feature.

A view receives a scene (`app.scene`) through its `render` or `show_…` method, paints it, and emits signals or calls
callbacks with what the user does; it keeps no state of its own.  Start with `plot/canvas.py`, the plot of one lane.
"""
