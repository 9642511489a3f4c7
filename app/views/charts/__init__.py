"""What painted charts share: scales and strokes."""
