"""Chart: marks over two axes, drawn by pyqtgraph."""
