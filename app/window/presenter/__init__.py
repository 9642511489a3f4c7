"""Presenter: pictures for an audience: bars and panels hidden, large text, a spotlight and a pen.

The window starts and ends it through `Presenter` (`presenter.py`), where to begin; scenes come in, and lines of the pen
go to the controller.
"""
