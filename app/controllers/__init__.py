"""Controllers: what the user can do, each thing one method.  No Qt."""
