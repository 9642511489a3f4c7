"""Export of pictures: lay out, compute and paint them, and write them to a file or the clipboard.

A `PictureSpec` and a `Shot` (the scene of the moment) come in; pixels and files go out.  Start with `layout.py`;
`flow.py` computes a picture piece by piece, `maker.py` saves it, `tikz.py` writes it as LaTeX.
"""
