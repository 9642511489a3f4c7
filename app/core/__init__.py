"""Core: points, numbers as text, plain text and the log: what every other room of `app` may use."""
