"""Agreement with its own reasoning: faithfulness gap, Step-F1 and silent bias from recorded replies."""
