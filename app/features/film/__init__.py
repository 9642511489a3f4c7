"""Film: a training, or a slider that moves, as an animated picture."""
