"""Files: documents on disk, recovery copies, locks, settings and assets; written atomically, read strictly.  No Qt.

Documents and settings go out to disk as bytes, and come back validated; errors are sentences for the user
(`FileError`).  Start with `documents.py`, then `file_format.py` and `background_task.py`.
"""
