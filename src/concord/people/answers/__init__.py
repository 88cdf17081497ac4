"""Answers as distributions: whether an agent's vary and spread as people's do."""
