"""Engine: work in the background, in short pieces on a few threads.  No Qt.

The window asks the `Scheduler` for the pictures of the lanes (`LaneSpec`) and for answers to queries (`Query`); frames
and answers come back through a mailbox and are read from `Results`.  Everything that takes time beside the lanes is a
query: also the next round of a race, a step of active learning and a validation curve.

There are two ways to train.  A lane, and a film of it, is trained by `LaneJob`: step by step and recorded
(`TrainingRun`), or with many points at once (`AtOnceRun`).  What nobody follows is trained by `fitted`, on the shortest
way to the same optimum; `cross_validated` does that for each fold.  Pictures on screen are made by `painted`.

Read `pool` first, then `query`, `scheduler` and `lane_job`.
"""
