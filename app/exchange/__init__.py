"""Exchange: kinds of files, share texts, and the import and export of points.

Bytes and texts come in; documents (`opening`, `share_text`) and labelled points (`importing`, then `columns`) go out,
and `exporting` writes points as bytes.  Start with `opening.py`.
"""
