"""Lane: a lane in the window: row of controls, form, playback bar, timeline and status strip.

`LaneScene`s come in; changes go to the controllers. Start with `lanes.py`, which arranges the lanes; then `lane_row.py`
and `lane_form.py`, whose fields `learner_fields.py` and `form_parts.py` make.
"""
