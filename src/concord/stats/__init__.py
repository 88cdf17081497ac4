"""Numbers only: log Bayes factors, effects, agreement, pooling, intervals (numpy and scipy.special)."""
