"""Film: a training, a slider that moves, or the relief of f, as an animated picture."""
