"""Files and strings to records: the only package that says "row 17"."""
