"""KKT layer: the KKT case and the slack of every point, in the picture."""
