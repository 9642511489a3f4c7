"""Engine: background work: a pool of threads, the newest request of each lane, a mailbox back.  No Qt."""
