"""Scores of arrangements, read."""
