"""Search: the k-d tree of a kNN lane, and the search in it for the neighbours of one query, step by step.

Models come in from the lanes, and the query from the pointer or the pin of the probe; a background query returns tree
and walk, which panel and overlay show up to the chosen step.  Start with `state.py`, choices and
search; `text.py` has the sentences, `overlay.py` the lines and boxes.
"""
