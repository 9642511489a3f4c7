"""A lane in the window: header, form, playback bar, timeline and status strip."""
