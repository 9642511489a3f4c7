"""Active learning: the point the model is least sure of is asked about next."""
