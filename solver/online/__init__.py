"""Online support vector machines: LASVM."""
