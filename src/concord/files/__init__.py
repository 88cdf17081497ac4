"""Files and strings to records: the only room that says "row 17"."""
