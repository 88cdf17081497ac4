"""Agreement with people: PAS, ECS and APR from a table of tests."""
