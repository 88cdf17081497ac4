"""Agreement with people: PAS, ECS and APR from a table of tests."""

NAME = "people"
"""The question's name in commands, files and records."""
