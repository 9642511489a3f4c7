"""State: document and session as frozen values, commands that change them, the store that holds them.  No Qt."""
