"""Relief: f over the plane in three dimensions, and the kernel trick by example."""
