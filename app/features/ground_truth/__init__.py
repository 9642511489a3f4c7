"""Ground truth and stability: classifiers against the distribution of the generator, and on resampled points."""
