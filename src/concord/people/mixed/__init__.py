"""People and predictions together: what a model is worth in participants."""
