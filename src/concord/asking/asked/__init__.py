"""One file per thing that can be asked, each with its record."""
