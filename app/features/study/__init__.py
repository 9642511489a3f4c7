"""Studies: many trainings, one picture."""
