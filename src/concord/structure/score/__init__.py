"""Scores of a model to numbers: gaps, order effect, differences of two models, all pairs."""
