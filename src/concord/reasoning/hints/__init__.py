"""Hints: how often they move an answer, and how often the model says so."""
