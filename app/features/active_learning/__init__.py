"""Active learning: a classifier learns from a few labels, and requests the label of one more point at a time.

A plan and the document come in; what goes out are queries, the contents of a panel of its own and, on request, one
command that replaces the document's points by the labelled ones.  Start with `state.py` (pool, labels and run as
values); `query.py` trains and compares in the background, `controller.py` keeps the displayed run.
"""
