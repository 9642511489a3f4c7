"""Lessons: a Markdown file of steps that a teacher writes; read, checked, walked through."""
