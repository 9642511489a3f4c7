"""Lessons: a Markdown file of steps, written by a teacher; read, checked, followed step by step, and printed.

A lesson file comes in (`parts.py` splits it into fields, `reading.py` makes a `Lesson` of them or reports faults); the
document of each step (`starting.py`), a panel, covers over the pictures and an overlay for drawn answers go out.  Start
with `model.py`, what a lesson is; then `state.py` and `controller.py`, what a student does with it.
"""
