"""Background work: one pool of threads, one newest request per lane, one mailbox back to the window."""
