"""Exchange: which kind a file is of, share texts, and points from and for other programs."""
