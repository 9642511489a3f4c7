"""Engine: background work, in short pieces on a few threads.  No Qt.

Requests for the lanes' pictures (`LaneSpec`) and queries (`Query`) come in through the `Scheduler`; frames and answers
go out through a mailbox, and are read from `Results`.  All background work beside the lanes is a query, also the next
round of a race, a step of active learning and a validation curve.

There are two ways to train.  `LaneJob` trains a lane, and a film of it: step by step and recorded (`TrainingRun`), or,
with many points, unrecorded (`FastRun`).  `fitted` trains a classifier whose steps are not displayed, by the fastest
algorithm for the same optimum; `cross_validated` does so for each fold.  `painted` makes the pictures on screen.

Read `pool` first, then `query`, `scheduler` and `lane_job`.
"""
