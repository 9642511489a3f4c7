"""Learners: every classifier that a lane can have, with its settings, form, words and training.  No Qt.

Settings of a lane come in; estimators of `solver`, models, sentences and fields of the form go out.  `base.py`
describes a `Learner`; there is a file for each family, and `table.py` lists them.  Start with `base.py` and `knn.py`.
"""
