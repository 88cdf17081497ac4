"""Agreement with itself: whether a model stays the same when only the arrangement changes."""
