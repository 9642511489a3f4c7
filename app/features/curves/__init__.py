"""Training curves: what a run recorded, plotted against its steps.

The state of a run comes in from the scene; a panel of charts goes out, whose cursor seeks in the run.  Start with
`view_cells.py`, the table of curves; `panel.py` draws the plots and arranges them.
"""
