"""Exchange: the kinds of files, share texts, and points from and for other programs.

Bytes and texts come in; documents (`opening`, `share_text`) and labelled points (`importing`, then `columns`) go out,
and `exporting` writes points as bytes.  Read `opening` first.
"""
