"""Vignettes and replies, read."""
