"""Studies: many trainings over a table of settings, as one map or as curves.

A plan in the form, or a study file of the command line, becomes a `Study`; worker processes compute its cells, and the
results go into the document, or into a folder.  Start with `model.py`, what a study is; `cells.py` orders the work,
`computing.py` does it in a process, `running.py` starts the processes, `results.py` keeps what they return.  The window
uses `planning.py`, `controller.py`, `panel.py` and the `view_` files; the command line `command.py` and `engines.py`.
"""
