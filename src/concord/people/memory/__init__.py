"""Whether a model has read a study: what it recognises, and what it shows under another surface."""
