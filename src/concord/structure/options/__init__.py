"""Options and formats: one question with its options in other places, under other names, in other dress."""
