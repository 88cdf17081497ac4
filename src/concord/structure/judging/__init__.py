"""Judges: models that compare two answers."""
