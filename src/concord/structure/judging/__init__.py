"""Judges: models that compare two answers, and one that scores replies."""
