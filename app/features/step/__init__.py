"""Step: why SMO chooses this pair of multipliers, and what the step does.

The state of a run comes in with the scene; the panel shows sentences, the box of the pair, the gain of the dual, and
the candidates as bars.  Start with `panel.py`; `geometry.py` and `text.py` compute without Qt what the `view_` files
paint.
"""
