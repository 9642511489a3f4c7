"""What if: an edit of the points beside the state before it.

Documents before and after an edit come in, with their models; the old boundary over each picture and a panel with old
and new numbers go out, and commands that remove points which change nothing.  Start with `scene.py`: what is kept,
requested and computed.
"""
