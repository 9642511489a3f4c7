"""Probe: why one place of the plane gets its class."""
