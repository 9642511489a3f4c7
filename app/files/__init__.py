"""Files: documents on disk, recovery copies, locks and settings: written atomically, read strictly.  No Qt."""
