"""Scene: everything the views draw, as values made from document, session and results.  No Qt."""
