"""Agreement with its own reasoning: faithfulness gap, Step-F1 and silent bias from recorded replies."""

NAME = "reasoning"
"""The question's name in commands, files and records."""
