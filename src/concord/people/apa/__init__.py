"""How reported statistics are written: characters, tokens, and the items they make."""
