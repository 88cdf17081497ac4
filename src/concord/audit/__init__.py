"""A person checks a sample of what was read from replies: error rates, and numbers corrected by them."""
