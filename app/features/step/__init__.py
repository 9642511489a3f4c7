"""Step: why SMO takes this pair of multipliers, and what the step does."""
