"""Studies: their format, what is asked, and tests from replies."""
