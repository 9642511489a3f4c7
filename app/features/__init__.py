"""Features: one folder for each question about the models; Qt only in `panel`, `overlay`, `window` and `view*`."""
