"""Export of pictures: what is drawn, how large, and where to."""
