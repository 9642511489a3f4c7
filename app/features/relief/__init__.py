"""Relief: f over the plane in three dimensions, and the kernel trick by example.

The model of a lane comes in; a background query computes f on a net over the view, and the panel paints it from any
side.  Start with `query.py`, the values; `geometry.py` puts them into a box before a camera, `view_image.py` paints the
box for panel, file and film, by the pixels of `z_buffer.py`, and `panel.py` turns it by mouse and keys.
"""
