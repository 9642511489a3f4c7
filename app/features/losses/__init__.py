"""Losses: hinge and 0-1 loss over y f, with every point on them."""
