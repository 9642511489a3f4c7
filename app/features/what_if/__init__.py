"""What if: an edit of the points beside what was before it."""
