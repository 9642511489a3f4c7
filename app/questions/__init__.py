"""Questions: what can be asked about the models on screen; `inquiries` and `overlays` list them all."""
