"""Trials to replies: what is sent, what came back, and how a run is kept and resumed."""
