"""Replies to scores: measures of text, models as scorers, what their numbers mean."""
