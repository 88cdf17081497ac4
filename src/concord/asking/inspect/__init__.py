"""What needs Inspect: tasks, the solver that asks, scorers, the embedded model. Loaded on demand only."""
