"""The plots: the only package that imports pyqtgraph."""
