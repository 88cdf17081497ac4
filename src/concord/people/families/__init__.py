"""The kinds of test."""
