"""Results to terminal tables, CSV and JSON files; the only room that rounds."""
