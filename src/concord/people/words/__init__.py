"""Agreement with people in words: what numbers mean, what was assumed, why numbers are undefined."""
