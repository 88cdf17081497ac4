"""Scores of arrangements from folders, workbooks and tables; rows of recorded verdicts and choices."""
