"""Results to terminal tables, CSV and JSON files; the only package that rounds."""
