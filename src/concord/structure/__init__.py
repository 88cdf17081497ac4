"""Agreement with itself: whether a model stays the same when only the arrangement changes."""

NAME = "structure"
"""The question's name in commands, files and records."""
