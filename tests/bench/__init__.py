"""Measurements: ``make bench``.  They print; they never fail on time."""
