"""What is needed before anything is spent."""
