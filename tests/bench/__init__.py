"""Benchmarks: ``make bench``.  They print; no time makes them fail."""
