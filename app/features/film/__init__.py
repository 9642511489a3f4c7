"""Film: a training, a slider that moves, or the relief of f, as an animated picture.

The displayed document, session and results come in, with the choice of what to film; a GIF, WebP or APNG file goes out.
Start with `plan.py`, what each picture shows; `view_maker.py` trains, paints and encodes in the background,
`encoder.py` writes the formats, `window.py` is the dialog, and `view_render.py` makes films for the command line.
"""
