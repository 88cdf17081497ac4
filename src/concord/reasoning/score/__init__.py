"""From recorded replies to the faithfulness gap, Step-F1 and silent bias."""
