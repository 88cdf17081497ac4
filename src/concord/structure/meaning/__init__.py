"""Whether a text says the same in other words: static embeddings, and what a text scorer's number means."""
