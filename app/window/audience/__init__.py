"""Audience: a second window with the pictures, for the projector.  `audience.py` opens it on the right screen."""
