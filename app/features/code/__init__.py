"""Code: the scikit-learn program that makes the displayed picture.

A document comes in; the text of a program goes out, as a panel, a file or a notebook.  Start with `program.py`;
`generating.py` writes the lines that make the points of a generator, and each learner writes its own (`Learner.code`).
"""
