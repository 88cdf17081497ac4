"""Tables of tests, read."""
