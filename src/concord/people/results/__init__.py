"""From tables of tests to results: one agent, many agents, what differs between them, what a referee asks."""
