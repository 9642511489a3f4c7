"""Charts: marks over two axes, drawn by pyqtgraph.

A panel gives a `Chart` its marks and axes (`show_marks`); clicks, keys and the pointer come back through methods that a
subclass overrides.  Start with `chart.py`; `marks.py` has the kinds of marks.
"""
